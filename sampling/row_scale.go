package sampling

// temperature divides every logit.
type temperature float32

func (t temperature) apply(r *row) { r.scaleBy(float32(t)) }

// scaleBy divides every logit by t and notes it for the trace.
func (r *row) scaleBy(t float32) {
	r.scale(t)
	r.scaled = t
}

// greedyStage keeps the most probable token, of equal ones the first in the
// row's order.
type greedyStage struct{}

func (greedyStage) apply(r *row) {
	best := r.argmax()
	r.list()
	r.keep(func(i int) bool { return i == best })
}

// argmax returns the first entry with the largest logit.
func (r *row) argmax() int {
	hi := r.max()
	for i, v := range r.x[:r.n] {
		if v == hi {
			return i
		}
	}
	return 0
}
