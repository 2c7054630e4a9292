package engine

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"logitscope/models"
	"logitscope/sampling"
)

// Some stages weigh a step's row against a second one: the draft model's on
// the same text, or the model's own after a negative prompt. A lane then keeps
// a second session beside its own and asks it for a row whenever it makes a
// proposal; the row is kept with the first, so that a what-if and a look back
// see both.

// A besides is where a second row comes from.
type besides struct {
	kind     sampling.SecondRow
	of       string  // names it in a recording
	negative []int32 // tokens before the output; empty: the prompt's last
}

// SecondOf names what Second is the row of, in recordings; empty for none.
func (r *Row) SecondOf() string {
	if r.of == nil {
		return ""
	}
	return r.of.of
}

func (b *besides) equal(c *besides) bool {
	return b.kind == c.kind && slices.Equal(b.negative, c.negative)
}

// besides returns what p's stages need a second row of.
func (c *Compiler) besides(p *sampling.Pipeline) (*besides, error) {
	b := &besides{}
	for _, kind := range p.Seconds() {
		if b.kind != sampling.NoSecond && b.kind != kind {
			return nil, errors.New("guidance_scale: contrastive decoding and guidance each need a second row of their own; use one of them")
		}
		b.kind = kind
	}
	switch b.kind {
	case sampling.OfAmateur:
		b.of = "amateur"
	case sampling.OfPrompt:
		sum := sha256.Sum256([]byte(p.Config().Text("negative_prompt"))) // a name, not the text: recordings are shared
		b.of = fmt.Sprintf("prompt %x", sum[:6])
	}
	if text := p.Config().Text("negative_prompt"); b.kind == sampling.OfPrompt && text != "" {
		b.negative = c.model.Vocab().Encode(text, models.EncodeOptions{AddSpecial: true, ParseSpecial: true})
	}
	return b, nil
}

// SecondOf names the second row that the stages of s weigh, as
// [Row.SecondOf] does; empty for none.
func (s *Settings) SecondOf() string {
	if s.besides == nil {
		return ""
	}
	return s.besides.of
}

// weighs reports whether a stage of s weighs two rows.
func (s *Settings) weighs() bool { return s.besides != nil && s.besides.kind != sampling.NoSecond }

// A beside is the second session of a lane.
type beside struct {
	cache cache
	model models.Model
}

func (b *beside) close() {
	if b.model != nil {
		b.cache.close()
	}
	b.model = nil
}

// addSecond gives row the second row that s needs after the first n tokens of
// the text.
func (l *Lane) addSecond(ctx context.Context, row *Row, s *Settings, n int) error {
	if !s.weighs() {
		return nil
	}
	if r, ok := l.model.(models.Rememberer); ok {
		if v := r.SecondRow(l.tokens[:n], s.besides.of); v != nil {
			row.Second, row.of = v, s.besides
			return nil
		}
	}
	m, tokens := l.model, l.tokens[:n]
	switch s.besides.kind {
	case sampling.OfAmateur:
		if m = l.opt.Draft.Model; m == nil {
			return errors.New("contrastive: no draft model to be the amateur; name one with --draft")
		}
	case sampling.OfPrompt:
		before := s.besides.negative
		if len(before) == 0 {
			before = l.prompt[len(l.prompt)-1:]
		}
		tokens = slices.Concat(before, l.tokens[len(l.prompt):n])
	}
	if l.beside.model != m {
		l.beside.close()
		if err := l.beside.cache.open(m, Options{}); err != nil {
			return err
		}
		l.beside.model = m
	}
	values, err := l.forwardBeside(ctx, &l.beside, tokens)
	if err != nil {
		return err
	}
	if len(values) != len(row.Values) {
		return fmt.Errorf("the second row has %d logits and the first %d", len(values), len(row.Values))
	}
	row.Second, row.of = values, s.besides
	return nil
}

// forwardBeside returns a copy of the logits after tokens in a second session.
func (l *Lane) forwardBeside(ctx context.Context, b *beside, tokens []int32) ([]float32, error) {
	for {
		to, want := len(tokens), 1
		if from := b.cache.shared(tokens); to-from > prefillChunk {
			to, want = from+prefillChunk, 0
		}
		if err := l.enter(ctx); err != nil {
			return nil, err
		}
		rows, fed, err := b.cache.forward(ctx, tokens[:to], want)
		l.leave()
		l.forwarded += int64(fed)
		switch {
		case err != nil:
			return nil, err
		case want == 0:
			continue
		case rows[0].IDs != nil:
			return nil, errors.New("a second row needs every token, and the server names some only")
		}
		return append([]float32(nil), rows[0].Values...), nil
	}
}

// lacksSecond reports whether the proposal's row was made without the second
// row that the settings now need.
func (l *Lane) lacksSecond() bool {
	row := l.pending[0].Row
	return l.settings.weighs() && (row.Second == nil || !row.of.equal(l.settings.besides))
}
