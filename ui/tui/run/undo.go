package run

import (
	"slices"

	"logitscope/sampling/param"
	"logitscope/viz"
)

// Undo goes back to before the last change; redo to after it.
func (ls *Lanes) Undo() {
	l := ls.Lane()
	if l.Look.At > 0 && l.Look.Under != nil {
		before := l.Step()
		l.Look = Lookback{At: l.Look.At}
		l.settle(before)
		ls.Say("undone: the step as it was")
		return
	}
	ls.travel(&l.Undo, &l.Redo, "undone", "u: nothing to undo")
}

// Redo goes to after the change undone last.
func (ls *Lanes) Redo() {
	l := ls.Lane()
	ls.travel(&l.Redo, &l.Undo, "again", "U: nothing to redo")
}

// ChangedBefore returns the parameter other than key that was changed last by
// itself, nil if there is none.
func (l *Lane) ChangedBefore(key string) *param.Param {
	now := l.Config
	for _, s := range slices.Backward(l.Undo) {
		was := s.config
		var changed []*param.Param
		for _, p := range Knobs {
			if p.Format(now.Value(p.Key)) != p.Format(was.Value(p.Key)) {
				changed = append(changed, p)
			}
		}
		if len(changed) == 1 && changed[0].Key != key {
			return changed[0]
		}
		now = was
	}
	return nil
}

// travel takes the last snapshot of from, puts the present on to, and makes
// the snapshot the present.
func (ls *Lanes) travel(from, to *[]Snapshot, done, none string) {
	l := ls.Lane()
	n := len(*from)
	if n == 0 {
		ls.Say(none)
		return
	}
	s := (*from)[n-1]
	*from = (*from)[:n-1]
	back := l.Snapshot(s.what, -1)
	if s.Branch >= 0 && s.Branch < len(l.Branches) {
		back.Branch = ls.swapBranch(l, s.Branch)
	}
	if s.taken >= 0 && s.taken < len(l.Branches) {
		back.taken = s.taken
		l.Branches[s.taken].gone = !l.Branches[s.taken].gone
	}
	*to = append(*to, back)
	if !slices.Equal(l.Pins, s.Pins) {
		l.setPins(s.Pins)
	}
	if !s.config.Equal(l.Config) || s.Preset != l.Preset {
		set, err := l.Compile(s.config, s.Preset)
		if err != nil {
			ls.Complain(err.Error())
			return
		}
		l.Config, l.Preset = s.config, s.Preset
		l.tune(set)
	}
	ls.Say(done + ": " + s.what)
}

// Flip changes between the two slots of settings; the first flip copies.
func (ls *Lanes) Flip() {
	l := ls.Lane()
	now := &slot{l.Config, l.Preset}
	ls.slots[ls.slot] = now
	other := 1 - ls.slot
	names := [...]string{"A", "B"}
	if ls.slots[other] == nil {
		ls.slots[other] = now
		ls.slot = other
		ls.Say("B holds a copy of these settings; change it, and a flips between A and B")
		return
	}
	to := ls.slots[other]
	diff := Differences(l.Config, to.config)
	if l.Look.At > 0 {
		ls.Say("a: esc first; A and B are settings for the next token")
		return
	}
	if ls.Apply(to.config, to.preset, "", "flip to "+names[other]) {
		ls.slot = other
		ls.Say(viz.SomeOf(names[other]+": ", diff, ls.NoticeWidth()))
	}
}
