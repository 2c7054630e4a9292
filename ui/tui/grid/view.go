package grid

import (
	"fmt"
	"math"
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
		_, cmd = v.lanes.Add(l, []*engine.Step{}, cell)
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
