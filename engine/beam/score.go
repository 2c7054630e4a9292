package beam

import (
	"errors"
	"fmt"
	"math"

	"logitscope/models"
	"logitscope/sampling"
)

// A row is the model's log-probabilities after one running beam, kept so that
// a step can be chosen again.
type row struct {
	ids    []int32 // nil: index is id
	logits []float32
	rest   float32
	norm   float64 // logarithm of the sum of exp(logits) over the whole vocabulary
}

// newRow copies a row and measures it.
func newRow(l models.Logits) (row, error) {
	r := row{rest: l.Rest, logits: append([]float32(nil), l.Values...)}
	if l.IDs != nil {
		r.ids = append([]int32(nil), l.IDs...)
	}
	top := float32(math.Inf(-1))
	for _, v := range r.logits {
		if v > top {
			top = v
		}
	}
	sum := sumExp(r.logits, float64(top))
	if sum != sum {
		if bad := countNaN(r.logits); bad > 0 {
			return r, fmt.Errorf("%d of %d logits are NaN", bad, len(r.logits))
		}
	}
	if math.IsInf(float64(top), 0) {
		return r, fmt.Errorf("none of %d logits is a finite number to choose from", len(r.logits))
	}
	// A partial row names tokens that have 1-rest of the probability.
	r.norm = float64(top) + math.Log(sum) - math.Log1p(-float64(r.rest))
	return r, nil
}

func countNaN(x []float32) int {
	n := 0
	for _, v := range x {
		if v != v {
			n++
		}
	}
	return n
}

func (r *row) id(i int) int32 {
	if r.ids == nil {
		return int32(i)
	}
	return r.ids[i]
}

// A scorer turns rows into scores. Its buffers are reused.
type scorer struct {
	scratch  sampling.Scratch
	in, out  []float32
	scores   []float64
	weights  []float64
	penalise map[int32]int // tokens earlier groups chose at this step
}

// A masker is asked which tokens may follow output: bit id%64 of word id/64
// set means allowed, nil means all. end says whether the text may end.
type masker = func(output []int32) (allowed []uint64, end bool, err error)

// score returns the scores of every token of r after the beam n: its
// log-probability after the processors, minus infinity where it may not come.
// The result aliases the scorer's buffer.
func (sc *scorer) score(s *Settings, r *row, prompt []int32, n *Node, mask masker) ([]float64, error) {
	v := len(r.logits)
	sc.in = resize(sc.in, v)
	sc.out = resize(sc.out, v)
	sc.scores = resize(sc.scores, v)
	rounded := sc.in
	for i, l := range r.logits {
		x := float64(l) - r.norm
		sc.scores[i], rounded[i] = x, float32(x)
	}
	if s.Diversity > 0 && len(sc.penalise) > 0 {
		for i := range sc.scores {
			if c := sc.penalise[r.id(i)]; c > 0 {
				sc.scores[i] -= s.Diversity * float64(c)
				rounded[i] = float32(sc.scores[i])
			}
		}
	}
	in := sampling.Input{IDs: r.ids, Logits: sc.in, Rest: r.rest, Prompt: prompt, Output: n.Tokens()}
	if mask != nil {
		var err error
		if in.Mask, in.MaskEOS, err = mask(in.Output); err != nil {
			return nil, err
		}
	}
	apply := s.pipeline.Process
	if s.Sample {
		apply = s.pipeline.Warp
	}
	if err := apply(sc.out, &sc.scratch, in); err != nil {
		if bad := new(sampling.InvalidLogitsError); errors.As(err, &bad) {
			return nil, err
		}
		// The constraint or a processor leaves nothing: the beam ends here,
		// the others go on.
		for i := range sc.scores {
			sc.scores[i] = math.Inf(-1)
		}
		return sc.scores, nil
	}
	for i, after := range sc.out {
		if after != sc.in[i] {
			// What a processor changed is taken over as a difference, so that
			// rounding to float32 touches only the change.
			sc.scores[i] += float64(after) - float64(sc.in[i])
		}
	}
	if s.Renormalise {
		renormalise(sc.scores)
	}
	return sc.scores, nil
}

func renormalise(x []float64) {
	top := math.Inf(-1)
	for _, v := range x {
		top = max(top, v)
	}
	if math.IsInf(top, -1) {
		return
	}
	var sum float64
	for _, v := range x {
		sum += math.Exp(v - top)
	}
	norm := top + math.Log(sum)
	for i := range x {
		x[i] -= norm
	}
}

func resize[T any](b []T, n int) []T {
	if cap(b) < n {
		return make([]T, n)
	}
	return b[:n]
}
