package compare

import (
	"math"
	"testing"

	"logitscope/engine"
	"logitscope/engine/enginetest"
	"logitscope/engine/score"
	"logitscope/models/fable"
	"logitscope/models/llama"
	"logitscope/sampling"
	"logitscope/sampling/dist"
)

// A lane's text read from the rows that the lane keeps is the text read anew by
// the model: distances, chances and impossible tokens, three laws at once. A
// check of an export is the same computation.
func TestReadingsAreScores(t *testing.T) {
	m, err := fable.Open(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	comp := engine.NewCompiler(m)
	settings := func(set map[string]any) *engine.Settings {
		c := sampling.Config{}
		for k, v := range set {
			c = c.MustWith(k, v, sampling.FromFlag)
		}
		s, err := comp.Settings(c, "")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	prompt, err := engine.Prompt(t.Context(), m, "Once upon a time")
	if err != nil {
		t.Fatal(err)
	}
	mine := settings(map[string]any{"temperature": 1.2, "top_k": 0, "repetition_penalty": 1.2})
	others := []*engine.Settings{settings(map[string]any{"temperature": 0.7, "top_p": 0.8}), settings(map[string]any{"temperature": 1.2, "top_k": 0, "repetition_penalty": 1.2, "seed": uint64(9)})}
	text, rows := enginetest.Decode(t, m, mine.Pipeline, prompt, 60)
	v := engine.View{Prompt: prompt, Settings: mine}
	for k := range text {
		v.Steps = append(v.Steps, &engine.Step{Index: k + 1, Pos: len(prompt) + k, Token: text[k], Row: &engine.Row{Values: rows[k]}, Settings: mine})
	}
	var meter Meter
	for n, other := range others {
		var got Readings
		for k := range text {
			r, err := meter.Read(v, k, Law{Settings: mine}, Law{Settings: others[0]}, Law{Settings: others[1]})
			if err != nil {
				t.Fatal(err)
			}
			got.Add(k+1, r.Distances[n+1], r.Chances[0], r.Chances[n+1])
		}
		var want score.Summary
		err := score.Read(t.Context(), score.Input{
			Law: score.Law{Model: m, Pipeline: mine.Pipeline}, Against: &score.Law{Model: m, Pipeline: other.Pipeline}, Prefix: prompt, Text: text, BOS: prompt[0],
		}, func(tok score.Token) error { want.Add(&tok, true); return nil })
		if err != nil {
			t.Fatal(err)
		}
		near := func(name string, a, b float64) {
			if !(math.Abs(a-b) < 1e-6 || math.IsNaN(a) && math.IsNaN(b)) {
				t.Errorf("law %d: %s %v, want %v", n, name, a, b)
			}
		}
		near("TV", got.TV(), want.Distances.TV())
		near("JS", got.JS(), want.Distances.JS())
		near("KL", got.KLab(), want.Distances.KLab())
		near("KL back", got.KLba(), want.Distances.KLba())
		near("bits", got.A.BitsPerToken(), want.A.BitsPerToken())
		near("other bits", got.B.BitsPerToken(), want.B.BitsPerToken())
		d, e := got.Distances, want.Distances
		if d.ImpossibleAB != e.ImpossibleAB || d.ImpossibleBA != e.ImpossibleBA || d.SameTop != e.SameTop || d.FirstAB != e.FirstAB || d.LargestAt != e.LargestAt || got.B.Impossible != want.B.Impossible {
			t.Errorf("law %d: %+v and %d, want %+v and %d", n, d, got.B.Impossible, e, want.B.Impossible)
		}
		if n == 0 && (d.ImpossibleAB == 0 || got.B.Impossible == 0) || n == 1 && (d.TV() != 0 || d.KLab() != 0) {
			t.Errorf("law %d: %+v", n, d)
		}
		check, err := Against(v, mine, other, 40)
		if err != nil || check.Steps != 40 || check.FirstDiff > 0 && check.FirstDiff <= 20 {
			t.Fatalf("%+v, %v", check, err)
		}
		tail := dist.Distances{}
		for k := 20; k < 60; k++ {
			r, err := meter.Read(v, k, Law{Settings: mine}, Law{Settings: other})
			if err != nil {
				t.Fatal(err)
			}
			tail.Add(k+1, r.Distances[1])
		}
		if check.Distances != tail || n == 1 && check.Same != 40 {
			t.Errorf("law %d: the check has %+v, want %+v", n, check, tail)
		}
	}
	if _, err := meter.Read(v, 60, Law{Settings: mine}); err == nil {
		t.Error("a step that is not there is read")
	}
	v.Steps[3].Row = nil
	if _, err := meter.Read(v, 3, Law{Settings: mine}); err == nil {
		t.Error("a step without its row is read")
	}
}
