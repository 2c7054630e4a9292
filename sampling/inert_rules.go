package sampling

import (
	"slices"
	"strconv"

	"logitscope/sampling/inert"
	"logitscope/sampling/param"
	"logitscope/sampling/row"
	"logitscope/sampling/value"
)

// Inert returns why a parameter changes nothing; the zero value if it may have
// an effect. With a trace it also knows this step; t may be nil.
//
// It goes by what the compiled stages do, and never says too much: where a
// stage cannot be sure, the parameter may have an effect.
func (p *Pipeline) Inert(key string, t *Trace) inert.Inert {
	prm, ok := param.Lookup(key)
	if !ok {
		return inert.Inert{}
	}
	for _, rule := range inertRules {
		if i := rule(p, prm, t); i.Reason != inert.Acts {
			i.Key = key
			return i
		}
	}
	return inert.Inert{}
}

// inertRules are tried in order; the first reason counts.
var inertRules = []func(p *Pipeline, prm *param.Param, t *Trace) inert.Inert{
	inertOff, inertUnread, inertLeftOut, inertLuck, inertMaster, inertUnmet, inertSole, inertRaised, inertHere, inertImplied,
}

func (p *Pipeline) asked(prm *param.Param) any { return p.cfg.Value(prm.Key) }

func inertOff(p *Pipeline, prm *param.Param, _ *Trace) inert.Inert {
	if prm.IsOff(p.asked(prm)) && prm.Key != "xtc_threshold" {
		off := inert.Inert{Reason: inert.IsOff}
		if prm.OffShown {
			off.By = prm.Format(prm.Off)
		}
		return off
	}
	return inert.Inert{}
}

// inertUnread: no stage of the chain in force reads it.
func inertUnread(p *Pipeline, prm *param.Param, _ *Trace) inert.Inert {
	read := func(d *Stage) bool { return d.reads(prm.Key) }
	if p.instead != nil && isStageKey(prm.Key) {
		switch {
		case slices.ContainsFunc(p.instead.Stages, read):
			return inert.Inert{}
		case p.order.Supports(prm.Key):
			return inert.Inert{Reason: inert.Replaced, By: p.instead.Name}
		}
	}
	if p.order.Supports(prm.Key) {
		return inert.Inert{}
	}
	if penalises := func(d *Stage) bool { return d.Prompt }; !p.eng.windows(prm.Key) && slices.ContainsFunc(p.eng.Stages, penalises) &&
		slices.ContainsFunc(engines, func(e *Engine) bool { return e.windows(prm.Key) }) {
		return inert.Inert{Reason: inert.CountsAll, By: p.eng.Name}
	}
	if p.order.list != "" && prm.Stage != "" && p.eng.find(prm.Stage) != nil {
		return inert.Inert{Reason: inert.NotInOrder}
	}
	return inert.Inert{Reason: inert.NotInEngine, By: p.eng.Name}
}

// inertLeftOut: its stage is left out since the best token is taken.
func inertLeftOut(p *Pipeline, prm *param.Param, _ *Trace) inert.Inert {
	if !p.greedy || prm.Key == "temperature" && p.cfg.Bool("do_sample") {
		return inert.Inert{}
	}
	d := p.order.reader(prm.Key)
	if prm.Key == "luck" || prm.Key == "seed" && !p.drawsBefore(len(p.stages)) || d != nil && d.Warper && p.readBy(prm.Key) < 0 {
		return inert.Inert{Reason: inert.IsGreedy, By: p.greedyBy()}
	}
	return inert.Inert{}
}

// inertLuck: another draw is made than the one that it chooses.
func inertLuck(p *Pipeline, prm *param.Param, _ *Trace) inert.Inert {
	switch {
	case prm.Key != "luck" || p.asked(prm) != param.LuckRace:
		return inert.Inert{}
	case p.eng.Draw != DrawCoin:
		return inert.Inert{Reason: inert.Unmet, By: p.eng.Name + " draws with its own generator"}
	case p.cfg.Int("num_beams") > 1:
		return inert.Inert{Reason: inert.Unmet, By: "beams have a draw of their own"}
	}
	return inert.Inert{}
}

// greedyBy is the setting that makes the pipeline take the best token.
func (p *Pipeline) greedyBy() string {
	if !p.cfg.Bool("do_sample") {
		return "do_sample false"
	}
	return "temperature 0"
}

// readBy returns the first stage in force that reads a parameter, or -1.
func (p *Pipeline) readBy(key string) int {
	return slices.IndexFunc(p.stages, func(s planned) bool { return s.def.reads(key) })
}

// drawsBefore reports whether one of the first n stages in force goes by
// chance.
func (p *Pipeline) drawsBefore(n int) bool {
	return slices.ContainsFunc(p.stages[:n], func(s planned) bool { return s.def.Chance })
}

func inertMaster(p *Pipeline, prm *param.Param, _ *Trace) inert.Inert {
	if prm.Master == "" {
		return inert.Inert{}
	}
	m, _ := param.Lookup(prm.Master)
	v := p.asked(m)
	if !m.IsOff(v) {
		return inert.Inert{}
	}
	if m.Key == "num_beams" || m.Key == "num_beam_groups" {
		return inert.Inert{Reason: inert.OneBeam, By: m.Key}
	}
	return inert.Inert{Reason: inert.MasterOff, By: m.Key}
}

// inertUnmet: another parameter keeps its stage off.
func inertUnmet(p *Pipeline, prm *param.Param, _ *Trace) inert.Inert {
	d := p.order.Reads(prm.Key)
	if d == nil || p.readBy(prm.Key) >= 0 {
		return inert.Inert{}
	}
	for _, n := range d.Needs {
		v, _ := value.Number(p.cfg.Value(n.Key))
		if n.OK(v) {
			continue
		}
		if n.Key == prm.Key && prm.Off == nil {
			return inert.Inert{Reason: inert.TurnsOff, By: n.Turns}
		}
		return inert.Inert{Reason: inert.Unmet, By: n.Else}
	}
	return inert.Inert{}
}

// inertSole: one stage leaves the best token alone, and what reads the
// parameter cannot change which that is.
func inertSole(p *Pipeline, prm *param.Param, _ *Trace) inert.Inert {
	sole := slices.IndexFunc(p.stages, func(s planned) bool {
		c, ok := s.s.(cut)
		k, isSole := c.of.(row.Sole)
		return ok && isSole && k.Sole()
	})
	if sole < 0 {
		return inert.Inert{}
	}
	by := inert.Inert{Reason: inert.IsGreedy, By: p.stages[sole].def.Name + " " + p.stages[sole].setting}
	if p.stages[sole].def == greedyDef {
		by.By = p.greedyBy()
	} else if p.stages[sole].def.Name == "temperature" {
		by.By = "temperature 0"
	}
	if prm.Key == "seed" || prm.Key == "luck" {
		if prm.Key == "seed" && p.drawsBefore(sole) {
			return inert.Inert{}
		}
		return by
	}
	at := p.readBy(prm.Key)
	if at < 0 || at == sole || p.order.Reads(prm.Key) == nil && prm.Master == "" {
		return inert.Inert{} // the last is what puts another chain in place
	}
	for ; at < len(p.stages); at++ {
		if !p.stages[at].def.reads(prm.Key) {
			continue
		}
		switch ties, ok := p.keepsSole(at, sole); {
		case !ok:
			return inert.Inert{}
		case ties:
			by.Reason = inert.GreedyTies
		}
	}
	return by
}

// keepsSole reports whether stage at cannot change which token stage sole
// leaves, and whether that is true but for equally likely ones.
func (p *Pipeline) keepsSole(at, sole int) (ties, ok bool) {
	if at > sole {
		return false, p.stages[at].def.Best != MayBan
	}
	sorts := false
	for _, s := range p.stages[at:sole] {
		if s.def.Best != KeepsBest {
			return false, false
		}
		sorts = sorts || s.def.Sorts
	}
	return sorts && !p.sortedBefore(at), true
}

// sortedBefore reports whether the order of the candidates is settled before
// stage at: it is then the same whether that stage is on or not.
func (p *Pipeline) sortedBefore(at int) bool {
	sorted := false
	for _, s := range p.stages[:at] {
		sorted = (s.def.Sorts || sorted) && s.def.Best == KeepsBest
	}
	return sorted
}

// inertRaised: the engine made a larger number of it.
func inertRaised(p *Pipeline, prm *param.Param, _ *Trace) inert.Inert {
	is, ok := p.values[prm.Key].(float64)
	if was, number := p.asked(prm).(float64); ok && number && is > was {
		return inert.Inert{Reason: inert.Raised, By: p.eng.Name, P: is}
	}
	return inert.Inert{}
}

// inertImplied names a value that nobody set but the engine has.
func inertImplied(p *Pipeline, prm *param.Param, _ *Trace) inert.Inert {
	if _, set := p.cfg.Lookup(prm.Key); set || !slices.Contains(p.eng.Implied, prm.Key) {
		return inert.Inert{}
	}
	return inert.Inert{Reason: inert.NobodySet, By: p.eng.Name, N: p.cfg.Int(prm.Key)}
}

// inertHere says why a parameter changes nothing at the step of a trace.
func inertHere(p *Pipeline, prm *param.Param, t *Trace) inert.Inert {
	if t == nil || t.nstages == 0 || t.Constraint.Redrawn {
		return inert.Inert{}
	}
	if (prm.Key == "seed" || prm.Key == "luck") && t.Survived == 1 && !p.drawsBefore(len(p.stages)) && !(t.Constraint.Active && p.checkAfter) {
		return inert.Inert{Reason: inert.OneLeft}
	}
	at := p.readBy(prm.Key)
	if at < 0 || slices.ContainsFunc(p.stages[at+1:], func(s planned) bool { return s.def.reads(prm.Key) }) {
		return inert.Inert{} // of several stages no one speaks for all
	}
	def := p.stages[at].def
	i := slices.IndexFunc(t.Stages(), func(s StageTrace) bool { return s.Name == def.Name })
	if i < 1 {
		return inert.Inert{}
	}
	st, before := &t.stages[i], &t.stages[i-1]
	// Where candidates have an order, a stage that puts them into one decides
	// what the draw meets, whatever it keeps.
	settled := !p.eng.Arrays || !def.Sorts || def.Always || p.sortedBefore(at)
	switch prm.Key {
	case "temperature":
		if before.Kept == 1 {
			return inert.Inert{Reason: inert.OneLeft}
		}
	case "top_k":
		if k := p.cfg.Int("top_k"); k >= before.Kept && before.Kept == before.Size && settled && t.Rest == 0 {
			return inert.Inert{Reason: inert.KeepsAll, By: strconv.Itoa(k), N: before.Kept}
		}
	case "top_p":
		if i := topPKeepsOne(p, t, i); i.Reason != inert.Acts {
			return i
		}
	case "watermark_bias":
		if st.Touched == 0 {
			return inert.Inert{Reason: inert.TouchesNone}
		}
	case "min_new_tokens":
		if t.Output >= p.cfg.Int("min_new_tokens") {
			return inert.Inert{Reason: inert.TokensOut, N: t.Output}
		}
	case "xtc_probability", "xtc_threshold":
		if st.Removed == 0 && settled && sureTokens(p, t, i) < 2 {
			return inert.Inert{Reason: inert.OneSure}
		}
	}
	if def.Penalty && def.Name != "dry" {
		return p.penaltyHere(t, i, at)
	}
	if !settled || t.Rest > 0 {
		return inert.Inert{}
	}
	return p.overruled(t, i, at)
}

// topPKeepsOne says that the best token alone holds the share.
func topPKeepsOne(p *Pipeline, t *Trace, i int) inert.Inert {
	if t.stages[i].Kept != 1 || t.stages[i-1].Kept == 1 {
		return inert.Inert{}
	}
	best := float32(0)
	for k := range t.Rows() {
		best = max(best, t.rows[k].Probs[i-1])
	}
	top := p.cfg.Float("top_p")
	if float64(best) < top {
		return inert.Inert{}
	}
	return inert.Inert{Reason: inert.KeepsOne, P: min(float64(best), 1-1e-9), By: value.Decimals(top, 0.01)}
}

// penaltyHere says that a penalty touches no token, or none that is likely.
func (p *Pipeline) penaltyHere(t *Trace, i, at int) inert.Inert {
	n := t.stages[i].Touched
	if n == 0 {
		if p.sortedBefore(at) {
			return inert.Inert{} // what comes after sorts again
		}
		return inert.Inert{Reason: inert.TouchesNone}
	}
	for k := range t.Rows() {
		r := &t.rows[k]
		moved := (r.Lowered|r.Raised)>>i&1 != 0
		if moved && (r.Prob > 0 || r.RawProb >= 0.001 || r.Probs[i-1] >= 0.001) {
			return inert.Inert{}
		}
	}
	return inert.Inert{Reason: inert.TouchesFew, N: n}
}

// sureTokens counts the tokens that may reach xtc's threshold before its
// stage: of those that the trace does not show, as many as there is room for.
func sureTokens(p *Pipeline, t *Trace, i int) int {
	n, threshold, unseen := 0, float32(p.cfg.Float("xtc_threshold")), float32(1)
	for k := range t.Rows() {
		q := t.rows[k].Probs[i-1]
		unseen -= q
		if q >= threshold*0.999 {
			n++
		}
	}
	if unseen >= threshold*0.999 {
		n++
	}
	return n
}

// overruled says that a later cut removes at least what this one did. That
// holds only for a cut which keeps the same tokens with or without the
// earlier one, after nothing that looks at the share of what is left.
func (p *Pipeline) overruled(t *Trace, i, at int) inert.Inert {
	st := &t.stages[i]
	if def := p.stages[at].def; st.Removed == 0 || !def.Cuts || def.Best != KeepsBest {
		return inert.Inert{}
	}
	for k := 1; at+k < len(p.stages) && i+k < t.nstages; k++ {
		later, def := &t.stages[i+k], p.stages[at+k].def
		if def.Alone && later.Removed > 0 && later.Kept < st.Kept {
			return inert.Inert{Reason: inert.CutAgain, By: later.Name, N: later.Kept, Of: st.Kept}
		}
		if !def.Alone {
			break
		}
	}
	return inert.Inert{}
}
