// Package several answers: of several drafted tokens, which one stands, so
// that the text keeps the target's law? It has the rules of SpecInfer (Miao et
// al. 2023, arXiv 2305.09781), which tests the drafts one after the other, and
// of SpecTr (Sun et al. 2023, arXiv 2310.15141), k-sequential selection.
//
// A [Plan] says how a [Rule] tests the drafts of one place, a [Tree] goes from
// place to place, and [Proved] computes the law that a rule gives, draft by
// draft, so that it can be held against the target's. Tokens are places in a
// [Law], and the numbers that decide are handed in: the package knows laws and
// draws, no model and no lane.
package several

import (
	"math"
	"slices"
)

// A Law is a distribution over the tokens 0 to len-1. It sums to 1 up to
// rounding and is not changed once made. Laws that are used together must have
// the same length.
type Law []float64

// Draw returns the token whose interval of the cumulative distribution u falls
// in, u in [0, 1). Tokens without probability are never drawn; it returns -1 if
// no token has any.
func (l Law) Draw(u float64) int {
	last, cum := -1, 0.0
	for x, p := range l {
		if p <= 0 {
			continue
		}
		if cum += p; u < cum {
			return x
		}
		last = x
	}
	return last // rounding left the sum below u
}

// Point returns the law that gives all to token x of n: that of a draft which
// was chosen and not drawn, such as one of the k best.
func Point(n, x int) Law {
	l := make(Law, n)
	l[x] = 1
	return l
}

// Without returns l without the tokens of earlier, renormalised: the law of
// the next of several different drafts. ok is false if nothing is left.
func (l Law) Without(earlier []int) (_ Law, ok bool) {
	out := slices.Clone(l)
	for _, x := range earlier {
		out[x] = 0
	}
	return out.normalised()
}

// normalised returns l as a law, false where it has no mass.
func (l Law) normalised() (Law, bool) {
	sum := 0.0
	for _, p := range l {
		sum += p
	}
	if !(sum > 0) {
		return nil, false
	}
	out := make(Law, len(l))
	for x, p := range l {
		out[x] = p / sum
	}
	return out, true
}

// minus returns what is left of l after a draft of law q was refused:
// max(0, l-q), renormalised. Where nothing is left a refusal cannot happen,
// and l is returned.
func (l Law) minus(q Law) Law {
	out := make(Law, len(l))
	for x := range l {
		out[x] = math.Max(0, l[x]-q[x])
	}
	if n, ok := out.normalised(); ok {
		return n
	}
	return l
}

// accept is the chance that a draft x of law q stands against r.
func accept(r, q Law, x int) float64 {
	if q[x] <= 0 {
		return 0 // it cannot have been drawn
	}
	return math.Min(1, r[x]/q[x])
}

// Chain tests drafts one after the other, as SpecInfer does: drafts[i], drawn
// from q = laws[i], stands with probability min(1, r/q), where r begins as
// target; after a refusal r becomes max(0, r-q), renormalised. If none stands
// the token is drawn from the r that is left. u must hold a number in [0, 1)
// for every draft and one more for the last draw. Chain returns the token and
// the index of the draft that stands, -1 if none does.
func Chain(target Law, drafts []int, laws []Law, u []float64) (token, stands int) {
	p := SpecInfer.Plan(target, laws)
	return p.choose(drafts, u)
}

// choose tests the drafts and draws the token where none stands.
func (p *Plan) choose(drafts []int, u []float64) (token, stands int) {
	if i := p.Test(drafts, func(i int) float64 { return u[i] }); i >= 0 {
		return drafts[i], i
	}
	return p.Left.Draw(u[len(drafts)]), -1
}

// ChainGiven returns the law of the token that [Chain] returns for these
// drafts, and for each draft the chance that it is the one that stands.
func ChainGiven(target Law, drafts []int, laws []Law) (out Law, stand []float64) {
	out, stand = make(Law, len(target)), make([]float64, len(drafts))
	r, left := target, 1.0
	for i, x := range drafts {
		a := accept(r, laws[i], x)
		stand[i] = left * a
		out[x] += stand[i]
		left *= 1 - a
		r = r.minus(laws[i])
	}
	for x, p := range r {
		out[x] += left * p
	}
	return out, stand
}

// A Selection is SpecTr's k-sequential selection among K drafts that were all
// drawn from Draft. It keeps the target's law for every Rho from [RhoStar] to
// K.
type Selection struct {
	Target, Draft Law
	K             int     // drafts, 1 or more
	Rho           float64 // what the target's law is divided by, from 1 to K
}

// Accept returns the chance that a draft x stands when its turn comes:
// min(1, p/(rho·q)).
func (s Selection) Accept(x int) float64 {
	if s.Draft[x] <= 0 {
		return 0
	}
	return math.Min(1, s.Target[x]/(s.Rho*s.Draft[x]))
}

// Beta returns the chance that a single draft stands, the sum of min(q, p/rho).
func (s Selection) Beta() (beta float64) {
	for x, q := range s.Draft {
		beta += math.Min(q, s.Target[x]/s.Rho)
	}
	return beta
}

// Accepted returns the chance that any of the K drafts stands.
func (s Selection) Accepted() float64 { return 1 - math.Pow(1-s.Beta(), float64(s.K)) }

// Residual returns the law that the token is drawn from if no draft stands;
// false if that cannot happen.
func (s Selection) Residual() (Law, bool) {
	if s.Beta() >= 1-1e-15 {
		return nil, false
	}
	out, taken := make(Law, len(s.Target)), s.taken()
	for x, p := range s.Target {
		out[x] = math.Max(0, p-taken[x])
	}
	return out.normalised()
}

// taken is what all refusals take away from the target's law.
func (s Selection) taken() Law {
	each := float64(s.K) // the limit of the factor as beta goes to 0
	if beta := s.Beta(); beta > 0 {
		each = s.Accepted() / beta
	}
	out := make(Law, len(s.Target))
	for x, p := range s.Target {
		out[x] = math.Min(s.Draft[x], p/s.Rho) * each
	}
	return out
}

// RhoStar returns the least Rho, from 1 to k, for which k-sequential selection
// among k drafts keeps the target's law. It is the one under which most drafts
// stand, the solution of 1-(1-beta)^k = rho·beta.
func RhoStar(target, draft Law, k int) float64 {
	over := func(rho float64) float64 {
		s := Selection{target, draft, k, rho}
		return s.Accepted() - rho*s.Beta()
	}
	if over(1) <= 0 {
		return 1
	}
	lo, hi := 1.0, float64(k)
	for range 60 {
		mid := (lo + hi) / 2
		if mid == lo || mid == hi {
			break
		}
		if over(mid) > 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// A Tree has drafts after drafts, as SpecInfer's: K[0] tokens after the text,
// K[1] after each of them, and so on, each drawn from Draft, and one pass of
// the target verifies all of them. The functions return the laws after the
// tokens of path, which follow the text, and must not keep path.
type Tree struct {
	K      []int                // drafts of a place, by depth
	Target func(path []int) Law // the target's law
	Draft  func(path []int) Law // the draft's law
}

// Walk drafts and verifies one pass: from the root it goes down to the draft
// that stands, and ends with a token of the target's own, drawn from what is
// left if none stands, and after the deepest draft if all did. draw returns
// numbers in [0, 1). Walk returns the tokens in order, one at least; all but
// the last are drafts.
func (t Tree) Walk(draw func() float64) (tokens []int) {
	for depth := 0; ; depth++ {
		target := t.Target(tokens)
		if depth == len(t.K) {
			return append(tokens, target.Draw(draw()))
		}
		q := t.Draft(tokens)
		drafts, laws, u := make([]int, t.K[depth]), make([]Law, t.K[depth]), make([]float64, t.K[depth]+1)
		for i := range drafts {
			drafts[i], laws[i] = q.Draw(draw()), q
		}
		for i := range u {
			u[i] = draw()
		}
		x, stands := Chain(target, drafts, laws, u)
		tokens = append(tokens, x)
		if stands < 0 {
			return tokens
		}
	}
}

// TokensAPass returns how many tokens [Tree.Walk] returns on average, by going
// through all drafts there can be.
func (t Tree) TokensAPass() float64 { return t.tokens(nil) }

func (t Tree) tokens(path []int) float64 {
	if len(path) == len(t.K) {
		return 1
	}
	target, q := t.Target(path), t.Draft(path)
	laws := slices.Repeat([]Law{q}, t.K[len(path)])
	stand := make(Law, len(target)) // chance that a draft of this token stands
	for prob, drafts := range Tuples(laws) {
		_, each := ChainGiven(target, drafts, laws)
		for i, x := range drafts {
			stand[x] += prob * each[i]
		}
	}
	sum := 1.0
	for x, p := range stand {
		if p > 0 {
			sum += p * t.tokens(append(path[:len(path):len(path)], x))
		}
	}
	return sum
}
