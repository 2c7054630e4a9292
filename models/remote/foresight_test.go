package remote_test

import (
	"context"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"

	"logitscope/models"
	"logitscope/models/remote"
	"logitscope/models/remote/remotetest"
)

// drawn returns the token that u takes of a row at a temperature, among its k
// best.
func drawn(l models.Logits, k int, temperature, u float64) int32 {
	ids := l.IDs
	if ids == nil {
		ids = make([]int32, len(l.Values))
		for i := range ids {
			ids[i] = int32(i)
		}
	}
	order := make([]int, len(ids))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch va, vb := l.Values[a], l.Values[b]; {
		case va > vb:
			return -1
		case va < vb:
			return 1
		}
		return 0
	})
	weight := func(i int) float64 { return math.Exp(float64(l.Values[i]-l.Values[order[0]]) / temperature) }
	sum, run := 0.0, 0.0
	for _, i := range order[:k] {
		sum += weight(i)
	}
	for _, i := range order[:k] {
		if run += weight(i); run >= u*sum {
			return ids[i]
		}
	}
	return ids[order[k-1]]
}

// TestDrawnAhead decodes by given draws: the rows are those of the model, the
// server guesses most of the tokens, and far fewer requests are made than rows.
func TestDrawnAhead(t *testing.T) {
	local := newToy(500)
	var requests atomic.Int64
	fake := remotetest.LlamaServer(local, remotetest.Options{})
	m := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/completion" {
			requests.Add(1)
		}
		fake.ServeHTTP(w, r)
	}), "llama-server:URL", remote.Options{Logits: remote.LogitsNever})
	s, _ := m.NewSession()
	defer s.Close()
	requests.Store(0)
	rnd := rand.New(rand.NewPCG(5, 6))
	draws := make([]float64, 200)
	for i := range draws {
		draws[i] = rnd.Float64()
	}
	law := []models.Setting{{Name: "top_k", Value: 20}, {Name: "temperature", Value: 0.3}}
	tokens := []int32{300}
	for i := range len(draws) - 10 {
		s.(models.Lookahead).SetAhead(models.Ahead{Rows: len(draws) - 10 - i, Draws: draws[i : i+8], Law: law})
		l, err := s.Forward(t.Context(), tokens[len(tokens)-1:], 1)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, "drawn", l[0], local.row(tokens), upToConstant)
		tokens = append(tokens, drawn(l[0], 20, 0.3, draws[i]))
	}
	if n := requests.Load(); n > 60 || n < 12 {
		t.Errorf("%d requests for %d rows", n, len(tokens)-1)
	}
}

// TestFlightsGoDown changes course while a request is under way: by other
// tokens, dropped rows, the end of the session and the end of the call. Rows stay
// right, and nothing is left behind.
func TestFlightsGoDown(t *testing.T) {
	local := newToy(200)
	for _, f := range fakes {
		m := serve(t, f.serve(local, f.opt), f.spec, remote.Options{Logits: f.logits})
		s, _ := m.NewSession()
		rnd := rand.New(rand.NewPCG(7, 8))
		tokens := []int32{100}
		fed := 0
		for range 200 {
			s.(models.Lookahead).SetAhead(models.Ahead{Rows: rnd.IntN(12), Greedy: rnd.IntN(2) == 0})
			if rnd.IntN(6) == 0 { // drops what is at hand
				s.(models.Narrower).SetNarrow(50)
				s.(models.Narrower).SetNarrow(0)
			}
			ctx, cancel := context.WithCancel(t.Context())
			if rnd.IntN(8) == 0 {
				cancel()
			}
			l, err := s.Forward(ctx, tokens[fed:], 1)
			cancel()
			if err != nil {
				if ctx.Err() == nil || s.Len() != fed {
					t.Fatalf("%s: %d tokens held, want %d: %v", f.name, s.Len(), fed, err)
				}
				continue
			}
			fed = len(tokens)
			compare(t, f.name, l[0], local.row(tokens), f.like)
			next := int32(argmax(l[0].Values))
			if l[0].IDs != nil {
				next = l[0].IDs[next]
			}
			switch rnd.IntN(5) {
			case 0:
				next = int32(rnd.IntN(200))
			case 1:
				n := 1 + rnd.IntN(len(tokens))
				s.Truncate(n)
				tokens, fed = tokens[:n], n
			}
			if len(tokens) > 60 {
				s.Truncate(1)
				tokens, fed = tokens[:1], 1
			}
			tokens = append(tokens, next)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if n := m.(models.Meter).Stats().InFlight; n != 0 {
			t.Errorf("%s: %d tokens in flight after the end", f.name, n)
		}
	}
}
