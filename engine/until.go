package engine

import "slices"

// stopped pauses the lane where what it was to stop at holds, and reports
// whether it did. The tokens of a speculative round are looked at one by one
// but written together: the lane pauses before the round, and Done gets the
// view as it would be at the token.
func (l *Lane) stopped() bool {
	if l.budget == 0 || l.until.Holds == nil || len(l.pending) == 0 && (l.search == nil || l.search.steps() == 0) {
		return false
	}
	v := l.view()
	v.Phase = Paused
	for i := range max(len(l.pending), 1) {
		if i > 0 {
			v.Steps, v.Next = append(slices.Clip(v.Steps), v.Next), l.pending[i]
		}
		if l.until.Holds(v) {
			l.budget = 0
			l.until.Done <- v
			l.setUntil(Until{})
			return true
		}
	}
	return false
}

// setUntil makes u what the lane stops at, and ends what it was to stop at.
func (l *Lane) setUntil(u Until) {
	if l.until.Done != nil {
		close(l.until.Done)
	}
	l.until = u
}
