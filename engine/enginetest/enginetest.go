// Package enginetest answers: what do the tests of several ways to decode have
// in common? Pipelines for a model, models without what makes a search fast,
// and a text decoded the plain way.
package enginetest

import (
	"context"
	"slices"
	"testing"

	"logitscope/models"
	"logitscope/sampling"
)

// A vocab shows a model's vocabulary to the sampling package.
type vocab struct{ models.Vocab }

func (v vocab) Encode(s string) []int32 { return v.Vocab.Encode(s, models.EncodeOptions{}) }
func (v vocab) HasPiece(id int32) bool  { return v.Attr(id) != models.Unused }

// Vocab returns a model's vocabulary as the sampling package takes it.
func Vocab(m models.Model) sampling.Vocab { return vocab{m.Vocab()} }

// Compile returns a pipeline for m that sets what settings hold, by key.
func Compile(t testing.TB, m models.Model, settings map[string]any) *sampling.Pipeline {
	t.Helper()
	var c sampling.Config
	for k, v := range settings {
		c = with(t, c, k, v)
	}
	p, err := sampling.Compile(c, Vocab(m))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Config returns a configuration of pairs of a key and its value.
func Config(t testing.TB, pairs ...any) sampling.Config {
	t.Helper()
	var c sampling.Config
	for i := 0; i < len(pairs); i += 2 {
		c = with(t, c, pairs[i].(string), pairs[i+1])
	}
	return c
}

func with(t testing.TB, c sampling.Config, key string, v any) sampling.Config {
	t.Helper()
	c, err := c.With(key, v, sampling.FromFlag)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// NoBatch hides that a model can run several sessions in one pass, and that its
// sessions can be copied.
type NoBatch struct{ models.Model }

// NewSession returns a session that can do no more than one must.
func (m NoBatch) NewSession() (models.Session, error) {
	s, err := m.Model.NewSession()
	if h, ok := s.(models.HiddenStater); ok {
		return struct{ models.HiddenStater }{h}, err
	}
	return struct{ models.Session }{s}, err
}

// Decode writes n tokens after a prompt, past the end of the text if need be: a
// pass, a draw, the next. It returns them, and a copy of the row that each was
// drawn from.
func Decode(t testing.TB, m models.Model, p *sampling.Pipeline, prompt []int32, n int) (text []int32, rows [][]float32) {
	t.Helper()
	s, err := m.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var scratch sampling.Scratch
	var trace sampling.Trace
	for feed := prompt; len(text) < n; feed = text[len(text)-1:] {
		out, err := s.Forward(context.Background(), feed, 1)
		if err != nil {
			t.Fatal(err)
		}
		row := slices.Clone(out[0].Values)
		id, err := p.Sample(&trace, &scratch, sampling.Input{Logits: row, Prompt: prompt, Output: text})
		if err != nil {
			t.Fatal(err)
		}
		rows, text = append(rows, row), append(text, id)
	}
	return text, rows
}
