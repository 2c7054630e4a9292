package score

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"logitscope/engine/stats"
	"logitscope/sampling"
	"logitscope/sampling/dist"
)

// A Summary is what the tokens of a text come to. The zero value is ready. Means
// that nothing goes into are NaN.
type Summary struct {
	Models bool // the second law is of another model
	Keep   int  // how many of the most different steps are kept

	Tokens, Scored int
	Bits           float64 // −log2 p of all scored tokens together, under the model
	Best           int     // tokens that are the model's own best
	A              Cross   // the text under the settings

	// Under a second law:
	B         Cross
	OtherBits float64 // as Bits, under the second law's model
	Distances dist.Distances

	rawSame                     int
	rawKL, bits1, bits2, deltaP []float64 // by token; of two models alone

	// Most are the steps that differ most, most different first, as many as
	// the input asked for.
	Most []Token
}

// A Cross is the likelihood of a text under settings: its tokens that they
// keep, and how many they could not have written.
type Cross struct {
	Kept, Impossible int
	CutBy            map[string]int // how many tokens each stage cut
	bits             float64
}

func (c *Cross) add(g *sampling.Given) {
	if g.Kept {
		c.Kept++
		c.bits -= float64(g.Logprob) / math.Ln2
		return
	}
	c.Impossible++
	if c.CutBy == nil {
		c.CutBy = make(map[string]int)
	}
	c.CutBy[g.CutBy]++
}

// Stages are the stages that cut tokens, those that cut most first.
func (c *Cross) Stages() []string {
	return slices.SortedFunc(maps.Keys(c.CutBy), func(a, b string) int { return cmp.Or(c.CutBy[b]-c.CutBy[a], cmp.Compare(a, b)) })
}

// BitsPerToken is the mean of −log2 p under the settings over the tokens they
// keep.
func (c *Cross) BitsPerToken() float64 { return mean(c.bits, c.Kept) }

// Add counts one token.
func (s *Summary) Add(t *Token, against bool) {
	s.Tokens++
	if !t.Scored {
		return
	}
	s.Scored++
	s.Bits -= float64(t.Of.RawLogprob) / math.Ln2
	if t.Of.Rank == 1 {
		s.Best++
	}
	s.A.add(&t.Of)
	if !against {
		return
	}
	s.B.add(&t.Other)
	s.OtherBits -= float64(t.Other.RawLogprob) / math.Ln2
	s.Distances.Add(t.At, t.Step.Distance)
	if s.Models {
		s.addWeights(t)
	}
	if t.Beside != nil {
		s.addMost(t)
	}
}

func (s *Summary) addWeights(t *Token) {
	if t.Step.SameRaw {
		s.rawSame++
	}
	a, b := float64(t.Of.RawLogprob), float64(t.Other.RawLogprob)
	s.rawKL, s.deltaP = append(s.rawKL, t.Step.RawKL), append(s.deltaP, math.Exp(b)-math.Exp(a))
	s.bits1, s.bits2 = append(s.bits1, -a/math.Ln2), append(s.bits2, -b/math.Ln2)
}

// addMost keeps a step if it is one of the most different.
func (s *Summary) addMost(t *Token) {
	i, _ := slices.BinarySearchFunc(s.Most, t.Step.size(s.Models), func(x Token, size float64) int {
		return cmp.Compare(size, x.Step.size(s.Models))
	})
	s.Most = slices.Insert(s.Most, i, *t)
	s.Most = s.Most[:min(len(s.Most), s.Keep)]
}

func mean(sum float64, n int) float64 {
	if n == 0 {
		return math.NaN()
	}
	return sum / float64(n)
}

// BitsPerToken, BitsPerByte and Perplexity are means under the model; bytes is
// the length of the text. OtherBitsPerToken is that under the second law's
// model.
func (s *Summary) BitsPerToken() float64         { return mean(s.Bits, s.Scored) }
func (s *Summary) BitsPerByte(bytes int) float64 { return mean(s.Bits, bytes) }
func (s *Summary) Perplexity() float64           { return math.Exp2(s.BitsPerToken()) }
func (s *Summary) OtherBitsPerToken() float64    { return mean(s.OtherBits, s.Scored) }

// Weights is how far two models are apart on one text, before any setting: what
// a quantisation or a fine-tune changed. The numbers, their uncertainties and
// percentiles are those of llama.cpp's perplexity tool, whose base is the first
// model and whose Q is the second; divergences are Σ p log₂(p/q) with p of the
// first, in bits.
type Weights struct {
	KL          Spread // of a step
	SameTop     Mean   // share of steps with the same best token
	LogRatio    Mean   // ln(perplexity of the second / of the first)
	DeltaP      Spread // by how much more likely the text's token is under the second
	RMSDeltaP   float64
	Bits, Bits2 Mean // a token
	Correlation float64
}

// A Mean is a mean and the standard error of it.
type Mean struct{ Value, StdErr float64 }

// A Spread is the mean of values and how they are spread.
type Spread struct {
	Mean
	Median, P90, P95, P99, P999 float64
	Least, Most                 float64
}

// Weights returns the distance of the two models.
func (s *Summary) Weights() Weights {
	n := len(s.rawKL)
	w := Weights{KL: spread(s.rawKL), DeltaP: spread(s.deltaP), RMSDeltaP: math.NaN(), Correlation: math.NaN()}
	share := mean(float64(s.rawSame), n)
	w.SameTop = Mean{share, math.Sqrt(share * (1 - share) / float64(max(n-1, 1)))}
	ratios := make([]float64, n)
	for i := range ratios {
		ratios[i] = (s.bits2[i] - s.bits1[i]) * math.Ln2
	}
	w.Bits, w.Bits2, w.LogRatio = meanOf(s.bits1), meanOf(s.bits2), meanOf(ratios)
	if n == 0 {
		return w
	}
	sum, cov := 0.0, 0.0
	for i, d := range s.deltaP {
		sum += d * d
		cov += (s.bits1[i] - w.Bits.Value) * (s.bits2[i] - w.Bits2.Value)
	}
	w.RMSDeltaP = math.Sqrt(sum / float64(n))
	w.Correlation = cov / float64(n) / float64(max(n-1, 1)) / (w.Bits.StdErr * w.Bits2.StdErr)
	return w
}

// meanOf is the mean of values, with the deviation over the root of their number
// less one.
func meanOf(values []float64) Mean {
	n := float64(len(values))
	if n == 0 {
		return Mean{math.NaN(), math.NaN()}
	}
	m, squares := 0.0, 0.0
	for _, x := range values {
		m += x / n
	}
	for _, x := range values {
		squares += (x - m) * (x - m)
	}
	return Mean{m, math.Sqrt(squares / n / max(n-1, 1))}
}

func spread(values []float64) Spread {
	out := Spread{Mean: meanOf(values)}
	if len(values) == 0 {
		nan := math.NaN()
		return Spread{out.Mean, nan, nan, nan, nan, nan, nan, nan}
	}
	sorted := slices.Sorted(slices.Values(values))
	at := func(q float64) float64 { return stats.Quantile(sorted, q) }
	out.Least, out.Median, out.Most = at(0), at(0.5), at(1)
	out.P90, out.P95, out.P99, out.P999 = at(0.9), at(0.95), at(0.99), at(0.999)
	return out
}
