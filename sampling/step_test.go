package sampling_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"logitscope/sampling"
	"logitscope/sampling/cases"
	"logitscope/sampling/dist"
)

// letters is a vocabulary of one token a letter; the last two ids have no
// piece and the one before ends the text.
type letters struct{ n int }

func (v letters) Size() int             { return v.n }
func (v letters) EOG() []int32          { return []int32{int32(v.n - 3)} }
func (v letters) HasPiece(i int32) bool { return int(i) < v.n-2 }
func (v letters) Piece(i int32) string {
	if i == int32(v.n-3) {
		return "</s>"
	}
	return string(rune('a' + i))
}
func (v letters) Encode(text string) (ids []int32) {
	for _, r := range text {
		if r >= 'a' && int(r-'a') < v.n-3 {
			ids = append(ids, r-'a')
		}
	}
	return ids
}

func sample(t testing.TB, c sampling.Config, v sampling.Vocab, in sampling.Input) (sampling.Trace, *sampling.Scratch) {
	t.Helper()
	p, err := sampling.Compile(c, v)
	if err != nil {
		t.Fatal(err)
	}
	var tr sampling.Trace
	s := new(sampling.Scratch)
	if _, err := p.Sample(&tr, s, in); err != nil {
		t.Fatal(err)
	}
	return tr, s
}

func TestIdsWithoutAPiece(t *testing.T) {
	x := []float32{1, 2, 3, 0, 1, 9, 9} // the two best have no piece
	for _, o := range sampling.Orders() {
		tr, s := sample(t, neutral(o.Name()), letters{7}, sampling.Input{Logits: x})
		if tr.NoPiece != 2 || tr.Stages()[0].Kept != 5 || tr.Survived != 5 || tr.Vocab != 7 || tr.Token > 4 {
			t.Errorf("%s: %d without a piece, %d kept, token %d", o, tr.NoPiece, tr.Survived, tr.Token)
		}
		var d dist.Dist
		s.Final(&d)
		if d.IDs[0] != 2 || d.Prob(5) != 0 {
			t.Errorf("%s: %v", o, d.IDs)
		}
		if x[5] != 9 {
			t.Error("the input was modified")
		}
	}
}

func mask(ids ...int32) []uint64 {
	m := make([]uint64, 1)
	for _, id := range ids {
		m[0] |= 1 << id
	}
	return m
}

func TestMaskComesBeforeEveryStage(t *testing.T) {
	x := []float32{5, 4, 3, 2, 1, 0, -1}
	in := sampling.Input{Logits: x, Mask: mask(2, 3, 5)}
	for _, o := range sampling.Orders() {
		c := neutral(o.Name(), "top_k", 2, "draw_order", "mask_first")
		tr, s := sample(t, c, letters{7}, in)
		var d dist.Dist
		s.Final(&d)
		if st := tr.Stages()[1]; st.Name != "constraint" || st.Kept != 2 || !slices.Equal(d.IDs, []int32{2, 3}) {
			t.Errorf("%s: %+v then %v", o, st, d.IDs)
		}
		// e^3+e^2 of the five tokens with a piece, the end not allowed.
		z := (math.Exp(3) + math.Exp(2)) / (math.Exp(5) + math.Exp(4) + math.Exp(3) + math.Exp(2) + math.Exp(1))
		ct := tr.Constraint
		if !ct.Active || ct.Allowed != 2 || math.Abs(float64(ct.Mass)-z) > 1e-6 || math.Abs(float64(ct.Bits)+math.Log2(z)) > 1e-5 || ct.EOS {
			t.Errorf("%s: %+v, want mass %v", o, ct, z)
		}
	}
	in.MaskEOS = true
	tr, s := sample(t, neutral("transformers"), letters{7}, in)
	var d dist.Dist
	s.Final(&d)
	if !slices.Equal(d.IDs, []int32{2, 3, 4}) || !tr.Constraint.EOS || tr.Constraint.Allowed != 3 {
		t.Errorf("with the end allowed: %v, %+v", d.IDs, tr.Constraint)
	}
}

func TestNothingAllowed(t *testing.T) {
	for _, o := range sampling.Orders() {
		p, err := sampling.Compile(neutral(o.Name()), nil)
		if err != nil {
			t.Fatal(err)
		}
		var tr sampling.Trace
		var s sampling.Scratch
		if _, err := p.Sample(&tr, &s, sampling.Input{Logits: []float32{1, 2}, Mask: []uint64{0}}); !errors.Is(err, sampling.ErrNothingAllowed) {
			t.Errorf("%s: %v", o, err)
		}
	}
}

// TestDrawThenCheck follows llama.cpp: a draw from the whole chain, a check,
// and on a miss a second draw from the masked one.
func TestDrawThenCheck(t *testing.T) {
	x := []float32{2, 2, 2, 2}
	hits, redrawn := 0, 0
	var s sampling.Scratch
	p := compile(t, neutral("llama.cpp", "seed", 3))
	state := sampling.State{}
	for range 200 {
		var tr sampling.Trace
		id, err := p.Sample(&tr, &s, sampling.Input{Logits: x, Mask: mask(1), State: state})
		if err != nil {
			t.Fatal(err)
		}
		if id != 1 {
			t.Fatalf("token %d is not allowed", id)
		}
		used := tr.State.Draws - state.Draws
		if tr.Constraint.Redrawn {
			redrawn++
			if used != 4 || tr.Stages()[1].Name != "constraint" || tr.Prob != 1 {
				t.Fatalf("a second draw took %d outputs, stages %v", used, tr.Stages()[1])
			}
		} else {
			hits++
			if used != 2 || len(tr.Stages()) != 1 || math.Abs(float64(tr.Prob)-0.25) > 1e-6 {
				t.Fatalf("a first draw took %d outputs, prob %v", used, tr.Prob)
			}
		}
		state = tr.State
	}
	if hits < 25 || hits > 80 || redrawn == 0 {
		t.Errorf("%d first draws passed and %d did not, want about 50 and 150", hits, redrawn)
	}
	// The switch masks first instead.
	tr, _ := sample(t, neutral("llama.cpp", "draw_order", "mask_first"), nil, sampling.Input{Logits: x, Mask: mask(1)})
	if tr.Constraint.Redrawn || tr.Stages()[1].Name != "constraint" {
		t.Error("mask_first drew before it masked")
	}
}

// TestLawOfBothDraws: what passes the first draw, and the refused share drawn
// again among the allowed.
func TestLawOfBothDraws(t *testing.T) {
	x := []float32{3, 2, 1, 0}
	p := compile(t, neutral("llama.cpp", "top_k", 2))
	var s sampling.Scratch
	var d dist.Dist
	in := sampling.Input{Logits: x, Mask: mask(1, 2)}
	if err := p.Distribution(&d, &s, in); err != nil {
		t.Fatal(err)
	}
	// First: 0 and 1 with e:1. Again: 1 and 2 with e:1.
	a := math.E / (1 + math.E)
	want := map[int32]float64{1: (1 - a) + a*a, 2: a * (1 - a)}
	for id, w := range want {
		if math.Abs(d.Prob(id)-w) > 1e-6 {
			t.Errorf("token %d: %v, want %v", id, d.Prob(id), w)
		}
	}
	count := 0
	const n = 4000
	for range n {
		var tr sampling.Trace
		id, err := p.Sample(&tr, &s, in)
		if err != nil {
			t.Fatal(err)
		}
		if id == 2 {
			count++
		}
		in.State = tr.State
	}
	if got := float64(count) / n; math.Abs(got-want[2]) > 0.03 {
		t.Errorf("token 2 was drawn in %v of the steps, want %v", got, want[2])
	}
}

// TestPartialRows gives the tokens of a server's report, not in order.
func TestPartialRows(t *testing.T) {
	ids := []int32{900, 7, 31, 12, 500}
	lps := []float32{-1, -3, -2, -4, -2.5}
	for _, o := range sampling.Orders() {
		c := neutral(o.Name(), "top_k", 3)
		in := sampling.Input{IDs: ids, Logits: lps, Rest: 0.3, Prompt: []int32{900, 5000}, Pins: []int32{12, 4}}
		tr, s := sample(t, c, nil, in)
		var d dist.Dist
		s.Final(&d)
		if !slices.Equal(d.IDs, []int32{900, 31, 500}) || tr.Rest != 0.3 || tr.Vocab != 5 {
			t.Errorf("%s: %v rest %v of %d", o, d.IDs, tr.Rest, tr.Vocab)
		}
		if r := tr.Row(12); r == nil || !r.Pinned || r.Rank != 5 || tr.Row(4) != nil {
			t.Errorf("%s: pinned row %+v", o, r)
		}
		if o.Supports("repetition_penalty") {
			tr, _ = sample(t, c.MustWith("repetition_penalty", 3.0, sampling.FromYou), nil, in)
			if r := tr.Row(900); r.Logit != -3 || r.Lowered == 0 {
				t.Errorf("%s: penalised %+v", o, r)
			}
		}
	}
}

// TestStateIsInTheStep goes back and forth: the same state gives the same
// step, whatever the scratch was used for in between.
func TestStateIsInTheStep(t *testing.T) {
	x := cases.Generate(nil, 300, 8, 2, 0)
	for _, c := range []sampling.Config{
		neutral("llama.cpp"),
		neutral("llama.cpp", "mirostat", 2, "mirostat_tau", 3.0),
		neutral("llama.cpp", "mirostat", 1),
		neutral("llama.cpp", "adaptive_target", 0.4),
		neutral("llama.cpp", "xtc_probability", 0.5, "xtc_threshold", 0.02),
		neutral("ollama-go"),
		neutral("transformers"),
	} {
		p := compile(t, c)
		var s sampling.Scratch
		var traces []sampling.Trace
		in := sampling.Input{Logits: x}
		for range 12 {
			var tr sampling.Trace
			id, err := p.Sample(&tr, &s, in)
			if err != nil {
				t.Fatal(err)
			}
			traces = append(traces, tr)
			in.State = tr.State
			in.Output = append(in.Output, id)
		}
		for _, i := range []int{7, 3, 11, 0} {
			var tr sampling.Trace
			again := sampling.Input{Logits: x, Output: in.Output[:i]}
			if i > 0 {
				again.State = traces[i-1].State
			}
			if _, err := p.Sample(&tr, &s, again); err != nil {
				t.Fatal(err)
			}
			if tr != traces[i] {
				t.Errorf("%v: step %d differs the second time", p.StageNames(), i)
			}
		}
	}
}

func TestMirostatSteers(t *testing.T) {
	x := cases.Generate(nil, 2000, 8, 2, 0)
	for _, version := range []int{1, 2} {
		for _, tau := range []float64{2, 6} {
			p := compile(t, neutral("llama.cpp", "mirostat", version, "mirostat_tau", tau))
			var s sampling.Scratch
			var tr sampling.Trace
			sum := 0.0
			const n = 400
			for range n {
				if _, err := p.Sample(&tr, &s, sampling.Input{Logits: x, State: tr.State}); err != nil {
					t.Fatal(err)
				}
				sum -= math.Log2(float64(tr.Prob))
			}
			if mean := sum / n; math.Abs(mean-tau) > 0.5 {
				t.Errorf("version %d: mean surprise %.2f bits, want %v", version, mean, tau)
			}
		}
	}
}

func TestProcessAndWarp(t *testing.T) {
	x := []float32{-1, -2, -3, -4, float32(math.Inf(-1))}
	c := neutral("transformers", "repetition_penalty", 2.0, "top_k", 2, "temperature", 0.5, "bad_words_ids", "[[2]]", "num_beams", 2)
	p := compile(t, c)
	var s sampling.Scratch
	in := sampling.Input{Logits: x, Prompt: []int32{0}}
	got := make([]float32, 5)
	ninf := float32(math.Inf(-1))
	if err := p.Process(got, &s, in); err != nil {
		t.Fatal(err)
	}
	if want := []float32{-2, -2, ninf, -4, ninf}; !slices.Equal(got, want) {
		t.Errorf("processed %v, want %v", got, want)
	}
	if err := p.Warp(got, &s, in); err != nil {
		t.Fatal(err)
	}
	if want := []float32{-4, -4, ninf, ninf, ninf}; !slices.Equal(got, want) {
		t.Errorf("warped %v, want %v", got, want)
	}
}

func TestTouched(t *testing.T) {
	x := []float32{3, -2, 1, 0, 5}
	prompt, output := []int32{0, 1}, []int32{1, 2, 1}
	find := func(order, stage string, kv ...any) ([]sampling.Touch, int) {
		p := compile(t, neutral(order, kv...))
		var s sampling.Scratch
		touches, window, err := p.Touched(stage, &s, sampling.Input{Logits: x, Prompt: prompt, Output: output})
		if err != nil {
			t.Fatal(err)
		}
		return touches, window
	}
	got, window := find("transformers", "repetition_penalty", "repetition_penalty", 2.0)
	want := []sampling.Touch{{ID: 0, Count: 1, Before: 3, After: 1.5}, {ID: 1, Count: 3, Before: -2, After: -4}, {ID: 2, Count: 1, Before: 1, After: 0.5}}
	if !slices.Equal(got, want) || window != 5 {
		t.Errorf("repetition: %v in %d, want %v in 5", got, window, want)
	}
	got, window = find("vllm", "frequency_penalty", "frequency_penalty", 0.5)
	want = []sampling.Touch{{ID: 1, Count: 2, Before: -2, After: -3}, {ID: 2, Count: 1, Before: 1, After: 0.5}}
	if !slices.Equal(got, want) || window != 3 {
		t.Errorf("frequency: %v in %d, want %v in 3", got, window, want)
	}
	got, window = find("llama.cpp", "penalties", "repetition_penalty", 2.0, "presence_penalty", 1.0, "repeat_last_n", 2)
	want = []sampling.Touch{{ID: 2, Count: 1, Before: 1, After: -0.5}, {ID: 1, Count: 1, Before: -2, After: -5}}
	slices.SortFunc(want, func(a, b sampling.Touch) int { return int(a.ID - b.ID) })
	if !slices.Equal(got, want) || window != 2 {
		t.Errorf("penalties: %v in %d, want %v in 2", got, window, want)
	}
	if got, window = find("transformers", "repetition_penalty"); got != nil || window != 0 {
		t.Errorf("a stage that is off touched %v", got)
	}
}

func TestDryBreakersFromText(t *testing.T) {
	// The run "abc" would go on with d; a breaker on c forbids it to count.
	var history []int32
	for _, r := range "abcdxabc" {
		history = append(history, r-'a')
	}
	x := make([]float32, 30)
	lowered := func(kv ...any) bool {
		kv = append(kv, "dry_multiplier", 1.0, "dry_allowed_length", 2)
		tr, _ := sample(t, neutral("llama.cpp", kv...), letters{30}, sampling.Input{Logits: x, Output: history, Pins: []int32{3}})
		return tr.Row(3).Lowered != 0
	}
	if !lowered("dry_sequence_breakers", "q") || lowered("dry_sequence_breakers", "c") || !lowered("dry_sequence_breakers", "a") {
		t.Error("breakers of one letter")
	}
	if lowered("dry_sequence_breakers", "bc") {
		t.Error("a breaker of two tokens is not found")
	}
}

func TestErrorsInWords(t *testing.T) {
	nan, ninf, inf := float32(math.NaN()), float32(math.Inf(-1)), float32(math.Inf(1))
	p := compile(t, neutral("transformers"))
	var s sampling.Scratch
	var tr sampling.Trace
	for _, c := range []struct {
		x    []float32
		want string
	}{
		{slices.Repeat([]float32{nan}, 4096), "4,096 of 4,096 logits are NaN"},
		{[]float32{1, nan, 2}, "1 of 3 logits are NaN"},
		{[]float32{ninf, ninf}, "all 2 logits are -Inf"},
		{[]float32{1, inf}, "1 of 2 logits are +Inf"},
		{nil, "the row has no logits"},
	} {
		if _, err := p.Sample(&tr, &s, sampling.Input{Logits: c.x}); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	// After an error the scratch is as good as new.
	if id, err := p.Sample(&tr, &s, sampling.Input{Logits: []float32{0, 100}}); err != nil || id != 1 {
		t.Error(id, err)
	}
	if _, err := sampling.Compile(with("bad_words", "cat"), nil); err == nil || !strings.HasPrefix(err.Error(), "bad_words: ") {
		t.Errorf("words without a vocabulary: %v", err)
	}
}

func TestTemperatureZero(t *testing.T) {
	x := []float32{1, 3, 2.9, 0}
	for _, o := range sampling.Orders() {
		tr, _ := sample(t, with("order", o.Name(), "temperature", 0.0), nil, sampling.Input{Logits: x})
		if tr.Token != 1 || !tr.Greedy || tr.Survived != 1 || tr.Prob != 1 || tr.Bits != 0 {
			t.Errorf("%s: token %d, %d left, greedy %v", o, tr.Token, tr.Survived, tr.Greedy)
		}
		tr, _ = sample(t, with("order", o.Name(), "do_sample", false), nil, sampling.Input{Logits: x})
		if tr.Token != 1 || !tr.Greedy || tr.Survived != 1 {
			t.Errorf("%s without sampling: token %d of %d", o, tr.Token, tr.Survived)
		}
	}
}
