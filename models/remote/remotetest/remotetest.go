// Package remotetest serves a model of this program through the protocols of
// other engines, so that what a remote session does can be compared with what
// a local one does, token for token.
//
// The llama-server protocol follows recordings of a real server. Those of
// vLLM, SGLang and Ollama follow documentation and source (Ollama also
// recordings): they are fakes of documented shapes, not of behaviour in every
// detail. Only what a client needs that samples by itself is served.
package remotetest

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"sync"

	"logitscope/models"
)

// Options are the settings of a fake. The zero value is usable.
type Options struct {
	Name  string // of the model; "" takes the one of Info
	Slots int    // caches of llama-server; 0 means 1
	Key   string // required as a bearer token if not empty

	// What an Ollama model has beside weights: its template, the system
	// message, and its parameters as /api/show writes them.
	Template, System, Parameters string
	// Rendered is what Ollama answers to every conversation it is to render;
	// empty makes it a server that does not know how.
	Rendered string
	// Preamble is what llama-server's template writes before a conversation,
	// beside what the model's says.
	Preamble string

	// MaxLogprobs is vLLM's setting of that name: 0 means its default of 20,
	// negative means no bound.
	MaxLogprobs int
	// RawLogits is vLLM's --logprobs-mode raw_logits.
	RawLogits bool
}

// A cache is one sequence that the server remembers.
type cache struct {
	s      models.Session
	tokens []int32
}

// An engine runs requests over a few caches, one request at a time.
type engine struct {
	m     models.Model
	opt   Options
	mu    sync.Mutex
	slots []*cache
}

func newEngine(m models.Model, opt Options) *engine {
	if opt.Name == "" {
		opt.Name = m.Info().Name
	}
	return &engine{m: m, opt: opt, slots: make([]*cache, max(1, opt.Slots))}
}

// pick returns the cache of slot, or the one whose tokens have the longest
// prefix in common with prompt if slot is out of range.
func (e *engine) pick(slot int, prompt []int32) (*cache, error) {
	if slot < 0 || slot >= len(e.slots) {
		slot = 0
		best := -1
		for i, c := range e.slots {
			n := 0
			if c != nil {
				n = common(c.tokens, prompt)
			}
			if n > best {
				slot, best = i, n
			}
		}
	}
	if e.slots[slot] == nil {
		s, err := e.m.NewSession()
		if err != nil {
			return nil, err
		}
		e.slots[slot] = &cache{s: s}
	}
	return e.slots[slot], nil
}

func common(a, b []int32) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// run makes c hold tokens and returns the logits after the last want of them,
// copied, and how many tokens were in the cache already.
func (c *cache) run(ctx context.Context, tokens []int32, want int) (out [][]float32, cached int, err error) {
	cached = min(common(c.tokens, tokens), len(tokens)-want)
	c.s.Truncate(cached)
	c.tokens = c.tokens[:cached]
	rows, err := c.s.Forward(ctx, tokens[cached:], want)
	if err != nil {
		return nil, 0, err
	}
	c.tokens = append(c.tokens, tokens[cached:]...)
	for _, r := range rows {
		out = append(out, slices.Clone(r.Values))
	}
	return out, cached, nil
}

// logSumExp returns the logarithm of the sum of the exponentials of row.
func logSumExp(row []float32) float64 {
	top := math.Inf(-1)
	for _, v := range row {
		top = max(top, float64(v))
	}
	sum := 0.0
	for _, v := range row {
		sum += math.Exp(float64(v) - top)
	}
	return top + math.Log(sum)
}

// ranked returns the n ids with the largest logits, largest first, equal ones
// by ascending id.
func ranked(row []float32, n int) []int32 {
	before := func(a, b int32) int { return cmp.Or(cmp.Compare(row[b], row[a]), cmp.Compare(a, b)) }
	ids := make([]int32, len(row))
	for i := range ids {
		ids[i] = int32(i)
	}
	if n > 0 && n < len(ids)/16 { // sort those alone that are not behind the best of the first few
		first := slices.Clone(ids[:8*n])
		slices.SortFunc(first, before)
		worst := first[n-1]
		ids = slices.DeleteFunc(ids, func(id int32) bool { return before(worst, id) < 0 })
	}
	slices.SortFunc(ids, before)
	return ids[:min(n, len(ids))]
}

// best returns the id with the largest logit, the first if there are several.
func best(row []float32) int32 {
	id := int32(0)
	for i, v := range row {
		if v > row[id] {
			id = int32(i)
		}
	}
	return id
}

// text returns the bytes of a token as a server prints them: nothing for
// control tokens unless names is set.
func text(v models.Vocab, id int32, names bool) string {
	if a := v.Attr(id); a == models.Unused || a == models.Control && !names {
		return ""
	}
	return v.Piece(id)
}

// checkTokens reports whether all ids are in the vocabulary.
func (e *engine) checkTokens(ids []int32) bool {
	for _, id := range ids {
		if id < 0 || int(id) >= e.m.Vocab().Size() {
			return false
		}
	}
	return true
}

// reply writes v as JSON.
func reply(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		status, body = http.StatusInternalServerError, []byte(`{"error":{"message":"cannot be written","type":"server_error"}}`)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	w.Write(body)
}

// fail writes an error in the shape that llama-server, vLLM and OpenAI share.
func fail(w http.ResponseWriter, status int, kind, message string) {
	reply(w, status, map[string]any{"error": map[string]any{"code": status, "message": message, "type": kind}})
}

// guard asks for the key on all paths but open ones.
func guard(key string, open []string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if key != "" && !slices.Contains(open, r.URL.Path) && r.Header.Get("Authorization") != "Bearer "+key {
			fail(w, http.StatusUnauthorized, "authentication_error", "Invalid API Key")
			return
		}
		h.ServeHTTP(w, r)
	})
}

// lowest is how a server writes the logarithm of zero.
const lowest = -math.MaxFloat32

func finite(v float32) float32 {
	if math.IsInf(float64(v), -1) {
		return lowest
	}
	return v
}
