package inspect

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/sampling"
	"logitscope/sampling/inert"
	"logitscope/sampling/param"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// values lists every parameter: what was asked, what is in force, who said
// so, and what it does at this step.
type values struct {
	lanes *run.Lanes
	knobs KnobPane
	list  kit.List
	job   kit.Job[run.EffectKey, valueDeeds]
}

// valueDeeds is what every parameter does at a step, by key.
type valueDeeds struct {
	does map[string]deed
	full map[string]string // how exact each value is on a row of a server
}

// A KnobPane shows the knobs beside the list of values.
type KnobPane interface {
	// ShowKnob brings the selected knob into view.
	ShowKnob()
}

// NewValues lists the values in force.
func NewValues(host kit.Host, lanes *run.Lanes, knobs KnobPane) (kit.View, tea.Cmd) {
	v := &values{lanes: lanes, knobs: knobs}
	return v, v.compute(host)
}

// compute works out what each value changes, in the background: it samples
// once for every parameter that is set.
func (v *values) compute(host kit.Host) tea.Cmd {
	on, ok := shownStep(host, "", &v.job)
	if !ok {
		return nil
	}
	l, s, set, in := on.lane, on.step, on.settings, on.in
	model := l.Model
	return v.job.Want(on.key, func() (valueDeeds, error) {
		does, full := make(map[string]deed), make(map[string]string)
		var scratch sampling.Scratch
		for _, p := range run.Knobs {
			d := doesHere(set, p, s, &scratch, in)
			if v, ok := engine.VerdictOf(model, set, s, in, p.Key); ok {
				full[p.Key] = v.Text
				d.said = true
				for i := range d.forms {
					d.forms[i] = run.VerdictWords(v, ok) + "; " + d.forms[i]
				}
			}
			does[p.Key] = d
		}
		return valueDeeds{does, full}, nil
	})
}

// A deed is what a parameter does at a step, in forms from long to short.
type deed struct {
	forms []string
	said  bool // it says more than that the parameter is off
}

// doesHere says in a few words what one parameter does at a step.
func doesHere(set *engine.Settings, p *param.Param, s *engine.Step, scratch *sampling.Scratch, in sampling.Input) deed {
	if why := set.Pipeline.Inert(p.Key, s.Trace); why.Reason != inert.Acts {
		return deed{why.Forms(), why.Reason != inert.IsOff}
	}
	if p.Off == nil {
		return deed{forms: []string{""}}
	}
	e, err := set.Pipeline.Effect(p.Key, scratch, in)
	switch {
	case err != nil:
		return deed{forms: []string{""}}
	case e.TV == 0 && e.Why.Reason != inert.Acts:
		return deed{e.Why.Forms(), true}
	case e.TV == 0:
		return deed{[]string{"no effect at this step"}, true}
	}
	brief := "without it " + viz.Percent(e.TV)
	return deed{[]string{brief + " would change", brief}, true}
}

// Follow takes results and new views; see [kit.Follower].
func (v *values) Follow(host kit.Host, msg tea.Msg) tea.Cmd {
	return v.job.Follow(host, msg, func() tea.Cmd { return v.compute(host) })
}

// Frame titles the box; see [kit.Overlay].
func (v *values) Frame(host kit.Host) viz.Frame {
	return viz.Frame{Title: "effective values · order " + host.Lane().ShownConfig().Order().Name(), Right: "V · esc"}
}

// Size is how large the box wants to be; see [kit.Overlay].
func (v *values) Size(host kit.Host) (int, int) {
	return min(max(host.Screen().W-4, 100), 130), max(host.Screen().H-4, 10)
}

// Hints are what the footer offers; see [kit.View].
func (v *values) Hints(kit.Host) []kit.ID {
	return []kit.ID{kit.ActDown, kit.ActOpen, kit.ActOff, kit.ActReset, kit.ActClose}
}
func (v *values) rows(host kit.Host) int { return max(host.Screen().Box(v.Size(host)).H-7, 1) }

// valueColumns are the widths and edges of the table's columns in w cells: the
// right edges of the numbers, and the left edges of the words.
type valueColumns struct{ keyW, asked, inForce, from, does int }

func valueColumnsOf(w int) valueColumns {
	switch {
	case w < 46:
		return valueColumns{18, 28, 37, w, w}
	case w < 92:
		return valueColumns{22, 32, 42, 45, 58}
	}
	return valueColumns{22, 32, 42, 45, 66}
}

// Draw draws the view; see [kit.View].
func (v *values) Draw(c *viz.Canvas, host kit.Host) {
	l := host.Lane()
	set := l.ShownSettings()
	if set == nil {
		return
	}
	muted := viz.Ink{Role: viz.Muted}
	c.Put(3, 0, "parameter", muted)
	col := valueColumnsOf(c.W)
	c.Right(col.asked, 0, "asked", muted)
	c.Right(col.inForce, 0, "in force", muted)
	c.Put(col.from, 0, "from", muted)
	c.Put(col.does, 0, "at this step", muted)
	eff := visible(engine.Effective(set.Pipeline, l.Model.Info(), len(l.View.Prompt)))
	h := max(c.H-5, 1)
	top := min(v.list.Top, max(len(eff)-h, 0))
	for y := 0; y < h && top+y < len(eff); y++ {
		v.drawRow(c, host, 1+y, eff[top+y], top+y == v.list.At)
	}
	if more := len(eff) - top - h; more > 0 {
		c.Put(3, c.H-4, strconv.Itoa(more)+" more · ↓ scrolls", muted)
	}
	c.Put(1, c.H-3, viz.CutTitle(run.ArithmeticWords(l.Model.Info()), c.W-2), muted)
	c.Put(1, c.H-2, viz.CutTitle(fromModel(l), c.W-2), muted)
	if full := v.job.Result.full[run.Knobs[v.list.At].Key]; full != "" {
		c.Put(1, c.H-1, viz.CutTitle(full, c.W-2), muted)
		return
	}
	for _, e := range eff { // what the column may have cut
		if does := v.doesWords(e)[0]; e.Key == run.Knobs[v.list.At].Key && viz.Width(does) > c.W-col.does-1 {
			c.Put(1, c.H-1, viz.CutTitle(e.Key+": "+does, c.W-2), muted)
			return
		}
	}
	c.Put(1, c.H-1, viz.CutTitle("A percentage is the total variation to the result with the value off.", c.W-2), muted)
}

// visible leaves out the parameters that are not among the controls.
func visible(list []sampling.Effective) []sampling.Effective {
	var out []sampling.Effective
	for _, p := range run.Knobs {
		for _, e := range list {
			if e.Key == p.Key {
				out = append(out, e)
			}
		}
	}
	return out
}

func (v *values) drawRow(c *viz.Canvas, host kit.Host, y int, e sampling.Effective, selected bool) {
	p, _ := param.Lookup(e.Key)
	ink, col := viz.Ink{}, valueColumnsOf(c.W)
	if selected {
		c.Put(1, y, "▸", viz.Ink{Role: viz.Focus})
		ink = ink.With(viz.Bold)
	}
	c.Fit(3, y, col.keyW, e.Key, ink)
	asked := viz.Removed
	if e.AskedSet {
		asked = run.ValueFit(p, e.Asked, col.asked-col.keyW-4, c.ASCII)
	}
	c.Right(col.asked, y, asked, ink)
	inForce := ink
	if e.AskedSet && p.Format(e.Asked) != p.Format(e.InForce) {
		inForce = viz.Ink{Role: viz.Warning}
	}
	c.Right(col.inForce, y, run.ValueFit(p, e.InForce, col.inForce-col.asked-1, c.ASCII), inForce)
	from := e.OriginText
	if i := host.Lane().ShownPreset(); e.Origin == sampling.FromPreset && i >= 0 {
		from = "preset " + v.lanes.Book.List()[i].Name
	}
	c.Fit(col.from, y, max(col.does-col.from-1, 0), viz.Printable(from, c.ASCII), ink)
	c.Put(col.does, y, viz.FirstFit(c.W-col.does-1, v.doesWords(e)...), ink)
}

// doesWords says what a parameter does at this step, in forms from long to
// short.
func (v *values) doesWords(e sampling.Effective) []string {
	switch d := v.job.Result.does[e.Key]; {
	case e.Note != "" && !d.said:
		return []string{e.Note}
	case d.forms != nil:
		return d.forms
	}
	return []string{""}
}

// fromModel says what the model's file recommends.
func fromModel(l *run.Lane) string {
	info := l.Model.Info()
	if len(info.Defaults) == 0 {
		return fmt.Sprintf("From the model file: none (%s carries no sampling settings).", viz.Printable(info.Name, false))
	}
	s := "From the model file:"
	for _, k := range slices.Sorted(maps.Keys(info.Defaults)) {
		s += fmt.Sprintf(" %s %v", viz.Printable(k, false), info.Defaults[k])
	}
	return s
}

// Act takes the actions it names; see [kit.View].
func (v *values) Act(host kit.Host, a *kit.Action) (tea.Cmd, bool) {
	eff := run.Knobs
	if v.list.Act(a, len(eff), v.rows(host)) {
		v.lanes.Knob = v.list.At
		v.knobs.ShowKnob()
		return nil, true
	}
	v.lanes.Knob = v.list.At
	switch a.ID {
	case kit.ActOpen:
		return host.Open(kit.ViewValue), true
	case kit.ActRight:
		v.lanes.Nudge(1)
	case kit.ActLeft:
		v.lanes.Nudge(-1)
	case kit.ActInspect, kit.ActPane, kit.ActPaneBack, kit.ActZoom:
		return nil, true
	default:
		return nil, false
	}
	return v.compute(host), true
}
