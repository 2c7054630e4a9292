package llamaserver

import (
	"math"
	"testing"

	"logitscope/models/remote/jsonscan"
)

// TestSolveLevel goes from levels to odds and back, with the penalised logits
// on both sides of zero.
func TestSolveLevel(t *testing.T) {
	odds := func(x, u float64) float64 {
		if x > 0 {
			return x/levelPenalty - u
		}
		return x*levelPenalty - u
	}
	for _, c := range []float64{-300, -30, -5, 0, 3, 12.5, 60} {
		for _, t1 := range []float64{50, 0, -12, -c, -c + 2, -c - 2} {
			for _, t2 := range []float64{t1 - 16, t1 - 4, t1 + 4} {
				const u = -0.5
				got, ok := solveLevel([]equation{{odds(t1+c, u+c), t1, u}, {odds(t2+c, u+c), t2, u}})
				if !ok || math.Abs(got-c) > 1e-9 {
					t.Errorf("level %v, tokens at %v and %v: found %v, %v", c, t1, t2, got, ok)
				}
			}
		}
	}
	for _, eqs := range [][]equation{nil, {{3, 50, -1}}, {{math.Inf(1), -1, -1}, {1, 1, 1}}, {{3, 50, -1}, {5, 40, -1}}} {
		if c, ok := solveLevel(eqs); ok {
			t.Errorf("%v have the solution %v", eqs, c)
		}
	}
}

func TestScanProbs(t *testing.T) {
	s := jsonscan.Scanner{Data: []byte(`[{"id":1,"prob":1e-40},{"id":2,"token":"x","prob":0.5},{"id":-3,"prob":0.1},{"id":4,"prob":7}]`)}
	probs := map[int32]float64{}
	if scanProbs(&s, probs); len(probs) != 1 || probs[2] != 0.5 || s.End() != nil {
		t.Errorf("%v", probs)
	}
}
