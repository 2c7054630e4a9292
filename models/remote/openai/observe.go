package openai

import (
	"context"
	"encoding/json"
	"io"
	"math"
	"net/http"

	"logitscope/models"
	"logitscope/models/remote"
	"logitscope/models/remote/jsonscan"
)

// A watch is one stream being observed.
type watch struct {
	m       *model
	yield   func(models.Observation) error
	row     remote.Row
	tok     remote.TextToken
	top     remote.TextToken
	seen    int
	reason  string
	choices bool // there was a list of choices
	wrote   bool // text came, with or without probabilities
	wrong   *remote.Error
	stopped error // what yield returned
}

// maxLine bounds one event of a stream.
const maxLine = 4 * remote.MiB

func (w *watch) run(ctx context.Context, body []byte) error {
	c := w.m.c
	return c.Stream(ctx, http.MethodPost, "/chat/completions", body, true, func(resp *http.Response, in io.Reader) error {
		r := &remote.Reply{Status: resp.StatusCode, Header: resp.Header, Asked: "POST " + resp.Request.URL.Redacted()}
		if !remote.IsEvents(resp) {
			data, err := io.ReadAll(io.LimitReader(in, remote.SmallBody+1))
			if err != nil {
				return err
			}
			r.Body = data
			if r.Status != http.StatusOK {
				return c.StatusError(r)
			}
			if !json.Valid(data) {
				return c.NotJSON(r, "/chat/completions")
			}
			if err := w.event(data); err != nil { // the whole answer at once
				return err
			}
			if !w.choices {
				return c.Errorf(remote.Unsuitable, "answered with JSON that is neither a stream nor a chat completion: is this the address of a chat API?")
			}
			return w.end()
		}
		return w.events(in)
	})
}

// events reads a stream of "data: …" lines.
func (w *watch) events(in io.Reader) error {
	err := w.m.c.Events(in, make([]byte, 0, 64<<10), maxLine, func(data []byte) (bool, error) {
		if string(data) == "[DONE]" {
			return true, w.end()
		}
		return false, w.event(data)
	})
	if err == io.ErrUnexpectedEOF && w.reason != "" {
		return w.end()
	}
	return err
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
	return w.m.c.Errorf(remote.Unsuitable, "%s gives no log-probabilities, so there is nothing to watch", remote.OneLine(w.m.model, 80))
}

// event reads one chunk of an answer, or a whole answer.
func (w *watch) event(data []byte) error {
	s := jsonscan.Scanner{Data: data}
	failed := false
	s.Enter('{')
	for first := true; s.More('}', &first); {
		switch k := string(s.Key()); {
		case k == "choices" && s.Peek() == '[':
			w.choices = true
			s.Enter('[')
			for first := true; s.More(']', &first); {
				w.choice(&s)
			}
		case k == "error" && s.Peek() != 'n':
			failed = true
			s.Skip()
		default:
			s.Skip()
		}
	}
	switch {
	case w.stopped != nil:
		return w.stopped
	case w.wrong != nil:
		return w.wrong
	case failed:
		return w.m.c.ErrorInside(data)
	case s.End() != nil:
		return w.m.c.Errorf(remote.Malformed, "sent an event of broken JSON (%d bytes)", len(data))
	case w.wrote && w.seen == 0:
		return w.silent()
	}
	return nil
}

func (w *watch) choice(s *jsonscan.Scanner) {
	s.Enter('{')
	for first := true; s.More('}', &first); {
		switch k := string(s.Key()); {
		case k == "logprobs" && s.Peek() == '{':
			s.Enter('{')
			for first := true; s.More('}', &first); {
				if string(s.Key()) != "content" || s.Peek() != '[' {
					s.Skip()
					continue
				}
				s.Enter('[')
				for first := true; s.More(']', &first); {
					w.step(s)
				}
			}
		case k == "finish_reason" && s.Peek() == '"':
			w.reason = w.m.c.Clean(string(s.String(nil)))
		case (k == "delta" || k == "message") && s.Peek() == '{':
			w.content(s)
		default:
			s.Skip()
		}
	}
}

// content notes whether text came.
func (w *watch) content(s *jsonscan.Scanner) {
	s.Enter('{')
	for first := true; s.More('}', &first); {
		if k := string(s.Key()); k == "content" && s.Peek() == '"' {
			raw, _ := s.RawString()
			w.wrote = w.wrote || len(raw) > 0
		} else {
			s.Skip()
		}
	}
}

// step reads one token with its alternatives and hands it on.
func (w *watch) step(s *jsonscan.Scanner) {
	w.row.Reset()
	w.tok.ScanWith(s, func(s *jsonscan.Scanner) {
		s.Enter('[')
		for first := true; s.More(']', &first); {
			w.top.Scan(s)
			w.add()
		}
	})
	if s.Failed || w.stopped != nil || w.wrong != nil {
		return
	}
	id, ok := w.m.vocab.id(w.tok.Bytes)
	if !ok {
		w.wrong = w.m.c.Errorf(remote.Malformed, "sent more different tokens, or longer ones, than can be kept")
		return
	}
	sum := 0.0
	for _, v := range w.row.Values {
		if v != v || v > 1e-3 {
			w.wrong = w.m.c.Errorf(remote.Malformed, "sent a step with a value that is not a probability")
			return
		}
		sum += math.Exp(float64(v))
	}
	if sum > 1.01 {
		w.wrong = w.m.c.Errorf(remote.Malformed, "sent probabilities that add up to more than 1")
		return
	}
	w.row.Rest = float32(max(0, 1-sum))
	w.seen++
	w.m.c.Meter.Rows(1, 0, 0)
	lp := float32(w.tok.Logprob)
	if lp != lp || lp <= -9999 { // how OpenAI writes "not among the top 20"
		lp = float32(math.Inf(-1))
	}
	w.stopped = w.yield(models.Observation{Token: id, Logits: w.row.Logits(), Logprob: lp})
}

// add adds an alternative to the row. Two with one text become one.
func (w *watch) add() {
	id, ok := w.m.vocab.id(w.top.Bytes)
	if !ok {
		return // its probability stays in the rest
	}
	for i, have := range w.row.IDs {
		if have == id {
			p := math.Exp(float64(w.row.Values[i])) + math.Exp(w.top.Logprob)
			w.row.Values[i] = float32(math.Log(p))
			return
		}
	}
	w.row.Add(id, w.top.Logprob)
}
