package quant

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"logitscope/models/gguf"
)

// randomMatrix fills a matrix with random bytes: any bytes are a matrix,
// though some weights may be NaN.
func randomMatrix(r *rand.Rand, typ gguf.Type, rows, cols int) Matrix {
	m := Matrix{Type: typ, Rows: rows, Cols: cols}
	m.Data = make([]byte, rows*m.rowBytes(formatOf(typ)))
	for i := range m.Data {
		m.Data[i] = byte(r.Uint32())
	}
	return m
}

// tameMatrix is randomMatrix with finite weights of ordinary size.
func tameMatrix(r *rand.Rand, typ gguf.Type, rows, cols int) Matrix {
	for {
		m := randomMatrix(r, typ, rows, cols)
		for i := range m.Data {
			m.Data[i] &= 0x3f // halves below 2, floats too
		}
		row, ok := make([]float32, cols), true
		for i := range rows {
			m.Row(row, i)
			for _, v := range row {
				ok = ok && math.Abs(float64(v)) < 1e6
			}
		}
		if ok {
			return m
		}
	}
}

func normal(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

func mulAll(m Matrix, x []float32, n int) []float32 {
	var a Activations
	a.Set(x, n, m.Cols)
	dst := make([]float32, n*m.Rows)
	m.Mul(dst, &a, 0, m.Rows)
	return dst
}

// sameBits reports whether two results are equal to the last bit. One NaN is
// as good as another.
func sameBits(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
}

// eachType calls f with a small matrix of every type, with an odd number of
// rows and of blocks.
func eachType(t *testing.T, f func(t *testing.T, r *rand.Rand, m Matrix)) {
	for typ := range formats {
		t.Run(typ.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(typ), 9))
			f(t, r, tameMatrix(r, typ, 7, 5*typ.BlockSize()))
		})
	}
}

// TestMulIsTheProduct compares with sums in float64 of the decoded weights.
func TestMulIsTheProduct(t *testing.T) {
	eachType(t, func(t *testing.T, r *rand.Rand, m Matrix) {
		const n = 3
		x := normal(r, n*m.Cols)
		got := mulAll(m, x, n)
		w := make([]float32, m.Cols)
		for row := range m.Rows {
			m.Row(w, row)
			for v := range n {
				want, size := 0.0, 0.0
				for i := range w {
					p := float64(w[i]) * float64(x[v*m.Cols+i])
					want += p
					size += math.Abs(p)
				}
				if d := math.Abs(want - float64(got[v*m.Rows+row])); d > 1e-6*size {
					t.Fatalf("row %d of vector %d is %v, want %v", row, v, got[v*m.Rows+row], want)
				}
			}
		}
	})
}

// TestMulEqualsDecodedRows holds products to the package comment: the same
// bits as with the decoded rows stored as F32.
func TestMulEqualsDecodedRows(t *testing.T) {
	eachType(t, func(t *testing.T, r *rand.Rand, m Matrix) {
		wide := Matrix{Type: gguf.F32, Rows: m.Rows, Cols: m.Cols}
		row := make([]float32, m.Cols)
		for i := range m.Rows {
			m.Row(row, i)
			for _, v := range row {
				b := math.Float32bits(v)
				wide.Data = append(wide.Data, byte(b), byte(b>>8), byte(b>>16), byte(b>>24))
			}
		}
		for _, n := range []int{1, 2, 5, 9} {
			x := normal(r, n*m.Cols)
			got, want := mulAll(m, x, n), mulAll(wide, x, n)
			for i := range got {
				if !sameBits(got[i], want[i]) {
					t.Fatalf("%d vectors: element %d is %v, decoded rows give %v", n, i, got[i], want[i])
				}
			}
		}
	})
}

// TestBatchesAndWorkersDoNotMatter multiplies many vectors at once, one at a
// time, and with the rows shared out.
func TestBatchesAndWorkersDoNotMatter(t *testing.T) {
	eachType(t, func(t *testing.T, r *rand.Rand, m Matrix) {
		const n = 13
		x := normal(r, n*m.Cols)
		want := make([]float32, 0, n*m.Rows)
		for v := range n {
			want = append(want, mulAll(m, x[v*m.Cols:][:m.Cols], 1)...)
		}
		for size := 1; size <= n; size++ {
			var got []float32
			for v := 0; v < n; v += size {
				k := min(size, n-v)
				got = append(got, mulAll(m, x[v*m.Cols:][:k*m.Cols], k)...)
			}
			for i := range got {
				if !sameBits(got[i], want[i]) {
					t.Fatalf("%d at a time: element %d is %v, one at a time %v", size, i, got[i], want[i])
				}
			}
		}
		var a Activations
		a.Set(x, n, m.Cols)
		shared := make([]float32, n*m.Rows)
		var wg sync.WaitGroup
		for lo := 0; lo < m.Rows; lo += 2 {
			wg.Go(func() { m.Mul(shared, &a, lo, min(lo+2, m.Rows)) })
		}
		wg.Wait()
		for i := range shared {
			if !sameBits(shared[i], want[i]) {
				t.Fatalf("shared rows: element %d is %v, want %v", i, shared[i], want[i])
			}
		}
	})
}

func TestMulTouchesOnlyItsRows(t *testing.T) {
	eachType(t, func(t *testing.T, r *rand.Rand, m Matrix) {
		for _, n := range []int{1, 4, 9} {
			var a Activations
			a.Set(normal(r, n*m.Cols), n, m.Cols)
			dst := make([]float32, n*m.Rows+1)
			for i := range dst {
				dst[i] = -77
			}
			m.Mul(dst, &a, 2, 5)
			for i, v := range dst {
				if row := i % m.Rows; (i == n*m.Rows || row < 2 || row >= 5) && v != -77 {
					t.Fatalf("%d vectors: element %d was changed", n, i)
				} else if i < n*m.Rows && row >= 2 && row < 5 && v == -77 {
					t.Fatalf("%d vectors: element %d was not set", n, i)
				}
			}
		}
	})
}

func TestNoAllocations(t *testing.T) {
	if underRace {
		t.Skip("the race detector allocates")
	}
	eachType(t, func(t *testing.T, r *rand.Rand, m Matrix) {
		const most = 9
		x, dst, row := normal(r, most*m.Cols), make([]float32, most*m.Rows), make([]float32, m.Cols)
		var a Activations
		a.Set(x, most, m.Cols)
		for _, n := range []int{1, 4, most} {
			if got := testing.AllocsPerRun(20, func() {
				a.Set(x, n, m.Cols)
				m.Mul(dst, &a, 0, m.Rows)
				m.Row(row, 0)
			}); got >= 1 {
				t.Errorf("%d vectors: %v allocations", n, got)
			}
		}
	})
}

func TestNotANumberIsNotHidden(t *testing.T) {
	eachType(t, func(t *testing.T, r *rand.Rand, m Matrix) {
		for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(1))} {
			x := normal(r, m.Cols)
			x[m.Cols-1] = bad
			row := make([]float32, m.Cols)
			for i, v := range mulAll(m, x, 1) {
				m.Row(row, i)
				if finite := v-v == 0; finite {
					t.Errorf("row %d times %v is %v", i, bad, v)
				}
			}
		}
	})
}

func TestNewRefuses(t *testing.T) {
	for want, tensor := range map[string]*gguf.Tensor{
		`t.gguf: tensor "a" at byte 64: is of type I32, which has no decoder`:          {Name: "a", Type: gguf.I32, Dims: []uint64{1}, Data: make([]byte, 4)},
		`t.gguf: tensor "b" at byte 64: has 3 dimensions, not 1 or 2`:                  {Name: "b", Type: gguf.F32, Dims: []uint64{1, 1, 1}, Data: make([]byte, 4)},
		`t.gguf: tensor "c" at byte 64: has rows of 31 elements, not a multiple of 32`: {Name: "c", Type: gguf.Q8_0, Dims: []uint64{31}, Data: make([]byte, 34)},
		`t.gguf: tensor "d" at byte 64: has 33 bytes, which do not fit [32]`:           {Name: "d", Type: gguf.Q8_0, Dims: []uint64{32}, Data: make([]byte, 33)},
		`t.gguf: tensor "e\x1b" at byte 64: is of type type(99), which has no decoder`: {Name: "e\x1b", Type: 99, Dims: []uint64{1}},
	} {
		tensor.File, tensor.Offset = "t.gguf", 64
		_, err := New(tensor)
		var e *gguf.Error
		if !errors.As(err, &e) || err.Error() != want {
			t.Errorf("got error %v, want %s", err, want)
		}
	}
	if _, err := Slices(&gguf.Tensor{Name: "m", Type: gguf.F32, Dims: []uint64{1, 1}, Data: make([]byte, 4)}); err == nil || !strings.Contains(err.Error(), "not 3") {
		t.Errorf("Slices of a matrix: error %v", err)
	}
}

func TestSlicesAndSliceShareTheTensor(t *testing.T) {
	data := make([]byte, 2*3*4*4)
	for i := range data {
		data[i] = byte(i)
	}
	all, err := Slices(&gguf.Tensor{Type: gguf.F32, Dims: []uint64{4, 3, 2}, Data: data})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 2 || all[1].Rows != 3 || all[1].Cols != 4 || &all[1].Data[0] != &data[48] {
		t.Fatalf("got %d matrices, second %d×%d", len(all), all[1].Rows, all[1].Cols)
	}
	part := all[1].slice(1, 3)
	if part.Rows != 2 || &part.Data[0] != &data[64] || len(part.Data) != 32 {
		t.Errorf("rows 1 to 2 are %d rows of %d bytes", part.Rows, len(part.Data))
	}
}

func TestMisuseSaysWhatIsWrong(t *testing.T) {
	m := Matrix{Type: gguf.F32, Rows: 2, Cols: 32, Data: make([]byte, 256)}
	var a Activations
	a.Set(make([]float32, 32), 1, 32)
	for name, f := range map[string]func(){
		"row 2 of 2":            func() { m.Row(make([]float32, 32), 2) },
		"rows 0 to 3 of a 2×32": func() { m.Mul(make([]float32, 2), &a, 0, 3) },
		"into 1 values":         func() { m.Mul(make([]float32, 1), &a, 0, 2) },
		"31 values for 1":       func() { a.Set(make([]float32, 31), 1, 32) },
		"rows 1 to 3 of 2":      func() { m.slice(1, 3) },
	} {
		func() {
			defer func() {
				if s, _ := recover().(string); !strings.Contains(s, name) {
					t.Errorf("panic %q does not say %q", s, name)
				}
			}()
			f()
		}()
	}
}
