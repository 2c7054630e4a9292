// Package dist answers: how likely is each token, and how far are two laws apart?
package dist

import (
	"math"
	"slices"
	"sort"
)

// A Dist is a distribution over tokens, best first; tokens that cannot be
// drawn are left out. Its memory is reused.
type Dist struct {
	IDs   []int32
	Probs []float64 // descending, summing to 1
}

// Sort puts the tokens in order: descending probability, then ascending id.
func (d *Dist) Sort() { sort.Sort((*byProb)(d)) }

// byProb sorts a distribution: descending probability, then ascending id.
type byProb Dist

func (d *byProb) Len() int { return len(d.IDs) }

func (d *byProb) Less(i, j int) bool {
	return d.Probs[i] > d.Probs[j] || d.Probs[i] == d.Probs[j] && d.IDs[i] < d.IDs[j]
}

func (d *byProb) Swap(i, j int) {
	d.IDs[i], d.IDs[j] = d.IDs[j], d.IDs[i]
	d.Probs[i], d.Probs[j] = d.Probs[j], d.Probs[i]
}

// Draw returns the index of the token at u, in [0, 1), and the interval
// [lo, hi) of the cumulative distribution that u fell in.
func (d *Dist) Draw(u float64) (i int, lo, hi float64) {
	for i, p := range d.Probs {
		if hi = lo + p; u < hi || i == len(d.Probs)-1 {
			return i, lo, max(hi, math.Nextafter(u, 2))
		}
		lo = hi
	}
	return -1, 0, 0
}

// Prob returns the probability of a token, 0 if it cannot be drawn.
func (d *Dist) Prob(id int32) float64 {
	if i := slices.Index(d.IDs, id); i >= 0 {
		return d.Probs[i]
	}
	return 0
}

// Entropy returns the entropy in bits.
func (d *Dist) Entropy() float64 {
	h := 0.0
	for _, p := range d.Probs {
		if p > 0 {
			h -= p * math.Log2(p)
		}
	}
	return max(0, h)
}

// TotalVariation returns half the sum of the differences between two
// distributions: 0 for equal ones, 1 for ones with no token in common.
func TotalVariation(a, b *Dist) float64 {
	sum := 0.0
	pairs(a, b, func(p, q float64) { sum += math.Abs(p - q) })
	return min(1, sum/2)
}

// JensenShannon returns the Jensen-Shannon divergence of two distributions in
// bits, 0 to 1.
func JensenShannon(a, b *Dist) float64 {
	sum := 0.0
	pairs(a, b, func(p, q float64) {
		m := (p + q) / 2
		if p > 0 {
			sum += p * math.Log2(p/m)
		}
		if q > 0 {
			sum += q * math.Log2(q/m)
		}
	})
	return min(1, max(0, sum/2))
}

// Overlap returns the share of tokens that both distributions can draw, of
// those that either can.
func Overlap(a, b *Dist) float64 {
	both, either := 0, 0
	pairs(a, b, func(p, q float64) {
		if p > 0 || q > 0 {
			either++
		}
		if p > 0 && q > 0 {
			both++
		}
	})
	if either == 0 {
		return 1
	}
	return float64(both) / float64(either)
}

// pairs calls f with the probabilities of every token that a or b has.
func pairs(a, b *Dist, f func(p, q float64)) {
	i, j := ordered(a), ordered(b)
	for len(i) > 0 || len(j) > 0 {
		switch {
		case len(j) == 0 || len(i) > 0 && a.IDs[i[0]] < b.IDs[j[0]]:
			f(a.Probs[i[0]], 0)
			i = i[1:]
		case len(i) == 0 || a.IDs[i[0]] > b.IDs[j[0]]:
			f(0, b.Probs[j[0]])
			j = j[1:]
		default:
			f(a.Probs[i[0]], b.Probs[j[0]])
			i, j = i[1:], j[1:]
		}
	}
}

// ordered returns the indices of d by ascending id.
func ordered(d *Dist) []int32 {
	ix := make([]int32, len(d.IDs))
	for i := range ix {
		ix[i] = int32(i)
	}
	slices.SortFunc(ix, func(x, y int32) int { return int(d.IDs[x] - d.IDs[y]) })
	return ix
}
