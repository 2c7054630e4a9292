package remotetest

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"logitscope/models"
)

// Ollama serves m in the shapes of Ollama: /api/version, /api/ps, /api/show
// and /api/generate with raw prompts and without streams. metadata is what
// /api/show gives as model_info: the keys of a GGUF file, those of the
// tokenizer among them. If it says so, a BOS token is put before prompts.
func Ollama(m models.Model, metadata map[string]any, opt Options) http.Handler {
	s := &ollama{engine: newEngine(m, opt), metadata: metadata}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/version", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusOK, map[string]string{"version": "0.0.0"})
	})
	mux.HandleFunc("GET /api/ps", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusOK, map[string]any{"models": []any{map[string]any{"name": s.opt.Name + ":latest", "context_length": m.Info().ContextLen}}})
	})
	mux.HandleFunc("GET /api/tags", func(w http.ResponseWriter, _ *http.Request) {
		list := []any{}
		for _, name := range []string{s.opt.Name, "other"} {
			list = append(list, map[string]any{"name": name + ":latest", "model": name + ":latest", "modified_at": time.Now(), "digest": fmt.Sprintf("%x", sha256.Sum256([]byte(name+m.Info().Name)))})
		}
		reply(w, http.StatusOK, map[string]any{"models": list})
	})
	mux.HandleFunc("POST /api/chat", s.chat)
	mux.HandleFunc("POST /api/show", s.show)
	mux.HandleFunc("POST /api/generate", s.generate)
	return guard(opt.Key, nil, mux)
}

type ollama struct {
	*engine
	metadata map[string]any
}

func (s *ollama) fail(w http.ResponseWriter, status int, format string, args ...any) {
	reply(w, status, map[string]string{"error": fmt.Sprintf(format, args...)})
}

func (s *ollama) show(w http.ResponseWriter, r *http.Request) {
	req := struct {
		Model   string `json:"model"`
		Verbose bool   `json:"verbose"`
	}{}
	if !decode(w, r, &req) {
		return
	}
	if req.Model != s.opt.Name {
		s.fail(w, http.StatusNotFound, "model '%s' not found", req.Model)
		return
	}
	info := map[string]any{}
	for k, v := range s.metadata {
		if strings.HasPrefix(k, "tokenizer.") && !req.Verbose {
			if _, long := v.([]string); long {
				v = nil
			}
		}
		info[k] = v
	}
	reply(w, http.StatusOK, map[string]any{"model_info": info, "template": s.opt.Template, "system": s.opt.System, "parameters": s.opt.Parameters, "modified_at": time.Now(), "details": map[string]string{"family": s.m.Info().Arch, "quantization_level": s.m.Info().Quant}})
}

// chat renders a conversation and does not answer it.
func (s *ollama) chat(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Model    string           `json:"model"`
		Messages []map[string]any `json:"messages"`
		Render   bool             `json:"_debug_render_only"`
		Truncate *bool            `json:"truncate"`
	}
	if !decode(w, r, &req) {
		return
	}
	if req.Model != s.opt.Name || !req.Render {
		s.fail(w, http.StatusNotFound, "model '%s' not found", req.Model)
		return
	}
	answer := map[string]any{"model": req.Model, "message": map[string]any{"role": "", "content": ""}, "done": false}
	if s.opt.Rendered != "" {
		text := s.opt.Rendered
		if req.Truncate == nil || *req.Truncate {
			text = text[1:] // as of a conversation that is too long
		}
		answer["_debug_info"] = map[string]any{"rendered_template": text}
	}
	reply(w, http.StatusOK, answer)
}

type ollamaRequest struct {
	Model    string `json:"model"`
	Prompt   string `json:"prompt"`
	Logprobs bool   `json:"logprobs"`
	Top      int    `json:"top_logprobs"`
	Options  struct {
		Temperature float64 `json:"temperature"`
		Seed        int     `json:"seed"`
	} `json:"options"`
}

func (s *ollama) generate(w http.ResponseWriter, r *http.Request) {
	var req ollamaRequest
	if !decode(w, r, &req) {
		return
	}
	limit := s.m.Info().ContextLen
	switch {
	case req.Model != s.opt.Name:
		s.fail(w, http.StatusNotFound, "model '%s' not found", req.Model)
		return
	case req.Top < 0 || req.Top > 20:
		s.fail(w, http.StatusBadRequest, "top_logprobs must be between 0 and 20")
		return
	case req.Prompt == "":
		reply(w, http.StatusOK, map[string]any{"model": req.Model, "response": "", "done": true, "done_reason": "load"})
		return
	}
	add, _ := s.metadata["tokenizer.ggml.add_bos_token"].(bool)
	tokens := s.encode(req.Prompt, add)
	if len(tokens) >= limit {
		s.fail(w, http.StatusBadRequest, `{"error":{"code":400,"message":"request (%d tokens) exceeds the available context size (%d tokens), try increasing it","type":"exceed_context_size_error"}}`, len(tokens), limit)
		return
	}
	out, err := s.step(r, &req, tokens)
	if err != nil {
		s.fail(w, http.StatusInternalServerError, "%v", err)
		return
	}
	reply(w, http.StatusOK, out)
}

// step makes one token: the most probable one, or at a temperature above zero
// one that depends on the seed.
func (s *ollama) step(r *http.Request, req *ollamaRequest, tokens []int32) (map[string]any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.pick(-1, tokens)
	if err != nil {
		return nil, err
	}
	rows, _, err := c.run(r.Context(), tokens, 1)
	if err != nil {
		return nil, err
	}
	row, v := rows[0], s.m.Vocab()
	id := best(row)
	if req.Options.Temperature > 0 {
		n := 1 + int(req.Options.Temperature)
		top := ranked(row, n)
		id = top[req.Options.Seed%len(top)]
	}
	p := text(v, id, false)
	out := map[string]any{"model": req.Model, "response": strings.ToValidUTF8(p, "\ufffd"), "done": true, "done_reason": "length", "prompt_eval_count": len(tokens), "eval_count": 1}
	if p == "" || !utf8.ValidString(p) || !req.Logprobs {
		return out, nil // no probabilities for text that is not sent
	}
	lse := logSumExp(row)
	entry := func(id int32) map[string]any {
		p := text(v, id, false)
		bytes := []int{}
		for i := range len(p) {
			bytes = append(bytes, int(p[i]))
		}
		return map[string]any{"token": strings.ToValidUTF8(p, "\ufffd"), "logprob": finite(float32(float64(row[id]) - lse)), "bytes": bytes}
	}
	top := []any{}
	for _, id := range ranked(row, req.Top) {
		top = append(top, entry(id))
	}
	first := entry(id)
	first["top_logprobs"] = top
	out["logprobs"] = []any{first}
	return out, nil
}
