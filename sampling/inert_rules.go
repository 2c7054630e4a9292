package sampling

import "slices"

// Inert returns why a parameter changes nothing; the zero value if it may have
// an effect. With a trace it also knows this step; t may be nil.
func (p *Pipeline) Inert(key string, t *Trace) Inert {
	prm, ok := Lookup(key)
	if !ok {
		return Inert{}
	}
	for _, rule := range inertRules {
		if i := rule(p, prm, t); i.Reason != Acts {
			i.Key = key
			return i
		}
	}
	return Inert{}
}

// inertRules are tried in order; the first reason counts.
var inertRules = []func(p *Pipeline, prm *Param, t *Trace) Inert{
	inertOff, inertUnsupported, inertReplaced, inertGreedy, inertMaster, inertEngine, inertWindow, inertXTC, inertHere,
	inertImplied,
}

func (p *Pipeline) asked(prm *Param) any { return p.cfg.Value(prm.Key) }

func inertOff(p *Pipeline, prm *Param, _ *Trace) Inert {
	if prm.IsOff(p.asked(prm)) && prm.Key != "xtc_threshold" {
		return Inert{Reason: IsOff}
	}
	return Inert{}
}

func inertUnsupported(p *Pipeline, prm *Param, _ *Trace) Inert {
	if p.order.Supports(prm.Key) {
		return Inert{}
	}
	if penalises := func(d *Stage) bool { return d.Prompt }; !p.eng.windows(prm.Key) && slices.ContainsFunc(p.eng.Stages, penalises) &&
		slices.ContainsFunc(engines, func(e *Engine) bool { return e.windows(prm.Key) }) {
		return Inert{Reason: CountsAll, By: p.eng.Name}
	}
	if p.order.list != "" && prm.Stage != "" && p.eng.find(prm.Stage) != nil {
		return Inert{Reason: NotInOrder}
	}
	return Inert{Reason: NotInEngine, By: p.eng.Name}
}

func inertReplaced(p *Pipeline, prm *Param, _ *Trace) Inert {
	if p.instead == nil || !isStageKey(prm.Key) || slices.ContainsFunc(p.instead.Stages, func(d *Stage) bool { return d.reads(prm.Key) }) {
		return Inert{}
	}
	return Inert{Reason: Replaced, By: p.instead.Name}
}

func inertGreedy(p *Pipeline, prm *Param, _ *Trace) Inert {
	why := ""
	switch {
	case !p.cfg.Bool("do_sample"):
		why = "do_sample false"
	case p.cfg.Float("temperature") == 0 && (p.greedy || !p.drawsAtZero()):
		why = "temperature 0"
	default:
		return Inert{}
	}
	switch prm.Key {
	case "temperature":
		if why == "temperature 0" {
			return Inert{}
		}
	case "seed":
	case "typical_p", "xtc_probability", "xtc_threshold":
		// These can remove the best token before temperature 0 keeps it.
		if !p.greedy {
			return Inert{}
		}
	default:
		if d := p.order.reader(prm.Key); d == nil || !d.Warper {
			return Inert{}
		}
	}
	return Inert{Reason: IsGreedy, By: why}
}

// drawsAtZero reports whether temperature 0 leaves a draw: llama.cpp's dynamic
// temperature moves it up by its range.
func (p *Pipeline) drawsAtZero() bool {
	return p.order.Supports("dynatemp_range") && p.cfg.Float("dynatemp_range") > 0
}

func inertMaster(p *Pipeline, prm *Param, _ *Trace) Inert {
	if prm.Master == "" {
		return Inert{}
	}
	m, _ := Lookup(prm.Master)
	v := p.asked(m)
	if !m.IsOff(v) {
		return Inert{}
	}
	if m.Key == "num_beams" || m.Key == "num_beam_groups" {
		return Inert{Reason: OneBeam, By: m.Key}
	}
	return Inert{Reason: MasterOff, By: m.Key}
}

func inertEngine(p *Pipeline, prm *Param, _ *Trace) Inert {
	is, ok := p.values[prm.Key].(float64)
	if was, number := p.asked(prm).(float64); ok && number && is > was {
		return Inert{Reason: Raised, By: p.eng.Name, P: is}
	}
	return Inert{}
}

func inertWindow(p *Pipeline, prm *Param, _ *Trace) Inert {
	if !p.order.Supports("repeat_last_n") || p.cfg.Int("repeat_last_n") > 0 {
		return Inert{}
	}
	switch prm.Key {
	case "repeat_last_n":
		return Inert{Reason: TurnsOff}
	case "repetition_penalty", "frequency_penalty", "presence_penalty":
		return Inert{Reason: WindowZero, By: "repeat_last_n"}
	}
	return Inert{}
}

func inertXTC(p *Pipeline, prm *Param, t *Trace) Inert {
	if prm.Stage != "xtc" {
		return Inert{}
	}
	if p.cfg.Float("xtc_threshold") > 0.5 {
		return Inert{Reason: ThresholdOff, By: "xtc_threshold"}
	}
	return Inert{}
}

// inertImplied names a value that nobody set but the engine has.
func inertImplied(p *Pipeline, prm *Param, _ *Trace) Inert {
	if _, set := p.cfg.Lookup(prm.Key); set || !slices.Contains(p.eng.Implied, prm.Key) {
		return Inert{}
	}
	return Inert{Reason: NobodySet, By: p.eng.Name, N: p.cfg.Int(prm.Key)}
}
