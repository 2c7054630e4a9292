package ggml

import (
	"bytes"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"logitscope/models/gguf"
	"logitscope/models/quant"
)

// plainly runs f without assembly.
func plainly(f func()) {
	avx2, vnni := useAVX2, useVNNI
	useAVX2, useVNNI = false, false
	defer func() { useAVX2, useVNNI = avx2, vnni }()
	f()
}

// repeats returns n, or few where tests are to be short.
func repeats(n, few int) int {
	if testing.Short() {
		return few
	}
	return n
}

func sameBits(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
}

// hard returns values of all sizes, with runs of zeros and of one value.
func hard(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	kind := 0
	for i := range x {
		if i%16 == 0 {
			kind = r.IntN(10)
		}
		v := r.NormFloat64()
		switch kind {
		case 0:
			v = 0
		case 1:
			v = -1.5
		case 2:
			v *= 1e-39
		case 3:
			v *= 1e30
		case 4:
			v = math.Round(v * 4)
		}
		x[i] = float32(v)
	}
	if r.IntN(8) == 0 {
		x[r.IntN(n)] = float32([]float64{math.NaN(), math.Inf(1), math.Inf(-1)}[r.IntN(3)])
	}
	return x
}

// matrixOf returns a matrix of random bytes, or of one byte over and over:
// scales come out subnormal, infinite, NaN and negative.
func matrixOf(r *rand.Rand, t gguf.Type, rows, cols int) quant.Matrix {
	m := quant.Matrix{Type: t, Rows: rows, Cols: cols, Data: make([]byte, rows*cols/t.BlockSize()*t.BlockBytes())}
	fill := []int{-1, -1, -1, 0, 0x80, 0x7f, 0x01, 0xff, 0x3c}[r.IntN(9)]
	for i := range m.Data {
		if m.Data[i] = byte(fill); fill < 0 {
			m.Data[i] = byte(r.Uint32())
		}
	}
	return m
}

// TestTwins holds the assembly to the plain Go that defines it.
func TestTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for typ := range products {
		for _, cols := range []int{1, 31, 32, 64, 96, 256, 512, 768, 1024, 1280} {
			if cols%typ.BlockSize() != 0 {
				continue
			}
			for _, rows := range []int{1, 7, 8, 40} {
				for _, n := range []int{1, 3, 4, 9} {
					for range repeats(3, 1) {
						compareTwins(t, r, matrixOf(r, typ, rows, cols), hard(r, n*cols), n)
					}
				}
			}
		}
	}
}

func compareTwins(t *testing.T, r *rand.Rand, m quant.Matrix, x []float32, n int) {
	t.Helper()
	var a Activations
	a.Set(x, n, m.Cols)
	a.Prepare(m.Type)
	var b Activations
	b.Set(x, n, m.Cols)
	plainly(func() { b.Prepare(m.Type) })
	vnni := useVNNI
	defer func() { useVNNI = vnni }()
	for _, g := range []Generation{Current, Old} {
		got, want := make([]float32, n*m.Rows), make([]float32, n*m.Rows)
		plainly(func() { Mul(want, m, &b, 0, m.Rows, g) })
		for _, useVNNI = range []bool{false, vnni} {
			cut := r.IntN(m.Rows + 1) // in two parts, the second first
			Mul(got, m, &a, cut, m.Rows, g)
			Mul(got, m, &a, 0, cut, g)
			for i := range got {
				if !sameBits(got[i], want[i]) {
					t.Fatalf("%s %d×%d, %d vectors, generation %d, AVX-512 %v: vector %d row %d is %v, plain Go gives %v", m.Type, m.Rows, m.Cols, n, g, useVNNI, i/m.Rows, i%m.Rows, got[i], want[i])
				}
			}
			clear(got)
		}
	}
}

// TestVectorTwins does so for the functions of vectors.
func TestVectorTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	vnni := useVNNI
	defer func() { useVNNI = vnni }()
	for _, n := range []int{1, 7, 8, 16, 24, 32, 40, 64, 96, 100, 128} {
		for range repeats(60, 8) {
			x, y, rows := hard(r, n), hard(r, n), hard(r, 5*n)
			w := hard(r, 5)
			far := hard(r, n)
			for i := range far {
				far[i] *= 40
			}
			for name, f := range map[string]func() []float32{
				"softmax": func() []float32 { v := slices.Clone(far); Softmax(v); return v },
				"silu":    func() []float32 { v := slices.Clone(far); SiluMul(v, y); return v },
				"half":    func() []float32 { v := slices.Clone(x); RoundHalf(v, v); return v },
				"flash": func() []float32 {
					var f Flash
					v := make([]float32, n)
					f.Reset(v)
					f.Add(w, []Rows{{F32: rows}, {F32: rows[3*n:]}}, 3)
					f.Finish()
					return v
				},
			} {
				var want []float32
				plainly(func() { want = f() })
				for _, useVNNI = range []bool{false, vnni} {
					for i, got := range f() {
						if !sameBits(got, want[i]) {
							t.Fatalf("%s of %d, AVX-512 %v: element %d is %v, plain Go gives %v", name, n, useVNNI, i, got, want[i])
						}
					}
				}
			}
		}
	}
}

// TestActivationTwins does so for vectors rounded to 8 bits.
func TestActivationTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	for range repeats(400, 40) {
		x := hard(r, blockK*(1+r.IntN(4)))
		for _, k := range []kind{q8_0, q8_1, q8_K} {
			var got, want form
			converters[k](&got, x, len(x))
			plainly(func() { converters[k](&want, x, len(x)) })
			if !slices.Equal(got.q, want.q) || !slices.Equal(got.raised, want.raised) || !slices.Equal(got.sums, want.sums) ||
				!slices.EqualFunc(got.d, want.d, sameBits) || !slices.EqualFunc(got.s, want.s, sameBits) {
				t.Fatalf("kind %d of %v: %v %v, plain Go gives %v %v", k, x, got.d, got.q, want.d, want.q)
			}
		}
	}
}

// TestHeadTwins does so for products of queries with keys, and for values
// mixed by weights.
func TestHeadTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	vnni := useVNNI
	defer func() { useVNNI = vnni }()
	for _, n := range []int{8, 20, 32, 64, 96, 128} {
		for _, per := range []int{1, 5, 16, 32} {
			for range repeats(40, 6) {
				queries, positions, half := 1+r.IntN(14), 1+r.IntN(90), r.IntN(2) == 0
				stride := positions + r.IntN(3)
				x, w := hard(r, queries*n), hard(r, queries*stride)
				var pages []Rows
				for pos := 0; pos < positions; pos += per {
					page := Rows{F32: hard(r, per*n)}
					if half {
						page = Rows{F16: make([]uint16, per*n)}
						for i := range page.F16 {
							page.F16[i] = uint16(r.Uint32())
						}
					}
					pages = append(pages, page)
				}
				shared := r.IntN(positions + 1)
				run := func() (out []float32) {
					var q Queries
					q.Set(x, queries, n, half)
					out = make([]float32, queries*(stride+n))
					q.Dots(out, stride, pages, per, positions)
					var m Mix
					for range 2 { // what is there already does not matter
						m.Reset(queries, n)
						m.AddPages(w, stride, pages, per, shared)
						for i := range queries {
							m.Add(i, w[i*stride:][:positions], pages, per, shared)
						}
					}
					m.Total(out[queries*stride:])
					return out
				}
				var want []float32
				plainly(func() { want = run() })
				for _, useVNNI = range []bool{false, vnni} {
					for i, v := range run() {
						if !sameBits(v, want[i]) {
							t.Fatalf("%d queries of %d, %d positions in pages of %d, half %v, AVX-512 %v: element %d is %v, plain Go gives %v", queries, n, positions, per, half, useVNNI, i, v, want[i])
						}
					}
				}
			}
		}
	}
}

// TestExp holds the exponential of vectors to the true one, over its range.
func TestExp(t *testing.T) {
	for x := float32(-104); x < 89; x += 0.0137 {
		want := math.Exp(float64(x))
		ulp := math.Max(want*0x1p-23, 0x1p-149)
		for name, got := range map[string]float32{"vectors": expVector(x), "libm": exp(x)} {
			if d := math.Abs(float64(got) - want); !(d <= 2*ulp) && !math.IsInf(float64(got), 1) {
				t.Fatalf("%s: exp(%v) is %v, want %v", name, x, got, want)
			}
		}
	}
}

// TestSincos does so for sines and cosines, near and far.
func TestSincos(t *testing.T) {
	for _, step := range []float32{0.0007, 0.31, 7.7, 12345.6} {
		for x := -1000 * step; x < 1000*step; x += step {
			s, c := sincos(x)
			ws, wc := math.Sincos(float64(x))
			if math.Abs(float64(s)-ws) > 6e-8 || math.Abs(float64(c)-wc) > 6e-8 {
				t.Fatalf("%v: %v and %v, want %v and %v", x, s, c, ws, wc)
			}
		}
	}
}

// TestFMA compares with the sum of the exact product, rounded once by hand.
func TestFMA(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	bits := func() float32 { return math.Float32frombits(r.Uint32()) }
	for i := range 200000 {
		a, b, c := bits(), bits(), bits()
		if i%2 == 0 { // near enough to matter to each other
			a, b = float32(r.NormFloat64()), float32(r.NormFloat64())
			c = float32(-float64(a*b) * (1 + math.Ldexp(r.NormFloat64(), -r.IntN(30))))
		}
		if got, want := fma(a, b, c), slowFMA(a, b, c); !sameBits(got, want) {
			t.Fatalf("%v·%v + %v is %v, want %v", a, b, c, got, want)
		}
	}
}

// slowFMA adds in math/big, which rounds once.
func slowFMA(a, b, c float32) float32 {
	for _, v := range []float32{a, b, c} {
		if math.IsInf(float64(v), 0) || v != v {
			return float32(float64(a)*float64(b) + float64(c))
		}
	}
	x, y, z := bigOf(a), bigOf(b), bigOf(c)
	sum := x.Mul(x, y)
	if sum.Sign() == 0 || z.Sign() == 0 || sum.Cmp(z.Neg(z)) == 0 {
		return float32(float64(a)*float64(b) + float64(c))
	}
	f, _ := sum.Add(sum, z.Neg(z)).Float32()
	return f
}

func bigOf(v float32) *big.Float { return new(big.Float).SetPrec(1000).SetFloat64(float64(v)) }

// FuzzTwins multiplies arbitrary bytes as weights of every type.
func FuzzTwins(f *testing.F) {
	for typ := range products {
		f.Add(uint8(typ), uint8(1), uint64(1), make([]byte, 8*typ.BlockBytes()))
		f.Add(uint8(typ), uint8(4), uint64(2), bytes.Repeat([]byte{0x3c, 0x7f, 0x80}, 3*typ.BlockBytes()))
	}
	f.Fuzz(func(t *testing.T, typ, n uint8, seed uint64, data []byte) {
		g := gguf.Type(typ)
		if !Known(g) || n == 0 || n > 9 || len(data) < g.BlockBytes() {
			return
		}
		blocks := len(data) / g.BlockBytes()
		rows := 1
		if blocks%8 == 0 {
			rows = 8
		}
		m := quant.Matrix{Type: g, Rows: rows, Cols: blocks / rows * g.BlockSize(), Data: data[:blocks*g.BlockBytes()]}
		r := rand.New(rand.NewPCG(seed, 1))
		compareTwins(t, r, m, hard(r, int(n)*m.Cols), int(n))
	})
}
