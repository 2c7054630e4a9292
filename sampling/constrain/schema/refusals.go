package schema

import (
	"slices"

	"logitscope/sampling/constrain/jsonvalue"
	"logitscope/sampling/constrain/lang"
)

// A refusalList gathers what a schema is refused for. A compiler with one does
// not stop at a keyword that it refuses but leaves it out and goes on.
type refusalList struct{ list []lang.Refusal }

// maxRefusals bounds the refusals of one schema.
const maxRefusals = 50

// take adds a refusal and reports whether to go on. That a schema leads back
// to itself is for the caller to judge, and a nil list takes nothing.
func (l *refusalList) take(err error) bool {
	r, ok := err.(*lang.RefusedError)
	if l == nil || !ok || r.Loop || len(l.list) >= maxRefusals {
		return false
	}
	for _, x := range r.Refusals {
		if !slices.Contains(l.list, x) {
			l.list = append(l.list, x)
		}
	}
	return true
}

// everyRefusal compiles a refused schema once more to find all that it is
// refused for. The first refusal comes first.
func everyRefusal(root *jsonvalue.Value, opts Options, first error) error {
	r, ok := first.(*lang.RefusedError)
	if !ok || r.Loop {
		return first
	}
	c, err := newCompiler(root, opts)
	if err != nil {
		return first
	}
	c.refusals = &refusalList{list: slices.Clone(r.Refusals)}
	if _, err := c.compile(); err != nil {
		c.refusals.take(err)
	}
	return &lang.RefusedError{Refusals: c.refusals.list}
}
