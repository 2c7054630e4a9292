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
	kind     kind
	dot      dot
	together dot  // of a matrix whose rows are interleaved; nil if they never are
	late     bool // they are since [Current] only
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
	gguf.Q4_0:   {kind: q8_0, dot: dotQ4_0, together: wideQ4_0},
	gguf.Q4_1:   {kind: q8_1, dot: dotQ4_1},
	gguf.Q5_0:   {kind: q8_0, dot: dotQ5_0},
	gguf.Q5_1:   {kind: q8_1, dot: dotQ5_1},
	gguf.Q2_K:   {kind: q8_K, dot: dotQ2_K},
	gguf.Q3_K:   {kind: q8_K, dot: dotQ3_K},
	gguf.Q4_K:   {kind: q8_K, dot: dotQ4_K, together: wideQ4_K, late: true},
	gguf.Q5_K:   {kind: q8_K, dot: dotQ5_K},
	gguf.Q6_K:   {kind: q8_K, dot: dotQ6_K},
	gguf.IQ4_NL: {kind: q8_0, dot: dotIQ4_NL, together: wideIQ4_NL, late: true},
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
// row r of vector t in dst[t*m.Rows+r], as builds of a generation do. The type
// of m must be one of [Types], and a must be prepared for it. Several
// goroutines may share the rows among them. It panics if the lengths disagree.
func Mul(dst []float32, m quant.Matrix, a *Activations, rowLo, rowHi int, g Generation) {
	if a.cols != m.Cols || len(dst) < a.n*m.Rows || rowLo < 0 || rowHi > m.Rows {
		panic(fmt.Sprintf("ggml: rows %d to %d of a %d×%d matrix times %d vectors of %d into %d values",
			rowLo, rowHi, m.Rows, m.Cols, a.n, a.cols, len(dst)))
	}
	if rowLo >= rowHi || a.n == 0 {
		return
	}
	p, size := products[m.Type], len(m.Data)/m.Rows
	s := span{
		a: a, typ: m.Type, product: p, dst: dst, stride: m.Rows, lo: rowLo, hi: rowHi,
		wide: p.together != nil && m.Rows%interleaved == 0 && !(p.late && g == Old),
		size: size, w: m.Data[rowLo*size : rowHi*size],
	}
	s.mulEach(s.mulTiles(), a.n)
}

// A span is some rows of a matrix on their way through a product.
type span struct {
	product
	a      *Activations
	typ    gguf.Type
	wide   bool // rows are interleaved
	dst    []float32
	stride int // between the results of vectors
	lo, hi int
	w      []byte // rows lo to hi-1
	size   int    // of a row
}

// rows returns the rows from lo to hi-1.
func (s *span) rows(lo, hi int) span {
	part := *s
	part.lo, part.hi, part.w = lo, hi, s.w[(lo-s.lo)*s.size:(hi-s.lo)*s.size]
	return part
}

// result returns the place for those of a vector.
func (s *span) result(vector int) []float32 {
	return s.dst[vector*s.stride+s.lo : vector*s.stride+s.hi]
}

// nearBytes are the weights that stay in a near cache while they serve one
// vector after another.
const nearBytes = 32 << 10

// mulEach multiplies the rows by vectors from to to-1, one at a time.
func (s *span) mulEach(from, to int) {
	if from == to {
		return
	}
	step := max(2*interleaved, nearBytes/max(s.size, 1)) &^ (2*interleaved - 1)
	if to-from == 1 {
		step = s.hi - s.lo
	}
	for lo := s.lo; lo < s.hi; lo += step { // what is near serves all vectors
		part := s.rows(lo, min(lo+step, s.hi))
		for t := from; t < to; t++ {
			v := s.a.vector(s.kind, t)
			if !part.mulRows(&v, part.result(t)) {
				part.mulPlain(&v, part.result(t))
			}
		}
	}
}

// mulPlain multiplies the rows by a vector, in Go.
func (s *span) mulPlain(v *vector, dst []float32) {
	dot := s.dot
	if s.wide {
		dot = s.together
	}
	for r := range dst {
		dst[r] = dot(s.w[r*s.size:(r+1)*s.size], v)
	}
}
