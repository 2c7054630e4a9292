//go:build amd64 || arm64

package quant

import (
	"math"
	"math/rand/v2"
	"testing"

	"logitscope/models/gguf"
)

// at runs f with the kernels of one level.
func at(l level, f func()) {
	was := best
	best = l
	defer func() { best = was }()
	f()
}

// TestAssemblyEqualsPortable multiplies random and adversarial matrices of
// every type both ways: all results must have the same bits.
func TestAssemblyEqualsPortable(t *testing.T) {
	if best == portable {
		t.Skip("no assembly for this processor")
	}
	r := rand.New(rand.NewPCG(3, 4))
	for typ := range formats {
		for _, cols := range []int{32, 64, 96, 128, 256, 288, 512, 576, 1280} {
			if cols%typ.BlockSize() != 0 {
				continue
			}
			for _, n := range []int{1, 2, 3, 4, 5, 33} {
				for _, kind := range weightKinds {
					m := kind.make(r, typ, 5, cols)
					x := hardVectors(r, n, cols)
					compareTwins(t, kind.name, m, x, n)
				}
			}
		}
	}
}

func compareTwins(t *testing.T, kind string, m Matrix, x []float32, n int) {
	t.Helper()
	var a Activations
	got, want := make([]float32, n*m.Rows), make([]float32, n*m.Rows)
	mul := func(dst []float32) {
		a.Set(x, n, m.Cols) // as the level takes it
		m.Mul(dst, &a, 0, m.Rows)
	}
	at(portable, func() { mul(want) })
	for l := portable + 1; l <= best; l++ {
		at(l, func() { mul(got) })
		for i := range got {
			if !sameBits(got[i], want[i]) {
				t.Fatalf("level %d, %s %s, %d columns, %d vectors: vector %d row %d is %v (%#x), the portable code gives %v (%#x)", l, m.Type, kind, m.Cols, n,
					i/m.Rows, i%m.Rows, got[i], math.Float32bits(got[i]), want[i], math.Float32bits(want[i]))
			}
		}
	}
}

// weightKinds are ways to fill a matrix that strain the kernels.
var weightKinds = []struct {
	name string
	make func(r *rand.Rand, typ gguf.Type, rows, cols int) Matrix
}{
	{"random bytes", func(r *rand.Rand, typ gguf.Type, rows, cols int) Matrix {
		return randomMatrix(r, typ, rows, cols)
	}},
	{"zeros", func(r *rand.Rand, typ gguf.Type, rows, cols int) Matrix {
		m := randomMatrix(r, typ, rows, cols)
		clear(m.Data)
		return m
	}},
	{"0x80", filled(0x80)},
	{"0x7f", filled(0x7f)},
	{"0x01, subnormal scales", filled(0x01)},
	{"0x55", filled(0x55)},
	{"largest and finite", filled(0x7b)},
	{"negative", filled(0xbb)},
}

func filled(b byte) func(r *rand.Rand, typ gguf.Type, rows, cols int) Matrix {
	return func(r *rand.Rand, typ gguf.Type, rows, cols int) Matrix {
		m := randomMatrix(r, typ, rows, cols)
		for i := range m.Data {
			m.Data[i] = b
		}
		return m
	}
}

// hardVectors mixes ordinary values with blocks of zeros, extremes, equal
// values and subnormals.
func hardVectors(r *rand.Rand, n, cols int) []float32 {
	x := make([]float32, n*cols)
	for b := 0; b < len(x); b += 32 {
		kind := r.IntN(8)
		for i := b; i < min(b+32, len(x)); i++ {
			v := float32(r.NormFloat64())
			switch kind {
			case 0:
				v = 0
			case 1:
				v = -2.5
			case 2:
				v *= 1e-38
			case 3:
				v *= 1e30
			case 4:
				v = float32(math.Copysign(1, r.NormFloat64()))
			}
			x[i] = v
		}
	}
	return x
}

// FuzzTwins decodes and multiplies arbitrary bytes at every level.
func FuzzTwins(f *testing.F) {
	for _, v := range readVectors(f).Types {
		for _, x := range v.Vectors {
			f.Add(uint8(v.Type), uint8(3), unhex(f, x.BytesHex))
		}
	}
	f.Fuzz(func(t *testing.T, typ, n uint8, data []byte) {
		format := formatOf(gguf.Type(typ))
		if format == nil || len(data) < format.bytes || n == 0 || n > 9 {
			return
		}
		blocks := len(data) / format.bytes
		m := rowMatrix(t, gguf.Type(typ), blocks*format.block, data[:blocks*format.bytes:blocks*format.bytes])
		x := hardVectors(rand.New(rand.NewPCG(uint64(typ), uint64(n))), int(n), m.Cols)
		compareTwins(t, "fuzz", m, x, int(n))
		want, got := make([]float32, m.Cols), make([]float32, m.Cols)
		at(portable, func() { m.Row(want, 0) })
		m.Row(got, 0)
		for i := range got {
			if !sameBits(got[i], want[i]) {
				t.Fatalf("%s: element %d is %v, the portable code gives %v", m.Type, i, got[i], want[i])
			}
		}
	})
}
