package tui

import (
	"fmt"
	"slices"
	"strings"

	"logitscope/sampling"
	"logitscope/viz"
)

// nextOrder puts the rules of the next engine in force.
func (m *board) nextOrder() {
	l := m.lane()
	orders := sampling.Orders()
	now := l.shownConfig().Order()
	at := slices.IndexFunc(orders, func(o sampling.Order) bool { return o == now })
	next := orders[(at+1)%len(orders)]
	if m.set("order", next.Name()) {
		m.say("order " + next.Name() + ": " + strings.Join(stageNames(l.shownConfig()), " ▸ "))
	}
}

// stageNames lists the stages of cfg's order that its values switch on.
func stageNames(cfg sampling.Config) []string {
	var on []string
	for _, s := range cfg.Order().Stages() {
		ps := stageParams(cfg.Order(), s)
		if len(ps) == 0 || slices.ContainsFunc(ps, func(p *sampling.Param) bool { return !p.IsOff(cfg.Value(p.Key)) }) {
			on = append(on, s)
		}
	}
	return on
}

// stageParams returns the parameters that switch a stage of an order on.
func stageParams(o sampling.Order, stage string) []*sampling.Param {
	var out []*sampling.Param
	params := sampling.Params()
	for i := range params {
		if p := &params[i]; p.Master == "" && p.Off != nil && o.StageOf(p.Key) == stage {
			out = append(out, p)
		}
	}
	return out
}

// takeOut switches the selected knob, or the selected stage, off or back to
// what it was.
func (m *board) takeOut(stage bool) {
	cfg := m.lane().shownConfig()
	ps := []*sampling.Param{m.selected()}
	name := m.selected().Key
	if stage {
		name = m.selectedStage()
		ps = stageParams(cfg.Order(), name)
	}
	if len(ps) == 0 || ps[0].Off == nil {
		m.say("x: " + name + " cannot be taken out")
		return
	}
	var done []string
	for _, p := range ps {
		if now := cfg.Value(p.Key); !p.IsOff(now) {
			if !m.set(p.Key, p.Off) {
				return
			}
			m.taken[p.Key] = now
			done = append(done, p.Key)
		}
	}
	if len(done) > 0 {
		m.say(strings.Join(done, ", ") + ": out; x puts it back")
		return
	}
	for _, p := range ps {
		if old, ok := m.taken[p.Key]; ok && m.set(p.Key, old) {
			delete(m.taken, p.Key)
			done = append(done, p.Key+" "+p.Format(old))
		}
	}
	if len(done) == 0 {
		m.say("x: " + name + " is off; + sets it")
		return
	}
	m.say("back: " + strings.Join(done, ", "))
}

// selectedStage is the stage of the pipeline that keys act on.
func (m *board) selectedStage() string {
	s := m.lane().step()
	if s == nil || s.Trace == nil {
		return ""
	}
	st := s.Trace.Stages()
	return st[min(m.stage, len(st)-1)].Name
}

// moveStage moves the selected stage by d places; the order becomes custom.
func (m *board) moveStage(d int) {
	l := m.lane()
	name := m.selectedStage()
	o := l.shownConfig().Order()
	// Stages that the values leave off take no part in the order on screen, so
	// a move passes over them.
	stages := slices.Clone(o.Stages())
	on := stageNames(l.shownConfig())
	i := slices.Index(on, name)
	if i < 0 {
		m.say("< >: " + name + " cannot be moved")
		return
	}
	j := i + d
	if j < 0 || j >= len(on) {
		m.say("< >: " + name + " is " + map[bool]string{true: "first", false: "last"}[d < 0] + " already")
		return
	}
	a, b := slices.Index(stages, name), slices.Index(stages, on[j])
	stages = slices.Delete(stages, a, a+1)
	stages = slices.Insert(stages, b, name)
	custom, err := o.WithStages(stages)
	if err != nil {
		m.complain(viz.FirstLine(err.Error()))
		return
	}
	order := custom.Name()
	if m.set("order", order) {
		m.stage = max(m.stage+d, 0)
		m.say(fmt.Sprintf("%s moved to place %d; the order is custom now", name, j+1))
	}
}
