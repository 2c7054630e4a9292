package vec

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// tileValues returns n values, some of them large, tiny, zero or infinite.
func tileValues(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		v := r.NormFloat64()
		switch r.IntN(40) {
		case 0:
			v = 0
		case 1:
			v *= 1e30
		case 2:
			v *= 1e-42
		case 3:
			v = math.Copysign(0, v)
		case 4:
			if r.IntN(20) == 0 {
				v = math.Inf(int(math.Copysign(1, v)))
			}
		}
		x[i] = float32(v)
	}
	return x
}

func sameAs(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
}

// TestTiles holds tiles to the same vector by vector, and what lies beside
// the results to what it was.
func TestTiles(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 7, 8, 16, 24, 32, 48, 64, 72, 80, 96, 128, 256} {
		for _, m := range []int{0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 32} {
			for _, count := range []int{0, 1, 3, 8, 9, 15, 16} {
				stride := count + r.IntN(5)
				q, rows := tileValues(r, m*n), tileValues(r, count*n)
				got := tileValues(r, m*stride)
				want := append([]float32(nil), got...)
				DotTiles(got, stride, q, m, rows, count, n)
				for i := range m {
					DotRows(want[i*stride:i*stride+count], q[i*n:(i+1)*n], rows)
				}
				for i := range got {
					if !sameAs(got[i], want[i]) {
						t.Fatalf("%d vectors by %d rows of %d: product %d is %v, one by one %v", m, count, n, i, got[i], want[i])
					}
				}
				w, out := tileValues(r, m*stride), tileValues(r, m*n)
				sums := append([]float32(nil), out...)
				AddScaledTiles(out, w, stride, m, rows, count, n)
				for i := range m {
					AddScaledRows(sums[i*n:(i+1)*n], w[i*stride:i*stride+count], rows)
				}
				for i := range out {
					if !sameAs(out[i], sums[i]) {
						t.Fatalf("%d vectors and %d rows of %d: sum %d is %v, one by one %v", m, count, n, i, out[i], sums[i])
					}
				}
			}
		}
	}
}

// BenchmarkTiles measures the attention of 32 queries to a page of 16
// positions against doing it query by query, in turn.
func BenchmarkTiles(b *testing.B) {
	const n, m, count = 64, 32, 16
	r := rand.New(rand.NewPCG(3, 4))
	q, rows, w, out := make([]float32, m*n), make([]float32, count*n), make([]float32, m*count), make([]float32, m*n)
	for _, x := range [][]float32{q, rows, w} {
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
	}
	least := [4]time.Duration{time.Hour, time.Hour, time.Hour, time.Hour}
	for b.Loop() {
		for i, f := range []func(){
			func() { DotTiles(w, count, q, m, rows, count, n) },
			func() {
				for i := range m {
					DotRows(w[i*count:(i+1)*count], q[i*n:(i+1)*n], rows)
				}
			},
			func() { AddScaledTiles(out, w, count, m, rows, count, n) },
			func() {
				for i := range m {
					AddScaledRows(out[i*n:(i+1)*n], w[i*count:(i+1)*count], rows)
				}
			},
		} {
			clear(out)
			start := time.Now()
			for range 20 {
				f()
			}
			least[i] = min(least[i], time.Since(start))
		}
	}
	b.ReportMetric(float64(least[1])/float64(least[0]), "x-dot")
	b.ReportMetric(20*2*m*n*count/float64(least[0]), "GFLOP/s-dot")
	b.ReportMetric(20*2*m*n*count/float64(least[2]), "GFLOP/s-mix")
	b.ReportMetric(float64(least[3])/float64(least[2]), "x-mix")
}
