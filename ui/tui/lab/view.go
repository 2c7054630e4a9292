package lab

import (
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
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
