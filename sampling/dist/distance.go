package dist

import "math"

// A Distance is how far apart two laws, A and B, are at one step. It means
// something only where both are laws of the token after one and the same text.
type Distance struct {
	TV         float64 // total variation: half the sum of differences, 0 to 1
	JS         float64 // Jensen–Shannon divergence, bits, 0 to 1
	KLab       float64 // Σ a log2(a/b), bits; +Inf where A allows a token that B cuts
	KLba       float64
	TopA, TopB int32 // the most probable token of each; of equals the lowest id
	Shared     int   // tokens that survive in both
	Either     int   // tokens that survive in one of them at least
}

// SameTop reports whether the most probable token is the same.
func (d Distance) SameTop() bool { return d.TopA == d.TopB }

// A Meter measures distances. It reuses its memory; the zero value is ready.
// It must not be used by two goroutines at a time.
type Meter struct {
	a     []float64 // A's probabilities by id
	of    []uint32  // the round in which an id's was written
	round uint32
}

// Between returns the distance of two laws. A token that survives with a
// probability that underflows is not cut: it makes no divergence infinite.
func (m *Meter) Between(a, b *Dist) Distance {
	d := Distance{TopA: a.top(), TopB: b.top()}
	if m.round++; m.round == 0 { // it went round: old marks mean nothing
		clear(m.of)
		m.round = 1
	}
	for i, id := range a.IDs {
		if n := int(id) + 1 - len(m.a); n > 0 {
			m.a, m.of = append(m.a, make([]float64, n)...), append(m.of, make([]uint32, n)...)
		}
		m.a[id], m.of[id] = a.Probs[i], m.round
	}
	for i, id := range b.IDs {
		p := -1.0
		if int(id) < len(m.a) && m.of[id] == m.round {
			p, m.of[id] = m.a[id], 0
		}
		d.add(p, b.Probs[i])
	}
	for i, id := range a.IDs {
		if m.of[id] == m.round {
			d.add(a.Probs[i], -1)
		}
	}
	// Sums in another order may leave the range by rounding.
	d.TV, d.JS = min(1, d.TV), min(1, max(0, d.JS))
	d.KLab, d.KLba = max(0, d.KLab), max(0, d.KLba)
	return d
}

// top returns the most probable token, -1 for none.
func (d *Dist) top() int32 {
	top, most := int32(-1), math.Inf(-1)
	for i, id := range d.IDs {
		if p := d.Probs[i]; p > most || p == most && id < top {
			top, most = id, p
		}
	}
	return top
}

// add counts a token of probability p under A and q under B, negative where it
// is cut.
func (d *Distance) add(p, q float64) {
	d.Either++
	if p >= 0 && q >= 0 {
		d.Shared++
	}
	d.KLab += divergence(p, q)
	d.KLba += divergence(q, p)
	p, q = max(p, 0), max(q, 0)
	d.TV += math.Abs(p-q) / 2
	m := (p + q) / 2
	if p > 0 {
		d.JS += p * math.Log2(p/m) / 2
	}
	if q > 0 {
		d.JS += q * math.Log2(q/m) / 2
	}
}

// divergence is a token's part of a divergence: p and q are its probabilities,
// negative where it is cut.
func divergence(p, q float64) float64 {
	switch {
	case p < 0:
		return 0
	case q < 0:
		return math.Inf(1)
	case p == 0:
		return 0
	case q == 0: // it stays, with less than a float holds
		return p * (math.Log2(p) - math.Log2(math.SmallestNonzeroFloat64))
	}
	return p * math.Log2(p/q)
}

// TotalVariation returns half the sum of the differences between two laws: 0
// for equal ones, 1 for ones with no token in common.
func TotalVariation(a, b *Dist) float64 {
	var m Meter
	return m.Between(a, b).TV
}

// Distances are what the distances at the steps of a text come to. The zero
// value is ready. Means that nothing goes into are NaN.
type Distances struct {
	Steps              int
	ImpossibleAB       int // steps where A allows a token that B cuts: KL of A from B is infinite
	ImpossibleBA       int
	SameTop            int // steps with the same most probable token
	LargestTV          float64
	LargestAt          int // the step of the largest TV; 0 if all are 0
	FirstAB, FirstBA   int // the first impossible step each way; 0 for none
	tv, js, klAB, klBA float64
}

// Add counts a step by its number, from 1.
func (s *Distances) Add(step int, d Distance) {
	s.Steps++
	s.tv += d.TV
	s.js += d.JS
	if d.TV > s.LargestTV {
		s.LargestTV, s.LargestAt = d.TV, step
	}
	if d.SameTop() {
		s.SameTop++
	}
	for _, way := range [...]struct {
		kl                float64
		sum               *float64
		impossible, first *int
	}{{d.KLab, &s.klAB, &s.ImpossibleAB, &s.FirstAB}, {d.KLba, &s.klBA, &s.ImpossibleBA, &s.FirstBA}} {
		if !math.IsInf(way.kl, 1) {
			*way.sum += way.kl
			continue
		}
		if *way.impossible++; *way.first == 0 {
			*way.first = step
		}
	}
}

// TV and JS are means over all steps. KLab and KLba are means over the steps
// where they are finite, in bits.
func (s *Distances) TV() float64   { return meanOf(s.tv, s.Steps) }
func (s *Distances) JS() float64   { return meanOf(s.js, s.Steps) }
func (s *Distances) KLab() float64 { return meanOf(s.klAB, s.Steps-s.ImpossibleAB) }
func (s *Distances) KLba() float64 { return meanOf(s.klBA, s.Steps-s.ImpossibleBA) }

func meanOf(sum float64, n int) float64 {
	if n == 0 {
		return math.NaN()
	}
	return sum / float64(n)
}
