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
	"sync"

	"logitscope/models"
)

// vLLM talks to a vLLM server through /v1/completions with its extensions:
// prompts and answers as token ids, and probabilities of prompt positions.
// Its shapes are those of its documentation and source; see docs/servers.md.
type vLLM struct {
	c     *client
	model string // as the server names it
	size  int
	top   int // tokens in a row; size stands for the whole vocabulary
	limit int // most tokens the server gives, or size
	raw   bool
	bos   int32 // some token that can begin a prompt

	singles int // tokens whose text was asked for by itself
}

// sizeUnknown is the size given to a vocabulary whose server tells it to
// nobody; rows are partial then, so it only bounds ids.
const sizeUnknown = 1 << 18

// wholeLimit bounds the answer to the first request for a whole vocabulary,
// whose size is not known yet.
const wholeLimit = 256 * mib

type vllmModels struct {
	Data []struct {
		ID          string `json:"id"`
		Root        string `json:"root"`
		MaxModelLen int    `json:"max_model_len"`
	} `json:"data"`
}

func openVLLM(ctx context.Context, t target) (models.Model, error) {
	b := &vLLM{c: t.c, model: t.model}
	var m *server
	err := t.c.retry(ctx, false, func(ctx context.Context) (err error) {
		m, err = b.discover(ctx, t.opt)
		return err
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

func (b *vLLM) discover(ctx context.Context, opt Options) (*server, error) {
	root, maxLen, err := b.about(ctx)
	if err != nil {
		return nil, err
	}
	if err := checkSize(b.c, 2, maxLen); err != nil {
		return nil, err
	}
	ids, _, err := b.tokenize(ctx, "A", false)
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 || ids[0] < 0 {
		return nil, b.c.fault(Unsuitable, "cannot split text into tokens")
	}
	b.bos = ids[0]
	if err := b.measure(ctx, opt); err != nil {
		return nil, err
	}
	v := newVocab(b.size, b.c.timeouts)
	v.split = b.encode
	lossy, err := b.pieces(ctx, v)
	if err != nil {
		return nil, err
	}
	id, err := b.identity(ctx)
	if err != nil {
		return nil, err
	}
	m := &server{b: b, c: b.c, vocab: v, id: id, raw: b.raw}
	m.info = models.Info{
		Server: b.c.kind, Address: b.c.host,
		Name: b.c.clean(b.model), ContextLen: maxLen - 1, VocabSize: b.size,
		Caps: models.Caps{Normalised: !b.raw, PromptScores: true},
	}
	if b.top < b.size {
		m.info.Caps.TopN = b.top
	}
	what := "log-probabilities of the raw logits"
	if b.raw {
		what = "raw logits"
	}
	m.facts = []models.Fact{
		{Name: "server", Value: b.c.name + ", vLLM " + b.version(ctx)},
		{Name: "model", Value: m.info.Name + " (" + b.c.clean(root) + ")"},
		{Name: "control", Value: "stepwise: one token a request, chosen here"},
		{Name: "input", Value: "token ids"},
		{Name: "rows", Value: topWords(b.top, b.size, what)},
		{Name: "several positions", Value: "yes: prompt logprobs, or requests side by side"},
		{Name: "tokenizer", Value: "the server's; names of control tokens are always read as such"},
		{Name: "grammar", Value: "here; the server's own structured output is not used"},
		{Name: "prefix cache", Value: "the server's, unless it was started without"},
		{Name: "context", Value: fmt.Sprintf("%d tokens", maxLen)},
	}
	m.addLossyFact(lossy)
	m.addKeyFact()
	return m, nil
}

// addLossyFact says that some pieces are not known byte by byte.
func (m *server) addLossyFact(n int) {
	if n > 0 {
		m.facts = append(m.facts, models.Fact{Name: "pieces", Value: plural(n, "token") + " known only as U+FFFD: parts of characters the server does not spell out"})
	}
}

// about finds the model among those served.
func (b *vLLM) about(ctx context.Context) (root string, maxLen int, err error) {
	var list vllmModels
	if err := b.c.get(ctx, "/v1/models", &list); err != nil {
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
	return "", 0, b.c.fault(Unsuitable, "does not serve %q; it has %s", oneLine(b.model, 80), oneLine(strings.Join(names, ", "), 160))
}

func (b *vLLM) version(ctx context.Context) string {
	var v struct {
		Version string `json:"version"`
	}
	if b.c.get(ctx, "/version", &v) != nil || v.Version == "" {
		return "of an unknown version"
	}
	return b.c.clean(v.Version)
}

func (b *vLLM) identity(ctx context.Context) (string, error) {
	root, maxLen, err := b.about(ctx)
	if err != nil {
		return "", err
	}
	ids, _, err := b.tokenize(ctx, probeText, false)
	if err != nil {
		return "", err
	}
	h := fnv.New64a()
	fmt.Fprint(h, b.model, root, maxLen, ids)
	return strconv.FormatUint(h.Sum64(), 16), nil
}

// measure finds how many tokens a row can have, the size of the vocabulary,
// and whether rows are logits or log-probabilities.
func (b *vLLM) measure(ctx context.Context, opt Options) error {
	if err := b.findLimit(ctx); err != nil {
		return err
	}
	if err := b.findSize(ctx); err != nil {
		return err
	}
	b.limit = min(b.limit, b.size)
	part, err := b.probe(ctx, min(b.limit, defaultTop))
	if err != nil {
		return err
	}
	b.raw = !looksNormalised(part)
	switch {
	case !b.raw:
		b.top = min(opt.top(b.size), b.limit)
	case b.limit < b.size: // the share of a part of the logits cannot be known
		return b.c.fault(Unsuitable, "gives raw logits of the top %d only, which leaves the rest unknown: start it with --max-logprobs -1", b.limit)
	default:
		b.top = b.size
	}
	return nil
}

// findLimit asks for more tokens than any vocabulary has; the refusal names
// the limit, which with --max-logprobs -1 is the size of the vocabulary.
func (b *vLLM) findLimit(ctx context.Context) error {
	whole, err := b.probe(ctx, maxVocab)
	if err == nil {
		b.limit = len(whole.ids)
		return nil
	}
	if !refused(err) {
		return err
	}
	_, msg, found := strings.Cut(err.Error(), "max allowed:")
	if b.limit = firstNumber(msg); !found || b.limit < 1 {
		b.limit = 20 // the default of --max-logprobs
	}
	return nil
}

// findSize tries whether the limit is the size, and else searches for it.
func (b *vLLM) findSize(ctx context.Context) error {
	if b.limit > wholeUpTo/2 {
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
	size, err := searchSize(ctx, b.accepts)
	if size == 0 {
		size = sizeUnknown
	}
	b.size = size
	return err
}

// looksNormalised reports whether values can be log-probabilities.
func looksNormalised(r *row) bool {
	g := grid{size: maxVocab}
	probe := row{ids: slices.Clone(r.ids), values: slices.Clone(r.values)}
	return g.finish(&probe) == ""
}

// probe asks for one row with n tokens.
func (b *vLLM) probe(ctx context.Context, n int) (*row, error) {
	q := query{tokens: []int32{b.bos}, want: 1}
	r, err := b.c.send(ctx, http.MethodPost, "/v1/completions", b.request(nil, q, n), wholeLimit, nil)
	if err != nil {
		return nil, err
	}
	var out rows
	if err := b.scan(r, q, &out); err != nil {
		return nil, err
	}
	if len(out.list) != 1 {
		return nil, b.c.fault(Unsuitable, "gives no log-probabilities")
	}
	return out.list[0], nil
}

// accepts reports whether the server takes a prompt that ends in id.
func (b *vLLM) accepts(ctx context.Context, id int32) (bool, error) {
	q := query{tokens: []int32{b.bos, id}, want: 1}
	_, err := b.c.send(ctx, http.MethodPost, "/v1/completions", b.request(nil, q, 1), smallBody, nil)
	if err != nil && refused(err) {
		return false, nil
	}
	return err == nil, err
}

// request appends the body of POST /v1/completions to dst. The number of
// tokens is always given: its own word for all of them, -1, gives none here.
// Sampling is neutral, so that a server that reports processed values reports
// the model's own.
func (b *vLLM) request(dst []byte, q query, top int) []byte {
	name, _ := json.Marshal(b.model)
	dst = append(dst, `{"model":`...)
	dst = append(dst, name...)
	dst = append(dst, `,"prompt":[`...)
	dst = appendIDs(dst, q.tokens)
	dst = append(dst, `],"max_tokens":`...)
	dst = strconv.AppendInt(dst, int64(1+q.ahead), 10)
	dst = append(dst, `,"logprobs":`...)
	dst = strconv.AppendInt(dst, int64(top), 10)
	if q.want > 1 {
		dst = append(dst, `,"prompt_logprobs":`...)
		dst = strconv.AppendInt(dst, int64(top), 10)
	}
	if q.ahead > 0 {
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

func (b *vLLM) fetch(ctx context.Context, q query, out *rows) error {
	if q.want > 1 && len(q.tokens)*b.top > promptLimit {
		return b.fetchEach(ctx, q, out)
	}
	q.buf.req = b.request(q.buf.req[:0], q, b.top)
	entries := b.top * (1 + q.ahead)
	if q.want > 1 {
		entries += b.top * len(q.tokens)
	}
	r, err := b.c.send(ctx, http.MethodPost, "/v1/completions", q.buf.req, bodyLimit(entries), &q.buf.resp)
	if err != nil {
		return err
	}
	return b.scan(r, q, out)
}

// fetchEach asks for the wanted rows side by side; the server runs them as
// one batch over its prefix cache.
func (b *vLLM) fetchEach(ctx context.Context, q query, out *rows) error {
	errs := make([]error, q.want)
	parts := make([]rows, q.want)
	var wg sync.WaitGroup
	for i := range q.want {
		wg.Go(func() {
			one := query{tokens: q.tokens[:len(q.tokens)-q.want+1+i], want: 1, slot: -1, buf: &buffers{resp: bytes.Buffer{}}}
			if i == q.want-1 {
				one.ahead = q.ahead
			}
			errs[i] = b.fetch(ctx, one, &parts[i])
		})
	}
	wg.Wait()
	for i := range q.want {
		if errs[i] != nil {
			return errs[i]
		}
		out.list = append(out.list, parts[i].list...)
	}
	return nil
}
