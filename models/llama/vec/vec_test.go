package vec

import (
	"math"
	"math/rand/v2"
	"testing"
)

// noise returns numbers of many sizes. If wild, some are not finite.
func noise(r *rand.Rand, n int, wild bool) []float32 {
	special := []float32{0, float32(math.Copysign(0, -1)), 1e-40, -1e-40, math.MaxFloat32, -math.MaxFloat32,
		float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 88, 88.00001, -87, -87.00001}
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64() * math.Exp(4*r.NormFloat64()-2))
		if wild && r.IntN(20) == 0 {
			x[i] = special[r.IntN(len(special))]
		}
	}
	return x
}

// equal compares bits; one NaN is as good as another.
func equal(a, b []float32) bool {
	for i := range a {
		if math.Float32bits(a[i]) != math.Float32bits(b[i]) && (a[i] == a[i] || b[i] == b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}

func clone(x []float32) []float32 { return append([]float32(nil), x...) }

// TestTwins compares what runs on this machine with the portable code.
func TestTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 3000 {
		n, rows, wild := 1+r.IntN(150), 1+r.IntN(40), round%2 == 0
		if r.IntN(2) == 0 {
			n = 8 * (1 + r.IntN(20))
		}
		q, m, w := noise(r, n, wild), noise(r, n*rows, wild), noise(r, rows, wild)

		a, b := make([]float32, rows), make([]float32, rows)
		DotRows(a, q, m)
		dotRowsGeneric(b, q, m)
		if !equal(a, b) {
			t.Fatalf("DotRows of %d rows of %d differs", rows, n)
		}
		a, b = clone(q), clone(q)
		AddScaledRows(a, w, m)
		addScaledRowsGeneric(b, w, m)
		if !equal(a, b) {
			t.Fatalf("AddScaledRows of %d rows of %d differs", rows, n)
		}
		a, b = clone(q), clone(q)
		x, y := ExpSub(a, w[0]), expSubGeneric(b, w[0])
		if !equal(append(a, x), append(b, y)) {
			t.Fatalf("ExpSub of %d differs", n)
		}
		a, b = clone(q), clone(q)
		SiluMul(a, m[:n])
		siluMulGeneric(b, m[:n])
		if !equal(a, b) {
			t.Fatalf("SiluMul of %d differs", n)
		}
		if x, y := Max(q), maxGeneric(q); x != y {
			t.Fatalf("Max is %v, want %v", x, y)
		}
	}
}

// TestSums compares with float64 and checks the order by hand.
func TestSums(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 70 {
		a, b := noise(r, n, false), noise(r, n, false)
		want, size := 0.0, 0.0
		for i := range a {
			p := float64(a[i]) * float64(b[i])
			want += p
			size += math.Abs(p)
		}
		if d := math.Abs(float64(dot(a, b)) - want); d > 1e-6*size {
			t.Errorf("Dot of %d is off by %g", n, d)
		}
	}
	// 1e8 swallows a 1 that is added to it. By lanes both ones are lost, from
	// left to right the second would stay.
	x := []float32{1, 1e8, -1e8, 1, 0, 0, 0, 0, 0.5}
	if got := sum(x); got != 0.5 {
		t.Errorf("Sum is %v, want 0.5: (1+1e8)+(-1e8+1), then 0.5", got)
	}
}

// relative returns the error of a against b.
func relative(a float32, b float64) float64 {
	return math.Abs(float64(a)-b) / max(math.Abs(b), 1e-300)
}

func TestExp(t *testing.T) {
	worst := 0.0
	for x := float32(-87); x <= 88; x += 0.00337 {
		worst = max(worst, relative(Exp(x), math.Exp(float64(x))))
	}
	if worst > 2.4e-7 {
		t.Errorf("relative error %g", worst)
	}
	inf := float32(math.Inf(1))
	for x, want := range map[float32]float32{0: 1, 89: inf, inf: inf, -88: 0, -inf: 0} {
		if got := Exp(x); got != want {
			t.Errorf("Exp(%v) = %v, want %v", x, got, want)
		}
	}
	if got := Exp(float32(math.NaN())); got == got {
		t.Errorf("Exp(NaN) = %v", got)
	}
}

func TestActivations(t *testing.T) {
	for x := float32(-30); x < 30; x += 0.013 {
		v := float64(x)
		one := []float32{x}
		SiluMul(one, []float32{2})
		check := func(name string, got float32, want float64) {
			if d := math.Abs(float64(got) - want); !(d <= 3e-6*max(1, math.Abs(want))) {
				t.Fatalf("%s(%v) = %v, want %v", name, x, got, want)
			}
		}
		check("SiLU", one[0]/2, v/(1+math.Exp(-v)))
		one[0] = x
		Gelu(one)
		want := 0.5 * v * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(v+0.044715*v*v*v)))
		check("GELU", one[0], want)
		one[0] = x
		GeluMul(one, []float32{-3})
		check("GeGLU", one[0], -3*want)
		one[0] = x
		Softcap(one, 7)
		check("Softcap", one[0], 7*math.Tanh(v/7))
		one[0] = x
		ClampedSwiglu(one, []float32{2 * x}, 1.702, 7)
		g, u := min(v, 7), max(-7, min(2*v, 7))
		check("ClampedSwiglu", one[0], g/(1+math.Exp(-1.702*g))*(u+1))
		check("Sigmoid", Sigmoid(x), 1/(1+math.Exp(-v)))
	}
}

func TestNorms(t *testing.T) {
	x, w := []float32{1, -2, 3, -4}, []float32{1, 2, 3, 4}
	got := make([]float32, 4)
	RMSNorm(got, x, w, 0.5) // the mean of the squares is 7.5
	f := math.Sqrt(8)
	for i, want := range []float64{1 / f, -4 / f, 9 / f, -16 / f} {
		if relative(got[i], want) > 1e-6 {
			t.Errorf("RMSNorm %d: %v, want %v", i, got[i], want)
		}
	}
	LayerNorm(got, x, w, []float32{1, 1, 1, 1}, 0.75) // mean -0.5, variance 7.25
	for i, want := range []float64{1.5/f + 1, -3/f + 1, 10.5/f + 1, -14/f + 1} {
		if relative(got[i], want) > 1e-6 {
			t.Errorf("LayerNorm %d: %v, want %v", i, got[i], want)
		}
	}
}

func TestSoftmax(t *testing.T) {
	x := []float32{0, float32(math.Log(3)), float32(math.Inf(-1)), float32(math.Log(4))}
	Softmax(x)
	for i, want := range []float32{0.125, 0.375, 0, 0.5} {
		if d := x[i] - want; d > 1e-6 || d < -1e-6 {
			t.Errorf("element %d: %v, want %v", i, x[i], want)
		}
	}
	Softmax(nil)
}

// TestExact compares the table functions with the standard library's.
func TestExact(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20000 {
		x := r.NormFloat64() * math.Exp(12*r.Float64())
		s, c := Sincos(x)
		ws, wc := math.Sincos(x)
		if d := max(math.Abs(s-ws), math.Abs(c-wc)); d > 1e-14 {
			t.Fatalf("Sincos(%v) is off by %g", x, d)
		}
		y := math.Exp(40*r.Float64() - 20)
		if d := math.Abs(Log(y) - math.Log(y)); d > 1e-14 {
			t.Fatalf("Log(%v) is off by %g", y, d)
		}
		p := 2*r.Float64() - 1
		if d := math.Abs(Pow(y, p)/math.Pow(y, p) - 1); d > 1e-13 {
			t.Fatalf("Pow(%v, %v) is off by %g", y, p, d)
		}
	}
	for _, x := range []float64{1e10, 1e300, -1e300} {
		if s, c := Sincos(x); math.Abs(s*s+c*c-1) > 1e-12 {
			t.Errorf("Sincos(%v) = %v, %v", x, s, c)
		}
	}
}

// TestHalf goes through every half, and rounds numbers between them.
func TestHalf(t *testing.T) {
	all := make([]uint16, 1<<16)
	for i := range all {
		all[i] = uint16(i)
	}
	wide, back := make([]float32, len(all)), make([]uint16, len(all))
	FromHalf(wide, all)
	portable := make([]float32, len(all))
	if fromHalfGeneric(portable, all); !equal(wide, portable) {
		t.Error("FromHalf differs from its portable twin")
	}
	ToHalf(back, wide)
	for i, h := range all {
		exp, frac := int(h>>10&31), float64(h&1023)
		want := math.Ldexp(1+frac/1024, exp-15)
		switch {
		case exp == 0:
			want = math.Ldexp(frac, -24)
		case exp == 31 && frac == 0:
			want = math.Inf(1)
		case exp == 31:
			if wide[i] == wide[i] || back[i]&0x7c00 != 0x7c00 || back[i]&0x3ff == 0 {
				t.Fatalf("NaN %#x becomes %v and %#x", h, wide[i], back[i])
			}
			continue
		}
		if h>>15 == 1 {
			want = -want
		}
		if float64(wide[i]) != want || back[i] != h {
			t.Fatalf("%#x becomes %v, want %v, and back %#x", h, wide[i], want, back[i])
		}
		if exp < 30 { // halfway to the next rounds to even, a little beyond rounds up
			next := []uint16{h + 1}
			var w [1]float32
			FromHalf(w[:], next)
			mid := (wide[i] + w[0]) / 2
			far := math.Nextafter32(mid, w[0])
			var got [2]uint16
			ToHalf(got[:], []float32{mid, far})
			even := h
			if h&1 == 1 {
				even = h + 1
			}
			if got != [2]uint16{even, h + 1} {
				t.Fatalf("%v and %v round to %#x, want %#x and %#x", mid, far, got, even, h+1)
			}
		}
	}
}

func BenchmarkExpSub(b *testing.B) {
	x := make([]float32, 256)
	b.SetBytes(256 * 4)
	for b.Loop() {
		ExpSub(x, 0.5)
	}
}

func BenchmarkDotRows(b *testing.B) {
	dst, q, rows := make([]float32, 16), make([]float32, 64), make([]float32, 1024)
	b.SetBytes(1024 * 4)
	for b.Loop() {
		DotRows(dst, q, rows)
	}
}

func BenchmarkAddScaledRows(b *testing.B) {
	dst, w, rows := make([]float32, 64), make([]float32, 16), make([]float32, 1024)
	b.SetBytes(1024 * 4)
	for b.Loop() {
		AddScaledRows(dst, w, rows)
	}
}

// BenchmarkPortable is BenchmarkDotRows without assembly.
func BenchmarkPortable(b *testing.B) {
	dst, q, rows := make([]float32, 16), make([]float32, 64), make([]float32, 1024)
	b.SetBytes(1024 * 4)
	for b.Loop() {
		dotRowsGeneric(dst, q, rows)
	}
}

// Prefetch takes slices of any length, none and less than a cache line too.
func TestPrefetch(t *testing.T) {
	for _, n := range []int{0, 1, 15, 16, 17, 31, 32, 1000} {
		Prefetch(make([]float32, n))
		Prefetch(make([]uint16, n))
	}
}
