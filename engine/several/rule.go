package several

import (
	"math"
	"slices"
)

// A Rule is a way to test several drafts of one place. The zero value is no
// rule.
type Rule uint8

const (
	SpecInfer Rule = iota + 1 // each against what those before it left of the target's law
	SpecTr                    // each against the target's law divided by rho; all drawn from one law

	// AgainstTarget is wrong: each against the target's whole law, as if none
	// had been refused before it.
	AgainstTarget
)

// A Plan is how a rule tests drafts that are drawn from certain laws, whatever
// tokens they turn out to be. Its slices have an element for each draft, in the
// order of the tests. It is not changed once made, and may share its laws with
// others.
type Plan struct {
	Laws    []Law     // what the drafts are drawn from
	Against []Law     // what each is compared with: x stands with min(1, Against[x]/Laws[x])
	Alpha   []float64 // chance that each stands when its turn comes

	// Left is what the token is drawn from if none stands: the positive part
	// of Before-Taken, which sums to Mass, renormalised.
	Left, Before, Taken Law
	Mass                float64

	Stands float64 // chance that any of them stands
}

// Plan returns how the rule tests drafts, the i-th drawn from laws[i], against
// target. All laws must be as long as target. Without laws, all of target is
// left. [SpecTr] takes laws[0] for all drafts and rho from rhoStar.
func (rule Rule) Plan(target Law, laws []Law) *Plan {
	p := &Plan{Laws: laws, Left: target, Before: target, Taken: make(Law, len(target)), Mass: 1}
	if len(laws) == 0 {
		return p
	}
	if rule == SpecTr {
		s := Selection{Target: target, Draft: laws[0], K: len(laws)}
		s.Rho = rhoStar(target, s.Draft, s.K)
		return s.plan()
	}
	none := 1.0
	for _, q := range laws {
		r := p.Left
		if rule == AgainstTarget {
			r = target
		}
		alpha := overlap(r, q)
		none *= 1 - alpha
		p.Against, p.Alpha = append(p.Against, r), append(p.Alpha, alpha)
		p.Before, p.Taken, p.Mass, p.Left = r, q, 1-alpha, r.minus(q)
	}
	p.Stands = 1 - none
	return p
}

// plan returns how the selection tests its drafts.
func (s Selection) plan() *Plan {
	p := &Plan{Left: s.Target, Before: s.Target, Taken: s.taken(), Stands: s.accepted()}
	p.Mass = 1 - p.Stands
	if left, ok := s.residual(); ok {
		p.Left = left
	}
	share := make(Law, len(s.Target))
	for x, v := range s.Target {
		share[x] = v / s.Rho
	}
	p.Laws, p.Against, p.Alpha = slices.Repeat([]Law{s.Draft}, s.K), slices.Repeat([]Law{share}, s.K), slices.Repeat([]float64{s.beta()}, s.K)
	return p
}

// Accept returns the chance that the i-th draft stands when its turn comes, if
// it is x.
func (p *Plan) Accept(i, x int) float64 { return accept(p.Against[i], p.Laws[i], x) }

// Test tests drafts, where drafts[i] was drawn from Laws[i] and u(i) is the
// number in [0, 1) that decides about it: it stands if u(i) is below
// [Plan.Accept]. Test returns the index of the first that stands, -1 if none
// does. It calls u in order, and not after a draft that stands.
func (p *Plan) Test(drafts []int, u func(i int) float64) int {
	for i, x := range drafts {
		if u(i) < p.Accept(i, x) {
			return i
		}
	}
	return -1
}

// Law returns the law of the token by calculation, over all drafts there can
// be. The rule is right if it equals the target's.
func (p *Plan) Law() Law {
	out := make(Law, len(p.Left))
	left := 1.0
	for i, q := range p.Laws {
		lost := 0.0
		for x, w := range q {
			a := p.Accept(i, x)
			out[x] += left * w * a
			lost += w * (1 - a)
		}
		left *= lost
	}
	for x, w := range p.Left {
		out[x] += left * w
	}
	return out
}

// overlap is the sum of min(r, q).
func overlap(r, q Law) (sum float64) {
	for x, p := range r {
		sum += math.Min(p, q[x])
	}
	return sum
}
