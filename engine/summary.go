package engine

import (
	"math"
	"slices"

	"logitscope/sampling"
)

// summarise reduces a trace to what every step keeps.
func summarise(t *sampling.Trace) Summary {
	s := Summary{
		RawBits: t.RawBits, Bits: t.Bits, Rest: t.Rest,
		RawLogprob: t.RawLogprob, Logprob: t.Logprob,
		Rank: t.Rank, Survived: int32(t.Survived),
	}
	n := 0
	for _, r := range t.Rows() {
		if n == len(s.Top) {
			break
		}
		s.Top[n] = r.RawProb
		n++
	}
	return s
}

// place returns the natural logarithm of token id's raw probability in r and
// its raw rank, from 1. It returns -Inf and 0 if r does not name id. The ids in
// none, ascending, have no piece and count as impossible, as they do for the
// pipeline.
func (r *Row) place(id int32, none []int32) (logprob float32, rank int32) {
	at := int(id)
	if r.IDs != nil {
		at = -1
		for i, x := range r.IDs {
			if x == id {
				at = i
				break
			}
		}
	}
	if at < 0 || at >= len(r.Values) {
		return float32(math.Inf(-1)), 0
	}
	skip := func(i int) bool {
		if r.IDs != nil {
			i = int(r.IDs[i])
		}
		_, found := slices.BinarySearch(none, int32(i))
		return found
	}
	if len(none) == 0 {
		skip = func(int) bool { return false }
	}
	x, hi := r.Values[at], float32(math.Inf(-1))
	for i, v := range r.Values {
		if !skip(i) {
			hi = max(hi, v)
		}
	}
	sum := 0.0
	rank = 1
	for i, v := range r.Values {
		if skip(i) {
			continue
		}
		sum += math.Exp(float64(v - hi))
		if v > x || v == x && i < at {
			rank++
		}
	}
	lp := float64(x-hi) - math.Log(sum) + math.Log1p(-float64(r.Rest))
	return float32(lp), rank
}

// finalLogprob returns the natural logarithm of token id's probability after
// the settings, as far as t shows it, else -Inf.
func finalLogprob(t *sampling.Trace, id int32) float32 {
	if r := t.Row(id); r != nil {
		return float32(math.Log(float64(r.Prob)))
	}
	return float32(math.Inf(-1))
}
