package run

import (
	"logitscope/engine"
	"logitscope/engine/compare"
	"logitscope/models"
)

// ShownIndex is the index, from 0, of the step a lane shows.
func ShownIndex(l *Lane) int {
	if s := l.Step(); s != nil {
		return s.Index - 1
	}
	return 0
}

// ShownView is the lane's view with the step under other settings in the
// place of the one they are tried on.
func ShownView(l *Lane) engine.View {
	v := l.View
	if l.Look.At > 0 && l.Look.Tried != nil {
		v.Looked = l.Look.Tried
	}
	return v
}

// Part returns the first steps, from 0, at which the texts of a and b differ,
// and whether there are any. Where steps cannot be held side by side, since
// token ids differ in meaning or one lane writes no steps, the texts decide.
func Part(a, b *Lane, alien bool) (at [2]int, parts bool) {
	if !alien && a.View.Beam == nil && b.View.Beam == nil {
		i, ok := compare.Differ(a.View, b.View)
		return [2]int{i, i}, ok
	}
	x, y := a.View.Text(), b.View.Text()
	n := min(len(x), len(y))
	for i := range n {
		if x[i] != y[i] {
			return [2]int{stepOfByte(a, i), stepOfByte(b, i)}, true
		}
	}
	over := a.View.Phase == engine.Done && len(x) < len(y) || b.View.Phase == engine.Done && len(y) < len(x)
	return [2]int{stepOfByte(a, n), stepOfByte(b, n)}, over
}

// stepOfByte returns the step, from 0, that wrote byte i of the text. A lane
// that writes no steps counts in bytes.
func stepOfByte(l *Lane, i int) int {
	if l.View.Beam != nil {
		return i
	}
	for k, s := range l.View.Steps {
		if a := l.Vocab().Attr(s.Token); a != models.Control && a != models.Unused {
			i -= len(l.Vocab().Piece(s.Token))
		}
		if i < 0 {
			return k
		}
	}
	return len(l.View.Steps)
}

// AllEnded reports whether every one of lanes has ended or failed.
func AllEnded(lanes []*Lane) bool {
	for _, l := range lanes {
		if l.View.Phase != engine.Done && l.View.Phase != engine.Failed {
			return false
		}
	}
	return true
}
