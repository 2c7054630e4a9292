package grid

import (
	"fmt"
	"math"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/engine/bench"
	"logitscope/sampling"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// View is a heat map over two axes of a sweep. A cell is one point of the
// grid; its texts stand below, and it opens as a lane.
type View struct {
	lanes  *run.Lanes
	r      *bench.Grid
	at     []int // the selected value of each axis
	metric int   // index in bench.GridMetrics
	across int   // axis that runs to the right; the one before it runs down
}

// New opens the map of a sweep, whose cells open as lanes; nil after
// saying why there is none.
func New(host kit.Host, lanes *run.Lanes, r *bench.Grid) (kit.View, tea.Cmd) {
	if r == nil || len(r.Cells) == 0 {
		host.Say("no sweep to look at: logitscope sweep --grid … --format lab")
		return nil, nil
	}
	v := &View{lanes: lanes, r: r, at: make([]int, len(r.Axes)), across: len(r.Axes) - 1}
	for i, x := range bench.GridMetrics() {
		if x.Key == "perplexity" {
			v.metric = i
		}
	}
	return v, nil
}

// down returns the axis that runs down, -1 if there is one axis alone.
func (v *View) down() int {
	if len(v.r.Axes) < 2 {
		return -1
	}
	return (v.across + len(v.r.Axes) - 1) % len(v.r.Axes)
}

// Hints are what the footer offers; see [kit.View].
func (v *View) Hints(kit.Host) []kit.ID {
	return []kit.ID{kit.ActRight, kit.ActDown, kit.ActPane, kit.ActOrder, kit.ActOpen, kit.ActClose, kit.ActHelp}
}

// Footer words the hints; see [kit.Footed].
func (v *View) Footer(_ kit.Host) []kit.Hint {
	return []kit.Hint{{ID: kit.ActRight, Keys: "←→↑↓", Word: "cell"}, {ID: kit.ActPane, Word: "next metric"}, {ID: kit.ActOrder, Word: "other axes"},
		{ID: kit.ActRaise, Keys: "-/+", Word: "other values"}, {ID: kit.ActOpen, Word: "open as lanes"}, {ID: kit.ActClose, Word: "lab"}, {ID: kit.ActHelp}}
}

// Act takes the actions it names; see [kit.View].
func (v *View) Act(host kit.Host, a *kit.Action) (tea.Cmd, bool) {
	move := func(axis, d int) {
		if axis >= 0 {
			v.at[axis] = min(max(v.at[axis]+d, 0), len(v.r.Axes[axis].Values)-1)
		}
	}
	switch a.ID {
	case kit.ActRight:
		move(v.across, 1)
	case kit.ActLeft:
		move(v.across, -1)
	case kit.ActDown:
		move(v.down(), 1)
	case kit.ActUp:
		move(v.down(), -1)
	case kit.ActFirst, kit.ActLast, kit.ActRight10, kit.ActLeft10:
		d := len(v.r.Axes[v.across].Values)
		if a.ID == kit.ActFirst || a.ID == kit.ActLeft10 {
			d = -d
		}
		move(v.across, d)
	case kit.ActPane, kit.ActPaneBack:
		n := len(bench.GridMetrics())
		d := 1
		if a.ID == kit.ActPaneBack {
			d = n - 1
		}
		v.metric = (v.metric + d) % n
	case kit.ActOrder:
		v.across = (v.across + 1) % len(v.r.Axes)
	case kit.ActLower, kit.ActRaise:
		v.turnRest(a.ID == kit.ActRaise)
	case kit.ActOpen:
		return v.compare(host), true
	case kit.ActInspect:
		host.Say(v.story())
	default:
		return nil, false
	}
	return nil, true
}

// NotHere says what to do for what acts on the lab alone.
func (v *View) NotHere(kit.Host) string {
	return "not in a sweep; enter opens the cell as lanes, esc goes to the lab"
}

// story says what the metric came to at the selected cell.
func (v *View) story() string {
	metric, cell := bench.GridMetrics()[v.metric], v.r.At(v.at...)
	out := v.place() + ": "
	if !cell.Done() || v.metric >= len(cell.Values) || math.IsNaN(cell.Values[v.metric].Value) {
		return out + "no " + metric.Label + " yet"
	}
	e := cell.Values[v.metric]
	return out + fmt.Sprintf("%s %.*f [%.*f, %.*f] over %s", metric.Label, metric.Decimals, e.Value, metric.Decimals, e.Low, metric.Decimals, e.High, viz.Plural(len(cell.Runs), "text"))
}

// turnRest moves the first axis that is not on the map.
func (v *View) turnRest(up bool) {
	for i := range v.r.Axes {
		if i == v.across || i == v.down() {
			continue
		}
		d := len(v.r.Axes[i].Values) - 1
		if up {
			d = 1
		}
		v.at[i] = (v.at[i] + d) % len(v.r.Axes[i].Values)
		return
	}
}

// compare opens the base of the sweep and the selected cell side by side, with
// the prompt and the first seed of the sweep.
func (v *View) compare(host kit.Host) tea.Cmd {
	l := v.lanes.All[0]
	seed := func(c sampling.Config) sampling.Config { return c.MustWith("seed", v.r.Seeds[0], sampling.FromFlag) }
	base, err := l.Compile(seed(v.r.Base), -1)
	if err != nil {
		host.Complain(viz.FirstLine(err.Error()))
		return nil
	}
	cell, err := l.Compile(seed(v.r.At(v.at...).Config), -1)
	if err != nil {
		host.Complain(viz.FirstLine(err.Error()))
		return nil
	}
	l.Config, l.Preset, l.Settings = base.Config(), -1, base
	l.Text, l.Prompt, l.Look = v.r.Text, v.r.Prompt, run.Lookback{}
	v.lanes.Start(l)
	v.lanes.Cur = 0
	var cmd tea.Cmd
	if len(v.lanes.All) > 1 {
		other := v.lanes.All[1]
		other.Config, other.Preset, other.Settings = cell.Config(), -1, cell
		other.Text, other.Prompt, other.Look = v.r.Text, v.r.Prompt, run.Lookback{}
		v.lanes.Start(other)
	} else {
		_, cmd = v.lanes.Add(l, []*engine.Step{}, 0, cell)
		v.lanes.Conduct()
	}
	open := host.Open(kit.ViewCompare)
	host.Say("lane 1 is the sweep's base, lane 2 the cell: " + v.place())
	return tea.Batch(cmd, open)
}

// place names the selected cell.
func (v *View) place() string {
	var parts []string
	for i := range v.r.Axes {
		parts = append(parts, v.r.Axes[i].Key+" "+v.r.Axes[i].Label(v.at[i]))
	}
	return strings.Join(parts, " · ")
}

// value returns the mean of the metric at column x and row y of the map.
func (v *View) value(x, y int) float64 {
	at := append([]int(nil), v.at...)
	at[v.across] = x
	if d := v.down(); d >= 0 {
		at[d] = y
	}
	e := v.r.At(at...)
	if !e.Done() || v.metric >= len(e.Values) {
		return math.NaN()
	}
	return e.Values[v.metric].Value
}

// Draw draws the view; see [kit.View].
func (v *View) Draw(c *viz.Canvas, host kit.Host) {
	metric := bench.GridMetrics()[v.metric]
	c = viz.Box(c, viz.Frame{
		Title: "sweep · " + metric.Label + " · " + viz.Count(len(v.r.Cells)) + " cells, " + viz.Count(len(v.r.Seeds)) + " texts each", Right: "esc", Focused: true,
	})
	if c.W < 20 || c.H < 6 {
		return
	}
	below := min(8, max(c.H/3, 3))
	lo, hi := v.drawMap(c.Sub(viz.Rect{X: 1, Y: 0, W: c.W - 2, H: c.H - below}), metric)
	v.drawCell(c.Sub(viz.Rect{X: 1, Y: c.H - below, W: c.W - 2, H: below}), metric, lo, hi)
}

// rowName is how wide the names of rows may be, and cellWide a cell.
const (
	rowName  = 12
	cellWide = 8
)

// drawMap draws the heat map with the numbers in it and returns the range of
// the shades.
func (v *View) drawMap(c *viz.Canvas, metric bench.Metric) (lo, hi float64) {
	right, down := &v.r.Axes[v.across], v.down()
	cols, rows := len(right.Values), 1
	if down >= 0 {
		rows = len(v.r.Axes[down].Values)
	}
	lo, hi = math.Inf(1), math.Inf(-1)
	for x := range cols {
		for y := range rows {
			if f := v.value(x, y); !math.IsNaN(f) && !math.IsInf(f, 0) {
				lo, hi = min(lo, f), max(hi, f)
			}
		}
	}
	head := right.Key + " →"
	if down >= 0 {
		head = v.r.Axes[down].Key + " ↓  " + head
	}
	c.Fit(0, 0, c.W, head, viz.Ink{Role: viz.Muted})
	grid := c.Sub(viz.Rect{X: rowName, Y: 2, W: max(c.W-rowName, 0), H: max(c.H-2, 0)})
	fitX, fitY := max(grid.W/cellWide, 1), max(grid.H/2, 1)
	fromX, fromY := window(v.at[v.across], cols, fitX), 0
	if down >= 0 {
		fromY = window(v.at[down], rows, fitY)
	}
	shownX, shownY := min(cols-fromX, fitX), min(rows-fromY, fitY)
	for x := range shownX {
		c.Right(rowName+(x+1)*cellWide-1, 1, viz.Cut(right.Label(fromX+x), cellWide-1), viz.Ink{Role: viz.Muted})
	}
	for y := range shownY {
		if down >= 0 {
			c.Fit(0, 2+2*y, rowName-1, v.r.Axes[down].Label(fromY+y), viz.Ink{Role: viz.Muted})
		}
		for x := range shownX {
			v.drawPoint(grid.Sub(viz.Rect{X: x * cellWide, Y: 2 * y, W: cellWide, H: min(2, grid.H-2*y)}), metric, fromX+x, fromY+y, lo, hi)
		}
	}
	return lo, hi
}

// window returns the first index to show so that at stays in sight.
func window(at, n, fit int) int { return max(0, min(at-fit/2, n-fit)) }

func (v *View) drawPoint(c *viz.Canvas, metric bench.Metric, x, y int, lo, hi float64) {
	if c.H < 1 {
		return
	}
	f := v.value(x, y)
	selected := x == v.at[v.across] && (v.down() < 0 || y == v.at[v.down()])
	text := "–"
	if !math.IsNaN(f) {
		text = fmt.Sprintf("%.*f", metric.Decimals, f)
	}
	ink := viz.Ink{}
	if selected {
		ink = viz.Ink{Role: viz.Focus}.With(viz.Reverse)
		c.Put(0, 0, "▸", viz.Ink{Role: viz.Focus})
	}
	c.Right(cellWide-1, 0, viz.Cut(text, cellWide-2), ink)
	if c.H > 1 && hi > lo && !math.IsNaN(f) {
		viz.Heat(c.Sub(viz.Rect{X: 1, Y: 1, W: cellWide - 2, H: 1}), 1, 1, cellWide-2, func(int, int) float64 { return (f - lo) / (hi - lo) }, viz.Ink{Role: viz.Kept})
	}
}

// drawCell draws what was measured at the selected cell, and its first texts.
func (v *View) drawCell(c *viz.Canvas, metric bench.Metric, lo, hi float64) {
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
	if lo <= hi {
		shades := fmt.Sprintf("lightest %.*f, darkest %.*f: ", metric.Decimals, lo, metric.Decimals, hi)
		line(shades+viz.CutWords(metric.Help, c.W-viz.Width(shades)), viz.Ink{Role: viz.Muted})
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
