package speculative

import (
	"math"
	"slices"
)

// chiSquare returns Pearson's statistic of the counts against the target
// probabilities and its degrees of freedom. Tokens expected fewer than five
// times are taken together; tokens the target never gives are left out (one of
// them is proof enough).
func chiSquare(rows []ProofRow, draws int) (stat float64, freedom int) {
	const least = 5
	sorted := slices.Clone(rows)
	slices.SortFunc(sorted, func(a, b ProofRow) int {
		switch {
		case a.Target > b.Target:
			return -1
		case a.Target < b.Target:
			return 1
		}
		return int(a.Token) - int(b.Token)
	})
	cells := 0
	var pooled, seen float64
	add := func(expected, count float64) {
		stat += (count - expected) * (count - expected) / expected
		cells++
	}
	for _, r := range sorted {
		e := r.Target * float64(draws)
		switch {
		case r.Target <= 0:
		case e >= least:
			add(e, float64(r.Count))
		default:
			pooled += e
			seen += float64(r.Count)
			if pooled >= least {
				add(pooled, seen)
				pooled, seen = 0, 0
			}
		}
	}
	if pooled >= 1 {
		add(pooled, seen)
	}
	return stat, max(cells-1, 0)
}

// upperTail returns the probability that a chi-square variable of the given
// degrees of freedom exceeds x.
func upperTail(x float64, freedom int) float64 {
	if x <= 0 {
		return 1
	}
	return gammaQ(float64(freedom)/2, x/2)
}

// gammaQ is the regularised upper incomplete gamma function, by its series
// below a+1 and its continued fraction above.
func gammaQ(a, x float64) float64 {
	lg, _ := math.Lgamma(a)
	scale := math.Exp(-x + a*math.Log(x) - lg)
	if x < a+1 {
		sum, term := 1/a, 1/a
		for n := a + 1; term > sum*1e-16; n++ {
			term *= x / n
			sum += term
		}
		return max(0, 1-sum*scale)
	}
	const tiny = 1e-300
	b := x + 1 - a
	c := 1 / tiny
	d := 1 / b
	h := d
	for i := 1.0; i < 10000; i++ {
		an := -i * (i - a)
		b += 2
		if d = an*d + b; math.Abs(d) < tiny {
			d = tiny
		}
		if c = b + an/c; math.Abs(c) < tiny {
			c = tiny
		}
		d = 1 / d
		h *= d * c
		if math.Abs(d*c-1) < 1e-15 {
			break
		}
	}
	return scale * h
}
