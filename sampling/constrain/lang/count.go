package lang

import (
	"math/big"
	"strings"
)

// Identity is what makes two items equal: the text of a string, the value of a
// number.
func (s *StringLang) Identity(text string) string {
	if s.Bare && !s.Word {
		if r, ok := new(big.Rat).SetString(strings.TrimSuffix(text, ".")); ok {
			return r.RatString()
		}
	}
	return text
}

// Settled reports whether nothing that follows in a number can change its value:
// after the point of a whole one, and after the zero of one.
func (s *StringLang) Settled(text string) bool {
	return s.Whole && (strings.Contains(text, ".") || strings.Trim(text, "-") == "0")
}

// Count is the number of texts from q with lo..hi more code points, at most
// limit.
func (d *DFA) Count(q, lo, hi int32, limit int) int {
	n := 0
	d.explore(q, lo, hi, func(string) bool { n++; return n < limit }, limit)
	return min(n, limit)
}

// FewerThan reports whether a language has fewer texts than n. Numbers, and
// texts that are not those of an automaton, are without end.
func (s *StringLang) FewerThan(n int) bool {
	d, ok := s.Lang.(*DFA)
	return ok && !s.Bare && d.Count(d.Start(), s.Lo, s.Hi, n) < n
}

// List returns all texts of lo..hi code points, if there are at most limit.
func (d *DFA) List(lo, hi int32, limit int) (texts []string, ok bool) {
	ok = d.explore(d.Start(), lo, hi, func(s string) bool {
		texts = append(texts, s)
		return len(texts) <= limit
	}, limit)
	return texts, ok && len(texts) <= limit
}

// explore calls fn for texts in order of their bytes' number until it returns
// false. It gives up, with false, once more than limit beginnings are open:
// each has a completion of its own, and fn hears of those as well.
func (d *DFA) explore(q, lo, hi int32, fn func(string) bool, limit int) bool {
	type place struct {
		q, lo, hi int32
		text      string
	}
	if d.Cost(q, lo, hi) >= Unreachable {
		return true
	}
	queue := []place{{q, lo, hi, ""}}
	for len(queue) > 0 {
		if len(queue) > limit {
			for _, p := range queue {
				if !fn(p.text) {
					break
				}
			}
			return false
		}
		p := queue[0]
		queue = queue[1:]
		if p.lo <= 0 && d.Final[p.q] && !fn(p.text) {
			return false
		}
		for b := range 256 {
			to := d.Next[p.q][d.Class[b]]
			if to < 0 || d.Left[p.q] == 0 && p.hi == 0 {
				continue
			}
			next := place{to, p.lo, p.hi, p.text + string([]byte{byte(b)})}
			if d.Left[p.q] == 0 {
				next.lo, next.hi = Less1(p.lo), Less1(p.hi)
			}
			if d.Cost(next.q, next.lo, next.hi) < Unreachable {
				queue = append(queue, next)
			}
		}
		if len(p.text) > maxListed {
			return false
		}
	}
	return true
}

// maxListed is the longest text that explore goes through.
const maxListed = 4096
