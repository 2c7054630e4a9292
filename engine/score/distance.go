package score

import (
	"math"

	"logitscope/models"
)

// A Step is two laws at one step, A and B, on the same context.
type Step struct {
	TV       float64 // total variation: half the sum of differences, 0 to 1
	JS       float64 // Jensen–Shannon divergence, bits, 0 to 1
	KLab     float64 // Σ a log2(a/b), bits; +Inf where A allows a token that B cuts
	KLba     float64
	SameTop  bool    // the most probable token is the same; of equals the lowest id
	RawKL    float64 // of the models alone, bits: nothing cut, no temperature
	RawTop   bool    // the models' own best token is the same
	OtherTop int32   // the best token under B
}

// compare compares the laws that a and b hold by token, and the models' rows.
func compare(a, b *half, row, other models.Logits) Step {
	s := Step{}
	topA, topB := int32(-1), int32(-1)
	n := max(len(a.probs), len(b.probs))
	at := func(h *half, i int) float64 {
		if i < len(h.probs) {
			return h.probs[i]
		}
		return -1
	}
	for i := range n {
		p, q := at(a, i), at(b, i)
		if p < 0 && q < 0 {
			continue
		}
		s.KLab += divergence(p, q)
		s.KLba += divergence(q, p)
		p, q = max(p, 0), max(q, 0)
		s.TV += math.Abs(p-q) / 2
		m := (p + q) / 2
		if p > 0 {
			s.JS += p * math.Log2(p/m) / 2
		}
		if q > 0 {
			s.JS += q * math.Log2(q/m) / 2
		}
		if topA < 0 || p > a.probs[topA] {
			topA = int32(i)
		}
		if topB < 0 || q > b.probs[topB] {
			topB = int32(i)
		}
	}
	s.TV, s.JS = min(1, s.TV), min(1, max(0, s.JS))
	s.KLab, s.KLba = max(0, s.KLab), max(0, s.KLba)
	s.SameTop, s.OtherTop = topA == topB, topB
	if &row.Values[0] == &other.Values[0] {
		s.RawTop = true
	} else {
		s.RawKL, s.RawTop = rawDivergence(row, other)
	}
	return s
}

// divergence is a token's part of a divergence: p and q are its probabilities,
// negative where it is cut. A token that stays and underflows makes nothing
// infinite.
func divergence(p, q float64) float64 {
	switch {
	case p < 0:
		return 0
	case q < 0:
		return math.Inf(1)
	case p == 0:
		return 0
	}
	return p * math.Log2(p/max(q, math.SmallestNonzeroFloat64))
}

// rawDivergence is the divergence of two whole rows, bits.
func rawDivergence(a, b models.Logits) (kl float64, same bool) {
	if a.IDs != nil || b.IDs != nil || len(a.Values) != len(b.Values) {
		return math.NaN(), false
	}
	logs := func(v []float32) (norm float64, top int) {
		for i, x := range v {
			if x > v[top] {
				top = i
			}
		}
		sum := 0.0
		for _, x := range v {
			sum += math.Exp(float64(x) - float64(v[top]))
		}
		return float64(v[top]) + math.Log(sum), top
	}
	na, ta := logs(a.Values)
	nb, tb := logs(b.Values)
	for i := range a.Values {
		la := float64(a.Values[i]) - na
		if p := math.Exp(la); p > 0 {
			kl += p * (la - (float64(b.Values[i]) - nb))
		}
	}
	return max(0, kl/math.Ln2), ta == tb
}
