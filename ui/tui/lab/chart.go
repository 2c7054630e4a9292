package lab

import (
	"strconv"
	"strings"

	"logitscope/engine"
	"logitscope/sampling"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// chartColumns are the columns of the chart, from the left. They depend on
// the size alone, so that numbers stand still.
type chartColumns struct {
	rank   int // right edge of the rank
	mark   int // cursor; pin and mark follow
	label  int
	labelW int
	raw    int // right edge; 0 if there is no such column
	final  int // right edge
	bar    int
	barW   int
	reason int // 0 if there is no such column
	words  bool
	dash   int // dashes before a cut line's name
}

// columnsOf returns the columns of a chart w cells wide inside.
func columnsOf(k kit.Class, w int) chartColumns {
	c := chartColumns{rank: 6, mark: 7, label: 11, labelW: 14, dash: 6}
	reason := 3
	switch k {
	case kit.Class160:
		reason, c.words = 24, true
	case kit.Class100:
		c.labelW, c.dash = 12, 3
	case kit.Class60:
		c.rank, c.mark, c.label, c.labelW, reason = 5, 6, 10, 12, 2
	case kit.Class40:
		c.rank, c.mark, c.label, c.labelW, reason = 4, 5, 9, 9, 0
	}
	// The raw column goes before the bars get too short.
	c.raw = c.label + c.labelW + 8
	c.final = c.raw + 8
	if k == kit.Class40 {
		c.raw, c.final = 0, c.label+c.labelW+8
	}
	c.bar = c.final + 1
	if reason > 0 {
		c.reason = w - reason
		c.barW = c.reason - 1 - c.bar
		return c
	}
	c.barW = w - c.bar
	return c
}

// chartHead is how many lines the head of the chart takes.
func chartHead(k kit.Class) int {
	if k == kit.Class40 {
		return 0
	}
	return 1
}

// drawChart draws the distribution of the step on the screen.
func (lb *View) drawChart(c *viz.Canvas, l *run.Lane, k kit.Class) {
	if lb.drawInstead(c, l) {
		return
	}
	top := chartTop(l, c.H)
	c = c.Sub(viz.Rect{X: 0, Y: top, W: c.W, H: c.H - top})
	t, ref := run.Traces(l)
	if t == nil {
		c.Put(1, 1, "waiting for the first step", viz.Ink{Role: viz.Muted})
		return
	}
	if w := weighed(l.Step()); w != nil {
		lb.drawTwoRows(c, l, k, w)
		return
	}
	col := columnsOf(k, c.W)
	y := chartHead(k)
	if y > 0 {
		drawChartHead(c, col, l.Step(), l.Scale)
	}
	lines := chartLines(t, ref, chartPlanFor(l, k, c.H))
	lines = lines[:min(len(lines), c.H-y)]
	bars := make([]viz.Bar, len(lines))
	d := rowDrawer{l: l, c: c, col: col, t: t, step: l.Step(), class: k}
	for i, ln := range lines {
		d.first = i == 0 || lines[i-1].kind == cutLine
		bars[i] = d.line(y+i, ln)
	}
	lb.bars.Draw(c.Sub(viz.Rect{X: col.bar, Y: y, W: col.barW, H: len(lines)}), bars, l.Scale)
	for i, ln := range lines {
		if ln.kind == cutLine {
			d.cut(y+i, ln)
		}
	}
}

func drawChartHead(c *viz.Canvas, col chartColumns, s *engine.Step, scale float64) {
	muted := viz.Ink{Role: viz.Muted}
	c.Right(col.rank, 0, "#", muted)
	c.Put(col.label, 0, "token", muted)
	if col.raw > 0 {
		c.Right(col.raw, 0, run.BesideName(s), muted)
	}
	c.Right(col.final, 0, "final", muted)
	c.Right(c.W-2, 0, "full bar "+viz.WholePercent(scale), muted)
}

// A rowDrawer draws the lines of one chart.
type rowDrawer struct {
	l     *run.Lane
	c     *viz.Canvas
	col   chartColumns
	t     *sampling.Trace
	step  *engine.Step
	class kit.Class
	first bool // the line is the first below the head or a cut line
}

// line draws one line but for its bar, which it returns.
func (d *rowDrawer) line(y int, ln chartLine) viz.Bar {
	switch ln.kind {
	case tokenLine:
		return d.token(y, ln.row)
	case keptLine:
		d.dots(y)
		d.rest(y, ln, restName(ln, d.first, d.col.labelW))
		return d.restBar(ln)
	case gapLine:
		d.dots(y)
		d.rest(y, ln, restName(ln, d.first, d.col.labelW))
		return d.restBar(ln)
	case othersLine:
		if ln.cut && !d.first {
			d.dots(y)
		}
		d.rest(y, ln, restName(ln, d.first, d.col.labelW))
		return d.restBar(ln)
	case elsewhereLine:
		d.elsewhere(y, ln)
		return viz.Bar{Raw: ln.raw}
	}
	return viz.Bar{Blank: true}
}

// restBar is the bar of a line that stands for several tokens. What those have
// under the whole model is not known one by one.
func (d *rowDrawer) restBar(ln chartLine) viz.Bar {
	if d.step.Whole != nil {
		return viz.Bar{Final: ln.final, Single: true, Blank: ln.final == 0}
	}
	return viz.Bar{Raw: ln.raw, Final: ln.final}
}

// restName names the tokens that a line stands for in at most w cells, where
// that can be; first says that it is the first below a cut line.
func restName(ln chartLine, first bool, w int) string {
	switch n := viz.Count(ln.count); {
	case ln.kind == keptLine:
		return viz.FirstFit(w, n+" more kept", n+" kept")
	case ln.kind == gapLine:
		return n + " more"
	case ln.cut && !first:
		return n + " cut"
	default:
		return n + " others"
	}
}

// dots says that the line goes on from the one above it.
func (d *rowDrawer) dots(y int) { d.c.Right(d.col.rank, y, "⋮", viz.Ink{Role: viz.Muted}) }

// rest draws a line that stands for several tokens.
func (d *rowDrawer) rest(y int, ln chartLine, name string) {
	ink := viz.Ink{Role: viz.Muted}
	if ln.cut && d.t.Survived > 0 {
		d.c.Put(d.col.mark+2, y, "✗", viz.Ink{Role: viz.Lost})
	}
	d.c.Fit(d.col.label, y, d.col.labelW, name, ink)
	if d.col.raw > 0 && d.step.Whole == nil {
		d.c.Right(d.col.raw, y, viz.Percent(ln.raw), ink)
	}
	final := viz.Percent(ln.final)
	if ln.cut {
		final = viz.Removed
	}
	d.c.Right(d.col.final, y, final, ink)
}

// elsewhere draws the line of the tokens that a server did not name: what
// they have together is known, which they are is not, and none is ever drawn.
func (d *rowDrawer) elsewhere(y int, ln chartLine) {
	d.rest(y, ln, run.UnnamedLabel(d.t, d.col.labelW))
	if d.col.reason > 0 && d.col.words {
		d.c.Put(d.col.reason, y, viz.FirstFit(d.c.W-d.col.reason, "unnamed, never drawn", "unnamed"), viz.Ink{Role: viz.Muted})
	}
}

// token draws one token's line.
func (d *rowDrawer) token(y int, r *sampling.Row) viz.Bar {
	chosen := r.ID == d.t.Token
	if d.step.Forced {
		chosen = r.ID == d.step.Token
	}
	removed := r.Cut != sampling.NoStage
	ink := viz.Ink{}
	switch {
	case chosen:
		ink = viz.Ink{Role: viz.Chosen}
	case removed:
		ink = viz.Ink{Role: viz.Lost}
	case r.Pinned:
		ink = viz.Ink{Role: viz.Pinned}
	}
	c := d.c
	c.Right(d.col.rank, y, strconv.Itoa(int(r.Rank)), viz.Ink{Role: viz.Muted})
	if r.ID == d.l.Row {
		c.Put(d.col.mark, y, "▸", viz.Ink{Role: viz.Focus})
	}
	if r.Pinned {
		c.Put(d.col.mark+1, y, "★", viz.Ink{Role: viz.Pinned})
	}
	mark := rowMark(r, chosen, d.step.Forced)
	if !chosen && run.Refused(d.t, r) {
		mark = "⊘"
	}
	c.Put(d.col.mark+2, y, mark, markInk(chosen))
	c.Fit(d.col.label, y, d.col.labelW, d.l.Piece(r.ID, c.ASCII), ink)
	if d.col.raw > 0 {
		c.Right(d.col.raw, y, viz.Percent(run.Beside(d.step, r)), viz.Ink{Role: viz.Muted})
	}
	final := viz.Percent(float64(r.Prob))
	if removed {
		final = viz.Removed
	}
	c.Right(d.col.final, y, final, ink)
	d.reason(y, r)
	return viz.Bar{Raw: run.Beside(d.step, r), Final: float64(r.Prob), Refused: run.Refused(d.t, r)}
}

// rowMark is the glyph that says what became of a token.
func rowMark(r *sampling.Row, chosen, forced bool) string {
	switch {
	case chosen && forced:
		return "◆"
	case chosen:
		return "●"
	case r.Cut != sampling.NoStage:
		return "✗"
	}
	return " "
}

func markInk(chosen bool) viz.Ink {
	if chosen {
		return viz.Ink{Role: viz.Chosen}
	}
	return viz.Ink{Role: viz.Lost}
}

// reason draws what moved or removed a token, in words where they fit.
func (d *rowDrawer) reason(y int, r *sampling.Row) {
	if d.col.reason == 0 {
		return
	}
	list := reasons(d.t, r)
	if k := d.step.Constraint; k != nil && !k.Broken && run.Refused(d.t, r) {
		if i, b := k.Constraint.Dies(k.State, r.ID); i >= 0 {
			list[len(list)-1].words = run.Refusal{At: i, What: b}.Words()
		}
	}
	x := d.col.reason
	for i, why := range list {
		s := why.String()
		if !d.col.words {
			if !why.moves() { // the row's mark says it already
				continue
			}
			s = why.mark()
		}
		if x+viz.Width(s) > d.c.W {
			return
		}
		x = d.c.Put(x, y, s, viz.Ink{Role: fates[why.fate].role})
		if i < len(list)-1 && d.col.words {
			x++
		}
	}
}

// cut draws a cut line over the whole width.
func (d *rowDrawer) cut(y int, ln chartLine) {
	ink := viz.Ink{Role: viz.CutLine}
	from, to := d.col.rank-3, d.c.W-1
	if d.class == kit.Class60 {
		to = d.c.W
	}
	d.c.Fill(viz.Rect{X: from, Y: y, W: to - from, H: 1}, "┄", ink)
	text := viz.CutTitle(cutWords(ln.marks), to-from-d.col.dash-4)
	d.c.Put(from+d.col.dash, y, " "+text+" ", ink)
}

// cutWords name the stages that cut at one place, and what each left.
func cutWords(marks []cutMark) string {
	var parts []string
	for _, m := range marks {
		parts = append(parts, m.words())
	}
	return strings.Join(parts, " · ")
}

// chartTitle says what the chart shows: which step, and how open it is.
func (lb *View) chartTitle(l *run.Lane, k kit.Class) string {
	s := l.Step()
	if f := l.View.Phase; f == engine.Prefill || s == nil || s.Trace == nil {
		if f == engine.Failed {
			return "step " + viz.Count(len(l.View.Steps)+1) + " · no distribution"
		}
		return "next token · none yet"
	}
	name := "next token"
	switch {
	case s.Observed && l.Before() == nil && k != kit.Class40:
		name = "the server's token"
	case l.Before() != nil:
		name = "what-if"
	case l.Look.At > 0, l.View.Next == nil: // the next one is still being asked for
		name = "token written"
	}
	step := "step " + viz.Count(s.Index)
	if s.Whole != nil {
		return name + " · " + step + " · " + run.Apart(s.Whole)
	}
	if w := weighed(s); w != nil && k != kit.Class40 {
		list := w.titles(l, lb.lanes.Draft)
		room := lb.layout().chart.W - viz.Width(w.how()) - 7
		return viz.FirstFit(room, name+" · "+step+" · "+list[0], name+" · "+step+" · "+list[1], step+" · "+list[1])
	}
	raw := run.Among(s.Trace)
	final, _ := viz.Many(float64(s.Trace.Bits))
	switch k {
	case kit.Class160:
		return name + " · " + step + " · among " + raw + " (" + viz.Two(float64(s.Trace.RawBits)) + " bits), after the settings " +
			viz.About(float64(s.Trace.Bits)) + " (" + viz.Two(float64(s.Trace.Bits)) + " bits)"
	case kit.Class40:
		return step + " · " + raw + " → " + final
	}
	head, frame := name+" · "+step+" · ", 6
	if k == kit.Class60 { // a rule, not a box
		frame = 5
	}
	return viz.FirstFit(lb.layout().chart.W-frame, head+"among "+raw+", after settings "+final, head+raw+" → "+final)
}
