package tui

import (
	"strings"

	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// A field is one line of text being typed: the editing is that of Bubbles'
// text input, the cells are drawn here, since what is typed or completed may
// hold anything.
type field struct{ input textinput.Model }

func newField(s string) field {
	in := textinput.New()
	in.Cursor.SetMode(cursor.CursorStatic)
	in.KeyMap.Paste.Unbind() // the terminal pastes; no other clipboard is read
	in.KeyMap.AcceptSuggestion.Unbind()
	in.KeyMap.NextSuggestion.Unbind()
	in.KeyMap.PrevSuggestion.Unbind()
	in.Focus()
	in.SetValue(hold(s, ""))
	in.CursorEnd()
	return field{in}
}

func (f *field) text() string { return release(f.input.Value()) }

// at returns the byte of the text that the cursor stands on.
func (f *field) at() int {
	return len(release(string([]rune(f.input.Value())[:f.input.Position()])))
}

// key takes an editing key and reports whether it was one. Newlines and tabs
// in what is pasted become spaces, since a field has one line.
func (f *field) key(k tea.KeyMsg) bool {
	typed := k.Type == tea.KeyRunes || k.Type == tea.KeySpace
	if typed && !k.Alt {
		k.Runes = []rune(hold(strings.Map(oneLine, string(k.Runes)), ""))
	}
	if m := f.input.KeyMap; typed && k.Alt && !key.Matches(k, m.WordForward, m.WordBackward, m.DeleteWordForward) {
		return false // else its letter would be typed
	}
	before, at := f.input.Value(), f.input.Position()
	if key.Matches(k, f.input.KeyMap.DeleteWordForward) && at+1 == len([]rune(before)) {
		k = tea.KeyMsg{Type: tea.KeyDelete} // the component reads past a last word of one character
	}
	for range f.presses(k) {
		f.input, _ = f.input.Update(k)
	}
	return typed || before != f.input.Value() || at != f.input.Position()
}

// presses is how often the component needs k to move over or delete one
// character as it is read.
func (f *field) presses(k tea.KeyMsg) int {
	m := &f.input.KeyMap
	switch text, at := f.text(), f.at(); {
	case key.Matches(k, m.CharacterBackward, m.DeleteCharacterBackward):
		return runesBefore(text[:at])
	case key.Matches(k, m.CharacterForward, m.DeleteCharacterForward):
		return runesAfter(text[at:])
	}
	return 1
}

func oneLine(r rune) rune {
	if r == '\n' || r == '\r' || r == '\t' {
		return ' '
	}
	return r
}

// draw draws the field at x, y, scrolled so that the cursor is in view, and
// returns the column after it.
func (f *field) draw(c *viz.Canvas, x, y int) int {
	return drawTyped(c, x, y, f.text(), f.at())
}

// drawTyped draws a line of text with the caret before byte at, scrolled so
// that the caret is in view, and returns the column after it.
func drawTyped(c *viz.Canvas, x, y int, text string, at int) int {
	room := c.W - x - 1
	head := viz.Printable(text[:at], c.ASCII)
	for viz.Width(head) > room-1 && len(head) > 0 {
		head = head[len(viz.FirstCluster(head)):]
	}
	x = c.Put(x, y, head, viz.Ink{})
	caret := "▌"
	if c.ASCII {
		caret = "_"
	}
	x = c.Put(x, y, caret, viz.Ink{Role: viz.Focus})
	return c.Put(x, y, viz.Printable(text[at:], c.ASCII), viz.Ink{})
}

// A list is the selection in a list that may be longer than its window.
type list struct{ at, top int }

// move selects another of n entries and keeps it within h lines.
func (l *list) move(d, n, h int) {
	l.at = min(max(l.at+d, 0), max(n-1, 0))
	l.show(n, h)
}

func (l *list) show(n, h int) {
	h = max(h, 1)
	l.top = min(max(l.top, l.at-h+1), l.at)
	l.top = min(max(l.top, 0), max(n-h, 0))
}

// act takes the actions that move through a list.
func (l *list) act(a *kit.Action, n, h int) bool {
	switch a.ID {
	case kit.ActUp:
		l.move(-1, n, h)
	case kit.ActDown:
		l.move(1, n, h)
	case kit.ActLeft10:
		l.move(-10, n, h)
	case kit.ActRight10:
		l.move(10, n, h)
	case kit.ActFirst:
		l.move(-n, n, h)
	case kit.ActLast:
		l.move(n, n, h)
	default:
		return false
	}
	return true
}

// moveKey returns how far a key moves in a list while a field is open.
func moveKey(k tea.KeyMsg) int {
	switch k.Type {
	case tea.KeyUp:
		return -1
	case tea.KeyDown:
		return 1
	case tea.KeyPgUp:
		return -10
	case tea.KeyPgDown:
		return 10
	}
	return 0
}
