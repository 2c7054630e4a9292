package score

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/models/fable"
	"logitscope/models/llama"
	"logitscope/sampling"
	"logitscope/sampling/dist"
)

// Windows by hand: a context of 8, a stride of 4.
func TestWindows(t *testing.T) {
	for _, tt := range []struct {
		total, n, first int
		want            []window
	}{
		{0, 8, 1, nil}, {1, 8, 1, nil}, {2, 8, 1, []window{{0, 1, 2}}}, {8, 8, 1, []window{{0, 1, 8}}},
		{9, 8, 1, []window{{0, 1, 8}, {4, 8, 9}}},
		{12, 8, 1, []window{{0, 1, 8}, {4, 8, 12}}},
		{13, 8, 1, []window{{0, 1, 8}, {4, 8, 12}, {8, 12, 13}}},
		{13, 8, 9, []window{{4, 9, 12}, {8, 12, 13}}}, // a long prompt: what scores nothing is not read
		{13, 8, 12, []window{{8, 12, 13}}},
		{13, 0, 1, []window{{0, 1, 13}}},
		{10, 7, 1, []window{{0, 1, 7}, {3, 7, 10}}}, // an odd context
	} {
		if got := windows(tt.total, tt.n, tt.first); !slices.Equal(got, tt.want) {
			t.Errorf("windows(%d, %d, %d) = %v, want %v", tt.total, tt.n, tt.first, got, tt.want)
		}
	}
	// Every token is scored once, after at least half a window, whatever the sizes.
	for total := 1; total < 60; total++ {
		for n := 2; n < 20; n++ {
			next := 1
			for _, w := range windows(total, n, 1) {
				if w.from != next || w.to <= w.from || w.to-w.start > n || w.start > 0 && w.from-w.start < n/2 {
					t.Fatalf("%d tokens, %d a window: %v, want from %d", total, n, w, next)
				}
				next = w.to
			}
			if next != max(total, 1) {
				t.Fatalf("%d tokens, %d a window: read to %d", total, n, next)
			}
		}
	}
}

// fableInput is a text of the built-in model.
func fableInput(t *testing.T, text string, set ...string) Input {
	t.Helper()
	m, err := fable.Open(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	prefix, err := engine.Prompt(context.Background(), m, "")
	if err != nil {
		t.Fatal(err)
	}
	return Input{
		Law: Law{m, pipeline(t, m, set...)}, Prefix: prefix, BOS: prefix[0],
		Text: m.Vocab().Encode(text, models.EncodeOptions{ParseSpecial: true}),
	}
}

func pipeline(t *testing.T, m models.Model, set ...string) *sampling.Pipeline {
	t.Helper()
	c := sampling.Config{}.MustWith("top_k", 0, sampling.FromFile)
	for _, kv := range set {
		key, value, _ := strings.Cut(kv, "=")
		c = c.MustWith(key, value, sampling.FromFile)
	}
	s, err := engine.NewCompiler(m).Settings(c, "")
	if err != nil {
		t.Fatal(err)
	}
	return s.Pipeline
}

func read(t *testing.T, in Input) (out []Token) {
	t.Helper()
	if err := Read(context.Background(), in, func(tok Token) error { out = append(out, tok); return nil }); err != nil {
		t.Fatal(err)
	}
	return out
}

const tale = "Once upon a time there was a little fox who lived in the old forest. She was clever, and she knew it."

// The slow twin: each token after a pass of its own over all that is before it
// in its window, and every number from its definition.
func TestReadAgainstSlowTwin(t *testing.T) {
	long := strings.Repeat(tale+"\n", 24) // more than one window
	for _, text := range []string{tale, long, "", "a", "\u00e9\u4e2d\U0001f98a"} {
		in := fableInput(t, text, "temperature=0.7", "top_k=20", "top_p=0.9", "repetition_penalty=1.1")
		other := pipeline(t, in.Law.Model, "temperature=1.2", "min_p=0.05")
		in.Against = &Law{in.Law.Model, other}
		got := read(t, in)
		if len(got) != len(in.Text) {
			t.Fatalf("%.20q: %d tokens, want %d", text, len(got), len(in.Text))
		}
		all := append(slices.Clone(in.Prefix), in.Text...)
		step := 1
		if len(all) > 200 {
			step = 37
		}
		for _, w := range windows(len(all), in.Law.Model.Info().ContextLen, len(in.Prefix)) {
			for at := w.from; at < w.to; at += step {
				checkToken(t, in, all, w.start, at, got[at-len(in.Prefix)])
			}
		}
	}
}

func checkToken(t *testing.T, in Input, all []int32, start, at int, got Token) {
	t.Helper()
	s, err := in.Law.Model.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	tokens := slices.Clone(all[start:at])
	if start > 0 {
		tokens[0] = in.BOS
	}
	rows, err := s.Forward(context.Background(), tokens, 1)
	if err != nil {
		t.Fatal(err)
	}
	id, row := all[at], rows[0].Values
	sum, rank := 0.0, 1
	for i, v := range row {
		sum += math.Exp(float64(v))
		if v > row[id] || v == row[id] && int32(i) < id {
			rank++
		}
	}
	bits := 0.0
	for _, v := range row {
		p := math.Exp(float64(v)) / sum
		bits -= p * math.Log2(p)
	}
	n := len(in.Prefix)
	input := sampling.Input{Logits: row, Prompt: all[:n], Output: all[n:at]}
	var a, b dist.Dist
	var scratch sampling.Scratch
	if err := in.Law.Pipeline.Distribution(&a, &scratch, input); err != nil {
		t.Fatal(err)
	}
	if err := in.Against.Pipeline.Distribution(&b, &scratch, input); err != nil {
		t.Fatal(err)
	}
	near := func(name string, got, want, within float64) {
		t.Helper()
		if math.IsInf(want, 1) != math.IsInf(got, 1) || !math.IsInf(want, 1) && math.Abs(got-want) > within {
			t.Errorf("token %d: %s %v, want %v", at, name, got, want)
		}
	}
	near("logprob", got.Logprob, float64(row[id])-math.Log(sum), 1e-5)
	near("entropy", got.Entropy, bits, 1e-5)
	near("final", got.Final, a.Prob(id), 1e-12)
	near("other", got.OtherFinal, b.Prob(id), 1e-12)
	near("tv", got.Step.TV, dist.TotalVariation(&a, &b), 1e-12)
	near("kl", got.Step.KLab, slowKL(&a, &b), 1e-9)
	near("lk", got.Step.KLba, slowKL(&b, &a), 1e-9)
	if got.ID != id || got.Rank != rank || got.Kept != slices.Contains(a.IDs, id) || got.Kept != (got.CutBy == "") || got.Step.SameTop != (a.IDs[0] == b.IDs[0]) {
		t.Errorf("token %d: %+v, want rank %d", at, got, rank)
	}
}

func slowKL(a, b *dist.Dist) (sum float64) {
	for i, id := range a.IDs {
		j := slices.Index(b.IDs, id)
		if j < 0 {
			return math.Inf(1)
		}
		sum += a.Probs[i] * math.Log2(a.Probs[i]/b.Probs[j])
	}
	return max(0, sum)
}

// One law under two seeds has no distance; what one cuts and the other allows
// is counted, not averaged.
func TestDistance(t *testing.T) {
	sum := func(in Input) (s Summary) {
		for _, tok := range read(t, in) {
			s.Add(tok, true)
		}
		return s
	}
	in := fableInput(t, tale, "temperature=0.7", "seed=1")
	in.Against = &Law{in.Law.Model, pipeline(t, in.Law.Model, "temperature=0.7", "seed=99")}
	s := sum(in)
	if d := s.Distance(); d != (Distance{SameTop: 1}) {
		t.Errorf("one law: %+v", d)
	}
	if w := s.Weights(); w != (Weights{SameTop: 1}) {
		t.Errorf("one model: %+v", w)
	}
	in.Against = &Law{in.Law.Model, pipeline(t, in.Law.Model, "top_k=3")}
	s = sum(in)
	if d := s.Distance(); d.ImpossibleAB != len(in.Text) || !math.IsNaN(d.KLab) || d.ImpossibleBA != 0 || d.SameTop != 1 || d.TV <= 0 {
		t.Errorf("top_k 3: %+v", d)
	}
	var empty Summary
	if d := empty.Distance(); !math.IsNaN(d.TV) || !math.IsNaN(empty.Perplexity()) || empty.Impossible != 0 {
		t.Errorf("nothing: %+v", d)
	}
}

// A text that the model wrote has, read again, the log probabilities of its run.
func TestScoreOfARunEqualsTheRun(t *testing.T) {
	m, err := fable.Open(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	ctx := t.Context()
	prompt, err := engine.Prompt(ctx, m, "Once upon a time")
	if err != nil {
		t.Fatal(err)
	}
	p := pipeline(t, m, "temperature=0.9", "top_p=0.95")
	s, err := m.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var text []int32
	var raw, final []float64
	var scratch sampling.Scratch
	feed := prompt
	for range 120 {
		rows, err := s.Forward(ctx, feed, 1)
		if err != nil {
			t.Fatal(err)
		}
		var trace sampling.Trace
		id, err := p.Sample(&trace, &scratch, sampling.Input{Logits: rows[0].Values, Prompt: prompt, Output: text})
		if err != nil {
			t.Fatal(err)
		}
		text, raw, final = append(text, id), append(raw, float64(trace.RawLogprob)), append(final, float64(trace.Prob))
		feed = []int32{id}
	}
	got := read(t, Input{Law: Law{m, p}, Prefix: prompt, Text: text, BOS: prompt[0]})
	for i, tok := range got {
		if math.Abs(tok.Logprob-raw[i]) > 2e-5 || math.Abs(tok.Final-final[i]) > 1e-5 || !tok.Kept {
			t.Fatalf("token %d: %+v, the run had %v and %v", i, tok, raw[i], final[i])
		}
	}
}

// A row that names its best tokens alone answers for those.
func TestPartialRow(t *testing.T) {
	row := models.Logits{IDs: []int32{7, 3}, Values: []float32{float32(math.Log(0.6)), float32(math.Log(0.3))}, Rest: 0.1}
	place, err := find(row, 3)
	if err != nil {
		t.Fatal(err)
	}
	logprob, rank, bits := raw(row, place, 3)
	want := -(0.6*math.Log2(0.6) + 0.3*math.Log2(0.3) + 0.1*math.Log2(0.1))
	if math.Abs(math.Exp(logprob)-0.3) > 1e-6 || rank != 2 || math.Abs(bits-want) > 1e-6 {
		t.Errorf("p %v, rank %d, %v bits, want 0.3, 2, %v", math.Exp(logprob), rank, bits, want)
	}
	if _, err := find(row, 5); err == nil {
		t.Error("a token that is not named has a place")
	}
	if _, err := find(models.Logits{Values: []float32{1}}, 5); err == nil {
		t.Error("a token beyond the row has a place")
	}
}
