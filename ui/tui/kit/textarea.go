package kit

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textarea"
	tea "github.com/charmbracelet/bubbletea"

	"logitscope/viz"
)

// MaxLines is how many lines Bubbles' text area holds; it drops the rest.
const MaxLines = 10000

// maxEdits is how many changes of a text can be undone.
const maxEdits = 500

// A TextArea is a text of several lines being written or pasted: the editing
// is that of Bubbles' text area; wrapping and cells are ours, since the text
// may hold anything.
type TextArea struct {
	input   textarea.Model
	W       int // cells a line had when it was last resized
	Indents bool
	Said    string // why the last key did nothing

	past, future []edit
	typing       bool // the last change was a letter typed
}

// An edit is a text and its cursor before a change.
type edit struct {
	text string
	at   int
}

// NewTextArea returns an area that holds s, with the cursor at its end.
func NewTextArea(s string) TextArea {
	in := textarea.New()
	in.ShowLineNumbers, in.Prompt = false, ""
	in.MaxHeight = 0 // lines; the cells are not its own
	in.Cursor.SetMode(cursor.CursorStatic)
	in.KeyMap.Paste.Unbind() // the terminal pastes; no other clipboard is read
	in.KeyMap.TransposeCharacterBackward.Unbind()
	in.Focus()
	in.InsertString(hold(s, "\n"))
	return TextArea{input: in, W: 60}
}

// Text is what was typed, byte for byte.
func (t *TextArea) Text() string { return release(t.input.Value()) }

// Count says how long the text is.
func (t *TextArea) Count() string { return viz.Plural(t.input.LineCount(), "line") }

// insert puts s at the cursor as one change. A text that would have too many
// lines stays as it was.
func (t *TextArea) insert(s string) {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	if !t.room(t.input.LineCount() + strings.Count(s, "\n")) {
		return
	}
	letter := utf8.RuneCountInString(s) == 1 && s != "\n" && s != " "
	if !t.typing || !letter {
		t.save()
	}
	t.typing = letter
	t.input.InsertString(hold(s, "\n"))
}

// room reports whether a text of n lines fits, and says so if not.
func (t *TextArea) room(n int) bool {
	if n > MaxLines {
		t.Said = "! at most " + viz.Count(MaxLines) + " lines fit here; the text stays as it is"
	}
	return n <= MaxLines
}

// save makes the present text the one that undo comes back to.
func (t *TextArea) save() { t.keep(edit{t.Text(), t.At()}) }

func (t *TextArea) keep(e edit) {
	t.past, t.future = append(t.past, e), nil
	if len(t.past) > maxEdits {
		t.past = t.past[1:]
	}
}

// travel swaps the present text for the last one of from.
func (t *TextArea) travel(from, to *[]edit, none string) {
	n := len(*from)
	t.typing = false
	if n == 0 {
		t.Said = none
		return
	}
	e := (*from)[n-1]
	*from, *to = (*from)[:n-1], append(*to, edit{t.Text(), t.At()})
	t.input.SetValue(hold(e.text, "\n"))
	t.GoTo(e.at)
}

// Replace makes s the text, as one change, if it fits.
func (t *TextArea) Replace(s string) {
	t.Said = ""
	if !t.room(strings.Count(s, "\n") + 1) {
		return
	}
	t.save()
	t.typing = false
	t.input.Reset()
	t.input.InsertString(hold(s, "\n"))
}

// empty leaves nothing of the text, to be brought back by one undo.
func (t *TextArea) empty() {
	if t.Text() == "" {
		t.Said = "ctrl+l: the text is empty"
		return
	}
	t.Replace("")
}

// Key takes an editing key and reports whether it changed the text.
func (t *TextArea) Key(k tea.KeyMsg) bool {
	t.Said = ""
	before := t.input.Value()
	typed := k.Type == tea.KeyRunes || k.Type == tea.KeySpace
	m := &t.input.KeyMap
	switch {
	case key.Matches(k, m.LinePrevious):
		t.vertical(-1)
	case key.Matches(k, m.LineNext):
		t.vertical(1)
	case k.Type == tea.KeyPgUp:
		t.vertical(-10)
	case k.Type == tea.KeyPgDown:
		t.vertical(10)
	case k.Type == tea.KeyCtrlL:
		t.empty()
	case k.Type == tea.KeyCtrlZ:
		t.travel(&t.past, &t.future, "ctrl+z: nothing to undo in this text")
	case k.Type == tea.KeyCtrlY:
		t.travel(&t.future, &t.past, "ctrl+y: nothing to redo in this text")
	case key.Matches(k, m.InsertNewline):
		t.insert("\n" + t.indent())
	case typed && !k.Alt:
		t.insert(string(k.Runes)) // what is pasted comes whole, line ends and all
	case typed && !key.Matches(k, m.WordForward, m.WordBackward, m.DeleteWordForward, m.InputBegin, m.InputEnd,
		m.UppercaseWordForward, m.LowercaseWordForward, m.CapitalizeWordForward):
		// An alt key that edits nothing; its letter would be typed.
	case key.Matches(k, m.WordBackward) && strings.TrimSpace(t.Text()[:t.At()]) == "":
		t.GoTo(0) // the component looks for a word that is not there without end
	default:
		was := edit{release(before), t.At()}
		t.typing = false
		t.press(k)
		if t.input.Value() != before {
			t.keep(was)
		}
	}
	return t.input.Value() != before
}

// press gives k to the component, which knows of runes only, as often as it
// takes to move over or delete one character as it is read.
func (t *TextArea) press(k tea.KeyMsg) {
	m := &t.input.KeyMap
	text, at := t.Text(), t.At()
	line, _, _ := strings.Cut(text[at:], "\n")
	n := 1
	switch {
	case key.Matches(k, m.CharacterBackward, m.DeleteCharacterBackward):
		n = runesBefore(text[strings.LastIndexByte(text[:at], '\n')+1 : at])
	case key.Matches(k, m.CharacterForward):
		n = runesAfter(line)
	case key.Matches(k, m.DeleteCharacterForward) && line != "":
		// Its own way joins the next line to one that it leaves empty.
		n = runesAfter(line)
		for range n {
			t.input, _ = t.input.Update(tea.KeyMsg{Type: tea.KeyRight})
		}
		k = tea.KeyMsg{Type: tea.KeyBackspace}
	}
	for range n {
		t.input, _ = t.input.Update(k)
	}
}

// indent is the blank space that the cursor's line begins with, where a new
// line is to begin with it too.
func (t *TextArea) indent() string {
	if !t.Indents {
		return ""
	}
	text := t.Text()[:t.At()]
	line := text[strings.LastIndexByte(text, '\n')+1:]
	return line[:len(line)-len(strings.TrimLeft(line, " "))]
}

// At returns the byte of the text that the cursor stands on.
func (t *TextArea) At() int {
	lines := strings.SplitAfter(t.input.Value(), "\n")
	n := 0
	for _, line := range lines[:t.input.Line()] {
		n += len(release(line))
	}
	info := t.input.LineInfo()
	return n + len(release(string([]rune(lines[t.input.Line()])[:info.StartColumn+info.ColumnOffset])))
}

// SameLine reports whether a byte of the text is on the cursor's line.
func (t *TextArea) SameLine(at int) bool {
	text, lo, hi := t.Text(), at, t.At()
	if lo > hi {
		lo, hi = hi, lo
	}
	return !strings.Contains(text[lo:min(hi, len(text))], "\n")
}

// GoTo moves the cursor to a byte of the text.
func (t *TextArea) GoTo(at int) {
	text := t.Text()
	head := text[:min(max(at, 0), len(text))]
	row := strings.Count(head, "\n")
	col := utf8.RuneCountInString(hold(head[strings.LastIndexByte(head, '\n')+1:], ""))
	for t.input.Line() > row {
		t.input.CursorStart()
		t.input.CursorUp()
	}
	for t.input.Line() < row {
		t.input.CursorEnd()
		t.input.CursorDown()
	}
	t.input.SetCursor(col)
}

// vertical moves the cursor d lines of the screen.
func (t *TextArea) vertical(d int) {
	text, at := t.Text(), t.At()
	lines := wrapLines(text, t.W)
	i := lineAt(lines, at)
	col := viz.Width(text[lines[i].from:at])
	ln := lines[min(max(i+d, 0), len(lines)-1)]
	t.GoTo(ln.from + len(viz.Cut(text[ln.from:ln.to], col)))
}

// visualLine is one line on the screen: bytes [from, to) of the text.
type visualLine struct{ from, to, number int }

// wrapLines breaks a text into lines of w cells.
func wrapLines(text string, w int) []visualLine {
	var out []visualLine
	from, n := 0, 1
	for _, line := range strings.SplitAfter(text, "\n") {
		body := strings.TrimSuffix(line, "\n")
		at := from
		number := n
		for {
			k := len(viz.Cut(body, w))
			if k == 0 && len(body) > 0 {
				k = len(viz.FirstCluster(body))
			}
			out = append(out, visualLine{at, at + k, number})
			at, body, number = at+k, body[k:], 0
			if body == "" {
				break
			}
		}
		from += len(line)
		n++
	}
	return out
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

// Draw draws the text with line numbers that end before column margin,
// scrolled to the cursor; the cell of byte mark is shown reversed, -1 marks
// none.
func (t *TextArea) Draw(c *viz.Canvas, margin, mark int) {
	whole, cursorAt := t.Text(), t.At()
	lines := wrapLines(whole, max(c.W-margin-1, 1))
	at := lineAt(lines, cursorAt)
	top := min(max(at-c.H+1, 0), max(len(lines)-c.H, 0))
	marked := -1
	if mark >= 0 {
		marked = lineAt(lines, mark)
	}
	for y := 0; y < c.H && top+y < len(lines); y++ {
		ln := lines[top+y]
		if ln.number > 0 {
			c.Right(margin-1, y, strconv.Itoa(ln.number), viz.Ink{Role: viz.Muted})
		}
		text := whole[ln.from:ln.to]
		if top+y == at {
			drawTyped(c, margin, y, text, min(max(cursorAt-ln.from, 0), len(text)))
		} else {
			c.Put(margin, y, viz.Printable(text, c.ASCII), viz.Ink{})
		}
		if top+y == marked {
			c.Put(0, y, "!", viz.Ink{Role: viz.Warning})
			col := margin + viz.Width(viz.Printable(whole[ln.from:min(max(mark, ln.from), ln.to)], c.ASCII))
			if top+y == at && mark >= cursorAt {
				col++ // after the caret
			}
			c.Mark(viz.Rect{X: col, Y: y, W: 1, H: 1}, viz.Reverse|viz.Underline)
		}
	}
}
