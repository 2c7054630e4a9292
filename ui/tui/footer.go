package tui

import (
	"fmt"
	"strings"

	"logitscope/engine"
	"logitscope/sampling"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// drawHelpLine draws the one line that is always there: what was just said,
// else what is special now, else what the selected knob does.
func (m *Model) drawHelpLine(c *viz.Canvas, k class) {
	text, ink := m.helpLine(k)
	c.Clear()
	if viz.Width(text) > c.W-2 {
		text = viz.CutSentence(text, c.W-2)
	}
	c.Put(1, 0, text, ink)
}

func (m *Model) helpLine(k class) (string, viz.Ink) {
	l := m.Lane()
	switch {
	case m.Notice.Text != "" && m.Warn:
		return "! " + viz.Printable(m.Notice.Text, m.pal.ASCII), viz.Ink{Role: viz.Warning}
	case m.Notice.Text != "":
		return viz.Printable(m.Notice.Text, m.pal.ASCII), viz.Ink{}
	case m.fresh && m.screen.id == "lab":
		return firstRunLine(l, m.w-2), viz.Ink{}
	}
	if s := m.WaitingLine(); s != "" {
		return "! " + viz.Printable(s, m.pal.ASCII), viz.Ink{Role: viz.Warning}
	}
	if h, ok := m.screen.view.(helper); ok {
		if s, ink := h.help(m); s != "" {
			return s, ink
		}
	}
	switch {
	case l.Observing() && (l.Before() != nil || l.Look.Under != nil):
		return "What-if: what these settings would leave of the row. The server's choice stands. u undoes", viz.Ink{Role: viz.Draw}
	case l.Before() != nil:
		moved := m.Effect.Key.Step == l.Step() && m.Effect.Tv > 0
		if why := m.idle(); k <= class80 && !moved && why.NoEffect() {
			return "○ " + why.String() + " · u undoes", viz.Ink{Role: viz.Inert} // there is no pane of controls to say it
		}
		s := "What-if: nothing is written yet."
		if moved {
			s += " TV to before " + viz.Three(m.Effect.Tv) + "."
		}
		return s + " → takes it · u undoes", viz.Ink{Role: viz.Draw}
	case l.Look.At > 0:
		return fmt.Sprintf("Step %d of %d as it was. space goes on from here, f forces another token, esc back to the newest.", l.Look.At, len(l.View.Steps)), viz.Ink{}
	case l.View.Phase == engine.Done:
		return "space: " + m.WhyNot(l), viz.Ink{}
	case l.View.Phase == engine.Failed:
		return m.WhyNot(l), viz.Ink{Role: viz.Warning}
	}
	p := m.Selected()
	if v := m.Effect.Verdict; v != "" && m.Effect.Key.Key == p.Key && m.Effect.Key.Step == l.Step() {
		return v + ". " + p.Help, viz.Ink{}
	}
	if k <= class80 {
		if why := m.idle(); why.Reason != sampling.Acts {
			return "○ " + why.String(), viz.Ink{Role: viz.Inert}
		}
		return p.Help, viz.Ink{}
	}
	return p.Key + ": " + p.Help, viz.Ink{}
}

// firstRunLine greets until the first key, in at most w cells.
func firstRunLine(l *run.Lane, w int) string {
	info := l.Model.Info()
	name := viz.Printable(info.Name, false)
	start := " space starts it."
	if l.View.Phase == engine.Idle && l.Prompt == nil {
		start = " e writes a prompt, E has examples."
	}
	long := viz.Printable(strings.TrimSuffix(info.Note, "."), false) + "." + start
	short := name + " is ready." + start
	if info.Params > 0 && info.Params < 100e6 {
		short = fmt.Sprintf("%s is a toy of %s million numbers.", name, millions(info.Params)) + start
	}
	if info.Note != "" && viz.Width(long) <= w {
		return long
	}
	return short
}

// A hint is one entry of the footer.
type hint struct {
	id   string // action, or empty for text alone
	keys string // shown instead of the action's first key
	word string // shown instead of the action's hint
}

// footers are the hints of the lab by class, most useful first.
var footers = map[class][]hint{
	class100: {{id: "run"}, {id: "right"}, {id: "left"}, {keys: "1-5", word: "preset"}, {id: "pane"}, {id: "lower", keys: "-/+"},
		{id: "zoom"}, {id: "force"}, {id: "pin"}, {id: "find"}, {id: "prompt"}, {id: "examples"}, {id: "timeline"}, {id: "compare"}, {id: "help"}},
	class80: {{id: "run"}, {id: "right"}, {id: "left"}, {keys: "1-5", word: "preset"}, {id: "pane"}, {id: "zoom"}, {id: "help"}},
	class60: {{id: "run", word: "run"}, {id: "right"}, {id: "left", word: "back"}, {keys: "1-5", word: "preset"}, {id: "help"}},
	class40: {{id: "run", word: "-"}, {id: "right"}, {keys: "1-5", word: "preset"}, {id: "help"}},
}

// footersByState take the place of the lab's hints in some states.
var footersByState = map[engine.Phase][]hint{
	engine.Idle:    {{id: "prompt"}, {id: "examples"}, {keys: "1-5", word: "preset"}, {id: "commands"}, {id: "quit", word: "quit"}, {id: "help"}},
	engine.Prefill: {{id: "close", word: "stop reading"}, {id: "prompt", word: "edit the prompt"}, {keys: "1-5", word: "preset"}, {id: "help"}},
	engine.Running: {{id: "run", word: "pause"}, {id: "faster", word: "faster"}, {id: "slower", word: "slower"}, {keys: "1-5", word: "preset"},
		{id: "lower", keys: "-/+"}, {id: "right", word: "one step"}, {id: "back", word: "look back"}, {id: "zoom"}, {id: "order", word: "order"}, {id: "help"}},
	engine.Done:   {{id: "left", word: "look back"}, {id: "reseed"}, {id: "again"}, {id: "compare"}, {id: "export"}, {id: "help"}},
	engine.Failed: {{id: "left", word: "look back"}, {id: "again"}, {id: "prompt"}, {id: "copy", word: "copy this report"}, {id: "quit", word: "quit"}, {id: "help"}},
}

var zoomFooter = []hint{{id: "zoom", word: "all panes"}, {id: "run", word: "run"}, {id: "right"}, {id: "left", word: "back"},
	{keys: "1-5", word: "preset"}, {id: "predict"}, {id: "help"}}

// drawFooter draws the hints that fit, all of them keys that act now.
func (m *Model) drawFooter(c *viz.Canvas, k class) {
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
	id   string
}

func (m *Model) footerSpans(w int, k class) []footerSpan {
	list := footers[min(k, class100)]
	if p, ok := footersByState[m.Lane().View.Phase]; ok && m.Lane().Look.At == 0 {
		list = p
	}
	if l := m.Lane(); l.CanRetry() && l.Look.At == 0 {
		list = append([]hint{{id: "run", word: "try again"}}, list...)
	}
	if m.zoom {
		list = zoomFooter
	}
	if h := m.top().hints(m); h != nil {
		list = nil
		for _, id := range h {
			list = append(list, hint{id: id})
		}
	}
	if f, ok := m.top().(footed); ok {
		list = f.footer(m)
	}
	if len(m.overlays) == 0 && m.atTheEnd() {
		list = m.withoutWriting(list)
	}
	return m.fitHints(list, w)
}

// atTheEnd reports whether the keys that write a token have nothing to write:
// the texts have ended, and no place before their ends is shown.
func (m *Model) atTheEnd() bool {
	lanes := []*run.Lane{m.Lane()}
	if m.screen.id == "compare" {
		lanes = m.Scope()
	}
	for _, l := range lanes {
		if l.View.Phase != engine.Done || l.Look.At > 0 {
			return false
		}
	}
	v, ok := m.screen.view.(*specView)
	return !ok || v.round == 0
}

// withoutWriting leaves out the hints that write a token, and offers another
// text in their place.
func (m *Model) withoutWriting(list []hint) []hint {
	dead := map[string]bool{"run": true, "next": true, "right": m.screen.id == "compare" || m.screen.id == "lab"}
	out, left := []hint(nil), false
	for _, h := range list {
		if dead[h.id] {
			left = true
			continue
		}
		out = append(out, h)
	}
	if left {
		out = append([]hint{{id: "again"}, {id: "reseed"}}, out...)
	}
	return out
}

// fitHints places the hints that fit w cells, from the left. Help stays to the
// last, since it leads to all the others.
func (m *Model) fitHints(list []hint, w int) []footerSpan {
	const gap = 3
	end := w - 1
	var last string
	if n := len(list); n > 0 && list[n-1].id == "help" {
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
		out = append(out, footerSpan{s, x, h.id})
		x += viz.Width(s) + gap
	}
	if last != "" && x+viz.Width(last) <= w-1 {
		out = append(out, footerSpan{last, x, "help"})
	}
	return out
}

// hintText is one hint: its key and word. It reports false if no key leads to
// the action.
func (m *Model) hintText(h hint) (string, bool) {
	if h.id == "" {
		return h.keys + " " + h.word, true
	}
	a := m.keys.byID[h.id]
	if a == nil || a.first() == "" {
		return "", false
	}
	key, word := a.first(), a.hint
	if h.keys != "" {
		key = h.keys
	}
	if h.word != "" {
		word = h.word
	}
	if word == "" {
		word = a.words()
	}
	if word == "-" {
		return key, true
	}
	return key + " " + word, true
}
