package quant

import (
	"math"
	"math/rand/v2"
	"testing"

	"logitscope/models/gguf"
)

func randomMatrix(r *rand.Rand, typ gguf.Type, rows, cols int) Matrix {
	f := formatOf(typ)
	m := Matrix{Type: typ, Rows: rows, Cols: cols}
	m.Data = make([]byte, rows*m.rowBytes(f))
	for i := range m.Data {
		m.Data[i] = byte(r.Uint32())
	}
	return m
}

func TestQuick(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	m := randomMatrix(r, gguf.Q8_0, 3, 96)
	for i := 0; i < len(m.Data); i += 34 {
		m.Data[i+1] = 0x20
	}
	x := make([]float32, 2*96)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	var a Activations
	a.Set(x, 2, 96)
	dst := make([]float32, 6)
	m.Mul(dst, &a, 0, 3)
	w := make([]float32, 96)
	for v := range 2 {
		for row := range 3 {
			m.Row(w, row)
			want := 0.0
			for i := range w {
				want += float64(w[i]) * float64(x[v*96+i])
			}
			if d := math.Abs(want - float64(dst[v*3+row])); d > 1e-3 {
				t.Errorf("%v %v: got %v want %v", v, row, dst[v*3+row], want)
			}
		}
	}
}
