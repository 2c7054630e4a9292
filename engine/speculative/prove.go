package speculative

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"logitscope/engine/several"
	"logitscope/models"
)

// A Proof compares what many draws of an algorithm gave with the law of the
// target: whether the next token has the law it should have.
type Proof struct {
	Algorithm Algorithm
	Draws     int        // so far
	Wanted    int        // in all
	Rows      []ProofRow // the likeliest tokens under the target or seen most, best first
	Others    ProofRow   // all other tokens together
	Accepted  int        // draws in which the drafted token stood

	TV        float64 // total variation between the counts and the target's law
	ChiSquare float64
	Freedom   int     // degrees of freedom
	PValue    float64 // chance of a ChiSquare this large if the law is right
	Off       int     // draws of tokens that the target never gives

	// Law is what the algorithm really does, by calculation: its distance from
	// the target, and how many draws it takes to see it (0 if there is nothing
	// to see).
	LawTV float64
	Need  int
}

// A ProofRow is one token's share.
type ProofRow struct {
	Token    int32
	Target   float64 // probability it should have
	Expected float64 // probability the algorithm gives it
	Count    int
}

// doubt is the p-value below which a law is said to be wrong.
const doubt = 1e-4

// Agrees reports whether the counts are those of the target's law, as far as
// the test can tell.
func (p *Proof) Agrees() bool { return p.Off == 0 && p.PValue >= doubt }

// Verdict returns the outcome as a word: "agrees" or "differs".
func (p *Proof) Verdict() string {
	if p.Agrees() {
		return "agrees"
	}
	return "differs"
}

// A Prover draws the next token many times. It owns all it needs, so it may
// run beside the decoder it came from.
type Prover struct {
	method  *method
	p, q    Law    // the target's law and the draft's, by which tokens are drawn
	judge   Law    // what the algorithm takes for q, and
	believe Law    // for p
	drafts  []*Law // of several drafts side by side, that each is drawn from
	plan    *several.Plan
	space   *space // that plan numbers tokens by
	ends    func(int32) bool
	seed    uint64
	pos     int
}

// Prover returns a prover for the next token at the decoder's position, under
// algorithm a. It runs both models once.
func (d *Decoder) Prover(ctx context.Context, a Algorithm) (*Prover, error) {
	all := append(slices.Clone(d.prompt), d.output...)
	laws, err := newLawyer(d.set.p, d.set.q, a.method(), d.opt)
	if err != nil {
		return nil, err
	}
	pr := &Prover{method: a.method(), ends: d.ends, seed: d.set.seed, pos: len(all)}
	rows, _, err := d.verifier.verify(ctx, all, nil)
	if err != nil {
		return nil, err
	}
	if pr.p, err = laws.law(d.set.p, d, rows[0], d.output); err != nil {
		return nil, err
	}
	if pr.believe, err = laws.law(laws.target, d, rows[0], d.output); err != nil {
		return nil, err
	}
	if err := d.proverDraft(ctx, pr, &laws, all); err != nil {
		return nil, err
	}
	if a.method().several != 0 || d.drafter.source() == ByLookahead {
		pr.arrange()
	}
	return pr, nil
}

// arrange plans the tests of several drafts.
func (pr *Prover) arrange() {
	pr.space = spaceOf(&pr.believe, pr.drafts)
	pr.plan = pr.method.rule().Plan(pr.space.dense(&pr.believe), pr.space.denseAll(pr.drafts))
}

// proverDraft fills in the draft's side.
func (d *Decoder) proverDraft(ctx context.Context, pr *Prover, laws *lawyer, all []int32) error {
	if !pr.method.Algorithm.Judges(d.drafter.source()) {
		return fmt.Errorf("rule: %w", cannotJudge(pr.method.Algorithm, d.drafter.source(), Algorithm.name))
	}
	t := d.drafter.held()
	if t == nil {
		roots, _, err := d.drafter.grow(ctx, d, all, 1, nil)
		pr.drafts = lawsOf(roots)
		if len(roots) > 0 {
			pr.q = *roots[0].law
			pr.judge = pr.q
		}
		return err
	}
	t.keep(all, len(all)-1)
	rows, err := t.forward(ctx, all[len(t.tokens):], 1)
	if err != nil {
		return err
	}
	row := models.Logits{IDs: rows[0].IDs, Values: rows[0].Values, Rest: rows[0].Rest}
	if pr.q, err = laws.draft(d, row, d.output); err != nil {
		return err
	}
	pr.judge = pr.q
	pr.drafts = slices.Repeat([]*Law{&pr.q}, d.set.shape.at(0))
	if laws.uncutDraft != nil {
		pr.judge, err = laws.wholeDraft(d, row, d.output)
	}
	return err
}

// chances are coins from a generator.
type chances struct{ r *rand.Rand }

func (c chances) draft(int) float64  { return c.r.Float64() }
func (c chances) accept(int) float64 { return c.r.Float64() }
func (c chances) final() float64     { return c.r.Float64() }

// proofPiece is the number of draws between two looks at the context.
const proofPiece = 2000

// Run draws n tokens and returns the comparison. It calls progress, which may
// be nil, after every few thousand draws. If ctx ends it returns what there is
// with ctx's error.
func (pr *Prover) Run(ctx context.Context, n int, progress func(Proof)) (Proof, error) {
	counts := make(map[int32]int)
	accepted := 0
	toss := chances{rand.New(rand.NewPCG(pr.seed, uint64(pr.pos)))}
	for done := 0; done < n; {
		if err := ctx.Err(); err != nil {
			return pr.proof(counts, done, n, accepted), err
		}
		for end := min(done+proofPiece, n); done < end; done++ {
			x, ok, err := pr.draw(toss)
			if err != nil {
				return pr.proof(counts, done, n, accepted), err
			}
			counts[x]++
			if ok {
				accepted++
			}
		}
		if progress != nil {
			progress(pr.proof(counts, done, n, accepted))
		}
	}
	return pr.proof(counts, n, n, accepted), nil
}

// draw makes the first token of one round.
func (pr *Prover) draw(c coins) (token int32, accepted bool, err error) {
	if pr.plan != nil {
		x, stands := pr.drawSeveral(c)
		return x, stands, nil
	}
	var d draft
	if len(pr.q.IDs) > 0 {
		x, _, _ := pr.q.Draw(c.draft(0))
		d = draft{tokens: []int32{x}, laws: []Law{pr.q}, judge: []Law{pr.judge}}
	}
	// One drafted token is enough: the first token of a round does not depend
	// on the others, and what follows it need not be known.
	stop := func(int32) bool { return len(d.tokens) > 0 }
	v, err := verify(pr.method, d, func(int) (*Law, error) { return &pr.believe, nil }, stop, c)
	if err != nil || v.accepted > 0 {
		return first(d.tokens), v.accepted > 0, err
	}
	return v.token, false, nil
}

// drawSeveral is draw for several drafts.
func (pr *Prover) drawSeveral(c coins) (token int32, accepted bool) {
	tokens := make([]int, len(pr.drafts))
	for i, q := range pr.drafts {
		x, _, _ := q.Draw(c.draft(i))
		tokens[i] = pr.space.at[x]
	}
	if i := pr.plan.Test(tokens, c.accept); i >= 0 {
		return pr.space.ids[tokens[i]], true
	}
	return pr.space.ids[pr.plan.Left.Draw(c.final())], false
}

func first(t []int32) int32 {
	if len(t) == 0 {
		return models.NoToken
	}
	return t[0]
}

// law returns the law of the next token under the algorithm, by calculation.
func (pr *Prover) law() Law {
	if pr.plan != nil {
		return *pr.space.sparse(pr.plan.Law())
	}
	out := make(map[int32]float64)
	if len(pr.q.IDs) == 0 {
		return pr.believe
	}
	m := pr.method
	refuse := func(rest Law, w float64) {
		for i, id := range rest.IDs {
			out[id] += w * rest.Probs[i]
		}
	}
	rest := m.rest(&pr.believe, &pr.judge).scaled()
	p, q := newIndex(&pr.believe), newIndex(&pr.judge)
	lost, dropped := 0.0, 0.0
	for i, id := range pr.q.IDs {
		w := pr.q.Probs[i]
		if w < m.drop {
			dropped += w
			continue
		}
		a := m.chance(p.prob(id), q.prob(id))
		out[id] += w * a
		lost += w * (1 - a)
	}
	refuse(rest, lost)
	refuse(pr.believe, dropped)
	var l Law
	for id := range out {
		l.IDs = append(l.IDs, id)
	}
	slices.Sort(l.IDs)
	for _, id := range l.IDs {
		l.Probs = append(l.Probs, out[id])
	}
	return l
}

// proof compares counts with the target's law.
func (pr *Prover) proof(counts map[int32]int, draws, wanted, accepted int) Proof {
	out := Proof{Algorithm: pr.method.Algorithm, Draws: draws, Wanted: wanted, Accepted: accepted}
	law := pr.law()
	should, does := newIndex(&pr.p), newIndex(&law)
	ids := slices.Clone(pr.p.IDs)
	for id := range counts {
		if should.prob(id) == 0 {
			ids = append(ids, id)
			out.Off += counts[id]
		}
	}
	for _, id := range law.IDs {
		if should.prob(id) == 0 && counts[id] == 0 {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	rows := make([]ProofRow, len(ids))
	for i, id := range ids {
		rows[i] = ProofRow{id, should.prob(id), does.prob(id), counts[id]}
		if draws > 0 {
			out.TV += math.Abs(rows[i].Target-float64(rows[i].Count)/float64(draws)) / 2
		}
		out.LawTV += math.Abs(rows[i].Target-rows[i].Expected) / 2
	}
	out.ChiSquare, out.Freedom = chiSquare(rows, draws)
	out.PValue = 1
	if out.Freedom > 0 {
		out.PValue = upperTail(out.ChiSquare, out.Freedom)
	}
	out.Need = draw25(rows)
	out.list(rows)
	return out
}

// list keeps the rows worth showing.
func (p *Proof) list(rows []ProofRow) {
	slices.SortStableFunc(rows, func(a, b ProofRow) int {
		switch x, y := max(a.Target, a.Expected), max(b.Target, b.Expected); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	n := min(len(rows), 2*shown)
	p.Rows = slices.Clone(rows[:n])
	p.Others.Token = models.NoToken
	for _, r := range rows[n:] {
		p.Others.Target += r.Target
		p.Others.Expected += r.Expected
		p.Others.Count += r.Count
	}
}

// draw25 returns the number of draws at which the chi-square's non-centrality
// reaches 25: what it takes to see the difference. It is 0 if there is none.
func draw25(rows []ProofRow) int {
	var per, off float64
	for _, r := range rows {
		if r.Target > 0 {
			per += (r.Expected - r.Target) * (r.Expected - r.Target) / r.Target
		} else {
			off += r.Expected
		}
	}
	switch {
	case off > 1e-12:
		return int(math.Ceil(5 / off)) // one such draw is enough
	case per > 1e-12:
		return int(math.Ceil(25 / per))
	}
	return 0
}
