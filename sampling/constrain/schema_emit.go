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
		return nil, refuse(c.at(k), "multipleOf", "the bounds and steps together need more than %d states (a step is at most %d in its last decimal, at most %d bounds)", maxNumberStates, maxModulus, maxComparisons)
	}
	return call(c.shared("number", fmt.Sprintf("number %p", a), &expr{op: opNFA, nfa: a})), nil
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
	extra, err := c.extraMember(k, names)
	if err != nil {
		return nil, err
	}
	if extra.op != opNever {
		o.extra = extra
	}
	if o.min <= len(b.required) {
		o.min = 0
	}
	if o.max >= 0 && o.extra == nil && o.max >= len(o.keys) {
		o.max = -1
	}
	if o.max == 0 {
		o.keys, o.extra, o.max = nil, nil, -1
		if len(b.required) > 0 {
			return never, nil
		}
	}
	return c.braces(o), nil
}

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

// maxPatterns bounds the different patternProperties of one object.
const maxPatterns = 6

// extraMember is a member with a name outside the declared ones.
func (c *schemaCompiler) extraMember(k *shape, names []string) (*expr, error) {
	var patterns []textPattern
	for _, clause := range k.members.clauses {
		for _, p := range clause.patterns {
			known := false
			for _, q := range patterns {
				known = known || q.source == p.source
			}
			if !known {
				patterns = append(patterns, p.textPattern)
			}
		}
	}
	if len(patterns) > maxPatterns {
		return nil, refuse(c.at(k), "patternProperties", "more than %d different patterns for one object", maxPatterns)
	}
	classes, err := c.nameClasses(k, names, patterns)
	if err != nil {
		return nil, err
	}
	var alts []*expr
	for matched := 0; matched < 1<<len(patterns); matched++ {
		if classes != nil && classes[uint32(matched)] == nil {
			continue
		}
		value, err := c.valueOf(classSet(&k.members, patterns, matched), "*")
		if err != nil {
			return nil, err
		}
		if value.op == opNever {
			continue
		}
		var name *expr
		if classes != nil {
			name = c.textRule(&stringLang{lang: classes[uint32(matched)], hi: -1})
		} else if name, err = c.extraName(k, names, patterns, matched); err != nil {
			return nil, err
		}
		alts = append(alts, seq(name, c.colon(), value))
	}
	return alt(alts...), nil
}

// nameClasses splits the undeclared names by the patterns they match, in one
// go where there are several patterns and nothing else restricts names.
func (c *schemaCompiler) nameClasses(k *shape, names []string, patterns []textPattern) (map[uint32]*dfaText, error) {
	if len(patterns) < 2 || len(k.members.names) > 0 {
		return nil, nil
	}
	list := make([]*nfa, 0, len(patterns)+1)
	key := fmt.Sprintf("classes %q", sortedCopy(names))
	for _, p := range patterns {
		list = append(list, p.nfa)
		key += fmt.Sprintf(" %q", p.source)
	}
	if known, ok := c.classes[key]; ok {
		return known, nil
	}
	if len(names) > 0 {
		list = append(list, oneOf(sortedCopy(names)).nfa)
	}
	classes, ok := dfaClasses(list)
	if !ok {
		return nil, refuse(c.at(k), "patternProperties", "the patterns together need more than %d states", maxDFAStates)
	}
	c.classes[key] = classes
	return classes, nil
}

// classSet is what the values of names that match just these patterns satisfy.
func classSet(b *memberBounds, patterns []textPattern, matched int) schemaSet {
	var s schemaSet
	for _, clause := range b.clauses {
		found := false
		for _, p := range clause.patterns {
			for i, q := range patterns {
				if p.source == q.source && matched>>i&1 != 0 {
					s, found = s.and(p.set), true
				}
			}
		}
		if !found {
			s = s.and(clause.others)
		}
	}
	return s
}

// extraName is a name outside the declared ones that matches just these
// patterns and satisfies propertyNames.
func (c *schemaCompiler) extraName(k *shape, names []string, patterns []textPattern, matched int) (*expr, error) {
	base := anything()
	base.types = typeString
	for i, p := range patterns {
		p.negate = matched>>i&1 == 0
		base.text.add(p)
	}
	if len(patterns) == 0 && len(k.members.names) == 0 {
		return c.exceptName(names), nil
	}
	// Only declared names that would fall into this class need to be kept out.
	for _, name := range names {
		if base.fitsText(name) {
			base.notTexts = append(base.notTexts, name)
		}
	}
	shapes := []*shape{base}
	for _, s := range k.members.names {
		more, err := c.allShapes(s)
		if err != nil {
			return nil, err
		}
		if shapes, err = c.product(shapes, more, c.at(k)); err != nil {
			return nil, err
		}
	}
	var alts []*expr
	for _, x := range shapes {
		if x.types&typeString == 0 {
			continue
		}
		x.types = typeString
		x, err := c.reduce(x, c.at(k))
		if err != nil {
			return nil, err
		}
		if x.types == 0 {
			continue
		}
		e, err := c.shapeExpr(x)
		if err != nil {
			return nil, err
		}
		alts = append(alts, e)
	}
	return alt(alts...), nil
}

// exceptName is any name but those declared.
func (c *schemaCompiler) exceptName(names []string) *expr {
	if len(names) == 0 {
		return call(c.json.str())
	}
	key := fmt.Sprintf("name %q", sortedCopy(names))
	if r, ok := c.rules[key]; ok {
		return call(r)
	}
	free := c.freeText()
	lang := &stringLang{lang: newExceptText(names), hi: -1, off: free}
	return call(c.shared("name", key, seq(text(`"`), &expr{op: opString, str: lang})))
}

// freeText is the language that a name is in once it differs from all of a
// list.
func (c *schemaCompiler) freeText() *stringLang {
	if c.free == nil {
		c.free = &stringLang{lang: anyText{}, hi: -1}
	}
	return c.free
}
