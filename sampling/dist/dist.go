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

// sort puts the tokens in order: descending probability, then ascending id.
func (d *Dist) sort() { sort.Sort((*byProb)(d)) }

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

// Behind makes d, the law of a draw that is made where first's token is
// refused, the law of both draws together.
func (d *Dist) Behind(first *Dist, allows func(id int32) bool) {
	miss, passed := 0.0, make(map[int32]float64)
	for i, id := range first.IDs {
		if allows(id) {
			passed[id] = first.Probs[i]
		} else {
			miss += first.Probs[i]
		}
	}
	for i, id := range d.IDs {
		d.Probs[i] = d.Probs[i]*miss + passed[id]
		delete(passed, id)
	}
	for id, prob := range passed {
		d.IDs, d.Probs = append(d.IDs, id), append(d.Probs, prob)
	}
	d.sort()
}
