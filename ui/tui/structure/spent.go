package structure

import (
	"cmp"
	"fmt"
	"slices"

	"logitscope/engine"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// From these bits on a token was forced past the model: little, and much.
const (
	forcedSome = 1
	forcedMuch = 10
)

// textLines is what the text with its marks takes of h lines: three for every
// line of text and a legend, nothing where the rows need all.
func textLines(h int) int {
	switch {
	case h >= 28:
		return 2*3 + 1
	case h >= 18:
		return 3 + 1
	}
	return 0
}

// spent returns the bits that a step of the text cost, 0 without a constraint.
func spent(l *run.Lane, step int) float64 {
	var s *engine.Step
	switch n := len(l.View.Steps); {
	case step >= 1 && step <= n:
		s = l.View.Steps[step-1]
	case step == n+1:
		s = l.View.Next
	}
	if s == nil || s.Constraint == nil {
		return 0
	}
	return float64(s.Constraint.Bits)
}

// drawSpent draws the last lines of the text, or those around the step looked at:
// under each a line that marks forced tokens and one with the bits of every
// token.
func (v *View) drawSpent(c *viz.Canvas, l *run.Lane) {
	if c.H < 4 {
		return
	}
	in := c.Sub(viz.Rect{X: 1, Y: 0, W: c.W - 2, H: c.H})
	g := inline(v.lanes.Flow(l, max(in.W*in.H, 1)))
	lines := run.Wrap(g, max(in.W, 1))
	if k := len(lines); k > 1 && lines[k-1][0] == lines[k-1][1] {
		lines = lines[:k-1]
	}
	most := 0.0
	for i := range l.View.Steps {
		most = max(most, spent(l, i+1))
	}
	scale := max(most, 1)
	y := 0
	for _, ln := range textShown(g, lines, in.H-1, l.Look.At) {
		x, high := 0, 1
		for _, gl := range g[ln[0]:ln[1]] {
			in.Put(x, y, gl.Text, gl.Ink)
			if gl.Step > 0 {
				high = spentLine
				drawSpending(in, viz.Rect{X: x, Y: y, W: gl.W}, spent(l, gl.Step), scale)
			}
			x += gl.W
		}
		y += high
	}
	in.Put(0, in.H-1, viz.FirstFit(in.W,
		fmt.Sprintf("═ forced past the model, over %d bits · ─ over %d bit · below: bits spent a token, full height %s", forcedMuch, forcedSome, viz.Two(scale)),
		fmt.Sprintf("═ forced, over %d bits · ─ over %d · below: bits, full height %s", forcedMuch, forcedSome, viz.Two(scale)), "═ forced · ─ a little"), viz.Ink{Role: viz.Muted})
}

// inline is a text whose own line breaks break no line: what a constraint asks
// for is short, and each line takes three.
func inline(g []run.Glyph) []run.Glyph {
	g = slices.Clone(g)
	first := slices.IndexFunc(g, func(gl run.Glyph) bool { return gl.Step > 0 })
	if first < 0 {
		return g
	}
	for i := first; i < len(g); i++ {
		g[i].End = false
	}
	if first > 1 && g[first-2].End { // the mark where the prompt ends stays with it
		g[first-2].End, g[first-1].End = false, true
	}
	return g
}

// drawSpending draws below a token at r how far it was forced, and its bits.
func drawSpending(c *viz.Canvas, r viz.Rect, bits, scale float64) {
	for k := range r.W {
		switch {
		case bits > forcedMuch:
			c.Put(r.X+k, r.Y+1, "═", viz.Ink{Role: viz.Warning})
		case bits > forcedSome:
			c.Put(r.X+k, r.Y+1, "─", viz.Ink{Role: viz.CutLine})
		}
		viz.Spark(c.Sub(viz.Rect{X: r.X + k, Y: r.Y + 2, W: 1, H: 1}), []float64{bits}, scale, viz.Ink{Role: viz.CutLine})
	}
}

// spentLine is what a line of the text takes with its marks and bits; a line of
// the prompt alone takes one.
const spentLine = 3

// textShown returns the last lines of g that fit h, or those around step at if
// it is looked at.
func textShown(g []run.Glyph, lines [][2]int, h, at int) [][2]int {
	high := func(ln [2]int) int {
		if slices.ContainsFunc(g[ln[0]:ln[1]], func(gl run.Glyph) bool { return gl.Step > 0 }) {
			return spentLine
		}
		return 1
	}
	end := len(lines)
	if at > 0 {
		if i := slices.IndexFunc(lines, func(ln [2]int) bool { return ln[1] > ln[0] && g[ln[1]-1].Step >= at }); i >= 0 {
			end = i + 1
		}
	}
	from, left := end, h
	for from > 0 && high(lines[from-1]) <= left {
		from--
		left -= high(lines[from])
	}
	for end < len(lines) && high(lines[end]) <= left {
		left -= high(lines[end])
		end++
	}
	return lines[from:end]
}

// drawWhere lists the dearest tokens in the order of the text, with what the
// model wanted in their place.
func drawWhere(c *viz.Canvas, l *run.Lane) {
	if c.H < 2 {
		return
	}
	var dear []*engine.Step
	total := 0.0
	for _, s := range l.View.Steps {
		b := spent(l, s.Index)
		if total += b; b > forcedSome {
			dear = append(dear, s)
		}
	}
	cols, lines := max(min(c.W/56, 2), 1), c.H-1
	slices.SortStableFunc(dear, func(a, b *engine.Step) int { return -cmp.Compare(a.Constraint.Bits, b.Constraint.Bits) })
	dear = dear[:min(len(dear), cols*lines)]
	slices.SortFunc(dear, func(a, b *engine.Step) int { return cmp.Compare(a.Index, b.Index) })
	sum := 0.0
	for i, s := range dear {
		x, y := 1+i/lines*(c.W/cols), i%lines
		sum += float64(s.Constraint.Bits)
		c.Right(x+4, y, viz.Count(s.Index), viz.Ink{Role: viz.Muted})
		c.Fit(x+6, y, 10, l.Piece(s.Token, c.ASCII), viz.Ink{})
		c.Right(x+24, y, viz.Two(float64(s.Constraint.Bits))+" b", viz.Ink{})
		if t := s.Trace; t != nil && len(t.Rows()) > 0 && t.Rows()[0].ID != s.Token {
			r := t.Rows()[0]
			c.Put(x+26, y, "wanted "+viz.Cut(l.Piece(r.ID, c.ASCII), 10), viz.Ink{Role: viz.Muted})
			c.Right(x+50, y, viz.Percent(float64(r.RawProb)), viz.Ink{Role: viz.Muted})
		}
	}
	words := "no token cost a bit: the model wanted to write this anyway"
	switch {
	case len(l.View.Steps) == 0:
		words = "nothing is written yet"
	case len(dear) > 0:
		words = fmt.Sprintf("%s of %s carry %.1f of %.1f bits. What the mask keeps valid it does not keep true.", viz.Count(len(dear)), viz.Plural(len(l.View.Steps), "token"), sum, total)
	}
	c.Put(1, c.H-1, viz.CutSentence(words, c.W-2), viz.Ink{Role: viz.Muted})
}
