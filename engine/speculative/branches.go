package speculative

import (
	"context"
	"fmt"
	"slices"
	"time"

	"logitscope/engine/several"
	"logitscope/models"
)

// several reports whether rounds have several drafts side by side.
func (d *Decoder) several() bool {
	return d.set.algorithm.method().several != 0 || d.drafter.source() == ByLookahead
}

// rule is how several drafts are tested.
func (m *method) rule() several.Rule {
	if m.several == 0 {
		return several.SpecInfer
	}
	return m.several
}

// branches makes a round of several drafts: the target gives its laws along all
// of them in one pass, and the round goes down into the draft that stands as
// long as one does.
func (d *Decoder) branches(ctx context.Context, r *Round, all []int32, toss coins) error {
	began := time.Now()
	roots, steps, err := d.drafter.grow(ctx, d, all, d.room(r.K), toss)
	if err != nil {
		return fmt.Errorf("draft: %w", err)
	}
	r.Draft, r.DraftSteps = time.Since(began), steps
	r.Branches = paths(roots)
	r.tried = count(r.Branches)

	began = time.Now()
	guesses := d.guessing(all)
	ways := append(slices.Clip(r.Branches), guesses.paths()...)
	s, err := d.verifier.survey(ctx, d.target, all, ways)
	if err != nil {
		return err
	}
	defer s.close()
	w := walk{d: d, rule: d.set.algorithm.method().rule(), toss: toss, survey: s, round: r}
	if err := w.down(roots); err != nil {
		return err
	}
	r.Target, r.Fed, r.Passes, r.late = time.Since(began), s.fed, s.passes, s.late
	r.guesses = guesses.next(s, len(r.Branches), d, append(all[:len(all):len(all)], r.Emitted...), len(r.Emitted))
	r.Guessed = s.fed - s.first - r.tried
	s.adopt(d.verifier, len(all), r.Drafted[:r.Accepted])
	return nil
}

// A walk goes along the drafts that stand.
type walk struct {
	d      *Decoder
	rule   several.Rule
	toss   coins
	survey *survey
	round  *Round
	path   []int32 // the drafts that stand
	rows   []models.Logits
	laws   []Law // of the drafts at each place judged
}

// down tests the drafts of one place after the other and fills in the round.
func (w *walk) down(nodes []*node) error {
	d, r := w.d, w.round
	for {
		row := w.survey.row(w.path)
		p, err := d.laws.law(d.laws.target, d, row, append(d.output[:len(d.output):len(d.output)], w.path...))
		if err != nil && len(w.path) > 0 {
			break // the next round meets it where plain decoding would
		}
		if err != nil {
			return fmt.Errorf("token %d: %w", len(d.output)+1, err)
		}
		w.rows = append(w.rows, row)
		x, stands := w.test(&p, nodes)
		if !stands {
			break
		}
		w.path = append(w.path, x)
		if nodes = after(nodes, x); d.ends(x) {
			break
		}
	}
	r.Accepted = len(w.path)
	r.Emitted = slices.Clone(w.path)
	if r.Final == nil {
		r.Kind = None
	} else {
		r.Emitted = append(r.Emitted, r.Final.Token)
	}
	if d.opt.Rows {
		r.keep(w.rows, w.laws)
	}
	return nil
}

// test tests the drafts of one place. Where none stands it draws the round's
// last token.
func (w *walk) test(p *Law, nodes []*node) (x int32, stands bool) {
	r, depth := w.round, len(w.path)
	if len(nodes) == 0 {
		r.Kind = Bonus
		w.draw(p, nil, 1, p)
		return 0, false
	}
	sp := spaceOf(p, lawsOf(nodes))
	plan := w.rule.Plan(sp.dense(p), sp.denseAll(lawsOf(nodes)))
	u := func(i int) float64 { return w.toss.accept(i*maxDraft + depth) }
	tokens := make([]int, len(nodes))
	for i, n := range nodes {
		tokens[i] = sp.at[n.token]
	}
	at := plan.Test(tokens, u)
	trials := make([]Position, len(nodes))
	tested := len(nodes)
	if at >= 0 {
		tested = at + 1
	}
	for i, n := range nodes {
		trials[i] = Position{Token: n.token, Q: n.law.prob(n.token), DraftU: n.u}
		if i >= tested {
			continue
		}
		t := &trials[i]
		t.P, t.U, t.Accept = plan.Against[i][tokens[i]], u(i), plan.Accept(i, tokens[i])
		t.Alpha, t.Verdict = plan.Alpha[i], Refused
		t.Top = bars(sp.sparse(plan.Against[i]), n.law, n.token)
		if i == at {
			t.Verdict = Accepted
		}
	}
	var law Law
	if w.d.drafter.source() == ByModel {
		law = *nodes[0].law
	}
	w.laws = append(w.laws, law)
	r.Trials = append(r.Trials, trials)
	way := trials[tested-1]
	way.Alpha = plan.Stands
	r.Drafted, r.Positions = append(r.Drafted, way.Token), append(r.Positions, way)
	if at >= 0 {
		return way.Token, true
	}
	for next := nodes[tested-1].kids; len(next) > 0; next = next[0].kids { // what the refused one led to
		r.Drafted = append(r.Drafted, next[0].token)
		r.Positions = append(r.Positions, Position{Token: next[0].token, Q: next[0].law.prob(next[0].token), DraftU: next[0].u})
	}
	r.Kind = Residual
	w.draw(sp.sparse(plan.Before), sp.sparse(plan.Taken), plan.Mass, sp.sparse(plan.Left))
	return 0, false
}

// draw draws the round's last token from left, which is what p has above q.
func (w *walk) draw(p, q *Law, mass float64, left *Law) {
	v := verdict{}.close(*left, mass, w.toss)
	w.round.Final = finalDraw(&v, p, q)
}

// A space numbers the tokens that some laws have, those of the first law in its
// order.
type space struct {
	ids  []int32
	at   []int // by token; -1 for one that no law has
	seen map[*Law]several.Law
}

func spaceOf(p *Law, laws []*Law) *space {
	s := &space{seen: make(map[*Law]several.Law)}
	s.add(p)
	for i, l := range laws {
		if !slices.Contains(laws[:i], l) {
			s.add(l)
		}
	}
	return s
}

func (s *space) add(l *Law) {
	for _, id := range l.IDs {
		for int(id) >= len(s.at) {
			s.at = append(s.at, -1)
		}
		if s.at[id] < 0 {
			s.at[id] = len(s.ids)
			s.ids = append(s.ids, id)
		}
	}
}

// dense returns l by the numbers of the tokens.
func (s *space) dense(l *Law) several.Law {
	if d, ok := s.seen[l]; ok {
		return d
	}
	d := make(several.Law, len(s.ids))
	for i, id := range l.IDs {
		d[s.at[id]] = l.Probs[i]
	}
	s.seen[l] = d
	return d
}

// sparse returns l with the tokens that have any probability.
func (s *space) sparse(l several.Law) *Law {
	var out Law
	for i, p := range l {
		if p > 0 {
			out.IDs, out.Probs = append(out.IDs, s.ids[i]), append(out.Probs, p)
		}
	}
	return &out
}

func (s *space) denseAll(laws []*Law) []several.Law {
	out := make([]several.Law, len(laws))
	for i, l := range laws {
		out[i] = s.dense(l)
	}
	return out
}

func lawsOf(nodes []*node) []*Law {
	out := make([]*Law, len(nodes))
	for i, n := range nodes {
		out[i] = n.law
	}
	return out
}
