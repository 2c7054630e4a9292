package remote

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"strings"

	"logitscope/models"
)

// A watch is one stream being observed.
type watch struct {
	m       *openAI
	yield   func(models.Observation) error
	row     row
	tok     textToken
	top     textToken
	seen    int
	reason  string
	wrote   bool // text came, with or without probabilities
	wrong   *Error
	stopped error // what yield returned
}

// maxLine bounds one event of a stream.
const maxLine = 4 * mib

func (w *watch) run(ctx context.Context, body []byte) error {
	c := w.m.c
	return c.stream(ctx, http.MethodPost, "/chat/completions", body, true, func(resp *http.Response, in io.Reader) error {
		r := &reply{status: resp.StatusCode, header: resp.Header}
		kind := resp.Header.Get("Content-Type")
		if r.status != http.StatusOK || !strings.HasPrefix(kind, "text/event-stream") {
			data, err := io.ReadAll(io.LimitReader(in, smallBody+1))
			if err != nil {
				return err
			}
			r.body = data
			if r.status != http.StatusOK {
				return c.statusFault(r)
			}
			if !json.Valid(data) {
				return c.malformed(r, "/chat/completions")
			}
			if err := w.event(data); err != nil { // the whole answer at once
				return err
			}
			return w.end()
		}
		return w.events(in)
	})
}

// events reads a stream of "data: …" lines.
func (w *watch) events(in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	for lines.Scan() {
		data, ok := bytes.CutPrefix(bytes.TrimRight(lines.Bytes(), "\r"), []byte("data:"))
		if !ok {
			continue // a comment, an event name, or the end of an event
		}
		data = bytes.TrimSpace(data)
		if string(data) == "[DONE]" {
			return w.end()
		}
		if err := w.event(data); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return w.m.c.fault(Malformed, "sent an event larger than %d bytes", maxLine)
	}
	if lines.Err() != nil {
		return lines.Err()
	}
	if w.reason != "" {
		return w.end()
	}
	return io.ErrUnexpectedEOF
}

func (w *watch) end() error {
	if w.seen == 0 && w.wrote {
		return w.silent()
	}
	if w.reason == "" {
		w.reason = "stop"
	}
	return nil
}

func (w *watch) silent() error {
	return w.m.c.fault(Unsuitable, "%s gives no log-probabilities, so there is nothing to watch", oneLine(w.m.model, 80))
}

// event reads one chunk of an answer, or a whole answer.
func (w *watch) event(data []byte) error {
	s := scanner{b: data}
	failed := false
	s.enter('{')
	for first := true; s.more('}', &first); {
		switch k := string(s.key()); {
		case k == "choices" && s.peek() == '[':
			s.enter('[')
			for first := true; s.more(']', &first); {
				w.choice(&s)
			}
		case k == "error" && s.peek() != 'n':
			failed = true
			s.skip()
		default:
			s.skip()
		}
	}
	switch {
	case w.stopped != nil:
		return w.stopped
	case w.wrong != nil:
		return w.wrong
	case failed:
		return w.m.c.inside(data)
	case s.end() != nil:
		return w.m.c.fault(Malformed, "sent an event of broken JSON (%d bytes)", len(data))
	case w.wrote && w.seen == 0:
		return w.silent()
	}
	return nil
}

func (w *watch) choice(s *scanner) {
	s.enter('{')
	for first := true; s.more('}', &first); {
		switch k := string(s.key()); {
		case k == "logprobs" && s.peek() == '{':
			s.enter('{')
			for first := true; s.more('}', &first); {
				if string(s.key()) != "content" || s.peek() != '[' {
					s.skip()
					continue
				}
				s.enter('[')
				for first := true; s.more(']', &first); {
					w.step(s)
				}
			}
		case k == "finish_reason" && s.peek() == '"':
			w.reason = w.m.c.clean(string(s.str(nil)))
		case (k == "delta" || k == "message") && s.peek() == '{':
			w.content(s)
		default:
			s.skip()
		}
	}
}

// content notes whether text came.
func (w *watch) content(s *scanner) {
	s.enter('{')
	for first := true; s.more('}', &first); {
		if k := string(s.key()); k == "content" && s.peek() == '"' {
			raw, _ := s.rawString()
			w.wrote = w.wrote || len(raw) > 0
		} else {
			s.skip()
		}
	}
}

// step reads one token with its alternatives and hands it on.
func (w *watch) step(s *scanner) {
	w.row.reset()
	w.tok.scanWith(s, func(s *scanner) {
		s.enter('[')
		for first := true; s.more(']', &first); {
			w.top.scan(s)
			w.add()
		}
	})
	if s.bad || w.stopped != nil || w.wrong != nil {
		return
	}
	id, ok := w.m.vocab.id(w.tok.bytes)
	if !ok {
		w.wrong = w.m.c.fault(Malformed, "sent more different tokens, or longer ones, than can be kept")
		return
	}
	sum := 0.0
	for _, v := range w.row.values {
		if v != v || v > 1e-3 {
			w.wrong = w.m.c.fault(Malformed, "sent a step with a probability that is none")
			return
		}
		sum += math.Exp(float64(v))
	}
	if sum > 1.01 {
		w.wrong = w.m.c.fault(Malformed, "sent probabilities that add up to more than 1")
		return
	}
	w.row.rest = float32(max(0, 1-sum))
	w.seen++
	w.m.c.meter.rows(1, 0, 0)
	lp := float32(w.tok.logprob)
	if lp != lp || lp <= -9999 { // how OpenAI writes "not among the top 20"
		lp = float32(math.Inf(-1))
	}
	w.stopped = w.yield(models.Observation{Token: id, Logits: w.row.logits(), Logprob: lp})
}

// add adds an alternative to the row. Two with one text become one.
func (w *watch) add() {
	id, ok := w.m.vocab.id(w.top.bytes)
	if !ok {
		return // its probability stays in the rest
	}
	for i, have := range w.row.ids {
		if have == id {
			p := math.Exp(float64(w.row.values[i])) + math.Exp(w.top.logprob)
			w.row.values[i] = float32(math.Log(p))
			return
		}
	}
	w.row.add(id, w.top.logprob)
}
