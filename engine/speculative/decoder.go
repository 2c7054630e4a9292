package speculative

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"logitscope/models"
	"logitscope/sampling"
)

// ErrDone is returned by [Decoder.Round] once the text has ended.
var ErrDone = errors.New("the text has ended")

// Options are what a decoder needs beside the settings. The zero value is
// ready to use.
type Options struct {
	// Mask says which tokens a constraint allows after the tokens generated
	// so far, drafted ones included; nil means there is no constraint. Bit
	// id%64 of word id/64 set means allowed, a nil mask allows all; end says
	// whether the text may end.
	Mask func(output []int32) (allowed []uint64, end bool, err error)

	// Switch returns the pipeline that takes the place of both sides' after
	// output, drafted tokens included, for settings that change inside a text;
	// nil means they do not.
	Switch func(output []int32) (*sampling.Pipeline, error)

	// State returns what the token after the first n generated ones is sampled
	// with, as the tokens' own steps left it; nil means that a stage which
	// draws drew once for each of them.
	State func(n int) sampling.State

	// Algorithm overrides the setting block_verification; empty leaves it in
	// force. It is how a wrong algorithm is chosen.
	Algorithm Algorithm

	// Vocab compiles the pipelines without cuts that two of the wrong
	// algorithms need; it may be nil, as for [sampling.Compile].
	Vocab sampling.Vocab

	// Rows keeps the target's logits of the emitted tokens; see [Round.Rows].
	Rows bool

	// RowBudget is the most bytes of them kept, besides those of the latest
	// round; 0 means 8 MiB.
	RowBudget int64

	// Lookahead drafts n-grams of the target's own guesses where there is no
	// draft model, in place of look-ups in the text.
	Lookahead bool

	// Plain measures a plain decoding step every so many rounds, for the
	// speed-up in the view; 0 never does. The first measurement takes three
	// passes of the target, later ones one.
	Plain int
}

// A Decoder decodes speculatively. It is not safe for concurrent use; the
// views and rounds it returns are.
type Decoder struct {
	target models.Model
	prompt []int32
	opt    Options
	set    settings

	verifier *track
	drafter  drafter
	laws     lawyer
	ends     func(int32) bool

	output []int32
	rounds []*Round
	redo   *Round          // cut short by a rewind; done again unless something changes
	plain  []time.Duration // latest plain steps
}

// New returns a decoder that has generated nothing. The draft model may be
// nil: then tokens are looked up in the text so far. The pipeline p is the
// target's; q is the draft's, nil for the same. The error names the setting
// and what is allowed, or what differs between the vocabularies.
//
// The caller must close the decoder; the models stay open.
func New(target, draft models.Model, p, q *sampling.Pipeline, prompt []int32, opt Options) (*Decoder, error) {
	if err := usable(target, draft, prompt); err != nil {
		return nil, err
	}
	d := &Decoder{target: target, prompt: slices.Clone(prompt), opt: opt}
	var err error
	if d.verifier, err = newTrack(target); err != nil {
		return nil, err
	}
	switch {
	case draft != nil:
		t, err := newTrack(draft)
		if err != nil {
			d.verifier.close()
			return nil, err
		}
		d.drafter = &modelDrafter{model: draft, track: t}
	case opt.Lookahead:
		d.drafter = lookaheadDrafter{}
	default:
		d.drafter = lookupDrafter{}
	}
	if err := d.Tune(p, q); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// CanJudge returns an error that says why drafts cannot be judged by a model:
// it does not give its whole distribution.
func CanJudge(target models.Info) error {
	if c := target.Caps; c.TextOnly || c.ObserveOnly || c.TopN > 0 {
		return fmt.Errorf("speculative decoding needs the target's whole distribution; %s does not give it", target.Name)
	}
	return nil
}

// usable reports why the models cannot work together.
func usable(target, draft models.Model, prompt []int32) error {
	info := target.Info()
	if err := CanJudge(info); err != nil {
		return fmt.Errorf("draft: %w", err)
	}
	switch {
	case len(prompt) == 0:
		return errors.New("speculative decoding needs a prompt of at least one token")
	case info.ContextLen > 0 && len(prompt) > info.ContextLen:
		return fmt.Errorf("a prompt of %d tokens does not fit %d: %w", len(prompt), info.ContextLen, models.ErrContextFull)
	}
	if draft == nil {
		return nil
	}
	if info := draft.Info(); info.Caps.TextOnly || info.Caps.ObserveOnly {
		return fmt.Errorf("draft: %s does not take tokens", info.Name)
	}
	return SameVocab(target, draft)
}

// Close releases the sessions.
func (d *Decoder) Close() error {
	d.verifier.close()
	if d.drafter != nil {
		d.drafter.close()
	}
	return nil
}

// Tune changes the settings from the next round on; nil for q means the same
// pipeline on both sides. It runs no model.
func (d *Decoder) Tune(p, q *sampling.Pipeline) error {
	if q == nil {
		q = p
	}
	set, err := readSettings(p, q, d.drafter.source(), d.opt)
	if err != nil {
		return err
	}
	l, err := newLawyer(p, q, set.algorithm.method(), d.opt)
	if err != nil {
		return err
	}
	d.set, d.laws = set, l
	d.ends = endsOf(p, d.target)
	return nil
}

// Under changes what a constraint allows and what takes the place of the
// pipelines, as [Options.Mask] and [Options.Switch] say, from the next
// [Decoder.Tune] on.
func (d *Decoder) Under(mask func(output []int32) ([]uint64, bool, error), sw func(output []int32) (*sampling.Pipeline, error)) {
	d.opt.Mask, d.opt.Switch = mask, sw
}

// SetAlgorithm changes how drafts are judged from the next round on.
func (d *Decoder) SetAlgorithm(a Algorithm) error {
	old := d.opt.Algorithm
	d.opt.Algorithm = a
	if err := d.Tune(d.set.p, d.set.q); err != nil {
		d.opt.Algorithm = old
		return err
	}
	return nil
}

// Output returns the tokens generated. The caller must not change them.
func (d *Decoder) Output() []int32 { return slices.Clip(d.output) }

// Prefill runs all of the prompt but its last token through the target and
// the draft, in pieces, and calls progress after each piece; progress may be
// nil. Without it the first round does the same.
func (d *Decoder) Prefill(ctx context.Context, progress func(done, total int)) error {
	body := d.prompt[:len(d.prompt)-1]
	const piece = 64
	for at := 0; at < len(body); {
		at = min(at+piece, len(body))
		if err := d.verifier.sync(ctx, body[:at]); err != nil {
			return err
		}
		if err := d.drafter.prefill(ctx, body[:at]); err != nil {
			return err
		}
		if progress != nil {
			progress(at, len(body))
		}
	}
	return nil
}

// Done reports whether the text has ended, and why in the words of a jsonl
// record: "eos", "length" or "context"; empty if it goes on.
func (d *Decoder) Done() string {
	n := len(d.output)
	c := d.target.Info().ContextLen
	switch {
	case n > 0 && d.ends(d.output[n-1]):
		return "eos"
	case n >= d.set.most:
		return "length"
	case c > 0 && len(d.prompt)+n > c:
		return "context"
	}
	return ""
}

// Round drafts, verifies and appends what came of it. It returns [ErrDone] if
// the text has ended. If ctx ends or a model fails, it returns the error and
// the text is as before.
func (d *Decoder) Round(ctx context.Context) (*Round, error) {
	if d.Done() != "" {
		return nil, ErrDone
	}
	r, err := d.again(ctx)
	switch {
	case err != nil:
		return nil, err
	case r != nil: // in place of what the rewind left of it
		d.output, d.rounds = slices.Clip(d.output[:r.Start]), slices.Clip(d.rounds[:len(d.rounds)-1])
	default:
		if err := d.measure(ctx); err != nil {
			return nil, err
		}
		if r, err = d.round(ctx); err != nil {
			return nil, err
		}
	}
	d.redo = nil
	d.output = append(d.output, r.Emitted...)
	d.rounds = append(d.rounds, r)
	d.forget()
	return r, nil
}

// again returns the round that a rewind cut short, nil if there is none or it
// no longer holds. If its rows are needed but forgotten, it is made again: it
// depends on nothing but the text before it and the settings.
func (d *Decoder) again(ctx context.Context) (*Round, error) {
	r := d.redo
	if r == nil || !r.under.same(&d.set) {
		return nil, nil
	}
	kept := len(d.output) - r.Start
	c := *r
	if d.opt.Rows && r.Rows() == nil {
		whole, rounds := d.output, d.rounds
		d.output, d.rounds = slices.Clip(whole[:r.Start]), slices.Clip(rounds[:len(rounds)-1])
		fresh, err := d.round(ctx)
		d.output, d.rounds = whole, rounds
		if err != nil {
			return nil, err
		}
		c = *fresh
	}
	c.Kept = kept
	return &c, nil
}

// schedule returns what the rounds so far lead to: nothing, if they were made
// under another number of tokens or another schedule.
func (d *Decoder) schedule() schedule {
	if n := len(d.rounds); n > 0 {
		if last := d.rounds[n-1]; last.under.k == d.set.k && last.under.schedule == d.set.schedule {
			return last.after
		}
	}
	return schedule{k: d.set.k}
}

// room returns how many tokens may be drafted: one less than may be emitted,
// and no more than both caches hold.
func (d *Decoder) room(k int) int {
	n := len(d.prompt) + len(d.output)
	k = min(k, d.set.most-len(d.output)-1)
	for _, c := range []int{d.target.Info().ContextLen, d.drafter.context()} {
		if c > 0 {
			k = min(k, c-n)
		}
	}
	return max(k, 0)
}

// round makes the next round without appending it.
func (d *Decoder) round(ctx context.Context) (*Round, error) {
	all := append(slices.Clone(d.prompt), d.output...)
	sched, set := d.schedule(), d.set
	r := &Round{
		Index: len(d.rounds) + 1, Start: len(d.output), K: sched.k, Algorithm: d.set.algorithm, Drafter: d.drafter.name(), Passes: 1,
		before: sched, under: &set,
	}
	toss := roundCoins{seed: d.set.seed, pos: len(all)}
	judge := d.chain
	if d.several() {
		judge = d.branches
	}
	if err := judge(ctx, r, all, toss); err != nil {
		return nil, err
	}
	r.after = sched.next(d.set.schedule, r.Accepted, r.judged(), r.Accepted == len(r.Drafted), d.drafter.cost(d.target))
	return r, nil
}

// chain makes a round of one draft.
func (d *Decoder) chain(ctx context.Context, r *Round, all []int32, toss coins) error {
	began := time.Now()
	dr, steps, err := d.drafter.propose(ctx, d, all, d.room(r.K), toss)
	if err != nil {
		return fmt.Errorf("draft: %w", err)
	}
	r.Draft, r.DraftSteps = time.Since(began), steps

	began = time.Now()
	rows, fed, err := d.verifier.verify(ctx, all, dr.tokens)
	if err != nil {
		return err
	}
	tl := &targetLaws{d: d, rows: rows, output: append(slices.Clone(d.output), dr.tokens...), start: len(d.output)}
	v, err := verify(d.set.algorithm.method(), dr, tl.law, d.ends, toss)
	if err != nil {
		return err
	}
	r.Target, r.Fed, r.late = time.Since(began), fed, fed > len(dr.tokens)+newest
	d.fill(r, &dr, &v, tl)
	d.verifier.truncate(len(all) + r.Accepted)
	return nil
}
