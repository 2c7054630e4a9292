package row

import (
	"cmp"
	"math"
	"slices"
)

// This file is for reading: the samplers as their papers define them, on a
// slice of logits in float64. A removed token has logit -Inf. Nothing runs on
// them but the test that holds the fast ones to them.

// PlainSoftmax returns the probabilities of logits divided by a temperature
// above 0. The largest logit is taken off first, so that no exponential
// overflows.
func PlainSoftmax(logits []float64, temperature float64) []float64 {
	best := slices.Max(logits)
	probs, sum := make([]float64, len(logits)), 0.0
	for i, x := range logits {
		probs[i] = math.Exp((x - best) / temperature)
		sum += probs[i]
	}
	for i := range probs {
		probs[i] /= sum
	}
	return probs
}

// PlainRanking returns the tokens from the most to the least probable, equal
// ones by ascending id.
func PlainRanking(probs []float64) []int {
	ids := make([]int, len(probs))
	for i := range ids {
		ids[i] = i
	}
	slices.SortStableFunc(ids, func(a, b int) int { return cmp.Compare(probs[b], probs[a]) })
	return ids
}

// PlainTopK keeps the k best tokens and what ties with the last of them (Fan
// et al. 2018).
func PlainTopK(logits []float64, k int) []float64 {
	ids := PlainRanking(logits)
	limit := logits[ids[min(k, len(ids))-1]]
	return plainKeep(logits, func(i int) bool { return logits[i] >= limit })
}

// PlainTopP keeps the smallest set of best tokens that holds the share p of
// the probability (Holtzman et al. 2019, "nucleus sampling").
func PlainTopP(logits []float64, p float64) []float64 {
	probs := PlainSoftmax(logits, 1)
	nucleus, mass := map[int]bool{}, 0.0
	for _, i := range PlainRanking(probs) {
		if mass >= p && len(nucleus) > 0 {
			break
		}
		nucleus[i] = true
		mass += probs[i]
	}
	return plainKeep(logits, func(i int) bool { return nucleus[i] })
}

// PlainMinP keeps the tokens that have at least the share p of the best one's
// probability (Nguyen et al. 2024).
func PlainMinP(logits []float64, p float64) []float64 {
	probs := PlainSoftmax(logits, 1)
	limit := p * slices.Max(probs)
	return plainKeep(logits, func(i int) bool { return probs[i] >= limit })
}

// PlainTypical keeps the tokens whose surprise is nearest to the entropy, the
// surprise that is to be expected, until they hold the share p (Meister et al.
// 2022, "locally typical sampling").
func PlainTypical(logits []float64, p float64) []float64 {
	probs, entropy := PlainSoftmax(logits, 1), 0.0
	for _, q := range probs {
		if q > 0 {
			entropy -= q * math.Log(q)
		}
	}
	nearness := make([]float64, len(probs))
	for i, q := range probs {
		nearness[i] = -math.Abs(-math.Log(q) - entropy)
	}
	typical, mass := map[int]bool{}, 0.0
	for _, i := range PlainRanking(nearness) {
		if mass >= p && len(typical) > 0 {
			break
		}
		typical[i] = true
		mass += probs[i]
	}
	return plainKeep(logits, func(i int) bool { return typical[i] })
}

// PlainRepetition makes every token of the history less likely, however often
// it occurs (Keskar et al. 2019): a positive logit is divided by the penalty,
// another is multiplied.
func PlainRepetition(logits []float64, history []int, penalty float64) []float64 {
	out := slices.Clone(logits)
	for i, x := range logits {
		switch {
		case !slices.Contains(history, i):
		case x > 0:
			out[i] = x / penalty
		default:
			out[i] = x * penalty
		}
	}
	return out
}

// PlainCounts takes frequency off a token's logit for each time it occurs in
// the history, and presence if it occurs at all.
func PlainCounts(logits []float64, history []int, frequency, presence float64) []float64 {
	out := slices.Clone(logits)
	for _, i := range history {
		out[i] -= frequency
	}
	for i := range logits {
		if slices.Contains(history, i) {
			out[i] -= presence
		}
	}
	return out
}

// PlainDraw returns the token at u, from 0 up to 1, on a line on which the
// tokens lie side by side from the most probable down, each as long as it is
// probable.
func PlainDraw(probs []float64, u float64) int {
	end := 0.0
	for _, i := range PlainRanking(probs) {
		if end += probs[i]; u < end {
			return i
		}
	}
	return PlainRanking(probs)[0] // u was beyond the sum by rounding
}

// plainKeep sends the logits of the tokens that are not kept to -Inf.
func plainKeep(logits []float64, kept func(i int) bool) []float64 {
	out := slices.Clone(logits)
	for i := range out {
		if !kept(i) {
			out[i] = math.Inf(-1)
		}
	}
	return out
}
