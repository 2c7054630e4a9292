package speculative

import (
	"context"

	"logitscope/models"
)

// A track is a session and the tokens in its cache.
type track struct {
	session models.Session
	tokens  []int32
}

func newTrack(m models.Model) (*track, error) {
	s, err := m.NewSession()
	if err != nil {
		return nil, err
	}
	return &track{session: s}, nil
}

func (t *track) close() { t.session.Close() }

func (t *track) truncate(n int) {
	if n < len(t.tokens) {
		t.session.Truncate(n)
		t.tokens = t.tokens[:n]
	}
}

// keep truncates the cache to what it has in common with tokens, and to most
// tokens.
func (t *track) keep(tokens []int32, most int) {
	n := 0
	for n < len(t.tokens) && n < len(tokens) && n < most && t.tokens[n] == tokens[n] {
		n++
	}
	t.truncate(n)
}

// forward appends tokens and returns the logits after the last want of them.
func (t *track) forward(ctx context.Context, tokens []int32, want int) ([]models.Logits, error) {
	rows, err := t.session.Forward(ctx, tokens, want)
	if err != nil {
		// The cache may hold the first of them: what it holds is not known.
		t.session.Truncate(min(t.session.Len(), len(t.tokens)))
		return nil, err
	}
	t.tokens = append(t.tokens, tokens...)
	return rows, nil
}

// sync makes the cache hold exactly tokens.
func (t *track) sync(ctx context.Context, tokens []int32) error {
	t.keep(tokens, len(tokens))
	if len(t.tokens) == len(tokens) {
		return nil
	}
	_, err := t.forward(ctx, tokens[len(t.tokens):], 0)
	return err
}

// verify runs all and the drafted tokens and returns the logits after the
// last token of all and after each drafted one, and the number of tokens run.
func (t *track) verify(ctx context.Context, all, drafted []int32) ([]models.Logits, int, error) {
	t.keep(all, len(all)-1)
	tokens := append(append([]int32(nil), all[len(t.tokens):]...), drafted...)
	rows, err := t.forward(ctx, tokens, len(drafted)+1)
	return rows, len(tokens), err
}

// adopt makes t a copy of o if sessions can be copied; else t stays as it is.
func (t *track) adopt(o *track) {
	f, ok := o.session.(models.Forker)
	if !ok {
		return
	}
	if s, err := f.Fork(); err == nil {
		t.session.Close()
		t.session, t.tokens = s, append([]int32(nil), o.tokens...)
	}
}
