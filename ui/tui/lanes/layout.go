package lanes

import (
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// minLane is the least width of a lane's column.
const minLane = 30

// A part is what a window without room for everything shows below the texts.
type part uint8

const (
	partTable part = iota // the table of lanes
	partToken             // the charts of the next token
	partWhy               // why the texts part
	nParts
)

var partNames = [nParts]string{"table", "token", "why they part"}

// A compareLayout is where everything of compare stands below the header. A
// rectangle that is empty is not shown.
type compareLayout struct {
	boxed bool
	all   bool       // every part has room
	first int        // lane of the leftmost column
	lanes []laneRect // one a column
	table viz.Rect   // the lanes so far
	why   viz.Rect   // why the texts part
	apart viz.Rect   // distances, token by token
	lines viz.Rect   // both in a few lines, where there is no room for boxes
}

// A laneRect is one lane's column.
type laneRect struct{ text, chart, draw viz.Rect }

// compareLayoutOf lays out n lanes, of which cur must be seen, in w×h cells.
// It depends on nothing else.
func compareLayoutOf(w, h, n, cur int, alone bool, below part) compareLayout {
	shown := max(min(n, w/minLane), 1)
	if alone || w < 80 || w < 100 && n > 2 && below != partToken {
		shown = 1
	}
	l := compareLayout{boxed: w >= 60 && h >= 15, all: w >= 100 && h >= 30}
	l.first = min(max(cur-shown+1, 0), n-shown)
	row := func(y, high int) viz.Rect { return viz.Rect{X: 0, Y: y, W: w, H: high} }
	text, rest, draw, chart := 3, 0, 0, 0
	switch {
	case l.all:
		text = min(max(8, h-34), 10)
		l.table.H, l.apart.H, l.why.H = n+4, 6, 7
		if n > 2 {
			l.apart.H, l.why.H = n+4, 0
			if h >= 52 {
				draw, l.why.H = 6, 7
			}
		}
		rest = l.table.H + l.why.H + l.apart.H
		l.table = row(h-rest, l.table.H)
		l.apart = row(l.table.Y+l.table.H, l.apart.H)
		l.why = row(l.apart.Y+l.apart.H, l.why.H)
		chart = h - rest - text - draw
	case !l.boxed && below == partTable:
		rest = min(n+1, h-3)
		l.table = row(h-rest, rest)
		text = h - rest
	case !l.boxed && below == partWhy:
		rest = min(4, h-3)
		l.why = row(h-rest, rest)
		text = h - rest
	case !l.boxed:
		text, rest = 2, min(2, h-7)
		l.lines = row(h-rest, rest)
		chart = h - rest - text
	case below == partTable:
		l.table.H = n + 3
		if n > 2 && h-l.table.H-(n+4) >= 5 {
			l.apart.H = n + 4
		}
		lines := min(3, h-5-l.table.H-l.apart.H)
		text = h - l.table.H - l.apart.H - lines
		l.table = row(text, l.table.H)
		l.apart = row(text+l.table.H, l.apart.H)
		l.lines = row(h-lines, lines)
	case below == partWhy:
		l.why = row(h-9, 9)
		text = h - 9
	default:
		text, rest = 6, 3
		if h < 20 {
			text = 5
		}
		l.lines = row(h-rest, rest)
		chart = h - rest - text
	}
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
