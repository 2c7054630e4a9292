// Package vec answers: how fast are the parts of a transformer that are no
// product with a weight matrix? It holds the float32 routines of a transformer
// that are not products with a weight matrix: dot products over the cache,
// norms, softmax and activations.
//
// Every routine has one fixed order of operations, and no multiplication is
// fused with an addition, so that results are the same bits on every machine.
// Sums over a vector run in eight lanes: lane i adds the elements i, i+8,
// i+16, … of the part whose length is a multiple of eight, the lanes are
// added as ((0+1)+(2+3))+((4+5)+(6+7)), and the elements left over follow one
// by one. On amd64 with AVX2 and on arm64 some routines run in assembly; it
// gives the bits of the portable code, which the tests check.
package vec

import (
	"math"
	"unsafe"
)

// lanes is the width of a sum.
const lanes = 8

// addLanes adds the lanes of a sum in the fixed order.
func addLanes(s *[lanes]float32) float32 {
	return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]))
}

// dot returns the inner product of a and b, which have the same length.
func dot(a, b []float32) float32 {
	var d [1]float32
	DotRows(d[:], a, b)
	return d[0]
}

// DotRows sets dst[i] to the inner product of q and row i of rows, which has
// len(dst) rows of len(q).
func DotRows(dst, q, rows []float32) {
	if len(rows) < len(dst)*len(q) {
		panic("vec: DotRows: too few rows")
	}
	dotRows(dst, q, rows)
}

func dotRowsGeneric(dst, q, rows []float32) {
	n := len(q)
	body := n &^ (lanes - 1)
	for i := range dst {
		row := rows[i*n : i*n+n]
		var s0, s1, s2, s3, s4, s5, s6, s7 float32 // an array would not stay in registers
		for j := 0; j < body; j += lanes {
			a, b := (*[lanes]float32)(q[j:]), (*[lanes]float32)(row[j:])
			s0 += float32(a[0] * b[0])
			s1 += float32(a[1] * b[1])
			s2 += float32(a[2] * b[2])
			s3 += float32(a[3] * b[3])
			s4 += float32(a[4] * b[4])
			s5 += float32(a[5] * b[5])
			s6 += float32(a[6] * b[6])
			s7 += float32(a[7] * b[7])
		}
		sum := addLanes(&[lanes]float32{s0, s1, s2, s3, s4, s5, s6, s7})
		for j := body; j < n; j++ {
			sum += float32(q[j] * row[j])
		}
		dst[i] = sum
	}
}

// AddScaledRows adds w[i] times row i of rows to dst, for ascending i. rows
// has len(w) rows of len(dst).
func AddScaledRows(dst, w, rows []float32) {
	if len(rows) < len(w)*len(dst) {
		panic("vec: AddScaledRows: too few rows")
	}
	addScaledRows(dst, w, rows)
}

func addScaledRowsGeneric(dst, w, rows []float32) {
	n := len(dst)
	for i, f := range w {
		row := rows[i*n : i*n+n]
		for j := range dst {
			dst[j] += float32(f * row[j])
		}
	}
}

// Add adds b to a.
func Add(a, b []float32) {
	b = b[:len(a)]
	for i := range a {
		a[i] += b[i]
	}
}

// AddScaled adds f times b to a.
func AddScaled(a []float32, f float32, b []float32) {
	b = b[:len(a)]
	for i := range a {
		a[i] += float32(f * b[i])
	}
}

// Scale multiplies a by f.
func Scale(a []float32, f float32) {
	for i := range a {
		a[i] *= f
	}
}

// Max returns the largest element. NaN elements are passed over; the largest
// of nothing is -Inf.
func Max(a []float32) float32 { return maxOf(a) }

func maxGeneric(a []float32) float32 {
	m := float32(math.Inf(-1))
	for _, v := range a {
		if v > m {
			m = v
		}
	}
	return m
}

// sum adds the elements in the fixed order.
func sum(a []float32) float32 {
	var s [lanes]float32
	body := len(a) &^ (lanes - 1)
	for j := 0; j < body; j += lanes {
		v := (*[lanes]float32)(a[j:])
		for k := range s {
			s[k] += v[k]
		}
	}
	sum := addLanes(&s)
	for _, v := range a[body:] {
		sum += v
	}
	return sum
}

// RMSNorm sets dst to x divided by its root mean square and multiplied by w,
// element by element (Zhang and Sennrich 2019). eps is added to the mean of
// the squares. dst may be x.
func RMSNorm(dst, x, w []float32, eps float32) {
	mean := dot(x, x) / float32(len(x))
	f := 1 / sqrt(mean+eps)
	dst, w = dst[:len(x)], w[:len(x)]
	for i, v := range x {
		dst[i] = float32(v*f) * w[i]
	}
}

// LayerNorm sets dst to x with mean 0 and variance 1, multiplied by w and
// with b added (Ba et al. 2016). eps is added to the variance. b may be nil.
// dst may be x.
func LayerNorm(dst, x, w, b []float32, eps float32) {
	dst, w = dst[:len(x)], w[:len(x)]
	mean := sum(x) / float32(len(x))
	for i, v := range x {
		dst[i] = v - mean
	}
	f := 1 / sqrt(dot(dst, dst)/float32(len(x))+eps)
	for i, v := range dst {
		dst[i] = float32(v*f) * w[i]
	}
	if b != nil {
		Add(dst, b)
	}
}

// sqrt is correctly rounded.
func sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// Prefetch begins to read x from memory, which it does not wait for.
func Prefetch[T float32 | uint16](x []T) {
	const line = 64
	if size := len(x) * int(unsafe.Sizeof(T(0))); size >= line {
		prefetch(unsafe.Pointer(&x[0]), size/line)
	}
}
