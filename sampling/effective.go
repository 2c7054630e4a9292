package sampling

import "fmt"

// An Effective is one parameter as it was asked for and as it is in force.
type Effective struct {
	Key        string
	Asked      any // nil if nobody asked
	AskedSet   bool
	Origin     Origin
	OriginText string // as the screen names it: "default transformers", "vLLM's rule"
	InForce    any
	Note       string // what the engine made of it; empty if nothing
}

// Effective returns every parameter, in the order of the table.
func (p *Pipeline) Effective() []Effective {
	out := make([]Effective, len(params))
	for i := range params {
		out[i] = p.effective(&params[i])
	}
	return out
}

func (p *Pipeline) effective(prm *Param) Effective {
	e := Effective{Key: prm.Key}
	if s, ok := p.cfg.Lookup(prm.Key); ok {
		e.Asked, e.AskedSet, e.Origin = s.Value, true, s.Origin
		e.OriginText = s.Origin.String()
	} else {
		e.OriginText = "default"
		if _, ok := p.eng.defaults[prm.Key]; ok {
			e.OriginText = "default " + p.eng.name
		}
	}
	e.InForce = p.inForce(prm)
	if (prm.Key == "frequency_penalty" || prm.Key == "presence_penalty") && p.eng.name == "transformers" {
		if e.AskedSet && !prm.IsOff(e.Asked) {
			e.OriginText = "vLLM's rule"
		} else {
			e.Note = "vLLM's rule if set"
		}
	}
	for _, n := range p.notes {
		if n.Key == prm.Key {
			e.Note = n.Text
		}
	}
	if n := p.Inert(prm.Key, nil); n != "" && n != "off" && e.Note == "" {
		e.Note = n
	}
	return e
}

// inForce returns the value the pipeline works with.
func (p *Pipeline) inForce(prm *Param) any {
	if v, ok := p.values[prm.Key]; ok {
		return v
	}
	if prm.Key == "do_sample" && p.greedy {
		return false
	}
	v := p.cfg.Value(prm.Key)
	if !p.order.Supports(prm.Key) && prm.Off != nil {
		return prm.Off
	}
	return v
}

// Inert returns why a parameter changes nothing, in the words of the screen:
// "off", or "no effect" and a reason. It is empty if the parameter may have
// an effect. With a trace it also knows this step; t may be nil.
func (p *Pipeline) Inert(key string, t *Trace) string {
	prm, ok := Lookup(key)
	if !ok {
		return ""
	}
	for _, rule := range inertRules {
		if note := rule(p, prm, t); note != "" {
			return note
		}
	}
	return ""
}

// inertRules are tried in order; the first note is shown.
var inertRules = []func(p *Pipeline, prm *Param, t *Trace) string{
	inertOff, inertUnsupported, inertMirostat, inertGreedy, inertMaster, inertEngine, inertWindow, inertXTC, inertHere,
	inertImplied,
}

func (p *Pipeline) asked(prm *Param) any { return p.cfg.Value(prm.Key) }

func inertOff(p *Pipeline, prm *Param, _ *Trace) string {
	if prm.IsOff(p.asked(prm)) && prm.Key != "xtc_threshold" {
		return "off"
	}
	return ""
}

func inertUnsupported(p *Pipeline, prm *Param, _ *Trace) string {
	if p.order.Supports(prm.Key) {
		return ""
	}
	if prm.Key == "repeat_last_n" {
		switch p.eng.name {
		case "transformers", "vllm":
			return "no effect: " + p.eng.name + " counts all tokens"
		}
	}
	if p.order.list != "" && prm.Stage != "" && p.eng.find(prm.Stage) != nil {
		return "no effect: the order has no " + prm.Key
	}
	return "no effect: " + p.eng.name + " has no " + prm.Key
}

func inertMirostat(p *Pipeline, prm *Param, _ *Trace) string {
	if p.replaced != "mirostat" || prm.Stage == "" {
		return ""
	}
	switch prm.Stage {
	case "mirostat", "temperature", "logit_bias", "constraint":
		if prm.Master != "dynatemp_range" && prm.Key != "dynatemp_range" {
			return ""
		}
	}
	return "no effect: mirostat replaces it"
}

func inertGreedy(p *Pipeline, prm *Param, _ *Trace) string {
	why := ""
	switch {
	case !p.cfg.Bool("do_sample"):
		why = "do_sample false"
	case p.cfg.Float("temperature") == 0 && (p.greedy || !p.drawsAtZero()):
		why = "temperature 0"
	default:
		return ""
	}
	switch prm.Key {
	case "temperature":
		if why == "temperature 0" {
			return ""
		}
	case "seed":
	case "typical_p", "xtc_probability", "xtc_threshold":
		// These can remove the best token before temperature 0 keeps it.
		if !p.greedy {
			return ""
		}
	default:
		if p.order.StageOf(prm.Key) == "" || !isWarper(p.order, prm.Key) {
			return ""
		}
	}
	return "no effect: greedy (" + why + "); penalties, bias and bans still count"
}

// drawsAtZero reports whether temperature 0 leaves a draw: llama.cpp's dynamic
// temperature moves it up by its range.
func (p *Pipeline) drawsAtZero() bool {
	return p.order.Supports("dynatemp_range") && p.cfg.Float("dynatemp_range") > 0
}

// isWarper reports whether the stage of a key is left out without a draw.
func isWarper(o Order, key string) bool {
	name := o.StageOf(key)
	for _, d := range o.defs() {
		if d.name == name {
			return d.warper
		}
	}
	return name == "mirostat"
}

func inertMaster(p *Pipeline, prm *Param, _ *Trace) string {
	if prm.Master == "" {
		return ""
	}
	m, _ := Lookup(prm.Master)
	v := p.asked(m)
	if !m.IsOff(v) {
		return ""
	}
	if m.Key == "num_beams" || m.Key == "num_beam_groups" {
		return "no effect: " + m.Key + " is 1"
	}
	return "no effect: " + m.Key + " is off"
}

func inertEngine(p *Pipeline, prm *Param, _ *Trace) string {
	if prm.Key == "temperature" && p.eng.name == "vllm" {
		if t := p.cfg.Float("temperature"); t > 0 && t < 0.01 {
			return "vllm raises it to 0.01"
		}
	}
	return ""
}

func inertWindow(p *Pipeline, prm *Param, _ *Trace) string {
	if prm.Key == "repeat_last_n" && p.cfg.Int("repeat_last_n") <= 0 {
		return "0 turns all three penalties off"
	}
	return ""
}

func inertXTC(p *Pipeline, prm *Param, t *Trace) string {
	if prm.Stage != "xtc" {
		return ""
	}
	if p.cfg.Float("xtc_threshold") > 0.5 {
		return "no effect: xtc_threshold over 0.5"
	}
	return ""
}

// inertImplied names a value that nobody set but the engine has.
func inertImplied(p *Pipeline, prm *Param, _ *Trace) string {
	if prm.Key != "top_k" || p.eng.name != "transformers" {
		return ""
	}
	if _, set := p.cfg.Lookup("top_k"); set {
		return ""
	}
	return fmt.Sprintf("%d: transformers' default, nobody set it", p.cfg.Int("top_k"))
}
