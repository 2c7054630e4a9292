// Package openai answers: how is a chat API asked? It watches models behind
// chat APIs compatible with OpenAI's, whose tokens cannot be chosen from here.
package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"logitscope/models"
	"logitscope/models/remote"
)

// A model watches a chat API compatible with OpenAI's. Such a server takes no
// token that it has not chosen itself, so there are no sessions: it samples,
// and reports the most probable tokens of each step as text. Texts get ids in
// the order in which they are first seen.
type model struct {
	c     *remote.Client
	model string
	info  models.Info
	vocab *growing
	facts []models.Fact
	top   []int // how many tokens to ask for, in the order of trying
}

var (
	_ models.Model     = (*model)(nil)
	_ models.Observer  = (*model)(nil)
	_ models.Describer = (*model)(nil)
	_ models.Meter     = (*model)(nil)
)

// Kind is the row of this kind of server.
var Kind = remote.Kind{
	Name: "openai", Usage: "openai:MODEL[@URL]", Port: "443", Address: "https://api.openai.com/v1",
	KeyVar: "OPENAI_API_KEY", AddrVar: "OPENAI_BASE_URL", Split: remote.SplitAt, NeedsModel: true, OwnKey: providerKey, Looks: looks, Connect: connect,
}

// looks reports whether a server has the list of models of a chat API.
func looks(ctx context.Context, c *remote.Client) bool {
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	return c.Get(ctx, "/models", &list) == nil && len(list.Data) > 0 && list.Data[0].ID != ""
}

// providers are hosts of OpenAI-compatible APIs whose users keep their key in
// a variable of its own.
var providers = []struct{ host, keyVar string }{
	{"openrouter.ai", "OPENROUTER_API_KEY"},
	{"groq.com", "GROQ_API_KEY"},
	{"together.xyz", "TOGETHER_API_KEY"},
	{"together.ai", "TOGETHER_API_KEY"},
	{"mistral.ai", "MISTRAL_API_KEY"},
	{"deepseek.com", "DEEPSEEK_API_KEY"},
	{"fireworks.ai", "FIREWORKS_API_KEY"},
	{"x.ai", "XAI_API_KEY"},
	{"googleapis.com", "GEMINI_API_KEY"},
	{"huggingface.co", "HF_TOKEN"},
}

func providerKey(host string) string {
	for _, p := range providers {
		if host == p.host || strings.HasSuffix(host, "."+p.host) {
			return p.keyVar
		}
	}
	return ""
}

func connect(ctx context.Context, t remote.Target) (models.Model, error) {
	m := &model{c: t.Client, model: t.Model, vocab: newGrowing(), top: []int{20, 10, 5}}
	if n := t.Opt.TopN; n > 0 && n < 20 {
		m.top = []int{n}
	}
	limit, err := m.find(ctx)
	if err != nil {
		return nil, err
	}
	m.info = models.Info{
		Server: t.Client.Kind, Address: t.Client.Host,
		Name: t.Client.Clean(t.Model), ContextLen: limit, VocabSize: m.vocab.Size(),
		Note: "the server chooses the tokens; filters show what they would do",
		Caps: models.Caps{TopN: m.top[0], Normalised: true, TextOnly: true, ObserveOnly: true},
	}
	context := "not known"
	if limit > 0 {
		context = fmt.Sprintf("%d tokens", limit)
	}
	m.facts = append([]models.Fact{
		{Name: "server", Value: t.Client.Name},
		{Name: "model", Value: m.info.Name},
		{Name: "control", Value: "observing only: the server chooses the tokens"},
		{Name: "input", Value: "conversations as text"},
		{Name: "rows", Value: fmt.Sprintf("log-probabilities of the top %d at most, before sampling", m.top[0])},
		{Name: "several positions", Value: "no"},
		{Name: "tokenizer", Value: "none: tokens are known by their text, in the order in which they appear"},
		{Name: "grammar", Value: "none that can be steered from here"},
		{Name: "prefix cache", Value: "of no use here"},
		{Name: "context", Value: context},
	}, t.Client.KeyFacts()...)
	return m, nil
}

func (m *model) Info() models.Info    { return m.info }
func (m *model) Vocab() models.Vocab  { return m.vocab }
func (m *model) Facts() []models.Fact { return append([]models.Fact(nil), m.facts...) }
func (m *model) Stats() models.Stats  { return m.c.Meter.Stats() }

func (m *model) Close() error { return m.c.Close() }

// NewSession fails: there is no way to choose a token for this server.
func (m *model) NewSession() (models.Session, error) {
	e := m.c.Errorf(remote.Unsuitable, "can only be observed: it chooses the tokens itself")
	e.Cause = models.ErrNotSupported
	return nil, e
}

// find looks the model up in the server's list, if it has one.
func (m *model) find(ctx context.Context) (limit int, err error) {
	var list struct {
		Data []struct {
			ID      string `json:"id"`
			MaxLen  int    `json:"max_model_len"`
			Context int    `json:"context_length"`
			Window  int    `json:"context_window"`
		} `json:"data"`
	}
	err = m.c.Get(ctx, "/models", &list)
	if err != nil {
		if remote.IsRefusal(err) { // not every compatible server has the list
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
		return 0, m.c.Errorf(remote.Unsuitable, "does not serve %q; it has %s", remote.OneLine(m.model, 80), remote.OneLine(strings.Join(names, ", "), 200))
	}
	return 0, nil
}

// Observe streams one answer of the chat API. A fault before the first token
// is retried; after it, the tokens already seen stand and the fault is
// returned.
func (m *model) Observe(ctx context.Context, req models.ObserveRequest, yield func(models.Observation) error) (string, error) {
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
		m.c.Meter.Asked(1)
		err = m.c.Retry(ctx, true, func(ctx context.Context) error {
			if err := w.run(ctx, body); err != nil {
				if w.seen > 0 || w.stopped != nil {
					return final{err}
				}
				return err
			}
			return nil
		})
		m.c.Meter.Asked(-1)
		var e *remote.Error
		if !errors.As(err, &e) || e.Kind != remote.Refused || w.seen > 0 || i == len(m.top)-1 || !strings.Contains(e.Msg, "logprobs") {
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

func (m *model) request(req models.ObserveRequest, top int) ([]byte, error) {
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
		if m.c.Host == "api.openai.com" {
			key = "max_completion_tokens"
		}
		body[key] = req.MaxTokens
	}
	b, err := json.Marshal(body)
	if err != nil {
		return nil, m.c.Errorf(remote.Refused, "a parameter cannot be written as JSON: %v", err)
	}
	return b, nil
}
