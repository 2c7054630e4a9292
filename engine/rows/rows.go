// Package rows answers: what does a search read of a model's rows? A [Reader] copies
// and measures them, a [Best] keeps the likeliest continuations, and what keeps
// any search from a model is said once.
package rows

import (
	"fmt"
	"math"
	"slices"

	"logitscope/models"
	"logitscope/sampling/simd"
)

// A Row is the model's log-probabilities after one running beam, kept so that
// a step can be chosen again.
type Row struct {
	IDs    []int32 // nil: index is id
	Logits []float32
	Blocks []float32 // maxima of simd.Block logits each
	Rest   float32
	Norm   float64 // logarithm of the sum of exp(logits) over the whole vocabulary
}

// A Reader copies rows of a model. Its buffers are reused.
type Reader struct {
	exps  []float32
	spare [][]float32 // memory of rows nobody needs any more
}

// Reuse takes the memory of a row that nobody needs any more.
func (rd *Reader) Reuse(r Row) { rd.spare = append(rd.spare, r.Logits) }

// Read copies a row and measures it.
func (rd *Reader) Read(l models.Logits) (Row, error) {
	var memory []float32
	if n := len(rd.spare); n > 0 {
		memory, rd.spare = rd.spare[n-1], rd.spare[:n-1]
	}
	r := Row{Rest: l.Rest, Logits: append(memory[:0], l.Values...)}
	if l.IDs != nil {
		r.IDs = append([]int32(nil), l.IDs...)
	}
	r.Blocks = make([]float32, simd.Blocks(len(r.Logits)))
	top, _, _, bad := simd.MaxBlocks(r.Blocks, r.Logits)
	if bad > 0 {
		return r, fmt.Errorf("%d of %d logits are NaN", bad, len(r.Logits))
	}
	if math.IsInf(float64(top), 0) {
		return r, fmt.Errorf("none of %d logits is a finite number to choose from", len(r.Logits))
	}
	norm := rd.logSumExp(r.Logits, top)
	// A partial row names tokens that have 1-rest of the probability.
	r.Norm = norm - math.Log1p(-float64(r.Rest))
	return r, nil
}

// ID returns the token of the i-th logit.
func (r *Row) ID(i int) int32 {
	if r.IDs == nil {
		return int32(i)
	}
	return r.IDs[i]
}

// Measure returns the log-probability and the rank, from 1, of a token of r,
// and the entropy of the tokens that r names, in bits. Of equals the lower id
// comes first.
func (r *Row) Measure(token int32) (logprob float64, rank int, bits float64) {
	at := int(token)
	if r.IDs != nil {
		at = slices.Index(r.IDs, token)
	}
	own := r.Logits[at]
	for i, l := range r.Logits {
		if l > own || l == own && r.ID(i) <= token {
			rank++
		}
		if x := float64(l) - r.Norm; !math.IsInf(x, -1) {
			bits -= math.Exp(x) * x
		}
	}
	return float64(own) - r.Norm, rank, bits / math.Ln2
}

// Resize returns a slice of length n in the memory of b where it is large enough;
// what it holds is anything.
func Resize[T any](b []T, n int) []T {
	if cap(b) < n {
		return make([]T, n)
	}
	return b[:n]
}
