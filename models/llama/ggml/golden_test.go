package ggml

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"logitscope/models/gguf"
	"logitscope/models/llama/vec"
	"logitscope/models/quant"
)

// The vectors are llama.cpp's own; see testdata/README.md.
type vectors struct {
	N      int
	Inputs []struct {
		About string
		X     []byte
	}
	Activations map[string]struct{ AVX2 [][]byte }
	Weights     map[string]struct {
		Activation string
		Rows       [][]byte
		Dots       [][]float32 `json:"dot_avx2"`
	}
}

func readVectors(t *testing.T) (v vectors) {
	t.Helper()
	b, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func (v *vectors) input(i int) []float32 {
	x := make([]float32, v.N)
	widenF32(x, v.Inputs[i].X)
	return x
}

// stored lays a vector out as ggml stores it.
func stored(k kind, v vector) (b []byte) {
	put16 := binary.LittleEndian.AppendUint16
	half := func(f float32) uint16 {
		var h [1]uint16
		vec.ToHalf(h[:], []float32{f})
		return h[0]
	}
	raw := func(q []int8) {
		for _, x := range q {
			b = append(b, byte(x))
		}
	}
	switch k {
	case f16:
		for _, x := range v.f {
			b = put16(b, half(x))
		}
	case bf16:
		for _, x := range v.f {
			b = put16(b, uint16(math.Float32bits(x)>>16))
		}
	case q8_0, q8_1:
		for i, d := range v.d {
			b = put16(b, half(d))
			if k == q8_1 {
				b = put16(b, half(v.s[i]))
			}
			raw(v.q[i*block:][:block])
		}
	case q8_K:
		for i, d := range v.d {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(d))
			raw(v.q[i*blockK:][:blockK])
			for _, s := range v.sums[i*16:][:16] {
				b = put16(b, uint16(s))
			}
		}
	}
	return b
}

var kindNames = map[string]kind{"f32": f32, "f16": f16, "bf16": bf16, "q8_0": q8_0, "q8_1": q8_1, "q8_K": q8_K}

func TestActivationsAreGgmls(t *testing.T) {
	v := readVectors(t)
	if len(v.Activations) == 0 {
		t.Fatal("no activations")
	}
	for name, want := range v.Activations {
		k := kindNames[name]
		for i := range v.Inputs {
			var a Activations
			a.Set(v.input(i), 1, v.N)
			converters[k](&a.forms[k], a.x, v.N)
			got := stored(k, a.vector(k, 0))
			if string(got) != string(want.AVX2[i]) {
				t.Errorf("%s: %s: other bytes: %s", name, v.Inputs[i].About, base64.StdEncoding.EncodeToString(got)[:40])
			}
		}
	}
}

func TestDotsAreGgmls(t *testing.T) {
	v := readVectors(t)
	seen := 0
	for typ, p := range products {
		w, ok := v.Weights[storedName(typ)]
		if !ok {
			t.Errorf("no rows of %s", typ)
			continue
		}
		if kindNames[w.Activation] != p.kind {
			t.Errorf("%s takes %s", typ, w.Activation)
		}
		for i := range v.Inputs {
			var a Activations
			a.Set(v.input(i), 1, v.N)
			a.Prepare(typ)
			x := a.vector(p.kind, 0)
			for r, row := range w.Rows {
				seen++
				if got, want := p.dot(row, &x), w.Dots[i][r]; got != want {
					t.Errorf("%s row %d, %s: %v, ggml's is %v", typ, r, v.Inputs[i].About, got, want)
				}
			}
		}
	}
	if want := len(products) * len(v.Inputs) * 4; seen != want {
		t.Errorf("%d products, want %d", seen, want)
	}
}

// storedName spells a type as the file does.
func storedName(t gguf.Type) string {
	return strings.ReplaceAll(strings.ToLower(t.String()), "_k", "_K")
}

// TestGenerations: old builds differ from the current one in Q4_K where rows
// are interleaved, and nowhere else of what they both know.
func TestGenerations(t *testing.T) {
	v := readVectors(t)
	for typ, p := range products {
		m := quant.Matrix{Type: typ, Rows: 8, Cols: v.N}
		for range 2 {
			m.Data = append(m.Data, slices.Concat(v.Weights[storedName(typ)].Rows...)...)
		}
		var a Activations
		a.Set(v.input(0), 1, v.N)
		a.Prepare(typ)
		var now, old, few [8]float32
		Mul(now[:], m, &a, 0, 8, Current)
		Mul(old[:], m, &a, 0, 8, Old)
		if want := p.late; (now != old) != want {
			t.Errorf("%s: the generations differ: %v, want %v", typ, !want, want)
		}
		m.Rows, m.Data = 4, m.Data[:len(m.Data)/2]
		Mul(few[:], m, &a, 0, 4, Current)
		if differs := [4]float32(few[:]) != [4]float32(now[:]); differs != (p.together != nil) {
			t.Errorf("%s: 4 rows differ from 8: %v", typ, differs)
		}
	}
}
