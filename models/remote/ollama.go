package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"logitscope/models"
)

// ollama talks to an Ollama server through /api/generate with raw prompts.
// It takes text only and reports the top 20 as text, so the tokenizer is
// rebuilt from the model's metadata and text is mapped to ids here. Its
// log-probabilities are those of the raw logits, whatever its options are.
type ollama struct {
	c     *client
	model string
	vocab models.Vocab
	ids   map[string]int32 // of pieces that are whole UTF-8
	eos   int32
	bos   int32 // the token the server puts in front by itself, or NoToken
	limit int   // length of the context
}

// ollamaTop is the most tokens that Ollama reports.
const ollamaTop = 20

// ollamaShow is the part of POST /api/show that is of use.
type ollamaShow struct {
	Template string `json:"template"`
	Details  struct {
		Family       string `json:"family"`
		Parameters   string `json:"parameter_size"`
		Quantization string `json:"quantization_level"`
	} `json:"details"`
	Info map[string]any `json:"model_info"`
}

func openOllama(ctx context.Context, t target) (models.Model, error) {
	b := &ollama{c: t.c, model: t.model}
	var m *server
	err := t.c.retry(ctx, false, func(ctx context.Context) (err error) {
		m, err = b.discover(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

func (b *ollama) discover(ctx context.Context) (*server, error) {
	var show ollamaShow
	body, _ := json.Marshal(map[string]any{"model": b.model, "verbose": true})
	if err := b.c.ask(ctx, http.MethodPost, "/api/show", body, wholeLimit, &show); err != nil {
		return nil, err
	}
	how, err := b.load(show.Info)
	if err != nil {
		return nil, err
	}
	var version struct {
		Version string `json:"version"`
	}
	if err := b.c.get(ctx, "/api/version", &version); err != nil {
		return nil, err
	}
	if err := b.start(ctx, show.Info); err != nil {
		return nil, err
	}
	id, err := b.identity(ctx)
	if err != nil {
		return nil, err
	}
	size := b.vocab.Size()
	m := &server{b: b, c: b.c, vocab: b.vocab, id: id}
	m.info = models.Info{
		Server: b.c.kind, Address: b.c.host,
		Name: b.c.clean(b.model), Arch: b.c.clean(show.Details.Family), Quant: strings.ToLower(b.c.clean(show.Details.Quantization)),
		Params: int64(number(show.Info["general.parameter_count"])), License: b.c.clean(text(show.Info["general.license"])),
		// The server makes a token of its own, and puts one in front.
		ContextLen: b.limit - 1, VocabSize: size, ChatTemplate: show.Template,
		Caps: models.Caps{TopN: min(ollamaTop, size), Normalised: true, TextOnly: true},
	}
	m.facts = []models.Fact{
		{Name: "server", Value: b.c.name + ", Ollama " + b.c.clean(version.Version)},
		{Name: "model", Value: strings.Join(strings.Fields(m.info.Name+" "+m.info.Arch+" "+b.c.clean(show.Details.Parameters)+" "+m.info.Quant), " ")},
		{Name: "control", Value: "stepwise: one token a request, chosen here"},
		{Name: "input", Value: "text only: the server splits it again, and parts of characters cannot be chosen"},
		{Name: "rows", Value: topWords(min(ollamaTop, size), size, "log-probabilities of the raw logits")},
		{Name: "several positions", Value: "no: one request for each"},
		{Name: "tokenizer", Value: how},
		{Name: "grammar", Value: "here; the server's own format option is not used"},
		{Name: "prefix cache", Value: "the server's"},
		{Name: "context", Value: fmt.Sprintf("%d tokens", b.limit)},
	}
	m.addKeyFact()
	return m, nil
}

// start makes the server load the model and finds the length of its context.
func (b *ollama) start(ctx context.Context, info map[string]any) error {
	var loaded struct {
		Done bool `json:"done"`
	}
	if err := b.c.post(ctx, "/api/generate", map[string]any{"model": b.model, "stream": false}, &loaded); err != nil {
		return err
	}
	var ps struct {
		Models []struct {
			Name    string `json:"name"`
			Context int    `json:"context_length"`
		} `json:"models"`
	}
	if err := b.c.get(ctx, "/api/ps", &ps); err != nil && !refused(err) {
		return err
	}
	b.limit = int(number(info[text(info["general.architecture"])+".context_length"]))
	for _, m := range ps.Models {
		if m.Context > 0 && (m.Name == b.model || m.Name == b.model+":latest") {
			b.limit = m.Context
		}
	}
	return checkSize(b.c, b.vocab.Size(), b.limit)
}

func (b *ollama) identity(ctx context.Context) (string, error) {
	body, _ := json.Marshal(map[string]any{"model": b.model})
	r, err := b.c.send(ctx, http.MethodPost, "/api/show", body, smallBody, nil)
	if err != nil {
		return "", err
	}
	h := fnv.New64a()
	h.Write(r.body)
	return strconv.FormatUint(h.Sum64(), 16), nil
}

// ollamaHeat are the temperatures tried in turn. Where the server's own token
// ends the text or is a part of a character it sends no probabilities, so it
// is made to choose at random; that changes none of them.
var ollamaHeat = []int{0, 2, 10, 10, 100, 100, 100, 100}

func (b *ollama) fetch(ctx context.Context, q query, out *rows) error {
	prompt, err := b.prompt(q.tokens, q.buf)
	if err != nil {
		return err
	}
	for try, heat := range ollamaHeat {
		q.buf.req = b.request(q.buf.req[:0], prompt, heat, try)
		r, err := b.c.send(ctx, http.MethodPost, "/api/generate", q.buf.req, smallBody, &q.buf.resp)
		if err != nil {
			return err
		}
		found, err := b.scan(r, q, out)
		if err != nil || found {
			return err
		}
	}
	return b.c.fault(Failed, "sent no probabilities in %d attempts: is it older than 0.12.11?", len(ollamaHeat))
}

// prompt joins the pieces of tokens to the text the server will split again.
func (b *ollama) prompt(tokens []int32, buf *buffers) ([]byte, error) {
	if tokens[0] == b.bos {
		tokens = tokens[1:] // the server puts it there itself
	}
	buf.text = buf.text[:0]
	for _, id := range tokens {
		buf.text = append(buf.text, b.vocab.Piece(id)...)
	}
	switch {
	case len(buf.text) == 0:
		return nil, b.c.fault(Refused, "needs at least one token of text to continue from")
	case incomplete(string(buf.text)):
		e := b.c.fault(Refused, "takes text only, and these tokens end within a character")
		e.err = models.ErrNotSupported
		return nil, e
	}
	return buf.text, nil
}

func (b *ollama) request(dst []byte, prompt []byte, heat, seed int) []byte {
	w := bytes.NewBuffer(dst)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	w.WriteString(`{"model":`)
	enc.Encode(b.model) // cannot fail: strings only
	w.WriteString(`,"prompt":`)
	enc.Encode(string(prompt))
	fmt.Fprintf(w, `,"raw":true,"stream":false,"truncate":false,"logprobs":true,"top_logprobs":%d,"options":{"num_predict":1,"temperature":%d,"seed":%d`, ollamaTop, heat, seed)
	if heat > 0 {
		w.WriteString(`,"top_k":0,"top_p":1,"min_p":0,"typical_p":1,"repeat_penalty":1,"presence_penalty":0,"frequency_penalty":0`)
	}
	w.WriteString(`}}`)
	return w.Bytes()
}

// scan reads an answer. found is false if it holds no probabilities.
func (b *ollama) scan(r *reply, q query, out *rows) (found bool, err error) {
	s := scanner{b: r.body}
	failed, count, reason := false, 0, ""
	s.enter('{')
	for first := true; s.more('}', &first); {
		switch k := string(s.key()); {
		case k == "logprobs" && s.peek() == '[':
			s.enter('[')
			for first := true; s.more(']', &first); {
				if found {
					s.skip()
					continue
				}
				found = b.scanStep(&s, out.next())
			}
		case k == "error":
			failed = s.peek() != 'n'
			s.skip()
		case k == "prompt_eval_count":
			count = s.integer()
		case k == "done_reason" && s.peek() == '"':
			reason = string(s.str(nil))
		default:
			s.skip()
		}
	}
	switch {
	case s.end() != nil:
		return false, b.c.malformed(r, "/api/generate")
	case failed:
		return false, b.c.inside(r.body)
	case reason == "load":
		return false, b.c.fault(Failed, "has only loaded the model")
	case count > 0 && count < len(q.tokens)/2 && len(q.tokens) > b.limit*3/4:
		e := b.c.fault(TooLong, "cut the text to %d tokens", count)
		e.err = models.ErrContextFull
		return false, e
	}
	if !found {
		out.reset()
	}
	return found, nil
}

// scanStep reads {"token","logprob","bytes","top_logprobs":[…]}.
func (b *ollama) scanStep(s *scanner, r *row) (found bool) {
	s.enter('{')
	for first := true; s.more('}', &first); {
		if string(s.key()) != "top_logprobs" || s.peek() != '[' {
			s.skip()
			continue
		}
		var tok textToken
		ended := false
		s.enter('[')
		for first := true; s.more(']', &first); {
			tok.scan(s)
			found = true
			id, ok := b.ids[string(tok.bytes)]
			if len(tok.bytes) == 0 && !ended && b.eos >= 0 {
				// A control token. It comes without its name; the most
				// probable one is taken for the end of the text.
				id, ok, ended = b.eos, true, true
			}
			if ok && !slices.Contains(r.ids, id) {
				r.add(id, tok.logprob)
			}
		}
	}
	return found && len(r.ids) > 0
}
