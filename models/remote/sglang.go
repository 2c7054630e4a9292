package remote

import (
	"context"
	"fmt"
	"hash/fnv"
	"net/http"
	"strconv"
	"strings"

	"logitscope/models"
)

// sgLang talks to an SGLang server through its own /generate, which takes
// token ids, reports ids, and scores the end of a prompt in one request. Its
// shapes are those of its documentation and source; see docs/servers.md.
type sgLang struct {
	c    *client
	path string // of the model, which is its name
	at   string // what stands before /tokenize: "" or "/v1"
	size int
	top  int
}

// sglangInfo is the part of GET /get_model_info that is of use.
type sglangInfo struct {
	Path       string         `json:"model_path"`
	Generation *bool          `json:"is_generation"`
	Preferred  map[string]any `json:"preferred_sampling_params"`
	Version    string         `json:"weight_version"`
}

func openSGLang(ctx context.Context, t target) (models.Model, error) {
	b := &sgLang{c: t.c}
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

func (b *sgLang) discover(ctx context.Context, opt Options) (*server, error) {
	info, err := b.about(ctx)
	if err != nil {
		return nil, err
	}
	if info.Generation != nil && !*info.Generation {
		return nil, b.c.fault(Unsuitable, "serves a model that does not generate text")
	}
	b.path = info.Path
	maxLen, version, err := b.limits(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := b.tokenize(ctx, "A", false); err != nil && refused(err) {
		b.at = "/v1" // where some versions have it
	}
	if b.size, err = b.measure(ctx); err != nil {
		return nil, err
	}
	if err := checkSize(b.c, b.size, maxLen); err != nil {
		return nil, err
	}
	b.top = opt.top(b.size)
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
	m := &server{b: b, c: b.c, vocab: v, id: id}
	m.info = models.Info{
		Server: b.c.kind, Address: b.c.host,
		Name: b.c.clean(b.path), ContextLen: maxLen - 1, VocabSize: b.size, Defaults: info.Preferred,
		Caps: models.Caps{Normalised: true, PromptScores: true},
	}
	if b.top < b.size {
		m.info.Caps.TopN = b.top
	}
	m.facts = []models.Fact{
		{Name: "server", Value: b.c.name + ", SGLang " + version},
		{Name: "model", Value: m.info.Name},
		{Name: "control", Value: "stepwise: one token a request, chosen here"},
		{Name: "input", Value: "token ids"},
		{Name: "rows", Value: topWords(b.top, b.size, "log-probabilities of the raw logits")},
		{Name: "several positions", Value: "yes: logprobs of the prompt's end"},
		{Name: "tokenizer", Value: "the server's; names of control tokens are always read as such"},
		{Name: "grammar", Value: "here; the server's own structured output is not used"},
		{Name: "prefix cache", Value: "the server's radix cache, unless it was started without"},
		{Name: "context", Value: fmt.Sprintf("%d tokens", maxLen)},
	}
	m.addLossyFact(lossy)
	m.addKeyFact()
	return m, nil
}

func (b *sgLang) about(ctx context.Context) (info sglangInfo, err error) {
	err = b.c.get(ctx, "/get_model_info", &info)
	if err != nil && refused(err) { // its name in later versions
		err = b.c.get(ctx, "/model_info", &info)
	}
	if err == nil && info.Path == "" {
		err = b.c.fault(Unsuitable, "does not name its model: is it an SGLang server?")
	}
	return info, err
}

// limits finds the length of the context and the version of the server.
func (b *sgLang) limits(ctx context.Context) (maxLen int, version string, err error) {
	var list vllmModels
	if err := b.c.get(ctx, "/v1/models", &list); err != nil {
		return 0, "", err
	}
	if len(list.Data) > 0 {
		maxLen = list.Data[0].MaxModelLen
	}
	var s struct {
		Version string `json:"version"`
		Context int    `json:"context_length"`
		Input   int    `json:"max_req_input_len"`
	}
	err = b.c.get(ctx, "/get_server_info", &s)
	if err != nil && refused(err) {
		err = b.c.get(ctx, "/server_info", &s)
	}
	if err != nil && !refused(err) {
		return 0, "", err
	}
	if maxLen == 0 {
		maxLen = s.Context
	}
	if s.Input > 0 { // what fits into the memory it was given
		maxLen = min(maxLen, s.Input+1)
	}
	if version = b.c.clean(s.Version); version == "" {
		version = "of an unknown version"
	}
	return maxLen, version, nil
}

// measure finds the size of the vocabulary: an id that is too large is
// answered with the limit, or the limit is searched for.
func (b *sgLang) measure(ctx context.Context) (int, error) {
	_, err := b.c.send(ctx, http.MethodPost, "/generate", b.request(nil, query{tokens: []int32{maxVocab - 1}, want: 1}, 1), smallBody, nil)
	if err == nil {
		return sizeUnknown, nil
	}
	if !refused(err) {
		return 0, err
	}
	if _, msg, ok := strings.Cut(err.Error(), "vocab size ("); ok {
		if n := firstNumber(msg); n > 1 {
			return n, nil
		}
	}
	n, err := searchSize(ctx, func(ctx context.Context, id int32) (bool, error) {
		_, err := b.c.send(ctx, http.MethodPost, "/generate", b.request(nil, query{tokens: []int32{id}, want: 1}, 1), smallBody, nil)
		if err != nil && refused(err) {
			return false, nil
		}
		return err == nil, err
	})
	if err == nil && n == 0 {
		n = sizeUnknown
	}
	return n, err
}

func (b *sgLang) identity(ctx context.Context) (string, error) {
	info, err := b.about(ctx)
	if err != nil {
		return "", err
	}
	ids, err := b.tokenize(ctx, probeText, false)
	if err != nil {
		return "", err
	}
	h := fnv.New64a()
	fmt.Fprint(h, info.Path, info.Version, ids)
	return strconv.FormatUint(h.Sum64(), 16), nil
}

// request appends the body of POST /generate to dst. The temperature is 1
// because the server reports probabilities after it; top_k 1 makes its own
// token the most probable one.
func (b *sgLang) request(dst []byte, q query, top int) []byte {
	dst = append(dst, `{"input_ids":[`...)
	dst = appendIDs(dst, q.tokens)
	dst = append(dst, `],"sampling_params":{"max_new_tokens":`...)
	dst = strconv.AppendInt(dst, int64(1+q.ahead), 10)
	dst = append(dst, `,"temperature":1,"top_p":1,"top_k":1,"min_p":0,"repetition_penalty":1,"presence_penalty":0,"frequency_penalty":0`+
		`,"ignore_eos":true,"skip_special_tokens":false},"return_logprob":true,"return_text_in_logprobs":false,"stream":false,"top_logprobs_num":`...)
	dst = strconv.AppendInt(dst, int64(top), 10)
	dst = append(dst, `,"logprob_start_len":`...)
	start := -1
	if q.want > 1 { // the first position it reports is always empty
		start = len(q.tokens) - q.want
	}
	dst = strconv.AppendInt(dst, int64(start), 10)
	return append(dst, '}')
}

func (b *sgLang) fetch(ctx context.Context, q query, out *rows) error {
	q.buf.req = b.request(q.buf.req[:0], q, b.top)
	r, err := b.c.send(ctx, http.MethodPost, "/generate", q.buf.req, bodyLimit(b.top*(q.want+q.ahead)), &q.buf.resp)
	if err != nil {
		return err
	}
	return b.scan(r, q, out)
}
