package sampling_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"logitscope/sampling"
	"logitscope/sampling/cases"
	"logitscope/sampling/dist"
	"logitscope/sampling/value"
)

// settings of every stage, each with the value that switches it off.
var stageTable = []struct {
	order, key string
	on, off    any
	extra      []any // further settings that make the stage do something
}{
	{"transformers", "temperature", 0.7, 1.0, nil},
	{"transformers", "top_k", 5, 0, nil},
	{"transformers", "top_p", 0.8, 1.0, nil},
	{"transformers", "min_p", 0.1, 0.0, nil},
	{"transformers", "typical_p", 0.7, 1.0, nil},
	{"transformers", "epsilon_cutoff", 0.01, 0.0, nil},
	{"transformers", "eta_cutoff", 0.02, 0.0, nil},
	{"transformers", "top_h", 0.5, 0.0, nil},
	{"transformers", "repetition_penalty", 1.3, 1.0, nil},
	{"transformers", "frequency_penalty", 0.5, 0.0, nil},
	{"transformers", "presence_penalty", 0.5, 0.0, nil},
	{"transformers", "no_repeat_ngram_size", 2, 0, nil},
	{"transformers", "logit_bias", "3=2,5=-100", []value.TokenBias{}, nil},
	{"transformers", "bad_words_ids", "[[2],[1,4]]", [][]int32{}, nil},
	{"transformers", "min_new_tokens", 50, 0, []any{"eos_token_id", 1}},
	{"transformers", "suppress_tokens", "1,2", []int32{}, nil},
	{"transformers", "allowed_token_ids", "1,2,3,9,11", []int32{}, nil},
	{"llama.cpp", "temperature", 0.7, 1.0, nil},
	{"llama.cpp", "temperature", 0.0, 1.0, nil},
	{"llama.cpp", "top_k", 5, 0, nil},
	{"llama.cpp", "top_p", 0.8, 1.0, nil},
	{"llama.cpp", "min_p", 0.1, 0.0, nil},
	{"llama.cpp", "typical_p", 0.7, 1.0, nil},
	{"llama.cpp", "top_n_sigma", 1.0, 0.0, nil},
	{"llama.cpp", "xtc_probability", 1.0, 0.0, []any{"xtc_threshold", 0.05}},
	{"llama.cpp", "dynatemp_range", 0.5, 0.0, nil},
	{"llama.cpp", "mirostat", 1, 0, nil},
	{"llama.cpp", "mirostat", 2, 0, []any{"mirostat_tau", 2.0}},
	{"llama.cpp", "adaptive_target", 0.3, -1.0, nil},
	{"llama.cpp", "repetition_penalty", 1.3, 1.0, nil},
	{"llama.cpp", "frequency_penalty", 0.5, 0.0, nil},
	{"llama.cpp", "dry_multiplier", 0.8, 0.0, nil},
	{"llama.cpp", "logit_bias", "3=2,5=-100", []value.TokenBias{}, nil},
	{"vllm", "temperature", 0.7, 1.0, nil},
	{"vllm", "top_k", 5, 0, nil},
	{"vllm", "top_p", 0.8, 1.0, nil},
	{"vllm", "min_p", 0.1, 0.0, nil},
	{"vllm", "repetition_penalty", 1.3, 1.0, nil},
	{"ollama", "top_k", 5, 0, nil},
	{"ollama", "presence_penalty", 0.5, 0.0, nil},
	{"ollama-go", "top_k", 5, 0, nil},
	{"ollama-go", "top_p", 0.8, 1.0, nil},
	{"ollama-go", "min_p", 0.1, 0.0, nil},
	{"ollama-go", "temperature", 0.7, 1.0, nil},
	{"lab", "temperature", 0.0, 1.0, nil},
	{"lab", "p_less", true, false, nil},
	{"lab", "p_less_norm", true, false, nil},
	{"lab", "top_a", 0.3, 0.0, nil},
	{"lab", "top_a", 0.3, 0.0, []any{"cut_rules", "textgen"}},
	{"lab", "tfs_z", 0.9, 1.0, nil},
	{"lab", "tfs_z", 0.9, 1.0, []any{"cut_rules", "textgen"}},
	{"lab", "smoothing_factor", 0.3, 0.0, []any{"smoothing_curve", 2.0}},
	{"lab", "skew", 0.5, 0.0, nil},
	{"lab", "skew", -0.5, 0.0, nil},
	{"lab", "watermark_bias", 3.0, 0.0, nil},
	{"lab", "watermark_bias", -1.0, 0.0, []any{"watermark_ratio", 0.5, "watermark_scheme", "selfhash", "watermark_width", 3}},
	{"transformers", "watermark_bias", 2.0, 0.0, nil},
}

// neutral returns a config in which every engine's own default is off.
func neutral(order string, kv ...any) sampling.Config {
	c := with("order", order, "temperature", 1.0, "top_k", 0, "top_p", 1.0, "min_p", 0.0, "seed", 7)
	for i := 0; i < len(kv); i += 2 {
		c = c.MustWith(kv[i].(string), kv[i+1], sampling.FromYou)
	}
	return c
}

func compile(t testing.TB, c sampling.Config) *sampling.Pipeline {
	t.Helper()
	p, err := sampling.Compile(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var testHistory = []int32{1, 4, 2, 1, 4, 9, 3, 1, 4}

// TestStages holds every stage to what all of them promise.
func TestStages(t *testing.T) {
	rows := [][]float32{
		cases.Generate(nil, 16, 3, 2, 0),
		cases.Generate(nil, 300, 4, 2, 0),
		cases.Generate(nil, 3000, 5, 1, 0),
		cases.Generate(nil, 500, 6, 3, 4), // many equal logits
		slices.Repeat([]float32{0.5}, 20),
	}
	for _, st := range stageTable {
		for i, x := range rows {
			name := fmt.Sprintf("%s/%s=%v/%d", st.order, st.key, st.on, i)
			t.Run(name, func(t *testing.T) {
				on := compile(t, neutral(st.order, append(st.extra, st.key, st.on)...))
				off := compile(t, neutral(st.order, append(st.extra, st.key, st.off)...))
				checkStage(t, on, off, x)
			})
		}
	}
}

func checkStage(t *testing.T, on, off *sampling.Pipeline, x []float32) {
	in := sampling.Input{Logits: slices.Clone(x), Prompt: testHistory[:5], Output: testHistory[5:]}
	var s sampling.Scratch
	var a, plain sampling.Trace
	id, err := on.Sample(&a, &s, in)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(in.Logits, x) {
		t.Error("the input was modified")
	}
	var d dist.Dist
	s.Final(&d)
	checkTrace(t, &a, &d, x)
	if int(id) < 0 || int(id) >= len(x) || d.Prob(id) == 0 && !a.Greedy {
		t.Errorf("token %d cannot be drawn", id)
	}
	// The same law without a trace.
	var again dist.Dist
	if err := on.Distribution(&again, &s, in); err != nil {
		t.Fatal(err)
	}
	if tv := dist.TotalVariation(&d, &again); tv > 1e-6 {
		t.Errorf("the distribution differs by %g without a trace", tv)
	}
	// At its off value a stage is the identity.
	if _, err := off.Sample(&plain, &s, in); err != nil {
		t.Fatal(err)
	}
	if off.Order().Engine() != "ollama-go" && len(plain.Stages()) != 1 {
		t.Errorf("stages at the off value: %v", off.StageNames())
	}
	if plain.Survived != len(x) {
		t.Errorf("the off value keeps %d of %d", plain.Survived, len(x))
	}
}

// checkTrace holds a trace to the distribution it ended with.
func checkTrace(t *testing.T, tr *sampling.Trace, d *dist.Dist, x []float32) {
	t.Helper()
	sum := 0.0
	for i, p := range d.Probs {
		sum += p
		if i > 0 && p > d.Probs[i-1] {
			t.Fatalf("probability %d above the one before", i)
		}
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("probabilities sum to %v", sum)
	}
	if len(d.IDs) < 1 || len(d.IDs) != tr.Survived {
		t.Errorf("%d tokens left, the trace says %d", len(d.IDs), tr.Survived)
	}
	if math.Abs(d.Entropy()-float64(tr.Bits)) > 1e-4 {
		t.Errorf("entropy %v, the trace says %v", d.Entropy(), tr.Bits)
	}
	if !tr.Greedy && !(tr.U >= tr.Lo-1e-6 && tr.U <= tr.Hi+1e-6) {
		t.Errorf("u %v outside [%v, %v)", tr.U, tr.Lo, tr.Hi)
	}
	stages := tr.Stages()
	for i, s := range stages {
		if s.Mass < 0 || s.Mass > 1.000001 || s.Bits < 0 || s.Bits > float32(math.Log2(float64(len(x))))+1e-3 {
			t.Errorf("stage %+v", s)
		}
		if i > 0 && s.Kept != stages[i-1].Kept-s.Removed {
			t.Errorf("stage %s: kept %d after %d less %d", s.Name, s.Kept, stages[i-1].Kept, s.Removed)
		}
	}
	if last := stages[len(stages)-1]; last.Kept != tr.Survived {
		t.Errorf("last stage keeps %d, survived %d", last.Kept, tr.Survived)
	}
	shown := false
	for i := range tr.Rows() {
		r := &tr.Rows()[i]
		shown = shown || r.ID == tr.Token
		checkRow(t, tr, d, r, x)
		if i > 0 && tr.Rows()[i-1].Rank >= r.Rank {
			t.Errorf("row %d has rank %d after %d", i, r.Rank, tr.Rows()[i-1].Rank)
		}
	}
	if !shown {
		t.Error("the chosen token has no row")
	}
}

func checkRow(t *testing.T, tr *sampling.Trace, d *dist.Dist, r *sampling.Row, x []float32) {
	t.Helper()
	rank, cum, total := 1, 0.0, 0.0
	hi := slices.Max(x)
	for i, v := range x {
		e := math.Exp(float64(v - hi))
		total += e
		if v > x[r.ID] || v == x[r.ID] && int32(i) <= r.ID {
			cum += e
			if int32(i) != r.ID {
				rank++
			}
		}
	}
	if int(r.Rank) != rank || math.Abs(float64(r.RawCum)-cum/total) > 1e-5 {
		t.Errorf("token %d: rank %d cum %v, want %d %v", r.ID, r.Rank, r.RawCum, rank, cum/total)
	}
	if math.Abs(float64(r.Prob)-d.Prob(r.ID)) > 1e-5*d.Prob(r.ID)+1e-7 {
		t.Errorf("token %d: probability %v, want %v", r.ID, r.Prob, d.Prob(r.ID))
	}
	n := len(tr.Stages())
	for i, p := range r.Probs[:n] {
		cut := int(r.Cut) != sampling.NoStage && i >= int(r.Cut)
		if p < 0 || p > 1.00001 || cut && p != 0 {
			t.Errorf("token %d: probability %v after stage %d, cut at %d", r.ID, p, i, r.Cut)
		}
	}
	if (r.Cut == sampling.NoStage) != slices.Contains(d.IDs, r.ID) {
		t.Errorf("token %d: cut %d, can be drawn %v", r.ID, r.Cut, slices.Contains(d.IDs, r.ID))
	}
}

// TestBlindToLabels gives the tokens other ids and wants the same choice
// among them. Rows have no equal logits, which ids may decide between.
func TestBlindToLabels(t *testing.T) {
	const n = 200
	x := cases.Generate(nil, n, 11, 2, 0)
	for i := range x {
		x[i] += float32(i) * 1e-4
	}
	rename := func(id int32) int32 { return (id*77 + 13) % n }
	y := make([]float32, n)
	for i, v := range x {
		y[rename(int32(i))] = v
	}
	for _, st := range stageTable {
		if _, isText := st.on.(string); isText || strings.HasPrefix(st.order, "llama") || strings.HasPrefix(st.order, "ollama") {
			continue // ids in the setting, or a draw in array order
		}
		if st.key == "watermark_bias" {
			continue // which tokens are green is a matter of their ids
		}
		c := neutral(st.order, append(st.extra, st.key, st.on)...).Without("eos_token_id")
		p := compile(t, c)
		var s sampling.Scratch
		var a, b sampling.Trace
		var hist, renamed []int32
		for _, id := range testHistory {
			hist = append(hist, id)
			renamed = append(renamed, rename(id))
		}
		i, err := p.Sample(&a, &s, sampling.Input{Logits: x, Prompt: hist[:4], Output: hist[4:]})
		j, err2 := p.Sample(&b, &s, sampling.Input{Logits: y, Prompt: renamed[:4], Output: renamed[4:]})
		if err != nil || err2 != nil || rename(i) != j || a.Survived != b.Survived {
			t.Errorf("%s %s: token %d of %d, want %d of %d (%v %v)", st.order, st.key, j, b.Survived, rename(i), a.Survived, err, err2)
		}
	}
}

// TestCutsKeepOrder wants the tokens a cut leaves to stand in the order they
// had.
func TestCutsKeepOrder(t *testing.T) {
	x := cases.Generate(nil, 1000, 21, 2, 0)
	for _, st := range stageTable {
		switch st.key {
		case "top_k", "top_p", "min_p", "typical_p", "epsilon_cutoff", "eta_cutoff", "top_h", "top_n_sigma", "xtc_probability", "temperature":
		default:
			continue
		}
		p := compile(t, neutral(st.order, append(st.extra, st.key, st.on)...))
		var s sampling.Scratch
		var d dist.Dist
		if err := p.Distribution(&d, &s, sampling.Input{Logits: x}); err != nil {
			t.Fatal(err)
		}
		for i := 1; i < len(d.IDs); i++ {
			if x[d.IDs[i]] > x[d.IDs[i-1]] {
				t.Errorf("%s %s: token %d overtakes %d", st.order, st.key, d.IDs[i], d.IDs[i-1])
				break
			}
		}
	}
}

func TestNoAllocations(t *testing.T) {
	for _, v := range []int{500, 20000} {
		x := cases.Generate(nil, v, 5, 2, 0)
		for _, st := range stageTable {
			p := compile(t, neutral(st.order, append(st.extra, st.key, st.on)...))
			var s sampling.Scratch
			var tr sampling.Trace
			in := sampling.Input{Logits: x, Prompt: testHistory, Output: testHistory, Pins: []int32{7, 9}}
			if n := testing.AllocsPerRun(5, func() {
				in.State = tr.State
				if _, err := p.Sample(&tr, &s, in); err != nil {
					t.Fatal(err)
				}
			}); n != 0 {
				t.Errorf("%s %s, %d tokens: %v allocations a step", st.order, st.key, v, n)
			}
		}
	}
}
