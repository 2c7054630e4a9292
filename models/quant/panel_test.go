//go:build amd64 || arm64

package quant

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"logitscope/models/gguf"
)

// withoutTiles runs f as it is without tiles: rows are decoded a few at a time
// and multiplied by four vectors.
func withoutTiles(f func()) {
	was := levels[best].tiles
	levels[best].tiles = nil
	defer func() { levels[best].tiles = was }()
	f()
}

// TestTiles holds products by tiles to those without: every number of vectors
// of a group, full and not; rows that fill a group and a panel or do not, and
// begin anywhere; columns on both sides of each change of blocks.
func TestTiles(t *testing.T) {
	if levels[best].tiles == nil {
		t.Skip("no tiles for this processor")
	}
	for l := portable + 1; l <= best; l++ {
		tiles := levels[l].tiles
		if tiles == nil {
			continue
		}
		beyond := tiles.beyond
		tiles.beyond = 0
		at(l, func() { testTiles(t) })
		tiles.beyond = beyond
	}
}

func testTiles(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	shapes := []struct {
		typ        gguf.Type
		rows, cols int
	}{
		{gguf.F32, 9, 1}, {gguf.F16, 7, 31}, {gguf.BF16, 6, 33}, {gguf.F32, 5, 1000}, {gguf.Q8_0, 99, 1024}, {gguf.Q8_0, 13, 1056},
		{gguf.Q8_0, 10, 2048}, {gguf.Q8_0, 11, 2080}, {gguf.Q4_0, 5, 3072}, {gguf.Q4_K, 97, 1024}, {gguf.Q4_K, 9, 2304}, {gguf.Q5_K, 41, 3072},
		{gguf.Q6_K, 7, 4096}, {gguf.Q6_K, 5, 8192}, {gguf.IQ2_XS, 6, 2304}, {gguf.F16, 4, 4128}, {gguf.F32, 2, 5000},
	}
	for _, s := range shapes {
		m := benchMatrix(s.typ, s.rows, s.cols)
		for _, n := range []int{8, 9, 10, 11, 12, 13, 14, 16, 20, 65} {
			x := hardVectors(r, n, s.cols)
			got, want := make([]float32, n*s.rows), make([]float32, n*s.rows)
			lo, hi := r.IntN(s.rows), s.rows
			var a Activations
			withoutTiles(func() { a.Set(x, n, s.cols); m.Mul(want, &a, lo, hi) })
			a.Set(x, n, s.cols)
			m.Mul(got, &a, lo, lo+(hi-lo)/2)
			m.Mul(got, &a, lo+(hi-lo)/2, hi)
			for i := range got {
				if !sameBits(got[i], want[i]) {
					t.Fatalf("level %d, %s %d×%d, %d vectors, rows from %d: vector %d row %d is %v, without tiles %v", best, s.typ, s.rows, s.cols, n, lo, i/s.rows, i%s.rows, got[i], want[i])
				}
			}
		}
	}
}

// inTurn runs the functions one after the other for the benchmark's time, and
// returns the shortest run of each in seconds.
func inTurn(b *testing.B, fs ...func()) []float64 {
	least := make([]float64, len(fs))
	for b.Loop() {
		for i, f := range fs {
			start := time.Now()
			f()
			if took := time.Since(start).Seconds(); least[i] == 0 || took < least[i] {
				least[i] = took
			}
		}
	}
	return least
}

// BenchmarkTilesAVX2 does what BenchmarkTiles does as processors without
// AVX-512 run it.
func BenchmarkTilesAVX2(b *testing.B) {
	at(portable+1, func() { benchmarkTiles(b, gguf.Q4_K, gguf.Q8_0) })
}

// BenchmarkTiles measures products with many vectors, as one worker has them
// in a prefill, against those without tiles, and those of long rows against
// those of short ones.
func BenchmarkTiles(b *testing.B) {
	benchmarkTiles(b, gguf.Q4_K, gguf.Q8_0, gguf.Q5_K, gguf.Q6_K, gguf.F16, gguf.BF16, gguf.Q4_0, gguf.F32)
}

func benchmarkTiles(b *testing.B, types ...gguf.Type) {
	const n = 128
	for _, typ := range types {
		b.Run(typ.String(), func(b *testing.B) {
			var runs []func()
			var work []float64
			for _, s := range [][2]int{{1024, 1024}, {640, 3072}} {
				m, a, old, dst := benchMatrix(typ, s[0], s[1]), benchVectors(n, s[1]), (*Activations)(nil), make([]float32, n*s[0])
				withoutTiles(func() { old = benchVectors(n, s[1]) })
				runs = append(runs, func() { m.Mul(dst, a, 0, m.Rows) }, func() { withoutTiles(func() { m.Mul(dst, old, 0, m.Rows) }) })
				work = append(work, 2*n*float64(s[0]*s[1]))
			}
			took := inTurn(b, runs...)
			for i, cols := range []int{1024, 3072} {
				b.ReportMetric(work[i]/took[2*i]/1e9, fmt.Sprintf("GFLOP/s-%d", cols))
				b.ReportMetric(took[2*i+1]/took[2*i], fmt.Sprintf("x-old-%d", cols))
			}
			b.ReportMetric(work[1]/took[2]/(work[0]/took[0]), "long/short")
		})
	}
}

// BenchmarkFours measures one vector by rows four at a time against row by
// row, in turn: with weights in the caches and from main memory.
func BenchmarkFours(b *testing.B) {
	const n = 1024
	for typ, k := range levels[best].types {
		if k.fours == nil {
			continue
		}
		b.Run(typ.String(), func(b *testing.B) {
			m, a, dst := benchMatrix(typ, n, n), benchVectors(1, n), make([]float32, n)
			far := bytes.Repeat(m.Data, max(farBytes/len(m.Data), 1))
			at := 0
			next := func() *byte {
				at = (at + len(m.Data)) % len(far)
				return &far[at]
			}
			x := &a.vector(0)[0]
			took := inTurn(b,
				func() { k.fours(&dst[0], &m.Data[0], n, x, n) }, func() { k.mul(&dst[0], &m.Data[0], n, x, n) },
				func() { k.fours(&dst[0], next(), n, x, n) }, func() { k.mul(&dst[0], next(), n, x, n) })
			b.ReportMetric(took[1]/took[0], "x-rows-near")
			b.ReportMetric(took[3]/took[2], "x-rows-far")
		})
	}
}
