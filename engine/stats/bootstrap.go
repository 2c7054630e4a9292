package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Resamples is how many samples a bootstrap draws.
const Resamples = 2000

// FewTexts is the number of texts below which resampled intervals fall short
// of [Level]; a report says so beside them.
const FewTexts = 20

// Bootstrap returns what of measures of n observations with the BCa interval
// (Efron 1987), which corrects for bias and skewness. The same seed gives the
// same interval.
func Bootstrap(n int, seed uint64, of Measure) Estimate {
	e, draws := resample(n, seed, of)
	if draws == nil {
		return e
	}
	below := 0.0
	for _, d := range draws {
		switch {
		case d < e.Value:
			below++
		case d == e.Value:
			below += 0.5
		}
	}
	share := min(max(below, 0.5), float64(len(draws))-0.5) / float64(len(draws))
	bias, skew := distuv.UnitNormal.Quantile(share), acceleration(n, of)
	at := func(p float64) float64 {
		z := bias + distuv.UnitNormal.Quantile(p)
		return Quantile(draws, distuv.UnitNormal.CDF(bias+z/(1-skew*z)))
	}
	e.Low, e.High = at(0.025), at(0.975)
	return e
}

// acceleration is the skewness of the jackknife over 6.
func acceleration(n int, of Measure) float64 {
	left := make([]float64, n)
	pick := make([]int, n-1)
	sum := 0.0
	for out := range n {
		for k := range pick {
			pick[k] = k
			if k >= out {
				pick[k]++
			}
		}
		left[out] = of(pick)
		sum += left[out]
	}
	mean, square, cube := sum/float64(n), 0.0, 0.0
	for _, x := range left {
		d := mean - x
		square += d * d
		cube += d * d * d
	}
	if square == 0 {
		return 0
	}
	return cube / (6 * math.Pow(square, 1.5))
}

// ResampleTexts returns what of measures of n texts with an interval from
// resampled texts, for what is not a mean over them. A
// sample with repeated texts is less diverse than any n texts the model would
// write, so the deviations of the samples from their own mean are laid around
// the estimate.
func ResampleTexts(n int, seed uint64, of Measure) Estimate {
	e, draws := resample(n, seed, of)
	if draws == nil {
		return e
	}
	mean := 0.0
	for _, d := range draws {
		mean += d / float64(len(draws))
	}
	e.Low, e.High = e.Value+Quantile(draws, 0.025)-mean, e.Value+Quantile(draws, 0.975)-mean
	return e
}

// resample returns the estimate without an interval, and that of each of
// [Resamples] samples in rising order; nil where there is nothing to draw
// from. Samples of which there is nothing to measure are drawn again.
func resample(n int, seed uint64, of Measure) (Estimate, []float64) {
	if n == 0 {
		return None, nil
	}
	e := Estimate{of(nil), math.NaN(), math.NaN(), n}
	if n == 1 || !e.Known() || math.IsInf(e.Value, 0) {
		return e, nil
	}
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	pick := make([]int, n)
	draws := make([]float64, 0, Resamples)
	for tries := 0; len(draws) < Resamples; tries++ {
		if tries == 10*Resamples {
			return e, nil
		}
		for k := range pick {
			pick[k] = r.IntN(n)
		}
		if d := of(pick); !math.IsNaN(d) {
			draws = append(draws, d)
		}
	}
	slices.Sort(draws)
	return e, draws
}

// Quantile returns the q-quantile of sorted values, between two of them by
// their distance (type 7 of Hyndman and Fan 1996).
func Quantile(sorted []float64, q float64) float64 {
	x := q * float64(len(sorted)-1)
	i := int(x)
	if i+1 >= len(sorted) || sorted[i] == sorted[i+1] {
		return sorted[min(i, len(sorted)-1)]
	}
	return sorted[i] + (x-float64(i))*(sorted[i+1]-sorted[i])
}

// sortBy sorts indices by a key, equal ones in their order.
func sortBy[K cmp.Ordered](order []int, key func(i int) K) {
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(key(a), key(b)) })
}
