package sampling_test

import (
	"testing"

	"logitscope/sampling"
)

// TestLoneCandidate draws under the newer and the older llama.cpp: where top_k
// leaves one candidate the newer takes a random number, and what comes after
// is drawn with the next one; the older takes none.
func TestLoneCandidate(t *testing.T) {
	wide := []float32{1, 0.9, 0.8, 0.7, 0.6, 0.5}
	for order, lone := range map[string]bool{"llama.cpp": true, "llama.cpp-old": false, "ollama": true, "ollama-old": false} {
		c := sampling.Config{}.MustWith("order", order, sampling.FromFlag).MustWith("seed", 9, sampling.FromFlag).MustWith("temperature", 1.0, sampling.FromFlag).
			MustWith("top_p", 1.0, sampling.FromFlag).MustWith("min_p", 0.0, sampling.FromFlag)
		draw := func(k int, state sampling.State) *sampling.Trace {
			p, err := sampling.Compile(c.MustWith("top_k", k, sampling.FromFlag), nil)
			if err != nil {
				t.Fatal(err)
			}
			var s sampling.Scratch
			tr := new(sampling.Trace)
			if _, err := p.Sample(tr, &s, sampling.Input{Logits: wide, State: state}); err != nil {
				t.Fatal(err)
			}
			return tr
		}
		first := draw(6, sampling.State{}) // what the first number draws
		after := draw(6, draw(1, sampling.State{}).State)
		if took := after.U != first.U; took != lone {
			t.Errorf("%s: a lone candidate takes a random number: %v, want %v", order, took, lone)
		}
		if o, err := sampling.ParseOrder(order); err != nil || o.Name() != order || o.Rules().When == "" {
			t.Errorf("%s: %v, %v, %q", order, o, err, o.Rules().When)
		}
	}
	for _, o := range sampling.Orders() {
		if o.Rules().Of != "" {
			t.Errorf("%s is listed beside the newer one", o)
		}
	}
}
