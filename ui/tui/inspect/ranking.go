package inspect

import (
	"math"
	"sort"

	"logitscope/sampling"
)

// A ranking tells the rank and probability of a logit within a row.
type ranking struct {
	sorted []float64 // best first
	max    float64
	sum    float64 // of exp(logit - max)
}

func newRanking(logits []float64) ranking {
	r := ranking{sorted: logits, max: math.Inf(-1)}
	sort.Sort(sort.Reverse(sort.Float64Slice(r.sorted)))
	if len(logits) > 0 {
		r.max = r.sorted[0]
	}
	for _, x := range logits {
		r.sum += math.Exp(x - r.max)
	}
	return r
}

// place returns the rank, from 1, and the probability of a logit of the row.
func (r ranking) place(logit float64) (rank int, p float64) {
	rank = sort.Search(len(r.sorted), func(i int) bool { return r.sorted[i] <= logit }) + 1
	return rank, math.Exp(logit-r.max) / r.sum
}

// logitsBoth returns the rankings before and after a stage moved the logits
// of some tokens. Tokens it did not touch count as the model gave them.
func logitsBoth(list []sampling.Touch, moved map[int32]float64, in sampling.Input) (before, after ranking) {
	was := make(map[int32]float64, len(list))
	for _, t := range list {
		was[t.ID] = float64(t.Before)
	}
	a, b := make([]float64, 0, len(in.Logits)), make([]float64, 0, len(in.Logits))
	for i, x := range in.Logits {
		id := int32(i)
		if in.IDs != nil {
			id = in.IDs[i]
		}
		v := float64(x)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		if w, ok := was[id]; ok {
			a, b = append(a, w), append(b, moved[id])
			continue
		}
		a, b = append(a, v), append(b, v)
	}
	return newRanking(a), newRanking(b)
}
