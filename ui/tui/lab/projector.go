package lab

import (
	"fmt"
	"math"

	"logitscope/sampling"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// drawProjector draws the chart alone, for the back of a classroom: few rows,
// bars two lines thick where they fit.
func (lb *View) drawProjector(c *viz.Canvas, l *run.Lane) {
	t, ref := run.Traces(l)
	s := l.Step()
	muted := viz.Ink{Role: viz.Muted}
	name := "next token"
	if l.Before() != nil {
		name = "what-if"
	}
	step := "step " + viz.Count(s.Index)
	raw, _ := viz.Many(float64(t.RawBits))
	final, _ := viz.Many(float64(t.Bits))
	brief := step + " · " + raw + " → " + final
	phase, label := run.PhaseWords(l), viz.Printable(l.ShownLabel(), c.ASCII)
	right := viz.FirstFit(c.W-5-viz.Width(brief), fmt.Sprintf("%s  %s  seed %d", phase, label, l.ShownConfig().Uint("seed")), phase+"  "+label, phase)
	x := c.Right(c.W-1, 0, right, muted)
	title := viz.FirstFit(x-3, name+" · "+step+" · among "+among(t)+", after settings "+final,
		step+" · among "+among(t)+", after settings "+final, brief)
	c.Put(1, 0, title, viz.Ink{}.With(viz.Bold))
	g, lines, top := lb.textLines(l, c.W-2, 1)
	if top < len(lines) {
		x := 1
		for _, gl := range g[lines[top][0]:lines[top][1]] {
			x = c.Put(x, 2, gl.Text, gl.Ink)
		}
	}
	lb.drawThickRows(c.Sub(viz.Rect{X: 0, Y: 4, W: c.W, H: c.H - projectorRest}), l, t, ref)
	info := l.Model.Info()
	note := fmt.Sprintf("Full bar %s. Likely is not the same as true", viz.WholePercent(l.Scale))
	if info.Params > 0 && info.Params < 100e6 {
		note += fmt.Sprintf(": a toy model of %s M numbers", Millions(info.Params))
	}
	c.Put(1, c.H-2, viz.CutTitle(note+".", c.W-2), muted)
}

// Millions is n in millions, with one decimal.
func Millions(n int64) string { return fmt.Sprintf("%.1f", float64(n)/1e6) }

// projectorRest is how many lines of the projector's screen are no rows.
const projectorRest = 7

// thickPlan returns the rows that h lines hold, how many lines a bar takes
// and how many are left free between two.
func thickPlan(l *run.Lane, h int) (plan chartPlan, thick, gap int) {
	thick, gap = 2, 1
	n := (h - 1) / (thick + gap)
	if n < 5 {
		thick, gap = 1, 0
		n = h - 1
	}
	return chartPlan{lines: n + 1, total: compactBelow - 1, Keep: run.Keep{DeadPins: true, Cursor: l.Row}}, thick, gap
}

// drawThickRows draws as many rows as fit, three lines each, or one where
// that would show fewer than five.
func (lb *View) drawThickRows(c *viz.Canvas, l *run.Lane, t, ref *sampling.Trace) {
	plan, thick, gap := thickPlan(l, c.H)
	if plan.lines < 2 {
		return
	}
	col := chartColumns{label: 3, labelW: 14, final: 22, bar: 24, barW: c.W - 24 - 8}
	y := 0
	for _, ln := range chartLines(t, ref, plan) {
		lb.drawThickRow(c, l, t, col, ln, y, thick)
		y += thick + gap
	}
}

func (lb *View) drawThickRow(c *viz.Canvas, l *run.Lane, t *sampling.Trace, col chartColumns, ln chartLine, y, thick int) {
	ink, final := viz.Ink{Role: viz.Muted}, viz.Percent(ln.final)
	name := viz.Count(ln.count) + " others"
	if ln.kind == elsewhereLine {
		name, final = run.UnnamedLabel(t, col.labelW), viz.Removed
	}
	bar := viz.Bar{Raw: ln.raw, Final: ln.final}
	if r := ln.row; r != nil {
		s := l.Step()
		chosen := r.ID == t.Token && !s.Forced || s.Forced && r.ID == s.Token
		name, bar = l.Piece(r.ID, c.ASCII), viz.Bar{Raw: float64(r.RawProb), Final: float64(r.Prob)}
		final = viz.Percent(float64(r.Prob))
		ink = viz.Ink{}
		if r.Cut != sampling.NoStage {
			final, ink.Role = viz.Removed, viz.Lost
		}
		if chosen {
			ink.Role = viz.Chosen
		}
		if r.ID == l.Row {
			c.Put(0, y, "▸", viz.Ink{Role: viz.Focus})
		}
		if r.Pinned {
			c.Put(2, y, "★", viz.Ink{Role: viz.Pinned})
		}
		c.Put(1, y, rowMark(r, chosen, s.Forced), markInk(r, chosen))
		c.Put(col.bar+col.barW+1, y, firstReason(t, r), viz.Ink{Role: viz.Penalised})
	} else {
		thick = 1
	}
	c.Fit(col.label, y, col.labelW, name, ink)
	c.Right(col.final, y, final, ink)
	for i := range thick {
		viz.Bars(c.Sub(viz.Rect{X: col.bar, Y: y + i, W: col.barW, H: 1}), []viz.Bar{bar}, math.Max(l.Scale, 0.05))
	}
}

// firstReason is the arrow of what moved a token first.
func firstReason(t *sampling.Trace, r *sampling.Row) string {
	for _, why := range reasons(t, r) {
		if why.moves() {
			return why.mark()
		}
	}
	return ""
}
