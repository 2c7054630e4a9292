// Package dry answers: which tokens would go on with a run that the text has had
// before, and how much are they lowered? It is "don't repeat yourself", as
// llama.cpp computes it.
package dry

import "math"

// A Rule is DRY with its settings.
type Rule struct {
	Multiplier, Base float32
	Allowed          int // tokens of a run that cost nothing
	Breakers         Breakers
}

// Penalties calls visit for every token that would go on with a run longer than
// the rule allows, with what its logit is lowered by. back returns the i-th token
// of the history from its end, of as many as counts has; what counts held before
// is lost. It reports whether the history is long enough for a run.
func (r *Rule) Penalties(counts []int32, back func(int) int32, visit func(id int32, penalty float32)) bool {
	limit := r.limit(len(counts), back)
	if limit < r.Allowed {
		return false
	}
	clear(counts)
	matchLengths(counts, limit, back)
	r.lower(counts, back, visit)
	return true
}

// limit returns how many tokens lie after the nearest breaker.
func (r *Rule) limit(n int, back func(int) int32) int {
	for i := range n {
		longest := r.Breakers.longest(i, back)
		if longest >= 0 {
			return i - longest
		}
	}
	return n
}

// matchLengths sets counts[n-1-k] to the length of the longest common suffix
// of the history and the history without its last k tokens, at most limit,
// by the Z algorithm on the reversed history.
func matchLengths(counts []int32, limit int, back func(int) int32) {
	n := len(counts)
	last := n - 1
	rt, lt := 0, 0
	for k := 1; k < n; k++ {
		if k > rt {
			m := 0
			for m+k < n && back(m) == back(m+k) {
				m++
			}
			counts[last-k] = int32(min(m, limit))
			if m > 0 {
				lt, rt = k, k+m-1
			}
			continue
		}
		p, right := k-lt, rt-k+1
		if int(counts[last-p]) < right {
			counts[last-k] = min(counts[last-p], int32(limit))
			continue
		}
		i := rt + 1
		for i < n && back(i) == back(i-k) {
			i++
		}
		counts[last-k] = int32(min(i-k, limit))
		lt, rt = k, i-1
	}
}

// lower calls visit for each token that would continue a run, by its longest one.
func (r *Rule) lower(counts []int32, back func(int) int32, visit func(id int32, penalty float32)) {
	n := len(counts)
	most := 0
	if r.Base > 1.000001 {
		most = int(float32(88.7228391) / float32(math.Log(float64(r.Base))))
	}
	for i := range n - 1 {
		c := int(counts[i])
		if c < r.Allowed {
			continue
		}
		id := back(n - 2 - i)
		longest, first := c, true
		for j := range n - 1 {
			if back(n-2-j) != id || int(counts[j]) < r.Allowed {
				continue
			}
			if j < i {
				first = false
				break
			}
			longest = max(longest, int(counts[j]))
		}
		if !first || r.Breakers.breaks(id) {
			continue
		}
		exp := longest - r.Allowed
		if most > 0 && exp > most {
			exp = most
		}
		visit(id, float32(float64(r.Multiplier)*math.Pow(float64(r.Base), float64(exp))))
	}
}
