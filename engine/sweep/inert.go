package sweep

import (
	"slices"
	"strings"

	"logitscope/engine"
)

// inert returns why axis k has no effect, or "".
func (r *Report) inert(k int, c *engine.Compiler) string {
	a := &r.Axes[k]
	if why := r.alwaysInert(k, c); why != "" {
		return why
	}
	if len(a.Values) < 2 || r.Done() < len(r.Cells) {
		return ""
	}
	for i := range r.Cells {
		first := slices.Clone(r.Cells[i].At)
		first[k] = 0
		if !sameTexts(r.Cells[i].Runs, r.At(first...).Runs) {
			return ""
		}
	}
	return "no effect here: every value gives the same texts"
}

// alwaysInert returns the reason why the axis's parameter changes nothing
// that holds at every point, or "". A value that is off is no such reason: it
// is one end of an axis that may have an effect.
func (r *Report) alwaysInert(k int, c *engine.Compiler) string {
	reason := ""
	for i := range r.Cells {
		s, err := c.Settings(r.Cells[i].Config, "")
		if err != nil {
			return ""
		}
		why := s.Pipeline.Inert(r.Axes[k].Key, nil)
		switch {
		case why == "off":
			continue
		case !strings.HasPrefix(why, "no effect") || reason != "" && why != reason:
			return ""
		}
		reason = why
	}
	return reason
}

func sameTexts(a, b []Text) bool {
	return slices.EqualFunc(a, b, func(x, y Text) bool { return slices.Equal(x.Tokens, y.Tokens) && x.Reason == y.Reason })
}
