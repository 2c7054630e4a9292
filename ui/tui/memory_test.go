package tui

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"logitscope/models"
)

// vast is a model with a large vocabulary and no weights.
type vast struct {
	models.Model
	size int
	rows [][]float32
}

func newVast(size int) *vast {
	m := &vast{Model: testModel(), size: size}
	r := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		row := make([]float32, size)
		for i := range row {
			row[i] = float32(r.NormFloat64())
		}
		m.rows = append(m.rows, row)
	}
	return m
}

func (m *vast) Info() models.Info {
	return models.Info{Name: "vast", VocabSize: m.size, ContextLen: 4096}
}
func (m *vast) Vocab() models.Vocab                 { return vastVocab{m.Model.Vocab(), m.size} }
func (m *vast) NewSession() (models.Session, error) { return &vastSession{m: m}, nil }

type vastVocab struct {
	models.Vocab
	size int
}

func (v vastVocab) Size() int { return v.size }
func (v vastVocab) Attr(id int32) models.Attr {
	if int(id) >= v.Vocab.Size() {
		return models.Normal
	}
	return v.Vocab.Attr(id)
}

type vastSession struct {
	m *vast
	n int
}

func (s *vastSession) Len() int       { return s.n }
func (s *vastSession) Truncate(n int) { s.n = n }
func (s *vastSession) Close() error   { return nil }
func (s *vastSession) Forward(_ context.Context, tokens []int32, want int) (out []models.Logits, _ error) {
	for i := range tokens {
		s.n++
		if i >= len(tokens)-want {
			out = append(out, models.Logits{Values: s.m.rows[s.n%len(s.m.rows)]})
		}
	}
	return out, nil
}

// Five hundred restarts take no more memory than the budget and what the
// texts themselves need, whatever the vocabulary; what was dropped is computed
// again when it is looked at, and T says how many texts are kept.
func TestMemoryIsBoundedOverRestarts(t *testing.T) {
	for _, tt := range []struct {
		size, restarts, tokens int
	}{{4096, 500, 12}, {150_000, 60, 12}} {
		t.Run(fmt.Sprint(tt.size), func(t *testing.T) {
			if testing.Short() {
				tt.restarts = min(tt.restarts, 110)
			}
			opt := testOptions(t)
			opt.Model, opt.Prompt = newVast(tt.size), storyPrompt
			opt.Config = opt.Config.MustWith("max_new_tokens", tt.tokens, 0)
			o, err := NewOffscreen(t.Context(), opt, 120, 40)
			if err != nil {
				t.Fatal(err)
			}
			defer o.Close()
			heap := func() int64 {
				runtime.GC()
				var s runtime.MemStats
				runtime.ReadMemStats(&s)
				return int64(s.HeapAlloc)
			}
			before := heap()
			for range tt.restarts {
				if err := o.Press("space", "s"); err != nil {
					t.Fatal(err)
				}
			}
			l := o.m.Lane()
			if len(l.Branches) < min(tt.restarts, 100)-1 {
				t.Fatalf("%d texts after %d restarts", len(l.Branches), tt.restarts)
			}
			const constant = 48 << 20 // texts, summaries, settings
			grown := heap() - before
			t.Logf("%d restarts: %d MiB", tt.restarts, grown>>20)
			if grown > 128<<20+constant {
				t.Errorf("%d restarts take %d MiB", tt.restarts, grown>>20)
			}
			if tt.restarts > 100 {
				if err := o.Press("T"); err != nil {
					t.Fatal(err)
				}
				if got := o.Frame().Text(); !strings.Contains(got, "older ones are no longer kept") {
					t.Errorf("T does not say so:\n%s", got)
				}
				o.Press("esc")
			}
			o.m.JumpTo(l, 0)
			if err := o.settle(); err != nil {
				t.Fatal(err)
			}
			if err := o.Press("left"); err != nil {
				t.Fatal(err)
			}
			if s := l.Step(); s == nil || s.Row == nil || s.Trace == nil {
				t.Errorf("what was dropped is not computed again: %+v", s)
			}
		})
	}
}
