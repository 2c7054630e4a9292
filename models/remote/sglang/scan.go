package sglang

import (
	"logitscope/models"
	"logitscope/models/remote"
	"logitscope/models/remote/jsonscan"
)

// scan reads the answer, whose meta_info holds the rows.
func (b *backend) scan(r *remote.Reply, q remote.Query, out *remote.Rows) error {
	s := jsonscan.Scanner{Data: r.Body}
	var at places
	failed := false
	s.Enter('{')
	for first := true; s.More('}', &first); {
		switch k := string(s.Key()); {
		case k == "meta_info" && s.Peek() == '{':
			at.scan(&s)
		case k == "error":
			failed = s.Peek() != 'n'
			s.Skip()
		default:
			s.Skip()
		}
	}
	switch {
	case s.End() != nil:
		return b.c.NotJSON(r, "/generate")
	case failed:
		return b.c.ErrorInside(r.Body)
	case at.abort != "":
		if remote.SaysTooLong(at.abort) {
			return b.c.Errorf(remote.TooLong, "the tokens do not fit: %s", remote.OneLine(at.abort, remote.MaxMessage))
		}
		return b.c.Errorf(remote.Failed, "gave up: %s", remote.OneLine(at.abort, remote.MaxMessage))
	case at.made == 0:
		return b.c.Errorf(remote.Malformed, "sent no log-probabilities")
	}
	b.c.Meter.Cache(at.cached, at.prompt-at.cached)
	if q.Want > 1 {
		p := jsonscan.Scanner{Data: r.Body, Pos: at.given}
		if at.given > 0 {
			scanTriples(&p, q.Want-1, out)
		}
		if p.Failed || len(out.List) != q.Want-1 {
			return b.c.Errorf(remote.Malformed, "sent no log-probabilities of the prompt")
		}
	}
	base := len(out.List)
	l := jsonscan.Scanner{Data: r.Body, Pos: at.made}
	scanTriples(&l, -1, out)
	if l.Failed {
		return b.c.Errorf(remote.Malformed, "sent log-probabilities of a shape that is not known")
	}
	if at.chosen > 0 {
		c := jsonscan.Scanner{Data: r.Body, Pos: at.chosen}
		scanChosen(&c, out.List[base:])
	}
	return nil
}

// places are the places in an answer where the parts of meta_info begin.
type places struct {
	made, given, chosen int
	prompt, cached      int
	abort               string
}

func (at *places) scan(s *jsonscan.Scanner) {
	s.Enter('{')
	for first := true; s.More('}', &first); {
		k, p := string(s.Key()), s.Peek()
		switch {
		case k == "output_top_logprobs" && p == '[':
			at.made = s.Pos
		case k == "input_top_logprobs" && p == '[':
			at.given = s.Pos
		case k == "output_token_logprobs" && p == '[':
			at.chosen = s.Pos
		case k == "prompt_tokens":
			at.prompt = s.Integer()
			continue
		case k == "cached_tokens":
			at.cached = s.Integer()
			continue
		case k == "finish_reason" && p == '{':
			at.scanReason(s)
			continue
		}
		s.Skip()
	}
}

// scanReason keeps the message of {"type":"abort","message":…}.
func (at *places) scanReason(s *jsonscan.Scanner) {
	typ, msg := "", "no reason given"
	s.Enter('{')
	for first := true; s.More('}', &first); {
		switch k := string(s.Key()); {
		case k == "type" && s.Peek() == '"':
			typ = string(s.String(nil))
		case k == "message" && s.Peek() == '"':
			msg = string(s.String(nil))
		default:
			s.Skip()
		}
	}
	if typ == "abort" {
		at.abort = msg
	}
}

// scanTriples reads [[[logprob,id,text],…],…] and appends the rows that are
// not empty, the last n of them if n is not negative.
func scanTriples(s *jsonscan.Scanner, n int, out *remote.Rows) {
	base := len(out.List)
	s.Enter('[')
	for first := true; s.More(']', &first); {
		if s.Null() {
			continue
		}
		r := out.Next()
		s.Enter('[')
		for first := true; s.More(']', &first); {
			v, id := scanTriple(s)
			r.Add(id, v)
		}
		if len(r.IDs) == 0 {
			out.List = out.List[:len(out.List)-1]
		}
	}
	if extra := len(out.List) - base - n; n >= 0 && extra > 0 {
		list := out.List[base:]
		for i := range n { // swapped, not copied: rows are reused
			list[i], list[extra+i] = list[extra+i], list[i]
		}
		out.List = out.List[:base+n]
	}
}

func scanTriple(s *jsonscan.Scanner) (v float64, id int32) {
	id = models.NoToken
	i := 0
	s.Enter('[')
	for first := true; s.More(']', &first); i++ {
		switch i {
		case 0:
			v = s.Number()
		case 1:
			id = remote.ClampID(s.Integer())
		default:
			s.Skip()
		}
	}
	return v, id
}

// scanChosen reads [[logprob,id,text],…]: the server's own tokens.
func scanChosen(s *jsonscan.Scanner, list []*remote.Row) {
	i := 0
	s.Enter('[')
	for first := true; s.More(']', &first); i++ {
		if _, id := scanTriple(s); i < len(list) {
			list[i].Chosen = id
		}
	}
}
