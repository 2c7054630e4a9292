package remotetest

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"logitscope/models"
)

// VLLM serves m in the documented shapes of vLLM: /v1/models, /version,
// /tokenize, /detokenize and /v1/completions with ids, logprobs and
// prompt_logprobs.
func VLLM(m models.Model, opt Options) http.Handler {
	if opt.MaxLogprobs == 0 {
		opt.MaxLogprobs = 20
	}
	s := &vllm{newEngine(m, opt)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusOK, map[string]any{"object": "list", "data": []any{map[string]any{
			"id": s.opt.Name, "object": "model", "owned_by": "vllm", "root": s.opt.Name, "max_model_len": m.Info().ContextLen,
		}}})
	})
	mux.HandleFunc("GET /version", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusOK, map[string]string{"version": "fake"})
	})
	mux.HandleFunc("POST /tokenize", s.tokenize)
	mux.HandleFunc("POST /detokenize", s.detokenize)
	mux.HandleFunc("POST /v1/completions", s.completions)
	return guard(opt.Key, []string{"/version"}, mux)
}

type vllm struct{ *engine }

// encode splits text as a tokenizer of Hugging Face does: the names of control
// tokens are always read as such.
func (e *engine) encode(text string, special bool) []int32 {
	ids := e.m.Vocab().Encode(text, models.EncodeOptions{AddSpecial: special, ParseSpecial: true})
	if ids == nil {
		ids = []int32{}
	}
	return ids
}

func (e *engine) decode(ids []int32) string {
	var b strings.Builder
	for _, id := range ids {
		b.WriteString(text(e.m.Vocab(), id, true))
	}
	return strings.ToValidUTF8(b.String(), "\ufffd")
}

func (s *vllm) tokenize(w http.ResponseWriter, r *http.Request) {
	req := struct {
		Prompt  string `json:"prompt"`
		Special *bool  `json:"add_special_tokens"`
		Strs    bool   `json:"return_token_strs"`
	}{}
	if !decode(w, r, &req) {
		return
	}
	ids := s.encode(req.Prompt, req.Special == nil || *req.Special)
	out := map[string]any{"count": len(ids), "max_model_len": s.m.Info().ContextLen, "tokens": ids}
	if req.Strs {
		strs := []string{}
		for _, id := range ids {
			strs = append(strs, byteAlphabet(s.m.Vocab().Piece(id)))
		}
		out["token_strs"] = strs
	}
	reply(w, http.StatusOK, out)
}

// byteAlphabet writes bytes as byte-level vocabularies do.
func byteAlphabet(p string) string {
	var b strings.Builder
	for i := range len(p) {
		c := rune(p[i])
		switch {
		case c >= '!' && c <= '~', c >= 0xa1 && c <= 0xac, c >= 0xae:
			b.WriteRune(c)
		case c <= ' ':
			b.WriteRune(0x100 + c)
		case c <= 0xa0:
			b.WriteRune(0x100 + 33 + c - 0x7f)
		default:
			b.WriteRune(0x143)
		}
	}
	return b.String()
}

func (s *vllm) detokenize(w http.ResponseWriter, r *http.Request) {
	req := struct {
		Tokens []int32 `json:"tokens"`
	}{}
	if !decode(w, r, &req) {
		return
	}
	if !s.checkTokens(req.Tokens) {
		fail(w, http.StatusBadRequest, "BadRequestError", "Token id is out of vocabulary")
		return
	}
	reply(w, http.StatusOK, map[string]any{"prompt": s.decode(req.Tokens)})
}

type vllmRequest struct {
	Model    string  `json:"model"`
	Prompt   []int32 `json:"prompt"`
	Max      int     `json:"max_tokens"`
	Logprobs *int    `json:"logprobs"`
	PromptLP *int    `json:"prompt_logprobs"`
}

func (s *vllm) completions(w http.ResponseWriter, r *http.Request) {
	var req vllmRequest
	if !decode(w, r, &req) {
		return
	}
	limit := s.m.Info().ContextLen
	bad := func(format string, args ...any) {
		fail(w, http.StatusBadRequest, "BadRequestError", fmt.Sprintf(format, args...))
	}
	size := s.m.Vocab().Size()
	for _, asked := range []struct {
		name string
		n    *int
	}{{"logprobs", req.Logprobs}, {"prompt_logprobs", req.PromptLP}} {
		name, n := asked.name, asked.n
		most := s.opt.MaxLogprobs
		if most < 0 {
			most = size
		}
		if n != nil && (*n > most || *n < 0 && size > most) {
			bad("Requested sample logprobs of %d, which is greater than max allowed: %d (parameter=%s, value=%d)", *n, most, name, *n)
			return
		}
	}
	switch {
	case req.Model != s.opt.Name:
		fail(w, http.StatusNotFound, "NotFoundError", fmt.Sprintf("The model `%s` does not exist.", req.Model))
		return
	case !s.checkTokens(req.Prompt) || len(req.Prompt) == 0:
		bad("Token id is out of vocabulary")
		return
	case len(req.Prompt)+req.Max > limit:
		bad("This model's maximum context length is %d tokens. However, you requested %d tokens.", limit, len(req.Prompt)+req.Max)
		return
	}
	out, err := s.generate(r, &req)
	if err != nil {
		fail(w, http.StatusInternalServerError, "InternalServerError", err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(out)
}

// values returns what the server reports for ids of a row: logits or
// log-probabilities.
func (s *vllm) values(row []float32, ids []int32) []float64 {
	shift := logSumExp(row)
	if s.opt.RawLogits {
		shift = 0
	}
	out := make([]float64, len(ids))
	for i, id := range ids {
		out[i] = float64(float32(float64(row[id]) - shift))
	}
	return out
}

// clamped writes a number as vLLM does, which has no minus infinity.
func clamped(b []byte, v float64) []byte {
	return strconv.AppendFloat(b, math.Max(v, -9999), 'g', -1, 64)
}

// entries returns the ids reported of a row: the token itself and the top n.
// -1 means all to the engine, and none to the page that prints them.
func entries(row []float32, n int, token int32) []int32 {
	if n < 0 {
		return nil
	}
	top := ranked(row, n)
	if i := slices.Index(top, token); i >= 0 {
		top = slices.Delete(top, i, i+1)
	}
	return append([]int32{token}, top...)
}

func (s *vllm) generate(r *http.Request, req *vllmRequest) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	tokens := slices.Clone(req.Prompt)
	c, err := s.pick(-1, tokens)
	if err != nil {
		return nil, err
	}
	var prompt []byte
	if req.PromptLP != nil {
		if prompt, err = s.prompt(r, c, tokens, *req.PromptLP); err != nil {
			return nil, err
		}
	}
	var names, tops []byte
	for i := range max(1, req.Max) {
		rows, _, err := c.run(r.Context(), tokens, 1)
		if err != nil {
			return nil, err
		}
		id := best(rows[0])
		if i > 0 {
			names, tops = append(names, ','), append(tops, ',')
		}
		names = fmt.Appendf(names, `"token_id:%d"`, id)
		tops = append(tops, '{')
		if req.Logprobs != nil {
			ids := entries(rows[0], *req.Logprobs, id)
			for j, v := range s.values(rows[0], ids) {
				if j > 0 {
					tops = append(tops, ',')
				}
				tops = fmt.Appendf(tops, `"token_id:%d":`, ids[j])
				tops = clamped(tops, v)
			}
		}
		tops = append(tops, '}')
		tokens = append(tokens, id)
	}
	b := []byte(`{"id":"cmpl-0","object":"text_completion","model":`)
	b = appendString(b, s.opt.Name)
	b = append(b, `,"choices":[{"index":0,"text":`...)
	b = appendString(b, s.decode(tokens[len(req.Prompt):]))
	b = append(b, `,"logprobs":{"text_offset":[],"token_logprobs":[],"tokens":[`...)
	b = append(b, names...)
	b = append(b, `],"top_logprobs":[`...)
	b = append(b, tops...)
	b = append(b, `]},"finish_reason":"length","prompt_logprobs":`...)
	if prompt == nil {
		prompt = []byte("null")
	}
	b = append(b, prompt...)
	return fmt.Appendf(b, `}],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"prompt_tokens_details":null}}`, len(req.Prompt), max(1, req.Max)), nil
}

// prompt returns the value of prompt_logprobs.
func (s *vllm) prompt(r *http.Request, c *cache, tokens []int32, n int) ([]byte, error) {
	b := []byte("[null")
	if len(tokens) > 1 {
		rows, _, err := c.run(r.Context(), tokens, len(tokens))
		if err != nil {
			return nil, err
		}
		for i, row := range rows[:len(tokens)-1] {
			ids := entries(row, n, tokens[i+1])
			b = append(b, ',', '{')
			for j, v := range s.values(row, ids) {
				if j > 0 {
					b = append(b, ',')
				}
				b = fmt.Appendf(b, `"%d":{"logprob":`, ids[j])
				b = clamped(b, v)
				b = fmt.Appendf(b, `,"rank":%d,"decoded_token":`, j+1)
				b = append(appendString(b, s.decode(ids[j:j+1])), '}')
			}
			b = append(b, '}')
		}
	}
	return append(b, ']'), nil
}
