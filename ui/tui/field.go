package tui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/viz"
)

// A field is one line of text being typed.
type field struct {
	text string
	at   int // byte of the cursor
}

func newField(s string) field { return field{s, len(s)} }

// insert puts s at the cursor, as one change.
func (f *field) insert(s string) {
	f.text = f.text[:f.at] + s + f.text[f.at:]
	f.at += len(s)
}

// key takes an editing key and reports whether it was one. Newlines in what
// is pasted become spaces, since a field has one line.
func (f *field) key(k tea.KeyMsg) bool {
	switch k.Type {
	case tea.KeyRunes, tea.KeySpace:
		if k.Alt {
			return false
		}
		f.insert(strings.Map(oneLine, string(k.Runes)))
	default:
		return f.edit(k.Type)
	}
	return true
}

func oneLine(r rune) rune {
	if r == '\n' || r == '\r' || r == '\t' {
		return ' '
	}
	return r
}

// edit takes a key that moves or deletes.
func (f *field) edit(k tea.KeyType) bool {
	switch k {
	case tea.KeyBackspace:
		_, n := utf8.DecodeLastRuneInString(f.text[:f.at])
		f.text = f.text[:f.at-n] + f.text[f.at:]
		f.at -= n
	case tea.KeyDelete:
		_, n := utf8.DecodeRuneInString(f.text[f.at:])
		f.text = f.text[:f.at] + f.text[f.at+n:]
	case tea.KeyLeft:
		_, n := utf8.DecodeLastRuneInString(f.text[:f.at])
		f.at -= n
	case tea.KeyRight:
		_, n := utf8.DecodeRuneInString(f.text[f.at:])
		f.at += n
	case tea.KeyCtrlA, tea.KeyHome:
		f.at = f.lineStart()
	case tea.KeyCtrlE, tea.KeyEnd:
		f.at = f.lineEnd()
	case tea.KeyCtrlU:
		s := f.lineStart()
		f.text = f.text[:s] + f.text[f.at:]
		f.at = s
	case tea.KeyCtrlW:
		start := f.lineStart()
		s := strings.TrimRightFunc(f.text[start:f.at], unicode.IsSpace)
		s = strings.TrimRightFunc(s, func(r rune) bool { return !unicode.IsSpace(r) })
		f.text = f.text[:start] + s + f.text[f.at:]
		f.at = start + len(s)
	default:
		return false
	}
	return true
}

func (f *field) lineStart() int { return strings.LastIndexByte(f.text[:f.at], '\n') + 1 }

func (f *field) lineEnd() int {
	if i := strings.IndexByte(f.text[f.at:], '\n'); i >= 0 {
		return f.at + i
	}
	return len(f.text)
}

// draw draws the field at x, y, scrolled so that the cursor is in view, and
// returns the column after it.
func (f *field) draw(c *viz.Canvas, x, y int) int {
	room := c.W - x - 1
	head := viz.Printable(f.text[:f.at], c.ASCII)
	for viz.Width(head) > room-1 && len(head) > 0 {
		_, n := utf8.DecodeRuneInString(head)
		head = head[n:]
	}
	x = c.Put(x, y, head, viz.Ink{})
	caret := "▌"
	if c.ASCII {
		caret = "_"
	}
	x = c.Put(x, y, caret, viz.Ink{Role: viz.Focus})
	return c.Put(x, y, viz.Printable(f.text[f.at:], c.ASCII), viz.Ink{})
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
func (l *list) act(a *action, n, h int) bool {
	switch a.id {
	case "up":
		l.move(-1, n, h)
	case "down":
		l.move(1, n, h)
	case "left10":
		l.move(-10, n, h)
	case "right10":
		l.move(10, n, h)
	case "first":
		l.move(-n, n, h)
	case "last":
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
