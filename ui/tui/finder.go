package tui

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/sampling"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// maxFound is how many tokens a search lists.
const maxFound = 500

// finder searches the whole vocabulary for a token.
type finder struct {
	field  kit.Field
	list   kit.List
	found  []int32
	total  int
	ofText string // what found is of
	places map[int32]tokenPlace
	ofStep *engine.Step // what places are of
}

// A tokenPlace is where a token stands at a step.
type tokenPlace struct {
	rank       int
	raw, final float64
}

func newFinder(m *Model) (kit.View, tea.Cmd) {
	f := &finder{field: kit.NewField("")}
	return f, f.search(m)
}

// A foundMsg brings the tokens that hold a text, and where they stand.
type foundMsg struct {
	text   string
	ids    []int32
	total  int
	step   *engine.Step
	places map[int32]tokenPlace
}

// search looks for the typed text in every token, off the screen's own time.
// A number also finds the token with that id.
func (f *finder) search(m *Model) tea.Cmd {
	l := m.Lane()
	text, voc, s, set := f.field.Text(), l.Vocab(), l.Step(), l.ShownSettings()
	in, err := l.Input()
	return func() tea.Msg {
		ids, total := findTokens(voc, text)
		msg := foundMsg{text, ids, total, s, nil}
		if err == nil && set != nil {
			msg.places = tokenPlaces(ids, set, in)
		}
		return msg
	}
}

// tokenPlaces returns where tokens stand in a row that scores all of them; a
// partial row says nothing of those it does not name.
func tokenPlaces(ids []int32, set *engine.Settings, in sampling.Input) map[int32]tokenPlace {
	var d sampling.Dist
	if in.IDs != nil || len(in.Logits) == 0 || set.Pipeline.Distribution(&d, new(sampling.Scratch), in) != nil {
		return nil
	}
	order := make([]int32, len(in.Logits))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(-cmp.Compare(in.Logits[a], in.Logits[b]), cmp.Compare(a, b))
	})
	best, sum := float64(in.Logits[order[0]]), 0.0
	for _, x := range in.Logits {
		sum += math.Exp(float64(x) - best)
	}
	all := make(map[int32]tokenPlace, len(ids))
	for _, id := range ids {
		if x := float64(in.Logits[id]); x > math.Inf(-1) {
			all[id] = tokenPlace{raw: math.Exp(x-best) / sum}
		}
	}
	for i, id := range order {
		if p, ok := all[id]; ok {
			p.rank = i + 1
			all[id] = p
		}
	}
	for i, id := range d.IDs {
		if p, ok := all[id]; ok {
			p.final = d.Probs[i]
			all[id] = p
		}
	}
	return all
}

// findTokens returns the first tokens whose piece holds text, exact and
// shorter ones first, and how many there are. ␣ stands for a space, and a text
// without a capital for one in any case.
func findTokens(voc models.Vocab, text string) ([]int32, int) {
	want := strings.NewReplacer("␣", " ", "↵", "\n", "⇥", "\t").Replace(text)
	anyCase := want == strings.ToLower(want)
	var ids []int32
	if want != "" {
		for id := range int32(voc.Size()) {
			p := voc.Piece(id)
			if anyCase {
				p = strings.ToLower(p)
			}
			if strings.Contains(p, want) {
				ids = append(ids, id)
			}
		}
	}
	key := func(id int32) int {
		p := voc.Piece(id)
		switch word, whole := strings.TrimPrefix(p, " "), strings.TrimPrefix(want, " "); {
		case word == whole:
			return -1
		case anyCase && strings.EqualFold(word, whole):
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

func (f *finder) Follow(host kit.Host, msg tea.Msg) tea.Cmd {
	m := host.(*Model)
	switch r := msg.(type) {
	case foundMsg:
		if r.text != f.field.Text() {
			return nil
		}
		if f.ofText != r.text {
			f.list = kit.List{}
		}
		f.found, f.total, f.ofText, f.places, f.ofStep = r.ids, r.total, r.text, r.places, r.step
	case run.ViewMsg:
		if l := m.Lane(); !l.Running() && l.Step() != f.ofStep {
			return f.search(m)
		}
	}
	return nil
}

func (f *finder) Frame(host kit.Host) viz.Frame {
	m := host.(*Model)
	return viz.Frame{Title: "find a token of " + viz.Count(m.Lane().Vocab().Size()), Right: "/"}
}
func (f *finder) Size(host kit.Host) (int, int) {
	m := host.(*Model)
	return 72, max(min(m.h-4, 18), 9)
}
func (f *finder) Hints(kit.Host) []kit.ID                   { return []kit.ID{kit.ActClose} }
func (f *finder) Act(kit.Host, *kit.Action) (tea.Cmd, bool) { return nil, true }
func (f *finder) rows(m *Model) int                         { return m.Screen().Box(f.Size(m)).H - 6 }

// finderColumns are the width of a label and the right edges of the numbers; 0
// leaves one out.
type finderColumns struct{ labelW, id, rank, raw, final int }

func finderColumnsOf(w int) finderColumns {
	if w < 62 {
		return finderColumns{10, 0, 20, 28, 36}
	}
	return finderColumns{20, 30, 40, 50, 60}
}

func (f *finder) Draw(c *viz.Canvas, host kit.Host) {
	m := host.(*Model)
	f.field.Draw(c, c.Put(1, 0, "/ ", viz.Ink{Role: viz.Focus}), 0)
	muted := viz.Ink{Role: viz.Muted}
	col := finderColumnsOf(c.W)
	c.Put(3, 1, "token", muted)
	if col.id > 0 {
		c.Right(col.id, 1, "id", muted)
	}
	c.Right(col.rank, 1, "rank", muted)
	c.Right(col.raw, 1, "raw", muted)
	c.Right(col.final, 1, "final", muted)
	h := c.H - 4
	for y := 0; y < h && f.list.Top+y < len(f.found); y++ {
		f.drawFound(c, m, 2+y, col, f.found[f.list.Top+y], f.list.Top+y == f.list.At)
	}
	foot := "enter pins it: its row stays in the chart wherever it ranks · esc"
	switch {
	case f.field.Text() == "":
		foot = "type a part of the token; ␣ stands for a space; a number is an id"
	case f.ofText == f.field.Text() && f.total == 0:
		foot = "no token holds this; the model writes it in parts"
	case f.ofText == f.field.Text():
		foot = viz.Count(f.total) + " found · enter pins it · its row then stays in the chart, wherever it ranks"
	}
	c.Put(1, c.H-1, viz.CutTitle(foot, c.W-2), muted)
}

// drawFound draws one token and where it stands at this step.
func (f *finder) drawFound(c *viz.Canvas, m *Model, y int, col finderColumns, id int32, selected bool) {
	l := m.Lane()
	ink, muted := viz.Ink{}, viz.Ink{Role: viz.Muted}
	if selected {
		c.Put(1, y, "▸", viz.Ink{Role: viz.Focus})
		ink = ink.With(viz.Bold)
	}
	c.Fit(3, y, col.labelW, l.Piece(id, c.ASCII), ink)
	if col.id > 0 {
		c.Right(col.id, y, strconv.Itoa(int(id)), muted)
	}
	p, ok := f.places[id]
	ok = ok && f.ofStep == l.Step()
	if t, _ := run.Traces(l); t != nil && !ok {
		if r := t.Row(id); r != nil {
			p, ok = tokenPlace{int(r.Rank), float64(r.RawProb), float64(r.Prob)}, true
		}
	}
	if !ok {
		return
	}
	c.Right(col.rank, y, viz.Count(p.rank), ink)
	c.Right(col.raw, y, viz.Percent(p.raw), ink)
	final := viz.Percent(p.final)
	if p.final == 0 {
		final = viz.Removed
	}
	c.Right(col.final, y, final, ink)
}

func (f *finder) Key(host kit.Host, k tea.KeyMsg) (tea.Cmd, bool) {
	m := host.(*Model)
	if d := kit.MoveKey(k); d != 0 {
		f.list.Move(d, len(f.found), f.rows(m))
		return nil, true
	}
	switch k.Type {
	case tea.KeyEsc:
		m.Close()
		return nil, true
	case tea.KeyEnter:
		if f.list.At >= len(f.found) {
			m.Say("/: no token is selected")
			return nil, true
		}
		id := f.found[f.list.At]
		m.Close()
		m.PinToken(id)
		m.Lane().Row = id
		return nil, true
	case tea.KeyTab:
		if f.list.At < len(f.found) {
			f.field = kit.NewField(m.Lane().Vocab().Piece(f.found[f.list.At]))
			return f.search(m), true
		}
		return nil, true
	}
	if f.field.Key(k) {
		return f.search(m), true
	}
	return nil, true
}
