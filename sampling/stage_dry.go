package sampling

import (
	"slices"

	"logitscope/sampling/dry"
)

// dryStage lowers tokens that would go on with a run the history has had
// before ("don't repeat yourself").
type dryStage struct {
	dry.Rule
	window int
}

func (s *dryStage) apply(r *step) {
	prompt, output := lastN(r.in.Prompt, r.in.Output, s.window)
	n := len(prompt) + len(output)
	if n <= s.Allowed {
		return
	}
	back := func(i int) int32 {
		if i < len(output) {
			return output[len(output)-1-i]
		}
		return prompt[len(prompt)-1-(i-len(output))]
	}
	r.counts = slices.Grow(r.counts[:0], n)[:n]
	if s.Penalties(r.counts, back, func(id int32, penalty float32) {
		if pos, ok := r.Position(id); ok {
			if e := r.Entry(pos); e >= 0 && r.X[e] > negInf {
				r.Set(e, r.X[e]-penalty)
			}
		}
	}) {
		r.Unsort()
	}
}
