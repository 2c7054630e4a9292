package draft

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"logitscope/engine/speculative"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// Draw draws the view; see [kit.View].
func (v *View) Draw(c *viz.Canvas, host kit.Host) {
	r := v.shownRound()
	inner := viz.Box(c, viz.Frame{Title: v.title(r), Right: "S · esc", Focused: true})
	if r == nil {
		v.drawWaiting(inner)
		return
	}
	h := inner.H
	foot := 1
	switch {
	case h >= 30:
		foot = 8
	case h >= 18:
		foot = 5
	case h >= 14:
		foot = 2
	}
	y := 0
	v.drawContext(inner, r)
	if y = 1; h >= 15 {
		y = 2
	}
	y = v.drawPositions(inner, y, r)
	if h-foot-y > 6 {
		y++
	}
	room := h - foot - y
	table := room - histogramLines(v.lane.View.Draft, room)
	v.drawLast(inner.Sub(viz.Rect{X: 0, Y: y, W: inner.W, H: table}), r)
	if used := lastLines(r, table); v.pos < 0 && table-used > 2 { // the free lines explain
		v.drawReading(inner.Sub(viz.Rect{X: 0, Y: y + used + 1, W: inner.W, H: table - used - 1}))
	}
	if table < room {
		v.drawHistogram(inner.Sub(viz.Rect{X: 0, Y: y + table + 1, W: inner.W, H: room - table - 1}))
	}
	v.drawAccount(inner.Sub(viz.Rect{X: 0, Y: h - foot, W: inner.W, H: min(foot, 3)}))
	if foot > 3 {
		v.drawPrice(inner.Sub(viz.Rect{X: 0, Y: h - foot + 3, W: inner.W, H: foot - 3}), v.lane.View.Draft)
	}
	if v.field != nil {
		line := inner.Sub(viz.Rect{X: 0, Y: h - 1, W: inner.W, H: 1})
		line.Clear()
		v.field.Draw(line, line.Put(1, 0, "draft ("+strings.Join(v.offers(), ", ")+", FILE.gguf; tab): ", viz.Ink{Role: viz.Focus}), 0)
	}
}

func (v *View) drawWaiting(c *viz.Canvas) {
	s := "drafting …"
	switch l := v.lane; {
	case v.wait:
		s = "opening the draft model …"
	case l.View.Err != nil:
		for y, s := range viz.WrapWords("! "+viz.OneLine(viz.FirstLine(l.View.Err.Error()), c.ASCII), c.W-2) {
			c.Put(1, y, s, viz.Ink{Role: viz.Warning})
		}
		return
	case l.View.Phase.String() == "done":
		s = "the text has ended (" + run.EndWords(l) + "); r starts again, s with a new seed"
	}
	c.Put(1, 0, viz.CutTitle(s, c.W-2), viz.Ink{Role: viz.Muted})
	if v.field != nil {
		v.field.Draw(c, c.Put(1, c.H-1, "draft: ", viz.Ink{Role: viz.Focus}), c.H-1)
	}
}

func (v *View) title(r *speculative.Round) string {
	s := "speculative"
	if r == nil {
		return s
	}
	if r.Algorithm != speculative.Exact { // first: a narrow title loses its end
		s += " · rule " + string(r.Algorithm)
		if !r.Algorithm.IsExact() {
			s += " (wrong)"
		}
	}
	s += fmt.Sprintf(" · round %d", r.Index)
	if v.round > 0 {
		s += fmt.Sprintf(" of %d", len(v.lane.View.Draft.Rounds))
	}
	return s + fmt.Sprintf(" · %d of %d accepted", r.Accepted, len(r.Drafted))
}

// drawContext draws the end of the text, what was drafted after it, and what
// the bars mean.
func (v *View) drawContext(c *viz.Canvas, r *speculative.Round) {
	drafted := ""
	for _, id := range r.Drafted {
		drafted += v.lane.Vocab().Piece(id)
	}
	drafted = "⟦" + viz.OneLine(drafted, c.ASCII) + "⟧"
	legend := fmt.Sprintf("k %d, draft %s", r.K, v.lane.View.Draft.Draft)
	if r.Branches != nil {
		n := len(r.Branches)
		if r.Tried() == 0 {
			n = 0
		}
		legend = fmt.Sprintf("%s, k %d, draft %s", viz.Plural(n, "draft"), r.K, v.lane.View.Draft.Draft)
	}
	right := "█ both  ▓ p more  ░ q more"
	if c.W < 60 {
		right, legend = "", fmt.Sprintf("k %d", r.K)
	}
	x := c.W - 1
	if right != "" {
		x -= viz.Width(right)
		c.PutLegend(x, 0, right, viz.Ink{Role: viz.Muted})
		x -= 3
	}
	x = c.Right(x, 0, legend, viz.Ink{Role: viz.Muted}) - 2
	room := x - 3
	if viz.Width(drafted) > room-8 {
		drafted = viz.Cut(drafted, max(room-9, 4)) + "…"
	}
	text := v.textBefore(r.Start)
	text = viz.CutHead(viz.OneLine(text, c.ASCII), max(room-viz.Width(drafted)-1, 1))
	at := c.Put(2, 0, text, viz.Ink{})
	at = c.Put(at, 0, "╎", viz.Ink{Role: viz.Muted})
	c.Put(at, 0, drafted, viz.Ink{Role: viz.Focus})
}

// textBefore is prompt and text up to its first n tokens.
func (v *View) textBefore(n int) string {
	l := v.lane
	b := []byte(l.View.PromptText)
	for _, s := range l.View.Steps[:min(n, len(l.View.Steps))] {
		b = append(b, l.Vocab().Piece(s.Token)...)
	}
	return string(b)
}

// columns are the columns of the drafted tokens; a width of 0 leaves one
// out.
type columns struct {
	labelW         int
	p, pBar, pBarW int // right edge of the number, left edge of the bar
	q, qBar, qBarW int
	accept, u      int
	gauge, gaugeW  int
	verdict        int
}

func columnsOf(w int) columns {
	switch {
	case w >= 96:
		more := min((w-96)/3, 20)
		b := 14 + more
		q := 20 + b + 8
		a := q + 1 + b + 6
		return columns{11, 20, 21, b, q, q + 1, b, a + 1, a + 8, a + 10, 16 + more, a + 28 + more}
	case w >= 74:
		return columns{10, 19, 20, 12, 40, 0, 0, 48, 55, 57, w - 62, w - 3}
	case w >= 54:
		return columns{10, 19, 0, 0, 27, 0, 0, 35, 42, 44, w - 49, w - 3}
	}
	return columns{8, 17, 0, 0, 24, 0, 0, w - 4, 0, 0, 0, w - 3}
}

// drawPositions draws a line for every drafted token and returns the line
// after the last.
func (v *View) drawPositions(c *viz.Canvas, y int, r *speculative.Round) int {
	col := columnsOf(c.W)
	muted := viz.Ink{Role: viz.Muted}
	c.Put(2, y, "drafted", muted)
	if r.Algorithm == speculative.SpecTr {
		c.Right(col.p, y, "p ÷ ρ", muted)
	} else {
		c.Right(col.p, y, "p", muted)
		if col.pBarW >= 9 {
			c.Put(col.p, y, ": target", muted)
		}
	}
	c.Right(col.q, y, "q", muted)
	if col.qBarW >= 8 || col.qBar == 0 && col.accept-col.q > 14 {
		c.Put(col.q, y, ": draft", muted)
	}
	c.Right(col.accept, y, "accept", muted)
	if col.u > 0 {
		c.Right(col.u, y, "u", muted)
	}
	if col.gaugeW >= 24 {
		c.Put(col.gauge, y, gaugeWords(r), muted)
	}
	y++
	all := rowsOf(r)
	rows := len(all)
	if most := max(c.H/2-2, 2); rows > most {
		rows = most
	}
	// A round that came meanwhile may have fewer tokens than the cursor's.
	pos, top := min(v.pos, len(all)-1), 0
	if pos >= rows {
		top = pos - rows + 1
	}
	if len(all) == 0 {
		words := "nothing was drafted: the text so far has no such words; one plain token"
		if r.Branches != nil {
			words = "nothing was drafted: no n-gram found so far begins so; one plain token"
		}
		c.Put(2, y, viz.CutTitle(words, c.W-4), muted)
		return y + 1
	}
	said := ""
	for i := top; i < top+rows; i++ {
		v.drawPosition(c, y, col, all[i], r.Trials != nil, i == pos, &said)
		y++
	}
	if rows < len(all) {
		c.Put(2, y-rows-1, fmt.Sprintf("drafted %d/%d", rows, len(all)), muted)
	}
	return y
}

// gaugeWords say what a mark on the bar means.
func gaugeWords(r *speculative.Round) string {
	if r.Algorithm == speculative.Block {
		return "▼ on bar: all to here ✓"
	}
	return "▼ u on the bar: accepted"
}

// drawPosition draws one drafted token, with the number of its place where
// several were drafted for one. said is what was last written of tokens that
// were not judged.
func (v *View) drawPosition(c *viz.Canvas, y int, col columns, p row, places, cursor bool, said *string) {
	ink := viz.Ink{}
	if p.Verdict == speculative.Dropped {
		ink = viz.Ink{Role: viz.Lost}
	}
	if cursor {
		c.Put(1, y, "▸", viz.Ink{Role: viz.Focus})
		ink = ink.With(viz.Bold)
	}
	at := 2
	if places {
		at = c.Put(at, y, strconv.Itoa(p.place+1)+" ", viz.Ink{Role: viz.Muted})
	}
	c.Fit(at, y, col.labelW-at+2, v.lane.Piece(p.Token, c.ASCII), ink)
	if p.Verdict == speculative.Dropped {
		x := c.Right(col.p, y, viz.Removed, ink)
		if *said != p.why {
			c.Put(x+4, y, viz.CutTitle(p.why, c.W-x-6), viz.Ink{Role: viz.Muted})
		}
		*said = p.why
		return
	}
	*said = ""
	c.Right(col.p, y, viz.Percent(p.P), ink)
	c.Right(col.q, y, viz.Percent(p.Q), ink)
	pairBars(c, y, col, p.P, p.Q)
	c.Right(col.accept, y, viz.Percent(p.Accept), ink)
	if col.u > 0 {
		c.Right(col.u, y, viz.Three(p.U), viz.Ink{Role: viz.Draw})
	}
	gauge(c.Sub(viz.Rect{X: col.gauge, Y: y, W: col.gaugeW, H: 1}), p.Accept, p.U)
	mark := viz.Ink{Role: viz.Chosen}
	glyph := "✓"
	if p.Verdict == speculative.Refused {
		glyph, mark = "✗", viz.Ink{Role: viz.Warning}
	}
	c.Put(col.verdict, y, glyph, mark)
}

// pairBars draws p and q, what both have solid.
func pairBars(c *viz.Canvas, y int, col columns, p, q float64) {
	both := math.Min(p, q)
	if col.pBarW > 0 {
		viz.Bars(c.Sub(viz.Rect{X: col.pBar, Y: y, W: col.pBarW, H: 1}), []viz.Bar{{Raw: both, Final: p}}, 1)
	}
	if col.qBarW > 0 {
		viz.Bars(c.Sub(viz.Rect{X: col.qBar, Y: y, W: col.qBarW, H: 1}), []viz.Bar{{Raw: q, Final: both}}, 1)
	}
}

// gauge draws the chance to stand as a bar and u as a mark: on the bar
// exactly if it is smaller.
func gauge(c *viz.Canvas, chance, u float64) {
	if c.W < 4 || c.H < 1 {
		return
	}
	fill := int(math.Round(chance * float64(c.W)))
	at := min(int(u*float64(c.W)), c.W-1)
	switch {
	case u < chance && at >= fill:
		fill = at + 1
	case u >= chance && at < fill:
		fill = at
	}
	c.Fill(viz.Rect{X: 0, Y: 0, W: c.W, H: 1}, "─", viz.Ink{Role: viz.Muted})
	c.Fill(viz.Rect{X: 0, Y: 0, W: fill, H: 1}, "█", viz.Ink{Role: viz.Kept})
	c.Put(at, 0, "▼", viz.Ink{Role: viz.Draw})
}
