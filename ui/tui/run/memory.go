package run

import (
	"logitscope/engine"
)

const (
	// memoryBytes is what rows and traces may take, of all lanes and all texts
	// that were left. What does not fit is computed again when it is looked at.
	memoryBytes = 128 << 20

	// maxRuns is how many texts that were left a lane keeps.
	maxRuns = 100
)

// Tidy brings the texts that were left within what may be kept: too many are
// forgotten, the oldest first, and those that are too heavy lose their rows and
// traces.
func (ls *Lanes) Tidy() {
	var sum int64
	for _, l := range append(ls.All[:len(ls.All):len(ls.All)], ls.Parked...) {
		for len(l.Branches) > maxRuns {
			l.forget(l.oldest())
		}
		for i := range l.Branches {
			sum += l.weigh(i)
		}
	}
	for sum > ls.Memory.Left() {
		l, i := ls.heaviest()
		if l == nil {
			return
		}
		sum -= l.Branches[i].weight
		l.lighten(i)
	}
}

// weigh returns the bytes of branch i.
func (l *Lane) weigh(i int) int64 {
	b := &l.Branches[i]
	if !b.weighed {
		b.weighed, b.weight = true, engine.Weight(b.Steps[CommonSteps(b.Steps, l.View.Steps):])
	}
	return b.weight
}

// heaviest returns the oldest branch that has something to lose, nil if none
// has.
func (ls *Lanes) heaviest() (of *Lane, at int) {
	born := 0
	for _, l := range append(ls.All[:len(ls.All):len(ls.All)], ls.Parked...) {
		for i, b := range l.Branches {
			if b.weight > 0 && (of == nil || b.Born < born) {
				of, at, born = l, i, b.Born
			}
		}
	}
	return of, at
}

// lighten takes the rows and traces from what branch i does not share with the
// present text.
func (l *Lane) lighten(i int) {
	b := &l.Branches[i]
	n := CommonSteps(b.Steps, l.View.Steps)
	b.Steps = append(b.Steps[:n:n], engine.Lighten(b.Steps[n:])...)
	b.weight = 0
}

// oldest returns the branch that was begun first.
func (l *Lane) oldest() int {
	at := 0
	for i, b := range l.Branches {
		if b.Born < l.Branches[at].Born {
			at = i
		}
	}
	return at
}

// forget drops branch i. Undo no longer leads to it.
func (l *Lane) forget(i int) {
	l.Branches = append(l.Branches[:i:i], l.Branches[i+1:]...)
	l.Forgotten++
	for _, list := range [][]Snapshot{l.Undo, l.Redo} {
		for k := range list {
			s := &list[k]
			for _, at := range []*int{&s.Branch, &s.taken} {
				switch {
				case *at == i:
					*at = -1
				case *at > i:
					*at--
				}
			}
		}
	}
}
