package grid

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"logitscope/engine/bench"
	"logitscope/viz"
)

// rowName is how wide the names of rows may be, and a cell narrow or with its
// interval.
const (
	rowName  = 12
	narrow   = 8
	roomy    = 15
	wideFrom = 100 // cells from which on every cell has its interval
)

// ranks are the values on the map from the smallest, those that are finite.
func (v *View) ranks() []float64 {
	right, down := &v.r.Axes[v.across], v.down()
	rows := 1
	if down >= 0 {
		rows = len(v.r.Axes[down].Values)
	}
	var list []float64
	for x := range right.Values {
		for y := range rows {
			if f := v.value(x, y); !math.IsNaN(f) && !math.IsInf(f, 0) {
				list = append(list, f)
			}
		}
	}
	slices.Sort(list)
	return list
}

// shades stand for a fifth of the cells each, from the lowest.
var shades = [...]string{" ", "░", "▒", "▓", "█"}

// shadeOf is the shade of f by its rank among the cells, those alike alike: one
// outlier changes no other.
func shadeOf(list []float64, f float64) string {
	if len(list) == 0 || math.IsNaN(f) {
		return " "
	}
	below := sort.SearchFloat64s(list, f)
	return shades[min(below*len(shades)/len(list), len(shades)-1)]
}

// drawMap draws the map: shades by rank, the numbers and their intervals.
func (v *View) drawMap(c *viz.Canvas, metric bench.Metric) {
	right, down := &v.r.Axes[v.across], v.down()
	cols, rows := len(right.Values), 1
	if down >= 0 {
		rows = len(v.r.Axes[down].Values)
	}
	head := right.Key + " →"
	if down >= 0 {
		head = v.r.Axes[down].Key + " ↓  " + head
	}
	c.Fit(0, 0, c.W, head, viz.Ink{Role: viz.Muted})
	wide := narrow
	if c.W >= wideFrom {
		wide = roomy
	}
	grid := c.Sub(viz.Rect{X: rowName, Y: 2, W: max(c.W-rowName, 0), H: max(c.H-3, 0)})
	fitX, fitY := max(grid.W/wide, 1), max(grid.H/2, 1)
	fromX, fromY := window(v.at[v.across], cols, fitX), 0
	if down >= 0 {
		fromY = window(v.at[down], rows, fitY)
	}
	list := v.ranks()
	shownX, shownY := min(cols-fromX, fitX), min(rows-fromY, fitY)
	for x := range shownX {
		c.Right(rowName+(x+1)*wide-1, 1, viz.Cut(right.Label(fromX+x), wide-1), viz.Ink{Role: viz.Muted})
	}
	for y := range shownY {
		if down >= 0 {
			c.Fit(0, 2+2*y, rowName-1, v.r.Axes[down].Label(fromY+y), viz.Ink{Role: viz.Muted})
		}
		for x := range shownX {
			v.drawPoint(grid.Sub(viz.Rect{X: x * wide, Y: 2 * y, W: wide, H: min(2, grid.H-2*y)}), metric, fromX+x, fromY+y, list)
		}
	}
	if y := 2 + 2*shownY; y < c.H {
		c.Put(0, y, viz.FirstFit(c.W, fmt.Sprintf("shade: rank among the %s cells, a fifth each: blank ░ ▒ ▓ █; cells alike are alike", viz.Count(len(list))), "shade: rank, a fifth each: blank ░ ▒ ▓ █"), viz.Ink{Role: viz.Muted})
	}
}

// window returns the first index to show so that at stays in sight.
func window(at, n, fit int) int { return max(0, min(at-fit/2, n-fit)) }

// drawPoint draws one cell: shade and number, below them the interval where
// there is room.
func (v *View) drawPoint(c *viz.Canvas, metric bench.Metric, x, y int, list []float64) {
	if c.H < 1 {
		return
	}
	at := append([]int(nil), v.at...)
	at[v.across] = x
	if d := v.down(); d >= 0 {
		at[d] = y
	}
	f := v.value(x, y)
	selected := x == v.at[v.across] && (v.down() < 0 || y == v.at[v.down()])
	text := "·"
	if !math.IsNaN(f) {
		text = fmt.Sprintf("%.*f", metric.Decimals, f)
	}
	ink := viz.Ink{}
	if selected {
		ink = viz.Ink{Role: viz.Focus}.With(viz.Reverse)
		c.Put(0, 0, "▸", viz.Ink{Role: viz.Focus})
	}
	c.Right(c.W-1, 0, viz.Cut(text, c.W-2), ink)
	shade := viz.Rect{X: 1, Y: 1, W: c.W - 2, H: 1}
	if c.W >= roomy { // beside the number; its interval below
		shade = viz.Rect{X: 1, Y: 0, W: c.W - 3 - viz.Width(text), H: 1}
		if e := v.r.At(at...); c.H > 1 && e.Done() && !math.IsNaN(f) {
			x := e.Values[v.metric]
			c.Right(c.W-1, 1, viz.Cut(fmt.Sprintf("%.*f–%.*f", metric.Decimals, x.Low, metric.Decimals, x.High), c.W-2), viz.Ink{Role: viz.Muted})
		}
	}
	if shade.Y < c.H && len(list) > 0 && list[0] < list[len(list)-1] && !math.IsNaN(f) {
		c.Fill(shade, shadeOf(list, f), viz.Ink{Role: viz.Kept})
	}
}

// drawCell draws what was measured at the selected cell, and its first texts.
func (v *View) drawCell(c *viz.Canvas, metric bench.Metric) {
	cell := v.r.At(v.at...)
	y := 0
	line := func(s string, ink viz.Ink) {
		if y < c.H {
			c.Fit(0, y, c.W, s, ink)
			y++
		}
	}
	line(v.place(), viz.Ink{}.With(viz.Bold))
	if !cell.Done() {
		line("not decoded yet", viz.Ink{Role: viz.Muted})
		return
	}
	var parts []string // the metric on the map in front
	for i, x := range bench.GridMetrics() {
		e := cell.Values[i]
		if math.IsNaN(e.Value) {
			continue
		}
		words := fmt.Sprintf("%s %.*f [%.*f, %.*f]", x.Label, x.Decimals, e.Value, x.Decimals, e.Low, x.Decimals, e.High)
		if i == v.metric {
			parts = slices.Insert(parts, 0, words)
		} else {
			parts = append(parts, words)
		}
	}
	line(viz.CutTitle(strings.Join(parts, " · "), c.W), viz.Ink{})
	line(viz.CutWords(metric.Label+": "+metric.Help, c.W), viz.Ink{Role: viz.Muted})
	if words := v.fewest(); words != "" {
		line(viz.CutTitle(words, c.W), viz.Ink{})
	}
	for i := range v.r.Axes {
		if a := &v.r.Axes[i]; a.Inert != "" {
			line("○ "+a.Key+": "+a.Inert, viz.Ink{Role: viz.Inert})
		}
	}
	for _, t := range cell.Runs {
		line(fmt.Sprintf("seed %d, %s: %s", t.Seed, t.Reason, viz.Printable(strings.ReplaceAll(t.Text, "\n", "↵"), false)), viz.Ink{Role: viz.Muted})
	}
}
