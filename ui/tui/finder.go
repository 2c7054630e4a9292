package tui

import (
	"sort"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/models"
	"logitscope/viz"
)

// maxFound is how many tokens a search lists.
const maxFound = 500

// finder searches the whole vocabulary for a token.
type finder struct {
	field  field
	list   list
	found  []int32
	total  int
	ofText string // what found is of
}

func newFinder(m *Model) (view, tea.Cmd) {
	f := &finder{field: newField("")}
	return f, f.search(m)
}

// A foundMsg brings the tokens that hold a text.
type foundMsg struct {
	text  string
	ids   []int32
	total int
}

// search looks for the typed text in every token, off the screen's own time.
// A number also finds the token with that id.
func (f *finder) search(m *Model) tea.Cmd {
	text, voc := f.field.text(), m.lane().vocab()
	return func() tea.Msg {
		ids, total := findTokens(voc, text)
		return foundMsg{text, ids, total}
	}
}

// findTokens returns the first tokens whose piece holds text, exact and
// shorter ones first, and how many there are. ␣ stands for a space.
func findTokens(voc models.Vocab, text string) ([]int32, int) {
	want := strings.NewReplacer("␣", " ", "↵", "\n", "⇥", "\t").Replace(text)
	var ids []int32
	if want != "" {
		for id := range int32(voc.Size()) {
			if p := voc.Piece(id); p != "" && strings.Contains(p, want) {
				ids = append(ids, id)
			}
		}
	}
	key := func(id int32) int {
		p := voc.Piece(id)
		switch strings.TrimPrefix(p, " ") {
		case strings.TrimPrefix(want, " "):
			return 0
		}
		return len(p)
	}
	sort.SliceStable(ids, func(i, j int) bool { return key(ids[i]) < key(ids[j]) })
	if n, err := strconv.Atoi(text); err == nil && n >= 0 && n < voc.Size() {
		ids = append([]int32{int32(n)}, ids...)
	}
	return ids[:min(len(ids), maxFound)], len(ids)
}

func (f *finder) follow(m *Model, msg tea.Msg) tea.Cmd {
	if r, ok := msg.(foundMsg); ok && r.text == f.field.text() {
		f.found, f.total, f.ofText = r.ids, r.total, r.text
		f.list = list{}
	}
	return nil
}

func (f *finder) frame(m *Model) viz.Frame {
	return viz.Frame{Title: "find a token of " + viz.Count(m.lane().vocab().Size()), Right: "/"}
}
func (f *finder) size(m *Model) (int, int)            { return 72, max(min(m.h-4, 18), 9) }
func (f *finder) hints(*Model) []string               { return []string{"close"} }
func (f *finder) act(*Model, *action) (tea.Cmd, bool) { return nil, true }
func (f *finder) rows(m *Model) int                   { return m.overlayRect(f).H - 6 }

func (f *finder) draw(c *viz.Canvas, m *Model) {
	l := m.lane()
	f.field.draw(c, c.Put(1, 0, "/ ", viz.Ink{Role: viz.Focus}), 0)
	muted := viz.Ink{Role: viz.Muted}
	c.Put(3, 1, "token", muted)
	for _, h := range [...]struct {
		x int
		s string
	}{{30, "id"}, {40, "rank"}, {50, "raw"}, {60, "final"}} {
		c.Right(h.x, 1, h.s, muted)
	}
	t, _ := l.traces()
	h := c.H - 4
	for y := 0; y < h && f.list.top+y < len(f.found); y++ {
		id := f.found[f.list.top+y]
		ink := viz.Ink{}
		if f.list.top+y == f.list.at {
			c.Put(1, 2+y, "▸", viz.Ink{Role: viz.Focus})
			ink = ink.With(viz.Bold)
		}
		c.Fit(3, 2+y, 20, l.piece(id, c.ASCII), ink)
		c.Right(30, 2+y, digits(int(id)), muted)
		if t == nil {
			continue
		}
		if r := t.Row(id); r != nil {
			c.Right(40, 2+y, viz.Count(int(r.Rank)), ink)
			c.Right(50, 2+y, viz.Percent(float64(r.RawProb)), ink)
			final := viz.Percent(float64(r.Prob))
			if r.Prob == 0 {
				final = viz.Removed
			}
			c.Right(60, 2+y, final, ink)
		} else {
			c.Right(50, 2+y, "p pins it", muted)
		}
	}
	foot := "enter pins it: its row stays in the chart wherever it ranks · esc"
	switch {
	case f.field.text() == "":
		foot = "type a part of the token; ␣ stands for a space; a number is an id"
	case f.ofText == f.field.text() && f.total == 0:
		foot = "no token holds this; the model writes it in parts"
	case f.total > len(f.found):
		foot = viz.Count(f.total) + " found · " + foot
	}
	c.Put(1, c.H-1, viz.CutTitle(foot, c.W-2), muted)
}

func (f *finder) key(m *Model, k tea.KeyMsg) (tea.Cmd, bool) {
	if d := moveKey(k); d != 0 {
		f.list.move(d, len(f.found), f.rows(m))
		return nil, true
	}
	switch k.Type {
	case tea.KeyEsc:
		m.closeTop()
		return nil, true
	case tea.KeyEnter:
		if f.list.at >= len(f.found) {
			m.say("/: no token is selected")
			return nil, true
		}
		id := f.found[f.list.at]
		m.closeTop()
		m.pinToken(id)
		m.lane().row = id
		return nil, true
	case tea.KeyTab:
		if f.list.at < len(f.found) {
			f.field = newField(m.lane().vocab().Piece(f.found[f.list.at]))
			return f.search(m), true
		}
		return nil, true
	}
	if f.field.key(k) {
		return f.search(m), true
	}
	return nil, true
}
