// Package loops answers: does this text end in a loop? It says whether a text
// ends in a loop: the same tokens over and over. It is the one rule for every
// place that speaks of loops.
package loops

import "fmt"

const (
	// MaxPeriod is the longest period that is looked for, in tokens.
	MaxPeriod = 64
	// MinTokens is the least a loop may be long: what is shorter, a rule of
	// dashes or a laugh, is how texts are written.
	MinTokens = 16
	// MinCopies is how often at least the period must stand in a row.
	MinCopies = 3
)

// A Loop is an end of a text in which every token but the first Period equals
// the one Period before it.
type Loop struct {
	First  int `json:"first"`  // the token it begins with, counted from 1
	Period int `json:"period"` // tokens, 1 to [MaxPeriod]
	Copies int `json:"copies"` // whole copies of the period, [MinCopies] or more
}

// String says where the loop begins, its period and its copies.
func (l Loop) String() string {
	return fmt.Sprintf("from token %d: %d tokens, %d times", l.First, l.Period, l.Copies)
}

// Find returns the loop in which the token ids end, and whether there is one.
// Of several periods it takes the one whose end is longest, and the smallest
// of those. A loop that the text has left again does not count. The work is in
// proportion to the length of the loops, not of the text.
func Find(ids []int32) (Loop, bool) {
	best, length := 0, 0
	for p := 1; p <= MaxPeriod && MinCopies*p <= len(ids); p++ {
		l := p
		for i := len(ids) - 1; i >= p && ids[i] == ids[i-p]; i-- {
			l++
		}
		if l >= MinCopies*p && l >= MinTokens && l > length {
			best, length = p, l
		}
	}
	if best == 0 {
		return Loop{}, false
	}
	return Loop{First: len(ids) - length + 1, Period: best, Copies: length / best}, true
}
