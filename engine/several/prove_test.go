package several

import (
	"iter"
	"math"
	"slices"
)

// Tuples goes through all tuples of drafts, one of each law, with the chance
// of each. Every tuple is a slice of its own.
func Tuples(laws []Law) iter.Seq2[float64, []int] {
	return func(yield func(float64, []int) bool) {
		tuples(laws, 1, nil, yield)
	}
}

func tuples(laws []Law, prob float64, drafts []int, yield func(float64, []int) bool) bool {
	if len(drafts) == len(laws) {
		return yield(prob, drafts)
	}
	for x, p := range laws[len(drafts)] {
		if p > 0 && !tuples(laws, prob*p, append(drafts[:len(drafts):len(drafts)], x), yield) {
			return false
		}
	}
	return true
}

// Different goes through all tuples of k different drafts of q, each drawn
// from q without those before it, with the chance of each tuple and the laws
// its drafts were drawn from. A tuple is shorter if q has fewer than k tokens.
func Different(q Law, k int) iter.Seq2[float64, Drawn] {
	return func(yield func(float64, Drawn) bool) { different(q, k, 1, Drawn{}, yield) }
}

// Drawn holds drafts and the law that each was drawn from.
type Drawn struct {
	Drafts []int
	Laws   []Law
}

func different(q Law, k int, prob float64, d Drawn, yield func(float64, Drawn) bool) bool {
	left, ok := q.Without(d.Drafts)
	if k == 0 || !ok {
		return yield(prob, d)
	}
	for x, p := range left {
		next := Drawn{append(d.Drafts[:len(d.Drafts):len(d.Drafts)], x), append(d.Laws[:len(d.Laws):len(d.Laws)], left)}
		if p > 0 && !different(q, k-1, prob*p, next, yield) {
			return false
		}
	}
	return true
}

// Proved returns the law, over n tokens, of what a rule gives over all drafts
// there can be. drafts yields them with their chances, as [Of] and [Different]
// do; given returns the law of the token for certain drafts, such as that of
// [ChainGiven]. The rule is right if the result equals the target's law.
func Proved(n int, drafts iter.Seq2[float64, Drawn], given func(Drawn) Law) Law {
	out := make(Law, n)
	for prob, d := range drafts {
		for x, p := range given(d) {
			out[x] += prob * p
		}
	}
	return out
}

// Of goes through all tuples of drafts, one of each law, as [Proved] takes
// them.
func Of(laws []Law) iter.Seq2[float64, Drawn] {
	return func(yield func(float64, Drawn) bool) {
		for prob, drafts := range Tuples(laws) {
			if !yield(prob, Drawn{drafts, laws}) {
				return
			}
		}
	}
}

// Point returns the law that gives all to token x of n: that of a draft which
// was chosen and not drawn, such as one of the k best.
func Point(n, x int) Law {
	l := make(Law, n)
	l[x] = 1
	return l
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

// Accept returns the chance that a draft x stands when its turn comes:
// min(1, p/(rho·q)).
func (s Selection) Accept(x int) float64 {
	if s.Draft[x] <= 0 {
		return 0
	}
	return math.Min(1, s.Target[x]/(s.Rho*s.Draft[x]))
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
