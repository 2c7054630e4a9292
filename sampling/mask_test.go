package sampling_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"logitscope/sampling"
	"logitscope/sampling/cases"
	"logitscope/sampling/dist"
	"logitscope/sampling/luck"
)

// TestMaskIsARowOfItsOwn: with a constraint that is applied first, every stage
// of every engine does what it does on a row that has the banned tokens at
// -Inf, and the draw is the same. Where an engine checks after the draw, it
// never ends on a banned token.
func TestMaskIsARowOfItsOwn(t *testing.T) {
	rows := [][]float32{
		cases.Generate(nil, 16, 3, 2, 0),
		cases.Generate(nil, 300, 4, 2, 0),
		cases.Generate(nil, 3000, 5, 1, 0),
		cases.Generate(nil, 1500, 6, 3, 4), // many equal logits
	}
	for _, st := range stageTable {
		for i, x := range rows {
			for share, name := range []string{"few", "half", "most"} {
				t.Run(fmt.Sprintf("%s/%s=%v/%d/%s", st.order, st.key, st.on, i, name), func(t *testing.T) {
					checkMask(t, neutral(st.order, append(st.extra, st.key, st.on)...), x, []float64{0.02, 0.5, 0.98}[share])
				})
			}
		}
	}
}

func checkMask(t *testing.T, c sampling.Config, x []float32, share float64) {
	allowed, masked := make([]uint64, (len(x)+63)/64), slices.Clone(x)
	for i := range x {
		if luck.Coin(11, i, 0) < share || i == 9 {
			allowed[i/64] |= 1 << (i % 64)
		} else {
			masked[i] = float32(math.Inf(-1))
		}
	}
	in := sampling.Input{Logits: masked, Prompt: testHistory[:5], Output: testHistory[5:]}
	var s, own sampling.Scratch
	var tr sampling.Trace
	var d, want dist.Dist
	for seed := range 4 {
		first := c.MustWith("seed", uint64(seed), sampling.FromYou).MustWith("draw_order", "mask_first", sampling.FromYou)
		p := compile(t, first)
		in.Logits, in.Mask = masked, nil
		id, err := p.Sample(&tr, &own, in)
		own.Final(&want)
		in.Logits, in.Mask = x, allowed
		got, maskedErr := p.Sample(&tr, &s, in)
		s.Final(&d)
		if got != id || (err == nil) != (maskedErr == nil) {
			t.Fatalf("seed %d: token %d, %v; of the masked row %d, %v", seed, got, maskedErr, id, err)
		}
		if err != nil {
			continue
		}
		if !slices.Equal(d.IDs, want.IDs) {
			t.Fatalf("%d tokens stay, %d of the masked row", len(d.IDs), len(want.IDs))
		}
		for i := range d.Probs {
			if math.Abs(d.Probs[i]-want.Probs[i]) > 1e-6 {
				t.Fatalf("token %d: %v, of the masked row %v", d.IDs[i], d.Probs[i], want.Probs[i])
			}
		}
		if got, err := compile(t, first.MustWith("draw_order", "draw_then_check", sampling.FromYou)).Sample(&tr, &s, in); err == nil && allowed[got/64]>>(got%64)&1 == 0 {
			t.Fatalf("seed %d drew token %d, which is banned", seed, got)
		}
	}
}
