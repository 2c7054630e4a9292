package record

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/sampling"
)

// A dice is a model of random rows that follow from the last token: cheap, and
// as wide as wanted. Token 0 ends a text, the last has no piece.
type dice struct{ size int }

func (d dice) Info() models.Info {
	return models.Info{Name: "dice", Arch: "test", ContextLen: 400, VocabSize: d.size}
}
func (d dice) Vocab() models.Vocab                 { return d }
func (d dice) NewSession() (models.Session, error) { return &throws{d: d}, nil }
func (d dice) Close() error                        { return nil }
func (d dice) Size() int                           { return d.size }
func (d dice) EOG() []int32                        { return []int32{0} }
func (d dice) Encode(s string, _ models.EncodeOptions) (ids []int32) {
	for i := range len(s) {
		ids = append(ids, int32(1+int(s[i])%26))
	}
	return ids
}

func (d dice) Piece(id int32) string {
	switch {
	case id == 0:
		return "<end>"
	case id <= 26:
		return string(rune('a' + id - 1))
	case int(id) == d.size-1:
		return ""
	case id%97 == 0:
		return "\xe2\x82" // half a character
	}
	return fmt.Sprint(" w", id)
}

func (d dice) Attr(id int32) models.Attr {
	switch {
	case id == 0:
		return models.Control
	case id < 0 || int(id) >= d.size-1:
		return models.Unused
	}
	return models.Normal
}

type throws struct {
	d      dice
	tokens []int32
}

func (s *throws) Len() int       { return len(s.tokens) }
func (s *throws) Close() error   { return nil }
func (s *throws) Truncate(n int) { s.tokens = s.tokens[:n:n] }
func (s *throws) Fork() (models.Session, error) {
	return &throws{s.d, slices.Clone(s.tokens)}, nil
}

func (s *throws) Forward(_ context.Context, tokens []int32, want int) (out []models.Logits, _ error) {
	if len(s.tokens)+len(tokens) > 400 {
		return nil, models.ErrContextFull
	}
	for i, id := range tokens {
		s.tokens = append(s.tokens, id)
		if i < len(tokens)-want {
			continue
		}
		r := rand.New(rand.NewPCG(uint64(id), uint64(len(s.tokens)%7)))
		row := make([]float32, s.d.size)
		for j := range row {
			row[j] = float32(2.2 * r.NormFloat64())
		}
		row[0] = -3
		out = append(out, models.Logits{Values: row})
	}
	return out, nil
}

// A studio is a lane and the file that it is recorded to.
type studio struct {
	t     testing.TB
	lane  *engine.Lane
	comp  *engine.Compiler
	file  bytes.Buffer
	w     *Writer
	view  engine.View
	clock time.Time
}

func newStudio(t testing.TB, m models.Model, rows RowPolicy, draft engine.Draft) *studio {
	s := &studio{t: t, lane: engine.NewLane(0, m, engine.Options{Draft: draft}), comp: engine.NewCompiler(m), clock: time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)}
	s.w = NewWriter(&s.file, m, Options{Top: 10, Rows: rows, Sealed: true, Program: "test", Now: func() time.Time {
		s.clock = s.clock.Add(7 * time.Millisecond)
		return s.clock
	}})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); s.lane.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return s
}

// do posts commands and records what came of them. It must be called in a
// synctest bubble.
func (s *studio) do(commands ...engine.Command) engine.View {
	s.t.Helper()
	for _, c := range commands {
		s.lane.Post(c)
	}
	synctest.Wait()
	s.view = <-s.lane.Views()
	if err := s.w.View(s.view); err != nil {
		s.t.Fatal(err)
	}
	return s.view
}

func (s *studio) settings(c sampling.Config, label string) *engine.Settings {
	s.t.Helper()
	set, err := s.comp.Settings(c, label)
	if err != nil {
		s.t.Fatal(err)
	}
	return set
}
