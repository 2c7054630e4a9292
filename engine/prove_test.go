package engine

import (
	"slices"
	"testing"
	"testing/synctest"

	"logitscope/engine/speculative"
)

// A draft can come and go while a lane decodes; greedy text stays the same.
func TestAssist(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toy(t, 2000, never)
		start := Start{Prompt: []int32{1, 2, 3}, Settings: settings(t, m, "do_sample", false, "max_new_tokens", 60)}
		plain := begin(t, NewLane(0, m, Options{}))(start, Advance{-1})
		do := begin(t, NewLane(1, m, Options{}))
		do(start, Advance{5})
		v := do(Assist{Draft{Model: other(t, m)}})
		if v.Draft == nil || v.Next == nil || v.Next.Round == nil || len(v.Steps) != 5 {
			t.Fatalf("%d steps, draft %v: no round is proposed", len(v.Steps), v.Draft)
		}
		do(Advance{3})
		v = do(Assist{})
		if v.Draft != nil || v.Next == nil || v.Next.Round != nil {
			t.Fatal("the draft is still there")
		}
		do(Assist{Draft{NGram: true}}, Advance{2})
		if v = do(Advance{-1}); !slices.Equal(written(v), written(plain)) {
			t.Errorf("%v\nplain\n%v", written(v), written(plain))
		}
	})
}

// The exact rule keeps the law of the next token; a wrong one does not. What
// the lane holds is left alone.
func TestViewProver(t *testing.T) {
	m := toy(t, 2000, never)
	d := Draft{Model: other(t, m)}
	var v View
	synctest.Test(t, func(t *testing.T) {
		do := begin(t, NewLane(0, m, Options{Draft: d}))
		v = do(Start{Prompt: []int32{1, 2, 3}, Settings: settings(t, m, "temperature", 1.0, "max_new_tokens", 60)}, Advance{2})
	})
	for _, tt := range []struct {
		a      speculative.Algorithm
		agrees bool
	}{{speculative.Exact, true}, {speculative.NoResidual, false}} {
		p, err := v.Prover(t.Context(), m, d, tt.a)
		if err != nil {
			t.Fatal(err)
		}
		proof, err := p.Run(t.Context(), 20_000, nil)
		if err != nil || proof.Agrees() != tt.agrees {
			t.Errorf("%s: %s, p %v, %v", tt.a, proof.Verdict(), proof.PValue, err)
		}
	}
	if _, err := v.Prover(t.Context(), m, Draft{}, speculative.Exact); err == nil {
		t.Error("a proof without a draft")
	}
}

// A search that is switched off leaves the text that was drawn before it.
func TestTextAfterASearch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toy(t, 500, never)
		plain, beams := settings(t, m, "temperature", 1.0), settings(t, m, "do_sample", false, "num_beams", 3, "max_new_tokens", 8)
		do := begin(t, NewLane(0, m, Options{}))
		want := do(Start{Prompt: []int32{1, 2}, Settings: plain}, Advance{6}).Text()
		if v := do(Tune{beams}, Advance{4}); v.Beam == nil || v.Text() == want {
			t.Fatalf("no search, or the same text: %q", v.Text())
		}
		if v := do(Tune{plain}); v.Beam != nil || v.Text() != want || len(v.Steps) != 6 {
			t.Errorf("%q after the search, %q before it, %d steps", v.Text(), want, len(v.Steps))
		}
	})
}

// What a draft cannot do fails the lane; without the draft it goes on.
func TestAssistAfterAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toy(t, 500, never)
		do := begin(t, NewLane(0, m, Options{}))
		start := Start{Prompt: []int32{1, 2}, Settings: settings(t, m, "order", "llama.cpp", "mirostat", 2, "max_new_tokens", 9)}
		want := written(do(start, Advance{-1}))
		do(start, Advance{3})
		if v := do(Assist{Draft{Model: other(t, m)}}); v.Phase != Failed {
			t.Fatalf("%v: mirostat with a draft", v.Phase)
		}
		v := do(Assist{})
		if v.Phase != Paused || v.Next == nil || len(v.Steps) != 3 {
			t.Fatalf("%v, %d steps: %v", v.Phase, len(v.Steps), v.Err)
		}
		if v = do(Advance{-1}); !slices.Equal(written(v), want) {
			t.Errorf("%v, without the detour %v", written(v), want)
		}
	})
}
