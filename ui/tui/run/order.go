package run

import (
	"fmt"
	"slices"
	"strings"

	"logitscope/sampling"
	"logitscope/sampling/param"
	"logitscope/viz"
)

// NextOrder puts the rules of the next engine in force.
func (ls *Lanes) NextOrder() {
	l := ls.Lane()
	orders := sampling.Orders()
	now := l.ShownConfig().Order()
	at := slices.IndexFunc(orders, func(o sampling.Order) bool { return o == now })
	next := orders[(at+1)%len(orders)]
	if ls.Set("order", next.Name()) {
		ls.Say("order " + next.Name() + ": " + strings.Join(StageNames(l.ShownConfig()), " ▸ "))
	}
}

// StageNames lists the stages of cfg's order that its values switch on.
func StageNames(cfg sampling.Config) []string {
	var on []string
	for _, s := range cfg.Order().Stages() {
		ps := StageParams(cfg.Order(), s)
		if len(ps) == 0 || slices.ContainsFunc(ps, func(p *param.Param) bool { return !p.IsOff(cfg.Value(p.Key)) }) {
			on = append(on, s)
		}
	}
	return on
}

// StageParams returns the parameters that switch a stage of an order on.
func StageParams(o sampling.Order, stage string) []*param.Param {
	var out []*param.Param
	params := param.All()
	for i := range params {
		if p := &params[i]; p.Master == "" && p.Off != nil && o.StageOf(p.Key) == stage {
			out = append(out, p)
		}
	}
	return out
}

// TakeOut switches the selected knob, or the selected stage, off or back to
// what it was.
func (ls *Lanes) TakeOut(stage bool) {
	cfg := ls.Lane().ShownConfig()
	ps := []*param.Param{ls.Selected()}
	name := ls.Selected().Key
	if stage {
		name = ls.StageName(ls.Lane().Step())
		ps = StageParams(cfg.Order(), name)
	}
	if len(ps) == 0 || ps[0].Off == nil {
		ls.Say("x: " + name + " cannot be taken out")
		return
	}
	var done []string
	for _, p := range ps {
		if now := cfg.Value(p.Key); !p.IsOff(now) {
			if !ls.Set(p.Key, p.Off) {
				return
			}
			ls.taken[p.Key] = now
			done = append(done, p.Key)
		}
	}
	if len(done) > 0 {
		ls.Say(strings.Join(done, ", ") + ": out; x puts it back")
		return
	}
	for _, p := range ps {
		if old, ok := ls.taken[p.Key]; ok && ls.Set(p.Key, old) {
			delete(ls.taken, p.Key)
			done = append(done, p.Key+" "+p.Format(old))
		}
	}
	if len(done) == 0 {
		ls.Say("x: " + name + " is off; + sets it")
		return
	}
	ls.Say("back: " + strings.Join(done, ", "))
}

// MoveStage moves the selected stage by d places; the order becomes custom.
func (ls *Lanes) MoveStage(d int) {
	l := ls.Lane()
	name := ls.StageName(ls.Lane().Step())
	o := l.ShownConfig().Order()
	// Stages that the values leave off take no part in the order on screen, so
	// a move passes over them.
	stages := slices.Clone(o.Stages())
	on := StageNames(l.ShownConfig())
	i := slices.Index(on, name)
	if i < 0 {
		ls.Say("< >: " + name + " cannot be moved")
		return
	}
	j := i + d
	switch {
	case j < 0:
		ls.Say("< >: " + name + " is first already")
		return
	case j >= len(on):
		ls.Say("< >: " + name + " is last already")
		return
	}
	a, b := slices.Index(stages, name), slices.Index(stages, on[j])
	stages = slices.Delete(stages, a, a+1)
	stages = slices.Insert(stages, b, name)
	custom, err := o.WithStages(stages)
	if err != nil {
		ls.Complain(viz.FirstLine(err.Error()))
		return
	}
	if slices.Equal(custom.Stages(), o.Stages()) { // what picks the token stays last
		ls.Say("< >: " + on[max(i, j)] + " stays last: it picks the token")
		return
	}
	order := custom.Name()
	if ls.Set("order", order) {
		ls.Stage = max(ls.Stage+d, 0)
		ls.Say(fmt.Sprintf("%s moved to place %d; the order is custom now", name, j+1))
	}
}

// IsPenalty reports whether a stage lowers tokens seen before.
func IsPenalty(stage string) bool {
	d := sampling.StageNamed(stage)
	return d != nil && d.Penalty
}
