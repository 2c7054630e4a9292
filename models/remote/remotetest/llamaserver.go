package remotetest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"logitscope/models"
	"logitscope/models/chat"
	"logitscope/models/remote/llamaserver/seeds"
)

// LlamaServer serves m as llama-server does: /health, /props, /v1/models,
// /tokenize, /detokenize and /completion. Log-probabilities
// are the log-softmax of the logits as float32; the session of m must return
// whole rows.
func LlamaServer(m models.Model, opt Options) http.Handler {
	s := &llamaServer{newEngine(m, opt)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusOK, map[string]string{"status": "ok"})
	})
	mux.HandleFunc("GET /props", s.props)
	mux.HandleFunc("GET /v1/models", s.models)
	mux.HandleFunc("POST /tokenize", s.tokenize)
	mux.HandleFunc("POST /detokenize", s.detokenize)
	mux.HandleFunc("POST /apply-template", s.applyTemplate)
	mux.HandleFunc("POST /completion", s.completion)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		fail(w, http.StatusNotFound, "not_found_error", "File Not Found")
	})
	return guard(opt.Key, []string{"/health"}, mux)
}

type llamaServer struct{ *engine }

func (s *llamaServer) props(w http.ResponseWriter, _ *http.Request) {
	info, v := s.m.Info(), s.m.Vocab()
	eos := ""
	if len(v.EOG()) > 0 {
		eos = v.Piece(v.EOG()[0])
	}
	reply(w, http.StatusOK, map[string]any{
		"default_generation_settings": map[string]any{"n_ctx": info.ContextLen},
		"total_slots":                 len(s.slots), "model_alias": s.opt.Name, "model_ftype": info.Quant,
		"chat_template": info.ChatTemplate, "bos_token": "", "eos_token": eos, "build_info": "fake",
	})
}

func (s *llamaServer) applyTemplate(w http.ResponseWriter, r *http.Request) {
	var req struct{ Messages []chat.Message }
	if !decode(w, r, &req) {
		return
	}
	t, err := chat.Of(s.m)
	text := ""
	if err == nil {
		text, err = t.Render(r.Context(), chat.Conversation{Messages: req.Messages})
	}
	if err != nil {
		fail(w, http.StatusInternalServerError, "server_error", err.Error())
		return
	}
	reply(w, http.StatusOK, map[string]any{"prompt": s.opt.Preamble + text})
}

func (s *llamaServer) models(w http.ResponseWriter, _ *http.Request) {
	info := s.m.Info()
	reply(w, http.StatusOK, map[string]any{"object": "list", "data": []any{map[string]any{
		"id": s.opt.Name, "object": "model", "meta": map[string]any{
			"vocab_type": 2, "n_vocab": s.m.Vocab().Size(), "n_ctx": info.ContextLen,
			"n_ctx_train": info.ContextLen, "n_embd": info.Embedding, "n_params": info.Params,
		}}}})
}

// decode reads the request into v; broken JSON is a 500, as it is there.
func decode(w http.ResponseWriter, r *http.Request, v any) bool {
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(body, v)
	}
	if err != nil {
		fail(w, http.StatusInternalServerError, "server_error", err.Error())
	}
	return err == nil
}

func (s *llamaServer) tokenize(w http.ResponseWriter, r *http.Request) {
	req := struct {
		Content      string `json:"content"`
		AddSpecial   bool   `json:"add_special"`
		ParseSpecial *bool  `json:"parse_special"`
		WithPieces   bool   `json:"with_pieces"`
	}{}
	if !decode(w, r, &req) {
		return
	}
	parse := req.ParseSpecial == nil || *req.ParseSpecial
	v := s.m.Vocab()
	tokens := []any{}
	for _, id := range v.Encode(req.Content, models.EncodeOptions{AddSpecial: req.AddSpecial, ParseSpecial: parse}) {
		if !req.WithPieces {
			tokens = append(tokens, id)
			continue
		}
		tokens = append(tokens, map[string]any{"id": id, "piece": jsonPiece(text(v, id, true))})
	}
	reply(w, http.StatusOK, map[string]any{"tokens": tokens})
}

// jsonPiece is a string, or a list of bytes if p is not UTF-8.
func jsonPiece(p string) any {
	if utf8.ValidString(p) {
		return p
	}
	var list []int
	for i := range len(p) {
		list = append(list, int(p[i]))
	}
	return list
}

func (s *llamaServer) detokenize(w http.ResponseWriter, r *http.Request) {
	req := struct {
		Tokens []int32 `json:"tokens"`
	}{}
	if !decode(w, r, &req) {
		return
	}
	if !s.checkTokens(req.Tokens) {
		fail(w, http.StatusInternalServerError, "server_error", "vector::_M_range_check")
		return
	}
	var b strings.Builder
	for _, id := range req.Tokens {
		b.WriteString(text(s.m.Vocab(), id, true))
	}
	reply(w, http.StatusOK, map[string]any{"content": strings.ToValidUTF8(b.String(), "\ufffd")})
}

type completionRequest struct {
	Prompt    json.RawMessage `json:"prompt"`
	NPredict  *int            `json:"n_predict"`
	NProbs    int             `json:"n_probs"`
	IDSlot    *int            `json:"id_slot"`
	LogitBias [][]any         `json:"logit_bias"`
	Stream    bool            `json:"stream"`
	Post      bool            `json:"post_sampling_probs"`
	Samplers  []string        `json:"samplers"`
	Penalty   float64         `json:"repeat_penalty"`
	LastN     int             `json:"repeat_last_n"`
	TopK      int             `json:"top_k"`
	TopP      float64         `json:"top_p"`
	MinKeep   int             `json:"min_keep"`
	Temp      float64         `json:"temperature"`
	Seed      *uint32         `json:"seed"`
}

// sampled returns what row is after the sampling that was asked for: bias and
// the repetition penalty, which is all that this fake knows.
func (req *completionRequest) sampled(row []float32, tokens []int32) []float32 {
	out := slices.Clone(row)
	for id, b := range req.bias() {
		if int(id) < len(out) && id >= 0 {
			out[id] += float32(b)
		}
	}
	if !slices.Contains(req.Samplers, "penalties") || req.Penalty == 0 {
		return out
	}
	last := tokens[max(0, len(tokens)-req.LastN):]
	for i, id := range last {
		switch {
		case slices.Contains(last[:i], id):
		case out[id] > 0:
			out[id] /= float32(req.Penalty)
		default:
			out[id] *= float32(req.Penalty)
		}
	}
	return out
}

// choose returns the token that the server takes of a row after sampling: the
// best one, or where there are a temperature and a seed the one that is drawn
// with the next of u, of which a token that is alone takes none.
func (req *completionRequest) choose(row []float32, u *[]float64) int32 {
	if req.Seed == nil || !slices.Contains(req.Samplers, "temperature") || req.TopK <= 1 {
		return best(row)
	}
	ids := ranked(row, req.TopK)
	weights := make([]float64, len(ids))
	for _, name := range req.Samplers {
		sum := 0.0
		for i, id := range ids {
			t := 1.0
			if slices.Index(req.Samplers, "temperature") <= slices.Index(req.Samplers, name) {
				t = req.Temp
			}
			weights[i] = math.Exp(float64(row[id]-row[ids[0]]) / t)
			sum += weights[i]
		}
		if name != "top_p" {
			continue
		}
		run := 0.0
		for i := range ids {
			if run += weights[i] / sum; run >= req.TopP && i+1 >= req.MinKeep {
				ids, weights = ids[:i+1], weights[:i+1]
				break
			}
		}
	}
	if len(ids) == 1 {
		return ids[0]
	}
	next := (*u)[0]
	*u = (*u)[1:]
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	run := 0.0
	for i, w := range weights {
		if run += w / sum; run >= next {
			return ids[i]
		}
	}
	return ids[len(ids)-1]
}

// prompt reads a prompt of text or of ids.
func (s *llamaServer) prompt(raw json.RawMessage) ([]int32, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return s.m.Vocab().Encode(text, models.EncodeOptions{AddSpecial: true, ParseSpecial: true}), nil
	}
	var ids []int32
	if err := json.Unmarshal(raw, &ids); err != nil {
		return nil, fmt.Errorf(`"prompt" elements must be a string or a list of tokens`)
	}
	switch {
	case len(ids) == 0:
		return nil, fmt.Errorf(`"prompt" must not be empty`)
	case !s.checkTokens(ids):
		return nil, fmt.Errorf("%s", invalidTokens)
	}
	return ids, nil
}

func (req *completionRequest) bias() map[int32]float64 {
	bias := map[int32]float64{}
	for _, pair := range req.LogitBias {
		if len(pair) == 2 {
			id, ok := pair[0].(float64)
			b, ok2 := pair[1].(float64)
			if ok && ok2 {
				bias[int32(id)] += b
			}
		}
	}
	return bias
}

func (s *llamaServer) completion(w http.ResponseWriter, r *http.Request) {
	var req completionRequest
	if !decode(w, r, &req) {
		return
	}
	tokens, err := s.prompt(req.Prompt)
	if err != nil {
		fail(w, http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	limit := s.m.Info().ContextLen
	if len(tokens) >= limit {
		reply(w, http.StatusBadRequest, map[string]any{"error": map[string]any{
			"code": 400, "type": "exceed_context_size_error", "n_prompt_tokens": len(tokens), "n_ctx": limit,
			"message": fmt.Sprintf("request (%d tokens) exceeds the available context size (%d tokens), try increasing it", len(tokens), limit),
		}})
		return
	}
	if req.Stream {
		s.stream(w, r, &req, tokens)
		return
	}
	g, err := s.generate(r.Context(), &req, tokens, func(g *generation, _ int32, step []byte) error {
		if len(g.probs) > 0 && len(step) > 0 {
			g.probs = append(g.probs, ',')
		}
		g.probs = append(g.probs, step...)
		return nil
	})
	if err != nil {
		fail(w, http.StatusInternalServerError, "server_error", err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Write(s.answer(&g, &req))
}

// stream answers with an event for each step as it is made, but for those that
// end within a character, and one that says how it ended.
func (s *llamaServer) stream(w http.ResponseWriter, r *http.Request, req *completionRequest, tokens []int32) {
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(name string, body []byte) {
		fmt.Fprintf(w, "%s: %s\n\n", name, body)
		w.(http.Flusher).Flush()
	}
	sent := 0
	g, err := s.generate(r.Context(), req, tokens, func(g *generation, id int32, step []byte) error {
		if len(step) == 0 {
			return nil
		}
		b := appendString([]byte(`{"index":0,"content":`), string(g.content[sent:]))
		sent = len(g.content)
		b = fmt.Appendf(b, `,"tokens":[%d],"stop":false,"id_slot":-1,"tokens_predicted":%d,"tokens_evaluated":%d`, id, g.predicted, g.evaluated)
		if req.NProbs > 0 {
			b = append(append(append(b, `,"completion_probabilities":[`...), step...), ']')
		}
		send("data", append(b, '}'))
		return r.Context().Err() // somebody has hung up
	})
	if err != nil {
		body, _ := json.Marshal(map[string]any{"code": 500, "message": err.Error(), "type": "server_error"})
		send("error", body)
		return
	}
	g.made, g.content = nil, nil
	send("data", s.answer(&g, req))
}

// A generation is what one request made.
type generation struct {
	u                    []float64 // numbers to draw with
	slot                 int
	evaluated, cached    int // tokens of the prompt
	predicted            int // tokens made
	stop                 string
	made, probs, content []byte // ids and steps as JSON, and the text
	truncated            bool
}

// generate takes a token n_predict times and hands each with its step as JSON,
// which is empty if it is left out, to made.
func (s *llamaServer) generate(ctx context.Context, req *completionRequest, tokens []int32, made func(g *generation, id int32, step []byte) error) (g generation, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	slot := -1
	if req.IDSlot != nil {
		slot = *req.IDSlot
	}
	c, err := s.pick(slot, tokens)
	if err != nil {
		return g, err
	}
	n := 1
	if req.NPredict != nil {
		n = max(1, *req.NPredict)
	}
	g = generation{slot: max(0, slot), evaluated: len(tokens), stop: "limit"}
	if req.Seed != nil {
		g.u = make([]float64, min(n, 100))
		seeds.First(g.u, *req.Seed)
	}
	for i := range n {
		rows, cached, err := c.run(ctx, tokens, 1)
		if err != nil {
			return g, err
		}
		if i == 0 {
			g.cached = cached
		}
		id, step := s.take(&g, req, rows[0], tokens)
		if err := made(&g, id, step); err != nil {
			return g, err
		}
		if slices.Contains(s.m.Vocab().EOG(), id) {
			g.stop = "eos"
			break
		}
		if tokens = append(tokens, id); len(tokens) >= s.m.Info().ContextLen {
			g.truncated = true // as the server says once prompt and answer fill the context
			break
		}
	}
	return g, nil
}

// take adds one token to g and returns it with its step.
func (s *llamaServer) take(g *generation, req *completionRequest, row []float32, tokens []int32) (id int32, step []byte) {
	after := req.sampled(row, tokens)
	id = req.choose(after, &g.u)
	g.predicted++
	if len(g.made) > 0 {
		g.made = append(g.made, ',')
	}
	g.made = strconv.AppendInt(g.made, int64(id), 10)
	g.content = append(g.content, text(s.m.Vocab(), id, false)...)
	if !utf8.Valid(g.content) { // steps that end within a character are left out
		return id, nil
	}
	if req.Post {
		row = after
	}
	return id, s.appendStep(nil, row, id, req.NProbs, req.Post)
}

// answer returns the body that says what was made.
func (s *llamaServer) answer(g *generation, req *completionRequest) []byte {
	b := []byte(`{"index":0,"content":`)
	b = appendString(b, strings.ToValidUTF8(string(g.content), "\ufffd"))
	b = append(b, `,"tokens":[`...)
	b = append(b, g.made...)
	b = fmt.Appendf(b, `],"id_slot":%d,"stop":true,"model":`, g.slot)
	b = appendString(b, s.opt.Name)
	b = fmt.Appendf(b, `,"tokens_predicted":%d,"tokens_evaluated":%d,"truncated":%t,"stop_type":%q,"timings":{"cache_n":%d,"prompt_n":%d}`,
		g.predicted, g.evaluated, g.truncated, g.stop, g.cached, g.evaluated-g.cached)
	if req.NProbs > 0 && len(g.probs) > 0 {
		b = append(b, `,"completion_probabilities":[`...)
		b = append(b, g.probs...)
		b = append(b, ']')
	}
	return append(b, '}')
}

// appendStep appends the probabilities of one step: logarithms, or with post
// the probabilities after sampling.
func (s *llamaServer) appendStep(b []byte, row []float32, chosen int32, n int, post bool) []byte {
	lse := logSumExp(row)
	b = s.appendEntry(b, row, chosen, lse, post)
	if post {
		b = append(b, `,"top_probs":[`...)
	} else {
		b = append(b, `,"top_logprobs":[`...)
	}
	for i, id := range ranked(row, n) {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(s.appendEntry(b, row, id, lse, post), '}')
	}
	return append(b, `]}`...)
}

// appendEntry appends {"id","token","bytes","logprob" without the last brace.
func (s *llamaServer) appendEntry(b []byte, row []float32, id int32, lse float64, post bool) []byte {
	p := text(s.m.Vocab(), id, false)
	b = append(b, `{"id":`...)
	b = strconv.AppendInt(b, int64(id), 10)
	b = append(b, `,"token":`...)
	b = appendString(b, strings.ToValidUTF8(p, "\ufffd"))
	b = append(b, `,"bytes":[`...)
	for i := range len(p) {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(p[i]), 10)
	}
	lp := float64(row[id]) - lse
	if post {
		return strconv.AppendFloat(append(b, `],"prob":`...), float64(float32(math.Exp(lp))), 'g', -1, 64)
	}
	return strconv.AppendFloat(append(b, `],"logprob":`...), float64(finite(float32(lp))), 'g', -1, 64)
}

func appendString(b []byte, s string) []byte {
	q, _ := json.Marshal(s) // cannot fail: a string
	return append(b, q...)
}

// invalidTokens is the server's own wording.
const invalidTokens = "Prompt contains invalid tokens"
