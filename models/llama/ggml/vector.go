package ggml

import (
	"math"

	"logitscope/models/llama/vec"
)

// RMSNorm sets dst to x divided by its root mean square and multiplied by w,
// element by element. Squares are rounded to float32 and added up in double.
// dst may be x.
func RMSNorm(dst, x, w []float32, eps float32) {
	var sum float64
	for _, v := range x {
		sum += float64(float32(v * v))
	}
	mean := float32(sum / float64(len(x)))
	scale := 1 / float32(math.Sqrt(float64(mean+eps)))
	dst, w = dst[:len(x)], w[:len(x)]
	for i, v := range x {
		dst[i] = float32(v*scale) * w[i]
	}
}

// SiluMul multiplies up by SiLU(gate) = gate/(1+exp(-gate)), element by
// element of gate, and puts the result in gate.
func SiluMul(gate, up []float32) {
	up = up[:len(gate)]
	body := len(gate) / Width * Width
	siluMul(gate[:body], up[:body])
	for i := body; i < len(gate); i++ {
		gate[i] = gate[i] / (1 + exp(-gate[i])) * up[i]
	}
}

func siluMulPlain(gate, up []float32) {
	for i, g := range gate {
		gate[i] = g / (1 + expVector(-g)) * up[i]
	}
}

// Width is the number of elements in a register. Vectors that llama.cpp pads,
// such as scores, must be padded to it.
const Width = 8

// Softmax replaces logits by probabilities. Sums of eight exponentials are
// float32, their sum double. An empty x stays empty.
func Softmax(x []float32) {
	top := vec.Max(x)
	body := len(x) / Width * Width
	sum := expSum(x[:body], top)
	for i := body; i < len(x); i++ {
		x[i] = exp(x[i] - top)
		sum += float64(x[i])
	}
	vec.Scale(x, float32(1/sum))
}

// expSumPlain replaces each element by its exponential after taking top off,
// and returns the sum of the registers' sums.
func expSumPlain(x []float32, top float32) (sum float64) {
	for i := 0; i < len(x); i += Width {
		e := (*[Width]float32)(x[i:])
		for j, v := range e {
			e[j] = expVector(v - top)
		}
		l := lanes(*e)
		sum += float64(l.total())
	}
	return sum
}

// expVector is one element of ggml's exponential in vectors, within 2 units
// in the last place.
func expVector(x float32) float32 {
	const (
		magic = 0x1.8p23
		log2e = 0x1.715476p+0
		hi    = 0x1.62e4p-1
		lo    = 0x1.7f7d1cp-20
		c1    = 0x1.ffffecp-1
		c2    = 0x1.fffdb6p-2
		c3    = 0x1.555e66p-3
		c4    = 0x1.573e2ep-5
		c5    = 0x1.0e4020p-7
	)
	z := fma(x, log2e, magic)
	n := z - magic
	b := fma(-n, lo, fma(-n, hi, x))
	e := math.Float32bits(z) << 23
	u := b * b
	j := fma(fma(fma(c5, b, c4), u, fma(c3, b, c2)), u, float32(c1*b))
	abs := float32(math.Abs(float64(n)))
	if !(abs > 126) {
		k := math.Float32frombits(e + 0x3f800000)
		return fma(k, j, k)
	}
	// The power of two does not fit in one factor.
	g := uint32(0)
	if n <= 0 {
		g = 0x82000000
	}
	s1 := math.Float32frombits(g + 0x7f000000)
	if abs > 192 {
		return s1 * s1
	}
	s2 := math.Float32frombits(e - g)
	return fma(s2, j, s2) * s1
}
