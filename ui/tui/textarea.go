package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/viz"
)

// A textArea is a text of several lines being written or pasted.
type textArea struct {
	field field
	w     int // cells a line had when it was last resized
}

func newTextArea(s string) textArea { return textArea{field: newField(s), w: 60} }

func (t *textArea) text() string { return t.field.text }

// key takes an editing key and reports whether it changed the text.
func (t *textArea) key(k tea.KeyMsg) bool {
	before := t.field.text
	switch k.Type {
	case tea.KeyUp:
		t.vertical(-1)
	case tea.KeyDown:
		t.vertical(1)
	case tea.KeyPgUp:
		t.vertical(-10)
	case tea.KeyPgDown:
		t.vertical(10)
	case tea.KeyEnter:
		t.field.insert("\n" + t.indent())
	case tea.KeyRunes, tea.KeySpace:
		// What is pasted comes whole, line ends and all.
		t.field.insert(strings.ReplaceAll(strings.ReplaceAll(string(k.Runes), "\r\n", "\n"), "\r", "\n"))
	default:
		t.field.edit(k.Type)
	}
	return t.field.text != before
}

// indent is the blank space that the cursor's line begins with.
func (t *textArea) indent() string {
	line := t.field.text[t.field.lineStart():t.field.at]
	return line[:len(line)-len(strings.TrimLeft(line, " "))]
}

// vertical moves the cursor d lines.
func (t *textArea) vertical(d int) {
	lines := wrapLines(t.field.text, t.w)
	i := lineAt(lines, t.field.at)
	col := viz.Width(t.field.text[lines[i].from:t.field.at])
	ln := lines[min(max(i+d, 0), len(lines)-1)]
	t.field.at = ln.from + len(viz.Cut(t.field.text[ln.from:ln.to], col))
}

// lineAt returns the line that byte at stands in.
func lineAt(lines []visualLine, at int) int {
	for i := len(lines) - 1; i > 0; i-- {
		if at >= lines[i].from {
			return i
		}
	}
	return 0
}

// draw draws the text with line numbers, scrolled to the cursor; the cell of
// byte mark is shown reversed, -1 marks none.
func (t *textArea) draw(c *viz.Canvas, mark int) {
	w := max(c.W-5, 1)
	lines := wrapLines(t.field.text, w)
	at := lineAt(lines, t.field.at)
	top := min(max(at-c.H+1, 0), max(len(lines)-c.H, 0))
	marked := -1
	if mark >= 0 {
		marked = lineAt(lines, mark)
	}
	for y := 0; y < c.H && top+y < len(lines); y++ {
		ln := lines[top+y]
		if ln.number > 0 {
			c.Right(3, y, digits(ln.number), viz.Ink{Role: viz.Muted})
		}
		text := t.field.text[ln.from:ln.to]
		x := 4
		if top+y == at {
			k := min(max(t.field.at-ln.from, 0), len(text))
			f := field{text, k}
			f.draw(c, x, y)
		} else {
			c.Put(x, y, viz.Printable(text, c.ASCII), viz.Ink{})
		}
		if top+y == marked {
			c.Put(0, y, "!", viz.Ink{Role: viz.Warning})
			col := x + viz.Width(viz.Printable(t.field.text[ln.from:min(max(mark, ln.from), ln.to)], c.ASCII))
			if top+y == at && mark >= t.field.at {
				col++ // behind the caret
			}
			c.Mark(viz.Rect{X: col, Y: y, W: 1, H: 1}, viz.Reverse|viz.Underline)
		}
	}
}
