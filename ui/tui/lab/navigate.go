package lab

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// shownPanes lists the panes that the window has, in the order of tab.
func (lb *View) shownPanes() []Pane {
	switch kit.ClassOf(lb.w, lb.h) {
	case kit.Class160, kit.Class120:
		return []Pane{PaneText, PaneChart, PaneControls, PanePipeline, PaneEntropy}
	}
	return []Pane{PaneText, PaneChart, PaneControls, PanePipeline}
}

// FocusShown moves the focus to a pane that the window has.
func (lb *View) FocusShown() {
	if p := lb.shownPanes(); !slices.Contains(p, lb.Focus) {
		lb.Focus = PaneChart
	}
}

// FocusNext moves the focus by d panes.
func (lb *View) FocusNext(d int) {
	p := lb.shownPanes()
	i := slices.Index(p, lb.Focus)
	lb.Focus = p[(i+d+len(p))%len(p)]
	lb.notice.Say(PaneNames[lb.Focus] + paneKeys[lb.Focus])
}

// AtEdge reports whether no pane comes after the focused one, or before it for
// a negative d.
func (lb *View) AtEdge(d int) bool {
	p := lb.shownPanes()
	if d > 0 {
		return lb.Focus == p[len(p)-1]
	}
	return lb.Focus == p[0]
}

// FocusEdge focuses the first pane, or the last for a negative d.
func (lb *View) FocusEdge(d int) {
	p := lb.shownPanes()
	lb.Focus = p[0]
	if d < 0 {
		lb.Focus = p[len(p)-1]
	}
	lb.lanes.Say(PaneNames[lb.Focus] + paneKeys[lb.Focus])
}

// PaneNames name the panes.
var PaneNames = map[Pane]string{
	PaneText: "text", PaneChart: "chart", PaneControls: "controls", PanePipeline: "pipeline", PaneEntropy: "entropy",
}

var paneKeys = map[Pane]string{
	PaneText:     ": ← → look back · enter opens it · m what its colours mean · y copies it",
	PaneChart:    ": ↑ ↓ choose a row · f forces it · p pins it · ← → step",
	PaneControls: ": ↑ ↓ choose a knob · ← → change it · enter types a value · 0 off",
	PanePipeline: ": ← → choose a stage · < > move it · x takes it out · enter shows it",
	PaneEntropy:  ": ← → look back · enter that step",
}

// Along is what the horizontal arrows do in the focused pane.
func (lb *View) Along(d int) {
	switch l := lb.lanes.Lane(); {
	case lb.TurnsKnobs():
		lb.lanes.Nudge(d)
	case lb.has(PanePipeline):
		lb.Move(d)
	case d < 0:
		lb.lanes.Back(-d)
	case lb.looksBack() && l.Look.At == 0:
		lb.notice.Say("→: this is the newest token; " + lb.keyOf(kit.ActNext) + " writes the next")
	default:
		lb.lanes.Next(d)
	}
}

// looksBack reports whether the horizontal arrows go along the text that is
// there, and write nothing.
func (lb *View) looksBack() bool { return lb.has(PaneText) || lb.has(PaneEntropy) }

// Far moves ten times as far.
func (lb *View) Far(d int) { lb.Along(10 * d) }

// Move is what the vertical arrows do in the focused pane.
func (lb *View) Move(d int) {
	switch lb.Focus {
	case PaneControls:
		lb.MoveKnob(d)
	case PanePipeline:
		if s := lb.lanes.Lane().Step(); s != nil && s.Trace != nil {
			lb.sel.SelectStage(lb.sel.Stage+d, len(s.Trace.Stages()))
			return
		}
		lb.notice.Say("no stages yet: " + lb.lanes.WhyNot(lb.lanes.Lane()))
	default:
		lb.moveRow(d)
	}
}

// MoveKnob selects another knob and keeps it in view.
func (lb *View) MoveKnob(d int) {
	if !lb.sel.MoveKnob(d) {
		lb.notice.Say("no more knobs that way; : finds any by name")
	}
	lb.ShowKnob()
}

// ShowKnob scrolls the list of knobs to the selected one.
func (lb *View) ShowKnob() { lb.scroll = lb.topKnob() }

// topKnob is the first knob in view: as the list was scrolled last, but for as
// much as the selected one needs, whoever selected it and however high the
// list is now.
func (lb *View) topKnob() int {
	n := max(lb.knobRows()-run.FixedKnobs, 1)
	top := lb.scroll
	if lb.sel.Knob < len(run.Knobs)-run.FixedKnobs {
		top = min(max(top, lb.sel.Knob-n+1), lb.sel.Knob)
	}
	return min(max(top, 0), max(len(run.Knobs)-run.FixedKnobs-n, 0))
}

// moveRow moves the cursor of the chart.
func (lb *View) moveRow(d int) {
	l := lb.lanes.Lane()
	ids := lb.ChartIDs()
	if len(ids) == 0 {
		lb.notice.Say("no rows yet: " + lb.lanes.WhyNot(l))
		return
	}
	i := slices.Index(ids, l.Row)
	to := min(max(i+d, 0), len(ids)-1)
	switch {
	case i >= 0 && to == i && d < 0:
		lb.notice.Say("this is the first row; the rest is ranked below it")
	case i >= 0 && to == i:
		lb.notice.Say("this is the last row; / finds any other token")
	}
	l.Row = ids[to]
}

// End goes to the first or last thing of the focused pane.
func (lb *View) End(d int) {
	l := lb.lanes.Lane()
	switch lb.Focus {
	case PaneControls:
		lb.MoveKnob(d * len(run.Knobs))
	case PanePipeline:
		lb.Move(d * 100)
	case PaneChart:
		lb.moveRow(d * 100)
	default:
		if d > 0 {
			l.LookAt(0)
			return
		}
		if len(l.View.Steps) == 0 {
			lb.notice.Say("home: no token is written yet")
			return
		}
		lb.lanes.Back(len(l.View.Steps))
	}
}

// OpenSelected is what enter does in the focused pane.
func (lb *View) OpenSelected(host kit.Host) tea.Cmd {
	switch lb.Focus {
	case PaneControls:
		return host.Open(kit.ViewValue)
	case PanePipeline:
		if run.IsPenalty(lb.sel.StageName(lb.lanes.Lane().Step())) {
			return host.Open(kit.ViewPenalties)
		}
		return host.Open(kit.ViewStages)
	case PaneChart:
		lb.Inspect()
		return nil
	}
	if lb.OpensSwitch() {
		return host.Open(kit.ViewSince)
	}
	lb.Focus = PaneChart
	lb.notice.Say(fmt.Sprintf("step %s in the chart: ↑ ↓ choose a row · f forces it · p pins it", viz.Count(lb.lanes.Lane().Looking())))
	return nil
}

// OpensSwitch reports whether enter opens what a switch of settings changed: its
// tag stands before the token looked at, or a switch before it.
func (lb *View) OpensSwitch() bool { return lb.Focus == PaneText && switched(lb.lanes.Lane()) }

// switched reports whether the settings were changed inside the text, at the
// token looked at or before it.
func switched(l *run.Lane) bool {
	for k := min(l.Looking(), len(l.View.Steps)); k > 1; k-- {
		if l.View.Steps[k-2].Settings != l.View.Steps[k-1].Settings {
			return true
		}
	}
	return false
}

// ToggleZoom gives the focused pane the whole screen, or takes it back.
func (lb *View) ToggleZoom() {
	lb.Zoom = !lb.Zoom
}

// ToMark goes to the previous or next mark of the text: a switch of settings,
// a forced token, a cue or the first of those that repeat.
func (lb *View) ToMark(d int) {
	l := lb.lanes.Lane()
	at := l.Look.At
	if at == 0 {
		at = len(l.View.Steps) + 1
	}
	for k := at + d; k >= 1 && k <= len(l.View.Steps); k += d {
		s := l.View.Steps[k-1]
		if s.Forced || l.Cue(k) != "" || l.Loop != nil && k == l.Loop.First || k > 1 && l.View.Steps[k-2].Settings.Label != s.Settings.Label {
			l.LookAt(k)
			lb.lanes.SayCue(l, l.Looking())
			return
		}
	}
	if d > 0 && l.Look.At > 0 {
		l.LookAt(0)
		lb.lanes.SayCue(l, l.Looking())
		return
	}
	lb.notice.Say("[ ]: no mark further on: no switch, no forced token, no cue, no loop")
}

// Inspect says in one line what the selected thing does here.
func (lb *View) Inspect() { lb.inspectPane(lb.Focus) }

// inspectPane says what is selected in a pane does here.
func (lb *View) inspectPane(p Pane) {
	l := lb.lanes.Lane()
	s := l.Step()
	if s == nil || s.Trace == nil {
		lb.notice.Say("i: " + lb.lanes.WhyNot(l))
		return
	}
	switch p {
	case PaneControls:
		a, b := lb.effectLines()
		lb.notice.Say(lb.sel.Selected().Key + ": " + a + " " + b)
	case PanePipeline:
		st := s.Trace.Stages()[lb.sel.StageOf(len(s.Trace.Stages()))]
		lb.notice.Say(fmt.Sprintf("%s: %s kept, %s removed, mass %s, %s bits after it · %s",
			st.Label, viz.Count(st.Kept), viz.Count(st.Removed), viz.Percent(float64(st.Mass)), viz.Two(float64(st.Bits)), whatItDid(lb, s, lb.sel.StageOf(len(s.Trace.Stages())))))
	case PaneText, PaneEntropy:
		if l.Loop != nil {
			lb.notice.Say(loopWords(l))
			return
		}
		fallthrough
	default:
		lb.notice.Say(lb.rowWords(s, l.Row))
	}
}

// loopWords say what repeats, and which knobs of the order in force would act
// on it.
func loopWords(l *run.Lane) string {
	p := l.Loop
	s := fmt.Sprintf("%s stand %d times in a row", viz.Plural(p.Period, "token"), p.Copies)
	if knobs := loopKnobs(l); len(knobs) > 0 {
		s += ": " + strings.Join(knobs, " or ") + " breaks it"
	}
	return s
}

// loopKnobs are the settings that lower what would repeat, of those that the
// order in force reads.
func loopKnobs(l *run.Lane) []string {
	var out []string
	order := l.ShownConfig().Order()
	for _, key := range []string{"repetition_penalty", "dry_multiplier", "frequency_penalty"} {
		if order.Reads(key) != nil {
			out = append(out, key)
		}
	}
	return out[:min(len(out), 2)]
}

// rowWords follows one token through the stages.
func (lb *View) rowWords(s *engine.Step, id int32) string {
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

// MoveSelected moves the pipeline's selected stage by d places.
func (lb *View) MoveSelected(d int) {
	if lb.Focus != PanePipeline {
		lb.notice.Say("< >: tab to the pipeline first; they move its selected stage")
		return
	}
	lb.lanes.MoveStage(d)
}

// TurnsKnobs reports whether the horizontal arrows turn a knob and step no
// more.
func (lb *View) TurnsKnobs() bool { return lb.has(PaneControls) }

// StepKeys returns the keys that go a token on and back from the focused pane.
func (lb *View) StepKeys() (next, back string) {
	if lb.TurnsKnobs() || lb.has(PanePipeline) || lb.looksBack() {
		return lb.keyOf(kit.ActNext), lb.keyOf(kit.ActBack)
	}
	return lb.keyOf(kit.ActRight), lb.keyOf(kit.ActLeft)
}

// InspectKnob says what the selected knob does here.
func (lb *View) InspectKnob() { lb.inspectPane(PaneControls) }

// InspectStage says what the selected stage does here, which moves the focus
// to the pipeline.
func (lb *View) InspectStage() {
	lb.Focus = PanePipeline
	lb.Inspect()
}
