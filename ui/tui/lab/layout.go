package lab

import (
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// A layout is where everything of the lab stands. Rectangles do not overlap
// and together cover the window. A pane that is not shown is empty.
type layout struct {
	class                     kit.Class
	header, text, chart, side viz.Rect // side holds the controls
	pipeline, entropy         viz.Rect
	knob, help, footer        viz.Rect
	above                     viz.Rect // what lies over the text, of another
}

// RoomAbove is how many lines below the header the lab can leave to something
// else in a window of w by h cells; 0 where its own panes need them.
func RoomAbove(w, h int) int {
	if w < 100 || h < 36 {
		return 0
	}
	return 9 + min(max(h-44, 0), 5)
}

// layout returns where everything stands now.
func (lb *View) layout() layout { return layoutOf(lb.w, lb.h, lb.above) }

// layoutOf returns the layout of a window in which above lines below the
// header are another's. It depends on nothing else.
func layoutOf(w, h, above int) layout {
	l := layout{class: kit.ClassOf(w, h)}
	row := func(y, n int) viz.Rect { return viz.Rect{X: 0, Y: y, W: w, H: n} }
	switch l.class {
	case kit.TooSmall:
		return l
	case kit.Class160, kit.Class120, kit.Class100:
		return boxed(l, w, h, min(above, RoomAbove(w, h)))
	}
	// One column, from the top: header, text, chart, strip, knob, help, footer.
	text, strip := 4, 3
	switch l.class {
	case kit.Class60:
		text = 2
	case kit.Class40:
		text, strip = 1, 1
	}
	below := strip + 3
	if l.class == kit.Class40 {
		below = strip + 2 // the knob's help gives way
	}
	chart := h - 1 - text - below
	most := kit.MaxChartRows + 3
	if chart > most {
		text += chart - most
		chart = most
	}
	y := 0
	next := func(n int) viz.Rect { r := row(y, n); y += n; return r }
	l.header, l.text, l.chart, l.pipeline, l.knob = next(1), next(text), next(chart), next(strip), next(1)
	if l.class != kit.Class40 {
		l.help = next(1)
	}
	l.footer = next(1)
	return l
}

// boxed lays out the classes that show every pane in a box.
func boxed(l layout, w, h, above int) layout {
	// Heights of text, chart and pipeline at the class's own size; spare lines
	// go to the chart first, then to the text.
	text, chart, pipe, side := 5, 16, 6, 38
	switch l.class {
	case kit.Class160:
		text, chart, pipe, side = 8, 22, 12, 56
	case kit.Class120:
		text, chart, pipe, side = 6, 22, 9, 46
	}
	if above > 0 { // the text and the pipeline's free lines give way
		text, pipe = 3, max(pipe-2, 6)
	}
	spare := h - 3 - above - text - chart - pipe
	if spare < 0 { // between two classes: text, then chart give way
		give := min(-spare, max(text-5, 0))
		text -= give
		spare += give
		chart += spare
		spare = 0
	}
	grow := min(spare, max(kit.MaxChartRows+3-chart, 0))
	chart += grow
	text += spare - grow
	y := 1 + above
	l.above = viz.Rect{X: 0, Y: 1, W: w, H: above}
	l.header = viz.Rect{X: 0, Y: 0, W: w, H: 1}
	l.text = viz.Rect{X: 0, Y: y, W: w, H: text}
	y += text
	l.chart = viz.Rect{X: 0, Y: y, W: w - side, H: chart}
	l.side = viz.Rect{X: w - side, Y: y, W: side, H: chart}
	y += chart
	l.pipeline = viz.Rect{X: 0, Y: y, W: w - side, H: pipe}
	l.entropy = viz.Rect{X: w - side, Y: y, W: side, H: pipe}
	if l.class == kit.Class100 {
		l.pipeline.W, l.entropy = w, viz.Rect{}
	}
	y += pipe
	l.help = viz.Rect{X: 0, Y: y, W: w, H: 1}
	l.footer = viz.Rect{X: 0, Y: y + 1, W: w, H: 1}
	return l
}
