package beam

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"logitscope/engine/rows"
	"logitscope/models"
	"logitscope/sampling"
)

// Options are what a search needs beside the settings. The zero value is
// ready to use.
type Options struct {
	// Mask says which tokens a constraint allows after the tokens generated
	// so far; nil means there is no constraint. Bit id%64 of word id/64 set
	// means allowed, a nil mask allows all; end says whether the text may end.
	Mask func(output []int32) (allowed []uint64, end bool, err error)

	// Stop reports whether the tokens generated so far end at a stop string;
	// such a text finishes as if by an end token. It may be nil.
	Stop func(output []int32) bool

	// Whole reports whether the tokens generated so far are all that a
	// constraint wants. Such a text finishes where the processors forbid the
	// end token, too. It may be nil.
	Whole func(output []int32) bool

	// Greedy makes the search follow the greedy text as well, for contrast; see
	// Search.followGreedy.
	Greedy bool

	// RowBudget is the most bytes of logits kept so that old steps can be
	// chosen again after a rewind; 0 means 1 MiB. The latest step's are always
	// kept.
	RowBudget int64
}

// A Search is a beam search over one prompt. It is not safe for concurrent
// use; the views it returns are.
type Search struct {
	model  models.Model
	prompt []int32
	opt    Options
	set    Settings
	limit  int // most tokens generated, by max_new_tokens and the context

	pool     *pool
	first    []rows.Row // the row after the prompt, once it was computed
	states   []state    // states[i] is after i steps
	scorer   scorer
	restarts int
}

// A state is all that a search knows after a step. It is not changed.
type state struct {
	step   *Step // nil at the start
	groups []group
	greedy *Node
	reason Reason
}

// New returns a search that has done no step. It reads the beam settings from
// the pipeline's configuration; the error names the key and what is allowed.
// The caller must close the search.
func New(m models.Model, p *sampling.Pipeline, prompt []int32, opt Options) (*Search, error) {
	set, err := ReadSettings(p, m)
	if err != nil {
		return nil, err
	}
	if err := rows.Usable(m, prompt); err != nil {
		return nil, err
	}
	pl, err := newPool(m, slices.Clone(prompt))
	if err != nil {
		return nil, err
	}
	if opt.RowBudget == 0 {
		opt.RowBudget = 1 << 20
	}
	s := &Search{model: m, prompt: pl.prompt, opt: opt, pool: pl}
	s.use(set)
	s.states = []state{s.start()}
	return s, nil
}

func (s *Search) use(set Settings) {
	s.set = set
	s.limit = set.MaxNew
	if c := s.model.Info().ContextLen; c > 0 {
		// The last token of a text is never run through the model.
		s.limit = min(s.limit, c-len(s.prompt)+1)
	}
}

func (s *Search) start() state {
	st := state{groups: make([]group, s.set.Groups)}
	for i := range st.groups {
		st.groups[i].running = []*Node{nil}
	}
	return st
}

// Close releases the sessions.
func (s *Search) Close() error {
	s.pool.close()
	return nil
}

// View returns the state of the search. It never changes afterwards.
func (s *Search) View() *View {
	last := s.states[len(s.states)-1]
	v := &View{Settings: s.set, Prompt: s.prompt, Reason: last.reason, Restarts: s.restarts}
	for _, st := range s.states[1:] {
		v.Steps = append(v.Steps, st.step)
	}
	if last.step != nil {
		v.results = results(s.turn(last.step.Index+1), last.groups, last.reason != Going)
	}
	return v
}

func (s *Search) turn(cur int) *turn {
	t := &turn{s: &s.set, n: s.set.Beams / s.set.Groups, prompt: len(s.prompt), cur: cur, limit: s.limit}
	if s.opt.Stop != nil {
		t.stopped = func(n *Node) bool { return s.opt.Stop(n.Tokens()) }
	}
	return t
}

// prefill runs all of the prompt but its last token through the model, in
// pieces, and calls progress after each; progress may be nil. Without it the
// first step runs the prompt in one go.
func (s *Search) prefill(ctx context.Context, progress func(done, total int)) error {
	const piece = 64
	root, body := s.pool.held[nil], s.prompt[:len(s.prompt)-1]
	for at := root.Len(); at < len(body); {
		end := min(at+piece, len(body))
		if _, err := root.Forward(ctx, body[at:end], 0); err != nil {
			root.Truncate(at)
			return err
		}
		at = end
		if progress != nil {
			progress(at, len(body))
		}
	}
	return nil
}

// Step runs the beams through the model once and chooses the next ones. A
// search that is done stays as it is. If ctx ends first, or the model fails,
// Step returns the error and the search is as before.
func (s *Search) Step(ctx context.Context) (*View, error) {
	last := s.states[len(s.states)-1]
	if last.reason != Going {
		return s.View(), nil
	}
	began := time.Now()
	if s.opt.Greedy {
		if err := s.catchUp(ctx, &last); err != nil {
			return nil, err
		}
	}
	nodes, rows, err := s.rows(ctx, last)
	if err != nil {
		return nil, err
	}
	took := time.Since(began)
	next, err := s.choose(last, nodes, rows)
	if err != nil {
		return nil, err
	}
	next.step.Took, next.step.Rows = took, len(rows)
	s.states = append(s.states, next)
	s.forget()
	return s.View(), nil
}

// choose makes the state that follows prev under the settings in force. It is
// pure but for its buffers.
func (s *Search) choose(prev state, nodes []*Node, seen []rows.Row) (state, error) {
	t := s.turn(prev.index() + 1)
	at := make(map[*Node]*rows.Row, len(nodes))
	for i, n := range nodes {
		at[n] = &seen[i]
	}
	step := &Step{Index: prev.index(), Settings: s.set, Rows: len(seen), rows: seen, nodes: nodes}
	next := state{step: step, groups: make([]group, len(prev.groups))}
	s.scorer.penalise = make(map[int32]int)
	why := errImpossible
	for i, g := range prev.groups {
		if g.done {
			gs := GroupStep{Group: i, Skipped: true, Done: true}
			settle(t, &gs, g.offers, g.offers)
			step.Groups, next.groups[i] = append(step.Groups, gs), g
			continue
		}
		s.scorer.dead = nil
		cands, err := s.candidates(t, g, at)
		if err != nil {
			return next, err
		}
		g.offers = append(slices.Clip(g.offers), s.wholeTexts(t, g)...)
		if d := s.scorer.dead; len(d) > 0 && why == errImpossible {
			why = d[0].why
		}
		gs := GroupStep{Group: i, Candidates: cands, Line: min(t.n, len(cands))}
		next.groups[i] = rules[s.set.Rule].advance(t, g, &gs)
		step.Groups = append(step.Groups, gs)
		for _, n := range next.groups[i].running {
			s.scorer.penalise[n.Token]++
		}
	}
	if !slices.ContainsFunc(next.groups, group.hasText) {
		return next, &deadEnd{why}
	}
	next.reason = rules[s.set.Rule].over(t, step.Groups)
	if next.reason == Length && s.limit < s.set.MaxNew {
		next.reason = Context
	}
	if s.set.Rule == Vectorised {
		step.Groups[0].Done = next.reason != Going
	}
	if r, ok := at[prev.greedy]; ok && s.opt.Greedy && prev.greedy.depth() == prev.index() {
		var err error
		if next.greedy, err = s.greedyNext(prev.greedy, r); err != nil {
			return next, err
		}
		next.greedy = step.shared(next.greedy)
	} else {
		next.greedy = prev.greedy // it has ended, or is not followed
	}
	if s.opt.Greedy {
		step.Greedy = next.greedy
	}
	return next, nil
}

var errImpossible = errors.New("every continuation is impossible")

// A deadEnd is a step that leaves no beam, where none has finished either.
type deadEnd struct{ why error }

func (e *deadEnd) Error() string { return fmt.Sprintf("no beam can go on: %v", e.why) }
func (e *deadEnd) Unwrap() error { return e.why }

// isDeadEnd reports whether err is that of a step without a beam.
func isDeadEnd(err error) bool {
	var d *deadEnd
	return errors.As(err, &d)
}

// wholeTexts returns the beams of g that nothing may follow and that are whole
// as they are: they finish without an end token.
func (s *Search) wholeTexts(t *turn, g group) []Hypothesis {
	var out []Hypothesis
	for _, d := range s.scorer.dead {
		if d.node != nil && s.opt.Whole != nil && s.opt.Whole(d.node.Tokens()) {
			h := t.hypothesis(d.node, slices.Index(g.running, d.node))
			h.Finished = true
			out = append(out, h)
		}
	}
	return out
}

func (st *state) index() int {
	if st.step == nil {
		return 0
	}
	return st.step.Index + 1
}

// candidates scores every continuation of a group's beams and returns those
// the rule looks at.
func (s *Search) candidates(t *turn, g group, at map[*Node]*rows.Row) ([]Candidate, error) {
	keep := s.set.keep()
	per := rules[s.set.Rule].perBeam(&s.set)
	var picks []rows.Pick // drawn from, or the best of each beam
	top := rows.Best{K: keep}
	for b, n := range g.running {
		if per > 0 {
			top = rows.Best{K: per}
		}
		if err := s.offer(&top, &picks, b, n, at[n]); err != nil {
			return nil, fmt.Errorf("beam %d: %w", b+1, err)
		}
		if per > 0 {
			picks = append(picks, top.Sorted()...)
		}
	}
	switch {
	case s.set.Sample:
		picks = draw(picks, keep, s.set.Seed, len(s.prompt)+t.cur-1)
		if s.set.Rule == Legacy {
			slices.SortStableFunc(picks, func(a, b rows.Pick) int { return descending(a.Sum, b.Sum) })
		}
	case per == 0:
		picks = top.Sorted()
	}
	out := make([]Candidate, len(picks))
	for i, p := range picks {
		n := &Node{Parent: g.running[p.Parent], Token: p.Token, Logprob: p.Logprob, Sum: p.Sum, Depth: t.cur, Ended: s.set.ends(p.Token)}
		if t.stopped != nil && !n.Ended {
			n.Ended = t.stopped(n)
		}
		out[i] = Candidate{Parent: p.Parent, Node: n, Score: t.score(n)}
	}
	return out, nil
}

// offer adds the continuations of one beam: to all if candidates are drawn,
// else to the best.
func (s *Search) offer(top *rows.Best, all *[]rows.Pick, b int, n *Node, r *rows.Row) error {
	if s.set.quick() && !s.scorer.slow {
		return s.scorer.offerQuick(top, &s.set, r, s.prompt, b, n, s.opt.Mask)
	}
	scores, err := s.scorer.score(&s.set, r, s.prompt, n, s.opt.Mask)
	if err != nil {
		return err
	}
	sum := n.sum()
	for i, x := range scores {
		p := rows.Pick{Parent: b, Token: r.ID(i), Order: b*len(scores) + i, Logprob: x, Sum: sum + x}
		switch {
		case p.Sum < -maxSum:
		case s.set.Sample:
			*all = append(*all, p)
		default:
			top.Offer(p)
		}
	}
	return nil
}

// maxSum is beyond the sum of any path of possible tokens.
const maxSum = 1e30

// Rewind keeps the first n steps and drops the rest. It panics if n is
// negative or more than there are.
func (s *Search) Rewind(n int) *View {
	if n < 0 || n >= len(s.states) {
		panic(fmt.Sprintf("beam: Rewind(%d) of a search of %d steps", n, len(s.states)-1))
	}
	s.states = s.states[: n+1 : n+1]
	return s.View()
}

// Fork returns a search of its own that has done the same steps.
func (s *Search) Fork() (*Search, error) {
	c := *s
	var err error
	if s.first == nil {
		c.pool, err = newPool(s.model, s.prompt)
	} else {
		c.pool, err = s.pool.copy()
	}
	if err != nil {
		return nil, err
	}
	c.scorer = scorer{}
	c.states = slices.Clone(s.states)
	for i := range c.states {
		if st := &c.states[i]; st.step != nil && st.step.rows != nil {
			rows := slices.Clone(st.step.rows)
			for j := range rows {
				rows[j].Logits = slices.Clone(rows[j].Logits)
			}
			st.step = st.step.with(rows)
		}
	}
	return &c, nil
}
