package goal

import (
	"slices"

	"logitscope/engine"
)

// A Watch looks for the first view in which an expression holds. It belongs to
// whoever asks it, one at a time.
type Watch struct {
	expr *Expr
	lane Lane
	base State

	before []Leaf
	became []Leaf
}

// NewWatch returns a watch of a lane. base has the settings that changed and
// only compare with; its lanes do not count.
func NewWatch(e *Expr, lane Lane, base State) *Watch { return &Watch{expr: e, lane: lane, base: base} }

// Holds reports whether the expression holds in v, where the token proposed
// counts as decoded. It is what [engine.Until] takes.
func (w *Watch) Holds(v engine.View) bool {
	s := w.base
	l := w.lane
	l.View, l.Proposal = v, true
	s.Lanes, s.At = []Lane{l}, 0
	sc := NewScene(s)
	now := w.expr.answers(sc)
	if !w.expr.Eval(sc).Holds() {
		w.before = now
		return false
	}
	w.became = w.became[:0]
	for i, leaf := range now {
		if leaf.Value.Holds() && (i >= len(w.before) || !w.before[i].Value.Holds()) {
			w.became = append(w.became, leaf)
		}
	}
	if len(w.became) == 0 { // what holds has held before, or what does not is denied
		w.became = []Leaf{{Source: w.expr.String(), Value: truth(true), Of: w.expr.Now(sc)}}
	}
	return true
}

// Became returns the parts of the expression that became true where it held
// first, each with the values of its terms there; see [Watch.Holds].
func (w *Watch) Became() []Leaf { return slices.Clone(w.became) }
