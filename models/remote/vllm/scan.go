package vllm

import (
	"math"
	"strconv"
	"strings"

	"logitscope/models"
	"logitscope/models/remote"
	"logitscope/models/remote/jsonscan"
)

// scan reads the answer: choices[0] holds logprobs of the tokens made and
// prompt_logprobs of those given.
func (b *backend) scan(r *remote.Reply, q remote.Query, out *remote.Rows) error {
	s := jsonscan.Scanner{Data: r.Body}
	var made, given int
	failed := false
	model := b.model
	s.Enter('{')
	for first := true; s.More('}', &first); {
		switch string(s.Key()) {
		case "choices":
			s.Enter('[')
			for first := true; s.More(']', &first); {
				scanChoice(&s, &made, &given)
			}
		case "error":
			failed = s.Peek() != 'n'
			s.Skip()
		case "model":
			model = string(s.String(nil))
		case "usage":
			b.scanUsage(&s)
		default:
			s.Skip()
		}
	}
	switch {
	case s.End() != nil:
		return b.c.NotJSON(r, "/v1/completions")
	case failed:
		return b.c.ErrorInside(r.Body)
	case model != b.model:
		return b.c.Errorf(remote.Malformed, "answered with model %q in place of %q", remote.OneLine(model, 60), remote.OneLine(b.model, 60))
	case made == 0:
		return b.c.Errorf(remote.Malformed, "sent no log-probabilities")
	}
	if q.Want > 1 {
		p := jsonscan.Scanner{Data: r.Body, Pos: given}
		scanPrompt(&p, len(q.Tokens), q.Want-1, out)
		if p.Failed || given == 0 || len(out.List) != q.Want-1 {
			return b.c.Errorf(remote.Malformed, "sent no log-probabilities of the prompt")
		}
	}
	l := jsonscan.Scanner{Data: r.Body, Pos: made}
	scanLegacy(&l, out)
	if l.Failed {
		return b.c.Errorf(remote.Malformed, "sent log-probabilities of a shape that is not known")
	}
	return nil
}

func (b *backend) scanUsage(s *jsonscan.Scanner) {
	if s.Peek() != '{' {
		s.Skip()
		return
	}
	prompt, cached := 0, -1
	s.Enter('{')
	for first := true; s.More('}', &first); {
		switch k := string(s.Key()); {
		case k == "prompt_tokens":
			prompt = s.Integer()
		case k == "prompt_tokens_details" && s.Peek() == '{':
			s.Enter('{')
			for first := true; s.More('}', &first); {
				if string(s.Key()) == "cached_tokens" && s.Peek() != 'n' {
					cached = s.Integer()
				} else {
					s.Skip()
				}
			}
		default:
			s.Skip()
		}
	}
	if cached >= 0 {
		b.c.Meter.Cache(cached, prompt-cached)
	}
}

// scanChoice notes where in the text the values of logprobs and
// prompt_logprobs begin, to read them in the order in which they are needed.
func scanChoice(s *jsonscan.Scanner, made, given *int) {
	s.Enter('{')
	for first := true; s.More('}', &first); {
		k := string(s.Key())
		if p := s.Peek(); p == '{' && k == "logprobs" {
			*made = s.Pos
		} else if p == '[' && k == "prompt_logprobs" {
			*given = s.Pos
		}
		s.Skip()
	}
}

// scanLegacy reads {"tokens":[…],"top_logprobs":[{"token_id:5":-1.2,…},…]}.
func scanLegacy(s *jsonscan.Scanner, out *remote.Rows) {
	var chosen []int32
	base := len(out.List)
	var text []byte
	s.Enter('{')
	for first := true; s.More('}', &first); {
		switch k := string(s.Key()); {
		case k == "tokens" && s.Peek() == '[':
			s.Enter('[')
			for first := true; s.More(']', &first); {
				text = s.String(text[:0])
				chosen = append(chosen, tokenID(string(text)))
			}
		case k == "top_logprobs" && s.Peek() == '[':
			s.Enter('[')
			for first := true; s.More(']', &first); {
				r := out.Next()
				s.Enter('{')
				for first := true; s.More('}', &first); {
					id := tokenID(string(s.Key()))
					addTo(r, id, s.Number())
				}
			}
		default:
			s.Skip()
		}
	}
	for i, r := range out.List[base:] {
		if i < len(chosen) {
			r.Chosen = chosen[i]
		}
	}
}

// minusInf is how vLLM writes minus infinity.
const minusInf = -9999

// addTo adds a token to r.
func addTo(r *remote.Row, id int32, v float64) {
	if v <= minusInf {
		v = math.Inf(-1)
	}
	r.Add(id, v)
}

// tokenID reads the number of "token_id:5", or of "5".
func tokenID(s string) int32 {
	id, err := strconv.ParseUint(strings.TrimPrefix(s, "token_id:"), 10, 31)
	if err != nil {
		return models.NoToken
	}
	return remote.ClampID(int(id))
}

// scanPrompt reads the last n of the maps {"5":{"logprob":-1.2,…},…} that
// stand for the positions of a prompt of length tokens; the first is null.
func scanPrompt(s *jsonscan.Scanner, length, n int, out *remote.Rows) {
	i := 0
	s.Enter('[')
	for first := true; s.More(']', &first); {
		if i++; i <= length-n || s.Peek() != '{' {
			s.Skip()
			continue
		}
		r := out.Next()
		s.Enter('{')
		for first := true; s.More('}', &first); {
			id := tokenID(string(s.Key()))
			if s.Peek() != '{' {
				addTo(r, id, s.Number())
				continue
			}
			s.Enter('{')
			for first := true; s.More('}', &first); {
				if string(s.Key()) == "logprob" {
					addTo(r, id, s.Number())
				} else {
					s.Skip()
				}
			}
		}
	}
}
