// Package ollama answers: how is an Ollama server asked? It runs models behind
// an Ollama server: text in, the 20 most probable tokens out as text, which a
// tokenizer rebuilt here maps to ids.
package ollama

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
	"logitscope/models/remote"
	"logitscope/models/remote/jsonscan"
)

// A backend talks to an Ollama server through /api/generate with raw prompts.
// It takes text only and reports the top 20 as text, so the tokenizer is
// rebuilt from the model's metadata and text is mapped to ids here. Its
// log-probabilities are those of the raw logits, whatever its options are.
type backend struct {
	c     *remote.Client
	model string
	vocab models.Vocab
	exact bool // vocab splits text as the server does

	template, system string // as the server has them
	first            []models.Message

	ids   map[string]int32 // of pieces that are whole UTF-8
	eos   int32
	bos   int32 // the token the server puts in front by itself, or NoToken
	limit int   // length of the context
}

// maxTop is the most tokens that Ollama reports.
const maxTop = 20

// showAnswer is the part of POST /api/show that is of use.
type showAnswer struct {
	Template   string `json:"template"`
	System     string `json:"system"`
	Messages   []models.Message
	Parameters string `json:"parameters"`
	Details    struct {
		Family       string `json:"family"`
		Parameters   string `json:"parameter_size"`
		Quantization string `json:"quantization_level"`
	} `json:"details"`
	Info map[string]any `json:"model_info"`
}

// Kind is the row of this kind of server.
var Kind = remote.Kind{
	Name: "ollama-api", Usage: "ollama-api:NAME[@URL]", Port: "11434", KeyVar: "OLLAMA_API_KEY", AddrVar: "OLLAMA_HOST", Path: "/api",
	Split: split, Looks: looks, Connect: connect,
}

// looks reports whether a server is an Ollama server.
func looks(ctx context.Context, c *remote.Client) bool {
	var v struct {
		Version string `json:"version"`
	}
	return c.Get(ctx, "/api/version", &v) == nil && v.Version != ""
}

func connect(ctx context.Context, t remote.Target) (models.Model, error) {
	b := &backend{c: t.Client, model: t.Model}
	if b.model == "" {
		return nil, b.c.Errorf(remote.Unsuitable, "needs the name of a model, as in ollama-api:NAME@URL; %s", has(ctx, b.c))
	}
	var show showAnswer
	body, _ := json.Marshal(map[string]any{"model": b.model, "verbose": true})
	if err := b.c.Ask(ctx, http.MethodPost, "/api/show", body, remote.WholeLimit, &show); err != nil {
		return nil, notFound(ctx, b.c, err)
	}
	b.template, b.system, b.first = show.Template, show.System, show.Messages
	how, err := b.load(show.Info)
	if err != nil {
		return nil, err
	}
	var version struct {
		Version string `json:"version"`
	}
	if err := b.c.Get(ctx, "/api/version", &version); err != nil {
		return nil, err
	}
	if err := b.start(ctx, show.Info); err != nil {
		return nil, err
	}
	id, err := b.Identity(ctx)
	if err != nil {
		return nil, err
	}
	size := b.vocab.Size()
	f := remote.Found{Vocab: b.vocab, ID: id}
	f.Info = models.Info{
		Name: b.c.Clean(b.model), Arch: b.c.Clean(show.Details.Family), Quant: strings.ToLower(b.c.Clean(show.Details.Quantization)),
		Params: int64(number(show.Info["general.parameter_count"])), License: b.c.Clean(text(show.Info["general.license"])),
		// The server makes a token of its own, and puts one in front.
		ContextLen: b.limit - 1, VocabSize: size, GoTemplate: show.Template, System: show.System, First: show.Messages,
		Defaults: parameters(show.Parameters), DefaultsOf: Params,
		Caps: models.Caps{TopN: min(maxTop, size), Normalised: true, TextOnly: true},
	}
	f.Render = b.renderChat
	f.Facts = []models.Fact{
		{Name: "server", Value: b.c.Name + ", Ollama " + b.c.Clean(version.Version)},
		{Name: "model", Value: strings.Join(strings.Fields(f.Info.Name+" "+f.Info.Arch+" "+b.c.Clean(show.Details.Parameters)+" "+f.Info.Quant), " ")},
		{Name: "control", Value: "stepwise: one token a request, chosen here"},
		{Name: "input", Value: "text only: the server splits it again, and parts of characters cannot be chosen"},
		{Name: "rows", Value: remote.TopWords(min(maxTop, size), size, "log-probabilities of the raw logits")},
		{Name: "several positions", Value: "no: one request for each"},
		{Name: "tokenizer", Value: how},
		{Name: "grammar", Value: "here; the server's own format option is not used"},
		{Name: "prefix cache", Value: "the server's"},
		{Name: "context", Value: fmt.Sprintf("%d tokens", b.limit)},
	}
	return remote.NewModel(b.c, b, f), nil
}

// start makes the server load the model and finds the length of its context.
func (b *backend) start(ctx context.Context, info map[string]any) error {
	var loaded struct {
		Done bool `json:"done"`
	}
	if err := b.c.Post(ctx, "/api/generate", map[string]any{"model": b.model, "stream": false}, &loaded); err != nil {
		return err
	}
	var ps struct {
		Models []struct {
			Name    string `json:"name"`
			Context int    `json:"context_length"`
		} `json:"models"`
	}
	if err := b.c.Get(ctx, "/api/ps", &ps); err != nil && !remote.IsRefusal(err) {
		return err
	}
	b.limit = int(number(info[text(info["general.architecture"])+".context_length"]))
	for _, m := range ps.Models {
		if m.Context > 0 && (m.Name == b.model || m.Name == b.model+":latest") {
			b.limit = m.Context
		}
	}
	return remote.CheckSize(b.c, b.vocab.Size(), b.limit)
}

func (b *backend) Identity(ctx context.Context) (string, error) {
	if d, err := digest(ctx, b.c, b.model); err != nil || d != "" {
		return d, err
	}
	body, _ := json.Marshal(map[string]any{"model": b.model})
	r, err := b.c.Send(ctx, http.MethodPost, "/api/show", body, remote.SmallBody, nil)
	if err != nil {
		return "", err
	}
	h := fnv.New64a()
	h.Write(stable(r.Body))
	return strconv.FormatUint(h.Sum64(), 16), nil
}

// heats are the temperatures tried in turn. Where the server's own token
// ends the text or is a part of a character it sends no probabilities, so it
// is made to choose at random; that changes none of them.
var heats = []int{0, 2, 10, 10, 100, 100, 100, 100}

func (b *backend) Fetch(ctx context.Context, q remote.Query, out *remote.Rows) error {
	prompt, err := b.prompt(q.Tokens, q.Buf)
	if err != nil {
		return err
	}
	for try, heat := range heats {
		q.Buf.Req = b.request(q.Buf.Req[:0], prompt, heat, try)
		r, err := b.c.Send(ctx, http.MethodPost, "/api/generate", q.Buf.Req, remote.SmallBody, &q.Buf.Resp)
		if err != nil {
			return err
		}
		found, err := b.scan(r, q, out)
		if err == nil && found {
			out.List[0].Strayed = b.strayed(q.Tokens, string(prompt))
		}
		if err != nil || found {
			return err
		}
	}
	return b.c.Errorf(remote.Failed, "sent no probabilities in %d attempts: is it older than 0.12.11?", len(heats))
}

// strayed reports whether the server splits the text of tokens into others,
// as far as its tokenizer is known here.
func (b *backend) strayed(tokens []int32, text string) bool {
	if !b.exact {
		return false
	}
	return !slices.Equal(b.vocab.Encode(text, models.EncodeOptions{AddSpecial: true, ParseSpecial: true}), tokens)
}

// prompt joins the pieces of tokens to the text the server will split again.
func (b *backend) prompt(tokens []int32, buf *remote.Buffers) ([]byte, error) {
	if tokens[0] == b.bos {
		tokens = tokens[1:] // the server puts it there itself
	}
	buf.Text = buf.Text[:0]
	for _, id := range tokens {
		buf.Text = append(buf.Text, b.vocab.Piece(id)...)
	}
	switch {
	case len(buf.Text) == 0:
		return nil, b.c.Errorf(remote.Refused, "needs at least one token of text to continue from")
	case remote.Incomplete(string(buf.Text)):
		e := b.c.Errorf(remote.Refused, "takes text only, and these tokens end within a character")
		e.Cause = models.ErrNotSupported
		return nil, e
	}
	return buf.Text, nil
}

func (b *backend) request(dst []byte, prompt []byte, heat, seed int) []byte {
	w := bytes.NewBuffer(dst)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	w.WriteString(`{"model":`)
	enc.Encode(b.model) // cannot fail: strings only
	w.WriteString(`,"prompt":`)
	enc.Encode(string(prompt))
	fmt.Fprintf(w, `,"raw":true,"stream":false,"truncate":false,"logprobs":true,"top_logprobs":%d,"options":{"num_predict":1,"temperature":%d,"stop":[],"seed":%d`, maxTop, heat, seed)
	if heat > 0 {
		w.WriteString(`,"top_k":0,"top_p":1,"min_p":0,"typical_p":1,"repeat_penalty":1,"presence_penalty":0,"frequency_penalty":0`)
	}
	w.WriteString(`}}`)
	return w.Bytes()
}

// scan reads an answer. found is false if it holds no probabilities.
func (b *backend) scan(r *remote.Reply, q remote.Query, out *remote.Rows) (found bool, err error) {
	s := jsonscan.Scanner{Data: r.Body}
	failed, count, reason := false, 0, ""
	s.Enter('{')
	for first := true; s.More('}', &first); {
		switch k := string(s.Key()); {
		case k == "logprobs" && s.Peek() == '[':
			s.Enter('[')
			for first := true; s.More(']', &first); {
				if found {
					s.Skip()
					continue
				}
				found = b.scanStep(&s, out.Next())
			}
		case k == "error":
			failed = s.Peek() != 'n'
			s.Skip()
		case k == "prompt_eval_count":
			count = s.Integer()
		case k == "done_reason" && s.Peek() == '"':
			reason = string(s.String(nil))
		default:
			s.Skip()
		}
	}
	switch {
	case s.End() != nil:
		return false, b.c.NotJSON(r, "/api/generate")
	case failed:
		return false, b.c.ErrorInside(r.Body)
	case reason == "load":
		return false, b.c.Errorf(remote.Failed, "has only loaded the model")
	case count > 0 && count < len(q.Tokens)/2 && len(q.Tokens) > b.limit*3/4:
		return false, b.c.Errorf(remote.TooLong, "cut the text to %d tokens", count)
	}
	if !found {
		out.Reset()
	}
	return found, nil
}

// scanStep reads {"token","logprob","bytes","top_logprobs":[…]}.
func (b *backend) scanStep(s *jsonscan.Scanner, r *remote.Row) (found bool) {
	s.Enter('{')
	for first := true; s.More('}', &first); {
		if string(s.Key()) != "top_logprobs" || s.Peek() != '[' {
			s.Skip()
			continue
		}
		var tok remote.TextToken
		ended := false
		s.Enter('[')
		for first := true; s.More(']', &first); {
			tok.Scan(s)
			found = true
			id, ok := b.ids[string(tok.Bytes)]
			if len(tok.Bytes) == 0 && !ended && b.eos >= 0 {
				// A control token. It comes without its name; the most
				// probable one is taken for the end of the text.
				id, ok, ended = b.eos, true, true
			}
			if ok && !slices.Contains(r.IDs, id) {
				r.Add(id, tok.Logprob)
			}
		}
	}
	return found && len(r.IDs) > 0
}
