package quant

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"logitscope/models/gguf"
)

var benchTypes = []gguf.Type{gguf.Q8_0, gguf.Q4_0, gguf.Q4_K, gguf.Q5_K, gguf.Q6_K, gguf.F32, gguf.F16, gguf.BF16, gguf.Q4_1, gguf.Q3_K, gguf.Q2_K, gguf.IQ4_XS, gguf.MXFP4, gguf.IQ2_XS}

// halves says where the scales are in a block. They get ordinary values, as
// in a model: subnormal numbers and NaN are several times slower.
var halves = map[gguf.Type][]int{
	gguf.Q8_0: {0}, gguf.Q4_0: {0}, gguf.Q4_1: {0, 2}, gguf.Q4_K: {0, 2}, gguf.Q5_K: {0, 2}, gguf.Q6_K: {208},
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

// readBandwidth measures how fast one core reads memory, in bytes a second.
func readBandwidth(data []byte) float64 {
	best := 0.0
	for range 5 {
		start := time.Now()
		bytes.IndexByte(data, 0xff)
		best = max(best, float64(len(data))/time.Since(start).Seconds())
	}
	return best
}

// BenchmarkMatVec reports, beside GFLOP/s, the bytes of weights read as a
// share of the core's read bandwidth on as much memory.
func BenchmarkMatVec(b *testing.B) {
	const n = 4096
	for _, typ := range benchTypes {
		b.Run(typ.String(), func(b *testing.B) {
			m := benchMatrix(typ, n, n)
			zeros := make([]byte, len(m.Data))
			for i := range zeros {
				zeros[i] = 1
			}
			var a Activations
			x := make([]float32, n)
			for i := range x {
				x[i] = float32(i%17) - 8
			}
			a.Set(x, 1, n)
			dst := make([]float32, n)
			for b.Loop() {
				m.Mul(dst, &a, 0, n)
			}
			perOp := b.Elapsed().Seconds() / float64(b.N)
			b.ReportMetric(2*n*n/perOp/1e9, "GFLOP/s")
			b.ReportMetric(float64(len(m.Data))/perOp/1e9, "GB/s")
			b.ReportMetric(float64(len(m.Data))/perOp/readBandwidth(zeros), "x-bandwidth")
		})
	}
}

// BenchmarkMatMul measures products with several vectors, and as a ratio the
// time of one vector times their number.
func BenchmarkMatMul(b *testing.B) {
	const rows, cols = 1024, 2048
	for _, typ := range benchTypes {
		for _, n := range []int{4, 64} {
			b.Run(fmt.Sprintf("%s/n=%d", typ, n), func(b *testing.B) {
				m := benchMatrix(typ, rows, cols)
				var a, one Activations
				x := make([]float32, n*cols)
				for i := range x {
					x[i] = float32(i%17) - 8
				}
				a.Set(x, n, cols)
				one.Set(x, 1, cols)
				dst := make([]float32, n*rows)
				m.Mul(dst, &one, 0, rows)
				start := time.Now()
				for range 3 {
					m.Mul(dst, &one, 0, rows)
				}
				single := time.Since(start).Seconds() / 3
				for b.Loop() {
					m.Mul(dst, &a, 0, rows)
				}
				perOp := b.Elapsed().Seconds() / float64(b.N)
				b.ReportMetric(2*rows*cols*float64(n)/perOp/1e9, "GFLOP/s")
				b.ReportMetric(single*float64(n)/perOp, "x-one-by-one")
				b.ReportMetric(perOp/single, "x-one")
			})
		}
	}
}
