package remotetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"logitscope/models"
)

// SGLang serves m in the documented shapes of SGLang: /get_model_info,
// /get_server_info, /v1/models, /tokenize, /detokenize and /generate.
func SGLang(m models.Model, opt Options) http.Handler {
	s := &sglang{newEngine(m, opt)}
	mux := http.NewServeMux()
	page := func(path string, v any) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusOK, v) })
	}
	page("/get_model_info", map[string]any{"model_path": s.opt.Name, "tokenizer_path": s.opt.Name, "is_generation": true, "weight_version": "default"})
	page("/get_server_info", map[string]any{"version": "fake", "context_length": m.Info().ContextLen})
	page("/v1/models", map[string]any{"object": "list", "data": []any{map[string]any{"id": s.opt.Name, "root": s.opt.Name, "max_model_len": m.Info().ContextLen}}})
	mux.HandleFunc("POST /tokenize", s.tokenize)
	mux.HandleFunc("POST /detokenize", s.detokenize)
	mux.HandleFunc("POST /generate", s.generate)
	return guard(opt.Key, nil, mux)
}

type sglang struct{ *engine }

func (s *sglang) tokenize(w http.ResponseWriter, r *http.Request) {
	req := struct {
		Prompt  any   `json:"prompt"`
		Special *bool `json:"add_special_tokens"`
	}{}
	if !decode(w, r, &req) {
		return
	}
	special := req.Special == nil || *req.Special
	switch p := req.Prompt.(type) {
	case string:
		ids := s.encode(p, special)
		reply(w, http.StatusOK, map[string]any{"tokens": ids, "count": len(ids), "max_model_len": s.m.Info().ContextLen})
	case []any:
		lists := [][]int32{}
		for _, t := range p {
			one, _ := t.(string)
			lists = append(lists, s.encode(one, special))
		}
		reply(w, http.StatusOK, map[string]any{"tokens": lists, "count": len(lists), "max_model_len": s.m.Info().ContextLen})
	default:
		fail(w, http.StatusBadRequest, "BadRequestError", "Invalid prompt type")
	}
}

func (s *sglang) detokenize(w http.ResponseWriter, r *http.Request) {
	req := struct {
		Tokens []json.RawMessage `json:"tokens"`
	}{}
	if !decode(w, r, &req) {
		return
	}
	texts := []string{}
	for _, raw := range req.Tokens {
		var ids []int32
		if json.Unmarshal(raw, &ids) != nil || !s.checkTokens(ids) {
			fail(w, http.StatusBadRequest, "DecodeError", "Error decoding tokens")
			return
		}
		texts = append(texts, s.decode(ids))
	}
	reply(w, http.StatusOK, map[string]any{"text": texts})
}

type sglangRequest struct {
	IDs    []int32 `json:"input_ids"`
	Params struct {
		Max int `json:"max_new_tokens"`
	} `json:"sampling_params"`
	Top   int `json:"top_logprobs_num"`
	Start int `json:"logprob_start_len"`
}

func (s *sglang) generate(w http.ResponseWriter, r *http.Request) {
	var req sglangRequest
	if !decode(w, r, &req) {
		return
	}
	size, limit := s.m.Vocab().Size(), s.m.Info().ContextLen
	switch {
	case !s.checkTokens(req.IDs) || len(req.IDs) == 0:
		fail(w, http.StatusBadRequest, "BadRequestError", fmt.Sprintf("The input_ids contains values greater than the vocab size (%d). Please use values within the vocab size.", size))
		return
	case len(req.IDs)+req.Params.Max > limit:
		fail(w, http.StatusBadRequest, "BadRequestError", fmt.Sprintf("The input (%d tokens) is longer than the model's context length (%d tokens).", len(req.IDs), limit))
		return
	}
	meta, ids, err := s.meta(r, &req)
	if err != nil {
		fail(w, http.StatusInternalServerError, "InternalServerError", err.Error())
		return
	}
	reply(w, http.StatusOK, map[string]any{"text": s.decode(ids), "output_ids": ids, "meta_info": meta})
}

// triples are [[logprob, id, null], …] of the top n of a row.
func triples(row []float32, n int) [][]any {
	lse := logSumExp(row)
	out := [][]any{}
	for _, id := range ranked(row, n) {
		out = append(out, []any{finite(float32(float64(row[id]) - lse)), id, nil})
	}
	return out
}

func (s *sglang) meta(r *http.Request, req *sglangRequest) (map[string]any, []int32, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	tokens := slices.Clone(req.IDs)
	c, err := s.pick(-1, tokens)
	if err != nil {
		return nil, nil, err
	}
	meta := map[string]any{"id": "0", "prompt_tokens": len(req.IDs), "cached_tokens": 0, "finish_reason": map[string]any{"type": "length", "length": req.Params.Max}}
	if req.Start >= 0 { // a row for each position from Start on; the first is always empty
		rows, _, err := c.run(r.Context(), tokens, len(tokens)-req.Start)
		if err != nil {
			return nil, nil, err
		}
		top := []any{nil}
		for _, row := range rows[:len(rows)-1] {
			top = append(top, triples(row, req.Top))
		}
		meta["input_top_logprobs"] = top
	}
	var chosen, top []any
	for i := range max(1, req.Params.Max) {
		rows, cached, err := c.run(r.Context(), tokens, 1)
		if err != nil {
			return nil, nil, err
		}
		if i == 0 {
			meta["cached_tokens"] = cached
		}
		id := best(rows[0])
		chosen = append(chosen, []any{finite(float32(float64(rows[0][id]) - logSumExp(rows[0]))), id, nil})
		top = append(top, triples(rows[0], req.Top))
		tokens = append(tokens, id)
	}
	maps.Copy(meta, map[string]any{"output_token_logprobs": chosen, "output_top_logprobs": top, "completion_tokens": len(top)})
	return meta, tokens[len(req.IDs):], nil
}
