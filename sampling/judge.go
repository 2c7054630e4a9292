package sampling

import (
	"fmt"
	"slices"

	"logitscope/sampling/param"
	"logitscope/sampling/partial"
	"logitscope/sampling/value"
)

// A setting on a row that names only some tokens, or log-probabilities in
// place of logits, may not do exactly what it would do on the whole. Each
// stage can judge that, from its settings, the row and, for penalties, what
// they touched.

// An Evidence is what a verdict is made from.
type Evidence struct {
	Row     partial.Row
	Raw     bool // the values of the row are logits, not log-probabilities
	Trace   *Trace
	In      Input
	Allowed int // tokens that the constraint allows, of the whole vocabulary; negative if nothing is masked
}

// Judge returns what is known of the result of one setting at a step; ok is
// false where there is nothing to say: the row is whole, the setting is off, or
// it does not look at probabilities.
func (p *Pipeline) Judge(key string, e Evidence) (v partial.Verdict, ok bool) {
	d := p.order.reader(key)
	if key != "constraint" && (d == nil || d.Judge == nil) || p.isOff(key) {
		return v, false
	}
	if e.Row.Whole() && (key != "repetition_penalty" || e.Raw) {
		return v, false
	}
	if key == "constraint" {
		v = judgeMask(&e)
	} else {
		v = d.Judge(p, &e, key)
	}
	return v, !v.Off
}

// isOff reports whether key, or what must be on for it to matter, is off.
func (p *Pipeline) isOff(key string) bool {
	for prm, ok := param.Lookup(key); ok; prm, ok = param.Lookup(prm.Master) {
		if prm.IsOff(p.cfg.Value(prm.Key)) && prm.Key != "temperature" {
			return true
		}
	}
	return false
}

// A judge says what a setting of a stage does to a partial row.
type judge = func(p *Pipeline, e *Evidence, key string) partial.Verdict

// byShare judges a stage by its first parameter.
func byShare(key string, f func(partial.Row, float64) partial.Verdict) judge {
	return func(p *Pipeline, e *Evidence, _ string) partial.Verdict { return f(e.Row, p.cfg.Float(key)) }
}

func judgeTopK(p *Pipeline, e *Evidence, _ string) partial.Verdict {
	return partial.TopK(e.Row, p.cfg.Int("top_k"))
}

func judgePLess(_ *Pipeline, e *Evidence, key string) partial.Verdict {
	return partial.PLess(e.Row, key == "p_less_norm")
}

func judgeTemperature(p *Pipeline, e *Evidence, _ string) partial.Verdict {
	t, spread := p.cfg.Float("temperature"), p.cfg.Float("dynatemp_range")
	if p.greedy {
		t, spread = 0, 0
	}
	if spread > 0 {
		return partial.DynamicTemperature(e.Row, max(0, t-spread), t+spread)
	}
	return partial.Temperature(e.Row, t)
}

func judgeXTC(p *Pipeline, e *Evidence, _ string) partial.Verdict {
	limit := p.cfg.Float("xtc_threshold")
	if p.cfg.Float("xtc_probability") <= 0 {
		limit = 1 // never reached: off
	}
	return partial.XTC(e.Row, limit)
}

func judgeMirostat(p *Pipeline, e *Evidence, _ string) partial.Verdict {
	switch p.cfg.Int("mirostat") {
	case 0:
		return partial.Off(e.Row, "mirostat")
	case 2:
		mu := e.In.State.Mu
		if !e.In.State.Started {
			mu = 2 * p.cfg.Float("mirostat_tau")
		}
		return partial.Mirostat2(e.Row, mu)
	}
	return partial.Verdict{RestMax: 1, Text: "mirostat 1: not exact, it estimates from the size of the vocabulary"}
}

func judgeTopH(p *Pipeline, e *Evidence, _ string) partial.Verdict {
	switch n := len(e.Row.Probs); {
	case p.cfg.Float("top_h") <= 0:
		return partial.Off(e.Row, "top_h")
	case n >= topHTokens:
		return partial.Verdict{Exact: true, Text: fmt.Sprintf("top_h: exact, it looks at the best %d tokens alone", topHTokens)}
	default:
		return partial.Verdict{RestMax: 1, Text: fmt.Sprintf("top_h: not exact, it looks at the best %d tokens and %d are named", topHTokens, n)}
	}
}

// topHTokens is how many tokens top_h looks at.
const topHTokens = 100

func judgeAdaptive(p *Pipeline, e *Evidence, _ string) partial.Verdict {
	if p.cfg.Float("adaptive_target") < 0 {
		return partial.Off(e.Row, "adaptive_target")
	}
	return partial.Verdict{RestMax: 1, Text: "adaptive_target: not exact, it bends the odds of all tokens"}
}

// judgeAdded judges a stage that adds to logits of tokens that came before,
// or divides them.
func judgeAdded(p *Pipeline, e *Evidence, key string) partial.Verdict {
	i := e.stage(p.order.reader(key).Name)
	switch {
	case i < 0:
		return partial.Off(e.Row, key)
	case key == "repetition_penalty":
		return partial.Repetition(e.Row, p.cfg.Float(key), e.kept(i), e.unnamedBefore(), e.Raw)
	}
	return partial.Additive(e.Row, e.kept(i), e.unnamedBefore(), 0)
}

func judgeBias(p *Pipeline, e *Evidence, _ string) partial.Verdict {
	i := e.stage("logit_bias")
	if i < 0 {
		return partial.Off(e.Row, "logit_bias")
	}
	named := e.named()
	lowered, raised := 0, 0
	for _, b := range p.cfg.Value("logit_bias").([]value.TokenBias) {
		for _, id := range b.Tokens {
			switch {
			case named[id]:
			case b.Bias > 0:
				raised++
			default:
				lowered++
			}
		}
	}
	return partial.Additive(e.Row, e.kept(i), lowered, raised)
}

func judgeWatermark(*Pipeline, *Evidence, string) partial.Verdict {
	return partial.Verdict{RestMax: 1, Text: "watermark_bias: not exact, it adds to tokens all over the vocabulary"}
}

func judgeMask(e *Evidence) partial.Verdict {
	if e.Allowed < 0 {
		return partial.Off(e.Row, "constraint")
	}
	t := &e.Trace.Constraint
	return partial.Mask(e.Row, float64(t.Mass)*e.Row.Covered(), e.Allowed-t.Allowed)
}

// stage returns the index of a stage that ran, -1 if it did not.
func (e *Evidence) stage(name string) int {
	return slices.IndexFunc(e.Trace.Stages(), func(st StageTrace) bool { return st.Name == name })
}

// kept returns the weight of the named tokens after stage i, when their
// weight before it was their probability. A token the stage left alone tells:
// its part of the whole grew as the whole shrank.
func (e *Evidence) kept(i int) float64 {
	for k := range e.Trace.Rows() {
		r := &e.Trace.rows[k]
		if (r.Lowered|r.Raised)&(1<<i) != 0 || r.Probs[i] <= 0 || r.Probs[i-1] <= 0 {
			continue
		}
		before := float64(r.Probs[i-1])
		if i == 1 {
			before /= e.Row.Covered() // what is raw is a part of all tokens
		}
		return e.Row.Covered() * before / float64(r.Probs[i])
	}
	return e.Row.Covered()
}

func (e *Evidence) named() map[int32]bool {
	named := make(map[int32]bool, len(e.In.IDs))
	for _, id := range e.In.IDs {
		named[id] = true
	}
	return named
}

// unnamedBefore returns how many different tokens that came before are not
// named.
func (e *Evidence) unnamedBefore() int {
	seen := e.named()
	n := 0
	for _, list := range [2][]int32{e.In.Prompt, e.In.Output} {
		for _, id := range list {
			if !seen[id] {
				seen[id] = true
				n++
			}
		}
	}
	return n
}
