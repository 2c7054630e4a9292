package watermark

import (
	"fmt"
	"math"
)

// A Colour is what the detector sees in a token.
type Colour uint8

const (
	Unscored Colour = iota // too early in the text, or its leading BOS
	Red
	Green
)

// A Detection is what the detector says of a text.
type Detection struct {
	Colours []Colour // of each token
	Scored  int      // tokens that count
	Greens  int      // of them
	Z       float64  // deviations by which the green ones are too many
}

// DefaultThreshold is the z above which transformers says that a text is
// marked.
const DefaultThreshold = 3.0

// Detect counts the green tokens of a text over a vocabulary. A leading token
// bos does not count; -1 is none. A text that is not longer than the context is
// an error.
func (m *Mark) Detect(tokens []int32, vocab int, bos int32) (Detection, error) {
	d := Detection{Colours: make([]Colour, len(tokens))}
	from := 0
	if len(tokens) > 0 && tokens[0] == bos {
		from = 1
	}
	if n := len(tokens) - from; n < m.Width+1 {
		return d, fmt.Errorf("the text is too short: it has %d of the %d tokens that a watermark with a context of %d needs", n, m.Width+1, m.Width)
	}
	var s Scratch
	with := 0 // the token itself
	if m.Scheme == SelfHash {
		with = 1
	}
	for i := from + m.Width - with; i < len(tokens); i++ {
		context := tokens[i+with-m.Width : i+with]
		d.Scored++
		if d.Colours[i] = Red; m.Green(&s, context, vocab, tokens[i]) {
			d.Colours[i] = Green
			d.Greens++
		}
	}
	d.Z = m.Z(d.Greens, d.Scored)
	return d, nil
}

// Z returns by how many standard deviations the green tokens are more than the
// ratio of all n.
func (m *Mark) Z(green, n int) float64 {
	return (float64(green) - m.Ratio*float64(n)) / math.Sqrt(float64(n)*m.Ratio*(1-m.Ratio))
}

// P returns the p-value as transformers computes it: an approximation of the
// normal tail, which it replaces by 0 where it is small.
func (d Detection) P() float64 {
	sign := 0.0
	switch {
	case d.Z > 0:
		sign = 1
	case d.Z < 0:
		sign = -1
	}
	return 1 - (1+sign*(1-math.Exp(-2*d.Z*d.Z/math.Pi)))/2
}

// PNormal returns the p-value as it is: the chance that a text without a mark
// has a z at least as large, were z normal.
func (d Detection) PNormal() float64 { return tail(d.Z) }

// tail returns the chance of a normal deviate above z.
func tail(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }
