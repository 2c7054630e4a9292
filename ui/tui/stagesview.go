package tui

import (
	"fmt"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/sampling"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/lab"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// stages is the pipeline as a list: stages in their order, what each does on
// its own, moved and switched off one at a time.
type stages struct {
	key   run.EffectKey
	alone map[string]string // by stage
	other string            // what the engine's own order would give
}

func newStages(m *Model) (kit.View, tea.Cmd) {
	l := m.Lane()
	if s := l.Step(); s == nil || s.Trace == nil {
		m.Say("enter: " + m.WhyNot(l))
		return nil, nil
	}
	v := &stages{}
	return v, v.compute(m)
}

// A stagesMsg brings what each stage does.
type stagesMsg struct {
	key   run.EffectKey
	alone map[string]string
	other string
}

func (v *stages) compute(m *Model) tea.Cmd {
	l := m.Lane()
	s, set := l.Step(), l.ShownSettings()
	if s == nil || s.Trace == nil || set == nil {
		return nil
	}
	k := run.EffectKey{Step: s, Settings: set, Key: ""}
	if k == v.key {
		return nil
	}
	v.key = k
	in, err := l.Input()
	if err != nil {
		return nil
	}
	view, comp, cfg, ascii := l.View, l.Comp, l.ShownConfig(), m.pal.ASCII
	name := func(id int32) string { return l.Piece(id, ascii) }
	return func() tea.Msg {
		r := stagesMsg{key: k, alone: make(map[string]string)}
		var scratch sampling.Scratch
		for i, st := range s.Trace.Stages() {
			if i > 0 {
				r.alone[st.Name] = stageAlone(set, cfg, s, st, &scratch, in)
			}
		}
		r.other = ownOrder(view, comp, cfg, s, set, in, name)
		return r
	}
}

// stageAlone says what one stage does on its own, or why it does nothing.
func stageAlone(set *engine.Settings, cfg sampling.Config, s *engine.Step, st sampling.StageTrace, scratch *sampling.Scratch, in sampling.Input) string {
	for _, p := range run.StageParams(cfg.Order(), st.Name) {
		if p.IsOff(cfg.Value(p.Key)) {
			continue
		}
		if why := set.Pipeline.Inert(p.Key, s.Trace); why.Reason != sampling.Acts {
			return why.String()
		}
		e, err := set.Pipeline.Effect(p.Key, scratch, in)
		if err != nil {
			return ""
		}
		if e.TV == 0 && e.Why.Reason != sampling.Acts {
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

func (v *stages) Follow(host kit.Host, msg tea.Msg) tea.Cmd {
	m := host.(*Model)
	switch msg := msg.(type) {
	case stagesMsg:
		if msg.key == v.key {
			v.alone, v.other = msg.alone, msg.other
		}
	case run.ViewMsg:
		if !m.Lane().Running() {
			return v.compute(m)
		}
	}
	return nil
}

func (v *stages) Frame(host kit.Host) viz.Frame {
	m := host.(*Model)
	o := m.Lane().ShownConfig().Order()
	name := o.Name()
	if len(o.Custom()) > 0 {
		name = "custom (" + o.Engine() + "'s stages, moved)"
	}
	return viz.Frame{Title: "pipeline · order " + name, Right: "o next order"}
}

func (v *stages) Size(host kit.Host) (int, int) {
	m := host.(*Model)
	n := 1
	if s := m.Lane().Step(); s != nil && s.Trace != nil {
		n = len(s.Trace.Stages())
	}
	return 100, min(max(n+8, 12), max(m.h-4, 10))
}
func (v *stages) Hints(kit.Host) []kit.ID {
	return []kit.ID{kit.ActDown, kit.ActEarlier, kit.ActLater, kit.ActTake, kit.ActOrder, kit.ActInspect, kit.ActClose}
}

func (v *stages) Draw(c *viz.Canvas, host kit.Host) {
	m := host.(*Model)
	l := m.Lane()
	s := l.Step()
	if s == nil || s.Trace == nil {
		return
	}
	muted := viz.Ink{Role: viz.Muted}
	c.Put(3, 0, "stage", muted)
	for _, h := range lab.StageColumns {
		c.Right(h.Right+2, 0, h.Head, muted)
	}
	c.Put(54, 0, "on its own", muted)
	list := s.Trace.Stages()
	room := max(c.H-5, 1)
	at := min(m.Stage, len(list)-1)
	from := max(min(at-room/2, len(list)-room), 0)
	y := 1
	for i := from; i < len(list) && i < from+room; i++ {
		v.drawStage(c, y, list[i], i, i == at)
		y++
	}
	m.lab.DrawStrip(c.Sub(viz.Rect{X: 1, Y: c.H - 3, W: c.W - 2, H: 2}), l, s.Trace)
	words := m.lab.DrawWords(l, s, " → ")
	if v.other != "" {
		words += "   " + v.other
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
	for _, h := range lab.StageColumns {
		c.Right(h.Right+2, y, h.Text(st), ink)
	}
	words := v.alone[st.Name]
	if selected && i > 0 {
		words = strings.TrimLeft(words+" · ", " ") + "< earlier · > later · x off"
	}
	c.Put(54, y, viz.CutTitle(words, c.W-55), ink)
}

func (v *stages) Act(host kit.Host, a *kit.Action) (tea.Cmd, bool) {
	m := host.(*Model)
	s := m.Lane().Step()
	if s == nil || s.Trace == nil {
		return nil, false
	}
	n := len(s.Trace.Stages())
	switch a.ID {
	case kit.ActUp:
		m.Stage = max(m.Stage-1, 0)
	case kit.ActDown:
		m.Stage = min(m.Stage+1, n-1)
	case kit.ActFirst:
		m.Stage = 0
	case kit.ActLast:
		m.Stage = n - 1
	case kit.ActEarlier:
		m.MoveStage(-1)
	case kit.ActLater:
		m.MoveStage(1)
	case kit.ActTake:
		m.TakeOut(true)
	case kit.ActOrder:
		m.NextOrder()
	case kit.ActOpen:
		if run.IsPenalty(m.SelectedStage()) {
			return m.Open(kit.ViewPenalties), true
		}
		m.lab.InspectStage()
		return nil, true
	case kit.ActInspect:
		m.lab.InspectStage()
		return nil, true
	case kit.ActPane, kit.ActPaneBack, kit.ActZoom:
	default:
		return nil, false
	}
	return v.compute(m), true
}
