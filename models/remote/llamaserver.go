package remote

import (
	"context"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"logitscope/models"
)

// llamaServer talks to llama-server of llama.cpp through its own endpoints,
// which take token ids and report ids. Its log-probabilities are the
// log-softmax of the raw logits, whatever sampling it is told to do.
type llamaServer struct {
	c     *client
	model string // the alias, which every answer repeats
	size  int
	top   int
	safe  int32 // a token of plain ASCII, see request
	vocab *vocab
}

// llamaProps is the part of GET /props that is of use.
type llamaProps struct {
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

// llamaModel is the part of an entry of GET /v1/models that is of use.
type llamaModel struct {
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

func openLlamaServer(ctx context.Context, t target) (models.Model, error) {
	b := &llamaServer{c: t.c}
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

// discover asks the server for all that a run needs to know.
func (b *llamaServer) discover(ctx context.Context, opt Options) (*server, error) {
	props, meta, err := b.about(ctx)
	if err != nil {
		return nil, err
	}
	b.model, b.size = meta.ID, meta.Meta.NVocab
	if err := checkSize(b.c, b.size, props.Settings.NCtx); err != nil {
		return nil, err
	}
	b.top = opt.top(b.size)
	v := newVocab(b.size, b.c.timeouts)
	v.split = b.encode
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
	id, err := b.identity(ctx)
	if err != nil {
		return nil, err
	}
	m := &server{b: b, c: b.c, vocab: v, id: id, slots: make([]bool, max(1, props.TotalSlots))}
	what := "log-probabilities of the raw logits"
	if opt.Logits == LogitsAuto {
		can, err := b.levels(ctx)
		if err != nil {
			return nil, err
		}
		if can {
			m.lift, what = b, "logits, found by a second request for each,"
		}
	}
	m.info = models.Info{
		Server: b.c.kind, Address: b.c.host,
		Name: b.c.clean(meta.ID), Quant: strings.ToLower(b.c.clean(props.Ftype)), Params: meta.Meta.NParams,
		// The last place of the server's context is kept for a token it makes itself.
		ContextLen: props.Settings.NCtx - 1, VocabSize: b.size, Embedding: meta.Meta.NEmbd,
		ChatTemplate: props.ChatTemplate,
		Caps:         models.Caps{Normalised: m.lift == nil},
	}
	if b.top < b.size {
		m.info.Caps.TopN = b.top
	}
	m.facts = b.describe(props, meta, what)
	m.addKeyFact()
	return m, nil
}

// describe says what was found out; what is what a row holds.
func (b *llamaServer) describe(props llamaProps, meta llamaModel, what string) []models.Fact {
	return []models.Fact{
		{Name: "server", Value: b.c.name + ", llama-server " + b.c.clean(props.Build)},
		{Name: "model", Value: b.c.clean(meta.ID)},
		{Name: "control", Value: "stepwise: one token a request, chosen here"},
		{Name: "input", Value: "token ids"},
		{Name: "rows", Value: topWords(b.top, b.size, what)},
		{Name: "several positions", Value: "no: one request for each"},
		{Name: "tokenizer", Value: "the server's"},
		{Name: "grammar", Value: "here; the server's own (GBNF, JSON schema) is not used"},
		{Name: "prefix cache", Value: plural(max(1, props.TotalSlots), "slot")},
		{Name: "context", Value: fmt.Sprintf("%d tokens a slot (trained with %d)", props.Settings.NCtx, meta.Meta.NCtxTrain)},
	}
}

// about reads the two pages on which the server describes itself.
func (b *llamaServer) about(ctx context.Context) (p llamaProps, m llamaModel, err error) {
	if err = b.c.get(ctx, "/props", &p); err != nil {
		return p, m, err
	}
	var list struct {
		Data []llamaModel `json:"data"`
	}
	if err = b.c.get(ctx, "/v1/models", &list); err != nil {
		return p, m, err
	}
	if len(list.Data) == 0 || list.Data[0].Meta.NVocab == 0 {
		return p, m, b.c.fault(Unsuitable, "does not say how large its vocabulary is: is it a llama-server with one model loaded?")
	}
	return p, list.Data[0], nil
}

// probeText is split by the server to tell vocabularies apart.
const probeText = "The quick brown fox, 1234567890; naïve café — Ελλάδα Москва 東京 🙂\n\tif (x != 0) { return x[i]; }"

func (b *llamaServer) identity(ctx context.Context) (string, error) {
	p, m, err := b.about(ctx)
	if err != nil {
		return "", err
	}
	ids, _, err := b.tokenize(ctx, probeText, false, false)
	if err != nil {
		return "", err
	}
	h := fnv.New64a()
	fmt.Fprint(h, m.ID, m.Meta, p.BOS, p.EOS, ids)
	return strconv.FormatUint(h.Sum64(), 16), nil
}

// checkSize refuses what a server claims about itself if it cannot be true.
func checkSize(c *client, vocab, context int) error {
	switch {
	case vocab < 2 || vocab > maxVocab:
		return c.fault(Malformed, "says that its vocabulary has %d tokens; 2 to %d can be", vocab, maxVocab)
	case context < 2 || context > 1<<28:
		return c.fault(Malformed, "says that its context has %d tokens; 2 to %d can be", context, 1<<28)
	}
	return nil
}

// maxVocab is the largest vocabulary accepted from a server.
const maxVocab = 1 << 21

// topWords says how much of a vocabulary a row has.
func topWords(top, size int, what string) string {
	if top >= size {
		return fmt.Sprintf("%s of all %d tokens", what, size)
	}
	return fmt.Sprintf("%s of the top %d of %d tokens", what, top, size)
}

// addKeyFact says how the key was found, and where it goes in the clear.
func (m *server) addKeyFact() { m.facts = append(m.facts, m.c.keyFact()...) }

func (c *client) keyFact() []models.Fact {
	switch {
	case !c.hasKey:
		return nil
	case strings.HasPrefix(c.base, "http://") && !strings.Contains(c.name, " 127.0.0.1") && !strings.Contains(c.name, " localhost") && !strings.Contains(c.name, " [::1]"):
		return []models.Fact{{Name: "key", Value: "from " + c.keyVar + ", sent without encryption (http)"}}
	}
	return []models.Fact{{Name: "key", Value: "from " + c.keyVar}}
}

// request appends the body of POST /completion to dst.
//
// The server always makes a token of its own. When that token is the first
// part of a character and the last it may make, it leaves the probabilities
// out, and bytes that are no text can end in an error. So unless rows ahead
// are wanted it is made to choose a token of plain ASCII, which changes no
// probability: they are reported as they are before bias and sampling.
func (b *llamaServer) request(dst []byte, q query, top int) []byte {
	dst = append(dst, `{"prompt":[`...)
	dst = appendIDs(dst, q.tokens)
	dst = append(dst, `],"n_predict":`...)
	dst = strconv.AppendInt(dst, int64(1+q.ahead), 10)
	dst = append(dst, `,"n_probs":`...)
	dst = strconv.AppendInt(dst, int64(top), 10)
	dst = append(dst, `,"cache_prompt":true,"post_sampling_probs":false,"stream":false,"samplers":["top_k"],"top_k":1`...)
	if q.ahead == 0 {
		dst = append(dst, `,"logit_bias":[[`...)
		dst = strconv.AppendInt(dst, int64(b.safe), 10)
		dst = append(dst, `,10000]]`...)
	} else {
		dst = append(dst, `,"return_tokens":true`...)
	}
	if q.slot >= 0 {
		dst = append(dst, `,"id_slot":`...)
		dst = strconv.AppendInt(dst, int64(q.slot), 10)
	}
	return append(dst, '}')
}

func appendIDs(dst []byte, ids []int32) []byte {
	for i, id := range ids {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(dst, int64(id), 10)
	}
	return dst
}

// bodyLimit bounds an answer with top entries in all: what an entry takes at
// the most, apart from giant pieces, and room for the settings.
func bodyLimit(top int) int { return mib + 512*top }

func (b *llamaServer) fetch(ctx context.Context, q query, out *rows) error {
	q.buf.req = b.request(q.buf.req[:0], q, b.top)
	r, err := b.c.send(ctx, "POST", "/completion", q.buf.req, bodyLimit(b.top*(1+q.ahead)), &q.buf.resp)
	if err != nil {
		return err
	}
	s := scanner{b: r.body}
	var a llamaAnswer
	b.scanAnswer(&s, func(s *scanner, chosen int) {
		row := out.next()
		row.chosen = int32(chosen)
		scanEntries(s, row)
	}, &a)
	switch {
	case s.end() != nil:
		return b.c.malformed(r, "/completion")
	case a.failed:
		return b.c.inside(r.body)
	case a.truncated:
		return b.c.fault(Malformed, "cut the prompt, which it was not asked to")
	case a.model != "" && a.model != b.model:
		return b.c.fault(Malformed, "answered with model %q in place of %q", oneLine(a.model, 60), oneLine(b.model, 60))
	}
	if q.ahead > 0 {
		// Steps whose text is a part of a character are left out, and those
		// after them stand in their place.
		n := 0
		for n < len(out.list) && n < len(a.tokens) && out.list[n].chosen == a.tokens[n] {
			n++
		}
		if out.list = out.list[:n]; n == 0 { // once more without
			q.ahead = 0
			return b.fetch(ctx, q, out)
		}
	}
	b.c.meter.cache(a.cached, a.evaluated)
	return nil
}
