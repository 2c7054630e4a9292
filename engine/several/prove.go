package several

import "iter"

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
