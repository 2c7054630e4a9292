package kit

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/viz"
)

// AskKey is a key for a line that is typed in a view; it reports false where no
// field is open. esc closes the field. enter closes it and gives take what was
// typed, without the space around it; where that says stay, the field is open
// again.
func AskKey(field **Field, k tea.KeyMsg, take func(text string) (cmd tea.Cmd, stay bool)) (tea.Cmd, bool) {
	f := *field
	if f == nil {
		return nil, false
	}
	switch k.Type {
	case tea.KeyEsc:
		*field = nil
	case tea.KeyEnter, tea.KeyCtrlJ:
		*field = nil
		cmd, stay := take(strings.TrimSpace(f.Text()))
		if stay {
			*field = f
		}
		return cmd, true
	default:
		f.Key(k)
	}
	return nil, true
}

// A Question is a box that asks for one line.
type Question struct {
	Title, Label string // of the box, and before the line
	Note         string // what the line is for
	Wide         int    // cells of the box
	Enter        string // what enter does, for the footer; empty leaves that to the box

	// Take gets what was typed, without the space around it, once the box is
	// closed.
	Take func(h Host, text string)

	field *Field
}

// Ask opens the box of q with text in its field.
func (q Question) Ask(text string) View {
	f := NewField(text)
	q.field = &f
	return &q
}

// Frame titles the box; see [Overlay].
func (q *Question) Frame(Host) viz.Frame {
	return viz.Frame{Title: q.Title, Right: "enter takes it · esc"}
}

// Size is how large the box wants to be; see [Overlay].
func (q *Question) Size(Host) (int, int) { return q.Wide, 4 }

// Hints are what the footer offers; see [View].
func (q *Question) Hints(Host) []ID { return []ID{ActClose} }

// Footer words the hints; see [Footed].
func (q *Question) Footer(Host) []Hint {
	if q.Enter == "" {
		return []Hint{{ID: ActClose}}
	}
	return []Hint{{Keys: "enter", Word: q.Enter}, {Keys: "esc", Word: "leaves it"}}
}

// Act takes the actions it names; see [View].
func (q *Question) Act(Host, *Action) (tea.Cmd, bool) { return nil, true }

// Draw draws the view; see [View].
func (q *Question) Draw(c *viz.Canvas, _ Host) {
	q.field.Draw(c, c.Put(1, 0, q.Label, viz.Ink{Role: viz.Focus}), 0)
	c.Put(1, 1, viz.CutTitle(q.Note, c.W-2), viz.Ink{Role: viz.Muted})
}

// Key takes what is typed; see [Typist].
func (q *Question) Key(h Host, k tea.KeyMsg) (tea.Cmd, bool) {
	field := q.field
	if k.Type == tea.KeyEsc {
		h.Close()
	}
	return AskKey(&field, k, func(text string) (tea.Cmd, bool) {
		h.Close()
		q.Take(h, text)
		return nil, false
	})
}
