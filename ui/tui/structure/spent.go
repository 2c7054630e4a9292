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

// whereLines is what the list of the dearest tokens takes.
func whereLines(h int) int {
	if h >= 32 {
		return 5
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
	n := (in.H - 1) / 3
	g := v.lanes.Flow(l, max(in.W*(n+1), 1))
	lines := run.Wrap(g, max(in.W, 1))
	if k := len(lines); k > 1 && lines[k-1][0] == lines[k-1][1] {
		lines = lines[:k-1]
	}
	top := max(len(lines)-n, 0)
	if l.Look.At > 0 {
		for i, ln := range lines {
			if ln[1] > ln[0] && g[ln[1]-1].Step >= l.Look.At {
				top = min(top, i)
				break
			}
		}
	}
	most := 0.0
	for i := range l.View.Steps {
		most = max(most, spent(l, i+1))
	}
	scale := max(most, 1)
	for y := 0; y < n && top+y < len(lines); y++ {
		x := 0
		for _, gl := range g[lines[top+y][0]:lines[top+y][1]] {
			in.Put(x, 3*y, gl.Text, gl.Ink)
			if b := spent(l, gl.Step); gl.Step > 0 {
				for k := range gl.W {
					switch {
					case b > forcedMuch:
						in.Put(x+k, 3*y+1, "═", viz.Ink{Role: viz.Warning})
					case b > forcedSome:
						in.Put(x+k, 3*y+1, "─", viz.Ink{Role: viz.CutLine})
					}
					viz.Spark(in.Sub(viz.Rect{X: x + k, Y: 3*y + 2, W: 1, H: 1}), []float64{b}, scale, viz.Ink{Role: viz.CutLine})
				}
			}
			x += gl.W
		}
	}
	in.Put(0, in.H-1, viz.FirstFit(in.W,
		fmt.Sprintf("═ forced past the model, over %d bits · ─ over %d bit · below: bits spent a token, full height %s", forcedMuch, forcedSome, viz.Two(scale)),
		fmt.Sprintf("═ forced, over %d bits · ─ over %d · below: bits, full height %s", forcedMuch, forcedSome, viz.Two(scale)), "═ forced · ─ a little"), viz.Ink{Role: viz.Muted})
}

// drawWhere lists the dearest tokens, with what the model wanted in their place.
func drawWhere(c *viz.Canvas, l *run.Lane) {
	if c.H < 3 {
		return
	}
	var dear []*engine.Step
	total := 0.0
	for _, s := range l.View.Steps {
		if b := spent(l, s.Index); b > 0 {
			total += b
			if b > forcedSome {
				dear = append(dear, s)
			}
		}
	}
	slices.SortStableFunc(dear, func(a, b *engine.Step) int { return -cmp.Compare(a.Constraint.Bits, b.Constraint.Bits) })
	cols := max(min(c.W/56, 2), 1)
	dear = dear[:min(len(dear), cols*(c.H-2))]
	c.Put(1, 0, "where the bits went", viz.Ink{}.With(viz.Bold))
	sum := 0.0
	for i, s := range dear {
		x, y := 1+i/(c.H-2)*(c.W/cols), 1+i%(c.H-2)
		sum += float64(s.Constraint.Bits)
		c.Right(x+4, y, viz.Count(s.Index), viz.Ink{Role: viz.Muted})
		c.Fit(x+6, y, 12, l.Piece(s.Token, c.ASCII), viz.Ink{})
		c.Right(x+26, y, viz.Two(float64(s.Constraint.Bits))+" b", viz.Ink{})
		if t := s.Trace; t != nil && len(t.Rows()) > 0 && t.Rows()[0].ID != s.Token {
			r := t.Rows()[0]
			c.Put(x+28, y, viz.Cut(fmt.Sprintf("wanted %s %s", l.Piece(r.ID, c.ASCII), viz.Percent(float64(r.RawProb))), c.W/cols-30), viz.Ink{Role: viz.Muted})
		}
	}
	words := "no token cost a bit: the model wanted to write this anyway"
	if len(dear) > 0 {
		words = fmt.Sprintf("%s of %s carry %s of %s bits. What the mask keeps valid it does not keep true.", viz.Count(len(dear)), viz.Plural(len(l.View.Steps), "token"), viz.Two(sum), viz.Two(total))
	}
	c.Put(1, c.H-1, viz.CutSentence(words, c.W-2), viz.Ink{Role: viz.Muted})
}
