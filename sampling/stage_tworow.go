package sampling

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// The stages of this file weigh the row against a second one of the same
// tokens: an amateur's, or the same model's after another prompt. Both are
// taken as log probabilities.

// logSoftmax returns the log probabilities of logits divided by t.
func logSoftmax(dst []float64, logits []float32, t float64) []float64 {
	dst = slices.Grow(dst[:0], len(logits))[:len(logits)]
	hi := math.Inf(-1)
	for i, v := range logits {
		dst[i] = float64(v) / t
		hi = max(hi, dst[i])
	}
	sum := 0.0
	for _, v := range dst {
		sum += math.Exp(v - hi)
	}
	for i := range dst {
		dst[i] -= hi + math.Log(sum)
	}
	return dst
}

// second returns the log probabilities of the second row by position.
func (r *step) secondRow(t float64) ([]float64, bool) {
	switch n := len(r.in.Second); {
	case n == 0:
		r.err = errors.New("there is no second row to weigh against")
	case n != len(r.in.Logits):
		r.err = fmt.Errorf("the second row has %d logits and the first %d", n, len(r.in.Logits))
	case r.in.IDs != nil:
		r.err = errors.New("it needs both rows whole, and the server names some tokens only")
	default:
		r.second = logSoftmax(r.second, r.in.Second, t)
		return r.second, true
	}
	return nil, false
}

// contrastive favours what the expert finds more likely than the amateur does
// (Li et al. 2022; O'Brien and Lewis 2023): among the tokens of at least alpha
// times the best one's probability, the score is (1+beta)·e - beta·w, or e - w.
type contrastive struct {
	alpha, beta float64
	difference  bool
	temperature float64 // divides the amateur's row in the difference
}

func (s *contrastive) apply(r *step) {
	t := 1.0
	if s.difference {
		t = s.temperature
	}
	w, ok := r.secondRow(t)
	if !ok {
		return
	}
	r.Exps()
	limit, logSum := math.Log(s.alpha), math.Log(r.Sum)
	r.Keep(func(i int) bool { return r.X[i] > negInf && float64(r.X[i])-float64(r.Ref) >= limit })
	ref := float64(r.Ref)
	r.Bend(func(i int) float64 {
		e, a := float64(r.X[i])-ref-logSum, w[r.Pos(i)]
		if s.difference {
			return e - a
		}
		return (1+s.beta)*e - s.beta*a
	})
}

// guidance moves the row away from what another prompt makes likely, or with a
// scale below 1 towards it (Sanchez et al. 2023, "classifier-free guidance").
type guidance float64

func (g guidance) apply(r *step) {
	u, ok := r.secondRow(1)
	if !ok {
		return
	}
	r.Exps()
	logSum, ref := math.Log(r.Sum), float64(r.Ref)
	r.Bend(func(i int) float64 {
		e, other := float64(r.X[i])-ref-logSum, u[r.Pos(i)]
		return float64(g)*(e-other) + other
	})
}
