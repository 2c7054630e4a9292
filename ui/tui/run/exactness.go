package run

import (
	"fmt"
	"strings"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/sampling"
	"logitscope/sampling/partial"
	"logitscope/viz"
)

// A control on a row that names only some tokens, or log-probabilities in
// place of logits, may not do exactly what it would do on the whole. The
// verdicts here say so for each control, from its value, the row and, for
// penalties, what they touched.

// An evidence is what a verdict is made from.
type evidence struct {
	row  partial.Row
	raw  bool // the values are logits, not log-probabilities
	cfg  sampling.Config
	step *engine.Step
	in   sampling.Input
}

// Judged returns what is known of the result of one control at a step; ok is
// false where there is nothing to say: the row is whole, or the control does
// not look at probabilities.
func Judged(m models.Model, set *engine.Settings, s *engine.Step, in sampling.Input, key string) (v partial.Verdict, ok bool) {
	info := m.Info()
	if s == nil || s.Row == nil || s.Trace == nil || !isRemote(m) {
		return v, false
	}
	judge := judges[key]
	if judge == nil || isOff(set.Config(), key) {
		return v, false
	}
	size := info.VocabSize
	if info.Caps.ObserveOnly {
		size = unknownVocab
	}
	e := evidence{
		row: partial.Of(s.Row.Values, s.Row.Rest, size),
		raw: !info.Caps.Normalised && !s.Row.Normalised(),
		cfg: set.Config(), step: s, in: in,
	}
	if e.row.Whole() && (key != "repetition_penalty" || e.raw) {
		return v, false
	}
	v = judge(e)
	return v, !v.Off
}

// isOff reports whether key, or what must be on for it to matter, is off.
func isOff(cfg sampling.Config, key string) bool {
	for p, ok := sampling.Lookup(key); ok; p, ok = sampling.Lookup(p.Master) {
		if p.IsOff(cfg.Value(p.Key)) && p.Key != "temperature" {
			return true
		}
	}
	return false
}

// unknownVocab is how many tokens a server may have that does not say.
const unknownVocab = 1 << 18

func isRemote(m models.Model) bool { _, ok := m.(models.Meter); return ok }

// judges say what is known of each control.
var judges map[string]func(evidence) partial.Verdict

func init() {
	threshold := func(key string, f func(partial.Row, float64) partial.Verdict) {
		judges[key] = func(e evidence) partial.Verdict { return f(e.row, e.cfg.Float(key)) }
	}
	judges = map[string]func(evidence) partial.Verdict{
		"top_k":              func(e evidence) partial.Verdict { return partial.TopK(e.row, e.cfg.Int("top_k")) },
		"temperature":        judgeTemperature,
		"dynatemp_range":     judgeTemperature,
		"dynatemp_exponent":  judgeTemperature,
		"xtc_probability":    judgeXTC,
		"xtc_threshold":      judgeXTC,
		"mirostat":           judgeMirostat,
		"mirostat_tau":       judgeMirostat,
		"mirostat_eta":       judgeMirostat,
		"top_h":              judgeTopH,
		"adaptive_target":    judgeAdaptive,
		"repetition_penalty": judgeRepetition,
		"frequency_penalty":  added("frequency_penalty", "penalties"),
		"presence_penalty":   added("presence_penalty", "penalties"),
		"dry_multiplier":     added("dry"),
		"logit_bias":         judgeBias,
		"constraint":         judgeConstraint,
	}
	threshold("top_p", partial.TopP)
	threshold("min_p", partial.MinP)
	threshold("epsilon_cutoff", partial.EpsilonCutoff)
	threshold("eta_cutoff", partial.EtaCutoff)
	threshold("typical_p", partial.TypicalP)
	threshold("top_n_sigma", partial.TopNSigma)
}

func judgeTemperature(e evidence) partial.Verdict {
	t, spread := e.cfg.Float("temperature"), e.cfg.Float("dynatemp_range")
	if e.step.Settings != nil && e.step.Settings.Pipeline.Greedy() {
		t, spread = 0, 0
	}
	if spread > 0 {
		return partial.DynamicTemperature(e.row, max(0, t-spread), t+spread)
	}
	return partial.Temperature(e.row, t)
}

func judgeXTC(e evidence) partial.Verdict {
	limit := e.cfg.Float("xtc_threshold")
	if e.cfg.Float("xtc_probability") <= 0 {
		limit = 1 // never reached: off
	}
	return partial.XTC(e.row, limit)
}

func judgeMirostat(e evidence) partial.Verdict {
	switch e.cfg.Int("mirostat") {
	case 0:
		return partial.Off(e.row, "mirostat")
	case 2:
		mu := e.in.State.Mu
		if !e.in.State.Started {
			mu = 2 * e.cfg.Float("mirostat_tau")
		}
		return partial.Mirostat2(e.row, mu)
	}
	return partial.Verdict{RestMax: 1, Text: "mirostat 1: not exact, it estimates from the size of the vocabulary"}
}

func judgeTopH(e evidence) partial.Verdict {
	switch n := len(e.row.Probs); {
	case e.cfg.Float("top_h") <= 0:
		return partial.Off(e.row, "top_h")
	case n >= topHTokens:
		return partial.Verdict{Exact: true, Text: fmt.Sprintf("top_h: exact, it looks at the best %d tokens alone", topHTokens)}
	default:
		return partial.Verdict{RestMax: 1, Text: fmt.Sprintf("top_h: not exact, it looks at the best %d tokens and %d are named", topHTokens, n)}
	}
}

// topHTokens is how many tokens top_h looks at.
const topHTokens = 100

func judgeAdaptive(e evidence) partial.Verdict {
	if e.cfg.Float("adaptive_target") < 0 {
		return partial.Off(e.row, "adaptive_target")
	}
	return partial.Verdict{RestMax: 1, Text: "adaptive_target: not exact, it bends the odds of all tokens"}
}

// added judges a stage that adds to logits of tokens that came before.
func added(stages ...string) func(evidence) partial.Verdict {
	return func(e evidence) partial.Verdict {
		i := e.stage(stages...)
		if i < 0 {
			return partial.Off(e.row, stages[0])
		}
		return partial.Additive(e.row, e.kept(i), e.unnamedBefore(), 0)
	}
}

func judgeRepetition(e evidence) partial.Verdict {
	p := e.cfg.Float("repetition_penalty")
	i := e.stage("repetition_penalty", "penalties")
	if i < 0 {
		return partial.Off(e.row, "repetition_penalty")
	}
	return partial.Repetition(e.row, p, e.kept(i), e.unnamedBefore(), e.raw)
}

func judgeBias(e evidence) partial.Verdict {
	i := e.stage("logit_bias")
	if i < 0 {
		return partial.Off(e.row, "logit_bias")
	}
	named := e.named()
	lowered, raised := 0, 0
	list, _ := e.cfg.Value("logit_bias").([]sampling.TokenBias)
	for _, b := range list {
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
	return partial.Additive(e.row, e.kept(i), lowered, raised)
}

func judgeConstraint(e evidence) partial.Verdict {
	c := e.step.Constraint
	if c == nil || c.Broken {
		return partial.Off(e.row, "constraint")
	}
	t := e.step.Trace.Constraint
	return partial.Mask(e.row, float64(t.Mass)*e.row.Covered(), c.Allowed-t.Allowed)
}

// stage returns the index of the first of the stages that ran, -1 if none did.
func (e evidence) stage(names ...string) int {
	for i, st := range e.step.Trace.Stages() {
		for _, n := range names {
			if st.Name == n {
				return i
			}
		}
	}
	return -1
}

// kept returns the weight of the named tokens after stage i, when their
// weight before it was their probability. A token the stage left alone tells:
// its part of the whole grew as the whole shrank.
func (e evidence) kept(i int) float64 {
	for _, r := range e.step.Trace.Rows() {
		if (r.Lowered|r.Raised)&(1<<i) != 0 || r.Probs[i] <= 0 || r.Probs[i-1] <= 0 {
			continue
		}
		before := float64(r.Probs[i-1])
		if i == 1 {
			before /= e.row.Covered() // what is raw is a part of all tokens
		}
		return e.row.Covered() * before / float64(r.Probs[i])
	}
	return e.row.Covered()
}

func (e evidence) named() map[int32]bool {
	named := make(map[int32]bool, len(e.step.Row.IDs))
	for _, id := range e.step.Row.IDs {
		named[id] = true
	}
	return named
}

// unnamedBefore returns how many different tokens that came before are not
// named.
func (e evidence) unnamedBefore() int {
	seen := e.named()
	n := 0
	for _, list := range [][]int32{e.in.Prompt, e.in.Output} {
		for _, id := range list {
			if !seen[id] {
				seen[id] = true
				n++
			}
		}
	}
	return n
}

// VerdictWords are a verdict in a few words, "" if there is none.
func VerdictWords(v partial.Verdict, ok bool) string {
	switch {
	case !ok:
		return ""
	case v.Exact:
		return "exact"
	case v.RestMax < 1:
		most := viz.Percent(v.RestMax)
		if !strings.HasPrefix(most, "<") {
			most = "≤ " + most
		}
		return "not exact: rest " + most
	}
	return "not exact, no bound"
}
