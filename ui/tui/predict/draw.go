package predict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/sampling"
	"logitscope/sampling/luck"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// MaxGuesses is how many tokens there are to choose from.
const MaxGuesses = 10

// Guesses returns n tokens to choose from, in the order of the alphabet: the
// best by raw probability and two from further down, so that a token drawn
// from there does not stand out as the only one.
func Guesses(v models.Vocab, s *engine.Step, n int) []int32 {
	rows := s.Trace.Rows()
	var ids []int32
	add := func(id int32) {
		if len(ids) < n && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	best := min(n-2, len(rows))
	for _, r := range rows[:best] {
		add(r.ID)
	}
	add(s.Token)
	rest := rows[best:]
	for k := uint32(0); len(ids) < n && len(rest) > 0 && k < 100; k++ { // by chance, but always the same
		add(rest[int(luck.Coin(uint64(s.Pos), s.Pos, 100+k)*float64(len(rest)))].ID)
	}
	for _, r := range rest {
		add(r.ID)
	}
	key := func(id int32) string { return strings.ToLower(strings.TrimLeft(v.Piece(id), " ")) }
	slices.SortFunc(ids, func(a, b int32) int { return cmp.Or(strings.Compare(key(a), key(b)), cmp.Compare(a, b)) })
	return ids
}

// A layout is where the parts of predict stand.
type layout struct {
	text, box   viz.Rect // text is empty where it finds no room
	raw, final  int      // right edges; raw is 0 if there is no such column
	bar, labelW int
	rows        int // tokens that fit
	every       int // lines a token
}

// layoutOf lays predict out in w×h cells, without the text if it is
// alone.
func layoutOf(w, h int, alone bool) layout {
	l := layout{raw: 28, final: 36, bar: 38, labelW: 18}
	if w < 60 {
		l.raw, l.final, l.bar, l.labelW = 0, 20, 22, 10
	}
	text := 0
	if h >= MaxGuesses+9 && !alone {
		text = min(max(h-MaxGuesses-6, 5), 8)
	}
	l.text = viz.Rect{X: 0, Y: 0, W: w, H: text}
	l.every = 1
	if h-text >= 2*MaxGuesses+5 { // far apart, to be read from afar
		l.every = 2
	}
	box := min(h-text, l.every*MaxGuesses+5)
	switch {
	case text > 0: // the text takes what is left
		l.text.H = h - box
	case alone:
		box = h
	}
	l.box = viz.Rect{X: 0, Y: h - box, W: w, H: box}
	l.rows = max(min((box-4)/l.every, MaxGuesses), 1)
	return l
}

// line is the line of the y-th token inside the box.
func (l layout) line(y int) int { return 1 + l.every*y }

// Draw draws the view; see [kit.View].
func (v *View) Draw(c *viz.Canvas, host kit.Host) {
	l := host.Lane()
	lay := layoutOf(c.W, c.H, v.alone)
	if !lay.text.Empty() {
		v.lab.Text(c.Sub(lay.text), l)
	}
	in := viz.Box(c.Sub(lay.box), v.boxFrame(host))
	if v.of == nil || l.View.Next == nil {
		in.Put(1, 0, viz.CutTitle(v.waitWords(l), in.W-2), viz.Ink{})
		in.Put(1, in.H-1, viz.CutTitle(v.scoreWords(host), in.W-2), viz.Ink{})
		return
	}
	if v.shown || v.byHand {
		v.drawBars(in, host, lay)
	} else {
		v.drawHidden(in, host, lay)
	}
	end := in.W - 1
	if more := len(v.ids) - lay.rows; more > 0 {
		end = in.Right(end, in.H-1, fmt.Sprintf("⋮ %d more", more), viz.Ink{Role: viz.Muted}) - 2
	}
	in.Put(1, in.H-1, viz.CutTitle(v.scoreWords(host), end-1), viz.Ink{})
}

func (v *View) waitWords(l *run.Lane) string {
	switch l.View.Phase {
	case engine.Prefill:
		return "reading the prompt …"
	case engine.Done:
		return "the text has ended: " + run.EndWords(l)
	case engine.Failed:
		return "the lane has failed; ← in the lab goes back"
	}
	return "the next token is on its way …"
}

// boxFrame returns the titles of the box.
func (v *View) boxFrame(host kit.Host) viz.Frame {
	l := host.Lane()
	f := viz.Frame{Focused: true, Title: "predict"}
	if v.byHand {
		f.Title = "you sample"
	}
	if v.of == nil {
		return f
	}
	f.Title += " · step " + viz.Count(v.of.Index)
	switch {
	case v.byHand:
		f.Title, f.Right = f.Title+" · enter writes the token selected", "by rank"
	case v.shown && l.View.Next != nil:
		f.Title, f.Right = f.Title+" · the draw fell on "+l.Piece(l.View.Next.Token, host.Screen().ASCII()), "revealed"
	default:
		f.Title, f.Right = f.Title+" · pick what comes next", "hidden"
	}
	return f
}

// context is the end of the text before the token, in at most w cells.
func (v *View) context(host kit.Host, w int) string {
	l := host.Lane()
	all := viz.Printable(strings.ReplaceAll(l.View.PromptText+l.View.Text(), "\n", "↵"), host.Screen().ASCII())
	words := strings.Fields(all)
	s := ""
	for i := len(words) - 1; i >= 0; i-- {
		t := strings.TrimSpace(words[i] + " " + s)
		if viz.Width(t)+2 > w {
			break
		}
		s = t
	}
	return strings.TrimSpace(s + " …")
}

// top is the first token that has a line, so that the pick is in view.
func (v *View) top(rows int) int {
	return min(max(v.pick-rows+1, 0), max(len(v.ids)-rows, 0))
}

// drawHidden draws the tokens without a word of what they are worth.
func (v *View) drawHidden(c *viz.Canvas, host kit.Host, lay layout) {
	muted := viz.Ink{Role: viz.Muted}
	x := lay.bar - 13
	if lay.raw == 0 {
		x = lay.final - 1
	}
	c.Put(5, 0, v.context(host, x-7), muted)
	c.Put(x, 0, viz.FirstFit(c.W-x-1, "bars hidden, in alphabetical order", "alphabetical order", "hidden"), muted)
	top := v.top(lay.rows)
	for y := range min(lay.rows, len(v.ids)-top) {
		ink := viz.Ink{}
		if top+y == v.pick {
			c.Put(1, lay.line(y), "▸", viz.Ink{Role: viz.Focus})
			ink = ink.With(viz.Bold)
		}
		c.Fit(5, lay.line(y), lay.labelW-1, host.Lane().Piece(v.ids[top+y], c.ASCII), ink)
		c.Put(x, lay.line(y), "?", muted)
	}
}

// drawBars draws the tokens in the same rows with their bars.
func (v *View) drawBars(c *viz.Canvas, host kit.Host, lay layout) {
	l := host.Lane()
	s := l.View.Next
	muted := viz.Ink{Role: viz.Muted}
	c.Put(5, 0, v.context(host, lay.labelW-1), muted)
	if lay.raw > 0 {
		c.Right(lay.raw, 0, "raw", muted)
	}
	c.Right(lay.final, 0, "final", muted)
	c.Put(lay.bar, 0, viz.Cut("full bar "+viz.WholePercent(l.Scale), c.W-lay.bar-1), muted)
	top := v.top(lay.rows)
	var bars []viz.Bar
	for y := range min(lay.rows, len(v.ids)-top) {
		id := v.ids[top+y]
		ink := viz.Ink{}
		if top+y == v.pick {
			c.Put(1, lay.line(y), "▸", viz.Ink{Role: viz.Focus})
			ink = ink.With(viz.Bold)
		}
		if id == s.Token && !v.byHand {
			c.Put(2, lay.line(y), "●", viz.Ink{Role: viz.Chosen})
			ink.Role = viz.Chosen
		}
		r := s.Trace.Row(id)
		if r == nil {
			c.Fit(5, lay.line(y), lay.labelW-1, l.Piece(id, c.ASCII), ink)
			bars = append(bars, viz.Bar{Blank: true})
			bars = append(bars, make([]viz.Bar, lay.every-1)...)
			continue
		}
		final := viz.Percent(float64(r.Prob))
		if r.Cut != sampling.NoStage {
			final = viz.Removed
			c.Put(3, lay.line(y), "✗", viz.Ink{Role: viz.Lost})
		}
		c.Fit(5, lay.line(y), lay.labelW-1, l.Piece(id, c.ASCII), ink)
		if lay.raw > 0 {
			c.Right(lay.raw, lay.line(y), viz.Percent(float64(r.RawProb)), muted)
		}
		c.Right(lay.final, lay.line(y), final, ink)
		bars = append(bars, viz.Bar{Raw: float64(r.RawProb), Final: float64(r.Prob), Refused: run.Refused(s.Trace, r)})
		bars = append(bars, make([]viz.Bar, lay.every-1)...)
	}
	viz.Bars(c.Sub(viz.Rect{X: lay.bar, Y: 1, W: c.W - lay.bar - 1, H: len(bars)}), bars, l.Scale)
}

// scoreWords sum the Score up.
func (v *View) scoreWords(host kit.Host) string {
	l, g := host.Lane(), v.lab.Score
	if v.byHand {
		if g.picked == 0 {
			return "no token picked yet"
		}
		return fmt.Sprintf("%s by you · %s bits each · the draw agreed with %d", viz.Plural(g.picked, "token"), viz.Two(g.bits/float64(g.picked)), g.agreed)
	}
	score := fmt.Sprintf("score %d of %d", g.Right, g.Played)
	if v.shown && l.View.Next != nil && v.of != nil {
		s := l.View.Next
		share := func(id int32) string {
			if r := s.Trace.Row(id); r != nil && r.Cut == sampling.NoStage {
				return viz.Percent(float64(r.Prob))
			}
			return viz.Removed
		}
		mine := v.ids[v.pick]
		if host.Screen().W < 70 {
			return score + fmt.Sprintf(" · the likeliest: %d", g.Likely)
		}
		return fmt.Sprintf("you: %s, %s · drawn: %s, %s · %s · the most likely: %d", l.Piece(mine, host.Screen().ASCII()), share(mine),
			l.Piece(s.Token, host.Screen().ASCII()), share(s.Token), score, g.Likely)
	}
	return score + fmt.Sprintf(" · always the most likely would have %d", g.Likely)
}

// Mouse chooses the token under the pointer; on the chosen one it is enter.
func (v *View) Mouse(host kit.Host, x, y int, e tea.MouseMsg) (tea.Cmd, bool) {
	r := host.Screen().Body()
	lay := layoutOf(r.W, r.H, v.alone)
	if d := kit.Wheel(e); d != 0 {
		v.move(host, d)
		return nil, true
	}
	row := (y - lay.box.Y - 2) / lay.every
	if e.Button != tea.MouseButtonLeft || y < lay.box.Y+2 || row >= lay.rows {
		return nil, false
	}
	k := v.top(lay.rows) + row
	switch {
	case k >= len(v.ids):
		return nil, false
	case k == v.pick:
		v.enter(host)
	default:
		v.move(host, k-v.pick)
	}
	return nil, true
}
