package lanes

import (
	"fmt"
	"math"
	"strings"

	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// series returns the newest n distances, NaN where there are none, and the
// step, from 0, of the first.
func (p *pair) series(n int) (values []float64, from int) {
	from = max(len(p.apart)-max(n, 0), 0)
	for _, x := range p.apart[from:] {
		if x.a == nil || x.err != nil {
			values = append(values, math.NaN())
			continue
		}
		values = append(values, x.d.TV)
	}
	return values, from
}

// oneText reports whether the lanes have written the same text before step i,
// from 0: only there a distance is one of their laws, and not of their texts.
func (p *pair) oneText(i int) bool { return !p.parts || i <= min(p.at[0], p.at[1]) }

// mean is the mean of the distances that are known, up to where the texts
// part.
func (p *pair) mean() (mean float64, n int) {
	for i, x := range p.apart {
		if x.a != nil && x.err == nil && p.oneText(i) {
			mean += x.d.TV
			n++
		}
	}
	return mean / float64(max(n, 1)), n
}

// drawApart draws the distances by token: a line chart for two lanes, a line
// of columns a lane for more.
func (v *View) drawApart(c *viz.Canvas, host kit.Host) {
	if len(v.lanes.All) > 2 {
		v.drawApartLanes(c, host)
		return
	}
	in := viz.Box(c, viz.Frame{Title: "total variation between the lanes, token by token", Right: "0 same · 1 nothing in common"})
	p := v.pairOf(v.lanes.All[0], v.lanes.All[1])
	muted := viz.Ink{Role: viz.Muted}
	rows := in.H - 2
	chart := in.Sub(viz.Rect{X: 6, Y: 0, W: in.W - 7, H: rows})
	for y := range rows {
		in.Put(5, y, "│", muted)
	}
	in.Put(1, 0, "1.0 ┤", muted)
	in.Put(1, rows/2, "0.5 ┤", muted)
	in.Fill(viz.Rect{X: 6, Y: rows, W: in.W - 7, H: 1}, "─", muted)
	in.Put(3, rows, "0 └", muted)
	values, from := p.series(chart.W)
	n := max(len(values), chart.W/3) // a few tokens take a few cells each
	viz.Lines(chart, []viz.Series{{Values: values, Ink: viz.Ink{Role: viz.Draw}}}, n, 1)
	if at := p.at[0] - from; p.parts && at >= 0 && at < n {
		x := 6 + at*(chart.W-1)/max(n-1, 1)
		label := fmt.Sprintf("token %s: texts part", viz.Count(p.at[0]+1))
		if x+2+viz.Width(label) < in.W {
			in.Put(x, rows, "▲ "+label, muted)
		} else {
			in.Right(x+1, rows, label+" ▲", muted)
		}
	}
	in.Put(6, rows+1, viz.CutTitle(v.apartLine(host, p), in.W-7), muted)
}

// apartLine sums up the distances of two lanes.
func (v *View) apartLine(host kit.Host, p *pair) string {
	var parts []string
	switch mean, n := p.mean(); {
	case p.alien:
		parts = append(parts, "other vocabulary: distributions cannot be compared")
	case n > 0:
		s := fmt.Sprintf("mean of %s: %s", viz.Count(n), viz.Three(mean))
		if p.parts {
			s += " up to ▲"
		}
		parts = append(parts, s)
	}
	for i, l := range v.lanes.All {
		if l.View.Rate > 0 {
			parts = append(parts, fmt.Sprintf("lane %d: %s tok/s", i+1, viz.Rate(l.View.Rate)))
		}
	}
	how := "each lane waits for the slower (w: run free)"
	if v.lanes.Side.Free {
		how = "each lane runs free (w: wait for each other)"
	}
	return strings.Join(append(parts, how), " · ")
}

// drawApartLanes draws one line of columns a lane.
func (v *View) drawApartLanes(c *viz.Canvas, host kit.Host) {
	ref := v.reference(host)
	in := viz.Box(c, viz.Frame{Title: fmt.Sprintf("total variation to lane %d, token by token", ref+1), Right: "0 same · 1 nothing in common · each column one token"})
	muted := viz.Ink{Role: viz.Muted}
	const names, words = 18, 58
	w := max(in.W-names-words-2, 8)
	y, last := 0, 0
	for i, l := range v.lanes.All {
		if i == ref {
			continue
		}
		p := v.pairOf(v.lanes.All[ref], l)
		in.Fit(1, y, names-2, fmt.Sprintf("lane %d %s", i+1, viz.Printable(l.ShownLabel(), c.ASCII)), viz.Ink{Role: laneRoles[i]})
		values, from := p.series(w)
		viz.Spark(in.Sub(viz.Rect{X: names, Y: y, W: w, H: 1}), values, 1, viz.Ink{Role: laneRoles[i]})
		if at := p.at[0] - from; p.parts && at >= 0 && at < w && !p.alien {
			in.Put(names+at, in.H-2, "▲", muted)
			last = max(last, names+at+1)
		}
		in.Put(names+w+1, y, viz.CutTitle(p.words(v.lanes.All[ref], l), in.W-names-w-2), viz.Ink{})
		y++
	}
	if last > 0 {
		in.Put(max(last, names)+1, in.H-2, viz.CutTitle("▲ where the texts part", in.W-last-3), muted)
	}
	in.Put(1, in.H-1, viz.CutTitle(v.luckLine(host, in.W-2), in.W-2), muted)
}

// measured reports whether the distance of the steps that a and b show is
// known.
func (p *pair) measured(a, b *run.Lane) bool {
	return p.now.a != nil && p.now.err == nil && run.ShownIndex(a) == run.ShownIndex(b)
}

// words sum up a pair's distances.
func (p *pair) words(a, b *run.Lane) string {
	mean, n := p.mean()
	switch {
	case a.View.Beam != nil || b.View.Beam != nil:
		return "beam search has no distribution to draw from"
	case p.alien:
		return "other vocabulary"
	case n == 0:
		return "nothing measured yet"
	}
	s := "mean " + viz.Three(mean)
	if p.parts {
		s += " up to ▲"
	}
	switch {
	case !p.measured(a, b):
	case p.oneText(run.ShownIndex(a)):
		s += fmt.Sprintf(" · now %s · shared %s of %s", viz.Three(p.now.d.TV), viz.Count(p.now.d.Shared), viz.Count(p.now.d.Either))
	default:
		s += fmt.Sprintf(" · now %s, after other texts", viz.Three(p.now.d.TV))
	}
	return s
}

// luckLine lists the draws of the positions up to the one shown, if all lanes
// that draw share them.
func (v *View) luckLine(host kit.Host, w int) string {
	if _, same := v.lanes.SameLuck(); !same {
		return "the lanes draw with different seeds"
	}
	to := run.ShownIndex(host.Lane())
	drawing := 0
	for _, l := range v.lanes.All {
		if set := l.ShownSettings(); set == nil || !set.Pipeline.Greedy() {
			drawing++
		}
	}
	head, tail := "u by token ", "  one draw a position, shared by all lanes"
	switch n := len(v.lanes.All); {
	case drawing == 0:
		return "no lane draws: the best token is taken"
	case drawing < n:
		tail = fmt.Sprintf("  one draw a position, shared by the %d lanes that draw", drawing)
	}
	n := max((w-viz.Width(head)-viz.Width(tail))/6, 0)
	var us []string
	for k := max(to+1-n, 0); k <= to; k++ {
		u, known, same := v.drawAt(k)
		switch {
		case !same:
			return "the lanes draw by different generators"
		case known:
			us = append(us, viz.Three(u))
		default:
			us = append(us, "  –  ")
		}
	}
	return head + strings.Join(us, " ") + tail
}

// drawAt is the number that the lanes drew at position k, from 0, whether any
// did, and whether all that did drew the same.
func (v *View) drawAt(k int) (u float64, known, same bool) {
	for _, l := range v.lanes.All {
		st := run.ShownView(l).Step(k)
		if st == nil || st.Trace == nil || st.Trace.Greedy || st.Trace.U == 0 && st.Trace.Hi == st.Trace.Lo {
			continue
		}
		if known && st.Trace.U != u {
			return 0, true, false
		}
		u, known = st.Trace.U, true
	}
	return u, known, true
}
