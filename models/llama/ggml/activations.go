package ggml

import (
	"fmt"
	"math"

	"logitscope/models/gguf"
	"logitscope/models/llama/vec"
)

// A kind is the form that vectors take for a product; which one the type of
// the weights says.
type kind uint8

const (
	f32  kind = iota
	f16       // rounded to half precision
	bf16      // rounded to bfloat16
	q8_0      // 8 bits, a scale for each 32
	q8_1      // the same, with the sum of each 32
	q8_K      // 8 bits, a scale for each 256, with the sum of each 16
	kinds
)

// A vector is one vector in the form of a kind. Elements that the kind does
// not have are nil.
type vector struct {
	f    []float32 // (cols) the values as rounded
	q    []int8    // (cols) 8-bit values
	d    []float32 // (blocks) scales
	s    []float32 // (blocks) q8_1: scale times sum
	sums []int16   // (cols/16) sums of q
}

// Activations are n vectors of cols values, from which each product takes the
// form it needs. Its memory is reused by the next Set. The zero value holds
// none.
type Activations struct {
	n, cols int
	x       []float32
	forms   [kinds]form
}

// A form is all vectors in the form of one kind.
type form struct {
	ready bool
	cols  int
	f     []float32
	q     []int8
	d, s  []float32
	sums  []int16

	raised []uint8   // q8_0: q plus 128
	d4     []float32 // q8_0, q8_K: d of four vectors for a block, then for the next
	totals []int32   // q8_0: sums of each 32 of q
	sums32 []int16   // q8_K: sums of each 32 of q
}

// Len returns the number of vectors.
func (a *Activations) Len() int { return a.n }

// Cols returns the length of a vector.
func (a *Activations) Cols() int { return a.cols }

// Set takes n vectors of cols values each, stored one after the other in x,
// which it copies. It panics if x is shorter than n*cols.
func (a *Activations) Set(x []float32, n, cols int) {
	if n < 0 || cols < 0 || len(x) < n*cols {
		panic(fmt.Sprintf("ggml: %d values for %d vectors of %d", len(x), n, cols))
	}
	a.n, a.cols = n, cols
	a.x = append(a.x[:0], x[:n*cols]...)
	for k := range a.forms {
		a.forms[k].ready = false
	}
}

// Prepare makes the vectors ready for products with weights of type t, which
// must be one of [Types]. No product may be under way.
func (a *Activations) Prepare(t gguf.Type) {
	k := products[t].kind
	if f := &a.forms[k]; !f.ready {
		converters[k](f, a.x, a.cols)
		f.ready, f.cols = true, a.cols
	}
}

// vector returns vector t in the form of a kind.
func (a *Activations) vector(k kind, t int) (v vector) {
	f := &a.forms[k]
	part := func(n int) (lo, hi int) { return t * n / a.n, (t + 1) * n / a.n }
	lo, hi := part(len(f.f))
	v.f = f.f[lo:hi]
	lo, hi = part(len(f.q))
	v.q = f.q[lo:hi]
	lo, hi = part(len(f.d))
	v.d = f.d[lo:hi]
	lo, hi = part(len(f.s))
	v.s = f.s[lo:hi]
	lo, hi = part(len(f.sums))
	v.sums = f.sums[lo:hi]
	return v
}

// converters round vectors of a length, laid end to end, to a kind. The
// length is a multiple of the kind's block.
var converters = [kinds]func(f *form, x []float32, cols int){
	f32:  func(f *form, x []float32, _ int) { f.f = append(f.f[:0], x...) },
	f16:  toF16,
	bf16: toBF16,
	q8_0: func(f *form, x []float32, cols int) {
		f.toQ8(x, false)
		f.total()
		f.interleave(cols / block)
	},
	q8_1: func(f *form, x []float32, _ int) { f.toQ8(x, true) },
	q8_K: func(f *form, x []float32, cols int) {
		f.toQ8K(x)
		f.interleave(cols / blockK)
	},
}

func toF16(f *form, x []float32, _ int) {
	f.f = grow(f.f, len(x))
	RoundHalf(f.f, x)
}

func toBF16(f *form, x []float32, _ int) {
	f.f = grow(f.f, len(x))
	for i, v := range x {
		f.f[i] = roundBF16(v)
	}
}

// RoundHalf rounds x to half precision and widens it again. dst may be x.
func RoundHalf(dst, x []float32) {
	n := roundHalf(dst, x)
	dst, x = dst[n:], x[n:]
	var h [64]uint16
	for len(x) > 0 {
		n := min(len(x), len(h))
		vec.ToHalf(h[:n], x[:n])
		vec.FromHalf(dst[:n], h[:n])
		dst, x = dst[n:], x[n:]
	}
}

// roundBF16 rounds to bfloat16, to nearest and half to even.
func roundBF16(v float32) float32 {
	b := math.Float32bits(v)
	if v != v {
		return math.Float32frombits(b>>16<<16 | 1<<22)
	}
	return math.Float32frombits((b + 0x7fff + b>>16&1) >> 16 << 16)
}

// Lengths of blocks.
const (
	block  = 32
	blockK = 256
	group  = 16 // elements of a sum of q8_K
)

// toQ8 rounds blocks of 32 to 8 bits. The 8-bit values come from the scale in
// float32, products use the scale in half precision.
func (f *form) toQ8(x []float32, sums bool) {
	n := len(x) / block
	f.q, f.raised, f.d, f.sums = grow(f.q, len(x)), grow(f.raised, len(x)), grow(f.d, n), grow(f.sums, len(x)/group)
	quantise32(f, x)
	f.s = f.s[:0]
	if sums {
		f.s = grow(f.s, n)
		for b := range f.s {
			f.s[b] = f.d[b] * float32(int32(f.sums[2*b])+int32(f.sums[2*b+1]))
		}
	}
	RoundHalf(f.d, f.d)
	RoundHalf(f.s, f.s)
}

func quantise32Plain(f *form, x []float32) {
	for b := range f.d {
		in := x[b*block:][:block]
		top := largest(in)
		inv := float32(0)
		if top != 0 {
			inv = 127 / top
		}
		f.d[b] = top / 127
		f.quantise(in, b*block, inv)
	}
	for i, v := range f.q {
		f.raised[i] = uint8(v) ^ 0x80
	}
}

// total sets the sums as the kernels for four vectors take them.
func (f *form) total() {
	f.totals = grow(f.totals, len(f.d))
	for i := range f.totals {
		f.totals[i] = int32(f.sums[2*i]) + int32(f.sums[2*i+1])
	}
}

// interleave does so for the scales of fours of vectors, of some blocks each.
func (f *form) interleave(blocks int) {
	f.d4 = grow(f.d4, len(f.d))
	for v := 0; (v+4)*blocks <= len(f.d); v += 4 {
		for b := range blocks {
			for k := range 4 {
				f.d4[v*blocks+b*4+k] = f.d[(v+k)*blocks+b]
			}
		}
	}
}

// largest returns the largest absolute value; NaN elements are passed over.
func largest(x []float32) float32 {
	top := float32(0)
	for _, v := range x {
		if v = float32(math.Abs(float64(v))); v > top {
			top = v
		}
	}
	return top
}

// quantise sets values from one on to x times inv, rounded half to even and at
// most 127, and the sums of each 16.
func (f *form) quantise(x []float32, at int, inv float32) {
	for i := 0; i < len(x); i += group {
		sum := int32(0)
		for j, v := range x[i : i+group] {
			n := nearest(float32(v * inv))
			f.q[at+i+j] = int8(n)
			sum += n
		}
		f.sums[(at+i)/group] = int16(sum)
	}
}

// nearest rounds half to even. It keeps to ±127; NaN counts as -127.
func nearest(v float32) int32 {
	if !(v >= -127) {
		return -127
	}
	const magic = 12582912 // 1.5 * 2^23: adding it rounds to a whole number
	return int32(min(v, 127)+magic) - magic
}

// toQ8K rounds blocks of 256 to 8 bits, so that the value of largest
// magnitude becomes -127.
func (f *form) toQ8K(x []float32) {
	f.q, f.d, f.sums = grow(f.q, len(x)), grow(f.d, len(x)/blockK), grow(f.sums, len(x)/group)
	quantise256(f, x)
	f.sums32 = grow(f.sums32, len(x)/block)
	for i := range f.sums32 {
		f.sums32[i] = f.sums[2*i] + f.sums[2*i+1]
	}
}

func quantise256Plain(f *form, x []float32) {
	for b := range f.d {
		in := x[b*blockK:][:blockK]
		d, inv := float32(0), float32(0)
		if e := extreme(in); e != 0 {
			inv = -127 / e
			d = 1 / inv
		}
		f.d[b] = d
		f.quantise(in, b*blockK, inv)
	}
}

// extreme returns the first value of largest magnitude.
func extreme(x []float32) float32 {
	var e, top float32
	for _, v := range x {
		if a := float32(math.Abs(float64(v))); a > top {
			top, e = a, v
		}
	}
	return e
}

// grow returns a slice of length n that reuses s where it can.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
