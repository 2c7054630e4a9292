package constrain

import "fmt"

// arrayExpr lists the items with places of their own and then the others.
func (c *schemaCompiler) arrayExpr(k *shape) (*expr, error) {
	b := k.items
	p := b.prefix()
	for i := 0; i <= p; i++ {
		none, err := c.empty(b.item(i))
		if err != nil {
			return nil, err
		}
		if none {
			b.max = smaller(b.max, i)
			break
		}
	}
	if b.max >= 0 && b.min > b.max {
		return never, nil
	}
	if b.unique && (b.max < 0 || b.max > 1) {
		return c.uniqueArray(&b)
	}
	var contains []containsClause
	for _, x := range b.contains {
		if x.min > 0 || x.max >= 0 {
			contains = append(contains, x)
		}
	}
	if len(contains) > 0 {
		g := &containsGrid{c: c, b: &b, clauses: contains, rules: map[string]int{}}
		return g.array()
	}
	body, err := c.itemList(&b, p)
	if err != nil {
		return nil, err
	}
	return c.brackets(body), nil
}

func (c *schemaCompiler) brackets(body *expr) *expr {
	return seq(text("["), c.json.ws, alt(body), text("]"))
}

// itemList is the items with commas and the blanks behind the last.
func (c *schemaCompiler) itemList(b *itemBounds, p int) (*expr, error) {
	rest := empty
	if b.max < 0 || b.max > p {
		item, err := c.valueOf(b.item(p), "[]")
		if err != nil {
			return nil, err
		}
		if p == 0 {
			return c.uniformList(item, b.min, b.max), nil
		}
		hi := -1
		if b.max >= 0 {
			hi = b.max - p
		}
		rest = repeat(seq(c.json.comma(), item), max(b.min-p, 0), hi)
	}
	n := p
	if b.max >= 0 {
		n = min(n, b.max)
	}
	if n < p {
		rest = empty
	}
	// From the last place backwards: an item, then the end or what follows.
	tail := seq(rest, c.json.ws)
	for i := n - 1; i >= 0; i-- {
		item, err := c.valueOf(b.item(i), fmt.Sprintf("[%d]", i))
		if err != nil {
			return nil, err
		}
		if i+1 < n {
			tail = seq(c.json.comma(), tail)
		}
		if i+1 >= b.min && i+1 < n {
			tail = alt(tail, c.json.ws)
		}
		if i+1 == n && i+1 >= b.min && rest.op != opEmpty {
			tail = alt(tail, c.json.ws)
		}
		tail = seq(item, tail)
		if i > 0 && i%32 == 0 {
			tail = call(c.def.add("array", tail)) // keeps the expression shallow
		}
	}
	if b.min == 0 {
		tail = optional(tail)
	}
	return tail, nil
}

// uniformList is lo..hi items that are all alike.
func (c *schemaCompiler) uniformList(item *expr, lo, hi int) *expr {
	if hi == 0 || item.op == opNever {
		if lo > 0 {
			return never
		}
		return empty
	}
	more := repeat(seq(c.json.comma(), item), max(lo-1, 0), max(hi-1, -1))
	if hi == 1 {
		more = empty
	}
	list := seq(item, more, c.json.ws)
	if lo == 0 {
		return optional(list)
	}
	return list
}

// maxUnique bounds the different items of an array whose items must differ.
const maxUnique = 1000

// uniqueArray is an array of items that are all different: each of a finite
// set may come once, as the names of an object do.
func (c *schemaCompiler) uniqueArray(b *itemBounds) (*expr, error) {
	if b.prefix() > 0 || len(b.contains) > 0 {
		return nil, refuse(c.current.pointer(), "uniqueItems", "is not supported beside items with places of their own or contains")
	}
	values, ok, err := c.listValues(b.item(0))
	if err != nil {
		return nil, err
	}
	if !ok {
		return c.uniqueTexts(b)
	}
	if len(values) < b.min {
		return never, nil
	}
	o := &objectLang{separator: c.json.comma(), min: b.min, max: b.max}
	if o.max >= len(values) {
		o.max = -1
	}
	for i, v := range values {
		o.keys = append(o.keys, memberLang{c.literal(v), false, i})
	}
	body := seq(&expr{op: opObject, obj: o}, c.json.ws)
	return seq(text("["), c.json.ws, body, text("]")), nil
}

// uniqueTexts is an array of strings, or of numbers, that are all different,
// where there are too many to list. Numbers are written without exponents.
func (c *schemaCompiler) uniqueTexts(b *itemBounds) (*expr, error) {
	refusal := refuse(c.current.pointer(), "uniqueItems", "is supported for strings, for numbers without bounds, and for items of which there are at most %d (enum, const, boolean, null, small integers), but not for a mixture", maxUnique)
	var shapes []*shape
	if s := b.item(0); s.trivial() {
		return nil, refusal
	} else {
		var err error
		if shapes, err = c.shapesOf(s); err != nil {
			return nil, err
		}
	}
	if len(shapes) != 1 || shapes[0].hasValues {
		return nil, refusal
	}
	k := shapes[0]
	var item *expr
	var unique *stringLang
	switch {
	case k.types == typeString:
		s, _, err := c.textOf(k)
		if err != nil {
			return nil, refuse(c.at(k), "pattern", "%v", err)
		}
		s.unique, unique = true, s
		item = seq(text(`"`), &expr{op: opString, str: s})
	case k.types&^typeNumber == 0 && k.types&typeInteger != 0 && !k.number.restricted():
		source, whole := `-?(0|[1-9][0-9]*)(\.[0-9]+)?`, k.types&typeFraction == 0
		switch {
		case whole && c.opts.Canonical:
			source = `-?(0|[1-9][0-9]*)`
		case whole:
			source = `-?(0|[1-9][0-9]*)(\.0+)?`
		}
		n, err := regexNFA(source, false)
		if err != nil {
			return nil, err
		}
		d, _ := newDFAText([]condition{{n, false}})
		unique = &stringLang{lang: d, hi: -1, unique: true, bare: true, whole: whole}
		item = &expr{op: opString, str: unique}
	default:
		return nil, refusal
	}
	if unique.fewerThan(b.min) {
		return never, nil
	}
	o := &objectLang{separator: c.json.comma(), min: b.min, max: b.max, differ: []*stringLang{unique}, extra: item}
	body := seq(&expr{op: opObject, obj: o}, c.json.ws)
	return seq(text("["), c.json.ws, body, text("]")), nil
}

// listValues lists the values of a set if they are few.
func (c *schemaCompiler) listValues(s schemaSet) ([]*jsonValue, bool, error) {
	if s.trivial() {
		return nil, false, nil
	}
	shapes, err := c.shapesOf(s)
	if err != nil {
		return nil, false, err
	}
	var out []*jsonValue
	seen := map[string]bool{}
	for _, k := range shapes {
		values, ok := k.few()
		if k.types == typeString && !k.hasValues {
			values, ok = c.fewTexts(k)
		}
		if !ok {
			return nil, false, nil
		}
		for _, v := range values {
			if key := v.key(); !seen[key] {
				seen[key] = true
				out = append(out, v)
			}
		}
	}
	return out, len(out) <= maxUnique, nil
}

// fewTexts lists the strings of a shape if they are few.
func (c *schemaCompiler) fewTexts(k *shape) ([]*jsonValue, bool) {
	s, _, err := c.textOf(k)
	if err != nil {
		return nil, false
	}
	if s.hi == 0 {
		return []*jsonValue{{kind: kindString}}, true
	}
	d, ok := s.lang.(*dfaText)
	if !ok {
		return nil, false
	}
	texts, ok := d.list(s.lo, s.hi, maxUnique)
	var out []*jsonValue
	for _, x := range texts {
		out = append(out, &jsonValue{kind: kindString, text: x})
	}
	return out, ok
}

// few lists a shape's values if they are few.
func (k *shape) few() ([]*jsonValue, bool) {
	if k.hasValues {
		return k.values, true
	}
	if k.types&^(typeNull|typeBoolean|typeInteger) != 0 {
		return nil, false
	}
	var out []*jsonValue
	for t, kind := range map[typeSet]jsonKind{typeNull: kindNull, typeFalse: kindFalse, typeTrue: kindTrue} {
		if k.types&t != 0 {
			out = append(out, &jsonValue{kind: kind})
		}
	}
	if k.types&typeInteger != 0 {
		numbers, ok := k.smallIntegers(maxUnique)
		if !ok {
			return nil, false
		}
		out = append(out, numbers...)
	}
	return out, true
}

// A containsGrid is an array whose items are counted by the clauses of
// contains that they satisfy. Its states are the place of the next item and
// the counts, each up to what still matters; every state is a rule.
type containsGrid struct {
	c       *schemaCompiler
	b       *itemBounds
	clauses []containsClause
	rules   map[string]int
}

const (
	maxGridRules   = 20_000
	maxGridClauses = 4
)

func (g *containsGrid) array() (*expr, error) {
	if len(g.clauses) > maxGridClauses {
		return nil, refuse(g.clauses[0].ptr, "contains", "more than %d of them apply to one array", maxGridClauses)
	}
	first, err := g.items(0, make([]int, len(g.clauses)))
	if err != nil {
		return nil, err
	}
	body := first
	if g.done(0, make([]int, len(g.clauses))) {
		body = optional(first)
	}
	return g.c.brackets(body), nil
}

func (g *containsGrid) done(place int, counts []int) bool {
	for j, x := range g.clauses {
		if counts[j] < x.min {
			return false
		}
	}
	return place >= g.b.min
}

// items is one item at a place and what follows it.
func (g *containsGrid) items(place int, counts []int) (*expr, error) {
	if g.b.max >= 0 && place >= g.b.max {
		return never, nil
	}
	var alts []*expr
	for choice := 0; choice < 1<<len(g.clauses); choice++ {
		set, next, ok := g.choose(g.b.item(place), counts, choice)
		if !ok {
			continue
		}
		item, err := g.c.valueOf(set, "[]")
		if err != nil {
			return nil, err
		}
		if item.op == opNever {
			continue
		}
		tail, err := g.after(place+1, next)
		if err != nil {
			return nil, err
		}
		alts = append(alts, seq(item, call(tail)))
	}
	return alt(alts...), nil
}

// choose adds to an item's set that it satisfies the clauses of the choice,
// and not the others where an upper bound makes that matter.
func (g *containsGrid) choose(set schemaSet, counts []int, choice int) (schemaSet, []int, bool) {
	next := append([]int(nil), counts...)
	for j, x := range g.clauses {
		if choice>>j&1 == 0 {
			if x.max >= 0 {
				set = set.and(x.set.opposite())
			}
			continue
		}
		set = set.and(x.set)
		next[j]++
		if x.max >= 0 && next[j] > x.max {
			return set, nil, false
		}
		if x.max < 0 {
			if counts[j] >= x.min {
				return set, nil, false // counting on would change nothing
			}
			next[j] = min(next[j], x.min)
		}
	}
	return set, next, true
}

// after is the rule behind an item: the end, or a comma and another.
func (g *containsGrid) after(place int, counts []int) (int, error) {
	limit := max(g.b.min, g.b.prefix())
	if g.b.max >= 0 {
		limit = max(limit, g.b.max)
	}
	place = min(place, limit)
	key := fmt.Sprint(place, counts)
	if r, ok := g.rules[key]; ok {
		return r, nil
	}
	r := g.c.def.add("array", never)
	g.rules[key] = r
	if len(g.rules) > maxGridRules {
		return 0, refuse(g.clauses[0].ptr, "contains", "counting its items needs more than %d states", maxGridRules)
	}
	next, err := g.items(place, counts)
	if err != nil {
		return 0, err
	}
	body := seq(g.c.json.comma(), next)
	if g.done(place, counts) {
		body = alt(g.c.json.ws, body)
	}
	g.c.def.rules[r].body = body
	return r, nil
}
