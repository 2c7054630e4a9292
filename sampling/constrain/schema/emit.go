package schema

import (
	"fmt"
	"slices"

	"logitscope/sampling/constrain/lang"
)

// shapeExpr is what a shape allows, one alternative per type.
func (c *compiler) shapeExpr(k *shape) (*lang.Expr, error) {
	if k.hasValues {
		return c.literals(k.values), nil
	}
	var alts []*lang.Expr
	for _, t := range []struct {
		types typeSet
		text  string
	}{{typeNull, "null"}, {typeTrue, "true"}, {typeFalse, "false"}} {
		if k.types&t.types != 0 {
			alts = append(alts, lang.Text(t.text))
		}
	}
	for _, part := range []struct {
		types typeSet
		emit  func(*shape) (*lang.Expr, error)
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
	return lang.Alt(alts...), nil
}

func (c *compiler) numberExpr(k *shape) (*lang.Expr, error) {
	n := k.number
	n.integer = n.integer && k.types&typeInteger != 0
	n.fraction = n.fraction && k.types&typeFraction != 0
	n = n.simplified()
	switch {
	case n.restricted():
	case n.integer && n.fraction:
		return lang.Call(c.json.number()), nil
	case n.integer:
		whole, err := lang.RegexNFA(n.plain(), false)
		r := c.shared("integer", n.plain(), &lang.Expr{Op: lang.OpNFA, NFA: whole})
		c.def.Rules[r].Common = n.plain()
		return lang.Call(r), err
	}
	a, ok := c.numberOf(&n)
	if !ok {
		return nil, c.numberRefusal(k)
	}
	return lang.Call(c.shared("number", fmt.Sprintf("number %p", a), &lang.Expr{Op: lang.OpNFA, NFA: a})), nil
}

// numberRefusal names the keywords of a set of numbers with too many states.
func (c *compiler) numberRefusal(k *shape) error {
	ptr, name := c.at(k), "multipleOf"
	if uses := k.trail.uses(clashes["minimum"][1:]); len(uses) > 0 {
		ptr, name = uses[len(uses)-1].ptr(), uses[len(uses)-1].name
	}
	return lang.Refuse(ptr, name, "the bounds and steps together need more than %d states (at most %d bounds of %d digits; a step may be %d in its last decimal, less beside bounds of many digits)", maxNumberStates, maxComparisons, maxBoundDigits, maxModulus)
}

// shared returns one rule per key, so that equal parts share their states.
func (c *compiler) shared(name, key string, body *lang.Expr) int {
	if r, ok := c.rules[key]; ok {
		return r
	}
	r := c.def.Add(name, body)
	c.rules[key] = r
	return r
}

// at is the place of the shape being compiled, for messages.
func (c *compiler) at(*shape) string { return c.current.pointer() }

func (c *compiler) stringExpr(k *shape) (*lang.Expr, error) {
	s, empty, err := c.textOf(k)
	if err != nil {
		return nil, lang.Refuse(c.at(k), "pattern", "%v", err)
	}
	if empty {
		return lang.Never, nil
	}
	if _, plain := s.Lang.(lang.AnyText); plain && s.Lo == 0 && s.Hi < 0 {
		return lang.Call(c.json.str()), nil
	}
	return c.textRule(s), nil
}

// textRule is a call to the rule of a string, quotes included.
func (c *compiler) textRule(s *lang.StringLang) *lang.Expr {
	key := fmt.Sprintf("string %d %d %p", s.Lo, s.Hi, s.Lang)
	if _, plain := s.Lang.(lang.AnyText); plain {
		key = fmt.Sprintf("string %d %d", s.Lo, s.Hi)
	}
	return lang.Call(c.shared("string", key, lang.Seq(lang.Text(`"`), &lang.Expr{Op: lang.OpString, Str: s})))
}

// valueOf is a call to the rule of a set.
func (c *compiler) valueOf(s valueSet, name string) (*lang.Expr, error) {
	none, err := c.empty(s)
	if err != nil || none {
		return lang.Never, err
	}
	return lang.CallAs(c.rule(s, name), name), nil
}

// objectExpr lists the members in order and then, at any place, undeclared
// ones, one class for each combination of patterns a name may match.
func (c *compiler) objectExpr(k *shape) (*lang.Expr, error) {
	b := &k.members
	o := &lang.ObjectLang{Separator: c.json.comma(), Min: b.min, Max: b.max}
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
		if value.Op == lang.OpNever {
			if required[name] {
				return lang.Never, nil
			}
			continue
		}
		o.Keys = append(o.Keys, lang.MemberLang{Body: c.memberExpr(name, value), Required: required[name], Group: group})
	}
	// Among those beyond the required ones two could only count for one.
	if err := c.undeclared(o, k, names, o.Min >= len(b.required)+2); err != nil {
		return nil, err
	}
	if o.Min <= len(b.required) {
		o.Min = 0
	}
	if len(o.Keys) > maxFreeKeys && !o.Ordered() {
		return nil, lang.Refuse(c.at(k), "required", "more than %d names of one object that may come in any order (those of properties come in theirs)", maxFreeKeys)
	}
	if o.Extra == nil && o.Min > len(o.Keys) {
		return lang.Never, nil
	}
	if o.Max >= 0 && o.Extra == nil && o.Max >= len(o.Keys) {
		o.Max = -1
	}
	if o.Max == 0 {
		o.Keys, o.Extra, o.Distinct, o.Differ, o.Max = nil, nil, nil, nil, -1
		if len(b.required) > 0 {
			return lang.Never, nil
		}
	}
	return c.braces(o), nil
}

// maxFreeKeys bounds the names of an object of which any may come next.
const maxFreeKeys = 5000

// memberExpr is a declared member. Where a set has several shapes most of
// their members are alike, so they are made rules and shared.
func (c *compiler) memberExpr(name string, value *lang.Expr) *lang.Expr {
	if !c.sharing {
		return lang.Seq(lang.StringLiteral(name), c.colon(), value)
	}
	key := fmt.Sprintf("member %d %s", value.Rule, name)
	if r, ok := c.rules[key]; ok {
		return lang.Call(r)
	}
	return lang.Call(c.shared(name, key, lang.Seq(lang.StringLiteral(name), c.colon(), value)))
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
