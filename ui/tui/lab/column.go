package lab

import (
	"strings"

	"logitscope/engine"
	"logitscope/sampling"
	"logitscope/sampling/param"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// drawColumn draws the classes of one column.
func (lb *View) drawColumn(c *viz.Canvas, lay layout, l *run.Lane) {
	k := lay.class
	text, chart := c.Sub(lay.text), c.Sub(lay.chart)
	switch k {
	case kit.Class80:
		lb.DrawText(viz.Box(text, lb.TextFrame(l)), l)
		lb.drawChart(viz.Box(chart, lb.chartFrame(l, k)), l, k)
	default:
		lb.DrawText(text, l)
		if lb.has(PaneText) {
			lb.drawFocus(text, 0, lay.text.W)
		}
		f := lb.chartFrame(l, k)
		rule := chart
		if k == kit.Class60 { // two dashes before the title
			viz.Rule(chart.Sub(viz.Rect{X: 0, Y: 0, W: 1, H: 1}), viz.Frame{Focused: f.Focused})
			rule = chart.Sub(viz.Rect{X: 1, Y: 0, W: chart.W - 1, H: 1})
		}
		viz.Rule(rule, f)
		lb.drawChart(chart.Sub(viz.Rect{X: 0, Y: 1, W: chart.W, H: chart.H - 1}), l, k)
	}
	lb.drawColumnPipeline(c.Sub(lay.pipeline), l, k)
	lb.drawOneKnob(c.Sub(lay.knob), l, k)
	if lb.has(PaneControls) {
		r := lb.listRect(lay)
		box := c.Sub(r)
		box.Clear()
		lb.drawKnobList(viz.Box(box, lb.controlFrame()), l)
	}
}

// listRect is where the list of knobs opens in the classes of one column:
// over the chart's lower part, so that its best rows still show what a knob
// does.
func (lb *View) listRect(lay layout) viz.Rect {
	r := lay.chart
	h := min(max(r.H*2/3, 6), r.H)
	return viz.Rect{X: 0, Y: r.Y + r.H - h, W: r.W, H: h}
}

func listClass(w int) kit.Class {
	switch {
	case w >= 58:
		return kit.Class160
	case w >= 46:
		return kit.Class120
	}
	return kit.Class100
}

// drawColumnPipeline draws strip and stages without a box.
func (lb *View) drawColumnPipeline(c *viz.Canvas, l *run.Lane, k kit.Class) {
	s := l.Step()
	if s == nil || s.Trace == nil || l.View.Phase == engine.Prefill {
		return
	}
	t := s.Trace
	in := c.Sub(viz.Rect{X: 1, Y: 0, W: c.W - 2, H: c.H})
	pipeline := lb.has(PanePipeline)
	switch k {
	case kit.Class40:
		in.Put(0, 0, shortStages(t, l, in.W, c.ASCII), viz.Ink{})
		if pipeline {
			lb.drawFocus(c, 0, c.W)
		}
	case kit.Class60:
		lb.DrawStrip(in.Sub(viz.Rect{X: 0, Y: 0, W: in.W, H: 2}), l, t)
		lb.drawOneLiner(in, 0, 2, in.W, t)
		if pipeline {
			lb.drawFocus(c, 2, c.W)
		}
	default:
		x, values, end := entropyBeside(l, s, c.W)
		viz.Spark(c.Sub(viz.Rect{X: x, Y: 0, W: len(values), H: 1}), values, run.MaxOf(bitsByStep(l.View)), viz.Ink{Role: viz.Kept})
		c.Put(x+len(values), 0, end, viz.Ink{})
		lb.drawOneLiner(in, 0, 0, x-2, t)
		if pipeline {
			lb.drawFocus(c, 0, x-1)
		}
		lb.DrawStrip(in.Sub(viz.Rect{X: 0, Y: 1, W: in.W, H: 2}), l, t)
	}
}

// drawFocus shows that keys act in a pane without a box: the line begins with
// a mark and is bold to the column end.
func (lb *View) drawFocus(c *viz.Canvas, y, end int) {
	c.Put(0, y, "▸", viz.Ink{Role: viz.Focus})
	c.Mark(viz.Rect{Y: y, W: end, H: 1}, viz.Bold)
}

// entropyBeside is the entropy that stands at the end of the one-liner in w
// cells: where its columns begin, their values and the number after them.
func entropyBeside(l *run.Lane, s *engine.Step, w int) (x int, values []float64, end string) {
	values, _, _ = entropyWindow(l, 9)
	end = " " + viz.Two(float64(s.Summary.RawBits)) + " b"
	return w - viz.Width(end) - len(values), values, end
}

// shortStages are the stages that cut, and the draw, in at most w cells.
func shortStages(t *sampling.Trace, l *run.Lane, w int, ascii bool) string {
	var parts []string
	for i, st := range drawnStages(t) {
		if st.Removed > 0 {
			parts = append(parts, stageWord(st, i, cutsOnly, false, moveArrow(t, i)))
		}
	}
	end := drawWord(t) + ": " + l.Piece(t.Token, ascii)
	for len(parts) > 0 {
		s := strings.Join(append(parts[:len(parts):len(parts)], end), " ▸ ")
		if viz.Width(s) <= w {
			return s
		}
		parts = parts[1:]
	}
	return strings.TrimRight(viz.Fit(end, w), " ")
}

// knobTrack is where the track of the selected knob stands in its line of w
// cells.
func knobTrack(p *param.Param, w int, k kit.Class) viz.Rect {
	x := 3 + viz.Width(p.Key) + 1
	return viz.Rect{X: x, Y: 0, W: min(widestTrack[k], max(w-x-12, 3)), H: 1}
}

var widestTrack = map[kit.Class]int{kit.Class80: 24, kit.Class60: 20, kit.Class40: 6}

// drawOneKnob draws the selected knob in one line.
func (lb *View) drawOneKnob(c *viz.Canvas, l *run.Lane, k kit.Class) {
	p := lb.sel.Selected()
	cfg := l.ShownConfig()
	v := cfg.Value(p.Key)
	ink := viz.Ink{Role: viz.Focus}
	c.Put(1, 0, "▸", ink)
	x := c.Put(3, 0, p.Key, ink) + 1
	if p.Key == lb.Point {
		c.Put(x-1, 0, "◂", ink.With(viz.Bold))
	}
	if run.HasSlider(p) {
		track := knobTrack(p, c.W, k)
		viz.Slider(c.Sub(track), knobFrac(p, v), p.IsOff(v), ink)
		x = track.X + track.W + 1
	}
	text := viz.Printable(run.ValueWords(p, v), c.ASCII)
	if viz.Width(text) > c.W-x-1 {
		text = strings.TrimRight(viz.Fit(text, c.W-x-1), " ")
	}
	x = c.Put(x, 0, text, viz.Ink{})
	s, set := cfg.Lookup(p.Key)
	if k == kit.Class40 {
		if set && s.Origin == sampling.FromYou {
			c.Put(x, 0, "*", viz.Ink{Role: viz.Muted})
		}
		return
	}
	word := "default"
	if set {
		word = originWord(s.Origin)
	}
	x = c.Put(x+1, 0, word, viz.Ink{Role: viz.Muted})
	if b := l.Before(); b != nil && b.Settings != nil && !run.SameSetting(b.Settings.Config(), cfg, p.Key) {
		x = c.Put(x, 0, "   was "+run.ValueWords(p, b.Settings.Config().Value(p.Key)), viz.Ink{Role: viz.Muted})
	}
	if hint := "-/+ change · tab knobs"; k == kit.Class80 && x+2+len(hint) < c.W {
		c.Right(c.W-1, 0, hint, viz.Ink{Role: viz.Muted})
	}
}
