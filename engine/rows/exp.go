package rows

import (
	"math"

	"logitscope/sampling/simd"
)

// wide is the width of a row from which its exponentials are taken in float32
// and only summed in float64. Their errors are as often up as down, so the
// logarithm of the sum stays good to about 1e-8, where the logits themselves
// are float32 numbers good to 1e-7 or worse; and it takes a fifth of the time.
const wide = 1024

// logSumExp returns the logarithm of the sum of exp(x). No x may exceed top,
// which is finite, or be NaN.
func (rd *Reader) logSumExp(x []float32, top float32) float64 {
	if len(x) < wide {
		return float64(top) + math.Log(sumExp(x, float64(top)))
	}
	rd.exps = Resize(rd.exps, len(x))
	sum, _ := simd.Exp(rd.exps, x, top)
	return float64(top) + math.Log(sum)
}

// expSteps is the number of steps that one doubling is cut into.
const expSteps = 64

// powers[i] is 2^(i/expSteps).
var powers = func() (t [expSteps]float64) {
	for i := range t {
		t[i] = math.Exp2(float64(i) / expSteps)
	}
	return t
}()

// sumExp returns the sum of exp(x-top) in float64. No x may exceed top or be
// NaN. Each term is a power from the table times a polynomial for what is
// left, |r| <= ln 2/128, where the first term left out is below 1e-16: as good
// as math.Exp in a third of the time, and a row has one term for every token
// of the vocabulary.
func sumExp(x []float32, top float64) float64 {
	const (
		scale = expSteps / math.Ln2
		hi    = math.Ln2 / expSteps
		least = -700 // below it exp is nothing beside the 1 of the top
		shift = 1 << 20
	)
	var sum float64
	for _, v := range x {
		d := float64(v) - top
		if d < least {
			continue
		}
		n := int(d*scale - 0.5) // to the nearest: d is not positive
		r := d - float64(n)*hi
		rr := r * r
		p := (1 + r) + rr*((1.0/2+r*(1.0/6))+rr*(1.0/24+r*(1.0/120)))
		e := (n + shift*expSteps) / expSteps // rounds down
		sum += powers[n&(expSteps-1)] * p * math.Float64frombits(uint64(e-shift+1023)<<52)
	}
	return sum
}
