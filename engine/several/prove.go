package several

import "iter"

// Tuples goes through all tuples of drafts, one of each law, with the chance
// of each.
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
// from q without those before it, with the chance of each and the laws they
// were drawn from. A tuple is shorter where q has fewer tokens.
func Different(q Law, k int) iter.Seq2[float64, Drawn] {
	return func(yield func(float64, Drawn) bool) { different(q, k, 1, Drawn{}, yield) }
}

// Drawn are drafts and the law of each.
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

// Proved is the law of the tokens that a rule gives, over all drafts there can
// be: given is the law for drafts, which come with their chance. The rule is
// right where it equals the target's.
func Proved(n int, drafts iter.Seq2[float64, Drawn], given func(Drawn) Law) Law {
	out := make(Law, n)
	for prob, d := range drafts {
		for x, p := range given(d) {
			out[x] += prob * p
		}
	}
	return out
}

// Of are all tuples of drafts of laws, as [Proved] takes them.
func Of(laws []Law) iter.Seq2[float64, Drawn] {
	return func(yield func(float64, Drawn) bool) {
		for prob, drafts := range Tuples(laws) {
			if !yield(prob, Drawn{drafts, laws}) {
				return
			}
		}
	}
}
