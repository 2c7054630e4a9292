package bench

import (
	"slices"

	"logitscope/sampling/inert"
)

// inert returns why axis k has no effect; the zero value if it may have one.
func (r *Grid) inert(k int) inert.Inert {
	a := &r.Axes[k]
	if why := r.alwaysInert(k); why.Reason != inert.Acts {
		return why
	}
	if len(a.Values) < 2 || r.Done() < len(r.Cells) {
		return inert.Inert{}
	}
	for i := range r.Cells {
		first := slices.Clone(r.Cells[i].At)
		first[k] = 0
		if !sameTexts(r.Cells[i].Runs, r.At(first...).Runs) {
			return inert.Inert{}
		}
	}
	return inert.Inert{Reason: inert.EveryValueSame, Key: a.Key}
}

// alwaysInert returns the reason why the axis's parameter changes nothing
// that holds at every point. A value that is off is no such reason: it
// is one end of an axis that may have an effect.
func (r *Grid) alwaysInert(k int) (reason inert.Inert) {
	if special[r.Axes[k].Key] {
		return reason
	}
	for i := range r.Cells {
		s, err := r.Cells[i].backend.Compiler.Settings(r.Cells[i].Config, "")
		if err != nil {
			return inert.Inert{}
		}
		why := s.Pipeline.Inert(r.Axes[k].Key, nil)
		switch {
		case why.Reason == inert.IsOff:
			continue
		case !why.Always() || reason.Reason != inert.Acts && why != reason:
			return inert.Inert{}
		}
		reason = why
	}
	return reason
}

func sameTexts(a, b []Text) bool {
	return slices.EqualFunc(a, b, func(x, y Text) bool { return slices.Equal(x.Tokens, y.Tokens) && x.Reason == y.Reason })
}
