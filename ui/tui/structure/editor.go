package structure

import (
	tea "github.com/charmbracelet/bubbletea"

	"logitscope/sampling"
	"logitscope/sampling/constrain"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// Editor writes a constraint: its kind, its text, and what is wrong
// with it, at its place.
type Editor struct {
	lanes   *run.Lanes
	texts   *Texts
	over    *View // the view that it was opened over, nil for another
	kind    int
	area    kit.TextArea
	options constrain.Options
	base    source     // what it opened with, before what was begun
	fresh   bool       // the text is a template still
	pattern int        // which one, of patterns
	file    *kit.Field // the name of a file being asked for, nil if none is
	said    string

	checked source // what the outcome is of
	stored  string
	notes   []remark // that it is good, then what is worth knowing
	note    int      // the one in front
	bad     *remark
	known   bool
}

// Texts are the constraints of a session as they were typed, and what those
// that are offered would cost.
type Texts struct {
	begun map[int]source    // left unfinished, by kind
	taken map[string]source // put in force, here or by a flag, by their stored form
	bites bites
}

// NewTexts takes JSON of constraints as their files have it, by their
// stored form.
func NewTexts(written map[string]string) *Texts {
	t := &Texts{begun: make(map[int]source), taken: make(map[string]source)}
	for stored, text := range written {
		if s, ok := sourceOf(stored); ok {
			s.text = text
			t.taken[stored] = s
		}
	}
	return t
}

// Begun is what was left unfinished of a kind, empty for nothing.
func (t *Texts) Begun(kind int) string { return t.begun[kind].text }

// of is a stored constraint as it was written; it is false for one that cannot
// be read.
func (t *Texts) of(stored string) (source, bool) {
	if s, ok := t.taken[stored]; ok {
		return s, true
	}
	return sourceOf(stored)
}

// NewEditor opens the editor on the constraint in force, else, and if that
// cannot be read, on a template: that of the kind chosen in over, the view
// that is on the screen, or nil.
func NewEditor(host kit.Host, lanes *run.Lanes, texts *Texts, over *View) (*Editor, tea.Cmd) {
	e := &Editor{lanes: lanes, texts: texts, over: over}
	text := host.Lane().ShownConfig().Text("constraint")
	if over != nil {
		text, e.pattern = over.text(host), over.list.At // the text also while its mask is off
	}
	if s, ok := texts.of(text); ok {
		return e, e.open(s, false)
	}
	return e, e.open(patterns[e.pattern].source, true)
}

// open begins with base, and with what was begun of its kind as a first
// change.
func (e *Editor) open(base source, fresh bool) tea.Cmd {
	e.kind, e.options, e.base, e.fresh, e.area = base.kind, base.options, base, fresh, newSourceArea(base.text)
	if !fresh {
		e.pattern = firstOf(base.kind)
	}
	if s, ok := e.texts.begun[base.kind]; ok && s != base {
		e.area.Replace(s.text)
		e.options, e.fresh = s.options, false
		e.said = "as you left it; ctrl+z brings back the text before"
	}
	return e.check()
}

// Kind is the notation that is written in, and Text what is written.
func (e *Editor) Kind() constrain.Kind { return constrain.Kinds()[e.kind] }

// Text is what was written.
func (e *Editor) Text() string { return e.area.Text() }

// At is the byte of the text that the cursor stands on.
func (e *Editor) At() int { return e.area.At() }

// Write replaces the text, as one change.
func (e *Editor) Write(text string) tea.Cmd {
	e.area.Replace(text)
	e.said, e.fresh = e.area.Said, false
	return e.check()
}

// Known reports whether what is written has been checked; then Fault is what
// is wrong with it and at which byte, "" for nothing and -1 for no place, and
// Stored what it is as a configuration keeps it.
func (e *Editor) Known() bool { return e.known }

// Stored is the constraint as a configuration keeps it.
func (e *Editor) Stored() string { return e.source().stored() }

// Fault is what is wrong with it, nil for nothing.
func (e *Editor) Fault() (what string, at int) {
	if !e.known || e.bad == nil {
		return "", -1
	}
	return e.bad.what, e.bad.at
}

// newSourceArea is a text area for a source, whose lines keep their indent.
func newSourceArea(s string) kit.TextArea {
	t := kit.NewTextArea(s)
	t.Indents = true
	return t
}

// leave closes the editor and keeps what was written for the next time.
func (e *Editor) leave(host kit.Host) {
	host.Close()
	s := e.source()
	if s.kindOf().Form == constrain.NoText && !e.fresh {
		s = source{kind: e.base.kind, text: e.area.Text()}
	}
	if e.fresh || s == e.base {
		delete(e.texts.begun, s.kind)
		return
	}
	e.texts.begun[s.kind] = s
	host.Say("not in force; what you wrote is there when you open it again")
}

// source is what is written; a kind without a text leaves what was written
// under another aside.
func (e *Editor) source() source {
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
func (e *Editor) check() tea.Cmd {
	s := e.source()
	e.known = false
	return func() tea.Msg {
		stored, notes, bad := s.check()
		return sourceMsg{s, stored, notes, bad}
	}
}

// Follow takes results and new views; see [kit.Follower].
func (e *Editor) Follow(host kit.Host, msg tea.Msg) tea.Cmd {
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
		return e.Write(msg.Text)
	}
	return nil
}

// Frame titles the box; see [kit.Overlay].
func (e *Editor) Frame(host kit.Host) viz.Frame {
	title := "constraint · " + e.source().kindOf().Name
	if e.fresh {
		title += " · " + patterns[e.pattern].name
	}
	if others := e.source().others(); others != "" {
		title += " · " + others
	}
	return viz.Frame{Title: viz.OneLine(title, host.Screen().ASCII()), Right: e.area.Count()}
}

// Size is how large the box wants to be; see [kit.Overlay].
func (e *Editor) Size(host kit.Host) (int, int) {
	return min(max(84, host.Screen().W*3/4), 120), max(16, host.Screen().H-6)
}

// Hints are what the footer offers; see [kit.View].
func (e *Editor) Hints(host kit.Host) []kit.ID { return []kit.ID{kit.ActClose} }

// Act takes the actions it names; see [kit.View].
func (e *Editor) Act(kit.Host, *kit.Action) (tea.Cmd, bool) { return nil, true }

// Undoes marks the editor as a [kit.Writer].
func (e *Editor) Undoes() {}

// Key takes what is typed; see [kit.Typist].
func (e *Editor) Key(host kit.Host, k tea.KeyMsg) (tea.Cmd, bool) {
	e.said = ""
	if e.file != nil {
		return kit.FileKey(host, &e.file, k), true
	}
	switch k.Type {
	case tea.KeyEsc:
		e.leave(host)
		return nil, true
	case tea.KeyCtrlD:
		e.take(host)
		return nil, true
	case tea.KeyCtrlO:
		f := kit.NewField("")
		e.file = &f
		return nil, true
	case tea.KeyTab, tea.KeyShiftTab:
		d := 1
		if k.Type == tea.KeyShiftTab {
			d = -1
		}
		e.turn(d)
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
	e.area.W = max(host.Screen().Box(e.Size(host)).W-7, 1)
	changed := e.area.Key(k)
	e.said = e.area.Said
	if changed {
		e.fresh = false
		return e.check(), true
	}
	return nil, true
}

// nextNote puts the next note in front and the cursor where it is about.
func (e *Editor) nextNote() {
	if !e.known || e.bad != nil || len(e.notes) < 2 {
		e.said = "ctrl+g: no notes on this text"
		return
	}
	e.note = e.note%(len(e.notes)-1) + 1
	if at := e.notes[e.note].at; at >= 0 {
		e.area.GoTo(at)
	}
}

// turn goes on to the next template, or back. What was written is not a template:
// it goes along to the next kind, since it may have been pasted under the wrong
// one.
func (e *Editor) turn(d int) {
	e.options = constrain.Options{}
	if !e.fresh && e.area.Text() != "" {
		n := len(constrain.Kinds())
		e.kind = (e.kind + d + n) % n
		e.pattern = firstOf(e.kind)
		return
	}
	e.pattern = (e.pattern + d + len(patterns)) % len(patterns)
	e.base = patterns[e.pattern].source
	e.kind, e.area, e.fresh = e.base.kind, newSourceArea(e.base.text), true
}

// take puts the constraint in force.
func (e *Editor) take(host kit.Host) {
	switch {
	case !e.known:
		e.said = "still compiling; ctrl+d again in a moment"
		return
	case e.bad != nil:
		e.said = "! not yet: the reason stands above"
		if e.bad.at >= 0 && !e.area.SameLine(e.bad.at) {
			e.area.GoTo(e.bad.at)
		}
		return
	}
	delete(e.texts.begun, e.kind)
	e.texts.taken[e.stored] = e.source()
	host.Close()
	if e.constrain(host) {
		if n := len(e.notes) - 1; n > 0 {
			host.Say("in force, with " + viz.Plural(n, "note") + " that enter shows. n steps, space runs.")
		}
	}
}

// constrain puts what is written in force and starts again from the prompt. It
// reports whether it could, after saying why not.
func (e *Editor) constrain(host kit.Host) bool {
	l := host.Lane()
	l.LookAt(0)
	cfg, err := l.Config.With("constraint", e.stored, sampling.FromYou)
	if err != nil {
		host.Complain(viz.FirstLine(err.Error()))
		return false
	}
	if !host.Apply(cfg, l.Preset, "", "constraint "+run.KindName(e.stored)) {
		return false
	}
	if e.over == nil {
		host.Open(kit.ViewConstraint)
	} else {
		e.over.kept = ""
	}
	if l.Prompt == nil {
		host.Say("in force; no prompt yet: e writes one, E has examples")
		return true
	}
	e.lanes.Start(l)
	host.Say("in force, again from the prompt. n steps, space runs. C holds it against the text without it.")
	return true
}
