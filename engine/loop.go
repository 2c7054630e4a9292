package engine

import (
	"context"
	"errors"
	"time"

	"logitscope/models"
)

// Run decodes until ctx is done; that is not an error. It must be called exactly
// once.
func (l *Lane) Run(ctx context.Context) error {
	defer close(l.views)
	if err := l.cache.open(l.model, l.opt); err != nil {
		return err
	}
	defer l.cache.close()
	defer l.beside.close()
	defer l.intact.close()
	defer l.dropDecoder()
	defer l.dropSearch()
	defer l.stopFeed()
	defer l.memory.release()
	for ctx.Err() == nil {
		commands := l.inbox.take()
		for _, c := range commands {
			l.apply(ctx, c)
		}
		if len(commands) > 0 && l.remote() {
			l.publish() // before waiting for the server
		}
		wait, busy := l.work(ctx)
		if ctx.Err() != nil {
			break
		}
		v := l.publish()
		if !busy {
			if wait == 0 && !l.inbox.waiting() {
				for _, done := range l.waiting {
					done <- v
				}
				l.waiting = nil
			}
			l.sleep(ctx, wait)
		}
	}
	return nil
}

// sleep waits for a command, or for d if it is positive.
func (l *Lane) sleep(ctx context.Context, d time.Duration) {
	var alarm <-chan time.Time
	if d > 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		alarm = t.C
	}
	select {
	case <-l.inbox.ready:
	case <-alarm:
	case <-ctx.Done():
	}
}

// work does one unit: it writes the proposal if it may and makes the next
// one, or reads one chunk of the prompt. It reports whether there is more to
// do at once, and if not, how long to wait for it (0: until a command).
func (l *Lane) work(ctx context.Context) (wait time.Duration, busy bool) {
	if l.settings == nil || l.err != nil || l.cancelled || l.ended() != "" {
		if l.err != nil || l.settings != nil && l.ended() != "" {
			l.setUntil(Until{})
		}
		return 0, false
	}
	if l.stopped() {
		return 0, false
	}
	if l.budget != 0 && l.every > 0 && (len(l.pending) > 0 || l.search != nil) {
		if d := time.Until(l.last.Add(l.every)); d > 0 {
			return d, false
		}
	}
	if l.search != nil {
		return 0, l.workSearch(ctx)
	}
	if l.feed != nil {
		return l.workFeed(ctx)
	}
	if len(l.pending) > 0 {
		if l.budget == 0 && l.narrowed {
			return 0, l.widen(ctx)
		}
		if l.budget == 0 {
			return 0, false
		}
		l.commit(l.pending...)
		if l.ended() != "" {
			return 0, true
		}
	}
	if l.drafting() {
		l.round(ctx)
		return 0, l.budget != 0 && l.err == nil && ctx.Err() == nil || l.inbox.waiting()
	}
	if l.behind() {
		l.fill(ctx)
		return 0, true
	}
	l.propose(ctx)
	return 0, l.budget != 0 && l.err == nil
}

// canPropose reports whether a proposal is lacking that can be made.
func (l *Lane) canPropose() bool {
	return len(l.pending) == 0 && len(l.tokens) > 0 && l.settings != nil && l.search == nil && l.err == nil && l.ended() == ""
}

// behind reports whether the cache lacks more than one chunk of the text.
func (l *Lane) behind() bool { return len(l.tokens)-l.cache.shared(l.tokens) > prefillChunk }

// catchUp brings the cache to within one chunk of the text.
func (l *Lane) catchUp(ctx context.Context) {
	for l.behind() && l.err == nil && ctx.Err() == nil {
		l.fill(ctx)
	}
}

// fill reads one chunk of what the cache lacks.
func (l *Lane) fill(ctx context.Context) {
	from := l.cache.shared(l.tokens)
	l.forward(ctx, l.tokens[:from+prefillChunk], 0)
}

// forward brings the cache to tokens and returns the logits of the last want
// of them. What it took is counted as prefill or decode.
func (l *Lane) forward(ctx context.Context, tokens []int32, want int) []models.Logits {
	if err := l.enter(ctx); err != nil {
		return nil
	}
	start := time.Now()
	l.cache.expect(l.settings, l.ahead, l.narrow())
	inner, stop := l.attend(ctx)
	rows, fed, err := l.cache.forward(inner, tokens, want)
	cut := interrupted(inner)
	stop()
	took := time.Since(start)
	l.leave()
	l.forwarded += int64(fed)
	if fed > 1 || len(l.steps) == 0 {
		l.prefill.Done = min(l.prefill.Done+fed, max(l.prefill.Total, fed))
		l.prefill.Took += took
	} else {
		l.decode.Done += fed
		l.decode.Took += took
		if l.remote() {
			l.rate.arrived(time.Now())
		} else {
			l.rate.add(time.Now(), took)
		}
	}
	switch {
	case errors.Is(err, models.ErrContextFull):
		l.full = true
	case err != nil && ctx.Err() == nil && !cut:
		l.fail(err)
	}
	return rows
}

// propose runs the model over what the cache lacks and traces a choice for
// the next token.
func (l *Lane) propose(ctx context.Context) {
	if len(l.tokens) == 0 {
		l.fail(errors.New("the prompt has no tokens and the model adds none"))
		return
	}
	start := time.Now()
	rows := l.forward(ctx, l.tokens, 1)
	if len(rows) == 0 {
		return
	}
	row := l.row(ctx, rows[0])
	if row == nil {
		return
	}
	inner, stop := l.attend(ctx)
	err := l.addSecond(inner, row, l.settings, len(l.tokens))
	if err == nil {
		err = l.addWhole(inner, row)
	}
	cut := interrupted(inner)
	stop()
	if err != nil {
		if !cut && ctx.Err() == nil {
			l.fail(err)
		}
		return
	}
	s := &Step{Index: len(l.steps) + 1, Pos: len(l.tokens), Took: time.Since(start), Row: row, Off: l.off()}
	if l.trace(s) {
		l.pending = append(l.pending[:0:0], s)
	}
}

// trace fills s from its row under the settings in force. It reports whether
// that worked; if not, the lane has failed.
func (l *Lane) trace(s *Step) bool {
	in := l.input()
	err := traceStep(s, l.settings, &l.scratch, in)
	if err != nil {
		l.fail(err)
		return false
	}
	if l.remote() {
		x := in.sampling(s.Row)
		s.Settings.constraint.mask(in).apply(&x)
		s.Strayed, s.Inexact = s.Row.Strayed, inexact(l.model, s, x)
	}
	return err == nil
}

// input returns what the next step is sampled from besides its row.
func (l *Lane) input() stepInput {
	n := len(l.steps)
	return stepInput{prompt: l.prompt, output: l.tokens[len(l.prompt):], pins: l.pins, before: previous(l.steps, n), left: l.left(n), banned: l.said.Banned(l.settings.phrases, n)}
}
