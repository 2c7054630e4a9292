package schema

import (
	"fmt"

	"logitscope/sampling/constrain/jsonvalue"
	"logitscope/sampling/constrain/lang"
)

// arrayExpr lists the items with places of their own and then the others.
func (c *compiler) arrayExpr(k *shape) (*lang.Expr, error) {
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
		return lang.Never, nil
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

func (c *compiler) brackets(body *lang.Expr) *lang.Expr {
	return lang.Seq(lang.Text("["), c.json.ws, lang.Alt(body), lang.Text("]"))
}

// itemList is the items with commas and the blanks after the last.
func (c *compiler) itemList(b *itemBounds, p int) (*lang.Expr, error) {
	rest := lang.Empty
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
		rest = lang.Repeat(lang.Seq(c.json.comma(), item), max(b.min-p, 0), hi)
	}
	n := p
	if b.max >= 0 {
		n = min(n, b.max)
	}
	if n < p {
		rest = lang.Empty
	}
	// From the last place backwards: an item, then the end or what follows.
	tail := lang.Seq(rest, c.json.ws)
	for i := n - 1; i >= 0; i-- {
		item, err := c.valueOf(b.item(i), fmt.Sprintf("[%d]", i))
		if err != nil {
			return nil, err
		}
		if i+1 < n {
			tail = lang.Seq(c.json.comma(), tail)
		}
		if i+1 >= b.min && i+1 < n {
			tail = lang.Alt(tail, c.json.ws)
		}
		if i+1 == n && i+1 >= b.min && rest.Op != lang.OpEmpty {
			tail = lang.Alt(tail, c.json.ws)
		}
		tail = lang.Seq(item, tail)
		if i > 0 && i%32 == 0 {
			tail = lang.Call(c.def.Add("array", tail)) // keeps the expression shallow
		}
	}
	if b.min == 0 {
		tail = lang.Optional(tail)
	}
	return tail, nil
}

// uniformList is lo..hi items that are all alike.
func (c *compiler) uniformList(item *lang.Expr, lo, hi int) *lang.Expr {
	if hi == 0 || item.Op == lang.OpNever {
		if lo > 0 {
			return lang.Never
		}
		return lang.Empty
	}
	more := lang.Repeat(lang.Seq(c.json.comma(), item), max(lo-1, 0), max(hi-1, -1))
	if hi == 1 {
		more = lang.Empty
	}
	list := lang.Seq(item, more, c.json.ws)
	if lo == 0 {
		return lang.Optional(list)
	}
	return list
}

// maxUnique bounds the different items of an array whose items must differ.
const maxUnique = 1000

// uniqueArray is an array of items that are all different: each of a finite
// set may come once, as the names of an object do.
func (c *compiler) uniqueArray(b *itemBounds) (*lang.Expr, error) {
	if b.prefix() > 0 || len(b.contains) > 0 {
		return nil, lang.Refuse(c.current.pointer(), "uniqueItems", "is not supported beside items with places of their own or contains")
	}
	values, ok, err := c.listValues(b.item(0))
	if err != nil {
		return nil, err
	}
	if !ok {
		return c.uniqueTexts(b)
	}
	if len(values) < b.min {
		return lang.Never, nil
	}
	o := &lang.ObjectLang{Separator: c.json.comma(), Min: b.min, Max: b.max}
	if o.Max >= len(values) {
		o.Max = -1
	}
	for i, v := range values {
		o.Keys = append(o.Keys, lang.MemberLang{Body: c.literal(v), Required: false, Group: i})
	}
	body := lang.Seq(&lang.Expr{Op: lang.OpObject, Obj: o}, c.json.ws)
	return lang.Seq(lang.Text("["), c.json.ws, body, lang.Text("]")), nil
}

// uniqueTexts is an array of strings, or of numbers, that are all different,
// where there are too many to list. Numbers are written without exponents.
func (c *compiler) uniqueTexts(b *itemBounds) (*lang.Expr, error) {
	refusal := lang.Refuse(c.current.pointer(), "uniqueItems", "is supported for strings, for numbers without bounds, and for items of which there are at most %d (enum, const, boolean, null, small integers), but not for a mixture", maxUnique)
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
	var item *lang.Expr
	var unique *lang.StringLang
	switch {
	case k.types == typeString:
		s, _, err := c.textOf(k)
		if err != nil {
			return nil, lang.Refuse(c.at(k), "pattern", "%v", err)
		}
		s.Unique, unique = true, s
		item = lang.Seq(lang.Text(`"`), &lang.Expr{Op: lang.OpString, Str: s})
	case k.types&^typeNumber == 0 && k.types&typeInteger != 0 && !k.number.restricted():
		source, whole := `-?(0|[1-9][0-9]*)(\.[0-9]+)?`, k.types&typeFraction == 0
		switch {
		case whole && c.opts.Canonical:
			source = `-?(0|[1-9][0-9]*)`
		case whole:
			source = `-?(0|[1-9][0-9]*)(\.0+)?`
		}
		n, err := lang.RegexNFA(source, false)
		if err != nil {
			return nil, err
		}
		d, _ := lang.NewDFA([]lang.Condition{{NFA: n, Negate: false}})
		unique = &lang.StringLang{Lang: d, Hi: -1, Unique: true, Bare: true, Whole: whole}
		item = &lang.Expr{Op: lang.OpString, Str: unique}
	default:
		return nil, refusal
	}
	if unique.FewerThan(b.min) {
		return lang.Never, nil
	}
	o := &lang.ObjectLang{Separator: c.json.comma(), Min: b.min, Max: b.max, Differ: []*lang.StringLang{unique}, Extra: item}
	body := lang.Seq(&lang.Expr{Op: lang.OpObject, Obj: o}, c.json.ws)
	return lang.Seq(lang.Text("["), c.json.ws, body, lang.Text("]")), nil
}

// listValues lists the values of a set if they are few.
func (c *compiler) listValues(s valueSet) ([]*jsonvalue.Value, bool, error) {
	if s.trivial() {
		return nil, false, nil
	}
	shapes, err := c.shapesOf(s)
	if err != nil {
		return nil, false, err
	}
	var out []*jsonvalue.Value
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
			if key := v.Key(); !seen[key] {
				seen[key] = true
				out = append(out, v)
			}
		}
	}
	return out, len(out) <= maxUnique, nil
}

// fewTexts lists the strings of a shape if they are few.
func (c *compiler) fewTexts(k *shape) ([]*jsonvalue.Value, bool) {
	s, _, err := c.textOf(k)
	if err != nil {
		return nil, false
	}
	if s.Hi == 0 {
		return []*jsonvalue.Value{{Kind: jsonvalue.String}}, true
	}
	d, ok := s.Lang.(*lang.DFA)
	if !ok {
		return nil, false
	}
	texts, ok := d.List(s.Lo, s.Hi, maxUnique)
	var out []*jsonvalue.Value
	for _, x := range texts {
		out = append(out, &jsonvalue.Value{Kind: jsonvalue.String, Text: x})
	}
	return out, ok
}

// few lists a shape's values if they are few.
func (k *shape) few() ([]*jsonvalue.Value, bool) {
	if k.hasValues {
		return k.values, true
	}
	if k.types&^(typeNull|typeBoolean|typeInteger) != 0 {
		return nil, false
	}
	var out []*jsonvalue.Value
	for _, one := range []struct {
		of   typeSet
		kind jsonvalue.Kind
	}{{typeNull, jsonvalue.Null}, {typeFalse, jsonvalue.False}, {typeTrue, jsonvalue.True}} {
		if k.types&one.of != 0 {
			out = append(out, &jsonvalue.Value{Kind: one.kind})
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
	c       *compiler
	b       *itemBounds
	clauses []containsClause
	rules   map[string]int
}

const (
	maxGridRules   = 20_000
	maxGridClauses = 4
)

func (g *containsGrid) array() (*lang.Expr, error) {
	if len(g.clauses) > maxGridClauses {
		return nil, lang.Refuse(g.clauses[0].ptr, "contains", "more than %d of them apply to one array", maxGridClauses)
	}
	first, err := g.items(0, make([]int, len(g.clauses)))
	if err != nil {
		return nil, err
	}
	body := first
	if g.done(0, make([]int, len(g.clauses))) {
		body = lang.Optional(first)
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
func (g *containsGrid) items(place int, counts []int) (*lang.Expr, error) {
	if g.b.max >= 0 && place >= g.b.max {
		return lang.Never, nil
	}
	var alts []*lang.Expr
	for choice := 0; choice < 1<<len(g.clauses); choice++ {
		set, next, ok := g.choose(g.b.item(place), counts, choice)
		if !ok {
			continue
		}
		item, err := g.c.valueOf(set, "[]")
		if err != nil {
			return nil, err
		}
		if item.Op == lang.OpNever {
			continue
		}
		tail, err := g.after(place+1, next)
		if err != nil {
			return nil, err
		}
		alts = append(alts, lang.Seq(item, lang.Call(tail)))
	}
	return lang.Alt(alts...), nil
}

// choose adds to an item's set that it satisfies the clauses of the choice,
// and not the others where an upper bound makes that matter.
func (g *containsGrid) choose(set valueSet, counts []int, choice int) (valueSet, []int, bool) {
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

// after is the rule after an item: the end, or a comma and another.
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
	r := g.c.def.Add("array", lang.Never)
	g.rules[key] = r
	if len(g.rules) > maxGridRules {
		return 0, lang.Refuse(g.clauses[0].ptr, "contains", "counting its items needs more than %d states", maxGridRules)
	}
	next, err := g.items(place, counts)
	if err != nil {
		return 0, err
	}
	body := lang.Seq(g.c.json.comma(), next)
	if g.done(place, counts) {
		body = lang.Alt(g.c.json.ws, body)
	}
	g.c.def.Rules[r].Body = body
	return r, nil
}
