package kit

import (
	"strings"

	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"logitscope/viz"
)

// A Field is one line of text being typed: the editing is that of Bubbles'
// text input, the cells are drawn here, since what is typed or completed may
// hold anything.
type Field struct{ input textinput.Model }

// NewField returns a field that holds s, with the cursor at its end.
func NewField(s string) Field {
	in := textinput.New()
	in.Cursor.SetMode(cursor.CursorStatic)
	in.KeyMap.Paste.Unbind() // the terminal pastes; no other clipboard is read
	in.KeyMap.AcceptSuggestion.Unbind()
	in.KeyMap.NextSuggestion.Unbind()
	in.KeyMap.PrevSuggestion.Unbind()
	in.Focus()
	in.SetValue(hold(s, ""))
	in.CursorEnd()
	return Field{in}
}

// Text is what was typed, byte for byte.
func (f *Field) Text() string { return release(f.input.Value()) }

// At returns the byte of the text that the cursor stands on.
func (f *Field) At() int {
	return len(release(string([]rune(f.input.Value())[:f.input.Position()])))
}

// Key takes an editing key and reports whether it was one. Newlines and tabs
// in what is pasted become spaces, since a field has one line.
func (f *Field) Key(k tea.KeyMsg) bool {
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
func (f *Field) presses(k tea.KeyMsg) int {
	m := &f.input.KeyMap
	switch text, at := f.Text(), f.At(); {
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

// Draw draws the field at x, y, scrolled so that the cursor is in view, and
// returns the column after it.
func (f *Field) Draw(c *viz.Canvas, x, y int) int {
	return drawTyped(c, x, y, f.Text(), f.At())
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

// A List is the selection in a list that may be longer than its window.
type List struct{ At, Top int }

// Move selects another of n entries and keeps it within h lines.
func (l *List) Move(d, n, h int) {
	l.At = min(max(l.At+d, 0), max(n-1, 0))
	l.show(n, h)
}

func (l *List) show(n, h int) {
	h = max(h, 1)
	l.Top = min(max(l.Top, l.At-h+1), l.At)
	l.Top = min(max(l.Top, 0), max(n-h, 0))
}

// Act takes the actions that move through a list.
func (l *List) Act(a *Action, n, h int) bool {
	d, ok := a.Rows(n)
	if ok {
		l.Move(d, n, h)
	}
	return ok
}

// Rows returns how many rows down an action moves in a list of n. ok is false
// for an action that does not move through lists.
func (a *Action) Rows(n int) (d int, ok bool) { return a.moves(ActUp, ActDown, n) }

// Columns returns how many of n places to the right an action moves in a row.
// ok is false for an action that does not move through rows.
func (a *Action) Columns(n int) (d int, ok bool) { return a.moves(ActLeft, ActRight, n) }

func (a *Action) moves(back, on ID, n int) (d int, ok bool) {
	switch a.ID {
	case back:
		return -1, true
	case on:
		return 1, true
	case ActLeft10:
		return -10, true
	case ActRight10:
		return 10, true
	case ActFirst:
		return -n, true
	case ActLast:
		return n, true
	}
	return 0, false
}

// MoveKey returns how far a key moves in a list while a field is open.
func MoveKey(k tea.KeyMsg) int {
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
