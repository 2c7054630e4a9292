// Package ggml answers: which bits would llama.cpp's CPU backend give? It is
// the arithmetic of llama.cpp's CPU backend, as its build for AVX2 and FMA does
// it one token at a time: the same bits for the same file.
//
// It differs from the exact arithmetic of the packages quant and vec in what
// it rounds and in the order of its sums:
//
//   - The vector of a product with quantised weights is rounded to 8 bits in
//     blocks of 32 or 256, as the type of the weights has it, and that of a
//     product with F16 or BF16 weights to that type. Inside a block the
//     product is one of integers, hence exact.
//   - Sums run in lanes of their own, with fused multiply-add.
//   - Types that llama.cpp interleaves eight rows at a time when it loads
//     them (Q4_0, IQ4_NL, Q4_K) have one sum a row in the place of lanes.
//   - Flash attention keeps its output in half precision.
//
// A batch of llama.cpp's takes other orders here and there; a vector here
// gives the same bits whatever other vectors are with it.
//
// Every routine is plain Go, which defines the bits; assembly repeats them
// where it exists.
package ggml

import "math"

// fma returns a·b+c with one rounding. float32(math.FMA(a, b, c)) would round
// twice.
func fma(a, b, c float32) float32 {
	p, q := float64(a)*float64(b), float64(c) // the product is exact
	s := p + q
	bits := math.Float64bits(s)
	// To round the rounded sum again is harmless unless it lies halfway
	// between two neighbours, or the neighbours are subnormal.
	const below, half, tiny = 1<<29 - 1, 1 << 28, 0x381 << 52
	if bits&below != half && bits<<1>>1 >= tiny {
		return float32(s)
	}
	return float32(roundToOdd(p, q, s))
}

// roundToOdd returns p+q, whose rounded sum is s, with the last bit set if
// the sum is not exact: what it is rounded to next cannot be misled.
func roundToOdd(p, q, s float64) float64 {
	v := s - p
	rest := (p - (s - v)) + (q - v) // what s lacks (Knuth)
	bits := math.Float64bits(s)
	if rest == 0 || rest != rest || bits&1 == 1 {
		return s
	}
	if (rest > 0) == (s > 0) {
		return math.Float64frombits(bits + 1)
	}
	return math.Float64frombits(bits - 1)
}

// lanes are the sums of a product that one register of 256 bits holds.
type lanes [8]float32

// fused adds x times f to each lane.
func (l *lanes) fused(x *[8]int32, f float32) {
	for i, v := range x {
		l[i] = fma(float32(v), f, l[i])
	}
}

// total adds the lanes up as ggml does after products of integers.
func (l *lanes) total() float32 {
	a, b, c, d := l[0]+l[4], l[1]+l[5], l[2]+l[6], l[3]+l[7]
	return (a + c) + (b + d)
}

// pairwise adds them up as ggml does after products of F32 and F16.
func (l *lanes) pairwise() float32 {
	a, b, c, d := l[0]+l[4], l[1]+l[5], l[2]+l[6], l[3]+l[7]
	return (a + b) + (c + d)
}
