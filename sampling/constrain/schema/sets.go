package schema

import (
	"slices"

	"logitscope/sampling/constrain/jsonvalue"
	"logitscope/sampling/constrain/lang"
)

// shapesOf returns the alternatives of a set that some value may satisfy.
func (c *compiler) shapesOf(s valueSet) ([]*shape, error) {
	all, err := c.allShapes(s)
	if err != nil {
		return nil, err
	}
	var out []*shape
	for _, k := range all {
		if k.types != 0 {
			out = append(out, k)
		}
	}
	return out, nil
}

// allShapes is shapesOf with, if nothing is possible, the shapes that say why.
func (c *compiler) allShapes(s valueSet) ([]*shape, error) {
	if s.never {
		return nil, nil
	}
	key := s.key()
	if known, ok := c.shapes[key]; ok {
		return known, nil
	}
	raw, err := c.rawShapes(s)
	if err != nil {
		return nil, err
	}
	out := make([]*shape, len(raw))
	for i, k := range raw {
		if out[i] = k; k.types != 0 {
			if out[i], err = c.reduce(k, s.pointer()); err != nil {
				return nil, err
			}
		}
	}
	c.shapes[key] = out
	return out, nil
}

// rawShapes are the alternatives of a set without a look at whether their
// constraints contradict each other.
func (c *compiler) rawShapes(s valueSet) ([]*shape, error) {
	if len(s.all) == 1 && len(s.not) == 0 {
		return c.expand(s.all[0], false)
	}
	key := s.key()
	if known, ok := c.raw[key]; ok {
		return known, nil
	}
	out := []*shape{anything()}
	var err error
	for _, n := range s.all {
		if out, err = c.cross(out, n, false); err != nil {
			return nil, err
		}
	}
	for _, n := range s.not {
		if out, err = c.cross(out, n, true); err != nil {
			return nil, err
		}
	}
	c.raw[key] = out
	return out, nil
}

// cross combines alternatives with those of one more schema.
func (c *compiler) cross(shapes []*shape, n *subschema, negate bool) ([]*shape, error) {
	more, err := c.expand(n, negate)
	if err != nil {
		return nil, err
	}
	return c.product(shapes, more, n.ptr)
}

// onlyPossible drops the shapes that allow no value because of what is inside
// them, such as a member that would need two values at once.
func (c *compiler) onlyPossible(list []*shape) ([]*shape, error) {
	kept := list[:0]
	for _, k := range list {
		t, err := c.possible(k)
		if err != nil {
			return nil, err
		}
		if t != 0 {
			kept = append(kept, k)
		}
	}
	return kept, nil
}

// product combines two lists of alternatives, dropping what no type is left
// for; if all is dropped one such shape stays to say why.
func (c *compiler) product(a, b []*shape, ptr string) ([]*shape, error) {
	var out []*shape
	var none *shape
	conditions := 0
	for _, x := range a {
		for _, y := range b {
			k := meet(x, y, ptr)
			if conditions += len(k.members.clauses); conditions > maxConditions {
				return nil, lang.Refuse(ptr, "", "the alternatives of its anyOf, oneOf, if and dependent keywords combine to more than %d conditions on members", maxConditions)
			}
			if k.types == 0 {
				if none == nil {
					none = k
				}
				continue
			}
			if out = append(out, k); len(out) <= maxShapes {
				continue
			}
			var err error
			if out, err = c.onlyPossible(out); err != nil {
				return nil, err
			}
			if len(out) > maxShapes/2 {
				return nil, lang.Refuse(ptr, "", "the alternatives of its anyOf, oneOf, if and dependent keywords combine to more than %d cases", maxShapes)
			}
		}
	}
	if len(out) == 0 && none != nil {
		out = []*shape{none}
	}
	return out, nil
}

// expand returns the alternatives of one schema, or of its negation.
func (c *compiler) expand(n *subschema, negate bool) ([]*shape, error) {
	memo := c.positive
	if negate {
		memo = c.negative
	}
	if known, ok := memo[n]; ok {
		return known, nil
	}
	if c.pending[n] {
		r := lang.Refuse(n.ptr, "$ref", "the reference leads back to itself without describing anything")
		r.Loop = true
		return nil, r
	}
	c.pending[n] = true
	defer delete(c.pending, n)
	var out []*shape
	var err error
	switch {
	case (n.value.Kind == jsonvalue.True) != negate && n.value.Kind != jsonvalue.Object:
		out = []*shape{anything()}
	case n.value.Kind != jsonvalue.Object:
		k := only(0)
		k.conflict = &lang.Refusal{Pointer: n.ptr, Keyword: "false", Reason: "allows no value, and one is required here"}
		out = []*shape{k}
	case negate:
		out, err = c.refuted(n)
	default:
		out, err = c.satisfied(n)
	}
	if err != nil {
		return nil, err
	}
	memo[n] = out
	return out, nil
}

// satisfied combines all keywords of a schema.
func (c *compiler) satisfied(n *subschema) ([]*shape, error) {
	base := anything()
	base.number.canonical = c.opts.Canonical
	var branches []keywordUse
	for _, use := range c.keywords(n) {
		switch {
		case use.apply != nil:
			if err := use.apply(c, use, base); err != nil {
				if c.refusals.take(err) {
					continue
				}
				return nil, err
			}
			if trailed[use.name] {
				base.trail = base.trail.and(&trail{use: use})
			}
		case use.branch != nil:
			branches = append(branches, use)
		}
	}
	out := []*shape{base}
	for _, use := range branches {
		more, err := use.branch(c, use)
		if err != nil {
			if c.refusals.take(err) {
				continue
			}
			return nil, err
		}
		if out, err = c.product(out, more, use.ptr()); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// refuted collects the ways to break one keyword of a schema.
func (c *compiler) refuted(n *subschema) ([]*shape, error) {
	var out []*shape
	for _, use := range c.keywords(n) {
		if use.negate == nil {
			if use.apply == nil && use.branch == nil {
				continue // an annotation cannot be broken
			}
			err := lang.Refuse(n.ptr, use.name, "its negation, which not, if or oneOf needs here, is not supported")
			if c.refusals.take(err) {
				continue
			}
			return nil, err
		}
		more, err := use.negate(c, use)
		if err != nil {
			if c.refusals.take(err) {
				continue
			}
			return nil, err
		}
		out = append(out, more...)
		if len(out) > maxShapes {
			return nil, lang.Refuse(n.ptr, use.name, "its negation has more than %d cases", maxShapes)
		}
	}
	out = slices.DeleteFunc(out, func(k *shape) bool { return k.types == 0 })
	if len(out) == 0 {
		k := only(0)
		k.conflict = &lang.Refusal{Pointer: n.ptr, Keyword: "not", Reason: "the negated schema allows every value, so nothing is left"}
		out = []*shape{k}
	}
	return out, nil
}

// memberSet is what a member must satisfy, the rules for names included.
func (c *compiler) memberSet(k *shape, name string) (valueSet, error) {
	for _, s := range k.members.names {
		ok, err := c.satisfies(&jsonvalue.Value{Kind: jsonvalue.String, Text: name}, s)
		if err != nil {
			return valueSet{}, err
		}
		if !ok {
			return valueSet{never: true}, nil
		}
	}
	return k.members.member(name), nil
}

// reduce takes away the types whose own constraints contradict each other, and
// checks listed values.
func (c *compiler) reduce(k *shape, ptr string) (*shape, error) {
	k = k.copy()
	if k.hasValues {
		return c.reduceValues(k, ptr)
	}
	if k.types&typeNumber != 0 {
		c.reduceNumber(k, ptr)
	}
	if k.types&typeString != 0 {
		if _, empty, err := c.textOf(k); err == nil && empty {
			if b := k.text; b.max >= 0 && b.min > b.max {
				k.drop(typeString, ptr, "maxLength", "is less than minLength")
			} else {
				k.drop(typeString, ptr, "pattern", "no string satisfies the lengths and patterns together")
			}
		}
	}
	if b := k.items; b.max >= 0 && b.min > b.max {
		k.drop(typeArray, ptr, "minItems", "more items are required than allowed")
	}
	if b := k.members; b.max >= 0 && max(b.min, len(b.required)) > b.max {
		k.drop(typeObject, ptr, "maxProperties", "more properties are required than allowed")
	}
	return k, nil
}

func (c *compiler) reduceNumber(k *shape, ptr string) {
	if !k.number.restricted() {
		return
	}
	for _, t := range []typeSet{typeInteger, typeFraction} {
		n := k.number
		n.integer, n.fraction = t == typeInteger, t == typeFraction
		n.decimal = k.types&typeNumber == typeNumber // the set is made of other numbers then
		if k.types&t == 0 {
			continue
		}
		if a, ok := c.numberOf(&n); ok && a.Empty() {
			k.drop(t, ptr, "minimum", "no number satisfies the bounds together")
		}
	}
}

func (c *compiler) reduceValues(k *shape, ptr string) (*shape, error) {
	bare := k.copy()
	bare.hasValues, bare.values = false, nil
	var kept []*jsonvalue.Value
	var types typeSet
	known := map[string]bool{}
	for _, v := range k.values {
		if key := v.Key(); !known[key] {
			known[key] = true
			ok, err := c.fits(v, bare)
			if err != nil {
				return nil, err
			}
			if ok {
				kept = append(kept, v)
				types |= typesOf(v)
			}
		}
	}
	k.values = kept
	k.drop(^types, ptr, "enum", "none of the values satisfies the other keywords")
	return k, nil
}
