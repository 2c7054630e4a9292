package lanes

import (
	"fmt"
	"strings"

	"logitscope/models"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// laneRoles are the colours of the lanes' titles and lines.
var laneRoles = [run.MaxLanes]viz.Role{viz.Lane1, viz.Lane2, viz.Lane3, viz.Lane4}

// Draw draws the view; see [kit.View].
func (v *View) Draw(c *viz.Canvas, host kit.Host) {
	lay := compareLayoutOf(c.W, c.H, len(v.lanes.All), v.lanes.Cur, v.alone, v.part)
	steps := stepsSideBySide(v.lanes.All)
	d := laneDrawer{v: v, host: host, lay: lay, steps: steps, scale: sharedScale(v.lanes.All)}
	if h := v.chartRows(lay); h > 0 {
		d.rows = alignRows(steps, h)
	}
	for col, r := range lay.lanes {
		i := lay.first + col
		d.text(c.Sub(r.text), i)
		if !r.chart.Empty() {
			d.chart(c.Sub(r.chart), i)
		}
		if !r.draw.Empty() {
			d.drawn(viz.Box(c.Sub(r.draw), viz.Frame{Title: "draw"}), i)
		}
	}
	if !lay.table.Empty() {
		v.drawLanes(c.Sub(lay.table), host, lay)
	}
	if !lay.why.Empty() {
		in := c.Sub(lay.why)
		if lay.boxed {
			in = viz.Box(in, viz.Frame{Title: v.whyTitle()})
		}
		v.drawWhy(in, host)
	}
	if !lay.apart.Empty() {
		v.drawApart(c.Sub(lay.apart), host)
	}
	if !lay.lines.Empty() {
		v.drawLines(c.Sub(lay.lines))
	}
	if v.open {
		v.drawKnobs(c, host)
	}
}

// chartRows is how many tokens have a row in each lane's chart; the line of
// the others comes below.
func (v *View) chartRows(lay compareLayout) int {
	h := lay.lanes[0].chart.H - 3
	if !lay.boxed {
		h = lay.lanes[0].chart.H - 2
	}
	return h
}

// rowsOf lists the tokens with a row in lane i's chart, from the top.
func (v *View) rowsOf(host kit.Host, i int) []int32 {
	r := host.Screen().Body()
	lay := compareLayoutOf(r.W, r.H, len(v.lanes.All), v.lanes.Cur, v.alone, v.part)
	h := v.chartRows(lay)
	if h < 1 {
		return nil
	}
	var ids []int32
	for _, id := range alignRows(stepsSideBySide(v.lanes.All), h)[i] {
		if id != models.NoToken {
			ids = append(ids, id)
		}
	}
	return ids
}

// sharedScale is what a full bar stands for in every lane.
func sharedScale(lanes []*run.Lane) float64 {
	s := 0.05
	for _, l := range lanes {
		s = max(s, l.Scale)
	}
	return s
}

// drawKnobs opens the list of knobs over the lower half.
func (v *View) drawKnobs(c *viz.Canvas, host kit.Host) {
	w := min(c.W, 62)
	h := min(v.knobs.ControlsHeight(), c.H)
	box := c.Sub(viz.Rect{X: 0, Y: c.H - h, W: w, H: h})
	box.Clear()
	f := viz.Frame{Title: fmt.Sprintf("knobs of lane %d", v.lanes.Cur+1), Focused: true}
	if !v.lanes.Side.One {
		f.Title += " · they change " + v.lanes.ScopeWords()
	}
	v.knobs.DrawControlBox(viz.Box(box, f), host.Lane())
}

// A laneDrawer draws the columns.
type laneDrawer struct {
	v     *View
	host  kit.Host
	lay   compareLayout
	steps []laneStep
	rows  [][]int32
	scale float64
}

// focused reports whether keys act in lane i's column.
func (d *laneDrawer) focused(i int) bool { return i == d.v.lanes.Cur && !d.v.open }

// pane draws the frame of one part of a column and returns its inside.
func (d *laneDrawer) pane(c *viz.Canvas, f viz.Frame) *viz.Canvas {
	if d.lay.boxed {
		return viz.Box(c, f)
	}
	f.Focused = false
	viz.Rule(c, f)
	return c.Sub(viz.Rect{X: 0, Y: 1, W: c.W, H: c.H - 1})
}

// numbers are survivors, entropy and speed of the step a lane shows.
func numbers(l *run.Lane) string {
	var parts []string
	if s := l.Step(); s != nil && s.Trace != nil {
		parts = append(parts, "kept "+viz.Count(s.Trace.Survived), viz.Two(float64(s.Trace.RawBits))+" bits")
	}
	if l.View.Rate > 0 {
		parts = append(parts, viz.Rate(l.View.Rate)+" tok/s")
	}
	return strings.Join(append(parts, viz.Plural(len(l.View.Steps), "token")), " · ")
}

// drawn says what lane i drew, and how far it is from the lane it is measured
// against.
func (d *laneDrawer) drawn(c *viz.Canvas, i int) {
	l, s := d.v.lanes.All[i], d.steps[i].s
	if s == nil {
		c.Put(1, 0, viz.CutTitle(run.StrategyWords(l), c.W-2), viz.Ink{Role: viz.Muted})
		return
	}
	t := s.Trace
	name := l.Piece(s.Token, c.ASCII)
	round := s.Round != nil
	first := fmt.Sprintf("u %s → %s %s", viz.Three(t.U), name, viz.Interval(t.Lo, t.Hi))
	if viz.Width(first) > c.W-2 {
		first = fmt.Sprintf("u %s → %s", viz.Three(t.U), name)
	}
	switch {
	case t.Race.Ran:
		first = fmt.Sprintf("in first at %s → %s", viz.ArrivalTime(t.Race.Time), name)
	case s.Forced:
		first = name + " was forced"
	case round:
		first = "judged in a round → " + name
	case t.Greedy:
		first = "greedy → " + name
	}
	shares := viz.Percent(float64(t.RawProb)) + " raw, " + viz.Percent(float64(t.Prob)) + " final"
	if c.W < 46 {
		shares = viz.Percent(float64(t.RawProb)) + " → " + viz.Percent(float64(t.Prob))
	}
	lines := []string{first, fmt.Sprintf("raw rank %s · %s", viz.Count(int(s.Summary.Rank)), shares)}
	speed := viz.Plural(len(l.View.Steps), "token")
	if l.View.Rate > 0 {
		speed = "decode " + viz.Rate(l.View.Rate) + " tok/s · " + speed
	}
	lines = append(lines, speed)
	if ref := d.v.reference(); ref != i {
		lines = append(lines, d.v.apartWords(ref, i))
	} else {
		lines = append(lines, "TV is measured from here")
	}
	if v := l.View.Draft; v != nil && round {
		lines[1] = fmt.Sprintf("%s of %s drafted tokens stood", viz.Count(v.Accepted), viz.Count(v.Judged))
	}
	for y, s := range lines {
		c.Put(1, y, viz.CutTitle(s, c.W-2), viz.Ink{})
	}
}

// apartWords is the distance of lane i to lane ref in a few words.
func (v *View) apartWords(ref, i int) string {
	p := v.pairOf(v.lanes.All[ref], v.lanes.All[i])
	to := fmt.Sprintf(" to lane %d: ", ref+1)
	switch {
	case p.alien:
		return "TV" + to + "– (other vocabulary)"
	case !p.measured(v.lanes.All[ref], v.lanes.All[i]):
		return "TV" + to + viz.Removed
	}
	return "TV" + to + viz.Three(p.now.d.TV) + " · JS " + viz.Three(p.now.d.JS) + " bits"
}
