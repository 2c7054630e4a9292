package quant

import (
	"fmt"
	"math"
)

// Activations are vectors prepared for products with matrices: n vectors of
// cols values. One may be used for many products, by several goroutines at
// once; its memory is reused by the next Set. The zero value holds none.
type Activations struct {
	n, cols int

	// floats holds each vector padded with zeros to a multiple of 32.
	floats      []float32 // (n, floatStride)
	floatStride int

	// The 16-bit form, for cols a multiple of 32, padded with zeros to a
	// multiple of 256. Blocks of 32 come in pairs, whose halves are
	// interleaved: 16 elements of the even block, 16 of the odd one, then the
	// other 16 of each, so that one wide register covers a pair.
	ints   []int16   // (n, intStride)
	scales []float32 // (n, intStride/32): element = int * scale
	sums   []float32 // (n, intStride/16): sum of 16 ints, times scale

	intStride int
}

// Len returns the number of vectors.
func (a *Activations) Len() int { return a.n }

// Cols returns the length of a vector.
func (a *Activations) Cols() int { return a.cols }

// Set prepares n vectors of cols values each, stored one after the other in
// x. It copies x. It panics if x is shorter than n*cols.
//
// Within a block of 32 values, the 16-bit form of a value that is not finite
// makes every product of the block NaN, and values all below 1e-30 count as
// zero.
func (a *Activations) Set(x []float32, n, cols int) {
	if n < 0 || cols < 0 || len(x) < n*cols {
		panic(fmt.Sprintf("quant: %d values for %d vectors of %d", len(x), n, cols))
	}
	a.n, a.cols = n, cols
	a.floatStride = roundUp(cols, floatLanes)
	a.floats = resize(a.floats, n*a.floatStride)
	for t := range n {
		row := a.floats[t*a.floatStride:][:a.floatStride]
		clear(row[copy(row, x[t*cols:][:cols]):])
	}
	a.intStride = 0
	if cols%blockLen == 0 {
		a.intStride = roundUp(cols, chunkLen)
	}
	a.ints = resize(a.ints, n*a.intStride)
	a.scales = resize(a.scales, n*a.intStride/blockLen)
	a.sums = resize(a.sums, n*a.intStride/groupLen)
	if a.intStride == 0 {
		return
	}
	for t := range n {
		a.quantise(t)
	}
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// resize returns a slice of length n that reuses s where it can. Its contents
// are arbitrary.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// quantise fills the 16-bit form of vector t.
func (a *Activations) quantise(t int) {
	x := a.floats[t*a.floatStride:][:a.cols]
	ints := a.ints[t*a.intStride:][:a.intStride]
	scales := a.scales[t*a.intStride/blockLen:][:a.intStride/blockLen]
	sums := a.sums[t*a.intStride/groupLen:][:a.intStride/groupLen]
	blocks := a.cols / blockLen
	for b := range blocks {
		pair := ints[b/2*2*blockLen:][:2*blockLen]
		scales[b], sums[2*b], sums[2*b+1] = quantiseBlock(pair[b%2*groupLen:], x[b*blockLen:][:blockLen])
	}
	clear(scales[blocks:])
	clear(sums[2*blocks:])
	if blocks%2 == 1 {
		pair := ints[blocks/2*2*blockLen:]
		clear(pair[groupLen : 2*groupLen])
		clear(pair[3*groupLen : 4*groupLen])
	}
	clear(ints[roundUp(blocks, 2)*blockLen:])
}

const (
	maxInt16 = 32767
	tiny     = 1e-30 // below, 32767/x comes near the end of float32
	infBits  = 0x7f800000
)

// quantiseBlock rounds 32 values, half to even, to multiples of 1/32767 of
// the largest. It stores the first 16 at dst[0:] and the others at dst[32:],
// and returns the scale and the sums of both halves.
func quantiseBlock(dst []int16, x []float32) (scale, sum0, sum1 float32) {
	var most uint32 // as bits, so that NaN and infinity are above all else
	for _, v := range x {
		most = max(most, math.Float32bits(v)&^(1<<31))
	}
	var inv float32
	switch top := math.Float32frombits(most); {
	case most >= infBits:
		scale = float32(math.NaN())
	case top >= tiny:
		scale = top / maxInt16
		inv = maxInt16 / top
	}
	var sums [2]int32
	for h := range sums {
		out := dst[h*blockLen:][:groupLen]
		for i, v := range x[h*groupLen:][:groupLen] {
			q := int32(0)
			if inv != 0 {
				q = roundEven(float32(v * inv))
			}
			out[i] = int16(q)
			sums[h] += q
		}
	}
	return scale, float32(sums[0]) * scale, float32(sums[1]) * scale
}

// roundEven rounds |x| < 2^22 to the nearest integer, half to even: adding
// 1.5 * 2^23 leaves no room for a fraction.
func roundEven(x float32) int32 {
	const magic = 3 << 22
	return int32(math.Float32bits(x+magic)) - int32(math.Float32bits(magic))
}
