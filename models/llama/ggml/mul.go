package ggml

import (
	"fmt"
	"slices"

	"logitscope/models/gguf"
	"logitscope/models/quant"
)

// A dot returns the product of a row of weights, as stored, and a vector in
// the form that their type takes.
type dot func(w []byte, v *vector) float32

// A product is how weights of a type are multiplied.
type product struct {
	kind kind
	dot  dot
	wide dot  // of a matrix whose rows are interleaved; nil if they never are
	late bool // they are since [Current] only
}

// A Generation tells builds of llama.cpp apart.
type Generation uint8

const (
	Current Generation = iota
	Old                // before March 2025, when Q4_K began to be interleaved
)

// products are the types whose arithmetic is known.
var products = map[gguf.Type]product{
	gguf.F32:    {kind: f32, dot: dotF32},
	gguf.F16:    {kind: f16, dot: dotF16},
	gguf.BF16:   {kind: bf16, dot: dotBF16},
	gguf.Q8_0:   {kind: q8_0, dot: dotQ8_0},
	gguf.Q4_0:   {kind: q8_0, dot: dotQ4_0, wide: wideQ4_0},
	gguf.Q4_1:   {kind: q8_1, dot: dotQ4_1},
	gguf.Q5_0:   {kind: q8_0, dot: dotQ5_0},
	gguf.Q5_1:   {kind: q8_1, dot: dotQ5_1},
	gguf.Q2_K:   {kind: q8_K, dot: dotQ2_K},
	gguf.Q3_K:   {kind: q8_K, dot: dotQ3_K},
	gguf.Q4_K:   {kind: q8_K, dot: dotQ4_K, wide: wideQ4_K, late: true},
	gguf.Q5_K:   {kind: q8_K, dot: dotQ5_K},
	gguf.Q6_K:   {kind: q8_K, dot: dotQ6_K},
	gguf.IQ4_NL: {kind: q8_0, dot: dotIQ4_NL, wide: wideIQ4_NL, late: true},
	gguf.IQ4_XS: {kind: q8_K, dot: dotIQ4_XS},
}

// interleaved is how many rows llama.cpp lays side by side; the rows of a
// matrix that it does so with are a multiple of it.
const interleaved = 8

// Types returns the types of weights whose arithmetic is known, sorted by
// name.
func Types() []string {
	var names []string
	for t := range products {
		names = append(names, t.String())
	}
	slices.Sort(names)
	return names
}

// Known reports whether t is one of [Types].
func Known(t gguf.Type) bool {
	_, ok := products[t]
	return ok
}

// Mul multiplies rows rowLo to rowHi-1 of m by each vector of a, and stores
// row r of vector t in dst[t*m.Rows+r], as builds of a generation do. The type of m must be one of [Types],
// and a must be prepared for it. Several goroutines may share the rows among
// them. It panics if the lengths disagree.
func Mul(dst []float32, m quant.Matrix, a *Activations, rowLo, rowHi int, g Generation) {
	if a.cols != m.Cols || len(dst) < a.n*m.Rows || rowLo < 0 || rowHi > m.Rows {
		panic(fmt.Sprintf("ggml: rows %d to %d of a %d×%d matrix times %d vectors of %d into %d values",
			rowLo, rowHi, m.Rows, m.Cols, a.n, a.cols, len(dst)))
	}
	if m.Rows == 0 {
		return
	}
	p := products[m.Type]
	wide := p.wide != nil && m.Rows%interleaved == 0 && !(p.late && g == Old)
	size := len(m.Data) / m.Rows
	step := max(1, nearBytes/max(size, 1))
	for lo := rowLo; lo < rowHi; lo += step { // what is near serves all vectors
		hi := min(lo+step, rowHi)
		rows := m.Data[lo*size : hi*size]
		for t := a.mulFours(dst, m.Type, wide, m.Rows, lo, hi, rows); t < a.n; t++ {
			v := a.vector(p.kind, t)
			out := dst[t*m.Rows+lo : t*m.Rows+hi]
			if !mulRows(out, m.Type, wide, rows, &v) {
				p.mulPlain(out, wide, rows, &v)
			}
		}
	}
}

// nearBytes are the weights that stay in a near cache while they serve one
// vector after another.
const nearBytes = 32 << 10

// mulPlain multiplies rows by a vector, in Go.
func (p *product) mulPlain(dst []float32, wide bool, rows []byte, v *vector) {
	dot, size := p.dot, 0
	if wide {
		dot = p.wide
	}
	if len(dst) > 0 {
		size = len(rows) / len(dst)
	}
	for r := range dst {
		dst[r] = dot(rows[r*size:(r+1)*size], v)
	}
}
