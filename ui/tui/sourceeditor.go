package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"logitscope/sampling/constrain"
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// sourceEditor writes a constraint: its kind, its text, and what is wrong
// with it, at its place.
type sourceEditor struct {
	kind    int
	area    kit.TextArea
	options constrain.Options
	base    source     // what it opened with, before what was begun
	fresh   bool       // the text is a template still
	file    *kit.Field // the name of a file being asked for, nil if none is
	said    string

	checked source // what the outcome is of
	stored  string
	notes   []remark // that it is good, then what is worth knowing
	note    int      // the one in front
	bad     *remark
	known   bool
}

// sourceTexts are the constraints of a session as they were typed.
type sourceTexts struct {
	begun map[int]source    // left unfinished, by kind
	taken map[string]source // put in force, here or by a flag, by their stored form
}

// newSourceTexts takes JSON of constraints as their files have it, by their
// stored form.
func newSourceTexts(written map[string]string) sourceTexts {
	t := sourceTexts{begun: make(map[int]source), taken: make(map[string]source)}
	for stored, text := range written {
		if s, ok := sourceOf(stored); ok {
			s.text = text
			t.taken[stored] = s
		}
	}
	return t
}

// of is a stored constraint as it was written; it is false for one that cannot
// be read.
func (t *sourceTexts) of(stored string) (source, bool) {
	if s, ok := t.taken[stored]; ok {
		return s, true
	}
	return sourceOf(stored)
}

// newSourceEditor opens the editor on the constraint in force, else, and if
// that cannot be read, on a template.
func newSourceEditor(m *Model) (kit.View, tea.Cmd) {
	s, ok := m.sources.of(m.constraintText())
	if !ok {
		return m.openSource(template(0), true)
	}
	return m.openSource(s, false)
}

// constraintText is the constraint of the lane, also while its mask is off.
func (m *Model) constraintText() string {
	if v, ok := m.screen.View.(*constraintView); ok {
		return v.text(m)
	}
	return m.Lane().ShownConfig().Text("constraint")
}

// editSource opens the editor on a kind of constraint.
func (m *Model) editSource(kind int) tea.Cmd {
	if m.topID() == kit.ViewSource {
		return nil
	}
	e, cmd := m.openSource(template(kind), true)
	m.overlays = append(m.overlays, opened{kit.ViewSource, e})
	return cmd
}

// openSource returns an editor of base, with what was begun of its kind as a
// first change.
func (m *Model) openSource(base source, fresh bool) (kit.View, tea.Cmd) {
	e := &sourceEditor{kind: base.kind, options: base.options, base: base, fresh: fresh, area: newSourceArea(base.text)}
	if s, ok := m.sources.begun[base.kind]; ok && s != base {
		e.area.Replace(s.text)
		e.options, e.fresh = s.options, false
		e.said = "as you left it; ctrl+z brings back the text before"
	}
	return e, e.check()
}

// newSourceArea is a text area for a source, whose lines keep their indent.
func newSourceArea(s string) kit.TextArea {
	t := kit.NewTextArea(s)
	t.Indents = true
	return t
}

// leave closes the editor and keeps what was written for the next time.
func (e *sourceEditor) Leave(host kit.Host) {
	m := host.(*Model)
	m.Close()
	s := e.source()
	if s.kindOf().Form == constrain.NoText && !e.fresh {
		s = source{kind: e.base.kind, text: e.area.Text()}
	}
	if e.fresh || s == e.base {
		delete(m.sources.begun, s.kind)
		return
	}
	m.sources.begun[s.kind] = s
	m.Say("not in force; what you wrote is there when you open it again")
}

// source is what is written; a kind without a text leaves what was written
// under another aside.
func (e *sourceEditor) source() source {
	s := source{kind: e.kind, options: e.options}
	if s.kindOf().Form != constrain.NoText {
		s.text = e.area.Text()
	}
	return s
}

// A sourceMsg brings the outcome of compiling a source.
type sourceMsg struct {
	of     source
	stored string
	notes  []remark
	bad    *remark
}

// check compiles what is written, off the screen's own time.
func (e *sourceEditor) check() tea.Cmd {
	s := e.source()
	e.known = false
	return func() tea.Msg {
		stored, notes, bad := s.check()
		return sourceMsg{s, stored, notes, bad}
	}
}

func (e *sourceEditor) Follow(_ kit.Host, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case sourceMsg:
		if msg.of == e.source() {
			e.checked, e.stored, e.notes, e.note, e.bad, e.known = msg.of, msg.stored, msg.notes, 0, msg.bad, true
		}
	case kit.FileMsg:
		if msg.Err != nil {
			e.said = "! " + msg.Err.Error()
			return nil
		}
		e.area.Replace(msg.Text)
		e.said = e.area.Said
		e.fresh = false
		return e.check()
	}
	return nil
}

func (e *sourceEditor) Frame(host kit.Host) viz.Frame {
	m := host.(*Model)
	title := "constraint · " + e.source().kindOf().Name
	if others := e.source().others(); others != "" {
		title += " · " + others
	}
	return viz.Frame{Title: viz.OneLine(title, m.pal.ASCII), Right: e.area.Count()}
}
func (e *sourceEditor) Size(host kit.Host) (int, int) {
	m := host.(*Model)
	return min(max(84, m.w*3/4), 120), max(16, m.h-6)
}
func (e *sourceEditor) Hints(kit.Host) []kit.ID                   { return []kit.ID{kit.ActClose} }
func (e *sourceEditor) Act(kit.Host, *kit.Action) (tea.Cmd, bool) { return nil, true }

func (e *sourceEditor) Key(host kit.Host, k tea.KeyMsg) (tea.Cmd, bool) {
	m := host.(*Model)
	e.said = ""
	if e.file != nil {
		return kit.FileKey(&e.file, k), true
	}
	switch k.Type {
	case tea.KeyEsc:
		e.Leave(m)
		return nil, true
	case tea.KeyCtrlD:
		return e.take(m), true
	case tea.KeyCtrlO:
		f := kit.NewField("")
		e.file = &f
		return nil, true
	case tea.KeyTab, tea.KeyShiftTab:
		d := 1
		if k.Type == tea.KeyShiftTab {
			d = len(constrain.Kinds()) - 1
		}
		e.turn((e.kind + d) % len(constrain.Kinds()))
		return e.check(), true
	case tea.KeyCtrlG:
		e.nextNote()
		return nil, true
	case tea.KeyCtrlT:
		o, ok := switchOf(constrain.Kinds()[e.kind])
		if !ok {
			e.said = "this kind has no switch"
			return nil, true
		}
		o.Switch(&e.options)
		return e.check(), true
	}
	if constrain.Kinds()[e.kind].Form == constrain.NoText {
		e.said = "nothing to write here; ctrl+d puts it in force, tab goes to a kind with a text"
		return nil, true
	}
	e.area.W = max(m.Screen().Box(e.Size(m)).W-7, 1)
	changed := e.area.Key(k)
	e.said = e.area.Said
	if changed {
		e.fresh = false
		return e.check(), true
	}
	return nil, true
}

// nextNote puts the next note in front and the cursor where it is about.
func (e *sourceEditor) nextNote() {
	if !e.known || e.bad != nil || len(e.notes) < 2 {
		e.said = "ctrl+g: no notes on this text"
		return
	}
	e.note = e.note%(len(e.notes)-1) + 1
	if at := e.notes[e.note].at; at >= 0 {
		e.area.GoTo(at)
	}
}

// turn goes to another kind. What was written goes along, since it may have
// been pasted under the wrong one; a template does not.
func (e *sourceEditor) turn(kind int) {
	e.kind, e.options = kind, constrain.Options{}
	if e.fresh || e.area.Text() == "" {
		e.base = template(kind)
		e.area, e.fresh = newSourceArea(e.base.text), true
	}
}

// take puts the constraint in force.
func (e *sourceEditor) take(m *Model) tea.Cmd {
	switch {
	case !e.known:
		e.said = "still compiling; ctrl+d again in a moment"
		return nil
	case e.bad != nil:
		e.said = "! not yet: the reason stands above"
		if e.bad.at >= 0 && !e.area.SameLine(e.bad.at) {
			e.area.GoTo(e.bad.at)
		}
		return nil
	}
	delete(m.sources.begun, e.kind)
	m.sources.taken[e.stored] = e.source()
	m.Close()
	cmd := m.constrain(e.stored)
	if n := len(e.notes) - 1; n > 0 && !m.Warn {
		m.Say("in force, with " + viz.Plural(n, "note") + " that enter shows. n steps, space runs.")
	}
	return cmd
}
