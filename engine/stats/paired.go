package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// A Pairs counts prompts with one text from each of two settings by which of
// them passed.
type Pairs struct{ Both, OnlyA, OnlyB, Neither int }

// N returns the number of prompts.
func (p Pairs) N() int { return p.Both + p.OnlyA + p.OnlyB + p.Neither }

// PairedShare returns the share of A minus the share of B with the interval
// of Newcombe (1998), method 10, and the p of the exact test of McNemar: how
// often the prompts on which the two differ part at least so unevenly by
// chance. It panics if a count is negative.
func PairedShare(c Pairs) (Estimate, float64) {
	if c.N() == 0 {
		return None, math.NaN()
	}
	for _, n := range []int{c.Both, c.OnlyA, c.OnlyB, c.Neither} {
		if n < 0 {
			panic("stats: a count is negative")
		}
	}
	return newcombe(float64(c.Both), float64(c.OnlyA), float64(c.OnlyB), float64(c.Neither)), mcNemar(c.OnlyA, c.OnlyB)
}

// newcombe is the interval of [PairedShare], of numbers that need not be whole.
func newcombe(both, onlyA, onlyB, neither float64) Estimate {
	n := both + onlyA + onlyB + neither
	a, b := wilson(both+onlyA, n), wilson(both+onlyB, n)
	diff := a.Value - b.Value
	phi := correlation(both, onlyA, onlyB, neither)
	half := func(x, y float64) float64 { return math.Sqrt(max(0, x*x-2*phi*x*y+y*y)) }
	return Estimate{
		Value: diff,
		Low:   diff - half(a.Value-a.Low, b.High-b.Value),
		High:  diff + half(a.High-a.Value, b.Value-b.Low),
		N:     a.N,
	}
}

// correlation is that of the two shares, lessened where it is positive by the
// correction for continuity of method 10; 0 where a margin is empty.
func correlation(both, a, b, neither float64) float64 {
	margins := (both + a) * (b + neither) * (both + b) * (a + neither)
	if margins == 0 {
		return 0
	}
	x := both*neither - a*b
	if x > 0 {
		x = max(0, x-(both+a+b+neither)/2)
	}
	return x / math.Sqrt(margins)
}

func mcNemar(a, b int) float64 {
	if a == b {
		return 1
	}
	return min(1, 2*distuv.Binomial{N: float64(a + b), P: 0.5}.CDF(float64(min(a, b))))
}

// PairedMean returns the mean of the differences with the interval of t, and
// the p of the t test that it is 0. One difference has neither. Differences
// that are all the same have an interval of no width, and p 0 unless they are
// 0.
func PairedMean(differences []float64) (Estimate, float64) {
	e := MeanT(differences)
	if e.N < 2 {
		return e, math.NaN()
	}
	_, sd := moments(differences)
	switch {
	case e.Value == 0:
		return e, 1
	case sd == 0:
		return e, 0
	}
	return e, tTwoSided(e.Value/sd*math.Sqrt(float64(e.N)), float64(e.N-1))
}

// Holm returns p adjusted for their number by the method of Holm (1979): each
// may be compared with the level itself.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	sortBy(order, func(i int) float64 { return p[i] })
	out := make([]float64, len(p))
	worst := 0.0
	for rank, i := range order {
		worst = max(worst, min(1, p[i]*float64(len(p)-rank)))
		out[i] = worst
	}
	return out
}

// Needed returns how many prompts would be needed to see a mean difference
// at a two-sided level (normal approximation), given the standard deviation
// of the differences. It is +Inf for a difference of 0.
func Needed(sd, difference, power, level float64) float64 {
	if difference == 0 {
		return math.Inf(1)
	}
	z := distuv.UnitNormal.Quantile(1-level/2) + distuv.UnitNormal.Quantile(power)
	x := z * sd / difference
	return max(1, math.Ceil(x*x))
}
