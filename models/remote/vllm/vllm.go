// Package vllm answers: how is a vLLM server asked? It runs models behind a
// vLLM server, through /v1/completions and its extensions.
package vllm

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"logitscope/models"
	"logitscope/models/remote"
)

// A backend talks to a vLLM server through /v1/completions with its extensions:
// prompts and answers as token ids, and probabilities of prompt positions.
// Its shapes are those of its documentation and source; see docs/servers.md.
type backend struct {
	c     *remote.Client
	model string // as the server names it
	size  int
	top   int // tokens in a row; size stands for the whole vocabulary
	limit int // most tokens the server gives, or size
	raw   bool
	bos   int32 // some token that can begin a prompt

	singles int // tokens whose text was asked for by itself
}

// Kind is the row of this kind of server.
var Kind = remote.Kind{
	Name: "vllm", Usage: "vllm:URL[#MODEL]", Port: "8000", KeyVar: "VLLM_API_KEY", Path: "/v1",
	Split: splitHash, Looks: looks, Connect: connect,
}

// looks reports whether a server is a vLLM server.
func looks(ctx context.Context, c *remote.Client) bool {
	var list remote.ModelList
	return c.Get(ctx, "/v1/models", &list) == nil && len(list.Data) > 0 && list.Data[0].Owner == "vllm"
}

// splitHash separates URL#MODEL.
func splitHash(rest string) (address, model string) {
	address, model, _ = strings.Cut(rest, "#")
	return address, model
}

func connect(ctx context.Context, t remote.Target) (models.Model, error) {
	b := &backend{c: t.Client, model: t.Model}
	root, maxLen, err := b.about(ctx)
	if err != nil {
		return nil, err
	}
	if err := remote.CheckSize(b.c, 2, maxLen); err != nil {
		return nil, err
	}
	ids, _, err := b.tokenize(ctx, "A", false)
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 || ids[0] < 0 {
		return nil, b.c.Errorf(remote.Unsuitable, "cannot split text into tokens")
	}
	b.bos = ids[0]
	if err := b.measure(ctx, t.Opt); err != nil {
		return nil, err
	}
	v := remote.NewVocab(b.c, b.size, b.encode)
	lossy, err := b.pieces(ctx, v)
	if err != nil {
		return nil, err
	}
	id, err := b.Identity(ctx)
	if err != nil {
		return nil, err
	}
	f := remote.Found{Top: b.top, Vocab: v, ID: id, Logits: b.raw}
	f.Info = models.Info{
		Name: b.c.Clean(b.model), ContextLen: maxLen - 1, VocabSize: b.size,
		Caps: models.Caps{Normalised: !b.raw, PromptScores: true},
	}
	if b.top < b.size {
		f.Info.Caps.TopN = b.top
	}
	what := "log-probabilities of the raw logits"
	if b.raw {
		what = "raw logits"
	}
	f.Facts = []models.Fact{
		{Name: "server", Value: b.c.Name + ", vLLM " + b.version(ctx)},
		{Name: "model", Value: f.Info.Name + " (" + b.c.Clean(root) + ")"},
		{Name: "control", Value: "stepwise: one token a request, chosen here"},
		{Name: "input", Value: "token ids"},
		{Name: "rows", Value: remote.TopWords(b.top, b.size, what)},
		{Name: "several positions", Value: "yes: prompt logprobs, or requests side by side"},
		{Name: "tokenizer", Value: "the server's; names of control tokens are always read as such"},
		{Name: "grammar", Value: "here; the server's own structured output is not used"},
		{Name: "prefix cache", Value: "the server's, unless it was started without"},
		{Name: "context", Value: fmt.Sprintf("%d tokens", maxLen)},
	}
	f.Facts = append(f.Facts, remote.LossyFacts(lossy)...)
	return remote.NewModel(b.c, b, f), nil
}

// about finds the model among those served.
func (b *backend) about(ctx context.Context) (root string, maxLen int, err error) {
	var list remote.ModelList
	if err := b.c.Get(ctx, "/v1/models", &list); err != nil {
		return "", 0, err
	}
	var names []string
	for _, d := range list.Data {
		if b.model == "" {
			b.model = d.ID
		}
		if d.ID == b.model {
			return d.Root, d.MaxModelLen, nil
		}
		names = append(names, d.ID)
	}
	return "", 0, b.c.Errorf(remote.Unsuitable, "does not serve %q; it has %s", remote.OneLine(b.model, 80), remote.OneLine(strings.Join(names, ", "), 160))
}

func (b *backend) version(ctx context.Context) string {
	var v struct {
		Version string `json:"version"`
	}
	if b.c.Get(ctx, "/version", &v) != nil || v.Version == "" {
		return "of an unknown version"
	}
	return b.c.Clean(v.Version)
}

func (b *backend) Identity(ctx context.Context) (string, error) {
	root, maxLen, err := b.about(ctx)
	if err != nil {
		return "", err
	}
	ids, _, err := b.tokenize(ctx, remote.ProbeText, false)
	if err != nil {
		return "", err
	}
	h := fnv.New64a()
	fmt.Fprint(h, b.model, root, maxLen, ids)
	return strconv.FormatUint(h.Sum64(), 16), nil
}

// measure finds how many tokens a row can have, the size of the vocabulary,
// and whether rows are logits or log-probabilities.
func (b *backend) measure(ctx context.Context, opt remote.Options) error {
	if err := b.findLimit(ctx); err != nil {
		return err
	}
	if err := b.findSize(ctx); err != nil {
		return err
	}
	b.limit = min(b.limit, b.size)
	part, err := b.probe(ctx, min(b.limit, remote.DefaultTop))
	if err != nil {
		return err
	}
	b.raw = !part.Normalised()
	switch {
	case !b.raw:
		b.top = min(opt.Top(b.size), b.limit)
	case b.limit < b.size: // the share of a part of the logits cannot be known
		return b.c.Errorf(remote.Unsuitable, "gives raw logits of the top %d only, which leaves the rest unknown: start it with --max-logprobs -1", b.limit)
	default:
		b.top = b.size
	}
	return nil
}

// findLimit asks for more tokens than any vocabulary has; the refusal names
// the limit, which with --max-logprobs -1 is the size of the vocabulary.
func (b *backend) findLimit(ctx context.Context) error {
	whole, err := b.probe(ctx, remote.MaxVocab)
	if err == nil {
		b.limit = len(whole.IDs)
		return nil
	}
	if !remote.IsRefusal(err) {
		return err
	}
	_, msg, found := strings.Cut(err.Error(), "max allowed:")
	if b.limit = remote.FirstNumber(msg); !found || b.limit < 1 {
		b.limit = 20 // the default of --max-logprobs
	}
	return nil
}

// findSize tries whether the limit is the size, and else searches for it.
func (b *backend) findSize(ctx context.Context) error {
	if b.limit > remote.WholeUpTo/2 {
		in, err := b.accepts(ctx, int32(b.limit-1))
		if err != nil {
			return err
		}
		out, err := b.accepts(ctx, int32(b.limit))
		if err != nil {
			return err
		}
		if in && !out {
			b.size = b.limit
			return nil
		}
	}
	size, err := remote.SearchSize(ctx, b.accepts)
	if size == 0 {
		size = remote.SizeUnknown
	}
	b.size = size
	return err
}

// probe asks for one row with n tokens.
func (b *backend) probe(ctx context.Context, n int) (*remote.Row, error) {
	q := remote.Query{Tokens: []int32{b.bos}, Want: 1}
	r, err := b.c.Send(ctx, http.MethodPost, "/v1/completions", b.request(nil, q, n), remote.WholeLimit, nil)
	if err != nil {
		return nil, err
	}
	var out remote.Rows
	if err := b.scan(r, q, &out); err != nil {
		return nil, err
	}
	if len(out.List) != 1 {
		return nil, b.c.Errorf(remote.Unsuitable, "gives no log-probabilities")
	}
	return out.List[0], nil
}

// accepts reports whether the server takes a prompt that ends in id.
func (b *backend) accepts(ctx context.Context, id int32) (bool, error) {
	q := remote.Query{Tokens: []int32{b.bos, id}, Want: 1}
	_, err := b.c.Send(ctx, http.MethodPost, "/v1/completions", b.request(nil, q, 1), remote.SmallBody, nil)
	if err != nil && remote.IsRefusal(err) {
		return false, nil
	}
	return err == nil, err
}

// request appends the body of POST /v1/completions to dst. The number of
// tokens is always given: its own word for all of them, -1, gives none here.
// Sampling is neutral, so that a server that reports processed values reports
// the model's own.
func (b *backend) request(dst []byte, q remote.Query, top int) []byte {
	name, _ := json.Marshal(b.model)
	dst = append(dst, `{"model":`...)
	dst = append(dst, name...)
	dst = append(dst, `,"prompt":[`...)
	dst = remote.AppendIDs(dst, q.Tokens)
	dst = append(dst, `],"max_tokens":`...)
	dst = strconv.AppendInt(dst, int64(1+q.Ahead), 10)
	dst = append(dst, `,"logprobs":`...)
	dst = strconv.AppendInt(dst, int64(top), 10)
	if q.Want > 1 {
		dst = append(dst, `,"prompt_logprobs":`...)
		dst = strconv.AppendInt(dst, int64(top), 10)
	}
	if q.Ahead > 0 {
		dst = append(dst, `,"temperature":0`...)
	} else {
		dst = append(dst, `,"temperature":1`...)
	}
	return append(dst, `,"top_p":1,"top_k":-1,"min_p":0,"repetition_penalty":1,"presence_penalty":0,"frequency_penalty":0`+
		`,"n":1,"ignore_eos":true,"skip_special_tokens":false,"return_tokens_as_token_ids":true,"stream":false}`...)
}

// promptLimit is the most entries of prompt positions worth asking for: the
// server sends those of the whole prompt, wanted or not.
const promptLimit = 1 << 16

func (b *backend) Fetch(ctx context.Context, q remote.Query, out *remote.Rows) error {
	if q.Want > 1 && len(q.Tokens)*q.Top > promptLimit {
		return b.fetchEach(ctx, q, out)
	}
	q.Buf.Req = b.request(q.Buf.Req[:0], q, q.Top)
	entries := q.Top * (1 + q.Ahead)
	if q.Want > 1 {
		entries += q.Top * len(q.Tokens)
	}
	r, err := b.c.Send(ctx, http.MethodPost, "/v1/completions", q.Buf.Req, remote.BodyLimit(entries), &q.Buf.Resp)
	if err != nil {
		return err
	}
	return b.scan(r, q, out)
}

// fetchEach asks for the wanted rows side by side; the server runs them as
// one batch over its prefix cache.
func (b *backend) fetchEach(ctx context.Context, q remote.Query, out *remote.Rows) error {
	errs := make([]error, q.Want)
	parts := make([]remote.Rows, q.Want)
	var wg sync.WaitGroup
	for i := range q.Want {
		wg.Go(func() {
			one := remote.Query{Tokens: q.Tokens[:len(q.Tokens)-q.Want+1+i], Want: 1, Top: q.Top, Slot: -1, Buf: &remote.Buffers{Resp: bytes.Buffer{}}}
			if i == q.Want-1 {
				one.Ahead = q.Ahead
			}
			errs[i] = b.Fetch(ctx, one, &parts[i])
		})
	}
	wg.Wait()
	for i := range q.Want {
		if errs[i] != nil {
			return errs[i]
		}
		out.List = append(out.List, parts[i].List...)
	}
	return nil
}
