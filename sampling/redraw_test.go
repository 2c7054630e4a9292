package sampling

import (
	"testing"

	"logitscope/sampling/luck"
)

// TestXTCAfterARedraw: where the first draw is refused, XTC tosses again from
// where its generator stands, in the first step of a text and in later ones.
func TestXTCAfterARedraw(t *testing.T) {
	const chance = 0.5
	row := []float32{3, 2.9, 2.8, 1, 0.5} // the mask allows all but token 4
	redrawn, tossed := 0, [2][2]int{}
	for seed := range uint64(4000) {
		c := Config{}
		for key, v := range map[string]any{
			"order": "llama.cpp:xtc", "xtc_probability": chance, "xtc_threshold": 0.2, "seed": seed, "draw_order": "draw_then_check",
		} {
			c = c.MustWith(key, v, FromYou)
		}
		p, err := Compile(c, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, state := range []State{{}, {Started: true, Draws: 6, XTCDraws: 3}} {
			in := Input{Logits: row, Mask: []uint64{0b01111}, State: state}
			var s Scratch
			var tr Trace
			if _, err := p.Sample(&tr, &s, in); err != nil {
				t.Fatal(err)
			}
			var g luck.MT
			coin := func(n uint32) bool { g.Seek(uint32(seed), n); return g.Float32() <= chance }
			if !tr.Constraint.Redrawn {
				if tr.State.XTCDraws != state.XTCDraws+1 {
					t.Fatalf("seed %d: %d tosses after %d", seed, tr.State.XTCDraws, state.XTCDraws)
				}
				continue
			}
			redrawn++
			if tr.State.XTCDraws != state.XTCDraws+2 || tr.State.Draws != state.Draws+4 {
				t.Fatalf("seed %d: %d tosses and %d outputs after %d and %d, want two tosses and two draws more", seed, tr.State.XTCDraws, tr.State.Draws, state.XTCDraws, state.Draws)
			}
			first, second := coin(state.XTCDraws), coin(state.XTCDraws+1)
			if cut := tr.Stages()[len(tr.Stages())-1].Removed > 0; cut != second {
				t.Fatalf("seed %d from %d tosses: the second draw drops the surest tokens: %v, its coin says %v", seed, state.XTCDraws, cut, second)
			}
			tossed[b2i(first)][b2i(second)]++
		}
	}
	if redrawn < 50 || tossed[0][1] == 0 || tossed[1][0] == 0 {
		t.Errorf("%d redrawn, coins %v: want both orders", redrawn, tossed)
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
