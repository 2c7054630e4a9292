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
func (lb *labView) shownPanes() []pane {
	switch kit.ClassOf(lb.w, lb.h) {
	case kit.Class160, kit.Class120:
		return []pane{paneText, paneChart, paneControls, panePipeline, paneEntropy}
	case kit.Class100:
		return []pane{paneText, paneChart, paneControls, panePipeline}
	}
	return []pane{paneText, paneChart, paneControls, panePipeline}
}

// focusShown moves the focus to a pane that the window has.
func (lb *labView) focusShown() {
	if p := lb.shownPanes(); !slices.Contains(p, lb.focus) {
		lb.focus = paneChart
	}
}

// focusNext moves the focus by d panes.
func (lb *labView) focusNext(d int) {
	p := lb.shownPanes()
	i := slices.Index(p, lb.focus)
	lb.focus = p[(i+d+len(p))%len(p)]
	lb.lanes.Say(paneNames[lb.focus] + paneKeys[lb.focus])
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
func (lb *labView) along(d int) {
	if lb.focus == paneControls {
		lb.lanes.Nudge(d)
		return
	}
	if d > 0 {
		lb.lanes.Next(d)
		return
	}
	lb.lanes.Back(-d)
}

// far moves ten times as far.
func (lb *labView) far(d int) { lb.along(10 * d) }

// move is what the vertical arrows do in the focused pane.
func (lb *labView) move(d int) {
	switch lb.focus {
	case paneControls:
		lb.moveKnob(d)
	case panePipeline:
		if s := lb.lanes.Lane().Step(); s != nil && s.Trace != nil {
			lb.lanes.Stage = min(max(lb.lanes.Stage+d, 0), len(s.Trace.Stages())-1)
			return
		}
		lb.lanes.Say("no stages yet: " + lb.lanes.WhyNot(lb.lanes.Lane()))
	default:
		lb.moveRow(d)
	}
}

// moveKnob selects another knob and keeps it in view.
func (lb *labView) moveKnob(d int) {
	to := min(max(lb.lanes.Knob+d, 0), len(run.Knobs)-1)
	if to == lb.lanes.Knob {
		lb.lanes.Say("no more knobs that way; : finds any by name")
	}
	lb.lanes.Knob = to
	lb.showKnob()
}

// showKnob scrolls the list of knobs to the selected one.
func (lb *labView) showKnob() {
	n := max(lb.knobRows()-run.FixedKnobs, 1)
	if lb.lanes.Knob < len(run.Knobs)-run.FixedKnobs {
		lb.scroll = min(max(lb.scroll, lb.lanes.Knob-n+1), lb.lanes.Knob)
	}
	lb.scroll = min(max(lb.scroll, 0), max(len(run.Knobs)-run.FixedKnobs-n, 0))
}

// moveRow moves the cursor of the chart.
func (lb *labView) moveRow(d int) {
	l := lb.lanes.Lane()
	ids := lb.chartIDs()
	if len(ids) == 0 {
		lb.lanes.Say("no rows yet: " + lb.lanes.WhyNot(l))
		return
	}
	i := slices.Index(ids, l.Row)
	to := min(max(i+d, 0), len(ids)-1)
	switch {
	case i >= 0 && to == i && d < 0:
		lb.lanes.Say("this is the first row; the rest is ranked below it")
	case i >= 0 && to == i:
		lb.lanes.Say("this is the last row; / finds any other token")
	}
	l.Row = ids[to]
}

// end goes to the first or last thing of the focused pane.
func (lb *labView) end(d int) {
	l := lb.lanes.Lane()
	switch lb.focus {
	case paneControls:
		lb.moveKnob(d * len(run.Knobs))
	case panePipeline:
		lb.move(d * 100)
	case paneChart:
		lb.moveRow(d * 100)
	default:
		if d > 0 {
			l.LookAt(0)
			return
		}
		if len(l.View.Steps) == 0 {
			lb.lanes.Say("home: no token is written yet")
			return
		}
		lb.lanes.Back(len(l.View.Steps))
	}
}

// openSelected is what enter does in the focused pane.
func (lb *labView) openSelected(host kit.Host) tea.Cmd {
	switch lb.focus {
	case paneControls:
		return host.Open(kit.ViewValue)
	case panePipeline:
		if run.IsPenalty(lb.lanes.SelectedStage()) {
			return host.Open(kit.ViewPenalties)
		}
		return host.Open(kit.ViewStages)
	case paneChart:
		lb.inspect()
		return nil
	}
	if kit.ClassOf(lb.w, lb.h) < kit.Class100 {
		return host.Open(kit.ViewValue)
	}
	lb.lanes.Say("enter: nothing to open here; tab goes to another pane")
	return nil
}

// toggleZoom gives the focused pane the whole screen, or takes it back.
func (lb *labView) toggleZoom() {
	lb.zoom = !lb.zoom
	if lb.zoom {
		lb.lanes.Say("z shows all panes again")
	}
}

// toMark goes to the previous or next mark of the text: a switch of settings
// or a forced token.
func (lb *labView) toMark(d int) {
	l := lb.lanes.Lane()
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
	lb.lanes.Say("[ ]: no mark further on: none switched or forced there")
}

// inspect says in one line what the selected thing does here.
func (lb *labView) inspect() { lb.inspectPane(lb.focus) }

// inspectPane says what is selected in a pane does here.
func (lb *labView) inspectPane(p pane) {
	l := lb.lanes.Lane()
	s := l.Step()
	if s == nil || s.Trace == nil {
		lb.lanes.Say("i: " + lb.lanes.WhyNot(l))
		return
	}
	switch p {
	case paneControls:
		a, b := lb.effectLines()
		lb.lanes.Say(lb.lanes.Selected().Key + ": " + a + " " + b)
	case panePipeline:
		st := s.Trace.Stages()[min(lb.lanes.Stage, len(s.Trace.Stages())-1)]
		lb.lanes.Say(fmt.Sprintf("%s: %s kept, %s removed, mass %s, %s bits after it · %s",
			st.Label, viz.Count(st.Kept), viz.Count(st.Removed), viz.Percent(float64(st.Mass)), viz.Two(float64(st.Bits)), whatItDid(lb, s, min(lb.lanes.Stage, len(s.Trace.Stages())-1))))
	default:
		lb.lanes.Say(lb.rowWords(s, l.Row))
	}
}

// rowWords follows one token through the stages.
func (lb *labView) rowWords(s *engine.Step, id int32) string {
	if id == models.NoToken {
		return "i: no row is selected"
	}
	r := s.Trace.Row(id)
	if r == nil {
		return "i: " + lb.lanes.Lane().Piece(id, lb.pal.ASCII) + " is not among the rows of this step"
	}
	out := fmt.Sprintf("%s id %d: rank %s, logit %s", lb.lanes.Lane().Piece(id, lb.pal.ASCII), id, viz.Count(int(r.Rank)), viz.Two(float64(r.RawLogit)))
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

// moveSelected moves the pipeline's selected stage by d places.
func (lb *labView) moveSelected(d int) {
	if lb.focus != panePipeline {
		lb.lanes.Say("< >: tab to the pipeline first; they move its selected stage")
		return
	}
	lb.lanes.MoveStage(d)
}

// turnsKnobs reports whether the horizontal arrows turn a knob and step no
// more.
func (lb *labView) turnsKnobs() bool { return lb.focus == paneControls }

// stepKeys returns the keys that go a token on and back from the focused pane.
func (lb *labView) stepKeys() (next, back string) {
	if lb.turnsKnobs() {
		return lb.keyOf(kit.ActNext), lb.keyOf(kit.ActBack)
	}
	return lb.keyOf(kit.ActRight), lb.keyOf(kit.ActLeft)
}

// inspectKnob says what the selected knob does here.
func (lb *labView) inspectKnob() { lb.inspectPane(paneControls) }

// inspectStage says what the selected stage does here, which moves the focus
// to the pipeline.
func (lb *labView) inspectStage() {
	lb.focus = panePipeline
	lb.inspect()
}
