package course

import (
	"slices"

	"logitscope/engine/goal"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
)

// Watch judges the goals anew if the screen shows something else than before.
func (c *Course) Watch() {
	if c.reading.Lesson == nil || !c.reading.Standing {
		return
	}
	facts := c.witness()
	now := c.marks()
	if c.scene != nil && slices.Equal(now, c.seen) && equalFacts(facts, c.facts) {
		return
	}
	c.seen, c.facts = now, facts
	c.scene = c.reading.Scene(c.state())
	before := c.reading
	c.reading = c.reading.Look(c.scene)
	c.keepChange(before, c.scene)
}

func (c *Course) marks() []mark {
	var list []mark
	for _, l := range c.lanes.All {
		m := mark{
			id: l.ID, steps: len(l.View.Steps), next: l.View.Next, settings: l.View.Settings, shown: l.ShownSettings(), look: l.Look.At,
			phase: l.View.Phase,
		}
		if l.View.Draft != nil {
			m.rounds = len(l.View.Draft.Rounds)
		}
		if l.View.Beam != nil {
			m.beams = len(l.View.Beam.Steps)
		}
		list = append(list, m)
	}
	return append(list, mark{id: -1, steps: c.lanes.Cur})
}

// state is what the goals may ask about.
func (c *Course) state() goal.State {
	s := goal.State{Facts: c.facts}
	for i, l := range c.lanes.All {
		if l == c.lanes.Lane() {
			s.At = i
		}
		s.Lanes = append(s.Lanes, goal.Lane{
			View: l.View, Model: l.Model, Compile: l.Comp.Settings, Settings: l.ShownSettings(), Words: c.wordsOf(l.Model), Look: l.Look.At,
			Proposal: c.proposal,
		})
	}
	return s
}

// witness adds what the screen shows to the facts of the task.
func (c *Course) witness() goal.Facts {
	f := c.facts
	f.Opened, f.Exported = slices.Clone(f.Opened), slices.Clone(f.Exported)
	for _, id := range c.doors.Names() {
		if !slices.Contains(f.Opened, string(id)) {
			f.Opened = append(f.Opened, string(id))
		}
	}
	for _, v := range c.doors.Shown() {
		w, ok := v.(kit.Witness)
		if !ok {
			continue
		}
		x := w.Witness()
		f.Drew, f.Questions = max(f.Drew, x.Drew), max(f.Questions, x.Questions)
		f.Voted = f.Voted || x.Voted
		for _, name := range x.Exported {
			if !slices.Contains(f.Exported, name) {
				f.Exported = append(f.Exported, name)
			}
		}
	}
	f.Looked = f.Looked || slices.ContainsFunc(c.lanes.All, func(l *run.Lane) bool { return l.Look.At > 0 })
	return f
}

func equalFacts(a, b goal.Facts) bool {
	return slices.Equal(a.Opened, b.Opened) && slices.Equal(a.Exported, b.Exported) &&
		a.Drew == b.Drew && a.Looked == b.Looked && a.Voted == b.Voted && a.Questions == b.Questions
}
