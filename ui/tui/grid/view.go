package grid

import (
	"fmt"
	"math"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/engine/bench"
	"logitscope/models"
	"logitscope/sampling"
	"logitscope/sampling/param"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// View is a heat map over two axes of a sweep. A cell is one point of the
// grid; its texts stand below, and it opens as a lane.
type View struct {
	lanes  *run.Lanes
	r      *bench.Grid  // nil before one was run
	model  models.Model // that wrote the texts of r
	setup  setup
	rows   bool      // keys act on the rows of the setup, not on the map
	busy   *sweeping // nil for none
	before Kept      // the map before the sweep under way
	kept   *Kept
	at     []int // the selected value of each axis
	metric int   // index in bench.GridMetrics
	across int   // axis that runs to the right; the one before it runs down
}

// Kept is what a session keeps of its sweeps while the view is closed.
type Kept struct {
	Map   *bench.Grid  // the last one, nil for none
	Model models.Model // that wrote its texts
}

// New opens the map that is kept, whose cells open as lanes; without one of the
// lane's model it opens what sets one up, from the selected knob.
func New(host kit.Host, lanes *run.Lanes, kept *Kept) (kit.View, tea.Cmd) {
	v := &View{lanes: lanes, setup: newSetup(host.Lane(), lanes.Selected()), rows: true, kept: kept}
	if r := kept.Map; r != nil && len(r.Cells) > 0 && kept.Model == host.Lane().Model {
		v.show(*kept)
	}
	return v, nil
}

// show shows the map of a sweep, at the settings that it varies if they have a cell.
func (v *View) show(k Kept) {
	r := k.Map
	v.r, v.model, v.at, v.across, v.rows = r, k.Model, make([]int, len(r.Axes)), 0, false
	for i := range r.Axes { // the window is wider than high
		if len(r.Axes[i].Values) > len(r.Axes[v.across].Values) {
			v.across = i
		}
	}
	for i, a := range r.Axes { // where the settings stand that the axes vary
		if p, ok := param.Lookup(a.Key); ok {
			base := p.Format(r.Base.Value(p.Key))
			v.at[i] = max(slices.IndexFunc(a.Values, func(x any) bool { return p.Format(x) == base }), 0)
		}
	}
	v.metric = max(slices.IndexFunc(bench.GridMetrics(), func(m bench.Metric) bool { return m.Key == "perplexity" }), 0)
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
func (v *View) Footer(kit.Host) []kit.Hint {
	hints := v.hints()
	if v.r == nil {
		hints = slices.DeleteFunc(hints, func(h kit.Hint) bool { return h.ID == kit.ActPane }) // there is no map to go to
	}
	return hints
}

func (v *View) hints() []kit.Hint {
	switch {
	case v.setup.field != nil:
		return []kit.Hint{{Keys: "enter", Word: "takes it"}, {Keys: "esc", Word: "leaves it"}}
	case v.busy != nil:
		return []kit.Hint{{ID: kit.ActRight, Keys: "←→↑↓", Word: "cell"}, {ID: kit.ActNumber, Word: "next measure"}, {ID: kit.ActClose, Word: "stop it"}, {ID: kit.ActHelp}}
	case v.rows && v.setup.at == rowRun:
		return []kit.Hint{{ID: kit.ActOpen, Word: "run it"}, {ID: kit.ActDown, Keys: "↑↓", Word: "choose"}, {ID: kit.ActPane, Word: "map"}, {ID: kit.ActClose, Word: "lab"}, {ID: kit.ActHelp}}
	case v.rows:
		return []kit.Hint{{ID: kit.ActAgain, Word: "run it"}, {ID: kit.ActDown, Keys: "↑↓", Word: "choose"}, {ID: kit.ActLower, Keys: "-/+", Word: "change"}, {ID: kit.ActOpen, Word: "type values"}, {ID: kit.ActPane, Word: "map"}, {ID: kit.ActClose, Word: "lab"}, {ID: kit.ActHelp}}
	}
	hints := []kit.Hint{{ID: kit.ActRight, Keys: "←→↑↓", Word: "cell"}, {ID: kit.ActOpen, Word: "its texts as lanes"}, {ID: kit.ActNumber, Word: "measure"}, {ID: kit.ActForce, Word: "this cell into the lab"},
		{ID: kit.ActPane, Word: "axes"}, {ID: kit.ActCompare, Word: "beside its base"}}
	if len(v.r.Axes) > 1 {
		hints = append(hints, kit.Hint{ID: kit.ActOrder, Word: "other axes"})
	}
	if len(v.r.Axes) > 2 {
		hints = append(hints, kit.Hint{ID: kit.ActRaise, Keys: "-/+", Word: "other values"})
	}
	return append(hints, kit.Hint{ID: kit.ActClose, Word: "lab"}, kit.Hint{ID: kit.ActHelp})
}

// Act takes the actions it names; see [kit.View].
func (v *View) Act(host kit.Host, a *kit.Action) (tea.Cmd, bool) {
	move := func(axis, d int) {
		if axis < 0 {
			axis = v.across // of one knob, whose values stand one below the other
		}
		v.at[axis] = min(max(v.at[axis]+d, 0), len(v.r.Axes[axis].Values)-1)
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
		host.Say("the sweep is stopped; what it computed stays, r runs it again")
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
		return v.lanesOf(host), true
	case kit.ActCompare:
		return v.beside(host), true
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
		p, ok := param.Lookup(key)
		if !ok {
			host.Say("f: " + key + " is not a setting of a run; enter opens the cell as a lane")
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
	return out + fmt.Sprintf("%s %s over %s", metric.Label, said(&metric, e), viz.Plural(len(cell.Runs), "text"))
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

// mostLanes is how many texts of a cell open as lanes.
const mostLanes = 3

// lanesOf opens the texts of the selected cell as lanes: its settings with the
// seeds of the sweep.
func (v *View) lanesOf(host kit.Host) tea.Cmd {
	var list []sampling.Config
	for _, seed := range v.r.Seeds[:min(len(v.r.Seeds), mostLanes)] {
		list = append(list, v.r.At(v.at...).Config.MustWith("seed", seed, sampling.FromFlag))
	}
	return v.open(host, list, viz.Plural(len(list), "text")+" of the cell: "+v.place())
}

// beside opens the base of the sweep and the selected cell side by side, with
// the first seed of the sweep.
func (v *View) beside(host kit.Host) tea.Cmd {
	seed := v.r.Seeds[0]
	return v.open(host, []sampling.Config{v.r.Base.MustWith("seed", seed, sampling.FromFlag), v.r.At(v.at...).Config.MustWith("seed", seed, sampling.FromFlag)},
		"lane 1 is the sweep's base, lane 2 the cell: "+v.place())
}

// open opens compare on lanes with these settings and the prompt of the sweep.
func (v *View) open(host kit.Host, list []sampling.Config, words string) tea.Cmd {
	for i, l := range v.lanes.All[:min(len(v.lanes.All), len(list))] {
		if l.Model != v.model { // the sweep's prompt is in tokens of its own
			host.Say(fmt.Sprintf("lane %d has another model than the sweep; r runs it anew", i+1))
			return nil
		}
	}
	first := v.lanes.All[0]
	var sets []*engine.Settings
	most := 0
	for _, c := range list {
		most = max(most, c.Int("max_new_tokens"))
		set, err := first.Compile(c, -1)
		if err != nil {
			host.Complain(viz.FirstLine(err.Error()))
			return nil
		}
		sets = append(sets, set)
	}
	for len(v.lanes.All) > len(sets) {
		v.lanes.Drop(len(v.lanes.All) - 1)
	}
	var cmds []tea.Cmd
	for i, set := range sets {
		if i >= len(v.lanes.All) {
			_, cmd := v.lanes.Add(first, []*engine.Step{}, set)
			v.lanes.Conduct()
			cmds = append(cmds, cmd)
			continue
		}
		l := v.lanes.All[i]
		l.Config, l.Preset, l.Settings = set.Config(), -1, set
		l.Text, l.Prompt, l.Look = v.r.Text, v.r.Prompt, run.Lookback{}
		v.lanes.Start(l)
	}
	v.lanes.Cur = 0
	cmds = append(cmds, host.Open(kit.ViewCompare))
	v.lanes.AdvanceAll(most) // last: opening compare pauses every lane
	host.Say(words)
	return tea.Batch(cmds...)
}

// place names the selected cell.
func (v *View) place() string {
	var parts []string
	for i := range v.r.Axes {
		parts = append(parts, v.r.Axes[i].Key+" "+v.r.Axes[i].Label(v.at[i]))
	}
	return strings.Join(parts, ", ")
}

// value returns the mean of the metric at column x and row y of the map.
func (v *View) value(x, y int) float64 {
	c := v.cellAt(x, y)
	if v.metric >= len(c.Values) {
		return math.NaN()
	}
	return c.Values[v.metric].Value
}
