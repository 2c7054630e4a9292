package tui

import (
	"fmt"
	"math"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/ui/tui/run"
)

// newest is an index beyond any step: the newest.
const newest = math.MaxInt32

// runLanes is what space does beside other lanes.
func (m *Model) runLanes() {
	if m.Running() {
		m.AdvanceAll(0)
		return
	}
	ready := false
	for _, l := range m.Scope() {
		if l.Look.At > 0 {
			m.leavePast(l)
		}
		ready = ready || l.View.Phase == engine.Paused || l.View.Phase == engine.Prefill || l.Look.Under != nil
	}
	if !ready {
		m.Say("space: " + m.WhyNot(m.Lane()))
		return
	}
	m.Advance(-1)
}

// leavePast returns l to its newest step, or makes a branch of the settings
// tried on the step looked back at.
func (m *Model) leavePast(l *run.Lane) {
	if l.Look.Under != nil {
		m.BranchHere(l, l.Look.Under)
		return
	}
	l.LookAt(0)
}

// stepLanes moves the lanes of the scope by n steps: through what is written,
// and at its end writing.
func (m *Model) stepLanes(n int) {
	lanes := m.Scope()
	tried := false
	for _, l := range lanes {
		tried = tried || l.Look.Under != nil
	}
	switch at := m.shownStep(); {
	case n < 0:
		m.backLanes(at, -n)
	case anyLooks(lanes) && !tried:
		m.lookLanes(at + n)
	default:
		for _, l := range lanes {
			if l.Look.At > 0 {
				m.leavePast(l)
			}
		}
		for _, l := range lanes {
			if p := l.View.Phase; p == engine.Paused || p == engine.Running || p == engine.Prefill {
				m.Advance(n)
				return
			}
		}
		m.Say("→: " + m.WhyNot(m.Lane()))
	}
}

// backLanes looks n steps back from step at in every lane of the scope.
func (m *Model) backLanes(at, n int) {
	longest := 0
	for _, l := range m.Scope() {
		longest = max(longest, len(l.View.Steps))
	}
	switch {
	case longest == 0:
		m.Say("←: no token is written yet")
	case at == 1:
		m.Say("←: this is the first token; r starts again from the prompt")
	default:
		if m.Running() {
			m.Advance(0)
		}
		m.lookLanes(max(min(at, longest+1)-n, 1))
	}
}

// shownStep is the index of the step that the lanes of the scope show, the
// largest if they differ.
func (m *Model) shownStep() int {
	at := 0
	for _, l := range m.Scope() {
		k := l.Look.At
		if k == 0 {
			k = len(l.View.Steps) + 1
		}
		at = max(at, k)
	}
	return at
}

// lookLanes shows step k, from 1, in every lane of the scope; a lane that has
// not come so far shows its newest.
func (m *Model) lookLanes(k int) {
	for _, l := range m.Scope() {
		to := k
		if k > len(l.View.Steps) {
			to = 0
		}
		if to != l.Look.At {
			l.LookAt(to)
		}
	}
}

// forceElsewhere writes the token that the current lane shows in the other
// lanes, in place of theirs.
func (v *compareView) forceElsewhere(m *Model) {
	from := m.Lane()
	s := from.Step()
	if s == nil || from.View.Beam != nil {
		m.Say("f: no token to force yet")
		return
	}
	n := 0
	for _, l := range m.All {
		if l == from || !m.canForce(l, s.Index) {
			continue
		}
		token := translate(from, l, s.Token)
		if t := l.View.Step(s.Index - 1); token == models.NoToken || t != nil && t.Token == token {
			continue
		}
		n++
		l.Eng.Post(engine.Advance{N: 0})
		if s.Index <= len(l.View.Steps) {
			snap := l.Snapshot(fmt.Sprintf("branch at token %d", s.Index), -1)
			snap.Branch = l.BranchOff(s.Index - 1)
			l.Remember(snap)
		} else {
			l.LookAt(0)
		}
		l.Eng.Post(engine.Force{Token: token})
	}
	if n == 0 {
		m.Say("f: the other lanes have the same token at this step, or have not come so far")
		return
	}
	others := "others"
	if len(m.All) == 2 {
		others = "other"
	}
	m.Say(fmt.Sprintf("forced lane %d's %s in the %s (◆)", m.Cur+1, from.Piece(s.Token, m.pal.ASCII), others))
}

// canForce reports whether a token can be written as step k of l.
func (m *Model) canForce(l *run.Lane, k int) bool {
	return l.View.Beam == nil && l.View.Contrastive == nil && l.View.Phase > engine.Prefill && k <= len(l.View.Steps)+1 &&
		(k <= len(l.View.Steps) || l.View.Next != nil)
}

// translate returns the token of lane to that reads like token id of lane
// from, NoToken if there is none.
func translate(from, to *run.Lane, id int32) int32 {
	if from.Model == to.Model {
		return id
	}
	if ids := to.Vocab().Encode(from.Vocab().Piece(id), models.EncodeOptions{}); len(ids) == 1 {
		return ids[0]
	}
	return models.NoToken
}
