package grid

import (
	"fmt"
	"math"
	"slices"
	"sort"
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
	r      *bench.Grid // nil before one was run
	setup  setup
	rows   bool      // keys act on the rows of the setup, not on the map
	busy   *sweeping // nil for none
	at     []int     // the selected value of each axis
	metric int       // index in bench.GridMetrics
	across int       // axis that runs to the right; the one before it runs down
}

// New opens the map of a sweep, whose cells open as lanes; without one it opens
// what sets one up, from the selected knob.
func New(host kit.Host, lanes *run.Lanes, r *bench.Grid) (kit.View, tea.Cmd) {
	v := &View{lanes: lanes, setup: newSetup(host.Lane(), lanes.Selected()), rows: true}
	if r != nil && len(r.Cells) > 0 {
		v.show(r)
	}
	return v, nil
}

// show shows the map of a sweep.
func (v *View) show(r *bench.Grid) {
	v.r, v.at, v.across, v.rows = r, make([]int, len(r.Axes)), len(r.Axes)-1, false
	for i, x := range bench.GridMetrics() {
		if x.Key == "perplexity" {
			v.metric = i
		}
	}
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
	switch {
	case v.setup.field != nil:
		return []kit.Hint{{Keys: "enter", Word: "takes it"}, {Keys: "esc", Word: "leaves it"}}
	case v.busy != nil:
		return []kit.Hint{{ID: kit.ActClose, Word: "stop it"}, {ID: kit.ActHelp}}
	case v.rows && v.setup.at == rowRun:
		return []kit.Hint{{ID: kit.ActOpen, Word: "run it"}, {ID: kit.ActDown, Keys: "↑↓", Word: "choose"}, {ID: kit.ActPane, Word: "map"}, {ID: kit.ActClose, Word: "lab"}, {ID: kit.ActHelp}}
	case v.rows:
		return []kit.Hint{{ID: kit.ActAgain, Word: "run it"}, {ID: kit.ActDown, Keys: "↑↓", Word: "choose"}, {ID: kit.ActLower, Keys: "-/+", Word: "change"}, {ID: kit.ActOpen, Word: "type values"}, {ID: kit.ActPane, Word: "map"}, {ID: kit.ActClose, Word: "lab"}, {ID: kit.ActHelp}}
	}
	return []kit.Hint{{ID: kit.ActRight, Keys: "←→↑↓", Word: "cell"}, {ID: kit.ActNumber, Word: "next measure"}, {ID: kit.ActForce, Word: "this cell into the lab"}, {ID: kit.ActPane, Word: "axes"}, {ID: kit.ActOrder, Word: "other axes"},
		{ID: kit.ActRaise, Keys: "-/+", Word: "other values"}, {ID: kit.ActOpen, Word: "open as lanes"}, {ID: kit.ActClose, Word: "lab"}, {ID: kit.ActHelp}}
}

// Act takes the actions it names; see [kit.View].
func (v *View) Act(host kit.Host, a *kit.Action) (tea.Cmd, bool) {
	move := func(axis, d int) {
		if axis >= 0 {
			v.at[axis] = min(max(v.at[axis]+d, 0), len(v.r.Axes[axis].Values)-1)
		}
	}
	switch a.ID { // of both
	case kit.ActPane, kit.ActPaneBack:
		if v.rows && v.r == nil {
			host.Say("tab: no map yet; r runs the sweep")
			return nil, true
		}
		v.rows = !v.rows
		return nil, true
	case kit.ActAgain:
		return v.run(host), true
	case kit.ActClose:
		if v.busy == nil {
			return nil, false
		}
		v.Leave(host)
		host.Say("the sweep is stopped")
		return nil, true
	}
	if v.rows {
		if v.actSetup(host, a) {
			return nil, true
		}
		if a.ID == kit.ActOpen {
			return v.run(host), true
		}
		return nil, false
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
	case kit.ActNumber:
		v.metric = (v.metric + 1) % len(bench.GridMetrics())
	case kit.ActForce:
		v.take(host)
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

// take puts the settings of the selected cell in force in the lab.
func (v *View) take(host kit.Host) {
	l := host.Lane()
	cfg := l.Config
	for i := range v.r.Axes {
		key := v.r.Axes[i].Key
		p, ok := sampling.Lookup(key)
		if !ok {
			host.Say("f: " + key + " is no setting of a run; enter opens the cell as a lane")
			return
		}
		next, err := cfg.With(p.Key, v.r.Axes[i].Values[v.at[i]], sampling.FromYou)
		if err != nil {
			host.Complain(viz.FirstLine(err.Error()))
			return
		}
		cfg = next
	}
	place := v.place()
	if host.Apply(cfg, l.Preset, "", "the sweep's cell") {
		host.Close()
		host.Say(place + " is in force; u takes it back")
	}
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

// setupLines is what the setup takes below the map.
const setupLines = nRows + 1

// Draw draws the view; see [kit.View].
func (v *View) Draw(c *viz.Canvas, host kit.Host) {
	if v.r == nil {
		c = viz.Box(c, viz.Frame{Title: "sweep · one prompt under a grid of settings", Right: "H · esc", Focused: true})
		v.drawSetup(c, host, v.busy == nil)
		y := nRows + 1
		for _, s := range v.waiting(host) {
			if y < c.H {
				c.Put(1, y, viz.CutTitle(s, c.W-2), viz.Ink{Role: viz.Muted})
				y++
			}
		}
		return
	}
	metric := bench.GridMetrics()[v.metric]
	title := "sweep · " + metric.Label + " · " + viz.Count(len(v.r.Cells)) + " cells, " + viz.Count(len(v.r.Seeds)) + " texts each"
	if v.busy != nil {
		now := v.busy.progress()
		title += fmt.Sprintf(" · running, %s of %s texts", viz.Count(now.Done), viz.Count(now.Texts))
	}
	c = viz.Box(c, viz.Frame{Title: title, Right: "v next measure · H · esc", Focused: true})
	if c.W < 20 || c.H < 6 {
		return
	}
	if v.rows || c.H >= 30 {
		set := c.Sub(viz.Rect{X: 0, Y: c.H - nRows, W: c.W, H: nRows})
		if v.rows && c.H < 30 { // over the texts
			c = c.Sub(viz.Rect{X: 0, Y: 0, W: c.W, H: max(c.H-setupLines, 1)})
		} else {
			c = c.Sub(viz.Rect{X: 0, Y: 0, W: c.W, H: c.H - setupLines})
		}
		v.drawSetup(set, host, v.rows)
	}
	below := min(8, max(c.H/3, 3))
	v.drawMap(c.Sub(viz.Rect{X: 1, Y: 0, W: c.W - 2, H: c.H - below}), metric)
	v.drawCell(c.Sub(viz.Rect{X: 1, Y: c.H - below, W: c.W - 2, H: below}), metric)
}

// waiting are the lines below a setup without a map.
func (v *View) waiting(host kit.Host) []string {
	if v.busy != nil {
		now := v.busy.progress()
		return []string{fmt.Sprintf("%s of %s texts · %s tokens", viz.Count(now.Done), viz.Count(now.Texts), viz.Count(int(now.Tokens)))}
	}
	return viz.WrapWords("The selected knob, its value and three on each side; enter on a row types any list. Every cell is decoded with each seed; the map shades cells by their rank, "+
		"with the number and its 95% interval. enter opens a cell as a lane, f takes it into the lab.", host.Screen().W-4)
}

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

// mostRepeated is the share of repeated 4-grams above which a cell is not
// proposed: the surest text of all is a loop.
const mostRepeated = 0.05

// fewest names the cell with the lowest perplexity among those that hardly
// repeat themselves; empty if there is none.
func (v *View) fewest() string {
	best := -1
	for i := range v.r.Cells {
		c := &v.r.Cells[i]
		p, rep := c.Value("perplexity"), c.Value("repeated_4grams")
		if !c.Done() || math.IsNaN(p.Value) || !(rep.Value < mostRepeated) {
			continue
		}
		if best < 0 || p.Value < v.r.Cells[best].Value("perplexity").Value {
			best = i
		}
	}
	if best < 0 {
		return ""
	}
	var parts []string
	for k := range v.r.Axes {
		parts = append(parts, v.r.Axes[k].Key+" "+v.r.Axes[k].Label(v.r.Cells[best].At[k]))
	}
	p := v.r.Cells[best].Value("perplexity")
	return fmt.Sprintf("fewest surprises with under 5%% repeated 4-grams: %s: perplexity %.2f (%.2f to %.2f); one prompt says nothing of others", strings.Join(parts, ", "), p.Value, p.Low, p.High)
}
