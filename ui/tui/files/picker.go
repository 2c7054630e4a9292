package files

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/presets/exchange"
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// A choice is one line of a picker.
type choice struct{ name, about string }

// targetChoices are the forms that settings can be written in.
func targetChoices() []choice {
	var out []choice
	for _, t := range exchange.Targets() {
		out = append(out, choice{t.Name, t.About})
	}
	return out
}

// formatChoices are the formats that settings are read in; the first finds out
// by itself.
func formatChoices() []choice {
	out := []choice{{"any", "whatever the text is"}}
	for _, f := range exchange.Formats() {
		out = append(out, choice{f.Name, f.About})
	}
	return out
}

// A picker lists choices in two columns, and narrows them by what is typed.
type picker struct {
	all   []choice
	query kit.Field
	at    int // index in found
}

// newPicker returns a picker whose cursor is on choice at.
func newPicker(all []choice, at int) *picker {
	return &picker{all: all, query: kit.NewField(""), at: at}
}

// found returns the indices of the choices that what is typed fits.
func (p *picker) found() []int {
	words := strings.Fields(strings.ToLower(p.query.Text()))
	var out []int
next:
	for i, c := range p.all {
		for _, w := range words {
			if !strings.Contains(strings.ToLower(c.name+" "+c.about), w) {
				continue next
			}
		}
		out = append(out, i)
	}
	return out
}

// key takes a key. done is true once the picker is to be closed, and chosen is
// then the choice that was taken, or -1.
func (p *picker) key(k tea.KeyMsg) (chosen int, done bool) {
	found := p.found()
	switch k.Type {
	case tea.KeyEsc:
		return -1, true
	case tea.KeyEnter:
		if p.at < len(found) {
			return found[p.at], true
		}
		return -1, false
	case tea.KeyUp:
		p.at = max(p.at-1, 0)
	case tea.KeyDown:
		p.at = min(p.at+1, max(len(found)-1, 0))
	case tea.KeyLeft, tea.KeyRight, tea.KeyTab:
		p.across(len(found))
	default:
		if p.query.Key(k) {
			p.at = 0
		}
	}
	return -1, false
}

// across moves the cursor to the other column, in its row.
func (p *picker) across(n int) {
	half := rowsFor(n)
	switch {
	case p.at < half && p.at+half < n:
		p.at += half
	case p.at >= half:
		p.at -= half
	}
}

// rowsFor is how many rows n choices take in two columns.
func rowsFor(n int) int { return (n + 1) / 2 }

// draw draws the list, and below it what is typed.
func (p *picker) draw(c *viz.Canvas) {
	muted := viz.Ink{Role: viz.Muted}
	found := p.found()
	rows, wide := rowsFor(len(found)), c.W/2
	list := c.Sub(viz.Rect{X: 0, Y: 0, W: c.W, H: max(c.H-2, 0)})
	top := 0
	if rows > 0 && list.H > 0 {
		top = max(0, min(p.at%rows-list.H/2, rows-list.H))
	}
	for i, at := range found {
		x, y := i/max(rows, 1)*wide, i%max(rows, 1)-top
		if y < 0 || y >= list.H {
			continue
		}
		ink, mark := viz.Ink{}, "  "
		if i == p.at {
			ink, mark = viz.Ink{Attr: viz.Bold}, "▸ "
		}
		cell := list.Sub(viz.Rect{X: x, Y: y, W: wide - 1, H: 1})
		end := cell.Put(1, 0, mark+viz.Cut(p.all[at].name, nameWide), ink)
		if end = max(end, nameWide+4); end+viz.Width(p.all[at].about) <= cell.W {
			cell.Put(end, 0, p.all[at].about, muted)
		} else if i == p.at && c.H > 2 {
			c.Put(1, c.H-2, viz.CutWords(p.all[at].about, c.W-2), muted) // below, where there is no room beside
		}
	}
	if len(found) == 0 {
		list.Put(1, 0, viz.CutWords("Nothing is called that; backspace takes letters back.", c.W-2), muted)
	}
	if c.H > 1 {
		p.query.Draw(c, c.Put(1, c.H-1, "search: ", viz.Ink{Role: viz.Focus}), c.H-1)
	}
}

// nameWide is the room for a name.
const nameWide = 20
