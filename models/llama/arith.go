package llama

import (
	"fmt"
	"strings"

	"logitscope/models"
	"logitscope/models/gguf"
	"logitscope/models/llama/ggml"
	"logitscope/models/quant"
)

// Arith is the arithmetic of a model: what is rounded, and the order of sums.
type Arith uint8

const (
	// Exact multiplies the decoded weights with float32 activations, in sums
	// whose order is the same everywhere. It is the default.
	Exact Arith = iota

	// LlamaCPP repeats what llama.cpp computes, bit for bit, one token at a
	// time, in its build for processors with AVX2: see the package ggml.
	LlamaCPP

	// LlamaCPPOld is LlamaCPP for builds before March 2025, which differ
	// where weights are Q4_K.
	LlamaCPPOld
)

// Ariths are the arithmetics by name, in the order in which they are listed.
var ariths = []struct {
	name string
	make func(*Model, Options) (arithmetic, error)
}{
	Exact: {models.Exact, func(*Model, Options) (arithmetic, error) { return exact{}, nil }},
	LlamaCPP: {"llama.cpp", func(m *Model, opt Options) (arithmetic, error) {
		return newLlamaCPP(m, opt, ggml.Current)
	}},
	LlamaCPPOld: {"llama.cpp-old", func(m *Model, opt Options) (arithmetic, error) {
		return newLlamaCPP(m, opt, ggml.Old)
	}},
}

func (a Arith) String() string {
	if int(a) < len(ariths) {
		return ariths[a].name
	}
	return fmt.Sprintf("arithmetic %d", a)
}

// Foreign reports whether a repeats another engine's numbers.
func (a Arith) Foreign() bool { return a != Exact }

// ParseArith returns the arithmetic of a name.
func ParseArith(name string) (Arith, error) {
	names := make([]string, len(ariths))
	for i, a := range ariths {
		if names[i] = a.name; a.name == name {
			return Arith(i), nil
		}
	}
	return 0, fmt.Errorf("must be one of %s, not %q", strings.Join(names, ", "), clip(name))
}

// An arithmetic is what a pass computes with. Implementations hold nothing
// that changes.
type arithmetic interface {
	// activations returns an empty set of vectors for products.
	activations() activations

	// rmsNorm sets dst to x divided by its root mean square and multiplied
	// by w. dst may be x.
	rmsNorm(dst, x, w []float32, eps float32)

	// siluMul sets gate to SiLU(gate) times up.
	siluMul(gate, up []float32)

	// table fills the cosines and sines of a position, one for each pair.
	table(r *rope, cos, sin []float32, pos int)

	// turn applies a table to one head.
	turn(r *rope, x, cos, sin []float32)

	// scaleQuery multiplies the query heads at a position by the scale of
	// scores, unless attend does it to the scores.
	scaleQuery(c *config, q []float32, pos int)

	// attend computes the attention of some rows through one KV head.
	attend(a *attending)
}

// Activations are vectors prepared for products with matrices. Their memory
// is reused by the next Set.
type activations interface {
	Len() int
	Cols() int

	// Set takes n vectors of cols values, which it copies.
	Set(x []float32, n, cols int)

	// Prepare makes the vectors ready for matrices of a type. It must not
	// run beside mul.
	Prepare(t gguf.Type)

	// Mul multiplies rows lo to hi-1 of w by each vector, and stores row r
	// of vector t in dst[t*w.Rows+r].
	Mul(dst []float32, w quant.Matrix, lo, hi int)
}
