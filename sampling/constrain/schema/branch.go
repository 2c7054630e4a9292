package schema

import (
	"strconv"

	"logitscope/sampling/constrain/jsonvalue"
	"logitscope/sampling/constrain/lang"
)

func (c *compiler) refTarget(u keywordUse) (*subschema, error) {
	if u.value.Kind != jsonvalue.String {
		return nil, u.refuse("must be a string")
	}
	return c.resolve(u.node, u.value.Text)
}

func branchRef(c *compiler, u keywordUse) ([]*shape, error) {
	n, err := c.refTarget(u)
	if err != nil {
		return nil, err
	}
	return c.expand(n, false)
}

func negateRef(c *compiler, u keywordUse) ([]*shape, error) {
	n, err := c.refTarget(u)
	if err != nil {
		return nil, err
	}
	return c.expand(n, true)
}

// parts returns the sets of a list keyword.
func (c *compiler) parts(u keywordUse) ([]valueSet, error) {
	if u.value.Kind != jsonvalue.Array || len(u.value.List) == 0 {
		return nil, u.refuse("must be a list of one schema or more")
	}
	out := make([]valueSet, len(u.value.List))
	for i, v := range u.value.List {
		s, err := c.child(u.node, v, u.name, strconv.Itoa(i))
		if err != nil {
			return nil, err
		}
		out[i] = s
	}
	return out, nil
}

// alternatives expands a set within the schema that holds it, so that a
// reference that leads back without describing anything is noticed.
func (c *compiler) alternatives(s valueSet) ([]*shape, error) {
	if s.never {
		return nil, nil
	}
	return c.rawShapes(s)
}

// every combines sets, any joins them; opposite takes their negations.
func (c *compiler) every(u keywordUse, sets []valueSet, opposite bool) ([]*shape, error) {
	out := []*shape{anything()}
	for _, s := range sets {
		if opposite {
			s = s.opposite()
		}
		more, err := c.alternatives(s)
		if err != nil {
			return nil, err
		}
		if len(more) == 0 {
			return []*shape{c.nothing(u)}, nil
		}
		if out, err = c.product(out, more, u.ptr()); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (c *compiler) any(u keywordUse, sets []valueSet, opposite bool) ([]*shape, error) {
	var out []*shape
	var none *shape
	for _, s := range sets {
		if opposite {
			s = s.opposite()
		}
		more, err := c.alternatives(s)
		if err != nil {
			return nil, err
		}
		for _, k := range more {
			if k.types != 0 {
				out = append(out, k)
			} else if none == nil {
				none = k
			}
		}
		if len(out) > maxShapes {
			return nil, u.refuse("has more than %d alternatives", maxShapes)
		}
	}
	if len(out) == 0 {
		if none == nil {
			none = c.nothing(u)
		}
		out = []*shape{none}
	}
	return out, nil
}

func (c *compiler) nothing(u keywordUse) *shape {
	k := only(0)
	k.conflict = &lang.Refusal{Pointer: u.ptr(), Keyword: u.name, Reason: "none of its alternatives can be satisfied"}
	return k
}

// ofParts joins the alternatives of a keyword's parts, or of their opposites.
func ofParts(join func(c *compiler, u keywordUse, sets []valueSet, opposite bool) ([]*shape, error), opposite bool) func(*compiler, keywordUse) ([]*shape, error) {
	return func(c *compiler, u keywordUse) ([]*shape, error) {
		sets, err := c.parts(u)
		if err != nil {
			return nil, err
		}
		return join(c, u, sets, opposite)
	}
}

// branchOneOf allows each part without the others it overlaps with.
func branchOneOf(c *compiler, u keywordUse) ([]*shape, error) {
	sets, err := c.parts(u)
	if err != nil {
		return nil, err
	}
	if len(sets) > maxShapes {
		return nil, u.refuse("has more than %d alternatives", maxShapes)
	}
	var out []*shape
	for i, s := range sets {
		part := []valueSet{s}
		for j, t := range sets {
			if i == j {
				continue
			}
			apart, err := c.disjoint(s, t)
			if err != nil {
				return nil, err
			}
			if !apart {
				part = append(part, t.opposite())
			}
		}
		more, err := c.every(u, part, false)
		if err != nil {
			return nil, c.explainOneOf(u, err)
		}
		for _, k := range more {
			if k.types != 0 {
				out = append(out, k)
			}
		}
		if len(out) > maxShapes {
			return nil, u.refuse("has more than %d alternatives", maxShapes)
		}
	}
	if len(out) == 0 {
		return []*shape{c.nothing(u)}, nil
	}
	return out, nil
}

func (c *compiler) explainOneOf(u keywordUse, err error) error {
	r, ok := err.(*lang.RefusedError)
	if !ok {
		return err
	}
	first := lang.Refusal{Pointer: u.ptr(), Keyword: u.name, Reason: "its parts overlap, and the overlap cannot be taken out"}
	return &lang.RefusedError{Refusals: append([]lang.Refusal{first}, r.Refusals...), Loop: r.Loop}
}

// disjoint reports whether no value is known to satisfy both sets.
func (c *compiler) disjoint(s, t valueSet) (bool, error) { return c.empty(s.and(t)) }

// negateOneOf is none of the parts, or two of them at once.
func negateOneOf(c *compiler, u keywordUse) ([]*shape, error) {
	sets, err := c.parts(u)
	if err != nil {
		return nil, err
	}
	out, err := c.every(u, sets, true)
	if err != nil {
		return nil, err
	}
	for i := range sets {
		for j := range sets[:i] {
			both, err := c.every(u, []valueSet{sets[i], sets[j]}, false)
			if err != nil {
				return nil, err
			}
			out = append(out, both...)
			if len(out) > maxShapes {
				return nil, u.refuse("its negation has more than %d cases", maxShapes)
			}
		}
	}
	return out, nil
}

func branchNot(c *compiler, u keywordUse) ([]*shape, error) {
	s, err := c.child(u.node, u.value, u.name)
	if err != nil {
		return nil, err
	}
	return c.every(u, []valueSet{s}, true)
}

func negateNot(c *compiler, u keywordUse) ([]*shape, error) {
	s, err := c.child(u.node, u.value, u.name)
	if err != nil {
		return nil, err
	}
	return c.every(u, []valueSet{s}, false)
}

// condition reads if with then and else; what is missing allows everything.
func (c *compiler) condition(u keywordUse) (test, then, other valueSet, err error) {
	if test, err = c.child(u.node, u.value, "if"); err != nil {
		return
	}
	if v := u.node.value.Get("then"); v != nil {
		if then, err = c.child(u.node, v, "then"); err != nil {
			return
		}
	}
	if v := u.node.value.Get("else"); v != nil {
		other, err = c.child(u.node, v, "else")
	}
	return
}

func (s valueSet) trivial() bool { return !s.never && len(s.all)+len(s.not) == 0 }

func branchIf(c *compiler, u keywordUse) ([]*shape, error) {
	test, then, other, err := c.condition(u)
	if err != nil {
		return nil, err
	}
	if then.trivial() && other.trivial() {
		return []*shape{anything()}, nil
	}
	return c.eitherOr(u, test, then, other)
}

func negateIf(c *compiler, u keywordUse) ([]*shape, error) {
	test, then, other, err := c.condition(u)
	if err != nil {
		return nil, err
	}
	return c.eitherOr(u, test, then.opposite(), other.opposite())
}

// eitherOr is test and then, or neither test but other.
func (c *compiler) eitherOr(u keywordUse, test, then, other valueSet) ([]*shape, error) {
	a, err := c.every(u, []valueSet{test, then}, false)
	if err != nil {
		return nil, err
	}
	b, err := c.every(u, []valueSet{test.opposite(), other}, false)
	if err != nil {
		return nil, err
	}
	return append(append([]*shape{}, a...), b...), nil
}

// dependency is what one name demands of an object that has it.
type dependency struct {
	name  string
	needs []string
	set   valueSet
}

func (c *compiler) dependencies(u keywordUse) ([]dependency, error) {
	if u.value.Kind != jsonvalue.Object {
		return nil, u.refuse("must be an object")
	}
	var out []dependency
	for i, name := range u.value.Names {
		v, d := u.value.List[i], dependency{name: name}
		var err error
		if v.Kind == jsonvalue.Array && u.name != "dependentSchemas" {
			d.needs, err = u.strings(v)
		} else if u.name != "dependentRequired" {
			d.set, err = c.child(u.node, v, u.name, name)
		} else {
			err = u.refuse("must hold lists of names")
		}
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	return out, nil
}

// branchDependent allows, for each dependency, a value without the name or an
// object that has it and what it demands.
func branchDependent(c *compiler, u keywordUse) ([]*shape, error) {
	list, err := c.dependencies(u)
	if err != nil {
		return nil, err
	}
	out := []*shape{anything()}
	for _, d := range list {
		has := with(d.name)
		has.members.meet(&memberBounds{required: d.needs, max: -1})
		cases, err := c.alternatives(d.set)
		if err != nil {
			return nil, err
		}
		var held []*shape
		if len(cases) > 0 {
			if held, err = c.product([]*shape{has}, cases, u.ptr()); err != nil {
				return nil, err
			}
		}
		free := without(d.name)
		free.types = typeAny // what is not an object has no members anyway
		if out, err = c.product(out, append([]*shape{free}, held...), u.ptr()); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func negateDependent(c *compiler, u keywordUse) ([]*shape, error) {
	list, err := c.dependencies(u)
	if err != nil {
		return nil, err
	}
	var out []*shape
	for _, d := range list {
		for _, need := range d.needs {
			out = append(out, meet(with(d.name), without(need), u.ptr()))
		}
		if d.set.trivial() {
			continue
		}
		cases, err := c.alternatives(d.set.opposite())
		if err != nil {
			return nil, err
		}
		held, err := c.product([]*shape{with(d.name)}, cases, u.ptr())
		if err != nil {
			return nil, err
		}
		out = append(out, held...)
	}
	return out, nil
}
