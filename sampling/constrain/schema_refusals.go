package constrain

import "slices"

// A refusalList gathers what a schema is refused for. A compiler with one does
// not stop at a keyword that it refuses but leaves it out and goes on.
type refusalList struct{ list []Refusal }

// maxRefusals bounds the refusals of one schema.
const maxRefusals = 50

// take adds a refusal and reports whether to go on. That a schema leads back
// to itself is for the caller to judge, and a nil list takes nothing.
func (l *refusalList) take(err error) bool {
	r, ok := err.(*RefusedError)
	if l == nil || !ok || r.loop || len(l.list) >= maxRefusals {
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
func everyRefusal(root *jsonValue, opts SchemaOptions, first error) error {
	r, ok := first.(*RefusedError)
	if !ok || r.loop {
		return first
	}
	c, err := newSchemaCompiler(root, opts)
	if err != nil {
		return first
	}
	c.refusals = &refusalList{list: slices.Clone(r.Refusals)}
	if _, err := c.compile(); err != nil {
		c.refusals.take(err)
	}
	return &RefusedError{Refusals: c.refusals.list}
}

// ofSchema marks a refusal as that of a schema, whose places are pointers.
func ofSchema(err error) error {
	if r, ok := err.(*RefusedError); ok {
		r.schema = true
	}
	return err
}
