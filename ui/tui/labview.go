package tui

import (
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/sampling"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// labView is the lab: text, chart, controls, pipeline and entropy.
type labView struct{}

func (*labView) Act(kit.Host, *kit.Action) (tea.Cmd, bool) { return nil, false }

func (*labView) Hints(_ kit.Host) []kit.ID {
	return nil
}

// draw draws the whole window, header to footer.
func (*labView) Draw(c *viz.Canvas, host kit.Host) {
	m := host.(*Model)
	lay := layoutOf(m.w, m.h)
	l := m.Lane()
	if m.zoom {
		m.drawZoom(c, l, lay.class)
		return
	}
	m.drawHeader(c.Sub(lay.header), lay.class)
	switch lay.class {
	case kit.Class160, kit.Class120, kit.Class100:
		m.drawBoxed(c, lay, l)
	default:
		m.drawColumn(c, lay, l)
	}
	if !lay.help.Empty() {
		m.drawHelpLine(c.Sub(lay.help), lay.class)
	} else if m.Notice.Text != "" {
		m.drawHelpLine(c.Sub(lay.knob), lay.class)
	}
	m.drawFooter(c.Sub(lay.footer), lay.class)
}

// drawBoxed draws the panes of the classes that box all of them.
func (m *Model) drawBoxed(c *viz.Canvas, lay layout, l *run.Lane) {
	k := lay.class
	m.drawText(viz.Box(c.Sub(lay.text), m.textFrame(l)), l)
	m.drawChart(viz.Box(c.Sub(lay.chart), m.chartFrame(l, k)), l, k)
	m.drawControls(viz.Box(c.Sub(lay.side), m.controlFrame()), l, k)
	pipe := c.Sub(lay.pipeline)
	m.drawPipeline(viz.Box(pipe, viz.Frame{Title: "pipeline", Focused: m.focus == panePipeline}), l, k)
	if k == kit.Class100 {
		m.drawEntropyTitle(pipe, l, pipe.W-2)
		return
	}
	f := viz.Frame{Title: "entropy, bits a step", Right: "max " + viz.Two(run.MaxOf(bitsByStep(l.View))), Focused: m.focus == paneEntropy}
	m.drawEntropy(viz.Box(c.Sub(lay.entropy), f), l)
}

func (m *Model) controlFrame() viz.Frame {
	f := viz.Frame{Title: "controls", Focused: m.focus == paneControls}
	if kit.ClassOf(m.w, m.h) != kit.Class100 {
		f.Right = strconv.Itoa(len(run.Knobs)) + " knobs"
	}
	return f
}

func (m *Model) chartFrame(l *run.Lane, k kit.Class) viz.Frame {
	f := viz.Frame{Title: m.chartTitle(l, k), Focused: m.focus == paneChart}
	if l.View.Phase == engine.Done && l.Look.At == 0 {
		f.Title = "this run"
	}
	return f
}

// drawColumn draws the classes of one column.
func (m *Model) drawColumn(c *viz.Canvas, lay layout, l *run.Lane) {
	k := lay.class
	text, chart := c.Sub(lay.text), c.Sub(lay.chart)
	switch k {
	case kit.Class80:
		m.drawText(viz.Box(text, m.textFrame(l)), l)
		m.drawChart(viz.Box(chart, m.chartFrame(l, k)), l, k)
	default:
		m.drawText(text, l)
		f := m.chartFrame(l, k)
		f.Focused = false
		rule := chart
		if k == kit.Class60 { // two dashes before the title
			chart.Put(0, 0, "─", viz.Ink{Role: viz.Muted})
			rule = chart.Sub(viz.Rect{X: 1, Y: 0, W: chart.W - 1, H: 1})
		}
		viz.Rule(rule, f)
		m.drawChart(chart.Sub(viz.Rect{X: 0, Y: 1, W: chart.W, H: chart.H - 1}), l, k)
	}
	m.drawColumnPipeline(c.Sub(lay.pipeline), l, k)
	m.drawOneKnob(c.Sub(lay.knob), l, k)
	if m.focus == paneControls {
		r := m.listRect(lay)
		box := c.Sub(r)
		box.Clear()
		m.drawKnobList(viz.Box(box, m.controlFrame()), l)
	}
}

// listRect is where the list of knobs opens in the classes of one column:
// over the chart's lower part, so that its best rows still show what a knob
// does.
func (m *Model) listRect(lay layout) viz.Rect {
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
func (m *Model) drawColumnPipeline(c *viz.Canvas, l *run.Lane, k kit.Class) {
	s := l.Step()
	if s == nil || s.Trace == nil || l.View.Phase == engine.Prefill {
		return
	}
	t := s.Trace
	in := c.Sub(viz.Rect{X: 1, Y: 0, W: c.W - 2, H: c.H})
	switch k {
	case kit.Class40:
		in.Put(0, 0, shortStages(t, l, in.W, c.ASCII), viz.Ink{})
	case kit.Class60:
		m.drawStrip(in.Sub(viz.Rect{X: 0, Y: 0, W: in.W, H: 2}), l, t)
		m.drawOneLiner(in, 0, 2, in.W, t)
	default:
		x, values, end := entropyBeside(l, s, c.W)
		viz.Spark(c.Sub(viz.Rect{X: x, Y: 0, W: len(values), H: 1}), values, run.MaxOf(bitsByStep(l.View)), viz.Ink{Role: viz.Kept})
		c.Put(x+len(values), 0, end, viz.Ink{})
		m.drawOneLiner(in, 0, 0, x-3, t)
		m.drawStrip(in.Sub(viz.Rect{X: 0, Y: 1, W: in.W, H: 2}), l, t)
	}
}

// entropyBeside is the entropy that stands at the end of the one-liner in w
// cells: where its columns begin, their values and the number after them.
func entropyBeside(l *run.Lane, s *engine.Step, w int) (x int, values []float64, end string) {
	values, _, _ = entropyWindow(l, 16)
	end = " " + viz.Two(float64(s.Summary.RawBits)) + " b"
	return w - viz.Width(end) - len(values), values, end
}

// shortStages are the stages that cut, and the draw, in at most w cells.
func shortStages(t *sampling.Trace, l *run.Lane, w int, ascii bool) string {
	var parts []string
	for i, st := range drawnStages(t) {
		if st.Removed > 0 {
			parts = append(parts, stageWord(st, i))
		}
	}
	end := drawWord(t) + " → " + l.Piece(t.Token, ascii)
	for len(parts) > 0 {
		s := strings.Join(append(parts[:len(parts):len(parts)], end), " ▸ ")
		if viz.Width(s) <= w {
			return s
		}
		parts = parts[1:]
	}
	return strings.TrimRight(viz.Fit(end, w), " ")
}

// drawOneKnob draws the selected knob in one line.
func (m *Model) drawOneKnob(c *viz.Canvas, l *run.Lane, k kit.Class) {
	p := m.Selected()
	cfg := l.ShownConfig()
	v := cfg.Value(p.Key)
	ink := viz.Ink{Role: viz.Focus}
	c.Put(1, 0, "▸", ink)
	x := c.Put(3, 0, p.Key, ink) + 1
	if run.HasSlider(p) {
		w := map[kit.Class]int{kit.Class80: 24, kit.Class60: 20, kit.Class40: 6}[k]
		w = min(w, max(c.W-x-12, 3))
		viz.Slider(c.Sub(viz.Rect{X: x, Y: 0, W: w, H: 1}), knobFrac(p, v), p.IsOff(v), ink)
		x += w + 1
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

// drawZoom gives the focused pane the whole window.
func (m *Model) drawZoom(c *viz.Canvas, l *run.Lane, k kit.Class) {
	last := c.Sub(viz.Rect{X: 0, Y: c.H - 1, W: c.W, H: 1})
	help := c.Sub(viz.Rect{X: 0, Y: c.H - 2, W: c.W, H: 1})
	body := c.Sub(viz.Rect{X: 0, Y: 1, W: c.W, H: c.H - 3})
	if m.focus == paneChart && l.Step() != nil && l.Step().Trace != nil && (l.Look.At > 0 || l.View.Phase == engine.Running || l.View.Phase == engine.Paused) {
		m.drawProjector(c, l)
		m.drawFooter(last, k)
		return
	}
	m.drawHeader(c.Sub(viz.Rect{X: 0, Y: 0, W: c.W, H: 1}), k)
	wide := listClass(c.W - 2)
	switch m.focus {
	case paneText:
		m.drawText(viz.Box(body, m.textFrame(l)), l)
	case paneChart:
		m.drawChart(viz.Box(body, m.chartFrame(l, k)), l, k)
	case paneControls:
		m.drawControls(viz.Box(body, m.controlFrame()), l, wide)
	case panePipeline:
		m.drawPipeline(viz.Box(body, viz.Frame{Title: "pipeline", Focused: true}), l, k)
	case paneEntropy:
		m.drawEntropy(viz.Box(body, viz.Frame{Title: "entropy, bits a step", Right: "max " + viz.Two(run.MaxOf(bitsByStep(l.View))), Focused: true}), l)
	}
	m.drawHelpLine(help, k)
	m.drawFooter(last, k)
}
