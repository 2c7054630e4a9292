package sampling

import (
	"math"
	"slices"
)

// dryStage lowers tokens that would go on with a run the history has had
// before ("don't repeat yourself").
type dryStage struct {
	multiplier, base float32
	allowed, window  int
	breakers         breakers
}

func (s *dryStage) apply(r *step) {
	prompt, output := lastN(r.in.Prompt, r.in.Output, s.window)
	n := len(prompt) + len(output)
	if n <= s.allowed {
		return
	}
	// back returns the i-th token from the end.
	back := func(i int) int32 {
		if i < len(output) {
			return output[len(output)-1-i]
		}
		return prompt[len(prompt)-1-(i-len(output))]
	}
	limit := s.limit(n, back)
	if limit < s.allowed {
		return
	}
	r.counts = slices.Grow(r.counts[:0], n)[:n]
	counts := r.counts
	clear(counts)
	matchLengths(counts, limit, back)
	s.lower(r, counts, back)
	r.Sorted = false
}

// limit returns how many tokens lie after the nearest breaker.
func (s *dryStage) limit(n int, back func(int) int32) int {
	for i := range n {
		longest := s.breakers.longest(i, back)
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

// lower penalises each token that would continue a run, by its longest one.
func (s *dryStage) lower(r *step, counts []int32, back func(int) int32) {
	n := len(counts)
	most := 0
	if s.base > 1.000001 {
		most = int(float32(88.7228391) / log32(s.base))
	}
	for i := range n - 1 {
		c := int(counts[i])
		if c < s.allowed {
			continue
		}
		id := back(n - 2 - i)
		longest, first := c, true
		for j := range n - 1 {
			if back(n-2-j) != id || int(counts[j]) < s.allowed {
				continue
			}
			if j < i {
				first = false
				break
			}
			longest = max(longest, int(counts[j]))
		}
		pos, ok := r.Position(id)
		if !first || !ok || s.breakers.breaks(id) {
			continue
		}
		exp := longest - s.allowed
		if most > 0 && exp > most {
			exp = most
		}
		penalty := float32(float64(s.multiplier) * math.Pow(float64(s.base), float64(exp)))
		if e := r.Entry(pos); e >= 0 && r.X[e] > negInf {
			r.Set(e, r.X[e]-penalty)
		}
	}
}
