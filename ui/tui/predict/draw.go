package predict

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/engine/quiz"
	"logitscope/models"
	"logitscope/sampling"
	"logitscope/sampling/luck"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// MaxGuesses is how many tokens there are to choose from.
const MaxGuesses = 10

// rows is how many rows a guess has: the tokens, and something else.
const rows = MaxGuesses + 1

// surelyShown is how many of the best tokens a trace has whatever was drawn.
const surelyShown = 16

// Guesses returns at most n tokens to choose from, in the order of the
// alphabet: the best by raw probability and two from further down. Which they
// are does not depend on the token drawn, so it may be none of them.
func Guesses(v models.Vocab, s *engine.Step, n int) []int32 {
	var ids []int32
	for _, r := range s.Trace.Rows() {
		if r.Rank <= surelyShown {
			ids = append(ids, r.ID)
		}
	}
	if best := n - 2; len(ids) > n {
		rest := ids[best:]
		for i := range n - best { // by chance, but always the same
			j := i + int(luck.Coin(uint64(s.Pos), s.Pos, 100+uint32(i))*float64(len(rest)-i))
			rest[i], rest[j] = rest[j], rest[i]
		}
		ids = ids[:n]
	}
	key := func(id int32) string { return strings.ToLower(strings.TrimLeft(v.Piece(id), " ")) }
	slices.SortFunc(ids, func(a, b int32) int { return cmp.Or(strings.Compare(key(a), key(b)), cmp.Compare(a, b)) })
	return ids
}

// A layout is where the parts of predict stand.
type layout struct {
	text, box   viz.Rect // text is empty where it finds no room
	raw, final  int      // right edges; raw is 0 if there is no such column
	you         int      // right edge of the chips, 0 where they have a line each
	bar, labelW int
	rows        int // rows that fit
	every       int // lines a row
	foot        int // lines below the rows
}

// layoutOf lays predict out in w×h cells, without the text if it is
// alone.
func layoutOf(w, h int, alone bool) layout {
	const around = 3 // borders and the line of headings
	l := layout{raw: 28, final: 36, you: 41, bar: 43, labelW: 18, every: 1, foot: 5}
	if w < 60 {
		l.raw, l.final, l.you, l.bar, l.labelW = 0, 20, 24, 26, 10
	}
	text := 0
	if h >= rows+around+2+5 && !alone {
		text = min(max(h-rows-around-2, 5), 8)
	}
	l.text = viz.Rect{X: 0, Y: 0, W: w, H: text}
	if h-text >= 2*rows+around+3 { // far apart, to be read from afar
		l.every, l.bar, l.you = 2, l.you-3, 0
	}
	box := min(h-text, l.every*rows+around+l.foot)
	switch {
	case text > 0: // the text takes what is left
		l.text.H = h - box
	case alone:
		box = h
	}
	l.box = viz.Rect{X: 0, Y: h - box, W: w, H: box}
	l.rows = max(min((box-around-1)/l.every, rows), 1)
	l.foot = max(box-around-l.every*l.rows, 1)
	return l
}

// line is the line of the y-th token inside the box.
func (l layout) line(y int) int { return 1 + l.every*y }

// Draw draws the view; see [kit.View].
func (v *View) Draw(c *viz.Canvas, host kit.Host) {
	l := host.Lane()
	lay := layoutOf(c.W, c.H, v.alone)
	if !lay.text.Empty() {
		v.lab.Text(c.Sub(lay.text), host)
	}
	in := viz.Box(c.Sub(lay.box), v.boxFrame(host))
	if v.of == nil || l.View.Next == nil {
		in.Put(1, 0, viz.CutTitle(v.waitWords(l), in.W-2), viz.Ink{})
		v.drawFoot(in, host, in.W-1, lay.foot)
		return
	}
	if v.shown || v.byHand {
		v.drawBars(in, host, lay)
	} else {
		v.drawHidden(in, host, lay)
	}
	end := in.W - 1
	if more := v.options() - lay.rows; more > 0 {
		end = in.Right(end, in.H-1, fmt.Sprintf("⋮ %d more", more), viz.Ink{Role: viz.Muted}) - 2
	}
	v.drawFoot(in, host, end, lay.foot)
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
		f.Title, f.Right = f.Title+" · ten chips: what comes next?", "hidden"
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
	return min(max(v.pick-rows+1, 0), max(v.options()-rows, 0))
}

// name is row i in words.
func (v *View) name(l *run.Lane, i int, ascii bool) string {
	if i == len(v.ids) {
		return "something else"
	}
	return l.Piece(v.ids[i], ascii)
}

// drawName draws the beginning of row i in line y and returns its ink.
func (v *View) drawName(c *viz.Canvas, host kit.Host, lay layout, i, y int, ink viz.Ink) viz.Ink {
	if i == v.pick {
		c.Put(1, y, "▸", viz.Ink{Role: viz.Focus})
		ink = ink.With(viz.Bold)
	}
	c.Fit(5, y, lay.labelW-1, v.name(host.Lane(), i, c.ASCII), ink)
	return ink
}

// drawHidden draws the rows without a word of what they are worth, and the
// chips that lie on them.
func (v *View) drawHidden(c *viz.Canvas, host kit.Host, lay layout) {
	muted := viz.Ink{Role: viz.Muted}
	x := 25
	if lay.raw == 0 {
		x = lay.final - 1
	}
	c.Put(5, 0, v.context(host, x-7), muted)
	c.Put(x, 0, viz.FirstFit(c.W-x-1, "bars hidden, in alphabetical order", "alphabetical order", "hidden"), muted)
	top := v.top(lay.rows)
	for y := range min(lay.rows, v.options()-top) {
		ink := v.drawName(c, host, lay, top+y, lay.line(y), viz.Ink{})
		if v.all.hands != nil {
			v.drawHands(c, x, lay.line(y), v.all.hands[top+y], v.all.counting && top+y == v.pick)
			continue
		}
		n := v.guess[top+y]
		if n == 0 {
			c.Put(x, lay.line(y), "?", muted)
			continue
		}
		end := c.Put(x, lay.line(y), strings.Repeat("◇", n), viz.Ink{Role: viz.Draw})
		c.Put(end+1, lay.line(y), strconv.Itoa(n), ink)
	}
}

// drawBars draws the rows in the same places with their bars and chips.
func (v *View) drawBars(c *viz.Canvas, host kit.Host, lay layout) {
	l := host.Lane()
	muted := viz.Ink{Role: viz.Muted}
	c.Put(5, 0, v.context(host, lay.labelW-1), muted)
	if lay.raw > 0 {
		c.Right(lay.raw, 0, "raw", muted)
	}
	c.Right(lay.final, 0, "final", muted)
	who, words := "◇ you   ", "10 chips"
	if v.all.votes.Pool != nil {
		who, words = "◇ the class   ", "100 of 100, 0.00%"
	}
	if lay.you > 0 && !v.byHand {
		c.Right(lay.you, 0, "◇", viz.Ink{Role: viz.Draw})
	}
	area := viz.Rect{X: lay.bar, Y: 1, W: c.W - lay.bar - 1}
	if lay.you == 0 && !v.byHand {
		area.W -= len("  ◇ ") + len(words) // the words after a line of chips
	}
	head := "full bar " + viz.WholePercent(l.Scale)
	if lay.you == 0 && !v.byHand {
		head = who + head
	}
	c.Put(lay.bar, 0, viz.Cut(head, c.W-lay.bar-1), muted)
	top := v.top(lay.rows)
	var bars []viz.Bar
	for y := range min(lay.rows, v.options()-top) {
		bars = append(bars, v.drawRow(c, host, lay, top+y, lay.line(y)))
		bars = append(bars, slices.Repeat([]viz.Bar{{Blank: true}}, lay.every-1)...)
	}
	area.H = len(bars)
	viz.Bars(c.Sub(area), bars, l.Scale)
	if v.byHand {
		return
	}
	for y := range min(lay.rows, v.options()-top) {
		i := top + y
		switch p := v.all.votes.Pool; {
		case p != nil && p.Held(i) > 0:
			v.drawChips(c, lay, area.W, p.Held(i)/l.Scale, viz.WholePercent(p.Held(i)), share(p, i), lay.line(y))
		case p == nil && v.counted && v.guess[i] > 0:
			n := v.guess[i]
			v.drawChips(c, lay, area.W, float64(n)/quiz.Chips/l.Scale, strconv.Itoa(n), viz.Plural(n, "chip"), lay.line(y))
		}
	}
}

// drawRow draws the words of row i in line y and returns its bar.
func (v *View) drawRow(c *viz.Canvas, host kit.Host, lay layout, i, y int) viz.Bar {
	s := host.Lane().View.Next
	raw, final, bar := "", "", viz.Bar{Blank: true}
	cut := false
	if i == len(v.ids) {
		p := 1.0
		for _, id := range v.ids {
			if r := s.Trace.Row(id); r != nil {
				p -= float64(r.RawProb)
			}
		}
		bar = viz.Bar{Raw: max(p, 0), Final: v.asks.Law[i]}
		raw, final = viz.Percent(bar.Raw), viz.Percent(bar.Final)
		cut = s.Trace.Survived <= v.kept(s)
	} else if r := s.Trace.Row(v.ids[i]); r != nil {
		bar = viz.Bar{Raw: float64(r.RawProb), Final: float64(r.Prob), Refused: run.Refused(s.Trace, r)}
		raw, final = viz.Percent(bar.Raw), viz.Percent(bar.Final)
		cut = r.Cut != sampling.NoStage
	}
	if cut {
		final, bar.Final = viz.Removed, 0
		c.Put(3, y, "✗", viz.Ink{Role: viz.Lost})
	}
	ink := viz.Ink{}
	if !v.byHand && i == v.asks.Drawn {
		c.Put(2, y, "●", viz.Ink{Role: viz.Chosen})
		ink.Role = viz.Chosen
	}
	ink = v.drawName(c, host, lay, i, y, ink)
	if lay.raw > 0 {
		c.Right(lay.raw, y, raw, viz.Ink{Role: viz.Muted})
	}
	c.Right(lay.final, y, final, ink)
	return bar
}

// kept is how many of the tokens to choose from the settings leave.
func (v *View) kept(s *engine.Step) int {
	n := 0
	for _, id := range v.ids {
		if r := s.Trace.Row(id); r != nil && r.Cut == sampling.NoStage {
			n++
		}
	}
	return n
}

// drawChips draws the chips of a row: as a number, or as a line below the bar
// that fills part of its w cells, with words after it.
func (v *View) drawChips(c *viz.Canvas, lay layout, w int, part float64, number, words string, y int) {
	ink := viz.Ink{Role: viz.Draw}
	if lay.you > 0 {
		c.Right(lay.you, y, number, ink)
		return
	}
	head, long := "◇", int(part*float64(w))
	if long > w {
		head, long = "»", w
	}
	x := c.Put(lay.bar, y+1, strings.Repeat("─", max(long-1, 0)), viz.Ink{Role: viz.Muted})
	x = c.Put(x, y+1, head, ink)
	c.Put(x+1, y+1, words, ink)
}

// drawHands draws how many hands are up for a row; where digits go to it there
// is a cursor.
func (v *View) drawHands(c *viz.Canvas, x, y, n int, here bool) {
	words := viz.Plural(n, "hand")
	if n == 0 {
		words = "?"
	}
	if here {
		x = c.Put(x, y, strconv.Itoa(n), viz.Ink{Role: viz.Draw})
		c.Put(x, y, "▌", viz.Ink{Role: viz.Focus})
		return
	}
	c.Put(x, y, words, viz.Ink{Role: viz.Muted})
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
	case k >= v.options():
		return nil, false
	case k == v.pick:
		v.enter(host)
	default:
		v.move(host, k-v.pick)
	}
	return nil, true
}
