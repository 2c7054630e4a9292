package constrain

import (
	"fmt"
	"slices"
)

// shapeExpr is what a shape allows, one alternative per type.
func (c *schemaCompiler) shapeExpr(k *shape) (*expr, error) {
	if k.hasValues {
		return c.literals(k.values), nil
	}
	var alts []*expr
	for _, t := range []struct {
		types typeSet
		text  string
	}{{typeNull, "null"}, {typeTrue, "true"}, {typeFalse, "false"}} {
		if k.types&t.types != 0 {
			alts = append(alts, text(t.text))
		}
	}
	for _, part := range []struct {
		types typeSet
		emit  func(*shape) (*expr, error)
	}{{typeNumber, c.numberExpr}, {typeString, c.stringExpr}, {typeArray, c.arrayExpr}, {typeObject, c.objectExpr}} {
		if k.types&part.types == 0 {
			continue
		}
		e, err := part.emit(k)
		if err != nil {
			return nil, err
		}
		alts = append(alts, e)
	}
	return alt(alts...), nil
}

func (c *schemaCompiler) numberExpr(k *shape) (*expr, error) {
	n := k.number
	n.integer = n.integer && k.types&typeInteger != 0
	n.fraction = n.fraction && k.types&typeFraction != 0
	n = n.simplified()
	switch {
	case n.restricted():
	case n.integer && n.fraction:
		return call(c.json.number()), nil
	case n.integer:
		whole, err := regexNFA(n.plain(), false)
		r := c.shared("integer", n.plain(), &expr{op: opNFA, nfa: whole})
		c.def.rules[r].common = n.plain()
		return call(r), err
	}
	a, ok := c.numberOf(&n)
	if !ok {
		return nil, c.numberRefusal(k)
	}
	return call(c.shared("number", fmt.Sprintf("number %p", a), &expr{op: opNFA, nfa: a})), nil
}

// numberRefusal names the keywords of a set of numbers with too many states.
func (c *schemaCompiler) numberRefusal(k *shape) error {
	ptr, name := c.at(k), "multipleOf"
	if uses := k.trail.uses(clashes["minimum"][1:]); len(uses) > 0 {
		ptr, name = uses[len(uses)-1].ptr(), uses[len(uses)-1].name
	}
	return refuse(ptr, name, "the bounds and steps together need more than %d states (at most %d bounds of %d digits; a step may be %d in its last decimal, less beside bounds of many digits)", maxNumberStates, maxComparisons, maxBoundDigits, maxModulus)
}

// shared returns one rule per key, so that equal parts share their states.
func (c *schemaCompiler) shared(name, key string, body *expr) int {
	if r, ok := c.rules[key]; ok {
		return r
	}
	r := c.def.add(name, body)
	c.rules[key] = r
	return r
}

// at is the place of the shape being compiled, for messages.
func (c *schemaCompiler) at(*shape) string { return c.current.pointer() }

func (c *schemaCompiler) stringExpr(k *shape) (*expr, error) {
	s, empty, err := c.textOf(k)
	if err != nil {
		return nil, refuse(c.at(k), "pattern", "%v", err)
	}
	if empty {
		return never, nil
	}
	if _, plain := s.lang.(anyText); plain && s.lo == 0 && s.hi < 0 {
		return call(c.json.str()), nil
	}
	return c.textRule(s), nil
}

// textRule is a call to the rule of a string, quotes included.
func (c *schemaCompiler) textRule(s *stringLang) *expr {
	key := fmt.Sprintf("string %d %d %p", s.lo, s.hi, s.lang)
	if _, plain := s.lang.(anyText); plain {
		key = fmt.Sprintf("string %d %d", s.lo, s.hi)
	}
	return call(c.shared("string", key, seq(text(`"`), &expr{op: opString, str: s})))
}

// valueOf is a call to the rule of a set.
func (c *schemaCompiler) valueOf(s schemaSet, name string) (*expr, error) {
	none, err := c.empty(s)
	if err != nil || none {
		return never, err
	}
	r, err := c.rule(s, name)
	return callAs(r, name), err
}

// objectExpr lists the members in order and then, at any place, undeclared
// ones, one class for each combination of patterns a name may match.
func (c *schemaCompiler) objectExpr(k *shape) (*expr, error) {
	b := &k.members
	o := &objectLang{separator: c.json.comma(), min: b.min, max: b.max}
	names, groups := declared(b)
	required := map[string]bool{}
	for _, name := range b.required {
		required[name] = true
	}
	for i, name := range names {
		group := groups[i]
		if c.opts.AnyOrder {
			group = i
		}
		s, err := c.memberSet(k, name)
		if err != nil {
			return nil, err
		}
		value, err := c.valueOf(s, name)
		if err != nil {
			return nil, err
		}
		if value.op == opNever {
			if required[name] {
				return never, nil
			}
			continue
		}
		o.keys = append(o.keys, memberLang{c.memberExpr(name, value), required[name], group})
	}
	// Among those beyond the required ones two could only count for one.
	if err := c.undeclared(o, k, names, o.min >= len(b.required)+2); err != nil {
		return nil, err
	}
	if o.min <= len(b.required) {
		o.min = 0
	}
	if len(o.keys) > maxFreeKeys && !o.ordered() {
		return nil, refuse(c.at(k), "required", "more than %d names of one object that may come in any order (those of properties come in theirs)", maxFreeKeys)
	}
	if o.extra == nil && o.min > len(o.keys) {
		return never, nil
	}
	if o.max >= 0 && o.extra == nil && o.max >= len(o.keys) {
		o.max = -1
	}
	if o.max == 0 {
		o.keys, o.extra, o.distinct, o.differ, o.max = nil, nil, nil, nil, -1
		if len(b.required) > 0 {
			return never, nil
		}
	}
	return c.braces(o), nil
}

// maxFreeKeys bounds the names of an object of which any may come next.
const maxFreeKeys = 5000

// memberExpr is a declared member. Where a set has several shapes most of
// their members are alike, so they are made rules and shared.
func (c *schemaCompiler) memberExpr(name string, value *expr) *expr {
	if !c.sharing {
		return seq(stringLiteral(name), c.colon(), value)
	}
	key := fmt.Sprintf("member %d %s", value.rule, name)
	if r, ok := c.rules[key]; ok {
		return call(r)
	}
	return call(c.shared(name, key, seq(stringLiteral(name), c.colon(), value)))
}

// declared lists the names that have rules of their own and their groups: the
// names of one properties keyword are a group and come in its order; a name
// that is only required is a group by itself. A name in several keywords counts
// for the one with the most names, so that there are few groups.
func declared(b *memberBounds) (names []string, groups []int) {
	seen := map[string]bool{}
	add := func(list []string, group int) {
		for _, name := range list {
			if !seen[name] {
				seen[name] = true
				names, groups = append(names, name), append(groups, group)
			}
		}
	}
	clauses := slices.Clone(b.clauses)
	slices.SortStableFunc(clauses, func(x, y *memberClause) int { return len(y.names) - len(x.names) })
	for i, clause := range clauses {
		add(clause.names, i)
	}
	for i, name := range b.required {
		add([]string{name}, len(clauses)+i)
	}
	return names, groups
}
