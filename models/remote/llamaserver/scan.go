package llamaserver

import (
	"logitscope/models"
	"logitscope/models/remote"
	"logitscope/models/remote/jsonscan"
)

// A answer is what an answer of /completion says beside its rows.
type answer struct {
	model             string
	failed, truncated bool
	stop              bool // nothing comes after it
	cached, evaluated int
	predicted         int     // tokens that the server has made
	prompt            int     // tokens of the prompt that the server used
	tokens            []int32 // those the server made, if it was asked for them
}

// scanAnswer reads an answer of /completion. row is called at the value of
// top_logprobs of each step and must consume it; chosen is the server's token.
func scanAnswer(s *jsonscan.Scanner, row func(s *jsonscan.Scanner, chosen int), a *answer) {
	s.Enter('{')
	for first := true; s.More('}', &first); {
		switch string(s.Key()) {
		case "completion_probabilities":
			if s.Null() {
				continue
			}
			s.Enter('[')
			for first := true; s.More(']', &first); {
				scanStep(s, row)
			}
		case "model":
			if s.Peek() == '"' {
				a.model = string(s.String(nil))
			} else {
				s.Skip()
			}
		case "error":
			a.failed = s.Peek() != 'n'
			s.Skip()
		case "tokens":
			if s.Peek() != '[' {
				s.Skip()
				continue
			}
			s.Enter('[')
			for first := true; s.More(']', &first); {
				a.tokens = append(a.tokens, remote.ClampID(s.Integer()))
			}
		case "truncated":
			a.truncated = s.Boolean()
		case "stop":
			a.stop = s.Boolean()
		case "tokens_predicted":
			a.predicted = s.Integer()
		case "tokens_evaluated":
			a.prompt = s.Integer()
		case "timings":
			scanTimings(s, a)
		default:
			s.Skip()
		}
	}
}

// scanStep reads one step: {"id","token","bytes","logprob","top_logprobs"}.
func scanStep(s *jsonscan.Scanner, row func(s *jsonscan.Scanner, chosen int)) {
	chosen := int(models.NoToken)
	s.Enter('{')
	for first := true; s.More('}', &first); {
		switch string(s.Key()) {
		case "id":
			chosen = s.Integer()
		case "top_logprobs", "top_probs": // the latter after sampling
			row(s, chosen)
		default:
			s.Skip()
		}
	}
}

func scanTimings(s *jsonscan.Scanner, a *answer) {
	if s.Peek() != '{' {
		s.Skip()
		return
	}
	s.Enter('{')
	for first := true; s.More('}', &first); {
		switch string(s.Key()) {
		case "cache_n":
			a.cached = s.Integer()
		case "prompt_n":
			a.evaluated = s.Integer()
		default:
			s.Skip()
		}
	}
}

// scanEntries reads an array of {"id","logprob"} into row.
func scanEntries(s *jsonscan.Scanner, row *remote.Row) {
	s.Enter('[')
	for first := true; s.More(']', &first); {
		id, v := int(models.NoToken), 0.0
		s.Enter('{')
		for first := true; s.More('}', &first); {
			switch string(s.Key()) {
			case "id":
				id = s.Integer()
			case "logprob":
				v = s.Number()
			default:
				s.Skip()
			}
		}
		row.Add(remote.ClampID(id), v)
	}
}
