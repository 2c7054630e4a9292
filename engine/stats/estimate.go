package stats

import (
	"encoding/json"
	"math"

	"gonum.org/v1/gonum/stat"
)

// Level is the share of all intervals that contain what they estimate.
const Level = 0.95

// NormalFrom is the number of values from which on [Mean] takes the normal
// quantile for that of t.
const NormalFrom = 200

// An Estimate is a value with its interval at [Level] and the number of
// observations behind it: texts for a share of texts, prompts where texts are
// clustered by prompt. Value is NaN where nothing was observed, Low and High
// where there is no interval. Intervals of t may leave the range of the
// quantity.
type Estimate struct {
	Value, Low, High float64
	N                int
}

// None is the estimate of nothing.
var None = Estimate{Value: math.NaN(), Low: math.NaN(), High: math.NaN()}

// Known reports whether there is a value.
func (e Estimate) Known() bool { return !math.IsNaN(e.Value) }

// Bounded reports whether there is an interval.
func (e Estimate) Bounded() bool { return !math.IsNaN(e.Low) && !math.IsNaN(e.High) }

// Contains reports whether x lies in the interval.
func (e Estimate) Contains(x float64) bool { return e.Low <= x && x <= e.High }

// minus returns the estimate of the negative.
func (e Estimate) minus() Estimate { return Estimate{0 - e.Value, 0 - e.High, 0 - e.Low, e.N} } // no -0

// Map returns the estimate under a rising function.
func (e Estimate) Map(f func(float64) float64) Estimate {
	return Estimate{f(e.Value), f(e.Low), f(e.High), e.N}
}

// MarshalJSON writes numbers that are not finite as null.
func (e Estimate) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Value *float64 `json:"estimate"`
		Low   *float64 `json:"low"`
		High  *float64 `json:"high"`
		N     int      `json:"n"`
	}{finite(e.Value), finite(e.Low), finite(e.High), e.N})
}

func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// Wilson returns the share k of n independent texts with the score interval
// of Wilson (1927). It panics unless 0 ≤ k ≤ n.
func Wilson(k, n int) Estimate {
	if k < 0 || k > n {
		panic("stats: a share needs 0 ≤ k ≤ n")
	}
	if n == 0 {
		return None
	}
	return wilson(float64(k), float64(n))
}

// wilson is [Wilson] of a number that need not be whole: a sum of shares.
func wilson(k, m float64) Estimate {
	p := k / m
	z2 := z975 * z975
	middle := (p + z2/(2*m)) / (1 + z2/m)
	half := z975 / (1 + z2/m) * math.Sqrt(p*(1-p)/m+z2/(4*m*m))
	e := Estimate{p, max(0, middle-half), min(1, middle+half), int(m)}
	if k == 0 {
		e.Low = 0
	}
	if k == m {
		e.High = 1
	}
	return e
}

// Mean returns the mean of values with the interval of t, or of the normal
// law from [NormalFrom] values on. One value has no interval.
func Mean(values []float64) Estimate {
	if len(values) >= NormalFrom {
		return mean(values, z975)
	}
	return MeanT(values)
}

// MeanT returns the mean of values, such as prompts' shares, with the interval
// of t, however many there are. One value has no interval.
func MeanT(values []float64) Estimate {
	if len(values) < 2 {
		return mean(values, math.NaN())
	}
	return mean(values, tQuantile(0.975, float64(len(values)-1)))
}

// mean returns the mean of values, and quantile standard errors around it.
func mean(values []float64, quantile float64) Estimate {
	if len(values) == 0 {
		return None
	}
	m, sd := moments(values)
	if len(values) == 1 {
		return Estimate{m, math.NaN(), math.NaN(), 1}
	}
	half := quantile * sd / math.Sqrt(float64(len(values)))
	return Estimate{m, m - half, m + half, len(values)}
}

// moments returns the mean and the standard deviation (n-1) of values. They
// are scaled first, so that no square is too large.
func moments(values []float64) (mean, sd float64) {
	top := 0.0
	for _, v := range values {
		top = max(top, math.Abs(v))
	}
	if math.IsNaN(top) || math.IsInf(top, 0) {
		return stat.Mean(values, nil), math.NaN()
	}
	_, e := math.Frexp(top)
	scaled := make([]float64, len(values))
	for i, v := range values {
		scaled[i] = math.Ldexp(v, -e)
	}
	mean, sd = stat.MeanStdDev(scaled, nil)
	return math.Ldexp(mean, e), math.Ldexp(sd, e)
}

// Clustered returns the share that holds over prompts with several texts
// each: the mean of the prompts' shares with the interval of t, where a prompt
// counts once however many texts it has (Miller 2024). With one prompt it is
// [Wilson] over its texts, which says nothing about other prompts. Prompts
// without texts are left out.
func Clustered(prompts [][]bool) Estimate {
	shares := shares(prompts)
	if len(shares) != 1 {
		return MeanT(shares)
	}
	k, n := 0, 0
	for _, p := range prompts {
		for _, ok := range p {
			n++
			if ok {
				k++
			}
		}
	}
	return Wilson(k, n)
}

// OverPrompts returns the mean of what holds of each prompt, with the interval
// of t, as [Clustered] does. Where each prompt has the same share, t has no
// width and would be certain of what no prompt said: the interval is then
// Wilson's over the prompts.
func OverPrompts(shares []float64) Estimate {
	if e := MeanT(shares); e.N < 2 || spread(shares) {
		return e
	}
	return wilson(shares[0]*float64(len(shares)), float64(len(shares)))
}

// spread reports whether shares, or differences of them, differ by more than
// rounding.
func spread(shares []float64) bool {
	_, sd := moments(shares)
	return !(sd <= rounding)
}

// rounding is what a sum of numbers about 1 may be off by.
const rounding = 1e-12

// shares returns the share that holds of each prompt with texts.
func shares(prompts [][]bool) []float64 {
	var out []float64
	for _, p := range prompts {
		if len(p) == 0 {
			continue
		}
		k := 0
		for _, ok := range p {
			if ok {
				k++
			}
		}
		out = append(out, float64(k)/float64(len(p)))
	}
	return out
}
