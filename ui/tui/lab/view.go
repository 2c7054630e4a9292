package lab

import (
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/sampling"
	"logitscope/sampling/param"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// A Pane is a part of the lab that keys can act in.
type Pane uint8

// The panes, in the order of tab.
const (
	PaneText Pane = iota
	PaneChart
	PaneControls
	PanePipeline
	PaneEntropy
)

// View is the lab: text, chart, controls, pipeline and entropy.
type View struct {
	lanes  *run.Lanes
	sel    *run.Selection
	notice *run.Notice
	pal    *viz.Palette
	keyOf  func(kit.ID) string // the key that the footer shows for an action
	w, h   int
	above  int // lines below the header that are another's

	Focus  Pane
	Away   bool // keys act in something beside the panes
	Zoom   bool
	Point  string // the knob that a lesson speaks of, by its key
	scroll int    // first knob of the list that is shown
	drag   *drag
	bars   *viz.BarChart // the chart, drawn once for what it shows
}

// New returns the lab of these lanes. keyOf names the key of an action.
func New(lanes *run.Lanes, pal *viz.Palette, keyOf func(kit.ID) string) *View {
	return &View{lanes: lanes, sel: &lanes.Selection, notice: &lanes.Notice, pal: pal, keyOf: keyOf, Focus: PaneChart, bars: new(viz.BarChart)}
}

// Resize takes the size of the window.
func (lb *View) Resize(w, h int) {
	lb.w, lb.h = w, h
	lb.FocusShown()
}

// LeaveAbove leaves n lines below the header to something else, as far as
// [RoomAbove] allows.
func (lb *View) LeaveAbove(n int) {
	if lb.above != n {
		lb.above = n
		lb.FocusShown()
	}
}

// has reports whether keys act in pane p.
func (lb *View) has(p Pane) bool { return lb.Focus == p && !lb.Away }

// Sized is the same lab in a window of w by h cells of another terminal. It is
// for drawing alone.
func (lb *View) Sized(w, h int, pal *viz.Palette) *View {
	n := *lb
	n.pal, n.bars = pal, new(viz.BarChart)
	n.Resize(w, h)
	return &n
}

// Act takes nothing: what the lab's keys do is the plain meaning of the
// actions, which other views lend.
func (*View) Act(kit.Host, *kit.Action) (tea.Cmd, bool) { return nil, false }

// Hints leaves the footer to the router, which words the lab's by what runs.
func (*View) Hints(kit.Host) []kit.ID { return nil }

// A Frame is where header, help line and footer stand around the panes; a part
// that is not shown is empty.
type Frame struct {
	Header, Help, Footer viz.Rect
	Above, Chart         viz.Rect  // what was left to another, and the chart
	Class                kit.Class // of header and footer
	HelpClass            kit.Class // of the help line
}

// Around returns where the rest of the screen stands.
func (lb *View) Around() Frame {
	lay := lb.layout()
	f := Frame{Header: lay.header, Help: lay.help, Footer: lay.footer, Above: lay.above, Chart: lay.chart, Class: lay.class, HelpClass: lay.class}
	row := func(y int) viz.Rect { return viz.Rect{X: 0, Y: y, W: lb.w, H: 1} }
	switch {
	case lb.projects():
		f.Header, f.Help, f.Footer, f.HelpClass = viz.Rect{}, row(lb.h-2), row(lb.h-1), kit.Class80
		f.Above = viz.Rect{}
		if lb.notice.Text == "" {
			f.Help = viz.Rect{} // the projector has words of its own there
		}
	case lb.Zoom:
		f.Header, f.Help, f.Footer = row(0), row(lb.h-2), row(lb.h-1)
		f.Above = viz.Rect{}
	case lay.help.Empty() && lb.notice.Text != "":
		f.Help = lay.knob
	}
	return f
}

// TextBorder is the lower border of the text, its corners left out; it is
// empty where the text has no box.
func (lb *View) TextBorder() viz.Rect {
	lay := lb.layout()
	if lay.class < kit.Class80 || lb.Zoom {
		return viz.Rect{}
	}
	r := lay.text
	return viz.Rect{X: r.X + 2, Y: r.Y + r.H - 1, W: r.W - 4, H: 1}
}

// Draw draws the panes into the whole window; header, help line and footer
// stand where around says.
func (lb *View) Draw(c *viz.Canvas, _ kit.Host) {
	lay := lb.layout()
	l := lb.lanes.Lane()
	switch {
	case lb.projects():
		lb.drawProjector(c, l)
	case lb.Zoom:
		lb.drawZoom(c, l, lay.class)
	case lay.class >= kit.Class100:
		lb.drawBoxed(c, lay, l)
	default:
		lb.drawColumn(c, lay, l)
	}
}

// projects reports whether the chart has the window to itself, drawn for the
// back of a classroom.
func (lb *View) projects() bool {
	l := lb.lanes.Lane()
	s := l.Step()
	return lb.Zoom && lb.Focus == PaneChart && s != nil && s.Trace != nil &&
		(l.Look.At > 0 || l.View.Phase == engine.Running || l.View.Phase == engine.Paused)
}

// drawBoxed draws the panes of the classes that box all of them.
func (lb *View) drawBoxed(c *viz.Canvas, lay layout, l *run.Lane) {
	k := lay.class
	lb.DrawText(viz.Box(c.Sub(lay.text), lb.TextFrame(l)), l)
	lb.drawChart(viz.Box(c.Sub(lay.chart), lb.chartFrame(l, k)), l, k)
	lb.drawControls(viz.Box(c.Sub(lay.side), lb.controlFrame()), l, k)
	pipe := c.Sub(lay.pipeline)
	lb.drawPipeline(viz.Box(pipe, viz.Frame{Title: "pipeline", Focused: lb.has(PanePipeline)}), l, k)
	if k == kit.Class100 {
		lb.drawEntropyTitle(pipe, l, pipe.W-2)
		return
	}
	f := viz.Frame{Title: "entropy, bits a step", Right: "max " + viz.Two(run.MaxOf(bitsByStep(l.View))), Focused: lb.has(PaneEntropy)}
	lb.drawEntropy(viz.Box(c.Sub(lay.entropy), f), l)
}

func (lb *View) controlFrame() viz.Frame {
	f := viz.Frame{Title: "controls", Focused: lb.has(PaneControls)}
	if kit.ClassOf(lb.w, lb.h) != kit.Class100 {
		f.Right = strconv.Itoa(len(run.Knobs)) + " knobs"
	}
	return f
}

func (lb *View) chartFrame(l *run.Lane, k kit.Class) viz.Frame {
	f := viz.Frame{Title: lb.chartTitle(l, k), Focused: lb.has(PaneChart)}
	if l.View.Phase == engine.Done && l.Look.At == 0 {
		f.Title = "this run"
	} else if w := weighed(l.Step()); w != nil {
		f.Right = w.how()
	}
	return f
}

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
	most := map[kit.Class]int{kit.Class80: 24, kit.Class60: 20, kit.Class40: 6}[k]
	return viz.Rect{X: x, Y: 0, W: min(most, max(w-x-12, 3)), H: 1}
}

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

// drawZoom gives the focused pane the whole window.
func (lb *View) drawZoom(c *viz.Canvas, l *run.Lane, k kit.Class) {
	body := c.Sub(lb.zoomBody())
	if lb.Focus != PaneControls { // keys turn the knob here too
		lb.drawKnobLine(c.Sub(viz.Rect{X: 0, Y: c.H - 3, W: c.W, H: 1}), l)
	}
	wide := listClass(c.W - 2)
	switch lb.Focus {
	case PaneText:
		lb.DrawText(viz.Box(body, lb.TextFrame(l)), l)
	case PaneChart:
		lb.drawChart(viz.Box(body, lb.chartFrame(l, k)), l, k)
	case PaneControls:
		lb.drawControls(viz.Box(body, lb.controlFrame()), l, wide)
	case PanePipeline:
		lb.drawPipeline(viz.Box(body, viz.Frame{Title: "pipeline", Focused: true}), l, k)
	case PaneEntropy:
		lb.drawEntropy(viz.Box(body, viz.Frame{Title: "entropy, bits a step", Right: "max " + viz.Two(run.MaxOf(bitsByStep(l.View))), Focused: true}), l)
	}
}

// zoomBody is the box of a pane that has the window to itself. Below it stand
// the knob, which the list of knobs shows itself, help line and footer.
func (lb *View) zoomBody() viz.Rect {
	below := 3
	if lb.Focus == PaneControls {
		below = 2
	}
	return viz.Rect{X: 0, Y: 1, W: lb.w, H: lb.h - 1 - below}
}

// Boxes are the boxes of the panes, which overlays lie over.
func (lb *View) Boxes() []viz.Rect {
	lay := lb.layout()
	var out []viz.Rect
	if lay.side.Empty() && lb.has(PaneControls) {
		out = append(out, lb.listRect(lay))
	}
	switch {
	case lb.projects():
		return nil
	case lb.Zoom:
		return []viz.Rect{lb.zoomBody()}
	case lay.class < kit.Class80:
		return out
	case lay.class == kit.Class80:
		return append(out, lay.text, lay.chart)
	}
	return append(out, lay.text, lay.chart, lay.pipeline)
}

// PaneName names the pane that keys act in.
func (lb *View) PaneName() string { return PaneNames[lb.Focus] }

// FocusControls makes keys act on the knobs.
func (lb *View) FocusControls() { lb.Focus = PaneControls }

// Zoomed reports whether one pane has the window to itself.
func (lb *View) Zoomed() bool { return lb.Zoom }

// Release lets go of the slider that is held.
func (lb *View) Release() { lb.drag = nil }

// TakeOut takes the selected knob or stage out, or puts it back.
func (lb *View) TakeOut() {
	if lb.Focus == PaneText && lb.lanes.TakeOutCue(lb.lanes.Lane(), lb.lanes.Lane().Looking()) {
		return
	}
	lb.lanes.TakeOut(lb.Focus == PanePipeline)
}
