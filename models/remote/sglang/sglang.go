// Package sglang answers: how is an SGLang server asked? It runs models behind
// an SGLang server, through its own /generate.
package sglang

import (
	"context"
	"fmt"
	"hash/fnv"
	"net/http"
	"strconv"
	"strings"

	"logitscope/models"
	"logitscope/models/remote"
)

// A backend talks to an SGLang server through its own /generate, which takes
// token ids, reports ids, and scores the end of a prompt in one request. Its
// shapes are those of its documentation and source; see docs/servers.md.
type backend struct {
	c    *remote.Client
	path string // of the model, which is its name
	at   string // what stands before /tokenize: "" or "/v1"
	size int
	top  int
}

// serverInfo is the part of GET /get_model_info that is of use.
type serverInfo struct {
	Path       string         `json:"model_path"`
	Generation *bool          `json:"is_generation"`
	Preferred  map[string]any `json:"preferred_sampling_params"`
	Version    string         `json:"weight_version"`
}

// Kind is the row of this kind of server.
var Kind = remote.Kind{
	Name: "sglang", Usage: "sglang:URL", Port: "30000", KeyVar: "SGLANG_API_KEY", Path: "/v1", Looks: looks, Connect: connect,
}

// looks reports whether a server is an SGLang server.
func looks(ctx context.Context, c *remote.Client) bool {
	info, err := (&backend{c: c}).about(ctx)
	return err == nil && info.Path != ""
}

func connect(ctx context.Context, t remote.Target) (models.Model, error) {
	b := &backend{c: t.Client}
	info, err := b.about(ctx)
	if err != nil {
		return nil, err
	}
	if info.Generation != nil && !*info.Generation {
		return nil, b.c.Errorf(remote.Unsuitable, "serves a model that does not generate text")
	}
	b.path = info.Path
	maxLen, version, err := b.limits(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := b.tokenize(ctx, "A", false); err != nil && remote.IsRefusal(err) {
		b.at = "/v1" // where some versions have it
	}
	if b.size, err = b.measure(ctx); err != nil {
		return nil, err
	}
	if err := remote.CheckSize(b.c, b.size, maxLen); err != nil {
		return nil, err
	}
	b.top = t.Opt.Top(b.size)
	v := remote.NewVocab(b.c, b.size, b.encode)
	lossy, err := b.pieces(ctx, v)
	if err != nil {
		return nil, err
	}
	id, err := b.Identity(ctx)
	if err != nil {
		return nil, err
	}
	f := remote.Found{Top: b.top, Vocab: v, ID: id}
	f.Info = models.Info{
		Name: b.c.Clean(b.path), ContextLen: maxLen - 1, VocabSize: b.size, Defaults: info.Preferred, DefaultsOf: "sglang",
		Caps: models.Caps{Normalised: true, PromptScores: true},
	}
	if b.top < b.size {
		f.Info.Caps.TopN = b.top
	}
	f.Facts = []models.Fact{
		{Name: "server", Value: b.c.Name + ", SGLang " + version},
		{Name: "model", Value: f.Info.Name},
		{Name: "control", Value: "stepwise: one token a request, chosen here"},
		{Name: "input", Value: "token ids"},
		{Name: "rows", Value: remote.TopWords(b.top, b.size, "log-probabilities of the raw logits")},
		{Name: "several positions", Value: "yes: logprobs of the prompt's end"},
		{Name: "tokenizer", Value: "the server's; names of control tokens are always read as such"},
		{Name: "grammar", Value: "here; the server's own structured output is not used"},
		{Name: "prefix cache", Value: "the server's radix cache, unless it was started without"},
		{Name: "context", Value: fmt.Sprintf("%d tokens", maxLen)},
	}
	f.Facts = append(f.Facts, remote.LossyFacts(lossy)...)
	return remote.NewModel(b.c, b, f), nil
}

func (b *backend) about(ctx context.Context) (info serverInfo, err error) {
	err = b.c.Get(ctx, "/get_model_info", &info)
	if err != nil && remote.IsRefusal(err) { // its name in later versions
		err = b.c.Get(ctx, "/model_info", &info)
	}
	if err == nil && info.Path == "" {
		err = b.c.Errorf(remote.Unsuitable, "does not name its model: is it an SGLang server?")
	}
	return info, err
}

// limits finds the length of the context and the version of the server.
func (b *backend) limits(ctx context.Context) (maxLen int, version string, err error) {
	var list remote.ModelList
	if err := b.c.Get(ctx, "/v1/models", &list); err != nil {
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
	err = b.c.Get(ctx, "/get_server_info", &s)
	if err != nil && remote.IsRefusal(err) {
		err = b.c.Get(ctx, "/server_info", &s)
	}
	if err != nil && !remote.IsRefusal(err) {
		return 0, "", err
	}
	if maxLen == 0 {
		maxLen = s.Context
	}
	if s.Input > 0 { // what fits into the memory it was given
		maxLen = min(maxLen, s.Input+1)
	}
	if version = b.c.Clean(s.Version); version == "" {
		version = "of an unknown version"
	}
	return maxLen, version, nil
}

// measure finds the size of the vocabulary: an id that is too large is
// answered with the limit, or the limit is searched for.
func (b *backend) measure(ctx context.Context) (int, error) {
	_, err := b.c.Send(ctx, http.MethodPost, "/generate", b.request(nil, remote.Query{Tokens: []int32{remote.MaxVocab - 1}, Want: 1}, 1), remote.SmallBody, nil)
	if err == nil {
		return remote.SizeUnknown, nil
	}
	if !remote.IsRefusal(err) {
		return 0, err
	}
	if _, msg, ok := strings.Cut(err.Error(), "vocab size ("); ok {
		if n := remote.FirstNumber(msg); n > 1 {
			return n, nil
		}
	}
	n, err := remote.SearchSize(ctx, func(ctx context.Context, id int32) (bool, error) {
		_, err := b.c.Send(ctx, http.MethodPost, "/generate", b.request(nil, remote.Query{Tokens: []int32{id}, Want: 1}, 1), remote.SmallBody, nil)
		if err != nil && remote.IsRefusal(err) {
			return false, nil
		}
		return err == nil, err
	})
	if err == nil && n == 0 {
		n = remote.SizeUnknown
	}
	return n, err
}

func (b *backend) Identity(ctx context.Context) (string, error) {
	info, err := b.about(ctx)
	if err != nil {
		return "", err
	}
	ids, err := b.tokenize(ctx, remote.ProbeText, false)
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
func (b *backend) request(dst []byte, q remote.Query, top int) []byte {
	dst = append(dst, `{"input_ids":[`...)
	dst = remote.AppendIDs(dst, q.Tokens)
	dst = append(dst, `],"sampling_params":{"max_new_tokens":`...)
	dst = strconv.AppendInt(dst, int64(1+q.Ahead), 10)
	dst = append(dst, `,"temperature":1,"top_p":1,"top_k":1,"min_p":0,"repetition_penalty":1,"presence_penalty":0,"frequency_penalty":0`+
		`,"ignore_eos":true,"skip_special_tokens":false},"return_logprob":true,"return_text_in_logprobs":false,"stream":false,"top_logprobs_num":`...)
	dst = strconv.AppendInt(dst, int64(top), 10)
	dst = append(dst, `,"logprob_start_len":`...)
	start := -1
	if q.Want > 1 { // the first position it reports is always empty
		start = len(q.Tokens) - q.Want
	}
	dst = strconv.AppendInt(dst, int64(start), 10)
	return append(dst, '}')
}

func (b *backend) Fetch(ctx context.Context, q remote.Query, out *remote.Rows) error {
	q.Buf.Req = b.request(q.Buf.Req[:0], q, q.Top)
	r, err := b.c.Send(ctx, http.MethodPost, "/generate", q.Buf.Req, remote.BodyLimit(q.Top*(q.Want+q.Ahead)), &q.Buf.Resp)
	if err != nil {
		return err
	}
	return b.scan(r, q, out)
}
