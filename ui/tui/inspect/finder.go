package inspect

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
	"logitscope/sampling/dist"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// maxFound is how many tokens a search lists.
const maxFound = 500

// finder searches the whole vocabulary for a token.
type finder struct {
	lanes *run.Lanes
	field kit.Field
	list  kit.List
	job   kit.Job[foundKey, foundTokens]
}

// A foundKey is what a search is for.
type foundKey struct {
	text string
	step *engine.Step
}

// foundTokens are the tokens that hold a text, and where they stand.
type foundTokens struct {
	foundKey
	ids    []int32
	total  int
	places map[int32]tokenPlace
}

// A tokenPlace is where a token stands at a step.
type tokenPlace struct {
	rank       int
	raw, final float64
}

// NewFinder searches the vocabulary for what is typed.
func NewFinder(host kit.Host, lanes *run.Lanes) (kit.View, tea.Cmd) {
	f := &finder{lanes: lanes, field: kit.NewField("")}
	return f, f.search(host)
}

// search looks for the typed text in every token, off the screen's own time.
// A number also finds the token with that id.
func (f *finder) search(host kit.Host) tea.Cmd {
	l := host.Lane()
	text, voc, s, set := f.field.Text(), l.Vocab(), l.Step(), l.ShownSettings()
	in, err := l.Input()
	k := foundKey{text, s}
	return f.job.Start(k, func() (foundTokens, error) {
		ids, total := findTokens(voc, text)
		r := foundTokens{k, ids, total, nil}
		if err == nil && set != nil {
			r.places = tokenPlaces(ids, set, in)
		}
		return r, nil
	})
}

// tokenPlaces returns where tokens stand in a row that scores all of them; a
// partial row says nothing of those it does not name.
func tokenPlaces(ids []int32, set *engine.Settings, in sampling.Input) map[int32]tokenPlace {
	var d dist.Dist
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

// Follow takes results and new views; see [kit.Follower].
func (f *finder) Follow(host kit.Host, msg tea.Msg) tea.Cmd {
	was := f.job.Result.text
	if f.job.Take(msg) {
		if f.job.Result.text != was {
			f.list = kit.List{}
		}
		return nil
	}
	if _, ok := msg.(run.ViewMsg); ok && !host.Lane().Running() && host.Lane().Step() != f.job.Key.step {
		return f.search(host)
	}
	return nil
}

// Frame titles the box; see [kit.Overlay].
func (f *finder) Frame(host kit.Host) viz.Frame {
	return viz.Frame{Title: "find a token of " + viz.Count(host.Lane().Vocab().Size()), Right: "/"}
}

// Size is how large the box wants to be; see [kit.Overlay].
func (f *finder) Size(host kit.Host) (int, int) {
	return 72, max(min(host.Screen().H-4, 18), 9)
}

// Hints are what the footer offers; see [kit.View].
func (f *finder) Hints(kit.Host) []kit.ID { return []kit.ID{kit.ActClose} }

// Act takes the actions it names; see [kit.View].
func (f *finder) Act(kit.Host, *kit.Action) (tea.Cmd, bool) { return nil, true }
func (f *finder) rows(host kit.Host) int                    { return host.Screen().Box(f.Size(host)).H - 6 }

// finderColumns are the width of a label and the right edges of the numbers; 0
// leaves one out.
type finderColumns struct{ labelW, id, rank, raw, final int }

func finderColumnsOf(w int) finderColumns {
	if w < 62 {
		return finderColumns{10, 0, 20, 28, 36}
	}
	return finderColumns{20, 30, 40, 50, 60}
}

// Draw draws the view; see [kit.View].
func (f *finder) Draw(c *viz.Canvas, host kit.Host) {
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
	for y := 0; y < h && f.list.Top+y < len(f.job.Result.ids); y++ {
		f.drawFound(c, host, 2+y, col, f.job.Result.ids[f.list.Top+y], f.list.Top+y == f.list.At)
	}
	foot := "enter pins it: its row stays in the chart wherever it ranks · esc"
	switch {
	case f.field.Text() == "":
		foot = "type a part of the token; ␣ stands for a space; a number is an id"
	case f.job.Result.text == f.field.Text() && f.job.Result.total == 0:
		foot = "no token holds this; the model writes it in parts"
	case f.job.Result.text == f.field.Text():
		foot = viz.Count(f.job.Result.total) + " found · enter pins it · its row then stays in the chart, wherever it ranks"
	}
	c.Put(1, c.H-1, viz.CutTitle(foot, c.W-2), muted)
}

// drawFound draws one token and where it stands at this step.
func (f *finder) drawFound(c *viz.Canvas, host kit.Host, y int, col finderColumns, id int32, selected bool) {
	l := host.Lane()
	ink, muted := viz.Ink{}, viz.Ink{Role: viz.Muted}
	if selected {
		c.Put(1, y, "▸", viz.Ink{Role: viz.Focus})
		ink = ink.With(viz.Bold)
	}
	c.Fit(3, y, col.labelW, l.Piece(id, c.ASCII), ink)
	if col.id > 0 {
		c.Right(col.id, y, strconv.Itoa(int(id)), muted)
	}
	p, ok := f.job.Result.places[id]
	ok = ok && f.job.Result.step == l.Step()
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

// Key takes what is typed; see [kit.Typist].
func (f *finder) Key(host kit.Host, k tea.KeyMsg) (tea.Cmd, bool) {
	if d := kit.MoveKey(k); d != 0 {
		f.list.Move(d, len(f.job.Result.ids), f.rows(host))
		return nil, true
	}
	switch k.Type {
	case tea.KeyEsc:
		host.Close()
		return nil, true
	case tea.KeyEnter:
		if f.list.At >= len(f.job.Result.ids) {
			host.Say("/: no token is selected")
			return nil, true
		}
		id := f.job.Result.ids[f.list.At]
		host.Close()
		f.lanes.PinToken(id)
		host.Lane().Row = id
		return nil, true
	case tea.KeyTab:
		if f.list.At < len(f.job.Result.ids) {
			f.field = kit.NewField(host.Lane().Vocab().Piece(f.job.Result.ids[f.list.At]))
			return f.search(host), true
		}
		return nil, true
	}
	if f.field.Key(k) {
		return f.search(host), true
	}
	return nil, true
}
