package stats

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Power is that of the number of prompts that a verdict names.
const Power = 0.8

// A Finding is what a comparison says of B against A.
type Finding uint8

const (
	Unknown Finding = iota // too few prompts for an interval
	Same                   // not distinguishable
	More                   // B has more
	Less                   // B has less
)

// A Verdict is the comparison of a config B with a base A on common prompts.
type Verdict struct {
	Finding  Finding
	Diff     Estimate // of B minus A; N is the number of prompts
	P        float64  // of the test that there is no difference
	Adjusted float64  // P after Holm, among the verdicts judged together
	Needed   float64  // prompts to see a difference this small; +Inf for one of 0, 0 where one was found
}

// Found reports whether there is a difference.
func (v Verdict) Found() bool { return v.Finding == More || v.Finding == Less }

// A Contrast is what a verdict is judged by.
type Contrast struct {
	Diff Estimate
	P    float64
	SD   float64 // of the per-prompt differences
}

// ContrastMeans compares two configs by the per-prompt differences of B and
// A. A mean that is less than rounding leaves is 0.
func ContrastMeans(differences []float64) Contrast {
	e, p := PairedMean(differences)
	_, sd := moments(differences)
	if math.Abs(e.Value) <= rounding*sd {
		e.Value, p = 0, 1
	}
	return Contrast{e, p, sd}
}

// ContrastRates compares two configs by the shares of A and B of each prompt,
// by the t of their differences. Where all prompts differ by the same, t has no
// width: the interval is then Newcombe's, as if each prompt had one text of
// each that is drawn, and p is that of the sign test.
func ContrastRates(a, b []float64) Contrast {
	differences := make([]float64, len(a))
	var both, onlyA, onlyB, neither float64
	ahead, behind := 0, 0
	for i := range a {
		d := b[i] - a[i]
		differences[i] = d
		both, onlyA = both+a[i]*b[i], onlyA+a[i]*(1-b[i])
		onlyB, neither = onlyB+(1-a[i])*b[i], neither+(1-a[i])*(1-b[i])
		switch {
		case d > rounding:
			ahead++
		case d < -rounding:
			behind++
		}
	}
	if len(a) < 2 || spread(differences) {
		return ContrastMeans(differences)
	}
	e := newcombe(both, onlyA, onlyB, neither).minus()
	e.Value, e.N = differences[0], len(a)
	return Contrast{e, mcNemar(behind, ahead), 0}
}

// ContrastShares compares two configs with one text a prompt each.
func ContrastShares(c Pairs) Contrast {
	e, p := PairedShare(c)
	n, d := float64(c.N()), float64(c.OnlyB-c.OnlyA)
	sd := math.Sqrt((float64(c.OnlyA+c.OnlyB) - d*d/n) / (n - 1))
	return Contrast{e.minus(), p, sd}
}

// Judge returns the verdicts on contrasts with one base. Nothing is more or
// less where the interval contains 0 or, with several, where the adjusted p is
// 0.05 or more.
func Judge(contrasts []Contrast) []Verdict {
	const level = 1 - Level
	p := make([]float64, 0, len(contrasts))
	for _, c := range contrasts {
		if c.Diff.Bounded() {
			p = append(p, c.P)
		}
	}
	adjusted := Holm(p)
	out := make([]Verdict, len(contrasts))
	for i, c := range contrasts {
		v := Verdict{Diff: c.Diff, P: c.P, Adjusted: math.NaN()}
		if c.Diff.Bounded() {
			v.Adjusted, adjusted = adjusted[0], adjusted[1:]
			v.Finding = Same
			if !c.Diff.Contains(0) && (len(p) < 2 || v.Adjusted < 0.05) {
				v.Finding = More
				if c.Diff.Value < 0 {
					v.Finding = Less
				}
			}
			if v.Finding == Same {
				v.Needed = Needed(c.SD, c.Diff.Value, Power, level/float64(len(p)))
			}
		}
		out[i] = v
	}
	return out
}

// A Quantity says how the values of a metric are written in a verdict.
type Quantity struct {
	More, Less string  // "passes more often", "is longer"
	Unit       string  // after the difference, "points"; may be empty
	Scale      float64 // what differences are multiplied by: 100 for points
	Decimals   int
}

// Number writes a difference, with a minus sign that is one.
func (q Quantity) Number(x float64) string {
	s := strconv.FormatFloat(x*q.Scale, 'f', q.Decimals, 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	return strings.Replace(s, "-", "−", 1)
}

// mostDecimals bounds the digits of a difference that is very small.
const mostDecimals = 9

// hides reports whether one of numbers is written as 0 and is not.
func (q Quantity) hides(numbers ...float64) bool {
	return slices.ContainsFunc(numbers, func(x float64) bool {
		return x != 0 && math.Abs(x*q.Scale) < 0.5*math.Pow10(-q.Decimals)
	})
}

// Signed writes a difference with its sign.
func (q Quantity) Signed(x float64) string {
	s := q.Number(x)
	if !strings.HasPrefix(s, "−") {
		s = "+" + s
	}
	return s
}

// Between writes the difference with its interval: "+6.2 points (2.1 to 10.3)".
// One that was found has as many digits as show that it is not 0.
func (v Verdict) Between(q Quantity) string {
	for v.Found() && q.Decimals < mostDecimals && q.hides(v.Diff.Value, v.Diff.Low, v.Diff.High) {
		q.Decimals++
	}
	value := q.Signed(v.Diff.Value)
	if q.Unit != "" {
		value += " " + q.Unit
	}
	if !v.Diff.Bounded() {
		return value
	}
	return fmt.Sprintf("%s (%s to %s)", value, q.Number(v.Diff.Low), q.Number(v.Diff.High))
}

// Sentence says the verdict on a config of that name.
func (v Verdict) Sentence(name string, q Quantity) string {
	between := v.Between(q)
	prompts := count(float64(v.Diff.N)) + " prompts"
	switch v.Finding {
	case More:
		return fmt.Sprintf("%s %s: %s, %s", name, q.More, between, prompts)
	case Less:
		return fmt.Sprintf("%s %s: %s, %s", name, q.Less, between, prompts)
	case Same:
		switch {
		case v.Diff.Value == 0 || math.IsInf(v.Needed, 0) || v.Needed <= float64(v.Diff.N):
			return fmt.Sprintf("%s: not distinguishable: %s, %s", name, between, prompts)
		}
		return fmt.Sprintf("%s: not distinguishable: %s, %s; about %s prompts would be needed to see a difference this small",
			name, between, prompts, count(math.Max(v.Needed, 2)))
	}
	if v.Diff.N == 1 {
		return name + ": one prompt: says nothing about others"
	}
	return name + ": nothing to compare"
}

// count writes a whole number with commas between its thousands.
func count(x float64) string {
	s := strconv.FormatFloat(x, 'f', 0, 64)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}
