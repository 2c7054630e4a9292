package tui

import (
	"fmt"
	"math"

	"logitscope/engine"
	"logitscope/models"
)

// newest is an index beyond any step: the newest.
const newest = math.MaxInt32

// runLanes is what space does beside other lanes.
func (m *Model) runLanes() {
	if m.lanesRun() {
		m.advanceAll(0)
		return
	}
	ready := false
	for _, l := range m.scope() {
		if l.look.at > 0 {
			m.leavePast(l)
		}
		ready = ready || l.view.Phase == engine.Paused || l.view.Phase == engine.Prefill || l.look.under != nil
	}
	if !ready {
		m.say("space: " + m.whyNot(m.lane()))
		return
	}
	m.advance(-1)
}

// leavePast returns l to its newest step, or makes a branch of the settings
// tried on the step looked back at.
func (m *Model) leavePast(l *lane) {
	if l.look.under != nil {
		m.branchHere(l, l.look.under)
		return
	}
	l.lookAt(0)
}

// advanceAll is advance for all lanes, whatever the scope.
func (m *Model) advanceAll(n int) {
	if m.cmp.group != nil {
		m.cmp.group.Advance(n)
		return
	}
	m.advanceLane(m.lane(), n)
}

// stepLanes moves the lanes of the scope by n steps: through what is written,
// and at its end writing.
func (m *Model) stepLanes(n int) {
	lanes := m.scope()
	tried := false
	for _, l := range lanes {
		tried = tried || l.look.under != nil
	}
	switch at := m.shownStep(); {
	case n < 0:
		m.backLanes(at, -n)
	case anyLooks(lanes) && !tried:
		m.lookLanes(at + n)
	default:
		for _, l := range lanes {
			if l.look.at > 0 {
				m.leavePast(l)
			}
		}
		for _, l := range lanes {
			if p := l.view.Phase; p == engine.Paused || p == engine.Running || p == engine.Prefill {
				m.advance(n)
				return
			}
		}
		m.say("→: " + m.whyNot(m.lane()))
	}
}

// backLanes looks n steps back from step at in every lane of the scope.
func (m *Model) backLanes(at, n int) {
	longest := 0
	for _, l := range m.scope() {
		longest = max(longest, len(l.view.Steps))
	}
	switch {
	case longest == 0:
		m.say("←: no token is written yet")
	case at == 1:
		m.say("←: this is the first token; r starts again from the prompt")
	default:
		if m.lanesRun() {
			m.advance(0)
		}
		m.lookLanes(max(min(at, longest+1)-n, 1))
	}
}

// shownStep is the index of the step that the lanes of the scope show, the
// largest if they differ.
func (m *Model) shownStep() int {
	at := 0
	for _, l := range m.scope() {
		k := l.look.at
		if k == 0 {
			k = len(l.view.Steps) + 1
		}
		at = max(at, k)
	}
	return at
}

// lookLanes shows step k, from 1, in every lane of the scope; a lane that has
// not come so far shows its newest.
func (m *Model) lookLanes(k int) {
	for _, l := range m.scope() {
		to := k
		if k > len(l.view.Steps) {
			to = 0
		}
		if to != l.look.at {
			l.lookAt(to)
		}
	}
}

// forceElsewhere writes the token that the current lane shows in the other
// lanes, in place of theirs.
func (v *compareView) forceElsewhere(m *Model) {
	from := m.lane()
	s := from.step()
	if s == nil || from.view.Beam != nil {
		m.say("f: no token to force yet")
		return
	}
	n := 0
	for _, l := range m.lanes {
		if l == from || !m.canForce(l, s.Index) {
			continue
		}
		token := translate(from, l, s.Token)
		if t := l.view.Step(s.Index - 1); token == models.NoToken || t != nil && t.Token == token {
			continue
		}
		n++
		l.eng.Post(engine.Advance{N: 0})
		if s.Index <= len(l.view.Steps) {
			snap := l.snapshot(fmt.Sprintf("branch at token %d", s.Index), -1)
			snap.branch = l.branchOff(s.Index - 1)
			l.remember(snap)
		} else {
			l.lookAt(0)
		}
		l.eng.Post(engine.Force{Token: token})
	}
	if n == 0 {
		m.say("f: the other lanes have the same token at this step, or have not come so far")
		return
	}
	others := "others"
	if len(m.lanes) == 2 {
		others = "other"
	}
	m.say(fmt.Sprintf("forced lane %d's %s in the %s (◆)", m.cur+1, from.piece(s.Token, m.pal.ASCII), others))
}

// canForce reports whether a token can be written as step k of l.
func (m *Model) canForce(l *lane, k int) bool {
	return l.view.Beam == nil && l.view.Contrastive == nil && l.view.Phase > engine.Prefill && k <= len(l.view.Steps)+1 &&
		(k <= len(l.view.Steps) || l.view.Next != nil)
}

// translate returns the token of lane to that reads like token id of lane
// from, NoToken if there is none.
func translate(from, to *lane, id int32) int32 {
	if from.model == to.model {
		return id
	}
	if ids := to.vocab().Encode(from.vocab().Piece(id), models.EncodeOptions{}); len(ids) == 1 {
		return ids[0]
	}
	return models.NoToken
}
