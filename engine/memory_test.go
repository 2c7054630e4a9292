package engine

import (
	"context"
	"math/rand/v2"
	"runtime"
	"testing"

	"logitscope/models"
	"logitscope/models/fable"
	"logitscope/models/llama"
	"logitscope/sampling"
)

// wide is a model with a large vocabulary and no weights: every position has
// one of a few rows.
type wide struct {
	models.Model
	rows [][]float32
}

func newWide(t testing.TB, vocab int) *wide {
	r := rand.New(rand.NewPCG(5, 6))
	m := &wide{Model: toy(t, 1<<20, never)}
	for range 7 {
		row := make([]float32, vocab)
		for i := range row {
			row[i] = float32(r.NormFloat64() * 2)
		}
		m.rows = append(m.rows, row)
	}
	return m
}

func (m *wide) Info() models.Info {
	return models.Info{Name: "wide", VocabSize: len(m.rows[0]), ContextLen: 1 << 20}
}
func (m *wide) Vocab() models.Vocab                 { return wideVocab{m.Model.Vocab(), len(m.rows[0])} }
func (m *wide) NewSession() (models.Session, error) { return &wideSession{m: m}, nil }

type wideVocab struct {
	models.Vocab
	n int
}

func (v wideVocab) Size() int              { return v.n }
func (v wideVocab) Piece(int32) string     { return "w " }
func (v wideVocab) Attr(int32) models.Attr { return models.Normal }

type wideSession struct {
	m *wide
	n int
}

func (s *wideSession) Len() int       { return s.n }
func (s *wideSession) Truncate(n int) { s.n = n }
func (s *wideSession) Close() error   { return nil }
func (s *wideSession) Forward(_ context.Context, tokens []int32, want int) ([]models.Logits, error) {
	s.n += len(tokens)
	out := make([]models.Logits, want)
	for i := range out {
		out[i].Values = s.m.rows[(s.n-want+i)%len(s.m.rows)]
	}
	return out, nil
}

// retained runs n steps and returns the bytes the lane then holds.
func retained(t *testing.T, m models.Model, n int, set ...any) int64 {
	heap := func() int64 {
		var s runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&s)
		return int64(s.HeapAlloc)
	}
	s := settings(t, m, append([]any{"max_new_tokens", n, "min_new_tokens", n}, set...)...)
	before := heap()
	l := NewLane(0, m, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go l.Run(ctx)
	l.Post(Start{Prompt: []int32{1, 2}, Settings: s})
	l.Post(Advance{-1})
	var last View
	for v := range l.Views() {
		if last = v; v.Phase == Done || v.Phase == Failed {
			break
		}
	}
	if len(last.Steps) < n {
		t.Fatalf("%d of %d steps: %v", len(last.Steps), n, last.Err)
	}
	after := heap()
	runtime.KeepAlive(last)
	return after - before
}

func TestMemoryOfALongRun(t *testing.T) {
	if testing.Short() {
		t.Skip("ten thousand steps over 32,000 tokens take seconds")
	}
	if got := retained(t, newWide(t, 32000), 10000, "top_k", 40); got > 300<<20 {
		t.Errorf("10,000 steps hold %d MiB, want at most 300", got>>20)
	} else {
		t.Logf("10,000 steps over 32,000 tokens hold %d MiB", got>>20)
	}
}

func TestMemoryOfAShortRun(t *testing.T) {
	m, err := fable.Open(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if got := retained(t, m, 500, "top_k", 40); got > 64<<20 {
		t.Errorf("500 tokens hold %d MiB, want at most 64", got>>20)
	} else {
		t.Logf("500 tokens of the built-in model hold %d MiB", got>>20)
	}
}

// Dropping what is old costs a copy of the list of steps: that must not be
// paid at every step, whatever the budget.
func TestEvictInBlocks(t *testing.T) {
	for _, budget := range []int64{1, 400, 40 << 10} {
		m := newMemory(Options{LogitsBudget: budget, TraceWindow: 100})
		var steps []*Step
		copies, most := 0, int64(0)
		for range 2000 {
			s := &Step{Row: &Row{Values: make([]float32, 10)}, Trace: new(sampling.Trace)}
			steps = append(steps, s)
			m.add(s)
			before := &steps[0]
			steps = m.evict(steps)
			if &steps[0] != before && len(steps) > evictBlock {
				copies++
			}
			most = max(most, m.bytes)
		}
		// Growing the slice moves it too, a few times.
		if limit := 2*2000/evictBlock + 20; copies > limit {
			t.Errorf("budget %d: %d copies, want at most %d", budget, copies, limit)
		}
		if limit := max(budget, 40*evictBlock) + 40; most > limit {
			t.Errorf("budget %d: %d bytes of rows, want at most %d", budget, most, limit)
		}
	}
}
