package engine

import (
	"context"
	"math"
	"slices"
	"testing"
	"testing/synctest"

	"logitscope/engine/beam"
	"logitscope/engine/enginetest"
	"logitscope/models/table"
)

// other returns a draft for m that often disagrees with it.
func other(t testing.TB, m *table.Model) *table.Model {
	return seeded(t, m.Info().ContextLen, never, 3)
}

func TestGreedyIsTheSameWithADraft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toy(t, 2000, never)
		greedy := []any{"do_sample", false, "max_new_tokens", 200, "repetition_penalty", 1.1, "num_assistant_tokens", 4}
		start := Start{Prompt: []int32{1, 2, 3}, Settings: settings(t, m, greedy...)}
		plain := begin(t, NewLane(0, m, Options{}))(start, Advance{-1})
		for _, d := range []Draft{{Model: other(t, m)}, {NGram: true}} {
			v := begin(t, NewLane(1, m, Options{Draft: d}))(start, Advance{-1})
			if v.Err != nil || !slices.Equal(written(v), written(plain)) {
				t.Errorf("draft %+v: %v\n%v\nplain\n%v", d, v.Err, written(v), written(plain))
			}
			if v.Draft == nil || v.Steps[len(v.Steps)-1].Round == nil {
				t.Error("no rounds in the view")
			}
		}
	})
}

// Stepping, looking, rewinding into the middle of a round and going on must
// give the text of one go.
func TestRoundsReplay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toy(t, 2000, never)
		opt := Options{Draft: Draft{Model: other(t, m)}}
		start := Start{Prompt: []int32{1, 2, 3}, Settings: settings(t, m, "temperature", 1.0, "max_new_tokens", 80, "num_assistant_tokens", 4, "seed", 5)}
		one := begin(t, NewLane(0, m, opt))(start, Advance{-1})
		do := begin(t, NewLane(1, m, opt))
		v := do(start)
		for len(v.Steps) < 20 {
			v = do(Advance{1})
		}
		v = do(Rewind{len(v.Steps) - 2})
		v = do(Rewind{7})
		v = do(Advance{3})
		v = do(Advance{-1})
		if !slices.Equal(written(v), written(one)) {
			t.Errorf("in one go:    %v\nwith detours: %v", written(one), written(v))
		}
		for i, s := range v.Steps {
			if s.Trace.Token != s.Token || s.Row == nil {
				t.Fatalf("step %d: token %d, trace of %d", i+1, s.Token, s.Trace.Token)
			}
		}
	})
}

func TestForceInARound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toy(t, 2000, never)
		do := begin(t, NewLane(0, m, Options{Draft: Draft{Model: other(t, m)}}))
		do(Start{Prompt: []int32{1}, Settings: settings(t, m, "max_new_tokens", 50, "num_assistant_tokens", 3)})
		do(Advance{2})
		v := do(Force{7})
		at := len(v.Steps) - 1
		if v = do(Advance{-1}); v.Err != nil || v.Steps[at].Token != 7 || !v.Steps[at].Forced || len(v.Steps) != 50 {
			t.Errorf("%v, %d steps: %v", v.Err, len(v.Steps), written(v))
		}
	})
}

func TestBeamLane(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toy(t, 500, -1)
		s := settings(t, m, "do_sample", false, "num_beams", 4, "num_return_sequences", 2, "max_new_tokens", 8)
		ref, err := beam.New(m, s.Pipeline, []int32{1, 2}, beam.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer ref.Close()
		for !ref.View().Done() {
			if _, err := ref.Step(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		want := ref.View().Result()
		do := begin(t, NewLane(0, m, Options{}))
		v := do(Start{Prompt: []int32{1, 2}, Settings: s})
		if v.Phase != Paused || v.Beam == nil {
			t.Fatalf("%v: %v", v.Phase, v.Err)
		}
		do(Advance{3})
		do(Rewind{1})
		v = do(Advance{-1})
		got := v.Beam.Result()
		if v.Phase != Done || len(got) != 2 || !slices.Equal(got[0].Tokens(), want[0].Tokens()) || got[1].Score != want[1].Score {
			t.Errorf("%v: %v, want %v", v.Phase, got, want)
		}
		if v.Text() == "" {
			t.Error("the winning text is not shown")
		}
		// A change of settings ranks again.
		v = do(Tune{settings(t, m, "do_sample", false, "num_beams", 4, "length_penalty", -2.0, "max_new_tokens", 8)})
		if v.Err != nil || v.Beam == nil {
			t.Errorf("after a change: %v", v.Err)
		}
		// One beam is no search any more. What the search was told last, to go on
		// to its end, would hold for the text that begins here.
		v = do(Advance{0}, Tune{settings(t, m)}, Advance{3})
		if v.Beam != nil || len(v.Steps) != 3 {
			t.Errorf("after num_beams 1: %d steps, beam view %v", len(v.Steps), v.Beam != nil)
		}
	})
}

// Where no beam can go on the lane fails as it does without beams, with the
// text it has; a text that is whole ends there although it may not be ended.
func TestBeamsThatCannotGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toy(t, 500, never)
		for _, tt := range []struct {
			set          []any
			text, failed string
		}{
			{[]any{"constraint", `{"type":"regex","regex":"ab"}`, "bad_words", []string{"a"}}, "", "step 1: no beam can go on: bad_words leaves no token to choose"},
			{[]any{"constraint", `{"type":"regex","regex":"abac"}`, "no_repeat_ngram_size", 1}, "ab", "step 3: no beam can go on: no_repeat_ngram 1 leaves no token to choose"},
			{[]any{"constraint", `{"type":"regex","regex":"abc"}`, "min_new_tokens", 9}, "abc", ""},
		} {
			do := begin(t, NewLane(0, m, Options{}))
			v := do(Start{Prompt: []int32{7}, Settings: settings(t, m, append(tt.set, "do_sample", false, "num_beams", 3)...)}, Advance{-1})
			switch {
			case v.Text() != tt.text:
				t.Errorf("%v: %q, want %q", tt.set, v.Text(), tt.text)
			case tt.failed == "" && (v.Err != nil || v.Reason != Constraint), tt.failed != "" && (v.Err == nil || v.Err.Error() != tt.failed):
				t.Errorf("%v: %v, %q, want %q", tt.set, v.Err, v.Reason, tt.failed)
			}
			if v = do(Rewind{0}); v.Err != nil || v.Phase != Paused {
				t.Errorf("%v: taken back: %v, %v", tt.set, v.Phase, v.Err)
			}
		}
	})
}

// A contrastive search whose text is whole ends there as well, and can be taken
// back from it.
func TestContrastiveBehindAWholeText(t *testing.T) {
	m := fableModel(t)
	synctest.Test(t, func(t *testing.T) {
		s := settings(t, m, "constraint", `{"type":"choice","choices":["yes","no"]}`, "penalty_alpha", 0.6, "top_k", 4, "min_new_tokens", 12)
		do := begin(t, NewLane(0, m, Options{}))
		v := do(Start{Prompt: []int32{300, 301}, Settings: s}, Advance{-1})
		text := v.Text()
		if v.Err != nil || v.Reason != Constraint || text != "yes" && text != "no" {
			t.Fatalf("%q ended by %q: %v", text, v.Reason, v.Err)
		}
		if v = do(Rewind{0}); v.Phase == Done {
			t.Errorf("taken back: %v", v.Reason)
		}
		if v = do(Advance{-1}); v.Reason != Constraint || v.Text() != text {
			t.Errorf("again: %q ended by %q: %v", v.Text(), v.Reason, v.Err)
		}
	})
}

func TestBadStrategySettings(t *testing.T) {
	m := toy(t, 500, -1)
	for _, set := range [][]any{
		{"num_beams", 4, "num_beam_groups", 3},
		{"num_beams", 2, "num_return_sequences", 3},
	} {
		if _, err := NewCompiler(m).Settings(enginetest.Config(t, set...), ""); err == nil {
			t.Errorf("%v was accepted", set)
		}
	}
	if _, err := enginetest.Config(t).With("num_beams", 0, 0); err == nil {
		if enginetest.Config(t).MustWith("num_beams", 0, 0).Validate() == nil {
			t.Error("num_beams 0 was accepted")
		}
	}
}

func TestConstraintEndsTheText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toy(t, 500, never)
		for _, extra := range [][]any{{}, {"order", "llama.cpp"}} {
			s := settings(t, m, append(extra, "constraint", `{"type":"regex","regex":"(a|b){3}the "}`, "temperature", 1.5)...)
			do := begin(t, NewLane(0, m, Options{}))
			v := do(Start{Prompt: []int32{1}, Settings: s}, Advance{2})
			text := v.Text()
			do(Rewind{1})
			v = do(Advance{-1})
			if v.Reason != Constraint || len(v.Text()) != 7 || v.Text()[:2] != text || v.Text()[3:] != "the " {
				t.Errorf("%v: %q ended by %q: %v", extra, v.Text(), v.Reason, v.Err)
			}
			if c := v.Steps[0].Constraint; c == nil || c.Allowed != 2 || c.Mass <= 0 || c.Mass >= 1 {
				t.Errorf("first step: %+v", c)
			}
		}
	})
}

func TestDraftUnderAConstraint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toy(t, 500, never)
		s := settings(t, m, "constraint", `{"type":"regex","regex":"(a|b){12}the "}`, "num_assistant_tokens", 4, "temperature", 1.0)
		v := begin(t, NewLane(0, m, Options{Draft: Draft{Model: other(t, m)}}))(Start{Prompt: []int32{1}, Settings: s}, Advance{-1})
		if v.Reason != Constraint || len(v.Text()) != 16 {
			t.Errorf("%q ended by %q: %v", v.Text(), v.Reason, v.Err)
		}
	})
}

// A text that is whole before min_new_tokens ends there, with a draft as
// without: where its own processors leave nothing, the draft stops proposing.
func TestDraftBehindAWholeText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toy(t, 500, never)
		s := settings(t, m, "constraint", `{"type":"regex","regex":"(a|b){3}"}`, "min_new_tokens", 6, "num_assistant_tokens", 4, "do_sample", false)
		for _, d := range []Draft{{}, {Model: other(t, m)}, {Model: m}, {NGram: true}} {
			v := begin(t, NewLane(0, m, Options{Draft: d}))(Start{Prompt: []int32{1}, Settings: s}, Advance{-1})
			if v.Reason != Constraint || len(v.Text()) != 3 || len(v.Steps) != 3 {
				t.Errorf("draft %+v: %q ended by %q: %v", d, v.Text(), v.Reason, v.Err)
			}
		}
	})
}

// Near the limit the mask closes what is open, so the text is whole.
func TestConstraintFitsTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toy(t, 500, never)
		for limit := 2; limit < 12; limit++ {
			s := settings(t, m, "constraint", `{"type":"regex","regex":"a(b|x)*c"}`, "max_new_tokens", limit, "temperature", 2.0, "seed", limit)
			v := begin(t, NewLane(0, m, Options{}))(Start{Prompt: []int32{1}, Settings: s}, Advance{-1})
			if n := len(v.Text()); v.Text()[n-1] != 'c' || n > limit {
				t.Errorf("limit %d: %q ended by %q", limit, v.Text(), v.Reason)
			}
		}
	})
}

// What a constraint cost a text is what its steps say; without one nothing.
func TestSpend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toy(t, 500, never)
		s := settings(t, m, "constraint", `{"type":"regex","regex":"(a|b){3}the "}`, "temperature", 1.5)
		v := begin(t, NewLane(0, m, Options{}))(Start{Prompt: []int32{1}, Settings: s}, Advance{-1})
		want := Spending{Tokens: len(v.Steps), Bits: float64(v.Steps[len(v.Steps)-1].Constraint.TotalBits), Least: 1}
		for _, x := range v.Steps {
			want.Least = min(want.Least, float64(x.Constraint.Mass))
		}
		got, err := Spend(t.Context(), m, s, "", []int32{1})
		if err != nil || got.Tokens != want.Tokens || math.Abs(got.Bits-want.Bits) > 1e-5 || got.Least != want.Least || !(got.Bits > 1) {
			t.Errorf("%+v, %v, want %+v", got, err, want)
		}
		free := settings(t, m, "max_new_tokens", 5)
		if got, err := Spend(t.Context(), m, free, "", []int32{1}); err != nil || got != (Spending{Tokens: 5, Least: 1}) {
			t.Errorf("without a constraint: %+v, %v", got, err)
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if _, err := Spend(ctx, m, s, "", []int32{1}); err == nil {
			t.Error("stopped, and no error")
		}
	})
}

// A round judges by the law that the step of each place shows. Under llama.cpp's
// rules XTC tosses only where two tokens or more are left, so its generator's
// place is not the text's.
func TestRoundsLawIsTheSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toy(t, 2000, never)
		s := settings(t, m, "order", "llama.cpp", "xtc_probability", 0.5, "xtc_threshold", 0.05, "min_p", 0.7, "frequency_penalty", 0.4, "repeat_last_n", 5, "max_new_tokens", 200, "num_assistant_tokens", 4, "seed", 5)
		for _, d := range []Draft{{Model: other(t, m)}, {Model: m}} {
			v := begin(t, NewLane(0, m, Options{Draft: d}))(Start{Prompt: []int32{1, 2, 3}, Settings: s}, Advance{-1})
			compared, tossed := 0, 0
			for i, step := range v.Steps {
				for _, st := range step.Trace.Stages() {
					if st.Name == "xtc" && st.Kept+st.Removed > 1 {
						tossed++
					}
				}
				r := step.Round
				if r == nil || i-r.Start >= len(r.Positions) {
					continue
				}
				for _, b := range r.Positions[i-r.Start].Top {
					want := 0.0
					if row := step.Trace.Row(b.Token); row != nil {
						want = float64(row.Prob)
					} else {
						continue
					}
					if compared++; math.Abs(b.P-want) > 1e-5 {
						t.Fatalf("step %d: the round gives token %d %.4f, the step %.4f", i+1, b.Token, b.P, want)
					}
				}
			}
			if compared < 100 || tossed == 0 || tossed == len(v.Steps) {
				t.Errorf("%d compared; %d tosses in %d steps", compared, tossed, len(v.Steps))
			}
		}
	})
}
