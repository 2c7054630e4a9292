package remote

import (
	"math"
	"strconv"
	"strings"

	"logitscope/models"
)

// scan reads the answer: choices[0] holds logprobs of the tokens made and
// prompt_logprobs of those given.
func (b *vLLM) scan(r *reply, q query, out *rows) error {
	s := scanner{b: r.body}
	var made, given int
	failed := false
	model := b.model
	s.enter('{')
	for first := true; s.more('}', &first); {
		switch string(s.key()) {
		case "choices":
			s.enter('[')
			for first := true; s.more(']', &first); {
				scanChoice(&s, &made, &given)
			}
		case "error":
			failed = s.peek() != 'n'
			s.skip()
		case "model":
			model = string(s.str(nil))
		case "usage":
			b.scanUsage(&s)
		default:
			s.skip()
		}
	}
	switch {
	case s.end() != nil:
		return b.c.malformed(r, "/v1/completions")
	case failed:
		return b.c.inside(r.body)
	case model != b.model:
		return b.c.fault(Malformed, "answered with model %q in place of %q", oneLine(model, 60), oneLine(b.model, 60))
	case made == 0:
		return b.c.fault(Malformed, "sent no log-probabilities")
	}
	if q.want > 1 {
		p := scanner{b: r.body, i: given}
		scanPrompt(&p, len(q.tokens), q.want-1, out)
		if p.bad || given == 0 || len(out.list) != q.want-1 {
			return b.c.fault(Malformed, "sent no log-probabilities of the prompt")
		}
	}
	l := scanner{b: r.body, i: made}
	scanLegacy(&l, out)
	if l.bad {
		return b.c.fault(Malformed, "sent log-probabilities of a shape that is not known")
	}
	return nil
}

func (b *vLLM) scanUsage(s *scanner) {
	if s.peek() != '{' {
		s.skip()
		return
	}
	prompt, cached := 0, -1
	s.enter('{')
	for first := true; s.more('}', &first); {
		switch k := string(s.key()); {
		case k == "prompt_tokens":
			prompt = s.integer()
		case k == "prompt_tokens_details" && s.peek() == '{':
			s.enter('{')
			for first := true; s.more('}', &first); {
				if string(s.key()) == "cached_tokens" && s.peek() != 'n' {
					cached = s.integer()
				} else {
					s.skip()
				}
			}
		default:
			s.skip()
		}
	}
	if cached >= 0 {
		b.c.meter.cache(cached, prompt-cached)
	}
}

// scanChoice notes where in the text the values of logprobs and
// prompt_logprobs begin, to read them in the order in which they are needed.
func scanChoice(s *scanner, made, given *int) {
	s.enter('{')
	for first := true; s.more('}', &first); {
		k := string(s.key())
		if p := s.peek(); p == '{' && k == "logprobs" {
			*made = s.i
		} else if p == '[' && k == "prompt_logprobs" {
			*given = s.i
		}
		s.skip()
	}
}

// scanLegacy reads {"tokens":[…],"top_logprobs":[{"token_id:5":-1.2,…},…]}.
func scanLegacy(s *scanner, out *rows) {
	var chosen []int32
	base := len(out.list)
	var text []byte
	s.enter('{')
	for first := true; s.more('}', &first); {
		switch k := string(s.key()); {
		case k == "tokens" && s.peek() == '[':
			s.enter('[')
			for first := true; s.more(']', &first); {
				text = s.str(text[:0])
				chosen = append(chosen, tokenID(string(text)))
			}
		case k == "top_logprobs" && s.peek() == '[':
			s.enter('[')
			for first := true; s.more(']', &first); {
				r := out.next()
				s.enter('{')
				for first := true; s.more('}', &first); {
					id := tokenID(string(s.key()))
					r.addClamped(id, s.number())
				}
			}
		default:
			s.skip()
		}
	}
	for i, r := range out.list[base:] {
		if i < len(chosen) {
			r.chosen = chosen[i]
		}
	}
}

// vllmFloor is how vLLM writes minus infinity.
const vllmFloor = -9999

func (r *row) addClamped(id int32, v float64) {
	if v <= vllmFloor {
		v = math.Inf(-1)
	}
	r.add(id, v)
}

// tokenID reads the number of "token_id:5", or of "5".
func tokenID(s string) int32 {
	id, err := strconv.ParseUint(strings.TrimPrefix(s, "token_id:"), 10, 31)
	if err != nil {
		return models.NoToken
	}
	return clampID(int(id))
}

// scanPrompt reads the last n of the maps {"5":{"logprob":-1.2,…},…} that
// stand for the positions of a prompt of length tokens; the first is null.
func scanPrompt(s *scanner, length, n int, out *rows) {
	i := 0
	s.enter('[')
	for first := true; s.more(']', &first); {
		if i++; i <= length-n || s.peek() != '{' {
			s.skip()
			continue
		}
		r := out.next()
		s.enter('{')
		for first := true; s.more('}', &first); {
			id := tokenID(string(s.key()))
			if s.peek() != '{' {
				r.addClamped(id, s.number())
				continue
			}
			s.enter('{')
			for first := true; s.more('}', &first); {
				if string(s.key()) == "logprob" {
					r.addClamped(id, s.number())
				} else {
					s.skip()
				}
			}
		}
	}
}
