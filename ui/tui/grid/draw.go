package grid

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"logitscope/engine/bench"
	"logitscope/engine/stats"
	"logitscope/viz"
)

// rowName is how wide the names of rows may be, and a cell narrow or with its
// interval.
const (
	rowName  = 11
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

// mapLines is what the map takes, all of it.
func (v *View) mapLines() int {
	if v.down() < 0 {
		return 3 + len(v.r.Axes[v.across].Values)
	}
	return 4 + perRow*len(v.r.Axes[v.down()].Values)
}

// drawMap draws the map: shades by rank, the numbers and their intervals; of
// one knob a row with a bar for each value.
func (v *View) drawMap(c *viz.Canvas, metric bench.Metric) {
	c.Fit(0, 0, c.W, viz.FirstFit(c.W, v.about(c.W, c.ASCII)...), viz.Ink{Role: viz.Muted})
	top := 1
	if c.H > 8 {
		top = 2
	}
	body := c.Sub(viz.Rect{Y: top, W: c.W, H: max(c.H-top, 0)})
	if v.down() < 0 {
		v.drawColumn(body, metric)
		return
	}
	v.drawField(body, metric)
}

// about says what was swept: the prompt, the settings and the axes that are not
// on the map.
func (v *View) about(w int, ascii bool) []string {
	prompt := "prompt  " + viz.CutEnd(viz.OneLine(v.r.Text, ascii), min(max(w/3, 12), 40), ascii)
	var rest []string
	for i := range v.r.Axes {
		if i != v.across && i != v.down() {
			rest = append(rest, v.r.Axes[i].Key+" "+v.r.Axes[i].Label(v.at[i])+", -/+ others")
		}
	}
	head := v.r.Axes[v.across].Key + " →"
	if d := v.down(); d >= 0 {
		head = v.r.Axes[d].Key + " ↓  " + head
	}
	rest = append(rest, fmt.Sprintf("%s, %s each", viz.Plural(len(v.r.Cells), "cell"), viz.Plural(len(v.r.Seeds), "text")))
	return []string{head + "     " + prompt + "     " + strings.Join(rest, "     "), head + "     " + strings.Join(rest, "  "), head}
}

// A row of the map is two lines and a blank.
const perRow = 3

// drawField draws two axes: one that runs right and one that runs down.
func (v *View) drawField(c *viz.Canvas, metric bench.Metric) {
	right, down := &v.r.Axes[v.across], &v.r.Axes[v.down()]
	cols, rows := len(right.Values), len(down.Values)
	wide, high := narrow, 2
	if c.W >= wideFrom {
		wide = roomy
	}
	if 2+perRow*rows <= c.H {
		high = perRow
	}
	grid := c.Sub(viz.Rect{X: rowName, Y: 1, W: max(c.W-rowName, 0), H: max(c.H-2, 0)})
	fitX, fitY := max(grid.W/wide, 1), max(grid.H/high, 1)
	fromX, fromY := window(v.at[v.across], cols, fitX), window(v.at[v.down()], rows, fitY)
	list := v.ranks()
	shownX, shownY := min(cols-fromX, fitX), min(rows-fromY, fitY)
	muted := viz.Ink{Role: viz.Muted}
	c.Fit(0, 0, rowName-1, viz.FirstFit(rowName-1, down.Key, shortKey(down.Key)), muted)
	name := shortKey(right.Key)
	if len([]rune(name)) > 4 {
		name = ""
	}
	for x := range shownX {
		ink, mark := muted, ""
		if fromX+x == v.at[v.across] {
			ink, mark = viz.Ink{Role: viz.Focus}.With(viz.Bold), "▸ "
		}
		label := strings.TrimSpace(name + " " + right.Label(fromX+x))
		c.Right(rowName+(x+1)*wide-2, 0, viz.FirstFit(wide-2, mark+label, mark+right.Label(fromX+x), right.Label(fromX+x)), ink)
	}
	for y := range shownY {
		ink, mark := muted, "  "
		if fromY+y == v.at[v.down()] {
			ink, mark = viz.Ink{Role: viz.Focus}.With(viz.Bold), "▸ "
		}
		c.Fit(0, 1+high*y, rowName-1, mark+down.Label(fromY+y), ink)
		for x := range shownX {
			v.drawPoint(grid.Sub(viz.Rect{X: x * wide, Y: high * y, W: wide, H: min(2, grid.H-high*y)}), metric, fromX+x, fromY+y, list)
		}
	}
	if y := 1 + high*shownY; y < c.H {
		n := viz.Count(len(list))
		c.Put(0, y, viz.FirstFit(c.W, "shade: place among the "+n+" cells, a fifth each:  ░ ▒ ▓ █ and blank for the lowest; one outlier changes nothing",
			"shade: place among the "+n+" cells, a fifth each: blank ░ ▒ ▓ █", "shade: place, a fifth each: blank ░ ▒ ▓ █"), muted)
	}
}

// drawColumn draws one knob: for each value a row with the number, its interval
// and a bar.
func (v *View) drawColumn(c *viz.Canvas, metric bench.Metric) {
	a := &v.r.Axes[v.across]
	n := len(a.Values)
	fit := max(c.H-1, 1)
	from := window(v.at[v.across], n, fit)
	most := 0.0
	for x := range n {
		if f := v.value(x, 0); !math.IsNaN(f) && !math.IsInf(f, 0) {
			most = max(most, f)
		}
	}
	muted := viz.Ink{Role: viz.Muted}
	const number, interval = rowName + 10, rowName + 12
	bar := interval + 18
	c.Fit(0, 0, rowName-1, viz.FirstFit(rowName-1, a.Key, shortKey(a.Key)), muted)
	c.Right(number, 0, viz.Cut(metric.Label, number-rowName+2), muted)
	c.Put(interval, 0, "95% interval", muted)
	if most > 0 {
		c.Put(bar, 0, viz.Cut("full bar "+written(&metric, most), max(c.W-bar, 0)), muted)
	}
	var bars []viz.Bar
	shown := min(n-from, fit)
	for y := range shown {
		x := from + y
		f, cell := v.value(x, 0), v.cellAt(x, 0)
		ink := viz.Ink{}
		if x == v.at[v.across] {
			ink = viz.Ink{Role: viz.Focus}.With(viz.Bold)
			c.Put(0, 1+y, "▸", ink)
		}
		c.Fit(2, 1+y, rowName-3, a.Label(x), ink)
		text := "·"
		if !math.IsNaN(f) {
			text = written(&metric, f)
		}
		c.Right(number, 1+y, text+v.unfinished(cell), ink)
		if v.bounded(cell) {
			c.Fit(interval, 1+y, bar-interval-1, interv(&metric, cell.Values[v.metric]), muted)
		}
		b := viz.Bar{}
		if most > 0 && f > 0 {
			b = viz.Bar{Raw: min(f/most, 1), Final: min(f/most, 1)}
		}
		bars = append(bars, b)
	}
	if c.W > bar+4 {
		viz.Bars(c.Sub(viz.Rect{X: bar, Y: 1, W: c.W - bar, H: shown}), bars, 1)
	}
}

// interv is an interval in a cell: "4.09–5.60".
func interv(m *bench.Metric, e stats.Estimate) string {
	low, high := bounds(m, e)
	return written(m, low) + "–" + written(m, high)
}

// unfinished marks a cell that still waits for texts.
func (v *View) unfinished(c *bench.Point) string {
	if v.r.Whole(c) || !c.Done() {
		return ""
	}
	return "·"
}

// window returns the first index to show so that at stays in sight.
func window(at, n, fit int) int { return max(0, min(at-fit/2, n-fit)) }

// drawPoint draws one cell: shade and number, below them the interval where
// there is room.
func (v *View) drawPoint(c *viz.Canvas, metric bench.Metric, x, y int, list []float64) {
	if c.H < 1 {
		return
	}
	f, cell := v.value(x, y), v.cellAt(x, y)
	text := "·"
	if !math.IsNaN(f) {
		text = written(&metric, f) + v.unfinished(cell)
	}
	ink := viz.Ink{}
	if x == v.at[v.across] && y == v.at[v.down()] {
		ink = viz.Ink{Role: viz.Focus}.With(viz.Reverse)
		c.Put(0, 0, "▸", viz.Ink{Role: viz.Focus})
	}
	text = viz.Cut(text, c.W-2)
	c.Right(c.W-1, 0, text, ink)
	shade := viz.Rect{X: 1, Y: 1, W: c.W - 2, H: 1}
	if c.W >= roomy { // beside the number; its interval below
		shade = viz.Rect{X: 1, Y: 0, W: min(6, c.W-3-viz.Width(text)), H: 1}
		if c.H > 1 && v.bounded(cell) {
			c.Right(c.W-1, 1, viz.Cut(interv(&metric, cell.Values[v.metric]), c.W-2), viz.Ink{Role: viz.Muted})
		}
	}
	if shade.Y < c.H && len(list) > 0 && list[0] < list[len(list)-1] && !math.IsNaN(f) {
		c.Fill(shade, shadeOf(list, f), viz.Ink{Role: viz.Kept})
	}
}

// cellAt is the cell at column x and row y of the map.
func (v *View) cellAt(x, y int) *bench.Point {
	at := append([]int(nil), v.at...)
	at[v.across] = x
	if d := v.down(); d >= 0 {
		at[d] = y
	}
	return v.r.At(at...)
}
