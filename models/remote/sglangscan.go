package remote

import (
	"logitscope/models"
)

// scan reads the answer, whose meta_info holds the rows.
func (b *sgLang) scan(r *reply, q query, out *rows) error {
	s := scanner{b: r.body}
	var at sglangPlaces
	failed := false
	s.enter('{')
	for first := true; s.more('}', &first); {
		switch k := string(s.key()); {
		case k == "meta_info" && s.peek() == '{':
			at.scan(&s)
		case k == "error":
			failed = s.peek() != 'n'
			s.skip()
		default:
			s.skip()
		}
	}
	switch {
	case s.end() != nil:
		return b.c.malformed(r, "/generate")
	case failed:
		return b.c.inside(r.body)
	case at.abort != "":
		if tooLong(at.abort) {
			e := b.c.fault(TooLong, "the tokens do not fit: %s", oneLine(at.abort, maxMessage))
			e.err = models.ErrContextFull
			return e
		}
		return b.c.fault(Failed, "gave up: %s", oneLine(at.abort, maxMessage))
	case at.made == 0:
		return b.c.fault(Malformed, "sent no log-probabilities")
	}
	b.c.meter.cache(at.cached, at.prompt-at.cached)
	if q.want > 1 {
		p := scanner{b: r.body, i: at.given}
		if at.given > 0 {
			scanTriples(&p, q.want-1, out)
		}
		if p.bad || len(out.list) != q.want-1 {
			return b.c.fault(Malformed, "sent no log-probabilities of the prompt")
		}
	}
	base := len(out.list)
	l := scanner{b: r.body, i: at.made}
	scanTriples(&l, -1, out)
	if l.bad {
		return b.c.fault(Malformed, "sent log-probabilities of a shape that is not known")
	}
	if at.chosen > 0 {
		c := scanner{b: r.body, i: at.chosen}
		scanChosen(&c, out.list[base:])
	}
	return nil
}

// sglangPlaces are the places in an answer where the parts of meta_info begin.
type sglangPlaces struct {
	made, given, chosen int
	prompt, cached      int
	abort               string
}

func (at *sglangPlaces) scan(s *scanner) {
	s.enter('{')
	for first := true; s.more('}', &first); {
		k, p := string(s.key()), s.peek()
		switch {
		case k == "output_top_logprobs" && p == '[':
			at.made = s.i
		case k == "input_top_logprobs" && p == '[':
			at.given = s.i
		case k == "output_token_logprobs" && p == '[':
			at.chosen = s.i
		case k == "prompt_tokens":
			at.prompt = s.integer()
			continue
		case k == "cached_tokens":
			at.cached = s.integer()
			continue
		case k == "finish_reason" && p == '{':
			at.scanReason(s)
			continue
		}
		s.skip()
	}
}

// scanReason keeps the message of {"type":"abort","message":…}.
func (at *sglangPlaces) scanReason(s *scanner) {
	typ, msg := "", "no reason given"
	s.enter('{')
	for first := true; s.more('}', &first); {
		switch k := string(s.key()); {
		case k == "type" && s.peek() == '"':
			typ = string(s.str(nil))
		case k == "message" && s.peek() == '"':
			msg = string(s.str(nil))
		default:
			s.skip()
		}
	}
	if typ == "abort" {
		at.abort = msg
	}
}

// scanTriples reads [[[logprob,id,text],…],…] and appends the rows that are
// not empty, the last n of them if n is not negative.
func scanTriples(s *scanner, n int, out *rows) {
	base := len(out.list)
	s.enter('[')
	for first := true; s.more(']', &first); {
		if s.null() {
			continue
		}
		r := out.next()
		s.enter('[')
		for first := true; s.more(']', &first); {
			v, id := scanTriple(s)
			r.add(id, v)
		}
		if len(r.ids) == 0 {
			out.list = out.list[:len(out.list)-1]
		}
	}
	if extra := len(out.list) - base - n; n >= 0 && extra > 0 {
		list := out.list[base:]
		for i := range n { // swapped, not copied: rows are reused
			list[i], list[extra+i] = list[extra+i], list[i]
		}
		out.list = out.list[:base+n]
	}
}

func scanTriple(s *scanner) (v float64, id int32) {
	id = models.NoToken
	i := 0
	s.enter('[')
	for first := true; s.more(']', &first); i++ {
		switch i {
		case 0:
			v = s.number()
		case 1:
			id = clampID(s.integer())
		default:
			s.skip()
		}
	}
	return v, id
}

// scanChosen reads [[logprob,id,text],…]: the server's own tokens.
func scanChosen(s *scanner, list []*row) {
	i := 0
	s.enter('[')
	for first := true; s.more(']', &first); i++ {
		if _, id := scanTriple(s); i < len(list) {
			list[i].chosen = id
		}
	}
}
