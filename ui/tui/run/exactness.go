package run

import (
	"strings"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/sampling"
	"logitscope/sampling/partial"
	"logitscope/viz"
)

// Judged returns what is known of the result of one control at a step; ok is
// false where there is nothing to say: the row is whole, or the control does
// not look at probabilities.
func Judged(m models.Model, set *engine.Settings, s *engine.Step, in sampling.Input, key string) (v partial.Verdict, ok bool) {
	info := m.Info()
	if s == nil || s.Row == nil || s.Trace == nil || !isRemote(m) {
		return v, false
	}
	size := info.VocabSize
	if info.Caps.ObserveOnly {
		size = unknownVocab
	}
	e := sampling.Evidence{
		Row: partial.Of(s.Row.Values, s.Row.Rest, size),
		Raw: !info.Caps.Normalised && !s.Row.Normalised(), Trace: s.Trace, In: in, Allowed: -1,
	}
	if c := s.Constraint; c != nil && !c.Broken {
		e.Allowed = c.Allowed
	}
	return set.Pipeline.Judge(key, e)
}

// unknownVocab is how many tokens a server may have that does not say.
const unknownVocab = 1 << 18

func isRemote(m models.Model) bool { _, ok := m.(models.Meter); return ok }

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
