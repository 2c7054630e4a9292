package simd

import (
	"math"
	"slices"
	"testing"
)

var low = float32(math.Inf(-1))

// rows returns rows of awkward lengths and contents.
func rows() [][]float32 {
	var out [][]float32
	for _, n := range []int{1, 7, 8, 15, 16, 17, 63, 64, 65, 127, 128, 129, 1000, 4099} {
		x := make([]float32, n)
		z := uint64(n)
		for i := range x {
			z = z*6364136223846793005 + 1442695040888963407
			x[i] = float32(int32(z>>33))/(1<<27) - 8
			if i%37 == 5 {
				x[i] = low
			}
			if i%29 == 3 {
				x[i] = -200
			}
			if i%31 == 7 {
				x[i] = -90 - float32(i%20) // down to where float32 ends
			}
		}
		out = append(out, x)
	}
	return append(out, []float32{low, low, 3, low}, slices.Repeat([]float32{2.5}, 200))
}

// each runs f with every implementation the machine has.
func each(t *testing.T, f func(t *testing.T)) {
	keep := impl
	defer restore(keep)
	for _, name := range available() {
		restore(name)
		t.Run(name, f)
	}
}

func TestMaxBlocks(t *testing.T) {
	each(t, func(t *testing.T) {
		for _, x := range rows() {
			want, got := make([]float32, Blocks(len(x))), make([]float32, Blocks(len(x)))
			h1, l1, f1, n1 := maxBlocksGo(want, x)
			h2, l2, f2, n2 := MaxBlocks(got, x)
			if h1 != h2 || l1 != l2 || f1 != f2 || n1 != n2 || !slices.Equal(want, got) {
				t.Errorf("%d values: %v %d %d, want %v %d %d", len(x), h2, f2, n2, h1, f1, n1)
			}
			for _, at := range []int{0, len(x) / 2, len(x) - 1} {
				y := slices.Clone(x)
				y[at] = float32(math.NaN())
				if _, _, _, n := MaxBlocks(got, y); n != 1 {
					t.Errorf("%d NaN in %d values at %d, want 1", n, len(x), at)
				}
			}
		}
	})
}

func TestExp(t *testing.T) {
	each(t, func(t *testing.T) {
		for _, x := range rows() {
			hi := slices.Max(x)
			got := make([]float32, len(x))
			sum, dot := Exp(got, x, hi)
			var wantSum, wantDot float64
			for i, v := range x {
				e := math.Exp(float64(v - hi))
				w := float32(e)
				if ulps(got[i], w) > 1 {
					t.Fatalf("exp(%v) = %v, want %v", v-hi, got[i], w)
				}
				wantSum += float64(got[i])
				if got[i] > 0 {
					wantDot += float64(got[i]) * float64(v-hi)
				}
			}
			if math.Abs(sum-wantSum) > 1e-13*wantSum || math.Abs(dot-wantDot) > 1e-12*math.Abs(wantDot) {
				t.Errorf("sums %v %v, want %v %v", sum, dot, wantSum, wantDot)
			}
		}
	})
}

func TestFastExpIsNearIt(t *testing.T) {
	each(t, func(t *testing.T) {
		for _, x := range rows() {
			hi := slices.Max(x)
			want, got := make([]float32, len(x)), make([]float32, len(x))
			expGo(want, x, hi)
			sum, dot := ExpFast(got, x, hi)
			for i := range x {
				if x[i]-hi < -87 {
					continue
				}
				if ulps(got[i], want[i]) > 3 {
					t.Fatalf("exp(%v) = %v, want %v", x[i]-hi, got[i], want[i])
				}
			}
			s, d := sumsGo(want, x, hi)
			if math.Abs(sum-s) > 1e-6*s || math.Abs(dot-d) > 1e-6*math.Abs(d) {
				t.Errorf("%d values: sums %v %v, want %v %v", len(x), sum, dot, s, d)
			}
			if s2, d2 := ExpFast(nil, x, hi); s2 != sum || d2 != dot {
				t.Errorf("without a destination: %v %v, want %v %v", s2, d2, sum, dot)
			}
			if s2, d2 := Sums(want, x, hi); math.Abs(s2-s) > 1e-13*s || math.Abs(d2-d) > 1e-12*math.Abs(d) {
				t.Errorf("sums of given ones: %v %v, want %v %v", s2, d2, s, d)
			}
		}
	})
}

func TestBetween(t *testing.T) {
	each(t, func(t *testing.T) {
		for _, x := range rows() {
			room := len(x) + Slack
			ix, dx := make([]int32, room), make([]float32, room)
			wix, wdx := make([]int32, room), make([]float32, room)
			for _, r := range [][2]float32{{low, 100}, {-8, 0}, {0, 0}, {x[0], 5}, {-3, x[0]}} {
				k, w := Between(ix, dx, x, r[0], r[1]), betweenGo(wix, wdx, x, r[0], r[1])
				if k != w || !slices.Equal(ix[:k], wix[:k]) || !slices.Equal(dx[:k], wdx[:k]) {
					t.Errorf("%d values in (%v, %v]: %d, want %d", len(x), r[0], r[1], k, w)
				}
			}
		}
	})
}

func ulps(a, b float32) int {
	d := int(int32(math.Float32bits(a))) - int(int32(math.Float32bits(b)))
	return max(d, -d)
}

func TestExpIsNearlyAlwaysNearest(t *testing.T) {
	each(t, func(t *testing.T) {
		x := make([]float32, 1<<16)
		for i := range x {
			x[i] = -float32(i) / 1024
		}
		got := make([]float32, len(x))
		Exp(got, x, 0)
		off := 0
		for i, v := range x {
			if got[i] != float32(math.Exp(float64(v))) {
				off++
			}
		}
		if off > len(x)/100 {
			t.Errorf("%d of %d are not the nearest float32", off, len(x))
		}
	})
}

func TestThresholds(t *testing.T) {
	each(t, func(t *testing.T) {
		for _, x := range rows() {
			w := make([]float32, len(x))
			for i := range w {
				w[i] = float32(i%13) / 8
			}
			for _, at := range []float32{low, -100, -8, 0, x[0], x[len(x)-1], 2.5, 100} {
				if got, want := CountAbove(x, at), countAboveGo(x, at); got != want {
					t.Errorf("%d of %d above %v, want %d", got, len(x), at, want)
				}
				n, s := SumAbove(x, w, at)
				wn, ws := sumAboveGo(x, w, at)
				if n != wn || s != ws { // eighths add up exactly
					t.Errorf("sum above %v: %d %v, want %d %v", at, n, s, wn, ws)
				}
				checkCompress(t, x, w, at)
			}
		}
	})
}

func checkCompress(t *testing.T, x, w []float32, at float32) {
	room := len(x) + Slack
	ix, dx, de := make([]int32, room), make([]float32, room), make([]float32, room)
	copy(dx, x)
	copy(de, w)
	k := Compress(ix, dx, de, dx[:len(x)], de[:len(x)], 10, at)
	j := 0
	for i, v := range x {
		if !(v >= at) {
			continue
		}
		if j >= k || ix[j] != int32(i+10) || dx[j] != v || de[j] != w[i] {
			t.Fatalf("compress from %v: element %d differs", at, j)
		}
		j++
	}
	if j != k {
		t.Errorf("compress from %v: %d elements, want %d", at, k, j)
	}
}

func TestMomentsAndSink(t *testing.T) {
	each(t, func(t *testing.T) {
		for _, x := range rows() {
			n, s, q := Moments(x)
			wn, ws, wq := momentsGo(x)
			if n != wn || math.Abs(s-ws) > 1e-9*(1+math.Abs(ws)) || math.Abs(q-wq) > 1e-9*wq {
				t.Errorf("%d values: %d %v %v, want %d %v %v", len(x), n, s, q, wn, ws, wq)
			}
			for _, at := range []float32{low, -8, 0, x[0], 100} {
				got, want := slices.Clone(x), slices.Clone(x)
				if k, w := Sink(got, at), sinkGo(want, at); k != w || !slices.Equal(got, want) {
					t.Errorf("%d values sunk below %v: %d, want %d", len(x), at, k, w)
				}
			}
		}
	})
}

// TestSumsAsALoopMakesThem wants every bit of the slow sums, on rows in which
// roundings tie, sums cross powers of two, and values are large and small.
func TestSumsAsALoopMakesThem(t *testing.T) {
	each(t, func(t *testing.T) {
		z := uint64(1)
		next := func() uint64 {
			z = z*6364136223846793005 + 1442695040888963407
			return z >> 33
		}
		for trial := range 300 {
			n := 1 + int(next()%5000)
			x := make([]float32, n)
			for i := range x {
				u := float32(next()%(1<<20)) / (1 << 20)
				switch trial % 6 {
				case 0:
					x[i] = u
				case 1:
					x[i] = float32(math.Exp(-12 * float64(u)))
				case 2:
					x[i] = float32(next()%8) / 8 // ties all over
				case 3:
					x[i] = float32(math.Ldexp(float64(u), -int(next()%140)))
				case 4:
					x[i] = u * 1e30
				case 5:
					x[i] = float32(math.Ldexp(1, -int(next()%40))) // powers of two: every kind of tie
				}
			}
			if got, want := SumFloat32(x), sumFloat32Go(x); got != want {
				t.Errorf("trial %d, %d values: sum %v, want %v", trial, n, got, want)
			}
			for i := range x {
				if i%50 == 7 {
					x[i] = low
				} else if i%2 == 0 {
					x[i] = -x[i]
				}
			}
			for _, mean := range []float32{0, 0.25, -1.5} {
				if got, want := SquaresFloat32(x, mean), squaresFloat32Go(x, mean); got != want && want == want {
					t.Errorf("trial %d, %d values: squares %v, want %v", trial, n, got, want)
				}
			}
		}
	})
}

func TestDiv(t *testing.T) {
	each(t, func(t *testing.T) {
		for _, x := range rows() {
			got := slices.Clone(x)
			Div(got, 0.7)
			for i, v := range x {
				if got[i] != v/0.7 {
					t.Fatalf("%v/0.7 = %v, want %v", v, got[i], v/0.7)
				}
			}
		}
	})
}

func BenchmarkPasses(b *testing.B) {
	x := make([]float32, 128256)
	for i := range x {
		x[i] = -float32(i%4000) / 500
	}
	w := make([]float32, len(x))
	for i := range w {
		w[i] = float32(math.Exp(float64(x[i]))) * float32(1+i%7) / 3
	}
	dst, bm := make([]float32, len(x)+Slack), make([]float32, Blocks(len(x)))
	ix := make([]int32, len(x)+Slack)
	y := make([]float32, len(x)+Slack)
	for _, p := range []struct {
		name string
		f    func()
	}{
		{"copy", func() { copy(dst, x) }},
		{"max", func() { MaxBlocks(bm, x) }},
		{"exp", func() { Exp(dst[:len(x)], x, 0) }},
		{"expfast", func() { ExpFast(dst[:len(x)], x, 0) }},
		{"expsums", func() { ExpFast(nil, x, 0) }},
		{"between", func() { Between(ix, dst, x, -4, -3.9) }},
		{"seqsum", func() { SumFloat32(w) }},
		{"seqsquares", func() { SquaresFloat32(x, -4) }},
		{"div", func() { Div(dst, 0.999999) }},
		{"count", func() { CountAbove(x, -4) }},
		{"sum", func() { SumAbove(x, x, -4) }},
		{"compress", func() { Compress(ix, dst, y, x, x, 0, -4) }},
	} {
		b.Run(p.name, func(b *testing.B) {
			for b.Loop() {
				p.f()
			}
		})
	}
}
