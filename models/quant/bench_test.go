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
	for i, v := range m.Data {
		if v == 0xff { // left out, so that a search for it reads everything
			m.Data[i] = 0xfe
		}
	}
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

// farBytes is more than the caches hold.
const farBytes = 192 << 20

// BenchmarkMatVec multiplies one vector by matrices in turn that come from
// main memory, as the weights of a model do. Beside GFLOP/s it reports the
// speed as a share of the core's read bandwidth on the same memory, the same
// for one matrix that stays in the caches if they are large enough, and
// against the portable twin.
func BenchmarkMatVec(b *testing.B) {
	const n = 4096
	for _, typ := range benchTypes {
		b.Run(typ.String(), func(b *testing.B) {
			m, a, dst := benchMatrix(typ, n, n), benchVectors(1, n), make([]float32, n)
			size := len(m.Data)
			far := bytes.Repeat(m.Data, max(farBytes/size, 1))
			next := m
			turn := func() {
				at := 0
				if &next.Data[0] != &m.Data[0] {
					at = (cap(far) - cap(next.Data) + size) % len(far)
				}
				next.Data = far[at:][:size]
			}
			read := shortest(3*len(far)/size, func() { turn(); bytes.IndexByte(next.Data, 0xff) })
			took := quickest(b, func() { turn(); next.Mul(dst, a, 0, n) })
			near := shortest(30, func() { m.Mul(dst, a, 0, n) })
			nearRead := shortest(30, func() { bytes.IndexByte(m.Data, 0xff) })
			b.ReportMetric(2*n*n/took/1e9, "GFLOP/s")
			b.ReportMetric(float64(size)/took/1e9, "GB/s")
			b.ReportMetric(read/took, "x-memory")
			b.ReportMetric(nearRead/near, "x-cache")
			b.ReportMetric(portableTime(m, a, dst)/near, "x-portable")
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
