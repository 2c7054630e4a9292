package compare

import (
	"testing"

	"logitscope/engine"
	"logitscope/engine/enginetest"
	"logitscope/models/fable"
	"logitscope/models/llama"
	"logitscope/presets"
	"logitscope/sampling"
	"logitscope/sampling/dist"
	"logitscope/sampling/param"
)

// TestRacesPartAboutAsRarelyAsLawsAllow: on the same text two lanes that race
// part at most 1.2 times as often as any coupling of their laws must, which is
// their total variation; with the shared u they part more often than that.
func TestRacesPartAboutAsRarelyAsLawsAllow(t *testing.T) {
	m, err := fable.Open(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	comp := engine.NewCompiler(m)
	settings := func(name, luck string) *engine.Settings {
		p, err := presets.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := comp.Settings(p.Config.MustWith("luck", luck, sampling.FromFlag), name)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	prompt, err := engine.Prompt(t.Context(), m, "Once upon a time")
	if err != nil {
		t.Fatal(err)
	}
	const tokens, seeds = 80, 250
	for _, pair := range [][2]string{{"factual", "chat"}, {"chat", "creative"}, {"factual", "creative"}} {
		var parted [2]int
		var tv float64
		steps := 0
		for _, writer := range pair {
			text, rows := enginetest.Decode(t, m, settings(writer, param.LuckCDF).Pipeline, prompt, tokens)
			for k := range text {
				in := sampling.Input{Logits: rows[k], Prompt: prompt, Output: text[:k]}
				for i, luck := range []string{param.LuckCDF, param.LuckRace} {
					a, b := settings(pair[0], luck), settings(pair[1], luck)
					var s sampling.Scratch
					var x, y dist.Dist
					if err := a.Pipeline.Distribution(&x, &s, in); err != nil {
						t.Fatal(err)
					}
					if err := b.Pipeline.Distribution(&y, &s, in); err != nil {
						t.Fatal(err)
					}
					if i == 0 {
						tv += dist.TotalVariation(&x, &y)
						steps++
					}
					for seed := range seeds {
						pos := 1000*seed + k // a place is a draw of its own, as a seed is
						if x.IDs[a.Pipeline.Pick(&x, pos)] != y.IDs[b.Pipeline.Pick(&y, pos)] {
							parted[i]++
						}
					}
				}
			}
		}
		least := tv / float64(steps)
		rate := func(n int) float64 { return float64(n) / float64(steps*seeds) }
		t.Logf("%v: least %.4f, race %.4f (%.2f times), cdf %.4f (%.2f times)", pair, least, rate(parted[1]), rate(parted[1])/least, rate(parted[0]), rate(parted[0])/least)
		if r := rate(parted[1]) / least; r > 1.2 || r < 0.97 {
			t.Errorf("%v: races part %.3f times as often as the least", pair, r)
		}
		if parted[0] <= parted[1] {
			t.Errorf("%v: the shared u parts %d times, the race %d", pair, parted[0], parted[1])
		}
	}
}
