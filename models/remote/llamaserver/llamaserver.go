// Package llamaserver answers: how is llama-server asked? It runs models behind
// llama-server of llama.cpp, through its own endpoints: token ids in, token ids
// and log-probabilities out.
package llamaserver

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"strconv"
	"strings"

	"logitscope/models"
	"logitscope/models/remote"
	"logitscope/models/remote/jsonscan"
	"logitscope/models/remote/llamaserver/seeds"
)

// A backend talks to llama-server of llama.cpp through its own endpoints,
// which take token ids and report ids. Its log-probabilities are the
// log-softmax of the raw logits, whatever sampling it is told to do.
type backend struct {
	c     *remote.Client
	name  string // what its answers call the model: the alias, or a constant in old builds
	size  int
	top   int
	slot  int   // tokens that a slot holds
	safe  int32 // a token of plain ASCII, see request
	vocab *remote.Vocab
}

// serverProps is the part of GET /props that is of use.
type serverProps struct {
	Settings struct {
		NCtx int `json:"n_ctx"`
	} `json:"default_generation_settings"`
	TotalSlots   int    `json:"total_slots"`
	Alias        string `json:"model_alias"`
	Ftype        string `json:"model_ftype"`
	ChatTemplate string `json:"chat_template"`
	BOS          string `json:"bos_token"`
	EOS          string `json:"eos_token"`
	Build        string `json:"build_info"`
}

// modelEntry is the part of an entry of GET /v1/models that is of use.
type modelEntry struct {
	ID   string `json:"id"`
	Meta struct {
		VocabType int   `json:"vocab_type"`
		NVocab    int   `json:"n_vocab"`
		NCtxTrain int   `json:"n_ctx_train"`
		NEmbd     int   `json:"n_embd"`
		NParams   int64 `json:"n_params"`
		Size      int64 `json:"size"`
	} `json:"meta"`
}

// Kind is the row of this kind of server.
var Kind = remote.Kind{
	Name: "llama-server", Usage: "llama-server:URL", Port: "8080", KeyVar: "LLAMA_API_KEY", Path: "/v1", Looks: looks, Connect: connect,
}

// looks reports whether a server is a llama-server.
func looks(ctx context.Context, c *remote.Client) bool {
	var p struct {
		Settings map[string]any `json:"default_generation_settings"`
		Slots    int            `json:"total_slots"`
	}
	return c.Get(ctx, "/props", &p) == nil && (len(p.Settings) > 0 || p.Slots > 0)
}

// connect asks the server for all that a run needs to know.
func connect(ctx context.Context, t remote.Target) (models.Model, error) {
	go seeds.Prepare() // is done before the first draw
	b := &backend{c: t.Client}
	props, meta, err := b.about(ctx)
	if err != nil {
		return nil, err
	}
	b.size = meta.Meta.NVocab
	if err := remote.CheckSize(b.c, b.size, props.Settings.NCtx); err != nil {
		return nil, err
	}
	b.top, b.slot = t.Opt.Top(b.size), props.Settings.NCtx
	v := remote.NewVocab(b.c, b.size, b.encode)
	b.vocab = v
	if err := b.findSafe(ctx); err != nil {
		return nil, err
	}
	if err := b.pieces(ctx, v); err != nil {
		return nil, err
	}
	if err := b.ends(ctx, v, props.EOS); err != nil {
		return nil, err
	}
	id, err := b.Identity(ctx)
	if err != nil {
		return nil, err
	}
	f := remote.Found{Top: b.top, Vocab: v, ID: id, Slots: max(1, props.TotalSlots), Draws: true, Streams: true}
	what := "log-probabilities of the raw logits"
	if t.Opt.Logits == remote.LogitsAuto {
		can, err := b.levels(ctx)
		if err != nil {
			return nil, err
		}
		if can {
			f.Levels, what = b, "logits, found by a second request for each,"
		}
	}
	f.Info = models.Info{
		Name: b.c.Clean(shortName(meta.ID)), Quant: strings.ToLower(b.c.Clean(props.Ftype)), Params: meta.Meta.NParams,
		// The last place of the server's context is kept for a token it makes itself.
		ContextLen: props.Settings.NCtx - 1, VocabSize: b.size, Embedding: meta.Meta.NEmbd,
		Parallel:     max(0, props.TotalSlots),
		ChatTemplate: props.ChatTemplate, BOS: props.BOS, EOS: props.EOS,
		Caps: models.Caps{Normalised: f.Levels == nil},
	}
	if b.top < b.size {
		f.Info.Caps.TopN = b.top
	}
	f.Facts = b.describe(props, meta, what)
	if props.ChatTemplate != "" {
		f.Apply = b.applyTemplate
	}
	return remote.NewModel(b.c, b, f), nil
}

// applyTemplate asks the server what its template makes of a conversation.
func (b *backend) applyTemplate(ctx context.Context, turns []models.Message) (string, error) {
	type turn struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	list := []turn{}
	for _, m := range turns {
		list = append(list, turn(m))
	}
	var answer struct {
		Prompt *string `json:"prompt"`
	}
	err := b.c.Retry(ctx, true, func(ctx context.Context) error {
		return b.c.Post(ctx, "/apply-template", map[string]any{"messages": list}, &answer)
	})
	switch {
	case err != nil && remote.IsRefusal(err), err == nil && answer.Prompt == nil:
		return "", models.ErrNotSupported
	case err != nil:
		return "", err
	}
	return *answer.Prompt, nil
}

// shortName returns the name of a model whose alias is the path of its file,
// which it is where the server was given no other.
func shortName(alias string) string {
	if base, ok := strings.CutSuffix(alias[strings.LastIndexAny(alias, `/\`)+1:], ".gguf"); ok && base != "" {
		return base
	}
	return alias
}

// describe says what was found out; what is what a row holds.
func (b *backend) describe(props serverProps, meta modelEntry, what string) []models.Fact {
	return []models.Fact{
		{Name: "server", Value: b.c.Name + ", llama-server " + b.c.Clean(props.Build)},
		{Name: "model", Value: b.c.Clean(meta.ID)},
		{Name: "control", Value: "stepwise: one token a request, chosen here"},
		{Name: "input", Value: "token ids"},
		{Name: "rows", Value: remote.TopWords(b.top, b.size, what)},
		{Name: "several positions", Value: "no: one request for each"},
		{Name: "tokenizer", Value: "the server's"},
		{Name: "grammar", Value: "here; the server's own (GBNF, JSON schema) is not used"},
		{Name: "prefix cache", Value: remote.Plural(max(1, props.TotalSlots), "slot")},
		{Name: "context", Value: fmt.Sprintf("%d tokens a slot (trained with %d)", props.Settings.NCtx, meta.Meta.NCtxTrain)},
	}
}

// about reads the two pages on which the server describes itself.
func (b *backend) about(ctx context.Context) (p serverProps, m modelEntry, err error) {
	if err = b.c.Get(ctx, "/props", &p); err != nil {
		return p, m, err
	}
	var list struct {
		Data []modelEntry `json:"data"`
	}
	if err = b.c.Get(ctx, "/v1/models", &list); err != nil {
		return p, m, err
	}
	if len(list.Data) == 0 || list.Data[0].Meta.NVocab == 0 {
		return p, m, b.c.Errorf(remote.Unsuitable, "does not say how large its vocabulary is: is it a llama-server with one model loaded?")
	}
	return p, list.Data[0], nil
}

func (b *backend) Identity(ctx context.Context) (string, error) {
	p, m, err := b.about(ctx)
	if err != nil {
		return "", err
	}
	ids, _, err := b.tokenize(ctx, remote.ProbeText, false, false)
	if err != nil {
		return "", err
	}
	h := fnv.New64a()
	fmt.Fprint(h, m.ID, m.Meta, p.BOS, p.EOS, ids)
	return strconv.FormatUint(h.Sum64(), 16), nil
}

// request appends the body of POST /completion to dst.
//
// The server always makes a token of its own. When that token is the first
// part of a character and the last it may make, it leaves the probabilities
// out, and bytes that are not UTF-8 can end in an error. So unless rows ahead
// are needed it is made to choose a token of plain ASCII, which changes no
// probability: they are reported as they are before bias and sampling.
func (b *backend) request(dst []byte, q remote.Query, top int) []byte {
	dst = append(dst, `{"prompt":[`...)
	dst = remote.AppendIDs(dst, q.Tokens)
	dst = append(dst, `],"n_predict":`...)
	dst = strconv.AppendInt(dst, int64(1+q.Ahead), 10)
	dst = append(dst, `,"n_probs":`...)
	dst = strconv.AppendInt(dst, int64(top), 10)
	dst = append(dst, `,"cache_prompt":true,"post_sampling_probs":false,"stream":`...)
	dst = strconv.AppendBool(dst, q.Ahead > 0)
	switch {
	case q.Ahead == 0:
		dst = append(dst, `,"samplers":["top_k"],"top_k":1,"logit_bias":[[`...)
		dst = strconv.AppendInt(dst, int64(b.safe), 10)
		dst = append(dst, `,10000]]`...)
	case len(q.Draws) == 0:
		dst = append(dst, `,"return_tokens":true,"samplers":["top_k"],"top_k":1`...)
	default:
		dst = b.appendLaw(append(dst, `,"return_tokens":true`...), q)
	}
	if q.Slot >= 0 {
		dst = append(dst, `,"id_slot":`...)
		dst = strconv.AppendInt(dst, int64(q.Slot), 10)
	}
	return append(dst, '}')
}

func (b *backend) Fetch(ctx context.Context, q remote.Query, out *remote.Rows) error {
	q.Buf.Req = b.request(q.Buf.Req[:0], q, q.Top)
	rows := 0
	err := b.c.Stream(ctx, "POST", "/completion", q.Buf.Req, false, func(resp *http.Response, in io.Reader) (err error) {
		if remote.IsEvents(resp) {
			rows, err = b.events(in, q, out)
			return err
		}
		r, err := b.c.Whole(resp, in, remote.BodyLimit(q.Top*(1+q.Ahead)), &q.Buf.Resp)
		if err != nil {
			return err
		}
		a, err := b.scan(r, q, out)
		// Steps whose text is a part of a character are left out, and those
		// after them stand in their place.
		for rows < len(out.List) && (q.Ahead == 0 || rows < len(a.tokens) && out.List[rows].Chosen == a.tokens[rows]) {
			rows++
		}
		out.List = out.List[:rows]
		return err
	})
	if err != nil {
		return err
	}
	if q.Ahead > 0 && rows == 0 { // once more without
		q.Ahead = 0
		if err := b.Fetch(ctx, q, out); err != nil {
			return err
		}
		for _, r := range out.List {
			r.Chosen = models.NoToken // that it took it means nothing
		}
	}
	return nil
}

// events reads a stream, in which each step is an event, and hands on its rows.
func (b *backend) events(in io.Reader, q remote.Query, out *remote.Rows) (rows int, err error) {
	if q.Buf.Line == nil {
		q.Buf.Line = make([]byte, 0, 64<<10)
	}
	r := remote.Reply{}
	err = b.c.Events(in, q.Buf.Line, remote.BodyLimit(q.Top), func(data []byte) (done bool, err error) {
		have := len(out.List)
		r.Body = data
		a, err := b.scan(&r, q, out)
		if err != nil || a.stop { // the last one has nothing new
			out.List = out.List[:have]
			return true, err
		}
		// Steps that end within a character are left out, and the next counts them.
		rows++
		if len(out.List) != have+1 || a.predicted != rows || a.prompt != len(q.Tokens) {
			rows--
			out.List = out.List[:have]
			return true, nil
		}
		return false, out.HandOn()
	})
	return rows, err
}

// scan reads an answer, or an event of one, and appends its rows to out.
func (b *backend) scan(r *remote.Reply, q remote.Query, out *remote.Rows) (a answer, err error) {
	s := jsonscan.Scanner{Data: r.Body}
	scanAnswer(&s, func(s *jsonscan.Scanner, chosen int) {
		row := out.Next()
		row.Chosen = int32(chosen)
		scanEntries(s, row)
	}, &a)
	switch {
	case s.End() != nil:
		return a, b.c.NotJSON(r, "/completion")
	case a.failed:
		return a, b.c.ErrorInside(r.Body)
	case a.truncated && a.prompt > 0 && a.prompt < len(q.Tokens):
		return a, b.c.Errorf(remote.TooLong, "cut the prompt of %d tokens to %d", len(q.Tokens), a.prompt)
	case a.model != "" && a.model != b.name:
		return a, b.c.Errorf(remote.Malformed, "answered with model %q in place of %q", remote.OneLine(a.model, 60), remote.OneLine(b.name, 60))
	}
	b.c.Meter.Cache(a.cached, a.evaluated)
	return a, nil
}
