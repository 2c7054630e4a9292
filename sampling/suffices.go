package sampling

import (
	"math"

	"logitscope/sampling/param"
	"logitscope/sampling/value"
)

// Suffices reports whether a row that names only the most probable tokens
// decides the step as the whole row would: some stage leaves named tokens
// only, and which ones does not depend on those the row leaves out. in.IDs
// must be the best of the model's own distribution. False means that it is
// not known.
func (p *Pipeline) Suffices(in Input) bool {
	if in.IDs == nil || in.Rest <= 0 {
		return true
	}
	if in.Mask != nil {
		return false
	}
	return p.suffices(newKnown(in))
}

// MaySuffice reports whether such a row of n tokens can decide any step at all.
func (p *Pipeline) MaySuffice(n int) bool {
	return p.suffices(&known{free: n, covered: 1, low: math.Inf(-1)})
}

// A known is what is known of a row that leaves out tokens, as the stages go
// over it. No token left out has more than the least of the named ones.
type known struct {
	in      Input
	at      map[int32]int // where in in.IDs a token is that no stage has lowered by itself
	free    int           // number of those
	covered float64       // share of the named tokens; meaningless once changed
	high    float64       // largest and least logit of free tokens, after the temperature
	low     float64
	changed bool // shares are no longer the model's
}

func newKnown(in Input) *known {
	k := &known{in: in, at: make(map[int32]int, len(in.IDs)), covered: 1 - float64(in.Rest)}
	for i, id := range in.IDs {
		k.at[id] = i
	}
	k.measure()
	return k
}

func (k *known) measure() {
	k.free, k.high, k.low = len(k.at), math.Inf(-1), math.Inf(1)
	for _, i := range k.at {
		v := float64(k.in.Logits[i])
		k.high, k.low = max(k.high, v), min(k.low, v)
	}
}

// lower notes that tokens may have been lowered, each by itself.
func (k *known) lower(tokens []int32) {
	k.changed = true
	if k.at == nil {
		return
	}
	for _, id := range tokens {
		delete(k.at, id)
	}
	k.measure()
}

// A sufficiency says what a stage does to what is known.
type sufficiency uint8

const (
	goesOn sufficiency = iota // the next stage may decide the step
	decided
	lost // nothing more can be said
)

// sufficient are the stages of which something can be said, by name.
var sufficient = map[string]func(p *Pipeline, k *known) sufficiency{
	"penalties":             lowersHistory,
	"repetition_penalty":    lowersHistory,
	"frequency_penalty":     lowersHistory,
	"presence_penalty":      lowersHistory,
	"dry":                   lowersHistory,
	"no_repeat_ngram":       lowersHistory,
	"min_length":            lowersEOS,
	"min_new_tokens":        lowersEOS,
	"remove_invalid_values": func(*Pipeline, *known) sufficiency { return goesOn },
	"temperature": func(p *Pipeline, k *known) sufficiency {
		switch t := p.numberInForce("temperature"); {
		case p.numberInForce("dynatemp_range") != 0 || t < 0:
			return lost
		case t == 0:
			return namesEnough(1, k)
		case t != 1:
			k.high, k.low, k.changed = k.high/t, k.low/t, true
		}
		return goesOn
	},
	"greedy": func(_ *Pipeline, k *known) sufficiency { return namesEnough(1, k) },
	"top_k": func(p *Pipeline, k *known) sufficiency {
		if n := int(p.numberInForce("top_k")); n > 0 {
			return namesEnough(max(p.keep, n), k)
		}
		return goesOn // an engine's stage that sorts and keeps all
	},
	"min_p": func(p *Pipeline, k *known) sufficiency {
		if k.low-k.high < math.Log(p.numberInForce("min_p"))-1e-5 {
			return namesEnough(p.keep, k)
		}
		return lost
	},
	"top_p": func(p *Pipeline, k *known) sufficiency {
		if !k.changed && k.covered > p.numberInForce("top_p")+1e-5 {
			return namesEnough(p.keep, k)
		}
		return lost
	},
}

// namesEnough decides where n tokens that no stage has lowered are named: whatever
// is left out comes after them.
func namesEnough(n int, k *known) sufficiency {
	if n = max(n, 1); k.free >= n {
		return decided
	}
	return lost
}

func lowersHistory(p *Pipeline, k *known) sufficiency {
	if p.numberInForce("repetition_penalty") < 1 || p.numberInForce("frequency_penalty") < 0 || p.numberInForce("presence_penalty") < 0 {
		return lost // it raises tokens that may not be named
	}
	k.lower(k.in.Prompt)
	k.lower(k.in.Output)
	return goesOn
}

func lowersEOS(p *Pipeline, k *known) sufficiency {
	k.lower(p.eos)
	return goesOn
}

// numberInForce returns a parameter in force, 0 if it is not a number.
func (p *Pipeline) numberInForce(key string) float64 {
	prm, ok := param.Lookup(key)
	if !ok {
		return 0
	}
	v, _ := value.Number(p.inForce(prm))
	return v
}

func (p *Pipeline) suffices(k *known) bool {
	for _, s := range p.stages {
		rule := sufficient[s.def.Name]
		if rule == nil {
			return false
		}
		switch rule(p, k) {
		case decided:
			return true
		case lost:
			return false
		}
	}
	return false
}
