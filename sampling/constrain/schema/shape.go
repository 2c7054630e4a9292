package schema

import (
	"fmt"
	"math/big"
	"slices"

	"logitscope/sampling/constrain/jsonvalue"
	"logitscope/sampling/constrain/lang"
)

// A typeSet says which kinds of value are allowed. Booleans and whole numbers
// have kinds of their own, so that "integer" and single values are sets too.
type typeSet uint8

const (
	typeNull typeSet = 1 << iota
	typeFalse
	typeTrue
	typeInteger
	typeFraction // a number that is not whole
	typeString
	typeArray
	typeObject

	typeBoolean = typeFalse | typeTrue
	typeNumber  = typeInteger | typeFraction
	typeAny     = typeNull | typeBoolean | typeNumber | typeString | typeArray | typeObject
)

// typesOf returns the type of a value.
func typesOf(v *jsonvalue.Value) typeSet {
	switch v.Kind {
	case jsonvalue.Null:
		return typeNull
	case jsonvalue.False:
		return typeFalse
	case jsonvalue.True:
		return typeTrue
	case jsonvalue.Number:
		if v.Num.IsInt() {
			return typeInteger
		}
		return typeFraction
	case jsonvalue.String:
		return typeString
	case jsonvalue.Array:
		return typeArray
	}
	return typeObject
}

// A shape is one alternative of what a set of schemas allows: constraints per
// type that all hold, with no choice left. Shapes are not changed once made.
type shape struct {
	types    typeSet
	conflict *lang.Refusal // what took the last type away
	trail    *trail        // the keywords that restrict it, for messages

	values    []*jsonvalue.Value // if hasValues: only these
	hasValues bool
	notTexts  []string // strings that are not allowed

	number  numberLang
	text    textBounds
	members memberBounds
	items   itemBounds
}

// textBounds restricts strings. max < 0 is unlimited.
type textBounds struct {
	min, max int
	patterns []textPattern
}

type textPattern struct {
	source string // identifies the automaton
	format bool   // it comes from a format
	NFA    *lang.NFA
	negate bool
}

// memberBounds restricts objects.
type memberBounds struct {
	min, max int
	required []string
	// forbidden are names that no value has: those of clauses that say no more.
	forbidden []string
	names     []valueSet // every name satisfies these
	clauses   []*memberClause
}

// A memberClause is properties, patternProperties and additionalProperties of
// one schema object.
type memberClause struct {
	names    []string
	sets     map[string]valueSet
	patterns []patternSet
	others   valueSet
}

type patternSet struct {
	textPattern
	set valueSet
}

// itemBounds restricts arrays.
type itemBounds struct {
	min, max int
	clauses  []itemClause
	contains []containsClause
	unique   bool
}

type itemClause struct {
	prefix []valueSet
	rest   valueSet
}

type containsClause struct {
	set      valueSet
	min, max int
	ptr      string
}

// anything is the shape without constraints.
func anything() *shape {
	return &shape{
		types: typeAny, number: numberLang{integer: true, fraction: true},
		text: textBounds{max: -1}, members: memberBounds{max: -1}, items: itemBounds{max: -1},
	}
}

// only is the shape of all values of some types.
func only(t typeSet) *shape {
	s := anything()
	s.types = t
	return s
}

// copy returns a shape whose lists may be appended to.
func (s *shape) copy() *shape {
	c := *s
	c.values, c.notTexts = slices.Clip(s.values), slices.Clip(s.notTexts)
	c.number.compare, c.number.notMultiple = slices.Clip(s.number.compare), slices.Clip(s.number.notMultiple)
	c.text.patterns = slices.Clip(s.text.patterns)
	c.members.required, c.members.names, c.members.clauses = slices.Clip(s.members.required), slices.Clip(s.members.names), slices.Clip(s.members.clauses)
	c.members.forbidden = slices.Clip(s.members.forbidden)
	c.items.clauses, c.items.contains = slices.Clip(s.items.clauses), slices.Clip(s.items.contains)
	return &c
}

// drop takes types away and remembers the keyword that took the last.
func (s *shape) drop(t typeSet, ptr, keyword, reason string) {
	if s.types != 0 && s.types&^t == 0 {
		s.conflict = &lang.Refusal{Pointer: ptr, Keyword: keyword, Reason: reason}
	}
	s.types &^= t
}

func smaller(a, b int) int {
	if a < 0 || b >= 0 && b < a {
		return b
	}
	return a
}

// meet is the shape of the values that both allow.
func meet(a, b *shape, ptr string) *shape {
	s := a.copy()
	s.trail = a.trail.and(b.trail)
	s.drop(^b.types, ptr, "type", "no type is left that all parts allow")
	if s.conflict == nil || a.types != 0 && b.types == 0 && b.conflict != nil {
		s.conflict = b.conflict
	}
	if b.hasValues {
		if !s.hasValues {
			s.values, s.hasValues = b.values, true
		} else {
			s.values = slices.DeleteFunc(slices.Clone(s.values), func(v *jsonvalue.Value) bool { return !holds(b.values, v) })
		}
	}
	s.notTexts = append(s.notTexts, b.notTexts...)
	s.number.meet(&b.number)
	s.text.min, s.text.max = max(s.text.min, b.text.min), smaller(s.text.max, b.text.max)
	for _, p := range b.text.patterns {
		s.text.add(p)
	}
	if name, ok := s.members.meet(&b.members); !ok && s.types&typeObject != 0 {
		s.drop(typeObject, ptr, "dependentRequired", fmt.Sprintf("a value may not have %q here and must", name))
	}
	s.items.min, s.items.max = max(s.items.min, b.items.min), smaller(s.items.max, b.items.max)
	s.items.clauses = append(s.items.clauses, b.items.clauses...)
	s.items.contains = append(s.items.contains, b.items.contains...)
	s.items.unique = s.items.unique || b.items.unique
	return s
}

func holds(list []*jsonvalue.Value, v *jsonvalue.Value) bool {
	return slices.ContainsFunc(list, func(w *jsonvalue.Value) bool { return v.Same(w) })
}

func (n *numberLang) meet(m *numberLang) {
	n.integer, n.fraction = n.integer && m.integer, n.fraction && m.fraction
	n.canonical = n.canonical || m.canonical
	for _, c := range m.compare {
		n.bound(c)
	}
	n.notMultiple = append(n.notMultiple, m.notMultiple...)
	switch {
	case n.multiple == nil:
		n.multiple = m.multiple
	case m.multiple != nil:
		n.multiple = commonMultiple(n.multiple, m.multiple)
	}
}

// bound adds a comparison, replacing one on the same side that is weaker.
func (n *numberLang) bound(c comparison) {
	oneSided := func(c comparison) bool { return c.less != c.greater }
	for i, d := range n.compare {
		cmp := c.value.Cmp(d.value)
		switch {
		case cmp == 0:
			both := comparison{c.value, c.less && d.less, c.equal && d.equal, c.greater && d.greater}
			n.compare = slices.Clone(n.compare)
			n.compare[i] = both
			return
		case oneSided(c) && oneSided(d) && c.less == d.less:
			if c.less == (cmp < 0) {
				n.compare = slices.Clone(n.compare)
				n.compare[i] = c
			}
			return
		}
	}
	n.compare = append(n.compare, c)
}

// commonMultiple is the smallest number that both divide.
func commonMultiple(a, b *big.Rat) *big.Rat {
	// lcm(p/q, r/s) = lcm(p, r) / gcd(q, s) for fractions in lowest terms.
	g := new(big.Int).GCD(nil, nil, a.Num(), b.Num())
	num := new(big.Int).Mul(a.Num(), b.Num())
	num.Quo(num, g)
	return new(big.Rat).SetFrac(num, new(big.Int).GCD(nil, nil, a.Denom(), b.Denom()))
}

func (t *textBounds) add(p textPattern) {
	for _, q := range t.patterns {
		if q.source == p.source && q.negate == p.negate {
			return
		}
	}
	t.patterns = append(t.patterns, p)
}

// meet restricts m to what n allows as well. It is not ok if a name is then
// both required and forbidden.
func (m *memberBounds) meet(n *memberBounds) (name string, ok bool) {
	name, ok = m.torn(n)
	if ok {
		name, ok = n.torn(m)
	}
	m.forbidden = append(m.forbidden, n.forbidden...)
	m.min, m.max = max(m.min, n.min), smaller(m.max, n.max)
	m.required = union(m.required, n.required)
	m.names = append(m.names, n.names...)
	m.clauses = append(m.clauses, n.clauses...)
	return name, ok
}

// torn returns a name that m requires and n forbids; it is ok if there is none.
func (m *memberBounds) torn(n *memberBounds) (name string, ok bool) {
	for _, name := range n.forbidden {
		if slices.Contains(m.required, name) {
			return name, false
		}
	}
	return "", true
}

// union appends to a list what it does not have of another.
func union(list, more []string) []string {
	has := func(s string) bool { return slices.Contains(list, s) }
	if len(list)+len(more) > 32 {
		known := make(map[string]bool, len(list)+len(more))
		for _, s := range list {
			known[s] = true
		}
		has = func(s string) bool {
			was := known[s]
			known[s] = true
			return was
		}
	}
	for _, s := range more {
		if !has(s) {
			list = append(list, s)
		}
	}
	return list
}

// member is what the value under a name must satisfy.
func (m *memberBounds) member(name string) valueSet {
	var s valueSet
	for _, c := range m.clauses {
		s = s.and(c.member(name))
	}
	return s
}

func (c *memberClause) member(name string) valueSet {
	s, declared := c.sets[name]
	for _, p := range c.patterns {
		if p.matches(name) {
			s, declared = s.and(p.set), true
		}
	}
	if !declared {
		return c.others
	}
	return s
}

// matches reports whether a pattern holds for a text.
func (p textPattern) matches(s string) bool { return p.NFA.Accepts(s) != p.negate }

// item is what the item at an index must satisfy.
func (b *itemBounds) item(i int) valueSet {
	var s valueSet
	for _, c := range b.clauses {
		if i < len(c.prefix) {
			s = s.and(c.prefix[i])
		} else {
			s = s.and(c.rest)
		}
	}
	return s
}

// prefix is the number of items with a place of their own.
func (b *itemBounds) prefix() int {
	n := 0
	for _, c := range b.clauses {
		n = max(n, len(c.prefix))
	}
	return n
}
