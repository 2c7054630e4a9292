package lab

import (
	"fmt"
	"strings"

	"logitscope/engine"
	"logitscope/sampling"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// A projection is where everything of the projector stands: the chart alone,
// for the back of a classroom, with what the knob that is turned does.
type projection struct {
	textY, textH  int
	headY         int // -1 for no head
	chart         viz.Rect
	stripY, knobY int // -1 for no strip
	hereY         int // -1 for no line of what the knob does
	cols          projectorColumns
}

// projectorColumns are the columns of its rows.
type projectorColumns struct {
	mark, label, labelW int
	raw, final          int // right edges; raw 0 for none
	bar, barW           int
}

// projectionOf returns the layout of a projector of w by h cells. Below 80 by
// 24 the head of the columns gives way, then the words of the knob, the text
// and the strip.
func projectionOf(w, h int) projection {
	p := projection{textY: 1, textH: 1, headY: 2, hereY: h - 2, knobY: h - 3, stripY: h - 5}
	p.cols = projectorColumns{mark: 2, label: 5, labelW: 12, raw: 23, final: 30, bar: 32}
	y := 3
	switch {
	case h >= 36:
		p.textY, p.textH, p.headY, y = 2, 2, 5, 6
		p.stripY--
	case h < 14:
		p.textH, p.headY, p.stripY, p.hereY, p.knobY, y = 0, -1, -1, -1, h-2, 1
	case h < 22:
		p.headY, p.hereY, p.knobY, p.stripY, y = -1, -1, h-2, h-4, 2
	}
	if w < 60 {
		p.cols = projectorColumns{mark: 2, label: 4, labelW: 9, final: 20, bar: 22}
	}
	p.cols.barW = max(w-p.cols.bar-3, 1)
	end := p.knobY
	if p.stripY >= 0 {
		end = p.stripY
	}
	p.chart = viz.Rect{X: 0, Y: y, W: w, H: max(end-y, 1)}
	return p
}

// thicknesses are how many lines a survivor's bar, the line of other survivors
// and that of a token that was cut take, from the back row's to a small
// window's; most is how many survivors must have a row for one to be taken.
var thicknesses = []struct{ bar, kept, cut, most int }{{3, 3, 2, 12}, {2, 2, 2, 9}, {2, 1, 1, 5}, {1, 1, 1, 0}}

// projectorLines returns the lines of a projector's chart of h lines and how
// they are drawn: rows first, then thickness.
func projectorLines(l *run.Lane, t, ref *sampling.Trace, h int) (lines []chartLine, plan chartPlan) {
	for _, th := range thicknesses {
		plan = chartPlan{lines: h, total: compactBelow - 1, cuts: 1, thick: th.bar, thickKept: th.kept, thickCut: th.cut,
			Keep: run.Keep{DeadPins: true, Cursor: l.Row}}
		lines = chartLines(t, ref, plan)
		kept, all := 0, true
		for _, ln := range lines {
			switch {
			case ln.row != nil && ln.row.Cut == sampling.NoStage:
				kept++
			case ln.kind == keptLine, ln.kind == othersLine && !ln.cut:
				all = false
			}
		}
		if all || kept >= th.most {
			break
		}
	}
	return lines, plan
}

// drawProjector draws the chart alone, for the back of a classroom: few rows,
// thick bars, and the knob that is turned with what it does here.
func (lb *View) drawProjector(c *viz.Canvas, l *run.Lane) {
	t, ref := run.Traces(l)
	p := projectionOf(c.W, c.H)
	lb.drawProjectorHead(c, l, t)
	if p.textH > 0 {
		g, lines, top := lb.textLines(l, c.W-2, p.textH)
		for y := 0; y < p.textH && top+y < len(lines); y++ {
			x := 1
			for _, gl := range g[lines[top+y][0]:lines[top+y][1]] {
				x = c.Put(x, p.textY+y, gl.Text, gl.Ink)
			}
		}
	}
	if p.headY >= 0 {
		muted := viz.Ink{Role: viz.Muted}
		c.Put(p.cols.label, p.headY, "token", muted)
		if p.cols.raw > 0 {
			c.Right(p.cols.raw, p.headY, run.BesideName(l.Step()), muted)
		}
		c.Right(p.cols.final, p.headY, "final", muted)
		c.Right(c.W-1, p.headY, "full bar "+viz.WholePercent(l.Scale), muted)
	}
	lb.drawThickRows(c.Sub(p.chart), l, t, ref, p.cols)
	if p.stripY >= 0 {
		lb.DrawStrip(c.Sub(viz.Rect{X: 1, Y: p.stripY, W: c.W - 2, H: 2}), l, t)
	}
	lb.drawKnobLine(c.Sub(viz.Rect{X: 0, Y: p.knobY, W: c.W, H: 1}), l)
	if p.hereY >= 0 {
		a, b := lb.effectLines()
		here := a
		if b != "" {
			here += " " + b
		}
		if words := ". " + lb.drawSentence(l); viz.Width(here)+viz.Width(words) <= c.W-5 && b != "" {
			here += words
		}
		c.Put(3, p.hereY, viz.CutSentence(here, c.W-4), viz.Ink{})
	}
}

// drawSentence says where the draw falls, as the end of a sentence.
func (lb *View) drawSentence(l *run.Lane) string {
	t := l.Step().Trace
	if t.Greedy || t.Race.Ran || undrawn(t) || l.Step().Forced || l.Step().Observed {
		return lb.DrawWords(l, l.Step(), " falls in ")
	}
	return "With u " + viz.Three(t.U) + " the draw falls in " + l.Piece(t.Token, lb.pal.ASCII) + " " + viz.Interval(t.Lo, t.Hi) + "."
}

func (lb *View) drawProjectorHead(c *viz.Canvas, l *run.Lane, t *sampling.Trace) {
	bold := viz.Ink{}.With(viz.Bold)
	x := c.Put(1, 0, run.PhaseWords(l), bold)
	name := ""
	if l.Before() != nil {
		name = "what-if · "
	} else if l.View.Phase == engine.Done && l.Look.At > 0 {
		name = "written · "
	}
	step := "step " + viz.Count(l.Step().Index)
	raw, _ := viz.Many(float64(t.RawBits))
	final, _ := viz.Many(float64(t.Bits))
	right := viz.FirstFit(c.W-x-2, name+step+" · among "+run.Among(t)+", after settings "+final, name+step+" · "+raw+" → "+final, step)
	end := c.Right(c.W-1, 0, right, bold)
	label := viz.Printable(l.ShownLabel(), c.ASCII)
	if s := viz.FirstFit(end-x-4, label+"  "+l.SeedWords(), label); x+2+viz.Width(s) < end {
		c.Put(x+2, 0, s, viz.Ink{})
	}
}

// drawThickRows draws the lines of the chart.
func (lb *View) drawThickRows(c *viz.Canvas, l *run.Lane, t, ref *sampling.Trace, col projectorColumns) {
	lines, plan := projectorLines(l, t, ref, c.H)
	y := 0
	for i, ln := range lines {
		h := plan.height(ln)
		if ln.kind == cutLine {
			lb.drawThickCut(c, t, y)
		} else {
			first := i == 0 || lines[i-1].kind == cutLine
			lb.drawThickRow(c.Sub(viz.Rect{X: 0, Y: y, W: c.W, H: h}), l, t, ref, col, ln, first)
		}
		y += h
	}
}

// drawThickCut names all stages that cut, the strictest first, with what each
// was given and left.
func (lb *View) drawThickCut(c *viz.Canvas, t *sampling.Trace, y int) {
	ink := viz.Ink{Role: viz.CutLine}
	c.Fill(viz.Rect{X: 1, Y: y, W: c.W - 2, H: 1}, "┄", ink)
	text := ""
	for i, m := range cutMarks(t) {
		if i > 0 {
			text += " · "
		}
		text += m.label + ": " + viz.Count(m.left) + " of " + viz.Count(m.before) + " left"
	}
	dash := min(7, c.W/10)
	c.Put(dash, y, " "+viz.CutTitle(text, c.W-dash-4)+" ", ink)
}

// drawThickRow draws one line of the chart, as high as c.
func (lb *View) drawThickRow(c *viz.Canvas, l *run.Lane, t, ref *sampling.Trace, col projectorColumns, ln chartLine, first bool) {
	muted := viz.Ink{Role: viz.Muted}
	ink, raw, final := muted, viz.Percent(ln.raw), viz.Percent(ln.final)
	name, bar := restName(ln, first, col.labelW), viz.Bar{Raw: ln.raw, Final: ln.final}
	if ln.kind == elsewhereLine {
		name = run.UnnamedLabel(t, col.labelW)
	}
	if ln.cut {
		final = viz.Removed
		c.Put(col.mark, 0, "✗", viz.Ink{Role: viz.Lost})
	}
	if r := ln.row; r != nil {
		s := l.Step()
		chosen := r.ID == t.Token && !s.Forced || s.Forced && r.ID == s.Token
		name, bar = l.Piece(r.ID, c.ASCII), viz.Bar{Raw: run.Beside(l.Step(), r), Final: float64(r.Prob), Refused: run.Refused(t, r)}
		raw, final = viz.Percent(bar.Raw), viz.Percent(bar.Final)
		ink = viz.Ink{}
		if r.Cut != sampling.NoStage {
			final, ink.Role = viz.Removed, viz.Lost
		}
		if chosen {
			ink.Role = viz.Chosen
		}
		if r.ID == l.Row {
			c.Put(1, 0, "▸", viz.Ink{Role: viz.Focus})
		}
		mark := rowMark(r, chosen, s.Forced)
		switch {
		case !chosen && run.Refused(t, r):
			mark = "⊘"
		case !chosen && l.Before() != nil && r.ID == ref.Token && mark == " ":
			mark = "○" // what would have been drawn
		case r.Pinned && mark == " ":
			mark = "★"
		}
		c.Put(col.mark, 0, mark, markInk(chosen))
		c.Put(col.bar+col.barW+1, 0, firstReason(t, r), viz.Ink{Role: viz.Penalised})
	}
	c.Fit(col.label, 0, col.labelW, name, ink)
	if col.raw > 0 {
		c.Right(col.raw, 0, raw, muted)
	}
	c.Right(col.final, 0, final, ink)
	kept := bar.Final > 0
	for y := range c.H {
		in := c.Sub(viz.Rect{X: col.bar, Y: y, W: col.barW, H: 1})
		switch {
		case y == 0:
			viz.Bars(in, []viz.Bar{bar}, l.Scale)
		case !kept: // what was lost is one line high
		case y == c.H-1:
			viz.BarFoot(in, bar, l.Scale)
		default:
			viz.Bars(in, []viz.Bar{{Raw: min(bar.Raw, bar.Final), Final: bar.Final}}, l.Scale)
		}
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

// drawKnobLine draws the selected knob in one line, with what it means: the
// line below a pane that has the window to itself, so that no value changes
// unseen.
func (lb *View) drawKnobLine(c *viz.Canvas, l *run.Lane) {
	p := lb.sel.Selected()
	cfg := l.ShownConfig()
	v := cfg.Value(p.Key)
	ink := viz.Ink{Role: viz.Focus}.With(viz.Bold)
	c.Put(1, 0, "▸", ink)
	x := c.Put(3, 0, p.Key, ink) + 2
	if run.HasSlider(p) {
		w := min(50, max((c.W-x)/2-10, 4))
		viz.Slider(c.Sub(viz.Rect{X: x, Y: 0, W: w, H: 1}), knobFrac(p, v), p.IsOff(v), viz.Ink{Role: viz.Focus})
		x += w + 2
	}
	x = c.Put(x, 0, viz.CutTitle(viz.Printable(run.ValueWords(p, v), c.ASCII), max(c.W-x-1, 0)), viz.Ink{}.With(viz.Bold))
	if b := l.Before(); b != nil && b.Settings != nil && !run.SameSetting(b.Settings.Config(), cfg, p.Key) {
		c.Put(x+2, 0, viz.CutTitle("was "+run.ValueWords(p, b.Settings.Config().Value(p.Key)), max(c.W-x-3, 0)), viz.Ink{Role: viz.Muted})
		return
	}
	c.Put(x+5, 0, wholeParts(p.Help, c.W-x-6), viz.Ink{})
}

// wholeParts returns the parts of a sentence that fit w cells, none of them
// cut.
func wholeParts(s string, w int) string {
	for viz.Width(s) > w {
		i := strings.LastIndexAny(s[:len(s)-1], ",.")
		if i < 0 {
			return ""
		}
		s = s[:i] + "."
	}
	return s
}

// Millions is n in millions, with one decimal.
func Millions(n int64) string { return fmt.Sprintf("%.1f", float64(n)/1e6) }

// projectorRows lists the lines of the projector with the rectangle of each.
func (lb *View) projectorRows(l *run.Lane) (lines []chartLine, at []viz.Rect) {
	t, ref := run.Traces(l)
	r := projectionOf(lb.w, lb.h).chart
	lines, plan := projectorLines(l, t, ref, r.H)
	y := r.Y
	for _, ln := range lines {
		at = append(at, viz.Rect{X: 0, Y: y, W: r.W, H: plan.height(ln)})
		y += plan.height(ln)
	}
	return lines, at
}
