package ggml

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"

	"logitscope/models/gguf"
	"logitscope/models/quant"
)

// BenchmarkRows multiplies matrices that are not in the caches by one vector,
// as a step of decoding does: against reading them, and against the exact
// arithmetic, in turn.
func BenchmarkRows(b *testing.B) {
	const n = 2048
	for _, typ := range []gguf.Type{gguf.Q8_0, gguf.Q4_0, gguf.Q4_K, gguf.Q5_K, gguf.Q6_K, gguf.F16} {
		b.Run(typ.String(), func(b *testing.B) {
			r := rand.New(rand.NewPCG(7, 8))
			m := quant.Matrix{Type: typ, Rows: n, Cols: n, Data: make([]byte, n*n/typ.BlockSize()*typ.BlockBytes())}
			for i := range m.Data {
				m.Data[i] = byte(r.Uint32() % 0x38) // no scale is NaN or tiny
			}
			far := bytes.Repeat(m.Data, max(1, 96<<20/len(m.Data)))
			x := make([]float32, n)
			for i := range x {
				x[i] = float32(r.NormFloat64())
			}
			var a Activations
			a.Set(x, 1, n)
			a.Prepare(typ)
			var e quant.Activations
			e.Set(x, 1, n)
			dst := make([]float32, n)
			least, at := [3]time.Duration{time.Hour, time.Hour, time.Hour}, 0
			for b.Loop() {
				for i, f := range []func(){
					func() { Mul(dst, m, &a, 0, n, Current) },
					func() { bytes.IndexByte(m.Data, 0xff) },
					func() { m.Mul(dst, &e, 0, n) },
				} {
					at = (at + len(m.Data)) % len(far)
					m.Data = far[at:][:len(m.Data)]
					start := time.Now()
					f()
					least[i] = min(least[i], time.Since(start))
				}
			}
			b.ReportMetric(float64(len(m.Data))/float64(least[0]), "GB/s")
			b.ReportMetric(float64(least[1])/float64(least[0]), "x-memory")
			b.ReportMetric(float64(least[2])/float64(least[0]), "x-exact")
		})
	}
}

// BenchmarkVectors multiplies a matrix that stays near by 64 vectors, as a
// prefill does, against the exact arithmetic and against one by one, in turn.
func BenchmarkVectors(b *testing.B) {
	const n, rows, vectors = 1024, 64, 64
	for _, typ := range []gguf.Type{gguf.Q8_0, gguf.Q4_0, gguf.Q4_K, gguf.Q5_K, gguf.Q6_K, gguf.F16} {
		b.Run(typ.String(), func(b *testing.B) {
			r := rand.New(rand.NewPCG(7, 8))
			m := quant.Matrix{Type: typ, Rows: rows, Cols: n, Data: make([]byte, rows*n/typ.BlockSize()*typ.BlockBytes())}
			for i := range m.Data {
				m.Data[i] = byte(r.Uint32() % 0x38)
			}
			x := make([]float32, vectors*n)
			for i := range x {
				x[i] = float32(r.NormFloat64())
			}
			var a, one Activations
			a.Set(x, vectors, n)
			a.Prepare(typ)
			one.Set(x, 1, n)
			one.Prepare(typ)
			var e quant.Activations
			e.Set(x, vectors, n)
			dst := make([]float32, rows*vectors)
			least := [4]time.Duration{time.Hour, time.Hour, time.Hour, time.Hour}
			vnni := useVNNI
			defer func() { useVNNI = vnni }()
			for b.Loop() {
				for i, f := range []func(){
					func() { Mul(dst, m, &a, 0, rows, Current) },
					func() {
						for range vectors {
							Mul(dst, m, &one, 0, rows, Current)
						}
					},
					func() { m.Mul(dst, &e, 0, rows) },
					func() { Mul(dst, m, &a, 0, rows, Current) },
				} {
					useVNNI = vnni && i < 3
					start := time.Now()
					f()
					least[i] = min(least[i], time.Since(start))
				}
			}
			b.ReportMetric(2*n*rows*vectors/float64(least[0]), "Gop/s")
			b.ReportMetric(float64(least[1])/float64(least[0]), "x-one-by-one")
			b.ReportMetric(float64(least[2])/float64(least[0]), "x-exact")
			b.ReportMetric(2*n*rows*vectors/float64(least[3]), "Gop/s-AVX2")
		})
	}
}
