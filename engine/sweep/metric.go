package sweep

import (
	"math"
	"math/rand/v2"
	"slices"

	"logitscope/engine/stats"
)

// A Metric is something measured of the texts of a cell.
type Metric struct {
	Key      string
	Label    string // as the head of a column
	Help     string // one line
	Decimals int    // how many are worth showing

	// of returns what it measures of text i, and how much the text weighs in
	// the mean; weight 0 leaves it out.
	of func(texts []Text, i int) (value, weight float64)
	// last, if not nil, is applied to the mean.
	last func(mean float64) float64
}

// Metrics returns what is measured, in the order of [Cell.Values].
func Metrics() []Metric { return slices.Clone(metrics) }

var metrics = []Metric{
	{Key: "tokens", Label: "tokens", Help: "tokens written, the one that ended the text included",
		of: func(t []Text, i int) (float64, float64) { return float64(len(t[i].Tokens)), 1 }, Decimals: 1},
	{Key: "perplexity", Label: "perplexity", Help: "e to the mean surprise of a token under the raw model",
		of: surprise, last: math.Exp, Decimals: 2},
	{Key: "distinct_1", Label: "distinct-1", Help: "different tokens per token (Li et al. 2016)", of: distinct(1), Decimals: 3},
	{Key: "distinct_2", Label: "distinct-2", Help: "different pairs of tokens per pair", of: distinct(2), Decimals: 3},
	{Key: "distinct_3", Label: "distinct-3", Help: "different triples of tokens per triple", of: distinct(3), Decimals: 3},
	{Key: "self_bleu", Label: "self-BLEU", Help: "how alike the texts are: BLEU-4 of each against the others (Zhu et al. 2018)",
		of: selfBLEU, Decimals: 3},
	{Key: "repeated_4grams", Label: "repeated 4-grams", Help: "share of runs of four tokens that occurred before in the text",
		of: repeated, Decimals: 3},
	{Key: "constraint_failures", Label: "unfit", Help: "share of texts that are not what the constraint asks for",
		of: unfit, Decimals: 3},
}

// surprise is the mean surprise of a token of a text in nats, weighted by its
// length, so that the mean over texts is that over all tokens.
func surprise(t []Text, i int) (float64, float64) {
	n := float64(len(t[i].Tokens))
	if n == 0 {
		return 0, 0
	}
	if t[i].Logprob == nil {
		return math.Inf(1), n
	}
	return -*t[i].Logprob / n, n
}

func distinct(n int) func([]Text, int) (float64, float64) {
	return func(t []Text, i int) (float64, float64) {
		d, count := stats.Distinct(t[i].Tokens, n)
		return d, min(float64(count), 1)
	}
}

func repeated(t []Text, i int) (float64, float64) {
	d, count := stats.Distinct(t[i].Tokens, 4)
	return 1 - d, min(float64(count), 1)
}

func unfit(t []Text, i int) (float64, float64) {
	if t[i].Unfit {
		return 1, 1
	}
	return 0, 1
}

// resamples is how many samples the bootstrap draws.
const resamples = 2000

var noEstimate = Estimate{Mean: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}

// measure returns the estimates of all metrics. constrained says whether a
// constraint was in force.
func measure(texts []Text, constrained bool) []Estimate {
	out := make([]Estimate, len(metrics))
	for k, m := range metrics {
		out[k] = noEstimate
		if m.Key == "constraint_failures" && !constrained {
			continue
		}
		values, weights := []float64{}, []float64{}
		for i := range texts {
			if v, w := m.of(texts, i); w > 0 {
				values, weights = append(values, v), append(weights, w)
			}
		}
		out[k] = estimate(values, weights, m.last)
	}
	return out
}

// estimate returns the weighted mean of values and its interval. The samples
// are drawn with a generator of its own that always starts alike, so the same
// values give the same interval.
func estimate(values, weights []float64, last func(float64) float64) Estimate {
	n := len(values)
	if n == 0 {
		return noEstimate
	}
	if last == nil {
		last = func(x float64) float64 { return x }
	}
	e := Estimate{N: n, Mean: last(mean(values, weights, nil))}
	e.Lo, e.Hi = e.Mean, e.Mean
	if n == 1 {
		return e
	}
	r := rand.New(rand.NewPCG(0x5eed, uint64(n)))
	means := make([]float64, resamples)
	pick := make([]int, n)
	for i := range means {
		for k := range pick {
			pick[k] = r.IntN(n)
		}
		means[i] = last(mean(values, weights, pick))
	}
	slices.Sort(means)
	e.Lo, e.Hi = quantile(means, 0.025), quantile(means, 0.975)
	return e
}

// mean returns the weighted mean of the values that pick names, all if it is
// nil.
func mean(values, weights []float64, pick []int) float64 {
	sum, weight := 0.0, 0.0
	add := func(i int) {
		sum += values[i] * weights[i]
		weight += weights[i]
	}
	if pick == nil {
		for i := range values {
			add(i)
		}
	}
	for _, i := range pick {
		add(i)
	}
	return sum / weight
}

// quantile returns the q-quantile of sorted values, between two of them by
// their distance (type 7 of Hyndman and Fan 1996).
func quantile(sorted []float64, q float64) float64 {
	x := q * float64(len(sorted)-1)
	i := int(x)
	if i+1 >= len(sorted) || sorted[i] == sorted[i+1] {
		return sorted[i]
	}
	return sorted[i] + (x-float64(i))*(sorted[i+1]-sorted[i])
}
