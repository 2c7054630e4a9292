package row

import (
	"math"

	"logitscope/sampling/simd"
)

// Temperature divides every logit.
type Temperature float32

func (t Temperature) Apply(r *Row) { r.scaleBy(float32(t)) }

// scaleBy divides every logit by t and notes it for the trace. Where the best
// one would overflow, it is taken off all of them first, which changes no
// probability: as t goes to 0, the best tokens are left.
func (r *Row) scaleBy(t float32) {
	if hi := r.Max(); abs32(hi/t) > math.MaxFloat32 && r.Finite > 0 {
		r.shift(hi)
	}
	r.scale(t)
	if r.Scaled = t; t < 1 { // some may have become -Inf
		r.Finite = simd.CountAbove(r.X[:r.N], negInf)
	}
}

// shift takes by off every logit and notes it for the trace.
func (r *Row) shift(by float32) {
	for i := range r.X[:r.N] {
		r.X[i] -= by
	}
	r.rebound()
	r.Shifted = by
}

// greedyStage keeps the most probable token, of equal ones the first in the
// row's order.
type Greedy struct{}

func (Greedy) Apply(r *Row) {
	best := r.Argmax()
	r.List()
	r.Keep(func(i int) bool { return i == best })
}

// Sole reports that it does.
func (Greedy) Sole() bool { return true }

// Argmax returns the first entry with the largest logit.
func (r *Row) Argmax() int {
	hi := r.Max()
	for i, v := range r.X[:r.N] {
		if v == hi {
			return i
		}
	}
	return 0
}
