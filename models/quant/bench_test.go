package quant

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"logitscope/models/gguf"
)

var benchTypes = []gguf.Type{gguf.Q8_0, gguf.Q4_0, gguf.Q4_K, gguf.Q5_K, gguf.Q6_K, gguf.F32, gguf.F16, gguf.BF16, gguf.Q4_1, gguf.Q5_0, gguf.Q3_K, gguf.Q2_K, gguf.IQ4_XS, gguf.MXFP4, gguf.IQ2_XS}

// halves says where the scales are in a block. They get ordinary values, as
// in a model: subnormal numbers and NaN are several times slower.
var halves = map[gguf.Type][]int{
	gguf.Q8_0: {0}, gguf.Q4_0: {0}, gguf.Q5_0: {0}, gguf.Q4_1: {0, 2}, gguf.Q4_K: {0, 2}, gguf.Q5_K: {0, 2}, gguf.Q6_K: {208},
	gguf.Q3_K: {108}, gguf.Q2_K: {80, 82}, gguf.IQ4_XS: {0}, gguf.IQ2_XS: {0}, gguf.F16: {0}, gguf.BF16: {0}, gguf.F32: {2},
}

func benchMatrix(typ gguf.Type, rows, cols int) Matrix {
	r := rand.New(rand.NewPCG(7, 8))
	m := randomMatrix(r, typ, rows, cols)
	for b := 0; b < len(m.Data); b += typ.BlockBytes() {
		if typ == gguf.MXFP4 {
			m.Data[b] = 120
		}
		for _, at := range halves[typ] {
			m.Data[b+at+1] = 0x3c | byte(r.Uint32()&0x80)
		}
	}
	return m
}

func benchVectors(n, cols int) *Activations {
	x := make([]float32, n*cols)
	for i := range x {
		x[i] = float32(i%17) - 8
	}
	a := new(Activations)
	a.Set(x, n, cols)
	return a
}

// quickest runs f for the benchmark's time and returns the shortest of its
// runs in seconds: on a shared machine the shortest is the one undisturbed.
func quickest(b *testing.B, f func()) float64 {
	least := time.Hour
	for b.Loop() {
		start := time.Now()
		f()
		least = min(least, time.Since(start))
	}
	return least.Seconds()
}

// shortest is quickest for the other side of a ratio.
func shortest(n int, f func()) float64 {
	least := time.Hour
	for range n {
		start := time.Now()
		f()
		least = min(least, time.Since(start))
	}
	return least.Seconds()
}

// readTime measures how long one core takes to read as much memory.
func readTime(size int) float64 {
	data := bytes.Repeat([]byte{1}, size)
	return shortest(20, func() { bytes.IndexByte(data, 0xff) })
}

// BenchmarkMatVec reports, beside GFLOP/s, the speed as a share of the core's
// read bandwidth, and against the portable twin.
func BenchmarkMatVec(b *testing.B) {
	const n = 4096
	for _, typ := range benchTypes {
		b.Run(typ.String(), func(b *testing.B) {
			m, a, dst := benchMatrix(typ, n, n), benchVectors(1, n), make([]float32, n)
			read := readTime(len(m.Data))
			took := quickest(b, func() { m.Mul(dst, a, 0, n) })
			b.ReportMetric(2*n*n/took/1e9, "GFLOP/s")
			b.ReportMetric(float64(len(m.Data))/took/1e9, "GB/s")
			b.ReportMetric(read/took, "x-bandwidth")
			b.ReportMetric(portableTime(m, a, dst)/took, "x-portable")
		})
	}
}

// BenchmarkMatMul measures products with several vectors against as many with
// one.
func BenchmarkMatMul(b *testing.B) {
	const rows, cols = 256, 2048
	for _, typ := range benchTypes {
		for _, n := range []int{4, 64} {
			b.Run(fmt.Sprintf("%s/n=%d", typ, n), func(b *testing.B) {
				m, a, one, dst := benchMatrix(typ, rows, cols), benchVectors(n, cols), benchVectors(1, cols), make([]float32, n*rows)
				single := shortest(100, func() { m.Mul(dst, one, 0, rows) })
				took := quickest(b, func() { m.Mul(dst, a, 0, rows) })
				b.ReportMetric(2*rows*cols*float64(n)/took/1e9, "GFLOP/s")
				b.ReportMetric(single*float64(n)/took, "x-one-by-one")
				b.ReportMetric(took/single, "x-one")
			})
		}
	}
}
