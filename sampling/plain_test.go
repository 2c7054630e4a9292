package sampling

import (
	"math"
	"math/rand/v2"
	"testing"

	"logitscope/sampling/row"
)

// TestPlainPenalties holds the penalties to the plain ones of package row.
func TestPlainPenalties(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for trial := range 500 {
		x := make([]float32, 40)
		logits := make([]float64, len(x))
		for i := range x {
			x[i] = float32(rnd.NormFloat64() * 3)
			logits[i] = float64(x[i])
		}
		var history []int32
		var plain []int
		for range 30 {
			id := rnd.IntN(len(x))
			history, plain = append(history, int32(id)), append(plain, id)
		}
		repeat, freq, presence := 0.2+2*rnd.Float64(), rnd.NormFloat64(), rnd.NormFloat64()
		for _, rule := range []repeatRule{divideFromZero, divideAbove, byReciprocal} {
			want := row.PlainCounts(row.PlainRepetition(logits, plain, repeat), plain, freq, presence)
			s := step{in: Input{Prompt: history[:10], Output: history[10:]}}
			s.Begin(nil, x, 0, nil, false)
			(&penaltyStage{repeat: float32(repeat), freq: float32(freq), presence: float32(presence), window: -1, rule: rule}).apply(&s)
			for i := range want {
				if math.Abs(float64(s.X[i])-want[i]) > 1e-4 {
					t.Fatalf("trial %d, rule %d: token %d has %v, want %v", trial, rule, i, s.X[i], want[i])
				}
			}
		}
	}
}
