package tui

import (
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// shownPanes lists the panes that the window has, in the order of tab.
func (m *Model) shownPanes() []pane {
	switch kit.ClassOf(m.w, m.h) {
	case kit.Class160, kit.Class120:
		return []pane{paneText, paneChart, paneControls, panePipeline, paneEntropy}
	case kit.Class100:
		return []pane{paneText, paneChart, paneControls, panePipeline}
	}
	return []pane{paneText, paneChart, paneControls, panePipeline}
}

// focusShown moves the focus to a pane that the window has.
func (m *Model) focusShown() {
	if p := m.shownPanes(); !slices.Contains(p, m.focus) {
		m.focus = paneChart
	}
}

// focusNext moves the focus by d panes.
func (m *Model) focusNext(d int) {
	p := m.shownPanes()
	i := slices.Index(p, m.focus)
	m.focus = p[(i+d+len(p))%len(p)]
	m.Say(paneNames[m.focus] + paneKeys[m.focus])
}

var paneNames = map[pane]string{
	paneText: "text", paneChart: "chart", paneControls: "controls", panePipeline: "pipeline", paneEntropy: "entropy",
}

var paneKeys = map[pane]string{
	paneText:     ": ← → step by step · m what its colours mean · y copies it",
	paneChart:    ": ↑ ↓ choose a row · f forces it · p pins it · ← → step",
	paneControls: ": ↑ ↓ choose a knob · ← → change it · enter types a value · 0 off",
	panePipeline: ": ↑ ↓ choose a stage · < > move it · x takes it out · enter shows it",
	paneEntropy:  ": ← → step by step",
}

// along is what the horizontal arrows do in the focused pane.
func (m *Model) along(d int) {
	if m.focus == paneControls {
		m.Nudge(d)
		return
	}
	if d > 0 {
		m.Next(d)
		return
	}
	m.Back(-d)
}

// far moves ten times as far.
func (m *Model) far(d int) { m.along(10 * d) }

// move is what the vertical arrows do in the focused pane.
func (m *Model) move(d int) {
	switch m.focus {
	case paneControls:
		m.moveKnob(d)
	case panePipeline:
		if s := m.Lane().Step(); s != nil && s.Trace != nil {
			m.Stage = min(max(m.Stage+d, 0), len(s.Trace.Stages())-1)
			return
		}
		m.Say("no stages yet: " + m.WhyNot(m.Lane()))
	default:
		m.moveRow(d)
	}
}

// moveKnob selects another knob and keeps it in view.
func (m *Model) moveKnob(d int) {
	to := min(max(m.Knob+d, 0), len(run.Knobs)-1)
	if to == m.Knob {
		m.Say("no more knobs that way; : finds any by name")
	}
	m.Knob = to
	m.showKnob()
}

// showKnob scrolls the list of knobs to the selected one.
func (m *Model) showKnob() {
	n := max(m.knobRows()-run.FixedKnobs, 1)
	if m.Knob < len(run.Knobs)-run.FixedKnobs {
		m.scroll = min(max(m.scroll, m.Knob-n+1), m.Knob)
	}
	m.scroll = min(max(m.scroll, 0), max(len(run.Knobs)-run.FixedKnobs-n, 0))
}

// moveRow moves the cursor of the chart.
func (m *Model) moveRow(d int) {
	l := m.Lane()
	ids := m.chartIDs()
	if len(ids) == 0 {
		m.Say("no rows yet: " + m.WhyNot(l))
		return
	}
	i := slices.Index(ids, l.Row)
	to := min(max(i+d, 0), len(ids)-1)
	switch {
	case i >= 0 && to == i && d < 0:
		m.Say("this is the first row; the rest is ranked below it")
	case i >= 0 && to == i:
		m.Say("this is the last row; / finds any other token")
	}
	l.Row = ids[to]
}

// end goes to the first or last thing of the focused pane.
func (m *Model) end(d int) {
	l := m.Lane()
	switch m.focus {
	case paneControls:
		m.moveKnob(d * len(run.Knobs))
	case panePipeline:
		m.move(d * 100)
	case paneChart:
		m.moveRow(d * 100)
	default:
		if d > 0 {
			l.LookAt(0)
			return
		}
		if len(l.View.Steps) == 0 {
			m.Say("home: no token is written yet")
			return
		}
		m.Back(len(l.View.Steps))
	}
}

// openSelected is what enter does in the focused pane.
func (m *Model) openSelected() tea.Cmd {
	switch m.focus {
	case paneControls:
		return m.Open(kit.ViewValue)
	case panePipeline:
		if run.IsPenalty(m.SelectedStage()) {
			return m.Open(kit.ViewPenalties)
		}
		return m.Open(kit.ViewStages)
	case paneChart:
		return m.inspect()
	}
	if kit.ClassOf(m.w, m.h) < kit.Class100 {
		return m.Open(kit.ViewValue)
	}
	m.Say("enter: nothing to open here; tab goes to another pane")
	return nil
}

// toggleZoom gives the focused pane the whole screen, or takes it back.
func (m *Model) toggleZoom() {
	m.zoom = !m.zoom
	if m.zoom {
		m.Say("z shows all panes again")
	}
}

// toMark goes to the previous or next mark of the text: a switch of settings
// or a forced token.
func (m *Model) toMark(d int) {
	l := m.Lane()
	at := l.Look.At
	if at == 0 {
		at = len(l.View.Steps) + 1
	}
	for k := at + d; k >= 1 && k <= len(l.View.Steps); k += d {
		s := l.View.Steps[k-1]
		if s.Forced || k > 1 && l.View.Steps[k-2].Settings.Label != s.Settings.Label {
			l.LookAt(k)
			return
		}
	}
	if d > 0 && l.Look.At > 0 {
		l.LookAt(0)
		return
	}
	m.Say("[ ]: no mark further on: none switched or forced there")
}

// inspect says in one line what the selected thing does here.
func (m *Model) inspect() tea.Cmd {
	l := m.Lane()
	s := l.Step()
	if s == nil || s.Trace == nil {
		m.Say("i: " + m.WhyNot(l))
		return nil
	}
	switch m.focus {
	case paneControls:
		a, b := m.effectLines()
		m.Say(m.Selected().Key + ": " + a + " " + b)
	case panePipeline:
		st := s.Trace.Stages()[min(m.Stage, len(s.Trace.Stages())-1)]
		m.Say(fmt.Sprintf("%s: %s kept, %s removed, mass %s, %s bits after it · %s",
			st.Label, viz.Count(st.Kept), viz.Count(st.Removed), viz.Percent(float64(st.Mass)), viz.Two(float64(st.Bits)), whatItDid(m, s, min(m.Stage, len(s.Trace.Stages())-1))))
	default:
		m.Say(m.rowWords(s, l.Row))
	}
	return nil
}

// rowWords follows one token through the stages.
func (m *Model) rowWords(s *engine.Step, id int32) string {
	if id == models.NoToken {
		return "i: no row is selected"
	}
	r := s.Trace.Row(id)
	if r == nil {
		return "i: " + m.Lane().Piece(id, m.pal.ASCII) + " is not among the rows of this step"
	}
	out := fmt.Sprintf("%s id %d: rank %s, logit %s", m.Lane().Piece(id, m.pal.ASCII), id, viz.Count(int(r.Rank)), viz.Two(float64(r.RawLogit)))
	last := float32(-1)
	for i, st := range s.Trace.Stages() {
		if int8(i) == r.Cut {
			return out + " · ✗ " + run.Short(st.Name)
		}
		if p := r.Probs[i]; p != last {
			out += " · " + run.Short(st.Name) + " " + viz.Percent(float64(p))
			last = p
		}
	}
	return out
}

// closeLevel is what esc does.
func (m *Model) closeLevel() tea.Cmd {
	l := m.Lane()
	switch {
	case len(m.overlays) > 0 || m.screen.id != kit.ViewLab:
		m.Close()
	case m.zoom:
		m.zoom = false
	case l.View.Phase == engine.Prefill:
		l.Eng.Post(engine.Cancel{})
	case l.Look.At > 0:
		l.LookAt(0)
	case l.Running():
		m.Say("esc: space pauses, q quits")
	default:
		m.Say("esc: nothing to close; q quits")
	}
	return nil
}

// quit leaves the program, after asking once if settings would be lost.
func (m *Model) quit() tea.Cmd {
	for _, l := range m.All {
		name := l.Label(l.Config, l.Preset)
		if !m.asked && len(name) > 0 && name[len(name)-1] == '*' {
			m.asked = true
			m.Say("q: your settings (" + name + ") are not saved; q again quits")
			return nil
		}
	}
	return tea.Quit
}

// moveSelected moves the pipeline's selected stage by d places.
func (m *Model) moveSelected(d int) {
	if m.focus != panePipeline {
		m.Say("< >: tab to the pipeline first; they move its selected stage")
		return
	}
	m.MoveStage(d)
}
