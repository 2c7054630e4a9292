package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/viz"
)

// sourceEditor writes a constraint: its kind, its text, and what is wrong
// with it, at its place.
type sourceEditor struct {
	kind   int
	area   textArea
	option bool
	fresh  bool   // the text is a template still
	file   *field // the name of a file being asked for, nil if none is
	said   string

	checked source // what the outcome is of
	stored  string
	note    string
	bad     *fault
	known   bool
}

func newSourceEditor(m *Model) (view, tea.Cmd) {
	e := &sourceEditor{fresh: true}
	if text := m.lane().config.Text("constraint"); text != "" {
		s := sourceOf(text)
		e.kind, e.option, e.fresh = s.kind, s.option, false
		e.area = newSourceArea(s.text)
	} else {
		e.area = newSourceArea(sourceKinds[0].template)
	}
	return e, e.check()
}

// newSourceArea is a text area for a source, whose lines keep their indent.
func newSourceArea(s string) textArea {
	t := newTextArea(s)
	t.indents = true
	return t
}

// editSource opens the editor on a kind of constraint.
func (m *Model) editSource(kind int) tea.Cmd {
	if m.topID() == "source" {
		return nil
	}
	e := &sourceEditor{kind: kind, fresh: true, area: newSourceArea(sourceKinds[kind].template)}
	m.overlays = append(m.overlays, opened{"source", e})
	return e.check()
}

func (e *sourceEditor) source() source { return source{e.kind, e.area.text(), e.option} }

// A sourceMsg brings the outcome of compiling a source.
type sourceMsg struct {
	of           source
	stored, note string
	bad          *fault
}

// check compiles what is written, off the screen's own time.
func (e *sourceEditor) check() tea.Cmd {
	s := e.source()
	e.known = false
	return func() tea.Msg {
		stored, note, bad := s.check()
		return sourceMsg{s, stored, note, bad}
	}
}

func (e *sourceEditor) follow(m *Model, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case sourceMsg:
		if msg.of == e.source() {
			e.checked, e.stored, e.note, e.bad, e.known = msg.of, msg.stored, msg.note, msg.bad, true
		}
	case fileMsg:
		if msg.err != nil {
			e.said = "! " + msg.err.Error()
			return nil
		}
		e.area.replace(msg.text)
		e.said = e.area.said
		e.fresh = false
		return e.check()
	}
	return nil
}

func (e *sourceEditor) frame(m *Model) viz.Frame {
	return viz.Frame{Title: "constraint · " + sourceKinds[e.kind].name, Right: e.area.count()}
}
func (e *sourceEditor) size(m *Model) (int, int)            { return min(max(84, m.w*3/4), 120), max(16, m.h*2/3) }
func (e *sourceEditor) hints(*Model) []string               { return []string{"close"} }
func (e *sourceEditor) act(*Model, *action) (tea.Cmd, bool) { return nil, true }

func (e *sourceEditor) draw(c *viz.Canvas, m *Model) {
	muted := viz.Ink{Role: viz.Muted}
	x := 1
	for i, k := range sourceKinds {
		name, ink := k.name, muted
		if i == e.kind {
			name, ink = "["+name+"]", viz.Ink{Attr: viz.Bold}
		}
		if x+viz.Width(name) > c.W-1 && i > e.kind {
			break
		}
		x = c.Put(x, 0, name, ink) + 2
	}
	body := c.Sub(viz.Rect{X: 0, Y: 1, W: c.W, H: max(c.H-5, 1)})
	if sourceKinds[e.kind].field == "" {
		body.Put(4, 0, "any JSON value; nothing to write", muted)
	} else {
		mark := -1
		if e.known && e.bad != nil {
			mark = e.bad.at
		}
		e.area.draw(body, 4, mark)
	}
	if e.file != nil {
		e.file.draw(c, c.Put(1, c.H-3, "file to read: ", viz.Ink{Role: viz.Focus}), c.H-3)
		c.Put(1, c.H-2, "enter reads it · esc leaves it", muted)
		return
	}
	e.drawOutcome(c)
	k := sourceKinds[e.kind]
	keys := "ctrl+d writes under it, from the prompt again · tab next kind · ctrl+o from a file · esc leave unchanged"
	c.Put(1, c.H-2, viz.CutTitle(keys, c.W-2), muted)
	last := "ctrl+u empties the line · ctrl+z undoes · paste is one change"
	if k.option != "" {
		on := "○"
		if e.option {
			on = "●"
		}
		last = "ctrl+t " + on + " " + k.says + " · " + last
	}
	if e.said != "" {
		last = e.said
	}
	c.Put(1, c.H-1, viz.CutTitle(viz.Printable(last, c.ASCII), c.W-2), muted)
}

// drawOutcome says whether the source can be used.
func (e *sourceEditor) drawOutcome(c *viz.Canvas) {
	text, ink := e.note, viz.Ink{Role: viz.Boosted}
	switch {
	case !e.known:
		text, ink = "compiling …", viz.Ink{Role: viz.Muted}
	case e.bad != nil:
		text, ink = "! "+e.bad.what, viz.Ink{Role: viz.Warning}
	}
	text = cleanText(text, c.ASCII)
	w := max(c.W-2, 1)
	head := viz.Cut(text, w)
	c.Put(1, c.H-4, head, ink)
	if rest := text[len(head):]; rest != "" {
		c.Put(1, c.H-3, cutWords(strings.TrimLeft(rest, " "), w), ink)
	}
}

func (e *sourceEditor) key(m *Model, k tea.KeyMsg) (tea.Cmd, bool) {
	e.said = ""
	if e.file != nil {
		return fileKey(&e.file, k), true
	}
	switch k.Type {
	case tea.KeyEsc:
		m.closeTop()
		return nil, true
	case tea.KeyCtrlD:
		return e.take(m), true
	case tea.KeyCtrlO:
		f := newField("")
		e.file = &f
		return nil, true
	case tea.KeyTab, tea.KeyShiftTab:
		d := 1
		if k.Type == tea.KeyShiftTab {
			d = len(sourceKinds) - 1
		}
		e.kind = (e.kind + d) % len(sourceKinds)
		if e.fresh || e.area.text() == "" {
			e.area = newSourceArea(sourceKinds[e.kind].template)
		}
		e.option = false
		return e.check(), true
	case tea.KeyCtrlT:
		if sourceKinds[e.kind].option == "" {
			e.said = "this kind has no switch"
			return nil, true
		}
		e.option = !e.option
		return e.check(), true
	}
	e.area.w = max(m.overlayRect(e).W-7, 1)
	changed := e.area.key(k)
	e.said = e.area.said
	if changed {
		e.fresh = false
		return e.check(), true
	}
	return nil, true
}

// take puts the constraint in force.
func (e *sourceEditor) take(m *Model) tea.Cmd {
	switch {
	case !e.known:
		e.said = "still compiling; ctrl+d again in a moment"
		return nil
	case e.bad != nil:
		e.said = "! not yet: " + e.bad.what
		if e.bad.at >= 0 {
			e.area.goTo(e.bad.at)
		}
		return nil
	}
	m.closeTop()
	return m.constrain(e.stored)
}
