package remote

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"

	"logitscope/models"
)

// openAI watches a chat API compatible with OpenAI's. Such a server takes no
// token that it has not chosen itself, so there are no sessions: it samples,
// and reports the most probable tokens of each step as text. Texts get ids in
// the order in which they are first seen.
type openAI struct {
	c     *client
	model string
	info  models.Info
	vocab *growing
	facts []models.Fact
	top   []int // how many tokens to ask for, in the order of trying
}

var (
	_ models.Model     = (*openAI)(nil)
	_ models.Observer  = (*openAI)(nil)
	_ models.Describer = (*openAI)(nil)
	_ models.Meter     = (*openAI)(nil)
)

func openOpenAI(ctx context.Context, t target) (models.Model, error) {
	m := &openAI{c: t.c, model: t.model, vocab: newGrowing(), top: []int{20, 10, 5}}
	if n := t.opt.TopN; n > 0 && n < 20 {
		m.top = []int{n}
	}
	limit := 0
	err := t.c.retry(ctx, false, func(ctx context.Context) (err error) {
		limit, err = m.find(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	m.info = models.Info{
		Name: t.c.clean(t.model), ContextLen: limit, VocabSize: m.vocab.Size(),
		Note: "the server chooses the tokens; filters show what they would do",
		Caps: models.Caps{TopN: m.top[0], Normalised: true, TextOnly: true, ObserveOnly: true},
	}
	context := "not known"
	if limit > 0 {
		context = fmt.Sprintf("%d tokens", limit)
	}
	m.facts = append([]models.Fact{
		{Name: "server", Value: t.c.name},
		{Name: "model", Value: m.info.Name},
		{Name: "control", Value: "observing only: the server chooses the tokens"},
		{Name: "input", Value: "conversations as text"},
		{Name: "rows", Value: fmt.Sprintf("log-probabilities of the top %d at most, before sampling", m.top[0])},
		{Name: "several positions", Value: "no"},
		{Name: "tokenizer", Value: "none: tokens are known by their text, in the order in which they appear"},
		{Name: "grammar", Value: "none that can be steered from here"},
		{Name: "prefix cache", Value: "of no use here"},
		{Name: "context", Value: context},
	}, t.c.keyFact()...)
	return m, nil
}

func (m *openAI) Info() models.Info       { return m.info }
func (m *openAI) Vocab() models.Vocab     { return m.vocab }
func (m *openAI) Describe() []models.Fact { return append([]models.Fact(nil), m.facts...) }
func (m *openAI) Stats() models.Stats     { return m.c.meter.stats() }

func (m *openAI) Close() error {
	m.c.http.CloseIdleConnections()
	return nil
}

// NewSession fails: there is no way to choose a token for this server.
func (m *openAI) NewSession() (models.Session, error) {
	e := m.c.fault(Unsuitable, "can only be observed: it chooses the tokens itself")
	e.err = models.ErrNotSupported
	return nil, e
}

// find looks the model up in the server's list, if it has one.
func (m *openAI) find(ctx context.Context) (limit int, err error) {
	var list struct {
		Data []struct {
			ID      string `json:"id"`
			MaxLen  int    `json:"max_model_len"`
			Context int    `json:"context_length"`
			Window  int    `json:"context_window"`
		} `json:"data"`
	}
	err = m.c.get(ctx, "/models", &list)
	if err != nil {
		if refused(err) { // not every compatible server has the list
			return 0, nil
		}
		return 0, err
	}
	for _, d := range list.Data {
		if d.ID == m.model || d.ID == m.model+":latest" || d.ID == "models/"+m.model {
			return max(0, d.MaxLen, d.Context, d.Window), nil
		}
	}
	if len(list.Data) > 0 && len(list.Data) < 20 {
		var names []string
		for _, d := range list.Data {
			names = append(names, d.ID)
		}
		return 0, m.c.fault(Unsuitable, "does not serve %q; it has %s", oneLine(m.model, 80), oneLine(strings.Join(names, ", "), 200))
	}
	return 0, nil
}

// Observe streams one answer of the chat API. A fault before the first token
// is retried; after it, the tokens already seen stand and the fault is
// returned.
func (m *openAI) Observe(ctx context.Context, req models.ObserveRequest, yield func(models.Observation) error) (string, error) {
	if len(req.Messages) == 0 {
		panic("remote: no messages")
	}
	w := &watch{m: m, yield: yield}
	var err error
	for i, top := range m.top {
		var body []byte
		if body, err = m.request(req, top); err != nil {
			return "", err
		}
		m.c.meter.asked(1)
		err = m.c.retry(ctx, true, func(ctx context.Context) error {
			if err := w.run(ctx, body); err != nil {
				if w.seen > 0 || w.stopped != nil {
					return final{err}
				}
				return err
			}
			return nil
		})
		m.c.meter.asked(-1)
		var e *Error
		if !errors.As(err, &e) || e.Kind != Refused || w.seen > 0 || i == len(m.top)-1 || !strings.Contains(e.Msg, "logprobs") {
			break
		}
	}
	if w.stopped != nil {
		return "", w.stopped
	}
	var f final
	if errors.As(err, &f) {
		err = f.error
	}
	if err != nil {
		return "", err
	}
	return w.reason, nil
}

// final is a fault that must not be retried.
type final struct{ error }

func (m *openAI) request(req models.ObserveRequest, top int) ([]byte, error) {
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	body := map[string]any{}
	for k, v := range req.Params {
		body[k] = v
	}
	var list []message
	for _, msg := range req.Messages {
		list = append(list, message(msg))
	}
	body["model"], body["messages"] = m.model, list
	body["stream"], body["logprobs"], body["top_logprobs"] = true, true, top
	if req.MaxTokens > 0 {
		key := "max_tokens"
		if strings.HasSuffix(m.c.name, " api.openai.com") {
			key = "max_completion_tokens"
		}
		body[key] = req.MaxTokens
	}
	b, err := json.Marshal(body)
	if err != nil {
		return nil, m.c.fault(Refused, "a parameter cannot be written as JSON: %v", err)
	}
	return b, nil
}

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
		switch k := s.key(); {
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
		switch k := s.key(); {
		case k == "logprobs" && s.peek() == '{':
			s.enter('{')
			for first := true; s.more('}', &first); {
				if s.key() != "content" || s.peek() != '[' {
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
		if k := s.key(); k == "content" && s.peek() == '"' {
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
