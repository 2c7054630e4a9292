package llama

import (
	"context"
	"fmt"

	"logitscope/models"
)

// A Session is one sequence. It implements [models.Session], [models.Forker],
// [models.HiddenStater] and [models.KVSizer]. It is not safe for concurrent
// use; several sessions of one model are.
type Session struct {
	m      *Model
	kv     cache
	out    []models.Logits
	logits []float32 // (positions wanted, vocab)
	hidden []float32 // (positions wanted, embed)
	wanted int

	look *models.Inside // where the Forward in hand keeps what goes on; nil for nowhere
	off  *off           // what is left out; nil for nothing
}

// NewSession implements [models.Model]. A new session costs nothing until it
// is used.
func (m *Model) NewSession() (models.Session, error) { return m.newSession(), nil }

func (m *Model) newSession() *Session { return &Session{m: m, kv: cache{store: m.store}} }

// Len implements [models.Session].
func (s *Session) Len() int { return s.kv.len }

// Truncate implements [models.Session].
func (s *Session) Truncate(n int) {
	if n < 0 || n > s.kv.len {
		panic(fmt.Sprintf("llama: truncate to %d of %d tokens", n, s.kv.len))
	}
	s.kv.truncate(n)
}

// Close gives the cache back to the model. The session must not be used
// after it.
func (s *Session) Close() error {
	s.kv.truncate(0)
	return nil
}

// KVBytes implements [models.KVSizer]. Pages shared with other sessions count
// in full.
func (s *Session) KVBytes() (now, full int64) {
	return int64(len(s.kv.pages)) * s.m.store.bytes(), s.m.KVBytes(s.m.cfg.runLen)
}

// Hidden implements [models.HiddenStater].
func (s *Session) Hidden(i int) []float32 {
	if i < 0 || i >= s.wanted {
		panic(fmt.Sprintf("llama: hidden state %d of %d", i, s.wanted))
	}
	n := s.m.cfg.embed
	return s.hidden[i*n : (i+1)*n : (i+1)*n]
}

// Forward implements [models.Session].
func (s *Session) Forward(ctx context.Context, tokens []int32, want int) ([]models.Logits, error) {
	if len(tokens) == 0 || want < 0 || want > len(tokens) {
		panic(fmt.Sprintf("llama: forward of %d tokens that wants %d", len(tokens), want))
	}
	s.wanted = 0
	if err := s.check(ctx, tokens); err != nil {
		return nil, err
	}
	c := s.m.cfg
	s.hidden = grow(s.hidden, want*c.embed)
	s.logits = grow(s.logits, want*c.vocab)
	p := s.m.pass(min(len(tokens), chunkLen))
	defer s.m.done(p)
	first := len(tokens) - want // the first token whose logits are wanted
	for at := 0; at < len(tokens); at += chunkLen {
		chunk := tokens[at:min(at+chunkLen, len(tokens))]
		keep := max(0, min(len(chunk), at+len(chunk)-first))
		err := s.m.guarded(func() error { return s.chunk(ctx, p, chunk, keep, at+len(chunk)-keep-first) })
		if err != nil {
			return nil, err
		}
	}
	s.wanted = want
	return s.results(s.logits, want), nil
}

// chunk appends tokens that fit in one pass, and stores hidden states and
// logits of the last keep of them from result number to on.
func (s *Session) chunk(ctx context.Context, p *pass, tokens []int32, keep, to int) error {
	c := s.m.cfg
	p.resize(len(tokens))
	s.kv.reserve(len(tokens))
	for i, t := range tokens {
		p.rows[i] = row{s: s, tok: t, pos: s.kv.len + i}
	}
	p.look = look{s.look, to}
	if err := p.run(ctx, keep); err != nil {
		return err
	}
	if keep > 0 {
		copy(s.hidden[to*c.embed:], p.h)
		p.logits(s.logits[to*c.vocab:], p.h, keep)
	}
	s.kv.len += len(tokens)
	return nil
}

// check refuses what cannot be appended.
func (s *Session) check(ctx context.Context, tokens []int32) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c := s.m.cfg
	for _, t := range tokens {
		if t < 0 || int(t) >= c.vocab {
			return fmt.Errorf("token %d is not from 0 to %d", t, c.vocab-1)
		}
	}
	if s.kv.len+len(tokens) > c.runLen {
		return fmt.Errorf("%w: %d tokens are in it, %d more do not fit in %d", models.ErrContextFull, s.kv.len, len(tokens), c.runLen)
	}
	return nil
}

// results returns rows of logits as the result of a call.
func (s *Session) results(logits []float32, n int) []models.Logits {
	v := s.m.cfg.vocab
	s.out = grow(s.out, n)
	for i := range s.out {
		s.out[i] = models.Logits{Values: logits[i*v : (i+1)*v : (i+1)*v]}
	}
	return s.out
}

// ForwardBatch implements [models.Batcher].
func (m *Model) ForwardBatch(ctx context.Context, sessions []models.Session, tokens []int32) ([]models.Logits, error) {
	if len(sessions) == 0 || len(sessions) != len(tokens) {
		panic(fmt.Sprintf("llama: batch of %d sessions and %d tokens", len(sessions), len(tokens)))
	}
	for i, x := range sessions {
		s, ok := x.(*Session)
		if !ok || s.m != m {
			return nil, fmt.Errorf("session %d is not of this model", i)
		}
		for _, y := range sessions[:i] {
			if x == y {
				return nil, fmt.Errorf("session %d is twice in the batch", i)
			}
		}
		s.wanted = 0
		if err := s.check(ctx, tokens[i:i+1]); err != nil {
			return nil, fmt.Errorf("session %d: %w", i, err)
		}
	}
	c, lead := m.cfg, sessions[0].(*Session)
	lead.logits = grow(lead.logits, len(sessions)*c.vocab)
	p := m.pass(min(len(sessions), chunkLen))
	defer m.done(p)
	for at := 0; at < len(sessions); at += chunkLen {
		end := min(at+chunkLen, len(sessions))
		err := m.guarded(func() error {
			return m.batch(ctx, p, sessions[at:end], tokens[at:end], lead.logits[at*c.vocab:end*c.vocab])
		})
		if err != nil {
			return nil, err
		}
	}
	return lead.results(lead.logits, len(sessions)), nil
}

// batch appends one token to each of some sessions in one pass.
func (m *Model) batch(ctx context.Context, p *pass, sessions []models.Session, tokens []int32, logits []float32) error {
	c := m.cfg
	p.resize(len(sessions))
	for i, x := range sessions {
		s := x.(*Session)
		s.kv.reserve(1)
		p.rows[i] = row{s: s, tok: tokens[i], pos: s.kv.len}
	}
	if err := p.run(ctx, len(sessions)); err != nil {
		return err
	}
	p.logits(logits, p.h, len(sessions))
	for i, x := range sessions {
		s := x.(*Session)
		s.hidden = grow(s.hidden, c.embed)
		copy(s.hidden, p.h[i*c.embed:(i+1)*c.embed])
		s.wanted = 1
		s.kv.len++
	}
	return nil
}
