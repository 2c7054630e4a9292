package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
		Server: t.c.kind, Address: t.c.host,
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

func (m *openAI) Info() models.Info    { return m.info }
func (m *openAI) Vocab() models.Vocab  { return m.vocab }
func (m *openAI) Facts() []models.Fact { return append([]models.Fact(nil), m.facts...) }
func (m *openAI) Stats() models.Stats  { return m.c.meter.stats() }

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
