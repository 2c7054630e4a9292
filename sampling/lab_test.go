package sampling_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"logitscope/sampling"
	"logitscope/sampling/dist"
)

// labLaw returns the law of a step under the lab's order.
func labLaw(t *testing.T, in sampling.Input, kv ...any) dist.Dist {
	t.Helper()
	p := compile(t, neutral("lab", kv...))
	var s sampling.Scratch
	var d dist.Dist
	if err := p.Distribution(&d, &s, in); err != nil {
		t.Fatal(err)
	}
	return d
}

func subset(a, b []int32) bool {
	return !slices.ContainsFunc(a, func(id int32) bool { return !slices.Contains(b, id) })
}

// TestLabProperties: what the definitions promise, on random rows.
func TestLabProperties(t *testing.T) {
	rnd := rand.New(rand.NewPCG(21, 22))
	for trial := range 400 {
		in := randomStep(rnd)
		in.IDs, in.Rest = nil, 0
		a, b := rnd.Float64(), rnd.Float64()
		lo, hi := min(a, b), max(a, b)
		whole := labLaw(t, in)
		// The same row with a constant added: an exact one, so that no rounding moves a border.
		moved := in
		moved.Logits = slices.Clone(in.Logits)
		for i := range moved.Logits {
			moved.Logits[i] = float32(int(moved.Logits[i]*256)) / 256
		}
		exact := moved
		exact.Logits = slices.Clone(moved.Logits)
		for i := range exact.Logits {
			exact.Logits[i] += 8
		}
		for _, kv := range [][]any{{"p_less", true}, {"p_less_norm", true}, {"top_a", a}, {"tfs_z", a}, {"tfs_z", a, "cut_rules", "textgen"},
			{"smoothing_factor", a, "smoothing_curve", 1 + 2*b}, {"skew", a - b}, {"contrastive_alpha", a, "contrastive_beta", b}, {"guidance_scale", 1 + a}} {
			d := labLaw(t, in, kv...)
			if len(d.IDs) == 0 {
				t.Errorf("trial %d: %v leaves no token", trial, kv)
			}
			if cuts := kv[0] != "contrastive_alpha" && kv[0] != "smoothing_factor" && kv[0] != "skew" && kv[0] != "guidance_scale"; cuts {
				// The best n of the row: what is left out is no likelier than what stays.
				least := whole.Prob(d.IDs[len(d.IDs)-1])
				for i, id := range whole.IDs {
					if whole.Probs[i] > least+1e-12 && !slices.Contains(d.IDs, id) {
						t.Errorf("trial %d: %v leaves out token %d of %v and keeps one of %v", trial, kv, id, whole.Probs[i], least)
					}
				}
			}
			one, two := labLaw(t, moved, kv...), labLaw(t, exact, kv...)
			if tv := dist.TotalVariation(&one, &two); tv > 1e-5 {
				t.Errorf("trial %d: %v: a constant added moves the law by %g", trial, kv, tv)
			}
		}
		plain, norm := labLaw(t, in, "p_less", true), labLaw(t, in, "p_less_norm", true)
		if !subset(plain.IDs, norm.IDs) {
			t.Errorf("trial %d: p_less keeps %v, p_less_norm %v", trial, plain.IDs, norm.IDs)
		}
		for _, m := range []struct {
			key         string
			small, many any // the value that keeps fewer, and more
		}{{"top_a", hi, lo}, {"tfs_z", lo, hi}, {"contrastive_alpha", hi, lo}} {
			few, more := labLaw(t, in, m.key, m.small), labLaw(t, in, m.key, m.many)
			if !subset(few.IDs, more.IDs) {
				t.Errorf("trial %d: %s %v keeps %v, %v keeps %v", trial, m.key, m.small, few.IDs, m.many, more.IDs)
			}
		}
		for _, kv := range [][]any{{"smoothing_factor", a, "smoothing_curve", 1 + 2*b}, {"skew", 2*a - 1}} {
			d := labLaw(t, in, kv...)
			if len(d.IDs) != len(whole.IDs) && kv[0] == "skew" {
				t.Errorf("trial %d: %v keeps %d of %d", trial, kv, len(d.IDs), len(whole.IDs))
			}
			for i := 1; i < len(whole.IDs) && kv[0] == "smoothing_factor"; i++ {
				if d.Prob(whole.IDs[i]) > d.Prob(whole.IDs[i-1])+1e-9 {
					t.Errorf("trial %d: %v lifts token %d above %d", trial, kv, whole.IDs[i], whole.IDs[i-1])
				}
			}
		}
	}
}
