package lanes

import (
	"fmt"
	"strconv"
	"strings"

	"logitscope/engine"
	"logitscope/sampling"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

func (d *laneDrawer) chart(c *viz.Canvas, i int) {
	l, s := d.v.lanes.All[i], d.steps[i].s
	f := viz.Frame{Title: "no step yet", Focused: d.focused(i)}
	if s == nil {
		if l.View.Beam != nil || l.View.Contrastive != nil || l.Look.At > 0 {
			f.Title = run.StrategyWords(l)
		}
		d.beams(d.pane(c, f), l)
		return
	}
	t := s.Trace
	f.Title = fmt.Sprintf("token %s · kept %s · %s bits", viz.Count(s.Index), viz.Count(t.Survived), viz.Two(float64(t.RawBits)))
	if c.W >= 60 {
		f.Title += " → " + viz.Two(float64(t.Bits))
		switch drawn := !t.Greedy && s.Round == nil && !s.Forced && !s.Observed; {
		case t.Race.Ran:
			f.Title += " · in first at " + viz.ArrivalTime(t.Race.Time)
		case drawn:
			f.Title += " · u " + viz.Three(t.U)
		}
	}
	f.Right = "full bar " + viz.WholePercent(d.scale)
	if c.W < 60 {
		f.Right = "full " + viz.WholePercent(d.scale)
	}
	if c.W < 44 {
		f.Title = "token " + viz.Count(s.Index) + " · kept " + viz.Count(t.Survived)
	}
	switch p := l.View.Phase; {
	case l.Look.At > 0:
	case p == engine.Done:
		f.Title = "ended: " + run.EndWords(l) + " · " + f.Title
	case p == engine.Failed:
		f.Title = "! failed · " + f.Title
	}
	in := d.pane(c, f)
	if l.View.Phase == engine.Prefill {
		in.Put(1, 0, viz.Cut("reading the prompt …", in.W-1), viz.Ink{Role: viz.Muted})
		return
	}
	d.bars(in, i)
}

// A laneColumns is where the parts of a row stand.
type laneColumns struct{ rank, mark, label, labelW, final, bar int }

func laneColumnsOf(w int) laneColumns {
	switch {
	case w < 36:
		return laneColumns{rank: 0, mark: 1, label: 3, labelW: 7, final: 16, bar: 17}
	case w < 46:
		return laneColumns{rank: 4, mark: 5, label: 7, labelW: 10, final: 23, bar: 24}
	}
	return laneColumns{rank: 4, mark: 5, label: 7, labelW: 12, final: 25, bar: 26}
}

func (d *laneDrawer) bars(c *viz.Canvas, i int) {
	if d.rows == nil {
		return
	}
	l, t := d.v.lanes.All[i], d.steps[i].t
	col := laneColumnsOf(c.W)
	bars := make([]viz.Bar, 0, len(d.rows[i])+1)
	raw, final, left := 1.0, 1.0, t.Vocab-t.NoPiece
	for y, id := range d.rows[i] {
		r := t.Row(id)
		if r == nil {
			bars = append(bars, viz.Bar{Blank: true})
			continue
		}
		raw, final, left = raw-float64(r.RawProb), final-float64(r.Prob), left-1
		bars = append(bars, d.row(c, y, l, d.steps[i], r, col))
	}
	y := len(d.rows[i])
	if final < 1e-6 {
		final = 0
	}
	ink := viz.Ink{Role: viz.Muted}
	share := viz.Percent(final)
	if final == 0 {
		c.Put(col.mark, y, "✗", viz.Ink{Role: viz.Lost})
		share = viz.Removed
	}
	name := viz.Count(left) + " others"
	switch {
	case t.Rest > 0 && left == 0:
		name = run.UnnamedLabel(t, col.labelW-1)
	case t.Rest > 0: // what a server did not name is among them
		name = viz.Count(left) + " + unnamed"
	}
	if viz.Width(name) >= col.labelW {
		name = "others"
	}
	c.Fit(col.label, y, col.labelW-1, name, ink)
	c.Right(col.final, y, share, ink)
	bars = append(bars, viz.Bar{Raw: max(raw, 0), Final: max(final, 0)})
	viz.Bars(c.Sub(viz.Rect{X: col.bar, Y: 0, W: c.W - col.bar - 1, H: len(bars)}), bars, d.scale)
}

// row draws one token's line but for its bar, which it returns.
func (d *laneDrawer) row(c *viz.Canvas, y int, l *run.Lane, s laneStep, r *sampling.Row, col laneColumns) viz.Bar {
	chosen := r.ID == s.s.Token
	removed := r.Cut != sampling.NoStage
	ink := viz.Ink{}
	switch {
	case chosen:
		ink.Role = viz.Chosen
	case removed:
		ink.Role = viz.Lost
	case r.Pinned:
		ink.Role = viz.Pinned
	}
	if col.rank > 0 {
		c.Right(col.rank, y, strconv.Itoa(int(r.Rank)), viz.Ink{Role: viz.Muted})
	}
	mark := laneMark(s, r)
	if r.Pinned && mark == " " {
		c.Put(col.mark, y, "★", viz.Ink{Role: viz.Pinned})
	} else {
		c.Put(col.mark, y, mark, ink)
	}
	if r.ID == l.Row && !chosen && l == d.v.lanes.Lane() {
		c.Put(col.mark-1, y, "▸", viz.Ink{Role: viz.Focus})
	}
	c.Fit(col.label, y, col.labelW-1, l.Piece(r.ID, c.ASCII), ink)
	final := viz.Percent(float64(r.Prob))
	if removed {
		final = viz.Removed
	}
	c.Right(col.final, y, final, ink)
	return viz.Bar{Raw: float64(r.RawProb), Final: float64(r.Prob), Refused: run.Refused(s.t, r)}
}

// laneMark says what became of a token in one lane.
func laneMark(s laneStep, r *sampling.Row) string {
	switch {
	case r.ID == s.s.Token && s.s.Forced:
		return "◆"
	case r.ID == s.s.Token:
		return "●"
	case run.Refused(s.t, r):
		return "⊘"
	case r.Cut != sampling.NoStage:
		return "✗"
	}
	return " "
}

// beams lists the texts of a beam search, best first.
func (d *laneDrawer) beams(c *viz.Canvas, l *run.Lane) {
	if l.View.Beam == nil {
		c.Put(1, 0, viz.Cut(run.StrategyWords(l), c.W-1), viz.Ink{Role: viz.Muted})
		return
	}
	muted := viz.Ink{Role: viz.Muted}
	for y, h := range l.View.Beam.Result() {
		ink := viz.Ink{}
		if y == 0 {
			ink.Role = viz.Chosen
			c.Put(5, y, "●", ink)
		}
		c.Right(4, y, strconv.Itoa(y+1), muted)
		x := c.Put(7, y, viz.Two(h.Score)+"  ", muted)
		text := engine.TextOf(l.Vocab(), l.View.Settings, h.Tokens())
		c.Put(x, y, lastCells(flat(string(text), c.ASCII), c.W-x-1), ink)
	}
	y := len(l.View.Beam.Result()) + 1
	for i, n := range l.View.Beam.Running() {
		text := engine.TextOf(l.Vocab(), l.View.Settings, n.Tokens())
		x := c.Put(7, y+i, "runs  ", muted)
		c.Put(x, y+i, lastCells(flat(string(text), c.ASCII), c.W-x-1), muted)
	}
}

// flat returns text with its line ends as glyphs.
func flat(text string, ascii bool) string {
	return viz.Printable(strings.ReplaceAll(strings.TrimLeft(text, " "), "\n", "↵"), ascii)
}

// lastCells returns the end of s in at most w cells.
func lastCells(s string, w int) string {
	if viz.Width(s) <= w {
		return s
	}
	r := []rune(s)
	for len(r) > 0 && viz.Width(string(r))+1 > w {
		r = r[1:]
	}
	return "…" + string(r)
}
