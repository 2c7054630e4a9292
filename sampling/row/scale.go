package row

// Temperature divides every logit.
type Temperature float32

func (t Temperature) Apply(r *Row) { r.scaleBy(float32(t)) }

// scaleBy divides every logit by t and notes it for the trace.
func (r *Row) scaleBy(t float32) {
	r.scale(t)
	r.Scaled = t
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
