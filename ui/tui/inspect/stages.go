package inspect

import (
	"fmt"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/sampling"
	"logitscope/sampling/inert"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// stages is the pipeline as a list: stages in their order, what each does on
// its own, moved and switched off one at a time.
type stages struct {
	lanes *run.Lanes
	panes StagePanes
	job   kit.Job[run.EffectKey, stageDeeds]
}

// stageDeeds is what the stages do at a step.
type stageDeeds struct {
	alone map[string]string // by stage
	other string            // what the engine's own order would give
}

// StagePanes are the panes of the lab that the list of stages shares with it.
type StagePanes interface {
	// DrawStrip draws the survivors as the draw goes through them.
	DrawStrip(c *viz.Canvas, l *run.Lane, t *sampling.Trace)

	// DrawWords says on which token the draw fell; verb joins its number to it.
	DrawWords(l *run.Lane, s *engine.Step, verb string) string

	// InspectStage says in the help line what the selected stage does.
	InspectStage()
}

// NewStages lists the stages of the step on the screen, or says why there are
// none.
func NewStages(host kit.Host, lanes *run.Lanes, panes StagePanes) (kit.View, tea.Cmd) {
	l := host.Lane()
	if s := l.Step(); s == nil || s.Trace == nil {
		host.Say("enter: " + host.WhyNot(l))
		return nil, nil
	}
	v := &stages{lanes: lanes, panes: panes}
	return v, v.compute(host)
}

func (v *stages) compute(host kit.Host) tea.Cmd {
	on, ok := shownStep(host, "", &v.job)
	if !ok {
		return nil
	}
	l, s, set, in := on.lane, on.step, on.settings, on.in
	view, comp, cfg, ascii := l.View, l.Comp, l.ShownConfig(), host.Screen().ASCII()
	name := func(id int32) string { return l.Piece(id, ascii) }
	return v.job.Want(on.key, func() (stageDeeds, error) {
		r := stageDeeds{alone: make(map[string]string)}
		var scratch sampling.Scratch
		for i, st := range s.Trace.Stages() {
			if i > 0 {
				r.alone[st.Name] = stageAlone(set, cfg, s, st, &scratch, in)
			}
		}
		r.other = ownOrder(view, comp, cfg, s, set, in, name)
		return r, nil
	})
}

// stageAlone says what one stage does on its own, or why it does nothing.
func stageAlone(set *engine.Settings, cfg sampling.Config, s *engine.Step, st sampling.StageTrace, scratch *sampling.Scratch, in sampling.Input) string {
	for _, p := range run.StageParams(cfg.Order(), st.Name) {
		if p.IsOff(cfg.Value(p.Key)) {
			continue
		}
		if why := set.Pipeline.Inert(p.Key, s.Trace); why.Reason != inert.Acts {
			return why.String()
		}
		e, err := set.Pipeline.Effect(p.Key, scratch, in)
		if err != nil {
			return ""
		}
		if e.TV == 0 && e.Why.Reason != inert.Acts {
			return e.Why.String()
		}
		if st.Touched > 0 {
			return fmt.Sprintf("%s moved; without it %s would change", viz.Count(st.Touched), viz.Percent(e.TV))
		}
		return "without it " + viz.Percent(e.TV) + " would change"
	}
	return ""
}

// ownOrder compares a custom order with the engine's own.
func ownOrder(view engine.View, comp *engine.Compiler, cfg sampling.Config, s *engine.Step, set *engine.Settings, in sampling.Input, name func(int32) string) string {
	o := cfg.Order()
	if len(o.Custom()) == 0 {
		return ""
	}
	own, err := cfg.With("order", o.Engine(), sampling.FromYou)
	if err != nil {
		return ""
	}
	set2, err := comp.Settings(own, "")
	if err != nil {
		return ""
	}
	t, err := view.Retrace(s.Index-1, set2)
	if err != nil {
		return ""
	}
	out := fmt.Sprintf("%s: %s survive, TV %s, ", o.Engine(), viz.Count(t.Trace.Survived), viz.Three(run.Distance(set, set2, in)))
	if t.Trace.Token == s.Trace.Token {
		return out + "same token"
	}
	return out + "draws " + name(t.Trace.Token)
}

// Follow takes results and new views; see [kit.Follower].
func (v *stages) Follow(host kit.Host, msg tea.Msg) tea.Cmd {
	return v.job.Follow(host, msg, func() tea.Cmd { return v.compute(host) })
}

// Frame titles the box; see [kit.Overlay].
func (v *stages) Frame(host kit.Host) viz.Frame {
	o := host.Lane().ShownConfig().Order()
	name := o.Name()
	if len(o.Custom()) > 0 {
		name = "custom (" + o.Engine() + "'s stages, moved)"
	}
	return viz.Frame{Title: "pipeline · order " + name, Right: "o next order"}
}

// Size is how large the box wants to be; see [kit.Overlay].
func (v *stages) Size(host kit.Host) (int, int) {
	n := 1
	if s := host.Lane().Step(); s != nil && s.Trace != nil {
		n = len(s.Trace.Stages())
	}
	return 100, min(max(n+8, 12), max(host.Screen().H-4, 10))
}

// Hints are what the footer offers; see [kit.View].
func (v *stages) Hints(kit.Host) []kit.ID {
	return []kit.ID{kit.ActDown, kit.ActEarlier, kit.ActLater, kit.ActTake, kit.ActOrder, kit.ActInspect, kit.ActClose}
}

// Draw draws the view; see [kit.View].
func (v *stages) Draw(c *viz.Canvas, host kit.Host) {
	l := host.Lane()
	s := l.Step()
	if s == nil || s.Trace == nil {
		return
	}
	muted := viz.Ink{Role: viz.Muted}
	c.Put(3, 0, "stage", muted)
	for _, h := range kit.StageColumns {
		c.Right(h.Right+2, 0, h.Head, muted)
	}
	c.Put(54, 0, "on its own", muted)
	list := s.Trace.Stages()
	room := max(c.H-5, 1)
	at := v.lanes.StageOf(len(list))
	from := max(min(at-room/2, len(list)-room), 0)
	y := 1
	for i := from; i < len(list) && i < from+room; i++ {
		v.drawStage(c, y, list[i], i, i == at)
		y++
	}
	v.panes.DrawStrip(c.Sub(viz.Rect{X: 1, Y: c.H - 3, W: c.W - 2, H: 2}), l, s.Trace)
	words := v.panes.DrawWords(l, s, " → ")
	if v.job.Result.other != "" {
		words += "   " + v.job.Result.other
	}
	c.Put(1, c.H-1, viz.CutTitle(words, c.W-2), viz.Ink{Role: viz.Draw})
}

func (v *stages) drawStage(c *viz.Canvas, y int, st sampling.StageTrace, i int, selected bool) {
	ink := viz.Ink{}
	if selected {
		c.Put(1, y, "▸", viz.Ink{Role: viz.Focus})
		ink = ink.With(viz.Bold)
	}
	name := "logits"
	if i > 0 {
		name = strconv.Itoa(i) + " " + st.Label
	}
	c.Fit(3, y, 20, name, ink)
	for _, h := range kit.StageColumns {
		c.Right(h.Right+2, y, h.Text(st), ink)
	}
	words := v.job.Result.alone[st.Name]
	if selected && i > 0 {
		words = strings.TrimLeft(words+" · ", " ") + "< earlier · > later · x off"
	}
	c.Put(54, y, viz.CutTitle(words, c.W-55), ink)
}

// Act takes the actions it names; see [kit.View].
func (v *stages) Act(host kit.Host, a *kit.Action) (tea.Cmd, bool) {
	s := host.Lane().Step()
	if s == nil || s.Trace == nil {
		return nil, false
	}
	n := len(s.Trace.Stages())
	switch a.ID {
	case kit.ActUp:
		v.lanes.SelectStage(v.lanes.Stage-1, n)
	case kit.ActDown:
		v.lanes.SelectStage(v.lanes.Stage+1, n)
	case kit.ActFirst:
		v.lanes.SelectStage(0, n)
	case kit.ActLast:
		v.lanes.SelectStage(n-1, n)
	case kit.ActEarlier:
		v.lanes.MoveStage(-1)
	case kit.ActLater:
		v.lanes.MoveStage(1)
	case kit.ActTake:
		v.lanes.TakeOut(true)
	case kit.ActOrder:
		v.lanes.NextOrder()
	case kit.ActOpen:
		if run.IsPenalty(v.lanes.StageName(s)) {
			return host.Open(kit.ViewPenalties), true
		}
		v.panes.InspectStage()
		return nil, true
	case kit.ActInspect:
		v.panes.InspectStage()
		return nil, true
	case kit.ActPane, kit.ActPaneBack, kit.ActZoom:
	default:
		return nil, false
	}
	return v.compute(host), true
}
