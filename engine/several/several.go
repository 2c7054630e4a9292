// Package several answers: of several drafted tokens, which one stands, so
// that the text keeps the target's law? It has the rules of SpecInfer (Miao et
// al. 2023, arXiv 2305.09781), which tests the drafts one after the other, and
// of SpecTr (Sun et al. 2023, arXiv 2310.15141), k-sequential selection.
//
// A plan says how a [Rule] tests the drafts of one place. Tokens are places
// in a [Law], and the numbers that decide are handed in: the package knows laws
// and draws, no model and no lane.
package several

import "math"

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

// A Selection is SpecTr's k-sequential selection among K drafts that were all
// drawn from Draft. It keeps the target's law for every Rho from rhoStar to
// K.
type Selection struct {
	Target, Draft Law
	K             int     // drafts, 1 or more
	Rho           float64 // what the target's law is divided by, from 1 to K
}

// beta returns the chance that a single draft stands, the sum of min(q, p/rho).
func (s Selection) beta() (beta float64) {
	for x, q := range s.Draft {
		beta += math.Min(q, s.Target[x]/s.Rho)
	}
	return beta
}

// accepted returns the chance that any of the K drafts stands.
func (s Selection) accepted() float64 { return 1 - math.Pow(1-s.beta(), float64(s.K)) }

// residual returns the law that the token is drawn from if no draft stands;
// false if that cannot happen.
func (s Selection) residual() (Law, bool) {
	if s.beta() >= 1-1e-15 {
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
	if beta := s.beta(); beta > 0 {
		each = s.accepted() / beta
	}
	out := make(Law, len(s.Target))
	for x, p := range s.Target {
		out[x] = math.Min(s.Draft[x], p/s.Rho) * each
	}
	return out
}

// rhoStar returns the least Rho, from 1 to k, for which k-sequential selection
// among k drafts keeps the target's law. It is the one under which most drafts
// stand, the solution of 1-(1-beta)^k = rho·beta.
func rhoStar(target, draft Law, k int) float64 {
	over := func(rho float64) float64 {
		s := Selection{target, draft, k, rho}
		return s.accepted() - rho*s.beta()
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
