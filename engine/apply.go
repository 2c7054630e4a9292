package engine

import (
	"context"
	"slices"
	"time"

	"logitscope/engine/phrases"
	"logitscope/engine/speculative"
)

// apply takes one command.
func (l *Lane) apply(ctx context.Context, c Command) {
	switch c := c.(type) {
	case Start:
		l.start(ctx, c)
	case Adopt:
		l.adopt(ctx, c)
	case Advance:
		if l.budget > 0 && c.N > 0 {
			l.budget += c.N // what was asked for before is still owed
		} else {
			l.budget = c.N
		}
		l.cancelled = false
		l.retry(ctx)
	case Tune:
		l.tune(ctx, c.Settings)
	case Force:
		l.force(ctx, c.Token)
	case Rewind:
		l.rewind(c.Len)
	case Pin:
		l.pins = c.IDs
		l.retrace()
	case Pace:
		l.every = c.Every
	case Look:
		l.look(ctx, c.Index)
	case Cancel:
		if len(l.pending) == 0 {
			l.cancelled, l.budget = true, 0
		}
	case Judge:
		l.judge(c.Algorithm)
	case Assist:
		l.assist(c.Draft)
	case Fork:
		l.fork(c)
	case SwitchOff:
		l.switchOff(c.Parts)
	case Lend:
		l.lend(c)
	case Until:
		l.setUntil(c)
	case Settle:
		l.waiting = append(l.waiting, c.Done)
	}
}

func (l *Lane) start(ctx context.Context, c Start) {
	l.dropSearch()
	l.dropDecoder()
	l.cache.forget()
	l.makeWhole()
	l.settings, l.text, l.prompt, l.turns = c.Settings, c.Text, c.Prompt, c.Turns
	l.said = phrases.Watch{}
	l.hold(nil)
	l.setUntil(Until{})
	l.prefill, l.decode = Timing{Total: len(c.Prompt)}, Timing{}
	l.rate.reset()
	l.forwarded = 0
	if l.observing() {
		l.last = time.Now()
		l.startFeed(ctx)
		return
	}
	l.refresh(ctx)
}

func (l *Lane) adopt(ctx context.Context, c Adopt) {
	if !slices.Equal(l.prompt, c.Prompt) {
		l.dropSearch()
		l.dropDecoder()
		l.prefill = Timing{}
	}
	l.settings, l.text, l.prompt = c.Settings, c.Text, c.Prompt
	if c.cache != nil {
		l.cache.replace(c.cache)
	}
	l.said = phrases.Watch{Free: len(c.Steps)} // another lane's text stands
	l.hold(c.Steps[:len(c.Steps):len(c.Steps)])
	if l.observing() {
		// The text can be held, but not gone on with: a server that chooses by
		// itself begins a text of its own.
		l.stopFeed()
		l.feed = &feed{over: true, left: Interrupted, cancel: func() {}}
		return
	}
	l.cache.prefer(l.tokens)
	if l.prefill == (Timing{}) { // another prompt, of which the cache may have a part
		l.prefill.Total = max(len(l.prompt)-l.cache.shared(l.tokens), 0)
		if c.cache != nil { // a copy, which reads its last token again and no prompt
			l.prefill.Total = len(l.prompt)
		}
	}
	l.refresh(ctx)
}

// hold makes steps the lane's own and drops the proposal.
func (l *Lane) hold(steps []*Step) {
	l.steps = steps
	l.tokens = append(l.tokens[:0:0], l.prompt...)
	l.written, l.stopAt, l.whole = nil, -1, false
	for _, s := range steps {
		l.append(s)
	}
	l.settle()
	l.memory.recount(steps)
	l.budget = 0
	l.invalidate()
}

// invalidate drops the proposal and whatever stood in its way.
func (l *Lane) invalidate() {
	l.pending, l.err, l.full, l.cancelled, l.looked = nil, nil, false, false, nil
}

// retry clears a failure that another try may get past, such as a server that
// did not answer.
func (l *Lane) retry(ctx context.Context) {
	if l.err == nil || len(l.pending) > 0 || !isTemporary(l.err) {
		return
	}
	if l.observing() {
		if len(l.steps) > 0 {
			return // the server would begin another text
		}
		l.startFeed(ctx)
	}
	l.err = nil
}

// tune puts other settings in force from the next token on.
func (l *Lane) tune(ctx context.Context, s *Settings) {
	if l.err != nil && l.settings != nil && l.settings.weighs() && !l.settings.besides.equal(s.besides) {
		l.invalidate() // the failure may have been the second row's
	}
	l.settings = s
	l.stopAt = s.stopper.find(l.written, 0)
	l.settle() // a constraint that was not there before begins here
	if l.observing() {
		l.retrace()
		return
	}
	l.refresh(ctx)
	if l.stale() {
		l.pending = nil
		return
	}
	l.retrace()
}

// assist decodes with another draft from the next round on. A failure may
// have been the draft's, so the lane tries again.
func (l *Lane) assist(d Draft) {
	l.opt.Draft = d
	l.dropDecoder()
	if l.err != nil {
		l.invalidate()
	}
	l.retrace()
}

// judge changes the acceptance rule from the next round on.
func (l *Lane) judge(a speculative.Algorithm) {
	l.algorithm = a
	if l.decoder == nil {
		return
	}
	if err := l.decoder.SetAlgorithm(a); err != nil {
		l.fail(err)
		return
	}
	l.retrace()
}

// retrace makes the proposal again from the logits in hand. A round is drafted
// again instead: what it proposed followed from the settings.
func (l *Lane) retrace() {
	if len(l.pending) == 0 {
		return
	}
	old := l.pending[0]
	if old.Observed {
		s, err := observe(old, l.settings, &l.scratch, l.input())
		if err != nil {
			l.fail(err)
			return
		}
		l.pending = []*Step{s}
		return
	}
	l.pending = nil
	if old.Round != nil || l.drafting() {
		return
	}
	s := &Step{Index: old.Index, Pos: old.Pos, Took: old.Took, Row: old.Row, Off: old.Off}
	if l.trace(s) {
		l.pending = []*Step{s}
	}
}

// force writes token id in place of the proposal, which it makes first if the
// lane was just taken back.
func (l *Lane) force(ctx context.Context, id int32) {
	if l.feed != nil {
		return // the choice is the server's
	}
	if l.canPropose() {
		l.catchUp(ctx)
		l.propose(ctx)
	}
	if len(l.pending) == 0 || id < 0 || int(id) >= l.model.Vocab().Size() {
		return
	}
	old := l.pending[0]
	s := &Step{Index: old.Index, Pos: old.Pos, Took: old.Took, Row: old.Row, Off: old.Off, Forced: true}
	in := l.input()
	in.pins = append(slices.Clip(l.pins), id)
	if err := traceStep(s, l.settings, &l.scratch, in); err != nil {
		l.fail(err)
		return
	}
	s.Drawn = s.Trace.Token
	s.take(id, l.pins, in, s.Trace.U)
	budget := l.budget
	l.commit(s)
	if budget >= 0 && l.ended() == "" {
		l.budget = budget // a forced token is not one of those asked for
	}
}

// rewind keeps the first n generated tokens and pauses.
func (l *Lane) rewind(n int) {
	if l.search != nil {
		l.search.rewind(max(0, n))
		l.budget = 0
		l.invalidate()
		l.rewrite()
		return
	}
	if l.feed != nil {
		l.budget = 0 // what a server wrote cannot be taken back, only looked at
		return
	}
	n = max(0, min(n, len(l.steps)))
	l.said.Cut(n)
	l.steps = l.steps[:n:n] // full slice: our appends must not reach an array that a view shows
	l.hold(l.steps)
}
