package engine

import (
	"math"
	"slices"
	"testing"
	"testing/synctest"

	"logitscope/models/table"
	"logitscope/sampling"
	"logitscope/sampling/dist"
)

// rowAfter returns the logits of a table's row after a token.
func rowAfter(t *testing.T, m *table.Model, id int32) []float32 {
	t.Helper()
	s, err := m.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rows, err := s.Forward(t.Context(), []int32{id}, 1)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(rows[0].Values)
}

// TestTwoRows: a stage that weighs two rows gets the second one of the draft
// model, or of the model itself after the negative prompt, at every step, in
// what-ifs, after going back and in other settings.
func TestTwoRows(t *testing.T) {
	logProbs := func(x []float32) []float64 {
		sum := 0.0
		for _, v := range x {
			sum += math.Exp(float64(v))
		}
		out := make([]float64, len(x))
		for i, v := range x {
			out[i] = float64(v) - math.Log(sum)
		}
		return out
	}
	for _, c := range []struct {
		name   string
		set    []any
		second func(expert, amateur *table.Model, before int32, n int) []float32
		score  func(e, w float64) float64
	}{
		{"contrastive", []any{"order", "lab", "contrastive_beta", 0.5, "contrastive_alpha", 0.0},
			func(_, amateur *table.Model, before int32, _ int) []float32 { return rowAfter(t, amateur, before) },
			func(e, w float64) float64 { return 1.5*e - 0.5*w }},
		{"guidance", []any{"order", "lab", "guidance_scale", 1.8, "negative_prompt", "c"},
			func(expert, _ *table.Model, before int32, n int) []float32 {
				if n == 0 {
					before = 3 // the negative prompt's last token
				}
				return rowAfter(t, expert, before)
			},
			func(e, u float64) float64 { return 1.8*(e-u) + u }},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				expert, amateur := seeded(t, 200, never, 2), seeded(t, 200, never, 9)
				l := NewLane(0, expert, Options{Draft: Draft{Model: amateur}})
				do := begin(t, l)
				v := do(Start{Prompt: []int32{1, 2}, Settings: settings(t, expert, append(c.set, "max_new_tokens", 12)...)}, Advance{6})
				check := func(v View, k int) {
					t.Helper()
					s := v.Step(k)
					if s == nil || s.Trace == nil {
						t.Fatalf("step %d: %v, %v", k, v.Phase, v.Err)
					}
					before := v.Prompt[len(v.Prompt)-1]
					if k > 0 {
						before = v.Steps[k-1].Token
					}
					e, w := logProbs(rowAfter(t, expert, before)), logProbs(c.second(expert, amateur, before, k))
					sum := 0.0
					for i := range e {
						sum += math.Exp(c.score(e[i], w[i]))
					}
					in, err := v.Input(k)
					if err != nil {
						t.Fatal(err)
					}
					var d dist.Dist
					if err := v.Settings.Pipeline.Distribution(&d, new(sampling.Scratch), in); err != nil {
						t.Fatal(err)
					}
					for i := range e {
						if want := math.Exp(c.score(e[i], w[i])) / sum; math.Abs(d.Prob(int32(i))-want) > 1e-5 {
							t.Errorf("step %d, token %d: %v, want %v", k, i, d.Prob(int32(i)), want)
						}
					}
				}
				for k := range 7 {
					check(v, k)
				}
				v = do(Rewind{2}, Advance{3})
				for k := range len(v.Steps) + 1 {
					check(v, k)
				}
				// Off and on again: the proposal gets its second row.
				plain := settings(t, expert, "order", "lab", "max_new_tokens", 12, "num_assistant_tokens", 1)
				v = do(Tune{plain}, Tune{settings(t, expert, append(c.set, "max_new_tokens", 12)...)})
				check(v, len(v.Steps))
			})
		})
	}
}

// TestNoAmateur: without a draft model contrastive decoding says what is
// missing, and goes on once it is off.
func TestNoAmateur(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toy(t, 50, never)
		do := begin(t, NewLane(0, m, Options{}))
		v := do(Start{Prompt: []int32{1}, Settings: settings(t, m, "order", "lab", "contrastive_alpha", 0.1)}, Advance{2})
		if v.Phase != Failed || v.Err == nil || v.Err.Error() != "step 1: contrastive: no draft model to be the amateur; name one with --draft" {
			t.Errorf("%v: %v", v.Phase, v.Err)
		}
		if v = do(Tune{settings(t, m, "order", "lab")}, Advance{2}); v.Phase == Failed || len(v.Steps) == 0 {
			t.Errorf("%v with %d steps: %v", v.Phase, len(v.Steps), v.Err)
		}
	})
}
