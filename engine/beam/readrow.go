package beam

import (
	"fmt"
	"logitscope/models"
	"logitscope/sampling/simd"
	"math"
	"slices"
)

// A row is the model's log-probabilities after one running beam, kept so that
// a step can be chosen again.
type row struct {
	ids    []int32 // nil: index is id
	logits []float32
	blocks []float32 // maxima of simd.Block logits each
	rest   float32
	norm   float64 // logarithm of the sum of exp(logits) over the whole vocabulary
}

// A reader copies rows of a model. Its buffers are reused.
type reader struct {
	exps  []float32
	spare [][]float32 // memory of rows nobody needs any more
}

// reuse takes the memory of a row that nobody needs any more.
func (rd *reader) reuse(r row) { rd.spare = append(rd.spare, r.logits) }

// read copies a row and measures it.
func (rd *reader) read(l models.Logits) (row, error) {
	var memory []float32
	if n := len(rd.spare); n > 0 {
		memory, rd.spare = rd.spare[n-1], rd.spare[:n-1]
	}
	r := row{rest: l.Rest, logits: append(memory[:0], l.Values...)}
	if l.IDs != nil {
		r.ids = append([]int32(nil), l.IDs...)
	}
	r.blocks = make([]float32, simd.Blocks(len(r.logits)))
	top, _, _, bad := simd.MaxBlocks(r.blocks, r.logits)
	if bad > 0 {
		return r, fmt.Errorf("%d of %d logits are NaN", bad, len(r.logits))
	}
	if math.IsInf(float64(top), 0) {
		return r, fmt.Errorf("none of %d logits is a finite number to choose from", len(r.logits))
	}
	norm := rd.logSumExp(r.logits, top)
	// A partial row names tokens that have 1-rest of the probability.
	r.norm = norm - math.Log1p(-float64(r.rest))
	return r, nil
}

func (r *row) id(i int) int32 {
	if r.ids == nil {
		return int32(i)
	}
	return r.ids[i]
}

// measure returns the log-probability and the rank, from 1, of a token of r,
// and the entropy of the tokens that r names, in bits. Of equals the lower id
// comes first.
func (r *row) measure(token int32) (logprob float64, rank int, bits float64) {
	at := int(token)
	if r.ids != nil {
		at = slices.Index(r.ids, token)
	}
	own := r.logits[at]
	for i, l := range r.logits {
		if l > own || l == own && r.id(i) <= token {
			rank++
		}
		if x := float64(l) - r.norm; !math.IsInf(x, -1) {
			bits -= math.Exp(x) * x
		}
	}
	return float64(own) - r.norm, rank, bits / math.Ln2
}

func resize[T any](b []T, n int) []T {
	if cap(b) < n {
		return make([]T, n)
	}
	return b[:n]
}
