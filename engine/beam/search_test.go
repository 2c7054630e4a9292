package beam

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"logitscope/engine/enginetest"
	"logitscope/models"
	"logitscope/models/table"
	"logitscope/sampling"
)

// Every text of the tiny models is looked at: the best are the golden ones,
// and no beam search finds a better one.
func TestExhaustive(t *testing.T) {
	g := readGolden(t)
	for _, c := range g.Exhaustive {
		m := g.model(t, c.Model)
		for _, by := range c.ByPenalty {
			p := enginetest.Compile(t, m, map[string]any{"length_penalty": by.Penalty, "max_new_tokens": c.MaxNew})
			got, err := Exhaustive(context.Background(), m, p, c.Prompt, len(by.Best), 200_000, c.Floor, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got.Texts != c.Sequences || math.Abs(got.Total-c.Total) > 1e-5 {
				t.Errorf("%s: %d texts of probability %v, want %d of %v", c.Model, got.Texts, got.Total, c.Sequences, c.Total)
			}
			for i, h := range got.Best {
				w := by.Best[i]
				if !near(h.Score, w.Score) || !near(h.Node.Sum, w.Sum) {
					t.Errorf("%s, penalty %v, text %d: %v %v, want %v %v", c.Model, by.Penalty, i, h.Tokens(), h.Score, w.Tokens, w.Score)
				}
			}
			for _, beams := range []int{2, 3, 5} {
				p := enginetest.Compile(t, m, map[string]any{"length_penalty": by.Penalty, "max_new_tokens": c.MaxNew, "num_beams": beams})
				v := finish(t, start(t, m, p, c.Prompt, Options{}))
				if v.Result()[0].Score > got.Best[0].Score+tol {
					t.Errorf("%s, penalty %v, %d beams: score %v beats the optimum %v", c.Model, by.Penalty, beams, v.Result()[0].Score, got.Best[0].Score)
				}
			}
		}
	}
	m := g.model(t, "markov2_a.json")
	_, err := Exhaustive(context.Background(), m, enginetest.Compile(t, m, map[string]any{"max_new_tokens": 8}), []int32{1}, 1, 100, 0, Options{})
	if !errors.Is(err, ErrTooMany) {
		t.Errorf("12^8 texts in 100 passes: %v, want ErrTooMany", err)
	}
}

// The greedy path that is followed beside the beams is the greedy text.
func TestGreedyPath(t *testing.T) {
	g := readGolden(t)
	for _, c := range g.Exhaustive {
		if c.Greedy.Tokens == nil {
			continue
		}
		m := g.model(t, c.Model)
		p := enginetest.Compile(t, m, map[string]any{"max_new_tokens": c.MaxNew, "num_beams": 3, "early_stopping": "never"})
		s := start(t, m, p, c.Prompt, Options{Greedy: true})
		v := finish(t, s)
		got := v.Last().Greedy
		n := min(len(c.Greedy.Tokens), got.Depth)
		if !slices.Equal(got.Tokens()[:n], c.Greedy.Tokens[:n]) {
			t.Errorf("%s: greedy %v, want %v", c.Model, got.Tokens(), c.Greedy.Tokens)
		}
		if n == len(c.Greedy.Tokens) && !near(got.Sum, c.Greedy.Sum) {
			t.Errorf("%s: greedy sum %v, want %v", c.Model, got.Sum, c.Greedy.Sum)
		}
	}
}

// Without batches and forks the same search is made.
func TestPlainSessions(t *testing.T) {
	g := readGolden(t)
	for _, c := range g.Cases[:20] {
		m := g.model(t, c.Model)
		p := enginetest.Compile(t, m, c.Settings)
		a := finish(t, start(t, m, p, c.Prompt, Options{}))
		b := finish(t, start(t, enginetest.NoBatch{Model: m}, p, c.Prompt, Options{}))
		if x, y := summary(a), summary(b); x != y {
			t.Errorf("%s: %s, without batches %s", c.Name, x, y)
		}
	}
}

func summary(v *View) string {
	return flatResults(v) + string(v.Reason)
}

// Looking, stepping back and going on gives the search of never having
// looked, and a fork goes its own way.
func TestRewind(t *testing.T) {
	g := readGolden(t)
	for i, c := range g.Cases {
		m := g.model(t, c.Model)
		p := enginetest.Compile(t, m, c.Settings)
		want := finish(t, start(t, m, p, c.Prompt, Options{}))
		s := start(t, m, p, c.Prompt, Options{})
		v := finish(t, s)
		n := len(v.Steps)
		s.Rewind(n * (i % 3) / 3)
		f, err := s.Fork()
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if x, y := summary(finish(t, s)), summary(want); x != y {
			t.Errorf("%s: after a rewind %s, want %s", c.Name, x, y)
		}
		s.Rewind(0)
		if x, y := summary(finish(t, f)), summary(want); x != y {
			t.Errorf("%s: fork %s, want %s", c.Name, x, y)
		}
		if x := summary(v); x != summary(want) {
			t.Errorf("%s: an old view changed to %s", c.Name, x)
		}
	}
}

// A new length penalty ranks what has finished again at once, as a search
// that had it from the start would; a new width chooses the last step again.
func TestRetune(t *testing.T) {
	g := readGolden(t)
	m := g.model(t, "markov2_c.json")
	base := map[string]any{"num_beams": 4, "num_return_sequences": 4, "max_new_tokens": 8, "early_stopping": "never", "length_penalty": 1.0}
	with := func(k string, x any) map[string]any {
		out := map[string]any{k: x}
		for key, v := range base {
			if key != k {
				out[key] = v
			}
		}
		return out
	}
	ctx := context.Background()
	for _, penalty := range []float64{-2, 0, 3} {
		s := start(t, m, enginetest.Compile(t, m, base), []int32{1, 5}, Options{})
		before := finish(t, s)
		v, err := s.Retune(ctx, enginetest.Compile(t, m, with("length_penalty", penalty)))
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range v.Finished() {
			if w := h.Node.Sum / math.Pow(float64(h.Length), penalty); !near(h.Score, w) {
				t.Errorf("penalty %v: score %v of %v, want %v", penalty, h.Score, h.Tokens(), w)
			}
		}
		if back, err := s.Retune(ctx, enginetest.Compile(t, m, base)); err != nil || summary(back) != summary(before) {
			t.Errorf("penalty %v and back: %s, %v; want %s", penalty, summary(back), err, summary(before))
		}
	}
	s := start(t, m, enginetest.Compile(t, m, base), []int32{1, 5}, Options{})
	for i := 0; i < 2; i++ {
		if _, err := s.Step(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for _, beams := range []int{2, 6, 4} {
		v, err := s.Retune(ctx, enginetest.Compile(t, m, with("num_beams", beams)))
		if beams < 4 {
			if err == nil || !strings.HasPrefix(err.Error(), "num_return_sequences: ") {
				t.Errorf("4 texts of %d beams: %v, want an error", beams, err)
			}
			continue
		}
		if err != nil || len(v.Running()) != beams || len(v.Steps) != 2 {
			t.Errorf("%d beams: %d running after %d steps, %v", beams, len(v.Running()), len(v.Steps), err)
		}
	}
	finish(t, s)
	v, err := s.Retune(ctx, enginetest.Compile(t, m, with("beam_rule", "legacy")))
	want := finish(t, start(t, m, enginetest.Compile(t, m, with("beam_rule", "legacy")), []int32{1, 5}, Options{}))
	if err != nil || v.Restarts != 1 || summary(v) != summary(want) {
		t.Errorf("another rule: %s after %d restarts, %v; want %s", summary(v), v.Restarts, err, summary(want))
	}
}

// Beam sampling has its exact law: the share of each best text in many
// searches passes a chi-square test.
func TestBeamSample(t *testing.T) {
	g := readGolden(t)
	n := 8000
	if testing.Short() {
		n = 2000
	}
	for i, c := range g.BeamSample.Cases {
		for rule, law := range map[Rule][]struct {
			Tokens []int32
			P      float64
		}{Legacy: c.Scorer, Vectorised: c.Vectorized} {
			if law == nil {
				continue
			}
			m := g.model(t, c.Model)
			counts := map[string]int{}
			settings := map[string]any{
				"num_beams": c.Beams, "max_new_tokens": c.MaxNew, "temperature": c.Temperature, "top_k": c.TopK,
				"length_penalty": c.Penalty, "early_stopping": c.Early, "do_sample": true, "beam_rule": string(rule),
			}
			for seed := 0; seed < n; seed++ {
				settings["seed"] = uint64(seed)
				s, err := New(m, enginetest.Compile(t, m, settings), c.Prompt, Options{})
				if err != nil {
					t.Fatal(err)
				}
				v := finish(t, s)
				s.Close()
				counts[fmt.Sprint(v.Result()[0].Tokens())]++
			}
			var stat, pooled, seen float64
			cells := 0
			for _, o := range law {
				e, x := o.P*float64(n), float64(counts[fmt.Sprint(o.Tokens)])
				delete(counts, fmt.Sprint(o.Tokens))
				if e < 5 {
					pooled, seen = pooled+e, seen+x
					continue
				}
				stat += (x - e) * (x - e) / e
				cells++
			}
			if pooled >= 1 {
				stat += (seen - pooled) * (seen - pooled) / pooled
				cells++
			}
			// Wilson-Hilferty: the cube root is nearly normal; 4 sigma.
			df := float64(cells - 1)
			z := (math.Cbrt(stat/df) - (1 - 2/(9*df))) / math.Sqrt(2/(9*df))
			if z > 4 || len(counts) > 0 {
				t.Errorf("case %d, %s: chi-square %.1f of %d cells (z %.1f), impossible texts %v", i, rule, stat, cells, z, counts)
			}
		}
	}
}

// A mask reaches every beam with its own prefix.
func TestMask(t *testing.T) {
	g := readGolden(t)
	m := g.model(t, "markov2_b.json")
	// Tokens go up by at most three, and only 11 may be followed by the end.
	mask := func(out []int32) ([]uint64, bool, error) {
		last := int32(2)
		if len(out) > 0 {
			last = out[len(out)-1]
		}
		var bits uint64
		for id := last + 1; id <= min(last+3, 11); id++ {
			bits |= 1 << id
		}
		if last == 11 {
			bits = 1 << 2
		}
		return []uint64{bits}, last == 11, nil
	}
	for _, rule := range []string{"vectorized", "legacy"} {
		p := enginetest.Compile(t, m, map[string]any{"num_beams": 4, "num_return_sequences": 4, "max_new_tokens": 12, "beam_rule": rule})
		v := finish(t, start(t, m, p, []int32{1}, Options{Mask: mask}))
		for _, h := range v.Result() {
			tokens := h.Tokens()
			for i, x := range tokens {
				prev := int32(2)
				if i > 0 {
					prev = tokens[i-1]
				}
				if ok := x > prev && x <= prev+3 || prev == 11 && x == 2; !ok {
					t.Errorf("%s: %v breaks the mask at %d", rule, tokens, i)
				}
			}
			if !h.Finished {
				t.Errorf("%s: %v did not finish", rule, tokens)
			}
		}
	}
	fail := errors.New("no such rule")
	s := start(t, m, enginetest.Compile(t, m, map[string]any{"num_beams": 2}), []int32{1}, Options{Mask: func([]int32) ([]uint64, bool, error) { return nil, false, fail }})
	if _, err := s.Step(context.Background()); !errors.Is(err, fail) {
		t.Errorf("mask that fails: %v, want its error", err)
	}
}

// Settings that make no sense get one line that names the key.
func TestBadSettings(t *testing.T) {
	g := readGolden(t)
	m := g.model(t, "tiny6.json")
	for _, c := range []struct {
		set  map[string]any
		want string
	}{
		{map[string]any{"num_beams": 4, "num_beam_groups": 3}, "num_beam_groups: 3 is out of range, a divisor of num_beams 4"},
		{map[string]any{"num_beams": 2, "num_return_sequences": 3}, "num_return_sequences: 3 is out of range, 1 to num_beams 2"},
		{map[string]any{"num_beams": 4, "diversity_penalty": 1.0}, "diversity_penalty: needs num_beam_groups of 2 or more; 0 is off"},
		{map[string]any{"num_beams": 4, "num_beam_groups": 2, "do_sample": true}, "do_sample: true is not possible with num_beam_groups of 2 or more"},
	} {
		_, err := New(m, enginetest.Compile(t, m, c.set), []int32{1}, Options{})
		if err == nil || err.Error() != c.want {
			t.Errorf("%v: %v, want %s", c.set, err, c.want)
		}
	}
	if _, err := New(m, enginetest.Compile(t, m, nil), nil, Options{}); err == nil {
		t.Error("no prompt: no error")
	}
}

// What ends a search is said.
func TestReasons(t *testing.T) {
	g := readGolden(t)
	m := g.model(t, "markov2_c.json")
	for _, c := range []struct {
		set  map[string]any
		want Reason
	}{
		{map[string]any{"num_beams": 2, "max_new_tokens": 3, "early_stopping": "never", "length_penalty": 2.0}, Length},
		{map[string]any{"num_beams": 3, "max_new_tokens": 64, "early_stopping": "true"}, Enough},
		{map[string]any{"num_beams": 3, "max_new_tokens": 64, "length_penalty": 0.0}, Unbeaten},
		{map[string]any{"num_beams": 3, "max_new_tokens": 64, "beam_rule": "legacy", "early_stopping": "true"}, Enough},
		{map[string]any{"num_beams": 3, "max_new_tokens": 64, "beam_rule": "legacy", "length_penalty": 0.0}, Unbeaten},
	} {
		v := finish(t, start(t, m, enginetest.Compile(t, m, c.set), []int32{1, 4}, Options{}))
		if v.Reason != c.want {
			t.Errorf("%v: %s after %d steps, want %s", c.set, v.Reason, len(v.Steps), c.want)
		}
		if v.Reason.Explain(&v.Settings) == "searching" {
			t.Errorf("%s is not explained", v.Reason)
		}
	}
}

// A step that is interrupted changes nothing.
func TestInterrupted(t *testing.T) {
	g := readGolden(t)
	c := g.Cases[len(g.Cases)-1]
	m := g.model(t, c.Model)
	p := enginetest.Compile(t, m, c.Settings)
	want := finish(t, start(t, m, p, c.Prompt, Options{}))
	s := start(t, m, p, c.Prompt, Options{})
	done, cancel := context.WithCancel(context.Background())
	cancel()
	for v := s.View(); !v.Done(); v = s.View() {
		if _, err := s.Step(done); !errors.Is(err, context.Canceled) {
			t.Fatalf("cancelled step: %v", err)
		}
		if _, err := s.Step(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if x, y := summary(s.View()), summary(want); x != y {
		t.Errorf("%s, want %s", x, y)
	}
}

// The tree holds every running and finished path once, and the winner can be
// found in it.
func TestTree(t *testing.T) {
	g := readGolden(t)
	for _, c := range g.Cases {
		m := g.model(t, c.Model)
		v := finish(t, start(t, m, enginetest.Compile(t, m, c.Settings), c.Prompt, Options{Greedy: true}))
		tree := v.Tree()
		winning := 0
		for i, n := range tree.Nodes {
			if n.Winning {
				winning++
			}
			if n.Parent >= 0 && !slices.Contains(tree.Nodes[n.Parent].Children, i) {
				t.Fatalf("%s: node %d is no child of its parent", c.Name, i)
			}
			if n.Parent >= 0 && tree.Nodes[n.Parent].Node != n.Node.Parent {
				t.Fatalf("%s: node %d hangs below the wrong parent", c.Name, i)
			}
		}
		if want := v.Result()[0].Node.Depth; winning != want {
			t.Errorf("%s: %d nodes on the winning path, want %d", c.Name, winning, want)
		}
	}
}

// deadEnds lets 3 or 4 begin a text; nothing follows 3, and 5 follows 4 twice.
func deadEnds(out []int32) ([]uint64, bool, error) {
	switch {
	case len(out) == 0:
		return []uint64{1<<3 | 1<<4}, false, nil
	case out[0] == 3 || len(out) == 3:
		return []uint64{0}, false, nil
	}
	return []uint64{1 << 5}, false, nil
}

// A beam that nothing may follow ends and the others go on. When none is left
// and none has finished, that is an error and the search stays where it was.
func TestDeadEnd(t *testing.T) {
	g := readGolden(t)
	m := g.model(t, "markov2_b.json")
	for _, rule := range []map[string]any{
		{"beam_rule": "vectorized", "max_new_tokens": 9},
		{"beam_rule": "legacy", "max_new_tokens": 9},
		{"order": "vllm", "max_new_tokens": 4}, // the step that fails is the last of all
	} {
		rule["num_beams"] = 2
		s := start(t, m, enginetest.Compile(t, m, rule), []int32{1}, Options{Mask: deadEnds})
		var err error
		for err == nil && !s.View().Done() {
			_, err = s.Step(t.Context())
		}
		v := s.View()
		if !errors.Is(err, sampling.ErrNothingAllowed) || v.Done() || len(v.Steps) != 3 || len(v.Steps[1].Groups[0].Running) != 1 {
			t.Errorf("%v: %v, %q after %d steps", rule, err, v.Reason, len(v.Steps))
		}
		if got := v.Result()[0].Tokens(); !slices.Equal(got, []int32{4, 5, 5}) {
			t.Errorf("%v: %v is what there was", rule, got)
		}
	}
}

// Texts that have finished are the result when no beam is left: by an end
// token, or because they are whole and the end token is forbidden.
func TestDeadEndBehindFinished(t *testing.T) {
	g := readGolden(t)
	m := g.model(t, "markov2_b.json")
	whole := func(out []int32) bool { return len(out) == 3 }
	s := start(t, m, enginetest.Compile(t, m, map[string]any{"num_beams": 2, "max_new_tokens": 9}), []int32{1}, Options{Mask: deadEnds, Whole: whole})
	v := finish(t, s)
	h := v.Result()[0]
	if v.Reason != Exhausted || len(v.Result()) != 1 || !slices.Equal(h.Tokens(), []int32{4, 5, 5}) || !h.Finished || h.Length != 3 {
		t.Errorf("%s: %+v, want 4 5 5", v.Reason, v.Result())
	}
	if v = s.Rewind(3); v.Done() {
		t.Errorf("before the last step: %s", v.Reason)
	}
	threeOrEnd := func(out []int32) ([]uint64, bool, error) {
		if len(out) == 0 {
			return []uint64{1 << 3}, true, nil
		}
		return []uint64{0}, false, nil
	}
	v = finish(t, start(t, m, enginetest.Compile(t, m, map[string]any{"num_beams": 2, "max_new_tokens": 9}), []int32{1}, Options{Mask: threeOrEnd}))
	if h := v.Result()[0]; v.Reason != Exhausted || len(v.Result()) != 1 || !slices.Equal(h.Tokens(), m.Vocab().EOG()) {
		t.Errorf("%s: %+v, want the end token", v.Reason, v.Result())
	}
}

// Settings that leave nothing to choose at the last step take it back; the
// step that is tried next says why, and other settings go on.
func TestRetuneToADeadEnd(t *testing.T) {
	m, err := table.Parse("two", strings.NewReader(`{"kind":"markov1","vocab":["s","a","b"],"bos_id":0,"logits":[[-9,2,1],[-9,2,1],[-9,2,1]]}`))
	if err != nil {
		t.Fatal(err)
	}
	free, none := map[string]any{"num_beams": 2, "max_new_tokens": 4}, map[string]any{"num_beams": 2, "max_new_tokens": 4, "suppress_tokens": []int32{0, 1, 2}}
	s := start(t, m, enginetest.Compile(t, m, free), []int32{0}, Options{})
	for range 2 {
		if _, err := s.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if v, err := s.Retune(t.Context(), enginetest.Compile(t, m, none)); err != nil || len(v.Steps) != 1 {
		t.Fatalf("%v: %d steps, want 1", err, len(v.Steps))
	}
	if _, err := s.Step(t.Context()); err == nil || !strings.Contains(err.Error(), "suppress_tokens leaves no token to choose") {
		t.Errorf("%v", err)
	}
	if _, err := s.Retune(t.Context(), enginetest.Compile(t, m, free)); err != nil {
		t.Fatal(err)
	}
	if v := finish(t, s); len(v.Steps) != 4 {
		t.Errorf("%d steps, want 4", len(v.Steps))
	}
}

// The diversity penalty counts how often earlier groups chose a token at this
// step: twice if two of their beams did.
func TestDiversityCounts(t *testing.T) {
	m, err := table.Parse("two", strings.NewReader(`{"kind":"markov1","vocab":["s","a","b","c","d"],"bos_id":0,
		"logits":[[-9,2,2,-9,-9],[-9,-9,-9,5,1],[-9,-9,-9,5,1],[0,0,0,0,0],[0,0,0,0,0]]}`))
	if err != nil {
		t.Fatal(err)
	}
	p := enginetest.Compile(t, m, map[string]any{"num_beams": 4, "num_beam_groups": 2, "diversity_penalty": 0.5, "max_new_tokens": 2})
	v := finish(t, start(t, m, p, []int32{0}, Options{}))
	first, second := v.Steps[1].Groups[0], v.Steps[1].Groups[1]
	for _, n := range first.Running {
		if n.Token != 3 {
			t.Fatalf("the first group chose %d, want 3 twice", n.Token)
		}
	}
	for _, c := range second.Candidates {
		if c.Node.Token == 3 && !near(c.Node.Logprob, first.Running[0].Logprob-2*0.5) {
			t.Errorf("token 3 adds %v in the second group, %v in the first, want 1 less", c.Node.Logprob, first.Running[0].Logprob)
		}
	}
}

// Finding the best continuations without scoring all gives what scoring all
// gives, with and without processors and a mask, ties included.
func TestQuick(t *testing.T) {
	g := readGolden(t)
	ties, err := table.Parse("ties", strings.NewReader(`{"kind":"markov1","vocab":["s","a","b","c","d","e"],"bos_id":0,"eos_id":5,
		"logits":[[0,1,1,1,1,0],[0,1,1,1,1,0],[0,1,1,1,1,1],[0,1,1,1,1,0],[0,1,1,1,1,0],[0,0,0,0,0,0]]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"markov2_a.json", "markov2_b.json", "markov2_c.json", ""} {
		m := models.Model(ties)
		if name != "" {
			m = g.model(t, name)
		}
		for _, more := range []map[string]any{{}, {"repetition_penalty": 1.4}, {"order": "vllm"}, {"no_repeat_ngram_size": 2, "beam_rule": "legacy"}} {
			for _, beams := range []int{1, 2, 5} {
				set := map[string]any{"num_beams": beams, "num_return_sequences": beams, "max_new_tokens": 9, "early_stopping": "never"}
				for k, v := range more {
					set[k] = v
				}
				p := enginetest.Compile(t, m, set)
				quick := start(t, m, p, []int32{1}, Options{})
				slow := start(t, m, p, []int32{1}, Options{})
				slow.scorer.slow = true
				a, b := finish(t, quick), finish(t, slow)
				for i := range min(len(a.Steps), len(b.Steps)) {
					x, y := a.Steps[i].flat(), b.Steps[i].flat()
					if more["repetition_penalty"] == nil && x != y {
						t.Fatalf("%q %v, step %d: quick %s, slow %s", name, set, i, x, y)
					}
				}
				if len(a.Steps) != len(b.Steps) || len(a.Result()) != len(b.Result()) {
					t.Fatalf("%q %v: %d steps, slow %d", name, set, len(a.Steps), len(b.Steps))
				}
				for i, h := range a.Result() {
					if w := b.Result()[i]; !slices.Equal(h.Tokens(), w.Tokens()) || !near(h.Score, w.Score) {
						t.Errorf("%q %v, text %d: quick %v %v, slow %v %v", name, set, i, h.Tokens(), h.Score, w.Tokens(), w.Score)
					}
				}
			}
		}
	}
}

// Switched on late, the greedy text is caught up with; switched off, it costs
// no row.
func TestFollowGreedy(t *testing.T) {
	g := readGolden(t)
	for _, c := range g.Cases {
		m := g.model(t, c.Model)
		p := enginetest.Compile(t, m, c.Settings)
		want := finish(t, start(t, m, p, c.Prompt, Options{Greedy: true}))
		s := start(t, m, p, c.Prompt, Options{})
		v := s.View()
		for !v.Done() {
			n := len(v.Steps)
			s.followGreedy(n%3 == 2 || n == len(want.Steps)-1)
			var err error
			if v, err = s.Step(context.Background()); err != nil {
				t.Fatal(err)
			}
			last := v.Last()
			if n := len(v.Running()); n > 0 && last.Rows > c.beams()+1 {
				t.Fatalf("%s: %d rows for %d beams", c.Name, last.Rows, n)
			}
			if last.Greedy != nil && !slices.Equal(last.Greedy.Tokens(), want.Steps[last.Index].Greedy.Tokens()) {
				t.Fatalf("%s, step %d: greedy %v, want %v", c.Name, last.Index, last.Greedy.Tokens(), want.Steps[last.Index].Greedy.Tokens())
			}
		}
		if summary(v) != summary(want) {
			t.Errorf("%s: %s, want %s", c.Name, summary(v), summary(want))
		}
		f := start(t, m, p, c.Prompt, Options{})
		finish(t, f)
		f.Rewind(max(1, len(want.Steps)-2))
		for range 2 { // the second time it is there already
			at, err := f.greedy(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if last := at.Last(); !slices.Equal(last.Greedy.Tokens(), want.Steps[last.Index].Greedy.Tokens()) {
				t.Fatalf("%s: greedy %v on demand, want %v", c.Name, last.Greedy.Tokens(), want.Steps[last.Index].Greedy.Tokens())
			}
		}
		if x := finish(t, f); summary(x) != summary(want) {
			t.Errorf("%s: after looking at the greedy text %s, want %s", c.Name, summary(x), summary(want))
		}
		if v, err := s.Retune(context.Background(), p); err != nil || summary(v) != summary(want) {
			t.Errorf("%s: the same settings again give %s, %v; want %s", c.Name, summary(v), err, summary(want))
		}
	}
}

func (c *goldenCase) beams() int { return int(c.Settings["num_beams"].(float64)) }

// With next to no memory for rows, rewinds, forks and changed settings give
// the same searches.
func TestRowBudget(t *testing.T) {
	g := readGolden(t)
	ctx := context.Background()
	for _, c := range g.Cases {
		m := g.model(t, c.Model)
		p := enginetest.Compile(t, m, c.Settings)
		want := finish(t, start(t, m, p, c.Prompt, Options{}))
		s := start(t, m, p, c.Prompt, Options{RowBudget: 1})
		f := s
		for i := 0; !s.View().Done(); i++ {
			if _, err := s.Step(ctx); err != nil {
				t.Fatal(err)
			}
			if i == 2 {
				var err error
				if f, err = s.Fork(); err != nil {
					t.Fatal(err)
				}
				defer f.Close()
			}
			if v, err := s.Retune(ctx, p); err != nil || v.Restarts != 0 {
				t.Fatalf("%s: the same settings again: %v, %d restarts", c.Name, err, v.Restarts)
			}
		}
		if _, err := f.Retune(ctx, p); err != nil {
			t.Fatal(err)
		}
		for _, x := range []*View{s.View(), finish(t, f)} {
			if summary(x) != summary(want) {
				t.Errorf("%s: %s, want %s", c.Name, summary(x), summary(want))
			}
		}
		s.Rewind(len(want.Steps) / 2)
		if _, err := s.Retune(ctx, p); err != nil {
			t.Fatal(err)
		}
		if v := finish(t, s); summary(v) != summary(want) {
			t.Errorf("%s: after a rewind %s, want %s", c.Name, summary(v), summary(want))
		}
	}
}

// A text that ends at a stop string finishes as if by an end token.
func TestStop(t *testing.T) {
	g := readGolden(t)
	m := g.model(t, "markov2_b.json")
	stop := func(out []int32) bool {
		n := len(out)
		return n >= 2 && out[n-1] == 5
	}
	for _, rule := range []string{"vectorized", "legacy"} {
		p := enginetest.Compile(t, m, map[string]any{"num_beams": 3, "num_return_sequences": 3, "max_new_tokens": 12, "beam_rule": rule})
		v := finish(t, start(t, m, p, []int32{1}, Options{Stop: stop}))
		stopped := 0
		for _, h := range v.Result() {
			tokens := h.Tokens()
			for i := range tokens[:len(tokens)-1] {
				if stop(tokens[:i+1]) {
					t.Errorf("%s: %v goes on after a stop string", rule, tokens)
				}
			}
			if stop(tokens) {
				stopped++
				if !h.Finished {
					t.Errorf("%s: %v is not finished", rule, tokens)
				}
			}
		}
		if stopped == 0 {
			t.Errorf("%s: no text stopped", rule)
		}
	}
}

// partial shows only the best few logits of a model, as servers do.
type partial struct {
	models.Model
	n int
}

func (m partial) Info() models.Info {
	i := m.Model.Info()
	i.Caps.TopN = m.n
	return i
}

func (m partial) NewSession() (models.Session, error) {
	s, err := m.Model.NewSession()
	return partialSession{s, m.n}, err
}

type partialSession struct {
	models.Session
	n int
}

func (s partialSession) Forward(ctx context.Context, tokens []int32, want int) ([]models.Logits, error) {
	rows, err := s.Session.Forward(ctx, tokens, want)
	out := make([]models.Logits, len(rows))
	for i, r := range rows {
		ids := make([]int32, len(r.Values))
		total := 0.0
		for j := range ids {
			ids[j] = int32(j)
			total += math.Exp(float64(r.Values[j]))
		}
		slices.SortFunc(ids, func(a, b int32) int { return descending(float64(r.Values[a]), float64(r.Values[b])) })
		ids = ids[:s.n]
		kept := 0.0
		for _, id := range ids {
			out[i].Values = append(out[i].Values, r.Values[id])
			kept += math.Exp(float64(r.Values[id]))
		}
		out[i].IDs, out[i].Rest = ids, float32(1-kept/total)
	}
	return out, err
}

// A server's few best logits give the same search as the whole rows, as long
// as the candidates are among them.
func TestPartialRows(t *testing.T) {
	g := readGolden(t)
	for _, name := range []string{"markov2_a.json", "markov2_c.json"} {
		for _, penalty := range []float64{1, 1.2} {
			m := g.model(t, name)
			p := enginetest.Compile(t, m, map[string]any{"num_beams": 3, "num_return_sequences": 3, "max_new_tokens": 7, "repetition_penalty": penalty})
			a := finish(t, start(t, m, p, []int32{1, 4}, Options{}))
			b := finish(t, start(t, partial{m, 10}, p, []int32{1, 4}, Options{}))
			for i, h := range a.Result() {
				if w := b.Result()[i]; !slices.Equal(h.Tokens(), w.Tokens()) || !near(h.Score, w.Score) {
					t.Errorf("%s, text %d: %v %v of partial rows, want %v %v", name, i, w.Tokens(), w.Score, h.Tokens(), h.Score)
				}
			}
		}
	}
}
