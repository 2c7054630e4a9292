package sampling

import (
	"math"
	"strings"
)

// dryStage lowers tokens that would go on with a run the history has had
// before ("don't repeat yourself").
type dryStage struct {
	multiplier, base float32
	allowed, window  int
	breakers         [][]int32 // sequences that end a run; the first token heads each
}

func (s *dryStage) apply(r *row) {
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
	counts := grow(&r.idxBuf, n)
	clear(counts)
	matchLengths(counts, limit, back)
	s.lower(r, counts, back)
	r.sorted = false
}

// limit returns how many tokens lie after the nearest breaker.
func (s *dryStage) limit(n int, back func(int) int32) int {
	for i := range n {
		longest := -1
		for _, b := range s.breakers {
			tail := b[1:]
			if b[0] != back(i) || len(tail) <= longest || len(tail) > i {
				continue
			}
			match := true
			for k, t := range tail {
				if t != back(i-k-1) {
					match = false
					break
				}
			}
			if match {
				longest = len(tail)
			}
		}
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
func (s *dryStage) lower(r *row, counts []int32, back func(int) int32) {
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
		pos, ok := r.position(id)
		if !first || !ok || s.isBreaker(id) {
			continue
		}
		exp := longest - s.allowed
		if most > 0 && exp > most {
			exp = most
		}
		penalty := float32(float64(s.multiplier) * math.Pow(float64(s.base), float64(exp)))
		if e := r.entry(pos); e >= 0 && r.x[e] > negInf {
			r.set(e, r.x[e]-penalty)
		}
	}
}

func (s *dryStage) isBreaker(id int32) bool {
	for _, b := range s.breakers {
		if len(b) == 1 && b[0] == id {
			return true
		}
	}
	return false
}

// breakerTokens returns the token sequences that write a breaker text: every
// token whose piece holds it, and every token whose piece ends with a start
// of it together with the tokens of the rest.
func breakerTokens(v Vocab, texts []string) [][]int32 {
	const maxText, maxTail = 40, 20
	var out [][]int32
	for id := range int32(v.Size()) {
		if !v.HasPiece(id) {
			continue
		}
		piece := v.Piece(id)
		for _, text := range texts {
			if text == "" {
				continue
			}
			text = text[:min(len(text), maxText)]
			if strings.Contains(piece, text) {
				out = append(out, []int32{id})
				continue
			}
			for k := min(len(piece), len(text)-1); k > 0; k-- {
				if strings.HasSuffix(piece, text[:k]) {
					tail := v.Encode(text[k:])
					out = append(out, append([]int32{id}, tail[:min(len(tail), maxTail)]...))
				}
			}
		}
	}
	return out
}
