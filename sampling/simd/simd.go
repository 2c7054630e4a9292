// Package simd answers: how fast is one pass over a row? It has the passes over
// a whole row of logits that decide how fast sampling is: block maxima,
// exponentials with their sums, scaling, counting.
//
// Every function has a portable form. Where the processor has AVX-512 or
// AVX2, assembly replaces it at start; the results are equal but for the
// rounding of sums, and of an exponential in at most one unit in the last
// place.
package simd

import "math"

// Block is the number of logits that share one maximum.
const Block = 64

// Blocks returns the number of blocks in a row of n logits.
func Blocks(n int) int { return (n + Block - 1) / Block }

// impl names the implementation in use: "avx512", "avx2" or "portable".
var impl string

// MaxBlocks sets bm[i] to the maximum of the i-th block of x and returns the
// maximum and minimum of all, the number of values above negative infinity,
// and the number of values that are NaN. NaN is passed over. The length of bm
// must be Blocks(len(x)).
func MaxBlocks(bm, x []float32) (hi, lo float32, finite, nan int) { return maxBlocks(bm, x) }

// Exp sets dst[i] = exp(x[i]-hi) and returns the sum of dst and the sum of
// dst[i]*(x[i]-hi), in which a zero counts as zero. No x may be above hi. The
// slices must have the same length and may be the same.
func Exp(dst, x []float32, hi float32) (sum, dot float64) { return exp(dst, x, hi) }

// ExpFast is Exp to within some units in the last place, with sums good to
// about 1e-6, and with zero below exp(-87.3); it is for what is only looked
// at. dst may be nil.
func ExpFast(dst, x []float32, hi float32) (sum, dot float64) { return expFast(dst, x, hi) }

// Sums returns the sum of e and the sum of e[i]*(x[i]-hi), in which a zero
// counts as zero.
func Sums(e, x []float32, hi float32) (sum, dot float64) { return sums(e, x, hi) }

// Moments returns the number of elements of x above negative infinity, their
// sum and the sum of their squares.
func Moments(x []float32) (n int, sum, squares float64) { return moments(x) }

// Sink sets the elements of x below t to negative infinity and returns how
// many were above it before.
func Sink(x []float32, t float32) int { return sink(x, t) }

// Div divides every element of x by t.
func Div(x []float32, t float32) { div(x, t) }

// CountAbove returns the number of elements of x above t.
func CountAbove(x []float32, t float32) int { return countAbove(x, t) }

// SumAbove returns the number of elements of x above t and the sum of the
// elements of w at the same places.
func SumAbove(x, w []float32, t float32) (n int, sum float64) { return sumAbove(x, w, t) }

// Compress copies the elements of x that are at least t to dx, those of e at
// the same places to de, and their indices, counted from from, to ix. It
// returns how many. The destinations must have room for len(x)+Slack
// elements; what lies after the copied ones is overwritten. dx may be x and
// de may be e.
func Compress(ix []int32, dx, de, x, e []float32, from int, t float32) int {
	return compress(ix, dx, de, x, e, from, t)
}

// Between copies the elements of x with lo < x[i] <= hi to dx and their
// indices to ix, and returns how many. The destinations must have room for
// len(x)+Slack elements; what lies after the copied ones is overwritten.
func Between(ix []int32, dx, x []float32, lo, hi float32) int { return between(ix, dx, x, lo, hi) }

// Slack is the room that Compress and Between need after their
// destinations.
const Slack = 16

var (
	maxBlocks      func(bm, x []float32) (hi, lo float32, finite, nan int)
	expFast        func(dst, x []float32, hi float32) (sum, dot float64)
	sums           func(e, x []float32, hi float32) (sum, dot float64)
	between        func(ix []int32, dx, x []float32, lo, hi float32) int
	exp            func(dst, x []float32, hi float32) (sum, dot float64)
	moments        func(x []float32) (n int, sum, squares float64)
	sink           func(x []float32, t float32) int
	sumFloat32     func(e []float32) float32
	squaresFloat32 func(x []float32, mean float32) float32
	div            func(x []float32, t float32)
	countAbove     func(x []float32, t float32) int
	sumAbove       func(x, w []float32, t float32) (n int, sum float64)
	compress       func(ix []int32, dx, de, x, e []float32, from int, t float32) int
)

func init() {
	usePortable()
	detect()
}

func usePortable() {
	impl = "portable"
	maxBlocks, exp, div = maxBlocksGo, expGo, divGo
	countAbove, sumAbove, compress = countAboveGo, sumAboveGo, compressGo
	expFast, sums, between = expFastGo, sumsGo, betweenGo
	moments, sink = momentsGo, sinkGo
	sumFloat32, squaresFloat32 = sumFloat32Go, squaresFloat32Go
}

func maxBlocksGo(bm, x []float32) (hi, lo float32, finite, nan int) {
	low := float32(math.Inf(-1))
	hi, lo = low, float32(math.Inf(1))
	for b := range bm {
		block := x[b*Block : min(len(x), (b+1)*Block)]
		m := low
		for _, v := range block {
			if v > low {
				finite++
			} else if v != v {
				nan++
			}
			if v > m {
				m = v
			}
			if v < lo {
				lo = v
			}
		}
		bm[b] = m
		if m > hi {
			hi = m
		}
	}
	return hi, lo, finite, nan
}

func expFastGo(dst, x []float32, hi float32) (sum, dot float64) {
	for i, v := range x {
		d := v - hi
		e := float32(0)
		if d >= -87.3 {
			e = float32(math.Exp(float64(d)))
			sum += float64(e)
			dot += float64(float64(e) * float64(d))
		}
		if dst != nil {
			dst[i] = e
		}
	}
	return sum, dot
}

func sumsGo(e, x []float32, hi float32) (sum, dot float64) {
	for i, v := range e {
		if v > 0 {
			sum += float64(v)
			dot += float64(float64(v) * float64(x[i]-hi))
		}
	}
	return sum, dot
}

func betweenGo(ix []int32, dx, x []float32, lo, hi float32) int {
	k := 0
	for i, v := range x {
		if v > lo && v <= hi {
			ix[k], dx[k] = int32(i), v
			k++
		}
	}
	return k
}

func expGo(dst, x []float32, hi float32) (sum, dot float64) {
	for i, v := range x {
		d := float64(v - hi)
		if d < expZero {
			dst[i] = 0
			continue
		}
		e := float32(math.Exp(d))
		dst[i] = e
		sum += float64(e)
		dot += float64(float64(e) * d)
	}
	return sum, dot
}

// expZero is below the logarithm of half the smallest float32.
const expZero = -103.98

func divGo(x []float32, t float32) {
	for i := range x {
		x[i] /= t
	}
}

func countAboveGo(x []float32, t float32) int {
	n := 0
	for _, v := range x {
		if v > t {
			n++
		}
	}
	return n
}

func sumAboveGo(x, w []float32, t float32) (n int, sum float64) {
	for i, v := range x {
		if v > t {
			n++
			sum += float64(w[i])
		}
	}
	return n, sum
}

func compressGo(ix []int32, dx, de, x, e []float32, from int, t float32) int {
	k := 0
	for i, v := range x {
		// Stored always, counted if it stays: no branch to mispredict.
		ix[k], dx[k], de[k] = int32(from+i), v, e[i]
		if v >= t {
			k++
		}
	}
	return k
}

func momentsGo(x []float32) (n int, sum, squares float64) {
	for _, v := range x {
		if v > float32(math.Inf(-1)) {
			n++
			sum += float64(v)
			squares += float64(float64(v) * float64(v))
		}
	}
	return n, sum, squares
}

func sinkGo(x []float32, t float32) int {
	n, low := 0, float32(math.Inf(-1))
	for i, v := range x {
		if v < t && v > low {
			x[i] = low
			n++
		}
	}
	return n
}
