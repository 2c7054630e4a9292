package draft

import (
	"fmt"

	"logitscope/engine/speculative"
	"logitscope/viz"
)

// drawLast draws where the round's last token came from: the residual after
// a refusal, the target's own law after a full success. With the cursor on a
// drafted token it shows both laws there.
func (v *View) drawLast(c *viz.Canvas, r *speculative.Round) {
	if c.H < 1 {
		return
	}
	if rows := rowsOf(r); v.pos >= 0 && v.pos < len(rows) && rows[v.pos].Top != nil {
		p := rows[v.pos]
		head := "both laws at this place"
		if r.Algorithm != speculative.Block {
			head += fmt.Sprintf(" · any token drawn here stands with %s, the sum of min(p, q)", viz.Percent(p.Alpha))
		}
		c.Put(2, 0, viz.CutTitle(head, c.W-4), viz.Ink{})
		v.drawBars(c.Sub(viz.Rect{X: 0, Y: 1, W: c.W, H: c.H - 1}), p.Top, false, p.Token)
		return
	}
	f := r.Final
	if f == nil {
		c.Put(2, 0, "the last drafted token ends the text: nothing more is drawn", viz.Ink{})
		return
	}
	emitted := viz.Plural(len(r.Emitted), "token") + " from 1 target pass"
	c.Put(2, 0, viz.FirstFit(c.W-4, lastWords(r)...), viz.Ink{})
	if c.H >= 3 {
		v.drawBars(c.Sub(viz.Rect{X: 0, Y: 1, W: c.W, H: c.H - 2}), f.Top, r.Kind == speculative.Residual, f.Token)
	}
	y := min(c.H-1, 1+barLines(c.H-2, f.Top, r.Kind == speculative.Residual))
	if c.H < 2 {
		return
	}
	x := c.Put(2, y, "u "+viz.Three(f.U), viz.Ink{Role: viz.Draw})
	x = c.Put(x, y, " → ", viz.Ink{Role: viz.Muted})
	x = c.Put(x, y, "● "+v.lane.Piece(f.Token, c.ASCII), viz.Ink{Role: viz.Chosen})
	c.Put(x+3, y, viz.CutWords(emitted, c.W-x-4), viz.Ink{})
}

// lastWords says what a round's last token was drawn from, longest first.
func lastWords(r *speculative.Round) []string {
	switch {
	case r.Kind == speculative.Residual && !r.Algorithm.IsExact():
		return []string{"refused: draw again, by this rule's own law"}
	case r.Kind == speculative.Residual && r.Algorithm == speculative.Block:
		return []string{fmt.Sprintf("refused: draw again from what the draft gave too little of, %s in all", viz.Percent(r.Final.Mass))}
	case r.Kind == speculative.Residual && r.Trials != nil:
		n := len(r.Trials[len(r.Trials)-1])
		brief := fmt.Sprintf("none of %d stands: draw from what they left of p, %s in all", n, viz.Percent(r.Final.Mass))
		if r.Algorithm == speculative.SpecTr {
			brief = fmt.Sprintf("none of %d stands: draw from p − c·min(q, p/ρ), %s in all", n, viz.Percent(r.Final.Mass))
		}
		return []string{brief, fmt.Sprintf("none of %d stands", n)}
	case r.Kind == speculative.Residual:
		brief := fmt.Sprintf("refused: draw again from max(p − q, 0), %s in all", viz.Percent(r.Final.Mass))
		return []string{brief + ": what the draft gave too little of", brief}
	case len(r.Drafted) == 0:
		return []string{"the target's own next token"}
	}
	return []string{"all accepted: the target's own next token comes free (bonus)"}
}

// lastLines is how many of h lines drawLast fills without a cursor.
func lastLines(r *speculative.Round, h int) int {
	if r.Final == nil {
		return 1
	}
	return min(h, 2+barLines(h-2, r.Final.Top, r.Kind == speculative.Residual))
}

// barLines is how many lines drawBars fills of h.
func barLines(h int, top []speculative.Bar, residual bool) int {
	n := len(top)
	if residual {
		n++
	}
	return min(n, max(h, 0))
}

// drawBars draws the likeliest tokens: under p and q with what is left of p,
// or under the target alone.
func (v *View) drawBars(c *viz.Canvas, top []speculative.Bar, residual bool, chosen int32) {
	col := columnsOf(c.W)
	muted := viz.Ink{Role: viz.Muted}
	both := residual || v.pos >= 0
	y := 0
	final := col.gauge
	if both {
		if c.H < 2 {
			return
		}
		c.Put(2, 0, "token", muted)
		c.Right(col.p, 0, "p", muted)
		c.Right(col.q, 0, "q", muted)
		if residual && col.u > 0 {
			c.Right(col.accept-1, 0, "p − q", muted)
			c.Right(col.u+1, 0, "residual", muted)
		} else {
			c.Right(col.accept, 0, "p − q", muted)
		}
		y = 1
	}
	most := 0.0
	for _, b := range top {
		most = max(most, b.P)
	}
	scale := 1.0
	for _, s := range [...]float64{.05, .10, .20, .25, .50} {
		if most <= s {
			scale = s
			break
		}
	}
	for i := 0; i < len(top) && y < c.H; i, y = i+1, y+1 {
		b := top[i]
		ink := viz.Ink{}
		if b.Token == chosen && v.pos < 0 {
			ink = viz.Ink{Role: viz.Chosen}
			c.Put(1, y, "●", ink)
		}
		c.Fit(2, y, col.labelW, v.lane.Piece(b.Token, c.ASCII), ink)
		c.Right(col.p, y, viz.Percent(b.P), ink)
		if !both {
			if w := c.W - 23; w > 4 {
				viz.Bars(c.Sub(viz.Rect{X: 21, Y: y, W: w, H: 1}), []viz.Bar{{Final: b.P, Single: true}}, scale)
			}
			continue
		}
		c.Right(col.q, y, viz.Percent(b.Q), ink)
		pairBars(c, y, col, b.P, b.Q)
		c.Right(col.accept, y, viz.Percent(b.Over()), ink)
		if residual && col.u > 0 {
			c.Right(col.u+1, y, viz.Percent(b.Final), ink)
			if w := c.W - final - 2; w > 4 {
				viz.Bars(c.Sub(viz.Rect{X: final, Y: y, W: w, H: 1}), []viz.Bar{{Final: b.Final, Single: true}}, 1)
			}
		}
	}
}
