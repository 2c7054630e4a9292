package sampling

import (
	"logitscope/sampling/inert"
	"logitscope/sampling/param"
)

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
	out := make([]Effective, len(param.All()))
	for i := range param.All() {
		out[i] = p.effective(&param.All()[i])
	}
	return out
}

func (p *Pipeline) effective(prm *param.Param) Effective {
	e := Effective{Key: prm.Key}
	if s, ok := p.cfg.Lookup(prm.Key); ok {
		e.Asked, e.AskedSet, e.Origin = s.Value, true, s.Origin
		e.OriginText = s.Origin.String()
	} else {
		e.OriginText = "default"
		if _, ok := p.eng.Defaults[prm.Key]; ok {
			e.OriginText = "default " + p.eng.Name
		}
	}
	e.InForce = p.inForce(prm)
	if d := p.order.Reads(prm.Key); d != nil && d.Lent != "" {
		if e.AskedSet && !prm.IsOff(e.Asked) {
			e.OriginText = inert.Possessive(d.Lent) + " rule"
		} else {
			e.Note = inert.Possessive(d.Lent) + " rule if set"
		}
	}
	for _, n := range p.notes {
		if n.Key == prm.Key {
			e.Note = n.Text
		}
	}
	if n := p.Inert(prm.Key, nil); n.Reason != inert.IsOff && e.Note == "" {
		e.Note = n.String()
	}
	return e
}

// inForce returns the value the pipeline works with.
func (p *Pipeline) inForce(prm *param.Param) any {
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
