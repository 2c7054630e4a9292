package engine

import (
	"context"
	"fmt"

	"logitscope/models"
)

// fork hands the first c.Len steps to another lane, with a copy of the cache.
func (l *Lane) fork(c Fork) {
	n := max(0, min(c.Len, len(l.steps)))
	steps := l.steps[:n:n]
	if c.Steps != nil {
		steps = c.Steps
	}
	a := Adopt{Text: l.text, Prompt: l.prompt, Steps: steps, Settings: c.Settings}
	tokens := append([]int32(nil), l.prompt...)
	for _, s := range steps {
		tokens = append(tokens, s.Token)
	}
	if l.observing() {
		// A server that chooses by itself begins a text of its own.
		c.To.Post(Start{Text: l.text, Prompt: l.prompt, Settings: c.Settings, Turns: l.turns})
		return
	}
	if h, err := l.cache.copyOf(tokens); err == nil {
		a.cache = h
	}
	c.To.Post(a) // without a cache the other lane computes its own
	if c.Then > 0 {
		c.To.Post(Advance{c.Then})
	}
}

// look computes the row of an old step again and shows it in the views.
func (l *Lane) look(ctx context.Context, index int) {
	l.looked = nil
	if index < 1 || index > len(l.steps) {
		return
	}
	old := l.steps[index-1]
	if old.Row != nil && old.Trace != nil {
		l.looked = old
		return
	}
	if l.observing() {
		return // the server's row is gone, and it cannot be asked again
	}
	l.looking = index
	l.publish()
	inner, stop := l.attend(ctx)
	row, err := l.recompute(inner, len(l.prompt)+index-1, old.Off)
	if err == nil {
		err = l.addSecond(inner, row, old.Settings, len(l.prompt)+index-1)
	}
	cut := interrupted(inner)
	stop()
	l.looking = 0
	switch {
	case err != nil && cut:
		return
	case err != nil:
		l.fail(fmt.Errorf("recomputing step %d: %w", index, err))
		return
	}
	s := *old
	s.Row = row
	in := stepInput{
		prompt: l.prompt, output: l.tokens[len(l.prompt) : len(l.prompt)+index-1], pins: l.pins,
		before: previous(l.steps, index-1), left: l.left(index - 1), banned: old.banned,
	}
	if err := traceStep(&s, old.Settings, &l.scratch, in); err != nil {
		l.fail(err)
		return
	}
	s.Drawn = s.Token
	s.Token, s.Forced = old.Token, old.Forced // a forced token stays what it was
	l.looked = &s
}

// recompute returns the row that follows the first n tokens, made without what
// off names; the whole model's row is then beside it.
func (l *Lane) recompute(ctx context.Context, n int, off *Off) (*Row, error) {
	until := n - 1 // what the whole model has read
	if off != nil {
		until = min(until, off.From)
	}
	h, err := l.cache.copy(until)
	if err != nil {
		return nil, err
	}
	defer h.sess.Close()
	var rows []models.Logits
	for from := len(h.tokens); from < n; {
		to := min(n, from+prefillChunk)
		if off != nil && from < off.From {
			to = min(to, off.From)
		} else if off != nil {
			h.sess.(models.Insider).SwitchOff(off.Parts...)
		}
		want := 0
		if to == n {
			want = 1
		}
		if err := l.enter(ctx); err != nil {
			return nil, err
		}
		rows, err = h.sess.Forward(ctx, l.tokens[from:to], want)
		l.leave()
		if err != nil {
			return nil, err
		}
		l.forwarded += int64(to - from)
		from = to
	}
	row := l.memory.keep(rows[0])
	if off != nil {
		whole, err := l.recompute(ctx, n, nil)
		if err != nil {
			return nil, err
		}
		row.Whole = whole.Values
	}
	return row, nil
}
