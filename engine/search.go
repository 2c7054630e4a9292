package engine

import (
	"context"
	"math"
	"slices"
	"time"

	"logitscope/engine/beam"
	"logitscope/engine/contrastive"
	"logitscope/models"
	"logitscope/sampling"
)

// A search is a strategy that keeps more than one text in mind, or chooses
// otherwise than by a draw. It takes the place of a lane's proposals: a unit
// of work is one step of it.
type search interface {
	step(ctx context.Context) error
	rewind(n int)
	retune(ctx context.Context, s *Settings) error
	steps() int
	ended() Reason // "" while it goes on
	best() []int32 // the tokens of the text that leads
	show(v *View)  // puts the strategy's own view into v
	close() error
}

// A strategy is how a lane turns logits into text.
type strategy uint8

const (
	drawing     strategy = iota // one token a step, or a speculative round
	beams                       // beam search
	contrasting                 // contrastive search
)

// String returns the strategy's name.
func (s strategy) String() string {
	return [...]string{"drawing", "beam search", "contrastive search"}[s]
}

// strategy returns what the settings ask for.
func (s *Settings) strategy() strategy { return strategyOf(s.Config()) }

// Searches reports whether a lane under s searches instead of drawing token by
// token, so that it proposes none.
func (s *Settings) Searches() bool { return s.strategy() != drawing }

func strategyOf(c sampling.Config) strategy {
	switch {
	case c.Int("num_beams") > 1:
		return beams
	case c.Float("penalty_alpha") > 0:
		return contrasting
	}
	return drawing
}

// newSearch returns the search that l's settings ask for, nil if they ask for
// none.
func (l *Lane) newSearch() (search, error) {
	opt := beam.Options{Mask: l.maskAfter, Stop: l.stops, Whole: l.wholeAfter, Greedy: l.opt.Greedy}
	switch l.settings.strategy() {
	case beams:
		s, err := beam.New(l.model, l.settings.Pipeline, l.prompt, opt)
		if err != nil {
			return nil, err
		}
		return &beamSearch{s: s, view: s.View()}, nil
	case contrasting:
		c, err := contrastive.New(l.model, l.settings.Pipeline, l.prompt, contrastive.Options{Mask: l.maskAfter, Whole: l.wholeAfter})
		if err != nil {
			return nil, err
		}
		return &contrastiveSearch{c: c, view: c.View()}, nil
	}
	return nil, nil
}

// refresh brings l.search in line with the settings.
func (l *Lane) refresh(ctx context.Context) {
	want := l.settings.strategy()
	if l.search != nil && (l.strategy != want || l.prompt == nil) {
		l.dropSearch()
		l.written, l.stopAt = nil, -1
		for _, s := range l.steps { // the text is that of the steps again
			l.write(s)
		}
	}
	if l.strategy != want && l.err != nil {
		l.invalidate() // a failure of the other strategy is none of this one
	}
	l.strategy = want
	if want == drawing {
		return
	}
	var err error
	if l.search == nil {
		l.search, err = l.newSearch()
	} else {
		err = l.search.retune(ctx, l.settings)
	}
	if err != nil {
		l.fail(err)
	}
	l.rewrite()
}

func (l *Lane) dropSearch() {
	if l.search != nil {
		l.search.close()
		l.search = nil
	}
}

// workSearch is work for a lane that runs a search.
func (l *Lane) workSearch(ctx context.Context) bool {
	if l.budget == 0 {
		return false
	}
	if err := l.enter(ctx); err != nil {
		return false
	}
	start := time.Now()
	inner, stop := l.attend(ctx)
	err := l.search.step(inner)
	cut := interrupted(inner)
	stop()
	took := time.Since(start)
	l.leave()
	switch {
	case ctx.Err() != nil:
		return false
	case err != nil && cut:
		return true
	}
	if err != nil {
		l.fail(err)
		return false
	}
	if l.search.steps() == 1 {
		l.prefill.Done, l.prefill.Took = len(l.prompt), took
	} else {
		l.decode.Done++
		l.decode.Took += took
		l.rate.add(time.Now(), took)
	}
	l.rewrite()
	if l.budget > 0 {
		l.budget--
	}
	l.last = time.Now()
	return true
}

// rewrite makes the leading text of the search the lane's text.
func (l *Lane) rewrite() {
	l.written = nil
	if l.search != nil {
		l.written = textOf(l.model.Vocab(), l.settings, l.search.best())
		l.stopAt = l.settings.stopper.find(l.written, 0)
	}
}

// stops reports whether the text of output holds a stop string.
func (l *Lane) stops(output []int32) bool {
	s := l.settings.stopper
	if len(s.stops) == 0 {
		return false
	}
	return s.find(textOf(l.model.Vocab(), l.settings, output), 0) >= 0
}

// TextOf returns the text of generated tokens under s: without control tokens
// and the token that ends it, cut where a stop string begins.
func TextOf(v models.Vocab, s *Settings, output []int32) string {
	b := textOf(v, s, output)
	if at := s.stopper.find(b, 0); at >= 0 {
		b = b[:at]
	}
	return string(b)
}

func textOf(v models.Vocab, s *Settings, output []int32) []byte {
	var b []byte
	for _, id := range output {
		if !s.Ends(id) {
			b = appendPiece(b, v, id)
		}
	}
	return b
}

// known returns the lane's own steps that output begins with: a search or a
// draft asks about other texts as well.
func (l *Lane) known(output []int32) []*Step {
	n := 0
	for n < min(len(output), len(l.steps)) && l.steps[n].Token == output[n] {
		n++
	}
	return l.steps[:n]
}

// maskAfter returns what the constraint allows after output.
func (l *Lane) maskAfter(output []int32) (bits []uint64, end bool, err error) {
	return l.settings.maskAfter(l.known(output), output, l.left(len(output)))
}

// wholeAfter reports whether output is all that the constraint wants.
func (l *Lane) wholeAfter(output []int32) bool {
	_, c, err := l.settings.after(l.known(output), output)
	return err == nil && c.complete()
}

// A beamSearch is beam search as a strategy.
type beamSearch struct {
	s    *beam.Search
	view *beam.View
}

func (b *beamSearch) step(ctx context.Context) (err error) {
	v, err := b.s.Step(ctx)
	if err == nil {
		b.view = v
	}
	return err
}

func (b *beamSearch) rewind(n int) { b.view = b.s.Rewind(min(n, len(b.view.Steps))) }

func (b *beamSearch) retune(ctx context.Context, s *Settings) error {
	v, err := b.s.Retune(ctx, s.Pipeline)
	if err == nil {
		b.view = v
	}
	return err
}

func (b *beamSearch) steps() int   { return len(b.view.Steps) }
func (b *beamSearch) show(v *View) { v.Beam = b.view }
func (b *beamSearch) close() error { return b.s.Close() }

// ended returns why the text that won ends, once the search is over: the search
// may have stopped for another reason.
func (b *beamSearch) ended() Reason {
	if b.view.Reason == beam.Going {
		return ""
	}
	if r := b.view.Result(); len(r) > 0 && r[0].Node.Ended {
		if slices.Contains(b.view.Settings.EOS, r[0].Node.Token) {
			return EOS
		}
		return Stop
	}
	switch b.view.Reason {
	case beam.Length:
		return Length
	case beam.Context:
		return ContextFull
	}
	return Constraint // nothing may follow
}

func (b *beamSearch) best() []int32 {
	if r := b.view.Result(); len(r) > 0 {
		return r[0].Tokens()
	}
	return nil
}

// A contrastiveSearch is contrastive search as a strategy.
type contrastiveSearch struct {
	c    *contrastive.Search
	view *contrastive.View
}

func (c *contrastiveSearch) step(ctx context.Context) error {
	v, err := c.c.Step(ctx)
	if err == nil {
		c.view = v
	}
	return err
}

func (c *contrastiveSearch) rewind(n int) { c.view = c.c.Rewind(min(n, len(c.view.Steps))) }

func (c *contrastiveSearch) retune(_ context.Context, s *Settings) error {
	err := c.c.Retune(s.Pipeline)
	c.view = c.c.View()
	return err
}

func (c *contrastiveSearch) steps() int    { return len(c.view.Steps) }
func (c *contrastiveSearch) best() []int32 { return c.c.Output() }
func (c *contrastiveSearch) close() error  { return c.c.Close() }

func (c *contrastiveSearch) ended() Reason {
	switch c.view.Done {
	case "length":
		return Length
	case "context":
		return ContextFull
	}
	return Reason(c.view.Done)
}

// show gives the view a step for every token: without a trace, since nothing
// was drawn, but with what is known of it.
func (c *contrastiveSearch) show(v *View) {
	v.Contrastive = c.view
	v.Steps = nil
	for i, s := range c.view.Steps {
		took := s.Candidates[s.Chosen]
		v.Steps = append(v.Steps, &Step{
			Index: i + 1, Pos: len(c.view.Prompt) + i, Token: s.Token(), Settings: v.Settings, Took: s.Took,
			Summary: Summary{
				RawLogprob: float32(s.Logprob), Logprob: float32(math.Log(took.Prob)), Rank: int32(s.Rank),
				RawBits: float32(s.Bits), Survived: int32(len(s.Candidates)),
			},
		})
	}
}
