package tui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/prompt"
	"logitscope/viz"
)

// onKey routes a key: text field, then overlay, view and table of actions.
func (m *Model) onKey(k tea.KeyMsg) tea.Cmd {
	if k.Type == tea.KeyCtrlC {
		return tea.Quit
	}
	_, writes := m.top().(kit.Writer)
	switch {
	case k.Type == tea.KeyCtrlZ && !writes:
		return m.suspend()
	case k.Type == tea.KeyCtrlJ && !m.breaksLines():
		k.Type = tea.KeyEnter
	}
	if k.Type == tea.KeyRunes && mouseGarbage(string(k.Runes)) {
		return nil
	}
	m.Notice.Text, m.Warn, m.fresh = "", false, false
	if t, ok := m.top().(kit.Typist); ok {
		if cmd, done := t.Key(m, k); done {
			return cmd
		}
	}
	if m.tutorActs() {
		if cmd, done := m.tutor.Key(m, k); done {
			return cmd
		}
	}
	switch {
	case k.Paste:
		m.Say("what is pasted goes into a text: e opens the prompt, and : import settings")
		return nil
	case k.Type == tea.KeyRunes && len(k.Runes) > 1:
		return m.onKeys(k)
	}
	a := m.keys.find(k)
	if a == nil {
		m.Say(kit.KeyName(k.String()) + " does nothing; ? lists the keys")
		return nil
	}
	if a.ID != kit.ActQuit {
		m.asked = false
	}
	return m.do(a)
}

// breaksLines reports whether a line break and enter differ in what gets keys:
// in the prompt alone.
func (m *Model) breaksLines() bool { _, ok := m.top().(*prompt.Editor); return ok }

// onKeys takes keys that came in one piece, as they do when a key is held and
// the line is slow, one after the other.
func (m *Model) onKeys(k tea.KeyMsg) tea.Cmd {
	var cmds []tea.Cmd
	for _, r := range k.Runes {
		cmds = append(cmds, m.onKey(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}, Alt: k.Alt}))
	}
	return tea.Batch(cmds...)
}

// mouseGarbage reports whether s is a mouse report that a slow terminal split
// and delivered as typed text.
func mouseGarbage(s string) bool {
	return strings.HasPrefix(s, "[<") && (s[len(s)-1] == 'M' || s[len(s)-1] == 'm')
}

// act runs the action called id.
func (m *Model) act(id kit.ID) tea.Cmd {
	if e := m.keys.byID[id]; e != nil {
		return m.do(e)
	}
	return nil
}

// do gives an action to the overlays from the top, then to the view, then runs
// it. Where a view hides the lab's panes, what acts on those has no meaning,
// unless the view lends it one.
func (m *Model) do(e *entry) tea.Cmd {
	if e.ID == kit.ActInterrupt {
		return tea.Quit
	}
	if n := len(m.overlays); e.ID == kit.ActClose && n > 0 { // it closes what is on top, and reaches nothing below
		cmd, done := m.overlays[n-1].Act(m, &e.Action)
		if !done {
			m.Close()
		}
		return tea.Batch(cmd, m.WantEffect())
	}
	if cmd, done := m.actOver(e); done {
		return tea.Batch(cmd, m.WantEffect())
	}
	if cmd, done := m.tutorAct(&e.Action); done {
		return tea.Batch(cmd, m.WantEffect())
	}
	if m.player != nil && m.screen.id == kit.ViewLab {
		if cmd, done := m.player.Act(m, &e.Action, m.turnsKnobs()); done {
			return tea.Batch(cmd, m.WantEffect())
		}
	}
	if cmd, done := m.screen.Act(m, &e.Action); done {
		return tea.Batch(cmd, m.WantEffect())
	}
	if !m.reaches(e.ID) {
		m.Say(e.First() + ": " + m.notHere())
		return m.WantEffect()
	}
	return tea.Batch(e.run(m), m.WantEffect())
}

// actOver gives an action to the overlays, from the top. Where one takes it and
// nothing on the screen answers, the help line does.
func (m *Model) actOver(e *entry) (tea.Cmd, bool) {
	var before *viz.Canvas
	for i := len(m.overlays) - 1; i >= 0; i-- {
		if before == nil && m.w > 0 {
			before = m.draw()
		}
		cmd, done := m.overlays[i].Act(m, &e.Action)
		if !done {
			continue
		}
		if cmd == nil && m.Notice.Text == "" && before != nil && m.draw().Update(before, m.pal) == "" {
			m.Say(e.First() + ": " + m.nothingThere(e))
		}
		return cmd, true
	}
	return nil, false
}

// nothingThere words that the topmost box has nothing that an action changes.
func (m *Model) nothingThere(e *entry) string {
	_, rows := e.Rows(1)
	_, columns := e.Columns(1)
	if rows || columns {
		return "nothing more that way"
	}
	return "does nothing here; esc closes this first"
}

// Do does what an action means where no view takes it.
func (m *Model) Do(id kit.ID) tea.Cmd {
	if e := m.keys.byID[id]; e != nil {
		return e.run(m)
	}
	return nil
}

// reaches reports whether an action that the view did not take has a meaning
// all the same.
func (m *Model) reaches(id kit.ID) bool {
	if m.screen.id == kit.ViewLab || !slices.Contains(kit.OfLab, id) {
		return true
	}
	v, ok := m.screen.View.(kit.Lender)
	return ok && slices.Contains(v.Lends(m), id)
}

// notHere words that an action has no meaning in the view on the screen.
func (m *Model) notHere() string {
	if v, ok := m.screen.View.(kit.Denier); ok {
		return v.NotHere(m)
	}
	return "not here; esc goes back to the lab"
}
