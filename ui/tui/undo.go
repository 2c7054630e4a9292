package tui

import (
	"slices"

	"logitscope/viz"
)

// undo goes back to before the last change; redo to after it.
func (m *board) undo() {
	l := m.lane()
	if l.look.at > 0 && l.look.under != nil {
		before := l.step()
		l.look = lookback{at: l.look.at}
		l.settle(before)
		m.say("undone: the step as it was")
		return
	}
	m.travel(&l.undo, &l.redo, "undone", "u: nothing to undo")
}

func (m *board) redo() {
	l := m.lane()
	m.travel(&l.redo, &l.undo, "again", "U: nothing to redo")
}

// travel takes the last snapshot of from, puts the present on to, and makes
// the snapshot the present.
func (m *board) travel(from, to *[]snapshot, done, none string) {
	l := m.lane()
	n := len(*from)
	if n == 0 {
		m.say(none)
		return
	}
	s := (*from)[n-1]
	*from = (*from)[:n-1]
	back := l.snapshot(s.what, -1)
	if s.branch >= 0 && s.branch < len(l.branches) {
		back.branch = m.swapBranch(l, s.branch)
	}
	if s.taken >= 0 && s.taken < len(l.branches) {
		back.taken = s.taken
		l.branches[s.taken].gone = !l.branches[s.taken].gone
	}
	*to = append(*to, back)
	m.change = lastChange{}
	if !slices.Equal(l.pins, s.pins) {
		l.setPins(s.pins)
	}
	if !s.config.Equal(l.config) || s.preset != l.preset {
		set, err := l.compile(s.config, s.preset)
		if err != nil {
			m.complain(err.Error())
			return
		}
		l.config, l.preset = s.config, s.preset
		l.tune(set)
	}
	m.say(done + ": " + s.what)
}

// flip changes between the two slots of settings; the first flip copies.
func (m *board) flip() {
	l := m.lane()
	now := &slot{l.config, l.preset}
	m.slots[m.slot] = now
	other := 1 - m.slot
	names := [...]string{"A", "B"}
	if m.slots[other] == nil {
		m.slots[other] = now
		m.slot = other
		m.say("B holds a copy of these settings; change it, and a flips between A and B")
		return
	}
	to := m.slots[other]
	diff := differences(l.config, to.config)
	if l.look.at > 0 {
		m.say("a: esc first; A and B are settings for the next token")
		return
	}
	if m.apply(to.config, to.preset, "", "flip to "+names[other]) {
		m.slot = other
		m.say(viz.SomeOf(names[other]+": ", diff, m.noticeWidth()))
	}
}
