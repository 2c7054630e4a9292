package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"logitscope/engine/schedule"
	"logitscope/engine/speculative"
	"logitscope/models"
	"logitscope/sampling"
)

// A Draft is what proposes tokens for speculative decoding. The zero value is
// none.
type Draft struct {
	Model     models.Model // nil for none
	NGram     bool         // look the tokens up in the text so far
	Lookahead bool         // n-grams of the target's own guesses of later places
}

// Names of the drafts that need no model of their own.
const (
	NGramDraft     = "ngram"
	LookaheadDraft = "lookahead"
)

// Modelless returns the draft of a name that needs no other model. ok is false
// for another name.
func Modelless(name string) (d Draft, ok bool) {
	d = Draft{NGram: name == NGramDraft, Lookahead: name == LookaheadDraft}
	return d, d.Active()
}

// Name is what the draft is called, empty for none.
func (d Draft) Name() string {
	switch {
	case d.Model != nil:
		return d.Model.Info().Name
	case d.Lookahead:
		return LookaheadDraft
	case d.NGram:
		return NGramDraft
	}
	return ""
}

// Judges reports whether drafted tokens can be judged by a.
func (d Draft) Judges(a speculative.Algorithm) bool { return a.Judges(d.source()) }

// Check reports settings under which nothing can be drafted by d, or judged. An
// error begins with the key.
func (d Draft) Check(cfg sampling.Config) error { return speculative.CheckSource(cfg, d.source()) }

func (d Draft) source() speculative.Source {
	switch {
	case d.Model != nil:
		return speculative.ByModel
	case d.Lookahead:
		return speculative.ByLookahead
	}
	return speculative.ByText
}

// Active reports whether there is a draft.
func (d Draft) Active() bool { return d.Model != nil || d.NGram || d.Lookahead }

// CheckDraft returns an error that says what differs if draft does not share
// target's vocabulary.
func CheckDraft(target, draft models.Model) error { return speculative.SameVocab(target, draft) }

// drafting reports whether the lane decodes in speculative rounds.
func (l *Lane) drafting() bool {
	return l.opt.Draft.Active() && len(l.cache.off) == 0 && !l.settings.weighs() && !l.settings.phrases.On() && l.settings.Config().Int("num_assistant_tokens") > 0
}

// round drafts and verifies. What it emits becomes the proposal.
func (l *Lane) round(ctx context.Context) {
	if err := l.readyDecoder(ctx); err != nil {
		if !errors.Is(err, errInterrupted) && ctx.Err() == nil {
			l.fail(err)
		}
		return
	}
	if err := l.enter(ctx); err != nil {
		return
	}
	inner, stop := l.attend(ctx)
	r, err := l.decoder.Round(inner)
	cut := interrupted(inner)
	stop()
	l.leave()
	if err != nil {
		switch {
		case cut:
		case errors.Is(err, speculative.ErrDone), errors.Is(err, models.ErrContextFull):
			l.full = l.decoder.Done() == "context" || errors.Is(err, models.ErrContextFull)
		case ctx.Err() == nil:
			l.fail(err)
		}
		return
	}
	l.decode.Done += len(r.Emitted)
	l.decode.Took += r.Target + r.Draft
	l.forwarded += int64(r.Fed)
	if n := len(r.Emitted); n > 0 {
		l.rate.add(time.Now(), (r.Target+r.Draft)/time.Duration(n))
	}
	l.pending = l.roundSteps(r)
	l.drafted = l.decoder.View()
}

// roundSteps makes a step of every token a round emitted, with the trace of
// the target's own law at its place.
func (l *Lane) roundSteps(r *speculative.Round) []*Step {
	var out []*Step
	tokens := slices.Clone(l.tokens)
	before := previous(l.steps, len(l.steps))
	for i := r.Kept; i < len(r.Emitted); i++ {
		id := r.Emitted[i]
		s := &Step{Index: len(l.steps) + len(out) + 1, Pos: len(tokens), Took: (r.Target + r.Draft) / time.Duration(len(r.Emitted)), Round: r}
		if rows := r.Rows(); i < len(rows) {
			s.Row = &Row{IDs: rows[i].IDs, Values: rows[i].Values, Rest: rows[i].Rest}
		}
		in := stepInput{
			prompt: l.prompt, output: tokens[len(l.prompt):], pins: append(slices.Clip(l.pins), id),
			before: before, left: l.left(s.Index - 1),
		}
		if err := traceStep(s, l.settings, &l.scratch, in); err != nil {
			l.fail(err)
			return nil
		}
		u := 0.0
		if i < r.Accepted && i < len(r.Positions) {
			u = r.Positions[i].U
		} else if r.Final != nil {
			u = r.Final.U
		}
		s.take(id, l.pins, in, u)
		out, before, tokens = append(out, s), s, append(tokens, id)
	}
	return out
}

// take makes id the token of a step that was traced with another: it was not
// drawn from the trace's own u, but forced, or emitted by a round.
func (s *Step) take(id int32, pins []int32, in stepInput, u float64) {
	t := s.Trace
	s.Token, t.Token, t.U = id, id, u
	if r := t.Row(id); r != nil {
		t.Rank, t.RawProb, t.Prob = r.Rank, r.RawProb, r.Prob
		r.Pinned = slices.Contains(pins, id)
	}
	t.RawLogprob, t.Rank = s.Row.place(id, s.Settings.noPiece)
	t.Logprob = finalLogprob(t, id)
	t.Lo, t.Hi, t.Race = 0, 0, sampling.Race{}
	s.Summary = summarise(t)
	if c := s.Settings.constraint; c != nil {
		s.after = c.before(in.before).accept(id, t.Constraint.Bits)
	}
	if rules := s.progress.Of(); rules != nil {
		var last schedule.Progress
		if in.before != nil {
			last = in.before.progress
		}
		s.progress = rules.Before(last, in.output).Accept(id)
	}
}

var errInterrupted = errors.New("a command came while the prompt was read")

// readyDecoder brings the decoder to the lane's text and settings.
func (l *Lane) readyDecoder(ctx context.Context) error {
	opt := speculative.Options{Mask: l.maskIfAny(), Switch: l.switchIfAny(), State: func(n int) sampling.State { return stateAfter(l.steps, n) }, Vocab: vocabOf(l.model), Rows: true, Plain: 64, Algorithm: l.algorithm, Lookahead: l.opt.Draft.Lookahead}
	p := l.settings.Pipeline
	switch {
	case l.decoder == nil:
		d, err := speculative.New(l.model, l.opt.Draft.Model, p, nil, l.prompt, opt)
		if err != nil {
			return err
		}
		l.decoder, l.tuned = d, l.settings
		if err := l.prefillDecoder(ctx); err != nil {
			return err
		}
	case l.tuned != l.settings:
		l.decoder.Under(l.maskIfAny(), l.switchIfAny())
		if err := l.decoder.Tune(p, nil); err != nil {
			return err
		}
		l.tuned = l.settings
	}
	return l.alignDecoder()
}

// alignDecoder makes the decoder hold exactly the lane's steps.
func (l *Lane) alignDecoder() error {
	out, want := l.decoder.Output(), l.tokens[len(l.prompt):]
	n := 0
	for n < min(len(out), len(want)) && out[n] == want[n] {
		n++
	}
	switch {
	case n == len(want) && n == len(out):
	case n == len(want):
		l.decoder.Rewind(n)
	case n == len(want)-1 && n == len(out):
		l.decoder.Force(want[n])
	default:
		l.decoder.Restore(want, roundsOf(l.steps))
	}
	return nil
}

// roundsOf returns the rounds that wrote steps, one for each step it wrote.
func roundsOf(steps []*Step) (rounds []*speculative.Round) {
	for _, s := range steps {
		if s.Round != nil {
			rounds = append(rounds, s.Round)
		}
	}
	return rounds
}

// prefillDecoder reads the prompt into both models, unless a command comes.
func (l *Lane) prefillDecoder(ctx context.Context) error {
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	start := time.Now()
	err := l.decoder.Prefill(inner, func(done, total int) {
		l.prefill.Done, l.prefill.Took = done, time.Since(start)
		if l.inbox.waiting() {
			cancel(errInterrupted)
		}
		l.publish()
	})
	if err == nil {
		l.prefill.Done, l.prefill.Took = len(l.prompt), time.Since(start)
	}
	if cause := context.Cause(inner); cause != nil && ctx.Err() == nil {
		l.dropDecoder()
		return cause
	}
	return err
}

func (l *Lane) maskIfAny() func([]int32) ([]uint64, bool, error) {
	if l.settings.constraint == nil && l.settings.schedule == nil {
		return nil
	}
	return l.maskAfter
}

func (l *Lane) switchIfAny() func([]int32) (*sampling.Pipeline, error) {
	if l.settings.schedule == nil {
		return nil
	}
	return func(output []int32) (*sampling.Pipeline, error) {
		return l.settings.pipelineAfter(l.known(output), output)
	}
}

func (l *Lane) dropDecoder() {
	if l.decoder != nil {
		l.decoder.Close()
		l.decoder, l.drafted = nil, nil
	}
}
