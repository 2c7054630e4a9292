package score

import (
	"math"
	"slices"
)

// A Summary is what the tokens of a text come to. Means that nothing goes into
// are NaN.
type Summary struct {
	Tokens, Scored, Impossible int
	Bits                       float64 // −log2 p of all scored tokens together, under the model
	FinalBits                  float64 // the same under the settings, of the tokens that are kept
	Kept                       int

	OtherImpossible, OtherKept int
	OtherFinalBits             float64
	OtherBits                  float64 // as Bits, under the second law's model

	tv, js, klAB, klBA float64
	finiteAB, finiteBA int
	same, rawSame      int
	rawKL              []float64
}

// Add counts one token.
func (s *Summary) Add(t Token, against bool) {
	s.Tokens++
	if !t.Scored {
		return
	}
	s.Scored++
	s.Bits -= t.Logprob / math.Ln2
	if t.Kept {
		s.Kept++
		s.FinalBits -= math.Log2(t.Final)
	} else {
		s.Impossible++
	}
	if !against {
		return
	}
	if t.OtherKept {
		s.OtherKept++
		s.OtherFinalBits -= math.Log2(t.OtherFinal)
	} else {
		s.OtherImpossible++
	}
	s.OtherBits -= t.OtherLog / math.Ln2
	s.tv += t.Step.TV
	s.js += t.Step.JS
	if !math.IsInf(t.Step.KLab, 1) {
		s.finiteAB++
		s.klAB += t.Step.KLab
	}
	if !math.IsInf(t.Step.KLba, 1) {
		s.finiteBA++
		s.klBA += t.Step.KLba
	}
	if t.Step.SameTop {
		s.same++
	}
	if t.Step.RawTop {
		s.rawSame++
	}
	s.rawKL = append(s.rawKL, t.Step.RawKL)
}

func mean(sum float64, n int) float64 {
	if n == 0 {
		return math.NaN()
	}
	return sum / float64(n)
}

// BitsPerToken, BitsPerByte and Perplexity are means under the model; bytes is
// the length of the text.
func (s *Summary) BitsPerToken() float64         { return mean(s.Bits, s.Scored) }
func (s *Summary) BitsPerByte(bytes int) float64 { return mean(s.Bits, bytes) }
func (s *Summary) Perplexity() float64           { return math.Exp2(s.BitsPerToken()) }

// FinalBitsPerToken is the mean under the settings, over the tokens they keep;
// OtherFinalBitsPerToken is that under the second law.
func (s *Summary) FinalBitsPerToken() float64      { return mean(s.FinalBits, s.Kept) }
func (s *Summary) OtherFinalBitsPerToken() float64 { return mean(s.OtherFinalBits, s.OtherKept) }

// OtherBitsPerToken is the mean under the second law's model.
func (s *Summary) OtherBitsPerToken() float64 { return mean(s.OtherBits, s.Scored) }

// A Distance is how far two laws are apart on one text. Divergences are means
// over the steps where they are finite, in bits, NaN where they nowhere are.
type Distance struct {
	TV, JS                     float64 // means over all steps
	KLab, KLba                 float64
	ImpossibleAB, ImpossibleBA int     // steps where A allows a token that B cuts, and the reverse
	SameTop                    float64 // share of steps with the same most probable token
}

// Distance returns the distance of the two laws.
func (s *Summary) Distance() Distance {
	return Distance{
		TV: mean(s.tv, s.Scored), JS: mean(s.js, s.Scored), KLab: mean(s.klAB, s.finiteAB), KLba: mean(s.klBA, s.finiteBA),
		ImpossibleAB: s.Scored - s.finiteAB, ImpossibleBA: s.Scored - s.finiteBA, SameTop: mean(float64(s.same), s.Scored),
	}
}

// Weights is how far two models are apart on one text, before any setting: what
// a quantisation or a fine-tune changed. Divergences are of the first from the
// second, in bits.
type Weights struct {
	Mean, StdErr      float64
	Median, P99, Most float64
	SameTop           float64 // share of steps with the same best token
}

// Weights returns the distance of the two models.
func (s *Summary) Weights() Weights {
	n := len(s.rawKL)
	if n == 0 {
		nan := math.NaN()
		return Weights{nan, nan, nan, nan, nan, nan}
	}
	sorted := slices.Sorted(slices.Values(s.rawKL))
	w := Weights{SameTop: mean(float64(s.rawSame), n), Median: quantile(sorted, 0.5), P99: quantile(sorted, 0.99), Most: sorted[n-1]}
	for _, x := range sorted {
		w.Mean += x / float64(n)
	}
	squares := 0.0
	for _, x := range sorted {
		squares += (x - w.Mean) * (x - w.Mean)
	}
	w.StdErr = math.Sqrt(squares / float64(max(n-1, 1)) / float64(n))
	return w
}

// quantile of sorted values, with linear interpolation between neighbours.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}
