// Package contrastive answers: which of the likeliest tokens is least like what the
// text has said before? It is contrastive search (Su et al. 2022).
package contrastive

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"logitscope/engine/rows"
	"logitscope/models"
	"logitscope/sampling"
)

// A View is the state of a contrastive search. It is immutable and
// may be kept.
type View struct {
	Alpha  float64 // penalty_alpha
	TopK   int
	Prompt []int32 // read-only
	Steps  []*Step // read-only
	Done   string  // "eos", "length", "context" or "constraint"; empty while it goes on
}

// A Step is one token and what it was chosen from. It does not
// change.
type Step struct {
	Index      int // from 0
	Candidates []Candidate
	Chosen     int // index in Candidates
	Took       time.Duration

	// Of the model's own row, before the processors.
	Logprob float64 // of the token chosen
	Rank    int     // of the token chosen, from 1
	Bits    float64 // entropy
}

// Token returns the token chosen.
func (s *Step) Token() int32 { return s.Candidates[s.Chosen].Token }

// A Candidate is one of the likeliest tokens.
type Candidate struct {
	Token int32
	Prob  float64 // after the processors
	Cos   float64 // largest cosine between its hidden state and an earlier one's
	At    int     // the earlier position, from 0, the prompt included
	Score float64 // (1-alpha)*Prob - alpha*Cos
}

// A Search is a contrastive search (Su et al. 2022, arXiv:2202.06417):
// each step takes, of the top_k likeliest tokens, the one with the best
// (1-alpha)*probability - alpha*similarity, where the similarity is the
// largest cosine between its hidden state and one that came before. It is not
// safe for concurrent use; the views it returns are.
type Search struct {
	model  models.Model
	prompt []int32
	opt    Options
	closed int // steps after which the text is whole and cannot go on; 0 if it can

	pipeline *sampling.Pipeline
	alpha    float64
	k, limit int
	short    bool // limit is the context's
	eos      []int32

	session models.HiddenStater
	tokens  []int32
	hidden  [][]float64 // of each token in the cache, length 1
	row     *rows.Row   // after the last token; nil if it is to be computed
	steps   []*Step
	reader  rows.Reader
	scratch sampling.Scratch
	out     []float32
}

// Options are what a contrastive search depends on beside the model
// and the settings.
type Options struct {
	// Mask says which tokens a constraint allows after the tokens generated
	// so far; nil means there is no constraint. Bit id%64 of word id/64 set
	// means allowed, a nil mask allows all; end says whether the text may end.
	Mask func(output []int32) (allowed []uint64, end bool, err error)

	// Whole reports whether the tokens generated so far are all that a
	// constraint wants: the text then ends where nothing may follow. It may be
	// nil.
	Whole func(output []int32) bool
}

// New returns a contrastive search that has done no step, under
// penalty_alpha and top_k of the pipeline's configuration. It returns an error
// that names the key if they are out of range, or if the model does not show
// hidden states. The caller must close it.
func New(m models.Model, p *sampling.Pipeline, prompt []int32, opt Options) (*Search, error) {
	if err := rows.Usable(m, prompt); err != nil {
		return nil, err
	}
	c := &Search{model: m, prompt: slices.Clone(prompt), opt: opt}
	if err := c.Retune(p); err != nil {
		return nil, err
	}
	s, err := m.NewSession()
	if err != nil {
		return nil, err
	}
	h, ok := s.(models.HiddenStater)
	if !ok {
		s.Close()
		return nil, fmt.Errorf("penalty_alpha: contrastive search needs a model that shows hidden states; %s does not", m.Info().Name)
	}
	c.session = h
	return c, nil
}

// Check returns what contrastive search cannot be done with in cfg.
func Check(cfg sampling.Config) error {
	alpha, k := cfg.Float("penalty_alpha"), cfg.Int("top_k")
	switch {
	case !(alpha > 0 && alpha <= 1):
		return fmt.Errorf("penalty_alpha: %v is out of range, above 0, up to 1", alpha)
	case k < 2:
		return fmt.Errorf("top_k: %d is out of range, 2 or more with penalty_alpha", k)
	case cfg.Int("num_beams") > 1:
		return errors.New("num_beams: contrastive search has one beam; set penalty_alpha to 0 for beam search")
	}
	return nil
}

// Retune changes the settings from the next step on.
func (c *Search) Retune(p *sampling.Pipeline) error {
	cfg := p.Config()
	if err := Check(cfg); err != nil {
		return err
	}
	c.pipeline, c.alpha, c.k = p, cfg.Float("penalty_alpha"), min(cfg.Int("top_k"), c.model.Vocab().Size())
	c.limit, c.short, c.closed = cfg.Int("max_new_tokens"), false, 0
	if n := c.model.Info().ContextLen; n > 0 && n-len(c.prompt) < c.limit {
		c.limit, c.short = n-len(c.prompt), true
	}
	c.eos = rows.EndTokens(p, c.model)
	return nil
}

// Close releases the session.
func (c *Search) Close() error { return c.session.Close() }

// View returns the state of the search.
func (c *Search) View() *View {
	return &View{Alpha: c.alpha, TopK: c.k, Prompt: c.prompt, Steps: slices.Clip(c.steps), Done: c.done()}
}

func (c *Search) done() string {
	n := len(c.steps)
	switch {
	case n > 0 && slices.Contains(c.eos, c.steps[n-1].Token()):
		return "eos"
	case n > 0 && n == c.closed:
		return "constraint"
	case n >= c.limit && c.short:
		return "context"
	case n >= c.limit:
		return "length"
	}
	return ""
}

// Output returns the tokens generated.
func (c *Search) Output() []int32 {
	out := make([]int32, len(c.steps))
	for i, s := range c.steps {
		out[i] = s.Token()
	}
	return out
}

// Step chooses one token. A search that is done stays as it is. If ctx ends
// first, or the model fails, it returns the error and the text is as before.
func (c *Search) Step(ctx context.Context) (*View, error) {
	if c.done() != "" {
		return c.View(), nil
	}
	began := time.Now()
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	cands, err := c.likeliest()
	if sampling.IsDeadEnd(err) && len(c.steps) > 0 && c.opt.Whole != nil && c.opt.Whole(c.Output()) {
		c.closed = len(c.steps)
		return c.View(), nil
	}
	if err != nil {
		return nil, err
	}
	looks, err := c.look(ctx, cands)
	if err != nil {
		return nil, err
	}
	chosen := 0
	for i := range cands {
		x := &cands[i]
		x.Cos, x.At = c.closest(looks[i].hidden)
		x.Score = (1-c.alpha)*x.Prob - c.alpha*x.Cos
		if x.Score > cands[chosen].Score {
			chosen = i
		}
	}
	step := &Step{Index: len(c.steps), Candidates: cands, Chosen: chosen}
	step.Logprob, step.Rank, step.Bits = c.row.Measure(step.Token())
	if err := c.take(ctx, looks, chosen, step.Token()); err != nil {
		return nil, err
	}
	step.Took = time.Since(began)
	c.steps = append(slices.Clip(c.steps), step)
	return c.View(), nil
}

// ready brings the cache to the text so far and the row after it.
func (c *Search) ready(ctx context.Context) error {
	all := append(slices.Clone(c.prompt), c.Output()...)
	if c.row != nil && len(c.tokens) == len(all) {
		return nil
	}
	// Tokens from one back on: the row after the last is needed too.
	at := min(len(c.tokens), len(all)-1)
	c.forget(at)
	rows, err := c.session.Forward(ctx, all[at:], len(all)-at)
	if err != nil {
		c.session.Truncate(at)
		return err
	}
	for i := range rows {
		c.hidden = append(c.hidden, unit(c.session.Hidden(i)))
	}
	c.tokens = all
	r, err := c.reader.Read(rows[len(rows)-1])
	c.row = &r
	return err
}

// forget drops what the cache holds from position n on.
func (c *Search) forget(n int) {
	c.session.Truncate(n)
	c.tokens, c.hidden, c.row = c.tokens[:n], c.hidden[:n], nil
}

// likeliest returns the k likeliest tokens after the processors, which see
// raw logits here.
func (c *Search) likeliest() ([]Candidate, error) {
	r := c.row
	c.out = rows.Resize(c.out, len(r.Logits))
	in := sampling.Input{IDs: r.IDs, Logits: r.Logits, Rest: r.Rest, Prompt: c.prompt, Output: c.Output()}
	if c.opt.Mask != nil {
		var err error
		if in.Mask, in.MaskEOS, err = c.opt.Mask(in.Output); err != nil {
			return nil, err
		}
	}
	if err := c.pipeline.Process(c.out, &c.scratch, in); err != nil {
		return nil, err
	}
	after, err := c.reader.Read(models.Logits{IDs: r.IDs, Values: c.out, Rest: r.Rest})
	if err != nil {
		return nil, err
	}
	top := rows.Best{K: c.k}
	for i, l := range after.Logits {
		if !math.IsInf(float64(l), -1) {
			top.Offer(rows.Pick{Token: r.ID(i), Order: i, Sum: float64(l)})
		}
	}
	var out []Candidate
	for _, p := range top.Sorted() {
		out = append(out, Candidate{Token: p.Token, Prob: math.Exp(p.Sum - after.Norm)})
	}
	return out, nil
}

// A look is what the model says after one candidate.
type look struct {
	session models.HiddenStater // at the candidate; nil if one session did them all
	hidden  []float64
	row     rows.Row
}

// look runs every candidate through the model: all in one pass where it can,
// else one after another on the same session.
func (c *Search) look(ctx context.Context, cands []Candidate) ([]look, error) {
	if b, ok := c.model.(models.Batcher); ok && len(cands) > 1 {
		if f, ok := c.session.(models.Forker); ok {
			return c.lookAtOnce(ctx, b, f, cands)
		}
	}
	out := make([]look, len(cands))
	for i := range cands {
		rows, err := c.session.Forward(ctx, []int32{cands[i].Token}, 1)
		if err == nil {
			out[i].hidden = unit(c.session.Hidden(0))
			out[i].row, err = c.reader.Read(rows[0])
		}
		c.session.Truncate(len(c.tokens))
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (c *Search) lookAtOnce(ctx context.Context, b models.Batcher, f models.Forker, cands []Candidate) (out []look, err error) {
	sessions := make([]models.Session, 0, len(cands))
	defer func() {
		if err != nil {
			for _, s := range sessions {
				s.Close()
			}
		}
	}()
	tokens := make([]int32, len(cands))
	for i := range cands {
		s, err := f.Fork()
		if err != nil {
			return nil, err
		}
		sessions = append(sessions, s)
		tokens[i] = cands[i].Token
	}
	rows, err := b.ForwardBatch(ctx, sessions, tokens)
	if err != nil {
		return nil, err
	}
	out = make([]look, len(cands))
	for i, s := range sessions {
		h := s.(models.HiddenStater)
		out[i] = look{session: h, hidden: unit(h.Hidden(0))}
		if out[i].row, err = c.reader.Read(rows[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// take makes the chosen candidate part of the text.
func (c *Search) take(ctx context.Context, looks []look, chosen int, token int32) error {
	l := &looks[chosen]
	if l.session == nil {
		if _, err := c.session.Forward(ctx, []int32{token}, 0); err != nil {
			c.session.Truncate(len(c.tokens))
			return err
		}
	} else {
		c.session.Close()
		c.session = l.session
		for i := range looks {
			if i != chosen {
				looks[i].session.Close()
			}
		}
	}
	c.tokens, c.hidden, c.row = append(c.tokens, token), append(c.hidden, l.hidden), &l.row
	return nil
}

// closest returns the largest cosine between h and an earlier hidden state,
// and the first position that has it.
func (c *Search) closest(h []float64) (cos float64, at int) {
	cos = math.Inf(-1)
	for i, e := range c.hidden {
		var dot float64
		for j := range e {
			dot += e[j] * h[j]
		}
		if dot > cos {
			cos, at = dot, i
		}
	}
	return cos, at
}

// Rewind keeps the first n tokens and drops the rest. It panics if n is
// negative or more than there are.
func (c *Search) Rewind(n int) *View {
	if n < 0 || n > len(c.steps) {
		panic(fmt.Sprintf("contrastive: Rewind(%d) of a search of %d steps", n, len(c.steps)))
	}
	if n < len(c.steps) {
		c.closed = 0
	}
	c.steps = slices.Clip(c.steps[:n])
	if keep := len(c.prompt) + n; keep < len(c.tokens) {
		c.forget(keep)
	}
	return c.View()
}

// unit returns h scaled to length 1.
func unit(h []float32) []float64 {
	var sum float64
	for _, x := range h {
		sum += float64(x) * float64(x)
	}
	norm := math.Sqrt(sum)
	out := make([]float64, len(h))
	for i, x := range h {
		out[i] = float64(x) / max(norm, 1e-12)
	}
	return out
}
