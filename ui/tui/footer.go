package tui

import (
	"fmt"
	"slices"
	"strings"

	"logitscope/engine"
	"logitscope/sampling/inert"
	"logitscope/ui/tui/draft"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/lab"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// drawHelpLine draws the one line that is always there: what was just said,
// else what is special now, else what the selected knob does.
func (m *Model) drawHelpLine(c *viz.Canvas, k kit.Class) {
	text, ink := m.helpLine(k)
	c.Clear()
	if viz.Width(text) > c.W-2 {
		text = viz.CutSentence(text, c.W-2)
	}
	c.Put(1, 0, text, ink)
}

func (m *Model) helpLine(k kit.Class) (string, viz.Ink) {
	l := m.Lane()
	switch {
	case m.Notice.Text != "" && m.Warn:
		return "! " + viz.Printable(m.Notice.Text, m.pal.ASCII), viz.Ink{Role: viz.Warning}
	case m.Notice.Text != "":
		return viz.Printable(m.Notice.Text, m.pal.ASCII), viz.Ink{}
	case m.fresh && !m.tutor.Shown && m.screen.id == kit.ViewLab && m.player == nil:
		if s := m.goOnLine(m.w - 2); s != "" {
			return s, viz.Ink{}
		}
		return firstRunLine(l, m.w-2, len(m.course.Lessons) > 0), viz.Ink{}
	}
	if s, ink := m.lessonLine(); s != "" {
		return s, ink
	}
	if s := m.WaitingLine(); s != "" {
		return "! " + viz.Printable(s, m.pal.ASCII), viz.Ink{Role: viz.Warning}
	}
	if h, ok := m.screen.View.(kit.Helper); ok {
		if s, ink := h.Help(m); s != "" {
			return s, ink
		}
	}
	switch {
	case l.Observing() && (l.Before() != nil || l.Look.Under != nil):
		return "What-if: what these settings would leave of the row. The server's choice stands. u undoes", viz.Ink{Role: viz.Draw}
	case l.Before() != nil:
		moved := m.Effect.Key.Step == l.Step() && m.Effect.TV > 0
		if why := m.lab.Idle(); k <= kit.Class80 && !moved && why.NoEffect() {
			return "○ " + why.String() + " · u undoes", viz.Ink{Role: viz.Inert} // there is no pane of controls to say it
		}
		s := "What-if: nothing is written yet."
		if moved {
			s += " TV to before " + viz.Three(m.Effect.TV) + "."
		}
		next, _ := m.stepKeys()
		return s + " " + next + " takes it · u undoes", viz.Ink{Role: viz.Draw}
	case l.Look.At > 0:
		return fmt.Sprintf("Step %s of %s as it was. space goes on from here, f forces another token, esc back to the newest.", viz.Count(l.Look.At), viz.Count(len(l.View.Steps))), viz.Ink{}
	case l.View.Phase == engine.Done:
		return "space: " + m.WhyNot(l), viz.Ink{}
	case l.View.Phase == engine.Failed:
		return m.WhyNot(l), viz.Ink{Role: viz.Warning}
	}
	if l.Loop != nil && m.screen.id == kit.ViewLab {
		s := fmt.Sprintf("The last %s stand %d times in a row. [ goes to the first of them", viz.Plural(l.Loop.Period, "token"), l.Loop.Copies)
		if m.lab.Focus == lab.PaneText {
			s += " · i why"
		}
		return s, viz.Ink{Role: viz.Warning}
	}
	if m.player != nil {
		return m.player.Help(), viz.Ink{}
	}
	if !m.turnsKnobsHere() {
		return m.aboutScreen(), viz.Ink{Role: viz.Muted}
	}
	p := m.Selected()
	if v := m.Effect.Verdict; v != "" && m.Effect.Key.Key == p.Key && m.Effect.Key.Step == l.Step() {
		return v + ". " + p.Help, viz.Ink{}
	}
	if k <= kit.Class80 {
		if why := m.lab.Idle(); why.Reason != inert.Acts {
			return "○ " + why.String(), viz.Ink{Role: viz.Inert}
		}
		return p.Help, viz.Ink{}
	}
	return p.Key + ": " + p.Help, viz.Ink{}
}

// turnsKnobsHere reports whether keys change the lab's knob on this screen.
func (m *Model) turnsKnobsHere() bool {
	if m.screen.id == kit.ViewLab || m.screen.id == kit.ViewCompare {
		return true
	}
	lender, ok := m.screen.View.(kit.Lender)
	return ok && slices.Contains(lender.Lends(m), kit.ActLower)
}

// aboutScreen is what the action that opens this screen, which has its name,
// says of it.
func (m *Model) aboutScreen() string {
	if a := m.keys.byID[kit.ID(m.screen.id)]; a != nil {
		return a.Words()
	}
	return views[m.screen.id].title
}

// firstRunLine greets until the first key, in at most w cells.
func firstRunLine(l *run.Lane, w int, lessons bool) string {
	info := l.Model.Info()
	name := viz.Printable(info.Name, false)
	start := " space starts it."
	if l.View.Phase == engine.Idle && l.Prompt == nil {
		start = " e writes a prompt, E has examples."
	}
	if lessons {
		start, _, _ = strings.Cut(strings.TrimSuffix(start, "."), ",")
		start += ", L has lessons."
	}
	long := viz.Printable(strings.TrimSuffix(info.Note, "."), false) + "." + start
	short := name + " is ready." + start
	if info.Params > 0 && info.Params < 100e6 {
		short = fmt.Sprintf("%s is a toy of %s million numbers.", name, lab.Millions(info.Params)) + start
	}
	if info.Note != "" && viz.Width(long) <= w {
		return long
	}
	return short
}

// footers are the hints of the lab by class, most useful first.
var footers = map[kit.Class][]kit.Hint{
	kit.Class100: {{ID: kit.ActRun}, {ID: kit.ActRight}, {ID: kit.ActLeft}, {Keys: "1-5", Word: "preset"}, {ID: kit.ActPane}, {ID: kit.ActLower, Keys: "-/+"},
		{ID: kit.ActZoom}, {ID: kit.ActForce}, {ID: kit.ActPin}, {ID: kit.ActFind}, {ID: kit.ActPrompt}, {ID: kit.ActExamples}, {ID: kit.ActTimeline}, {ID: kit.ActCompare}, {ID: kit.ActHelp}},
	kit.Class80: {{ID: kit.ActRun}, {ID: kit.ActRight}, {ID: kit.ActLeft}, {Keys: "1-5", Word: "preset"}, {ID: kit.ActPane}, {ID: kit.ActZoom}, {ID: kit.ActHelp}},
	kit.Class60: {{ID: kit.ActRun, Word: "run"}, {ID: kit.ActRight}, {ID: kit.ActLeft, Word: "back"}, {Keys: "1-5", Word: "preset"}, {ID: kit.ActHelp}},
	kit.Class40: {{ID: kit.ActRun, Word: "-"}, {ID: kit.ActRight}, {Keys: "1-5", Word: "preset"}, {ID: kit.ActHelp}},
}

// footersByState take the place of the lab's hints in some states.
var footersByState = map[engine.Phase][]kit.Hint{
	engine.Idle:    {{ID: kit.ActPrompt}, {ID: kit.ActExamples}, {Keys: "1-5", Word: "preset"}, {ID: kit.ActCommands}, {ID: kit.ActQuit, Word: "quit"}, {ID: kit.ActHelp}},
	engine.Prefill: {{ID: kit.ActClose, Word: "stop reading"}, {ID: kit.ActPrompt, Word: "edit the prompt"}, {Keys: "1-5", Word: "preset"}, {ID: kit.ActHelp}},
	engine.Running: {{ID: kit.ActRun, Word: "pause"}, {ID: kit.ActFaster, Word: "faster"}, {ID: kit.ActSlower, Word: "slower"}, {Keys: "1-5", Word: "preset"},
		{ID: kit.ActLower, Keys: "-/+"}, {ID: kit.ActRight, Word: "one step"}, {ID: kit.ActBack, Word: "look back"}, {ID: kit.ActZoom}, {ID: kit.ActOrder, Word: "order"}, {ID: kit.ActHelp}},
	engine.Done:   {{ID: kit.ActLeft, Word: "look back"}, {ID: kit.ActReseed}, {ID: kit.ActAgain}, {ID: kit.ActCompare}, {ID: kit.ActExport}, {ID: kit.ActHelp}},
	engine.Failed: {{ID: kit.ActLeft, Word: "look back"}, {ID: kit.ActAgain}, {ID: kit.ActPrompt}, {ID: kit.ActCopy, Word: "copy this report"}, {ID: kit.ActQuit, Word: "quit"}, {ID: kit.ActHelp}},
}

var zoomFooter = []kit.Hint{{ID: kit.ActZoom, Word: "all panes"}, {ID: kit.ActRun, Word: "run"}, {ID: kit.ActRight}, {ID: kit.ActLeft, Word: "back"},
	{ID: kit.ActLower, Keys: "-/+", Word: theKnob}, {ID: kit.ActOff}, {ID: kit.ActPane, Word: "next pane"}, {ID: kit.ActDown, Keys: "↑↓", Word: "row"}, {ID: kit.ActPredict}, {ID: kit.ActHelp}}

// theKnob stands for the name of the selected knob.
const theKnob = "\x00knob"

var zoomFooterRunning = []kit.Hint{{ID: kit.ActZoom, Word: "all panes"}, {ID: kit.ActRun, Word: "pause"}, {ID: kit.ActFaster, Word: "faster"}, {ID: kit.ActSlower, Word: "slower"},
	{Keys: "1-5", Word: "preset"}, {ID: kit.ActHelp}}

// drawFooter draws the hints that fit, all of them keys that act now.
func (m *Model) drawFooter(c *viz.Canvas, k kit.Class) {
	x := 1
	for _, s := range m.footerSpans(c.W, k) {
		if x > 1 {
			x = c.Put(x, 0, " · ", viz.Ink{Role: viz.Muted})
		}
		key, word, _ := strings.Cut(s.text, " ")
		x = c.Put(x, 0, key, viz.Ink{})
		if word != "" {
			x = c.Put(x, 0, " "+word, viz.Ink{Role: viz.Muted})
		}
	}
}

// A footerSpan is a hint as it stands in the footer.
type footerSpan struct {
	text string
	x    int
	id   kit.ID
}

func (m *Model) footerSpans(w int, k kit.Class) []footerSpan {
	list := footers[min(k, kit.Class100)]
	if p, ok := footersByState[m.Lane().View.Phase]; ok && m.Lane().Look.At == 0 {
		list = p
	}
	if m.canTalkOn() {
		list = append([]kit.Hint{{ID: kit.ActOpen, Word: "your next turn"}}, list...)
	}
	if l := m.Lane(); l.CanRetry() && l.Look.At == 0 {
		list = append([]kit.Hint{{ID: kit.ActRun, Word: "try again"}}, list...)
	}
	if m.lab.Zoomed() {
		list = zoomFooter
		if m.Lane().View.Phase == engine.Running {
			list = zoomFooterRunning
		}
	}
	if m.player != nil {
		list = m.player.Footer()
	}
	list = m.ofFocus(list)
	if h := m.top().Hints(m); h != nil {
		list = nil
		for _, id := range h {
			list = append(list, kit.Hint{ID: id})
		}
	}
	if f, ok := m.top().(kit.Footed); ok {
		list = f.Footer(m)
	}
	if m.tutorActs() {
		list = m.tutor.Footer()
	} else if s := m.lessonHint(k); s != "" {
		list = append([]kit.Hint{{ID: kit.ActLessons, Word: s}}, list...)
	}
	if len(m.overlays) == 0 && m.atTheEnd() {
		list = m.withoutWriting(list)
	}
	return m.fitHints(list, w)
}

// turnsKnobs reports whether the horizontal arrows turn a knob and step no
// more.
func (m *Model) turnsKnobs() bool { return m.screen.id == kit.ViewLab && m.lab.TurnsKnobs() }

// stepKeys returns the keys that go a token on and back.
func (m *Model) stepKeys() (next, back string) {
	if m.screen.id == kit.ViewLab {
		return m.lab.StepKeys()
	}
	return m.keys.byID[kit.ActRight].First(), m.keys.byID[kit.ActLeft].First()
}

// focusHints are what the footer begins with in the panes of the lab whose keys
// are not the chart's.
var focusHints = map[lab.Pane][]kit.Hint{
	lab.PaneControls: {{ID: kit.ActRight, Keys: "←→", Word: "change"}, {ID: kit.ActNext, Word: "step"}, {ID: kit.ActBack, Word: "back"},
		{ID: kit.ActDown, Keys: "↑↓", Word: "knob"}, {ID: kit.ActOpen, Word: "type"}, {ID: kit.ActOff}, {ID: kit.ActReset}},
	lab.PanePipeline: {{ID: kit.ActRight, Keys: "←→", Word: "stage"}, {ID: kit.ActOpen, Word: "sums"}, {ID: kit.ActNext, Word: "step"}, {ID: kit.ActTake, Word: "out/in"}, {ID: kit.ActEarlier, Keys: "< >", Word: "move"}},
	lab.PaneText:     {{ID: kit.ActRight, Keys: "←→", Word: "look"}, {ID: kit.ActOpen, Word: "that step"}, {ID: kit.ActNext, Word: "step"}, {ID: kit.ActMarks, Word: "colours"}},
	lab.PaneEntropy:  {{ID: kit.ActRight, Keys: "←→", Word: "look"}, {ID: kit.ActOpen, Word: "that step"}, {ID: kit.ActNext, Word: "step"}},
}

// ofFocus makes the lab's hints those of the focused pane: its own first, and
// no key twice.
func (m *Model) ofFocus(list []kit.Hint) []kit.Hint {
	own := focusHints[m.lab.Focus]
	if m.screen.id != kit.ViewLab || own == nil {
		return list
	}
	taken := make(map[kit.ID]bool)
	for _, h := range own {
		taken[h.ID] = true
	}
	taken[kit.ActRight], taken[kit.ActLeft] = true, true // the arrows are theirs
	if m.turnsKnobs() {
		taken[kit.ActLower] = true
	}
	out := slices.Clone(own)
	if i := slices.IndexFunc(out, func(h kit.Hint) bool { return h.ID == kit.ActOpen }); i >= 0 && m.lab.OpensSwitch() {
		out[i].Word = "since the switch"
	}
	for _, h := range list {
		if h.ID == "" || !taken[h.ID] {
			out = append(out, h)
		}
	}
	return out
}

// atTheEnd reports whether the keys that write a token have nothing to write:
// the texts have ended, and no place before their ends is shown.
func (m *Model) atTheEnd() bool {
	lanes := []*run.Lane{m.Lane()}
	if m.screen.id == kit.ViewCompare {
		lanes = m.Scope()
	}
	for _, l := range lanes {
		if l.View.Phase != engine.Done || l.Look.At > 0 {
			return false
		}
	}
	v, ok := m.screen.View.(*draft.View)
	return !ok || v.Newest()
}

// withoutWriting leaves out the hints that write a token, and offers another
// text in their place.
func (m *Model) withoutWriting(list []kit.Hint) []kit.Hint {
	dead := map[kit.ID]bool{kit.ActRun: true, kit.ActNext: true, kit.ActRight: (m.screen.id == kit.ViewCompare || m.screen.id == kit.ViewLab) && !m.turnsKnobs()}
	out, left := []kit.Hint(nil), false
	for _, h := range list {
		if dead[h.ID] {
			left = true
			continue
		}
		out = append(out, h)
	}
	if left {
		out = append([]kit.Hint{{ID: kit.ActAgain}, {ID: kit.ActReseed}}, out...)
	}
	return out
}

// fitHints places the hints that fit w cells, from the left. Help stays to the
// last, since it leads to all the others.
func (m *Model) fitHints(list []kit.Hint, w int) []footerSpan {
	const gap = 3
	end := w - 1
	var last string
	if n := len(list); n > 0 && list[n-1].ID == kit.ActHelp {
		if s, ok := m.hintText(list[n-1]); ok {
			last, list = s, list[:n-1]
			end -= viz.Width(s) + gap
		}
	}
	var out []footerSpan
	x := 1
	for _, h := range list {
		s, ok := m.hintText(h)
		if !ok {
			continue
		}
		if x+viz.Width(s) > end {
			break
		}
		out = append(out, footerSpan{s, x, h.ID})
		x += viz.Width(s) + gap
	}
	if last != "" && x+viz.Width(last) <= w-1 {
		out = append(out, footerSpan{last, x, kit.ActHelp})
	}
	return out
}

// hintText is one hint: its key and word. It reports false if no key leads to
// the action.
func (m *Model) hintText(h kit.Hint) (string, bool) {
	if h.ID == "" {
		return h.Keys + " " + h.Word, true
	}
	a := m.keys.byID[h.ID]
	if a == nil || a.First() == "" {
		return "", false
	}
	key, word := a.First(), a.Hint
	if h.Keys != "" {
		key = h.Keys
	}
	if h.Word != "" {
		word = h.Word
	}
	if word == "" {
		word = a.Words()
	}
	if word == theKnob {
		word = m.Selected().Key
	}
	if word == "-" {
		return key, true
	}
	return key + " " + word, true
}

// canTalkOn reports whether enter goes on with the user's next turn: the
// model's has ended, and the lane holds a conversation.
func (m *Model) canTalkOn() bool {
	l := m.Lane()
	return l.Talk != nil && l.View.Phase == engine.Done && l.Look.At == 0 && m.lab.Focus != lab.PaneControls && len(m.overlays) == 0
}
