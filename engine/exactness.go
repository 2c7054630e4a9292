package engine

import (
	"logitscope/models"
	"logitscope/sampling"
	"logitscope/sampling/param"
	bounds "logitscope/sampling/partial"
)

// unknownVocab is how many tokens a server may have that does not say.
const unknownVocab = 1 << 18

// VerdictOf returns what is known of the result of one setting at a step that was
// sampled from in; ok is false where there is nothing to say: the row is whole,
// or decides the step as the whole one would, or the setting does not look at
// probabilities.
func VerdictOf(m models.Model, set *Settings, s *Step, in sampling.Input, key string) (v bounds.Verdict, ok bool) {
	if s == nil || s.Row == nil || s.Trace == nil || !mayNamePart(m) {
		return v, false
	}
	if s.Strayed {
		return bounds.Verdict{RestMax: 1, Text: key + ": the server reads the text as other tokens than were chosen, so its probabilities are those after them; the command \"go on from the server's own split\" takes its tokens"}, true
	}
	e, partly := evidence(m, set, s, in)
	v, ok = set.Pipeline.Judge(key, e)
	if ok && !v.Exact && !partly && (e.Raw || key != "repetition_penalty") {
		v = bounds.Verdict{Exact: true, Text: key + ": exact: the tokens that are named decide the step"}
	}
	return v, ok
}

// evidence is what verdicts at a step are made from; partly is false if the row
// decides the step as the whole one would.
func evidence(m models.Model, set *Settings, s *Step, in sampling.Input) (e sampling.Evidence, partly bool) {
	info := m.Info()
	size := info.VocabSize
	if info.Caps.ObserveOnly {
		size = unknownVocab
	}
	e = sampling.Evidence{
		Row: bounds.Of(s.Row.Values, s.Row.Rest, size), Raw: !info.Caps.Normalised && !s.Row.normalised(), Trace: s.Trace, In: in, Allowed: -1,
	}
	if c := s.Constraint; c != nil && !c.Broken {
		e.Allowed = c.Allowed
	}
	return e, s.Observed || !set.Pipeline.Suffices(in)
}

func onServer(m models.Model) bool { _, ok := m.(models.Meter); return ok }

// mayNamePart reports whether rows of m may name some of the tokens alone, or
// be log-probabilities: those of a server, or of a recording.
func mayNamePart(m models.Model) bool {
	c := m.Info().Caps
	return onServer(m) || c.TopN > 0 || c.Normalised
}

// inexact lists the settings whose effect at s is not known to be exactly what
// it would be on the whole row of logits.
func inexact(m models.Model, s *Step, in sampling.Input) (keys []string) {
	if s.Strayed {
		return nil // all of them, for another reason
	}
	e, partly := evidence(m, s.Settings, s, in)
	for i := range param.All() {
		key := param.All()[i].Key
		if !partly && (e.Raw || key != "repetition_penalty") {
			continue
		}
		if v, ok := s.Settings.Pipeline.Judge(key, e); ok && !v.Exact {
			keys = append(keys, key)
		}
	}
	return keys
}
