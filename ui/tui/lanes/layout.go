package lanes

import (
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// minLane is the least width of a lane's column.
const minLane = 30

// A compareLayout is where everything of compare stands below the header. A
// rectangle that is empty is not shown.
type compareLayout struct {
	boxed bool
	first int        // lane of the leftmost column
	lanes []laneRect // one a column
	why   viz.Rect   // why the texts part
	apart viz.Rect   // distances, token by token
	lines viz.Rect   // both in a few lines, where there is no room for boxes
}

// A laneRect is one lane's column.
type laneRect struct{ text, chart, draw viz.Rect }

// compareLayoutOf lays out n lanes, of which cur must be seen, in w×h cells.
// It depends on nothing else.
func compareLayoutOf(w, h, n, cur int, alone bool) compareLayout {
	shown := max(min(n, w/minLane), 1)
	if alone || w < 80 {
		shown = 1
	}
	l := compareLayout{boxed: w >= 60 && h >= 15}
	l.first = min(max(cur-shown+1, 0), n-shown)
	text, below, draw := 3, 0, 0
	switch {
	case !l.boxed:
		text, below = 2, min(2, h-7)
		l.lines = viz.Rect{X: 0, Y: h - below, W: w, H: below}
	case w >= 100 && h >= 30:
		text = min(max(7, h-34), 9)
		l.apart.H = 6
		if n == 2 || h >= 52 {
			l.why.H = 7
		}
		if n > 2 {
			draw, l.apart.H = 6, n+4
		}
		below = l.why.H + l.apart.H
		l.why = viz.Rect{X: 0, Y: h - below, W: w, H: l.why.H}
		l.apart = viz.Rect{X: 0, Y: h - l.apart.H, W: w, H: l.apart.H}
	default:
		text, below = 6, 3
		if h < 20 {
			text = 5
		}
		l.lines = viz.Rect{X: 0, Y: h - below, W: w, H: below}
	}
	chart := h - below - text - draw
	if more := chart - kit.MaxChartRows - 2; more > 0 {
		chart, text = chart-more, text+more
	}
	for i := range shown {
		x := i * w / shown
		lw := (i+1)*w/shown - x
		l.lanes = append(l.lanes, laneRect{
			text:  viz.Rect{X: x, Y: 0, W: lw, H: text},
			chart: viz.Rect{X: x, Y: text, W: lw, H: chart},
			draw:  viz.Rect{X: x, Y: text + chart, W: lw, H: draw},
		})
	}
	return l
}
