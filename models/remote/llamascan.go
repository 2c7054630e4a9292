package remote

import (
	"logitscope/models"
)

// A llamaAnswer is what an answer of /completion says beside its rows.
type llamaAnswer struct {
	model             string
	failed, truncated bool
	cached, evaluated int
	tokens            []int32 // those the server made, if it was asked for them
}

// scanAnswer reads an answer of /completion. row is called at the value of
// top_logprobs of each step and must consume it; chosen is the server's token.
func (b *llamaServer) scanAnswer(s *scanner, row func(s *scanner, chosen int), a *llamaAnswer) {
	if a == nil {
		a = new(llamaAnswer)
	}
	s.enter('{')
	for first := true; s.more('}', &first); {
		switch string(s.key()) {
		case "completion_probabilities":
			if s.null() {
				continue
			}
			s.enter('[')
			for first := true; s.more(']', &first); {
				scanStep(s, row)
			}
		case "model":
			if s.peek() == '"' {
				if raw, _ := s.rawString(); string(raw) != b.model {
					a.model = string(raw)
				}
			} else {
				s.skip()
			}
		case "error":
			a.failed = s.peek() != 'n'
			s.skip()
		case "tokens":
			if s.peek() != '[' {
				s.skip()
				continue
			}
			s.enter('[')
			for first := true; s.more(']', &first); {
				a.tokens = append(a.tokens, clampID(s.integer()))
			}
		case "truncated":
			a.truncated = s.boolean()
		case "timings":
			scanTimings(s, a)
		default:
			s.skip()
		}
	}
}

// scanStep reads one step: {"id","token","bytes","logprob","top_logprobs"}.
func scanStep(s *scanner, row func(s *scanner, chosen int)) {
	chosen := int(models.NoToken)
	s.enter('{')
	for first := true; s.more('}', &first); {
		switch string(s.key()) {
		case "id":
			chosen = s.integer()
		case "top_logprobs", "top_probs": // the latter after sampling
			row(s, chosen)
		default:
			s.skip()
		}
	}
}

func scanTimings(s *scanner, a *llamaAnswer) {
	if s.peek() != '{' {
		s.skip()
		return
	}
	s.enter('{')
	for first := true; s.more('}', &first); {
		switch string(s.key()) {
		case "cache_n":
			a.cached = s.integer()
		case "prompt_n":
			a.evaluated = s.integer()
		default:
			s.skip()
		}
	}
}

// scanEntries reads an array of {"id","logprob"} into row.
func scanEntries(s *scanner, row *row) {
	s.enter('[')
	for first := true; s.more(']', &first); {
		id, v := int(models.NoToken), 0.0
		s.enter('{')
		for first := true; s.more('}', &first); {
			switch string(s.key()) {
			case "id":
				id = s.integer()
			case "logprob":
				v = s.number()
			default:
				s.skip()
			}
		}
		row.add(clampID(id), v)
	}
}

// clampID keeps ids that do not fit an int32 out of the vocabulary.
func clampID(id int) int32 {
	if id < 0 || id > maxVocab {
		return models.NoToken
	}
	return int32(id)
}
