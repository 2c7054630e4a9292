package speculative

import (
	"slices"

	"logitscope/sampling/dist"
)

// A Law is a distribution over tokens: the tokens that have any probability,
// in the order in which a draw goes through them. The probabilities sum to 1.
// It is not changed once made.
type Law struct {
	IDs   []int32
	Probs []float64
}

// prob returns the probability of a token.
func (l *Law) prob(id int32) float64 {
	if i := slices.Index(l.IDs, id); i >= 0 {
		return l.Probs[i]
	}
	return 0
}

// mass returns the sum of the probabilities, 1 but for rounding unless l is
// the part of a law that a refusal leaves.
func (l *Law) mass() float64 {
	var sum float64
	for _, p := range l.Probs {
		sum += p
	}
	return sum
}

// Draw returns the token whose interval [lo, hi) of the cumulative
// distribution u falls in, u in [0, 1). Tokens without probability are never
// drawn.
func (l *Law) Draw(u float64) (id int32, lo, hi float64) {
	last := -1
	var cum float64
	for i, p := range l.Probs {
		if p <= 0 {
			continue
		}
		if u < cum+p {
			return l.IDs[i], cum, cum + p
		}
		cum += p
		last = i
	}
	// Rounding left the sum below u.
	return l.IDs[last], cum - l.Probs[last], cum
}

// point is the law of a certain token.
func point(id int32) Law { return Law{[]int32{id}, []float64{1}} }

// copyLaw takes a law out of a buffer that will be reused.
func copyLaw(d *dist.Dist) Law {
	return Law{slices.Clone(d.IDs), slices.Clone(d.Probs)}
}

// scaled returns l with its probabilities divided by their sum.
func (l Law) scaled() Law {
	m := l.mass()
	out := Law{l.IDs, make([]float64, len(l.Probs))}
	for i, p := range l.Probs {
		out.Probs[i] = p / m
	}
	return out
}

// index holds the probabilities of a law by token, for many look-ups.
type index struct {
	at  []float64 // nil: look in law
	law *Law
}

// small is the number of tokens up to which a search beats a table.
const small = 16

func newIndex(l *Law) index {
	t := index{law: l}
	if len(l.IDs) > small {
		t.at = make([]float64, slices.Max(l.IDs)+1)
		for i, id := range l.IDs {
			t.at[id] = l.Probs[i]
		}
	}
	return t
}

func (t index) prob(id int32) float64 {
	if t.at == nil {
		return t.law.prob(id)
	}
	if int(id) >= len(t.at) {
		return 0
	}
	return t.at[id]
}

// overlap returns the sum of min(p, q), from 0 to 1: the chance that a token
// drawn from q stands under p.
func overlap(p, q *Law) float64 {
	t := newIndex(q)
	var sum float64
	for i, id := range p.IDs {
		sum += min(p.Probs[i], t.prob(id))
	}
	return sum
}
