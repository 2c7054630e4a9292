package simd

import (
	"math"

	"golang.org/x/sys/cpu"
)

// detect puts the best implementation that the processor has in place.
func detect() {
	c := &cpu.X86
	switch {
	case c.HasAVX512F && c.HasAVX512DQ && c.HasAVX512BW && c.HasAVX512VL && c.HasPOPCNT:
		use512()
	case c.HasAVX2 && c.HasFMA && c.HasPOPCNT:
		use2()
	}
}

func use512() {
	impl = "avx512"
	maxBlocks = maxBlocks512
	exp = exp512
	div = div512
	countAbove = countAbove512
	sumAbove = sumAbove512
	compress = compress512
	expFast = expFast512
	sums = sums512
	between = between512
	moments = moments512
	sink = sink512
	sumFloat32 = sumFloat32x512
	squaresFloat32 = squaresFloat32x512
}

func use2() {
	impl = "avx2"
	maxBlocks = maxBlocks2
	exp = exp2
	div = div2
	countAbove = countAbove2
	sumAbove = sumAbove2
	expFast = expFast2
}

// The assembly takes whole vectors: n is a multiple of its width and not
// zero. What is left over is done in Go.

//go:noescape
func asmMaxBlocks512(bm, x *float32, blocks int) (hi, lo float32, nan int)

//go:noescape
func asmExp512(dst, x *float32, n int, hi float32) (sum, dot float64)

//go:noescape
func asmDiv512(x *float32, n int, t float32)

//go:noescape
func asmCountAbove512(x *float32, n int, t float32) int

//go:noescape
func asmSumAbove512(x, w *float32, n int, t float32) (count int, sum float64)

//go:noescape
func asmCompress512(ix *int32, dx, de, x, e *float32, n, from int, t float32) int

//go:noescape
func asmExpFast512(dst, x *float32, n int, hi float32) (sum, dot float64)

//go:noescape
func asmSums512(e, x *float32, n int, hi float32) (sum, dot float64)

//go:noescape
func asmBetween512(ix *int32, dx, x *float32, n int, lo, hi float32) int

//go:noescape
func asmMoments512(x *float32, n int) (count int, sum, squares float64)

//go:noescape
func asmSink512(x *float32, n int, t float32) int

//go:noescape
func asmRoundSum512(e *float32, n int, scale float32) (sum float32, doubt int)

//go:noescape
func asmRoundSquares512(x *float32, n int, mean float32, scale float64) (sum float64, doubt int)

//go:noescape
func asmExpFast2(dst, x *float32, n int, hi float32) (sum, dot float64)

//go:noescape
func asmMaxBlocks2(bm, x *float32, blocks int) (hi, lo float32, nan int)

//go:noescape
func asmExp2(dst, x *float32, n int, hi float32) (sum, dot float64)

//go:noescape
func asmDiv2(x *float32, n int, t float32)

//go:noescape
func asmCountAbove2(x *float32, n int, t float32) int

//go:noescape
func asmSumAbove2(x, w *float32, n int, t float32) (count int, sum float64)

func maxBlocks512(bm, x []float32) (float32, float32, int, int) {
	return maxBlocksAsm(bm, x, asmMaxBlocks512)
}
func maxBlocks2(bm, x []float32) (float32, float32, int, int) {
	return maxBlocksAsm(bm, x, asmMaxBlocks2)
}

func maxBlocksAsm(bm, x []float32, f func(bm, x *float32, blocks int) (hi, lo float32, nan int)) (float32, float32, int, int) {
	whole := len(x) / Block
	if whole == 0 {
		return maxBlocksGo(bm, x)
	}
	hi, lo, nan := f(&bm[0], &x[0], whole)
	if nan != 0 {
		return maxBlocksGo(bm, x)
	}
	finite := whole * Block
	if low := float32(math.Inf(-1)); lo == low {
		finite = countAbove(x[:finite], low)
	}
	h, l, n, k := maxBlocksGo(bm[whole:], x[whole*Block:])
	return max(hi, h), min(lo, l), finite + n, k
}

func exp512(dst, x []float32, hi float32) (float64, float64) {
	n := len(x) &^ 15
	var sum, dot float64
	if n > 0 {
		sum, dot = asmExp512(&dst[0], &x[0], n, hi)
	}
	s, d := expGo(dst[n:], x[n:], hi)
	return sum + s, dot + d
}

func exp2(dst, x []float32, hi float32) (float64, float64) {
	n := len(x) &^ 7
	var sum, dot float64
	if n > 0 {
		sum, dot = asmExp2(&dst[0], &x[0], n, hi)
	}
	s, d := expGo(dst[n:], x[n:], hi)
	return sum + s, dot + d
}

func div512(x []float32, t float32) {
	n := len(x) &^ 15
	if n > 0 {
		asmDiv512(&x[0], n, t)
	}
	divGo(x[n:], t)
}

func div2(x []float32, t float32) {
	n := len(x) &^ 7
	if n > 0 {
		asmDiv2(&x[0], n, t)
	}
	divGo(x[n:], t)
}

func countAbove512(x []float32, t float32) int {
	n := len(x) &^ 15
	k := 0
	if n > 0 {
		k = asmCountAbove512(&x[0], n, t)
	}
	return k + countAboveGo(x[n:], t)
}

func countAbove2(x []float32, t float32) int {
	n := len(x) &^ 7
	k := 0
	if n > 0 {
		k = asmCountAbove2(&x[0], n, t)
	}
	return k + countAboveGo(x[n:], t)
}

func sumAbove512(x, w []float32, t float32) (int, float64) {
	n := len(x) &^ 15
	k, sum := 0, 0.0
	if n > 0 {
		k, sum = asmSumAbove512(&x[0], &w[0], n, t)
	}
	m, s := sumAboveGo(x[n:], w[n:], t)
	return k + m, sum + s
}

func sumAbove2(x, w []float32, t float32) (int, float64) {
	n := len(x) &^ 7
	k, sum := 0, 0.0
	if n > 0 {
		k, sum = asmSumAbove2(&x[0], &w[0], n, t)
	}
	m, s := sumAboveGo(x[n:], w[n:], t)
	return k + m, sum + s
}

func compress512(ix []int32, dx, de, x, e []float32, from int, t float32) int {
	n := len(x) &^ 15
	k := 0
	if n > 0 {
		k = asmCompress512(&ix[0], &dx[0], &de[0], &x[0], &e[0], n, from, t)
	}
	return k + compressGo(ix[k:], dx[k:], de[k:], x[n:], e[n:], from+n, t)
}

func expFast512(dst, x []float32, hi float32) (float64, float64) {
	return expFastAsm(dst, x, hi, 15, asmExpFast512)
}

func expFast2(dst, x []float32, hi float32) (float64, float64) {
	return expFastAsm(dst, x, hi, 7, asmExpFast2)
}

func expFastAsm(dst, x []float32, hi float32, width int, f func(dst, x *float32, n int, hi float32) (sum, dot float64)) (float64, float64) {
	n := len(x) &^ width
	var sum, dot float64
	var rest []float32
	if n > 0 {
		var to *float32
		if dst != nil {
			to = &dst[0]
		}
		sum, dot = f(to, &x[0], n, hi)
	}
	if dst != nil {
		rest = dst[n:]
	}
	s, d := expFastGo(rest, x[n:], hi)
	return sum + s, dot + d
}

func sums512(e, x []float32, hi float32) (float64, float64) {
	n := len(x) &^ 15
	var sum, dot float64
	if n > 0 {
		sum, dot = asmSums512(&e[0], &x[0], n, hi)
	}
	s, d := sumsGo(e[n:], x[n:], hi)
	return sum + s, dot + d
}

func between512(ix []int32, dx, x []float32, lo, hi float32) int {
	n := len(x) &^ 15
	k := 0
	if n > 0 {
		k = asmBetween512(&ix[0], &dx[0], &x[0], n, lo, hi)
	}
	for i, v := range x[n:] {
		if v > lo && v <= hi {
			ix[k], dx[k] = int32(n+i), v
			k++
		}
	}
	return k
}

func moments512(x []float32) (int, float64, float64) {
	n := len(x) &^ 15
	count, sum, squares := 0, 0.0, 0.0
	if n > 0 {
		count, sum, squares = asmMoments512(&x[0], n)
	}
	c, s, q := momentsGo(x[n:])
	return count + c, sum + s, squares + q
}

func sink512(x []float32, t float32) int {
	n := len(x) &^ 15
	k := 0
	if n > 0 {
		k = asmSink512(&x[0], n, t)
	}
	return k + sinkGo(x[n:], t)
}

func sumFloat32x512(e []float32) float32 {
	return sumInChunks(e, func(c []float32, scale float32) (float32, bool) {
		sum, doubt := asmRoundSum512(&c[0], len(c), scale)
		return sum, doubt != 0
	}, addFloat32)
}

func squaresFloat32x512(x []float32, mean float32) float32 {
	return sumInChunks(x, func(c []float32, scale float32) (float32, bool) {
		sum, doubt := asmRoundSquares512(&c[0], len(c), mean, float64(scale))
		return float32(sum), doubt != 0
	}, func(sum float32, c []float32) float32 { return addSquares(sum, c, mean) })
}
