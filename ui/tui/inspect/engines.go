package inspect

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/engine/compare"
	"logitscope/sampling"
	"logitscope/sampling/dist"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// ownRules are the engines laid side by side: one that runs another's chain,
// as today's ollama does, has no column of its own.
func ownRules() (own, like []sampling.Order) {
	for _, o := range sampling.Orders() {
		switch e := o.Rules(); {
		case e.Neutral:
		case e.Like == "":
			own = append(own, o)
		default:
			like = append(like, o)
		}
	}
	return own, like
}

// engines shows one step's final law under the rules of each engine.
type engines struct {
	lanes *run.Lanes
	job   kit.Job[run.EffectKey, []engineLaw]
	row   int
}

// An engineLaw is what one engine makes of the step.
type engineLaw struct {
	order sampling.Order
	step  *engine.Step
	set   *engine.Settings
	dist  dist.Dist
	here  dist.Distance    // from the order in force, A, at this step
	run   compare.Readings // and over the last steps of the run, the text the same for all
	err   error            // why the engine refuses
}

// runSteps is how many of the last steps the engines' laws are compared on.
const runSteps = 64

// NewEngines lays the engines' laws of the step on the screen side by side, or
// says why there is no step.
func NewEngines(host kit.Host, lanes *run.Lanes) (kit.View, tea.Cmd) {
	l := host.Lane()
	if s := l.Step(); s == nil || s.Trace == nil {
		host.Say("O: " + host.WhyNot(l))
		return nil, nil
	}
	v := &engines{lanes: lanes}
	return v, v.compute(host)
}

// compute traces the step again under each engine, in the background.
func (v *engines) compute(host kit.Host) tea.Cmd {
	l := host.Lane()
	s, set := l.Step(), l.ShownSettings()
	if s == nil || s.Trace == nil || set == nil {
		return nil
	}
	k := run.EffectKey{Step: s, Settings: set, Key: ""}
	view, comp, cfg, index := l.View, l.Comp, l.ShownConfig(), s.Index-1
	return v.job.Want(k, func() ([]engineLaw, error) { return engineLaws(view, comp, cfg, index), nil })
}

func engineLaws(view engine.View, comp *engine.Compiler, cfg sampling.Config, index int) []engineLaw {
	laws := []engineLaw{{order: cfg.Order()}}
	own, _ := ownRules()
	for _, o := range own {
		if o != cfg.Order() {
			laws = append(laws, engineLaw{order: o})
		}
	}
	for i := range laws {
		w := &laws[i]
		c, err := cfg.With("order", w.order.Name(), sampling.FromYou)
		if err != nil {
			w.err = err
			continue
		}
		if w.set, w.err = comp.Settings(c, ""); w.err != nil {
			continue
		}
		if w.step, w.err = view.Retrace(index, w.set); w.err != nil {
			continue
		}
		in, err := view.Input(index)
		if err != nil {
			w.err = err
			continue
		}
		var scratch sampling.Scratch
		var meter dist.Meter
		if w.err = w.set.Pipeline.Distribution(&w.dist, &scratch, in); w.err == nil && laws[0].err == nil {
			w.here = meter.Between(&laws[0].dist, &w.dist)
		}
	}
	compareRun(view, laws)
	return laws
}

// compareRun reads the last steps of the run under every law that there is,
// against the one in force.
func compareRun(view engine.View, laws []engineLaw) {
	var under []compare.Law
	var of []*engineLaw
	for i := range laws {
		if laws[i].err == nil {
			under, of = append(under, compare.Law{Settings: laws[i].set}), append(of, &laws[i])
		}
	}
	if len(of) == 0 || of[0] != &laws[0] {
		return // the order in force has no law to compare with
	}
	var m compare.Meter
	for k := max(len(view.Steps)-runSteps, 0); k < len(view.Steps); k++ {
		r, err := m.Read(view, k, under...)
		if err != nil {
			continue
		}
		for i, w := range of {
			w.run.Add(k+1, r.Distances[i], r.Chances[0], r.Chances[i])
		}
	}
}

// Follow takes results and new views; see [kit.Follower].
func (v *engines) Follow(host kit.Host, msg tea.Msg) tea.Cmd {
	return v.job.Follow(host, msg, func() tea.Cmd { return v.compute(host) })
}

// Frame titles the box; see [kit.Overlay].
func (v *engines) Frame(host kit.Host) viz.Frame {
	l := host.Lane()
	own, _ := ownRules()
	title := fmt.Sprintf("same settings, %s engines", inWords(max(len(v.job.Result), len(own))))
	if s := l.Step(); s != nil {
		title += " · step " + viz.Count(s.Index)
	}
	return viz.Frame{Title: title + " · " + viz.Printable(l.ShownLabel(), false), Right: "O · o takes the next · esc"}
}

// Size is how large the box wants to be; see [kit.Overlay].
func (v *engines) Size(host kit.Host) (int, int) {
	n := len(v.rows(18))
	return 120, min(max(n+enginesBelow+3, 14), max(host.Screen().H-4, 12))
}

// Hints are what the footer offers; see [kit.View].
func (v *engines) Hints(kit.Host) []kit.ID {
	return []kit.ID{kit.ActOrder, kit.ActDown, kit.ActInspect, kit.ActClose}
}

// rows returns the tokens to lay side by side: the best of each law.
func (v *engines) rows(n int) []int32 {
	var ids []int32
	add := func(id int32) {
		if !slices.Contains(ids, id) && len(ids) < n {
			ids = append(ids, id)
		}
	}
	if len(v.job.Result) == 0 || v.job.Result[0].step == nil {
		return nil
	}
	rows := v.job.Result[0].step.Trace.Rows()
	for i := range rows {
		if i >= n {
			break
		}
		for _, w := range v.job.Result {
			if w.step != nil && (w.dist.Prob(rows[i].ID) > 0 || w.step.Trace.Token == rows[i].ID) {
				add(rows[i].ID)
				break
			}
		}
	}
	return ids
}

// inWords is a small number as a word.
func inWords(n int) string {
	if words := [...]string{"no", "one", "two", "three", "four", "five", "six"}; n < len(words) {
		return words[n]
	}
	return strconv.Itoa(n)
}

// enginesBelow is how many lines stand below the rows.
const enginesBelow = 8

// Draw draws the view; see [kit.View].
func (v *engines) Draw(c *viz.Canvas, host kit.Host) {
	if len(v.job.Result) == 0 {
		c.Put(1, 0, "working it out …", viz.Ink{Role: viz.Muted})
		return
	}
	names := 18
	if c.W < 100 {
		names = 16
	}
	cols := len(v.job.Result)
	for cols > 1 && (c.W-names)/cols < 15 {
		cols--
	}
	w := (c.W - names) / cols
	scale := v.scale()
	ids := v.rows(max(c.H-1-enginesBelow, 1))
	for y, id := range ids {
		ink := viz.Ink{}
		if t := v.job.Result[0].step.Trace.Row(id); t != nil {
			c.Right(4, 1+y, strconv.Itoa(int(t.Rank)), viz.Ink{Role: viz.Muted})
		}
		if y == v.row {
			ink = ink.With(viz.Bold)
		}
		c.Fit(5, 1+y, names-9, host.Lane().Piece(id, c.ASCII), ink)
	}
	for i := range cols {
		v.drawLaw(c.Sub(viz.Rect{X: names - 4 + i*w, Y: 0, W: w, H: c.H}), i, ids, scale)
	}
	muted := viz.Ink{Role: viz.Muted}
	for i, s := range [...]string{"survivors", "entropy", "TV to ▸", "KL from, to", "last 64: TV", "  bits/token", "stages"} {
		c.Put(1, c.H-enginesBelow+i, s, muted)
	}
	c.Put(1, c.H-1, viz.CutSentence(v.conclusion(host), c.W-2), viz.Ink{})
}

func (v *engines) scale() float64 {
	most := 0.0
	for _, w := range v.job.Result {
		if w.step != nil {
			for _, r := range w.step.Trace.Rows() {
				most = max(most, float64(r.Prob))
			}
		}
	}
	return max(most*1.25, 0.01)
}

func (v *engines) drawLaw(c *viz.Canvas, i int, ids []int32, scale float64) {
	w := v.job.Result[i]
	name := w.order.Engine()
	if len(w.order.Custom()) > 0 {
		name = "custom (" + name + ")"
	}
	if i == 0 {
		name = "▸ " + name
	}
	c.Put(2-2*(1-min(i, 1)), 0, viz.CutTitle(name, c.W-1), viz.Ink{}.With(viz.Bold))
	below := c.H - enginesBelow
	if w.err != nil {
		for y, s := range viz.Fold(viz.Printable(viz.FirstLine(w.err.Error()), c.ASCII), c.W-2, 4) {
			c.Put(2, 1+y, s, viz.Ink{Role: viz.Warning})
		}
		return
	}
	t := w.step.Trace
	bars := make([]viz.Bar, len(ids))
	for y, id := range ids {
		p := w.dist.Prob(id)
		mark, text, ink := " ", viz.Percent(p), viz.Ink{}
		switch {
		case id == t.Token:
			mark, ink = "●", viz.Ink{Role: viz.Chosen}
		case p == 0:
			mark, text, ink = "✗", viz.Removed, viz.Ink{Role: viz.Lost}
		}
		c.Put(0, 1+y, mark, ink)
		c.Right(8, 1+y, text, ink)
		bars[y] = viz.Bar{Final: p, Single: true}
	}
	viz.Bars(c.Sub(viz.Rect{X: 9, Y: 1, W: c.W - 10, H: len(ids)}), bars, scale)
	c.Put(2, below, viz.Count(t.Survived), viz.Ink{})
	c.Put(2, below+1, viz.Two(w.dist.Entropy())+" bits", viz.Ink{})
	lines := []string{viz.Three(w.here.TV), kl(w.here.KLab, c.ASCII) + ", " + kl(w.here.KLba, c.ASCII), runWords(&w.run.Distances, c.ASCII), run.CrossWords(&w.run.B)}
	if i == 0 {
		lines[0], lines[1], lines[2] = viz.Removed, viz.Removed, viz.Removed
	}
	for y, s := range lines {
		c.Put(2, below+2+y, viz.Cut(s, c.W-3), viz.Ink{})
	}
	var stages, brief []string
	for k, st := range t.Stages() {
		if k > 0 {
			name := run.Short(st.Name)
			stages, brief = append(stages, name), append(brief, viz.Cut(name, 3))
		}
	}
	c.Put(2, below+6, viz.FirstFit(c.W-3, strings.Join(stages, " "), strings.Join(brief, " ")), viz.Ink{})
}

// kl is a divergence at one step: infinite where one law allows what the other
// cuts.
func kl(bits float64, ascii bool) string {
	if math.IsInf(bits, 1) {
		return infinite(ascii)
	}
	return viz.Three(bits)
}

func infinite(ascii bool) string {
	if ascii {
		return "inf"
	}
	return "∞"
}

// runWords are the distance over the last steps of the run, and at how many of
// them the divergence is infinite, from the order in force and to it.
func runWords(d *dist.Distances, ascii bool) string {
	if d.Steps == 0 {
		return "–"
	}
	s := viz.Three(d.TV())
	if d.ImpossibleAB+d.ImpossibleBA > 0 {
		s += fmt.Sprintf(" %s %d, %d", infinite(ascii), d.ImpossibleAB, d.ImpossibleBA)
	}
	return s
}

// conclusion says what the laws have in common.
func (v *engines) conclusion(host kit.Host) string {
	same, differ := 0, []string{}
	for i, w := range v.job.Result {
		if i == 0 || w.err != nil || v.job.Result[0].err != nil {
			continue
		}
		if w.step.Trace.Token == v.job.Result[0].step.Trace.Token {
			same++
		} else {
			differ = append(differ, w.order.Engine()+" draws "+host.Lane().Piece(w.step.Trace.Token, host.Screen().ASCII()))
		}
	}
	var s string
	_, like := ownRules()
	for _, o := range like {
		s += fmt.Sprintf("%s (%s) = %s's chain with these values.", o.Name(), o.Rules().When, o.Rules().Like)
	}
	if len(differ) > 0 {
		return strings.Join(differ, ", ") + ". " + s
	}
	if same > 0 {
		return "the same token under each, with this draw. " + s
	}
	return s
}

// Act takes the actions it names; see [kit.View].
func (v *engines) Act(host kit.Host, a *kit.Action) (tea.Cmd, bool) {
	ids := v.rows(100)
	switch a.ID {
	case kit.ActUp:
		v.row = max(v.row-1, 0)
	case kit.ActDown:
		v.row = min(v.row+1, max(len(ids)-1, 0))
	case kit.ActOrder:
		v.lanes.NextOrder()
		return v.compute(host), true
	case kit.ActInspect, kit.ActOpen:
		if v.row < len(ids) {
			host.Say(v.across(host, ids[v.row]))
		}
	case kit.ActPin, kit.ActForce:
		if v.row < len(ids) {
			host.Lane().Row = ids[v.row]
		}
		return nil, false
	case kit.ActPane, kit.ActPaneBack, kit.ActZoom:
	default:
		return nil, false
	}
	return nil, true
}

// across says what became of one token under each engine.
func (v *engines) across(host kit.Host, id int32) string {
	var parts []string
	for _, w := range v.job.Result {
		if w.err != nil || w.step == nil {
			continue
		}
		s := w.order.Engine() + " " + viz.Percent(w.dist.Prob(id))
		if r := w.step.Trace.Row(id); r != nil && r.Cut != sampling.NoStage {
			s = w.order.Engine() + " ✗ " + w.step.Trace.Stages()[r.Cut].Label
		}
		parts = append(parts, s)
	}
	return host.Lane().Piece(id, host.Screen().ASCII()) + ": " + strings.Join(parts, " · ")
}
