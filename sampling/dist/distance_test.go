package dist

import (
	"math"
	"math/rand/v2"
	"testing"
)

// slowDistance is every number from its definition, token by token over the
// whole vocabulary.
func slowDistance(a, b *Dist, vocab int32) (d Distance) {
	at := func(d *Dist, id int32) float64 {
		for i, x := range d.IDs {
			if x == id {
				return d.Probs[i]
			}
		}
		return -1
	}
	d.TopA, d.TopB = -1, -1
	bestA, bestB := -1.0, -1.0
	kl := func(p, q float64) float64 {
		switch {
		case p < 0:
			return 0
		case q < 0:
			return math.Inf(1)
		case p == 0:
			return 0
		}
		return p * math.Log2(p/q)
	}
	for id := range vocab {
		p, q := at(a, id), at(b, id)
		if p > bestA {
			bestA, d.TopA = p, id
		}
		if q > bestB {
			bestB, d.TopB = q, id
		}
		if p >= 0 || q >= 0 {
			d.Either++
		}
		if p >= 0 && q >= 0 {
			d.Shared++
		}
		d.KLab, d.KLba = d.KLab+kl(p, q), d.KLba+kl(q, p)
		p, q = max(p, 0), max(q, 0)
		d.TV += math.Abs(p-q) / 2
		if m := (p + q) / 2; m > 0 {
			for _, x := range []float64{p, q} {
				if x > 0 {
					d.JS += x * math.Log2(x/m) / 2
				}
			}
		}
	}
	return d
}

func randomDist(r *rand.Rand, vocab int) *Dist {
	d := &Dist{}
	sum := 0.0
	for _, id := range r.Perm(vocab)[:1+r.IntN(vocab)] {
		d.IDs = append(d.IDs, int32(id))
		d.Probs = append(d.Probs, math.Exp(3*r.NormFloat64()))
		sum += d.Probs[len(d.Probs)-1]
	}
	for i := range d.Probs {
		d.Probs[i] /= sum
	}
	return d
}

// TestDistanceAgainstSlowTwin with one meter for all pairs, as it is used.
func TestDistanceAgainstSlowTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	var m Meter
	for trial := range 2000 {
		if trial == 1000 {
			m.round = math.MaxUint32 - 3 // the marks go round
		}
		vocab := 1 + r.IntN(40)
		a, b := randomDist(r, vocab), randomDist(r, vocab)
		if trial%5 == 0 {
			b = a
		}
		got, want := m.Between(a, b), slowDistance(a, b, int32(vocab))
		near := func(name string, x, y float64) {
			if !(x == y || math.Abs(x-y) < 1e-9) {
				t.Fatalf("trial %d: %s is %v, want %v", trial, name, x, y)
			}
		}
		near("TV", got.TV, want.TV)
		near("JS", got.JS, want.JS)
		near("KL a to b", got.KLab, want.KLab)
		near("KL b to a", got.KLba, want.KLba)
		if got.TopA != want.TopA || got.TopB != want.TopB || got.Shared != want.Shared || got.Either != want.Either {
			t.Fatalf("trial %d: %+v, want %+v", trial, got, want)
		}
		if a == b && (got.TV != 0 || got.JS != 0 || got.KLab != 0 || got.KLba != 0 || !got.SameTop()) {
			t.Fatalf("trial %d: a law is %+v from itself", trial, got)
		}
	}
}

// Three laws by hand, in the unit that they are said in.
func TestDistanceByHand(t *testing.T) {
	half := &Dist{IDs: []int32{1, 2}, Probs: []float64{0.5, 0.5}}
	one := &Dist{IDs: []int32{2}, Probs: []float64{1}}
	skew := &Dist{IDs: []int32{2, 1}, Probs: []float64{0.75, 0.25}}
	var m Meter
	if d := m.Between(half, one); d.TV != 0.5 || !math.IsInf(d.KLab, 1) || d.KLba != 1 || d.TopA != 1 || d.TopB != 2 || d.Shared != 1 || d.Either != 2 {
		t.Errorf("half and one: %+v", d)
	}
	d := m.Between(half, skew)
	if want := 1 - math.Log2(3)/2; d.TV != 0.25 || math.Abs(d.KLab-want) > 1e-15 { // ½log₂(½/¾)+½log₂(½/¼)
		t.Errorf("half and skew: %+v, want KL %v", d, want)
	}
	var s Distances
	if !math.IsNaN(s.TV()) || !math.IsNaN(s.KLab()) {
		t.Error("no steps have means")
	}
	s.Add(5, m.Between(half, half))
	s.Add(6, m.Between(half, one))
	s.Add(7, d)
	if s.Steps != 3 || s.TV() != 0.25 || s.ImpossibleAB != 1 || s.FirstAB != 6 || s.ImpossibleBA != 0 || s.SameTop != 1 || s.LargestAt != 6 {
		t.Errorf("%+v", s)
	}
	if want := d.KLab / 2; s.KLab() != want {
		t.Errorf("mean of finite steps %v, want %v", s.KLab(), want)
	}
	// A token that stays and underflows is not cut.
	under := &Dist{IDs: []int32{2, 1}, Probs: []float64{1, 0}}
	if d := m.Between(half, under); math.IsInf(d.KLab, 1) || d.Shared != 2 {
		t.Errorf("underflow: %+v", d)
	}
}
