package schema

import (
	"strconv"

	"logitscope/sampling/constrain/jsonvalue"
	"logitscope/sampling/constrain/lang"
)

// applyMembers reads properties, patternProperties and additionalProperties.
func applyMembers(c *compiler, u keywordUse, s *shape) error {
	clause, err := c.memberClause(u)
	if err == nil {
		s.members.clauses = append(s.members.clauses, clause)
	}
	return err
}

func (c *compiler) memberClause(u keywordUse) (*memberClause, error) {
	n := u.node
	clause := &memberClause{sets: map[string]valueSet{}}
	if v := n.value.Get("properties"); v != nil {
		if v.Kind != jsonvalue.Object {
			return nil, lang.Refuse(n.ptr, "properties", "must be an object of schemas")
		}
		for i, name := range v.Names {
			set, err := c.child(n, v.List[i], "properties", name)
			if err != nil {
				return nil, err
			}
			clause.names, clause.sets[name] = append(clause.names, name), set
		}
	}
	if v := n.value.Get("patternProperties"); v != nil {
		if v.Kind != jsonvalue.Object {
			return nil, lang.Refuse(n.ptr, "patternProperties", "must be an object of schemas")
		}
		for i, source := range v.Names {
			p, err := c.pattern(n.ptr, "patternProperties", source)
			if err != nil {
				return nil, err
			}
			set, err := c.child(n, v.List[i], "patternProperties", source)
			if err != nil {
				return nil, err
			}
			clause.patterns = append(clause.patterns, patternSet{p, set})
		}
	}
	others, err := c.otherMembers(n)
	clause.others = others
	return clause, err
}

// otherMembers reads additionalProperties, and unevaluatedProperties where it
// means the same: beside no keyword that could evaluate members elsewhere.
func (c *compiler) otherMembers(n *subschema) (valueSet, error) {
	v, name := n.value.Get("additionalProperties"), "additionalProperties"
	if u := c.has(n, "unevaluatedProperties"); u != nil {
		if v == nil {
			if k := branching(n); k != "" {
				return valueSet{}, lang.Refuse(n.ptr, "unevaluatedProperties", "is not supported beside %s", k)
			}
			v, name = u, "unevaluatedProperties"
		}
	}
	if v == nil {
		return valueSet{never: c.opts.Closed && n.value.Get("properties") != nil}, nil
	}
	return c.child(n, v, name)
}

func branching(n *subschema) string {
	for _, k := range []string{"$ref", "allOf", "anyOf", "oneOf", "not", "if", "dependentSchemas", "contains"} {
		if n.value.Get(k) != nil {
			return k
		}
	}
	return ""
}

// negateMembers is an object with a member that its schema forbids.
func negateMembers(c *compiler, u keywordUse) ([]*shape, error) {
	clause, err := c.memberClause(u)
	if err != nil {
		return nil, err
	}
	var out []*shape
	for _, name := range clause.names {
		out = append(out, withMember(name, clause.sets[name].opposite(), true))
	}
	for _, p := range clause.patterns {
		if p.set.never || len(p.set.all)+len(p.set.not) > 0 {
			return nil, lang.Refuse(u.ptr(), "patternProperties", "its negation, which not, if or oneOf needs here, is not supported")
		}
	}
	if s := clause.others; s.never || len(s.all)+len(s.not) > 0 {
		return nil, lang.Refuse(u.ptr(), "additionalProperties", "its negation, which not, if or oneOf needs here, is not supported")
	}
	return out, nil
}

// itemClause reads prefixItems, items, additionalItems and unevaluatedItems.
func (c *compiler) itemClause(n *subschema) (clause itemClause, err error) {
	prefix, name := c.has(n, "prefixItems"), "prefixItems"
	rest, restName := n.value.Get("items"), "items"
	if rest != nil && rest.Kind == jsonvalue.Array {
		prefix, name = rest, "items"
		rest, restName = n.value.Get("additionalItems"), "additionalItems"
	}
	if prefix != nil {
		if prefix.Kind != jsonvalue.Array {
			return clause, lang.Refuse(n.ptr, name, "must be a list of schemas")
		}
		for i, v := range prefix.List {
			set, err := c.child(n, v, name, strconv.Itoa(i))
			if err != nil {
				return clause, err
			}
			clause.prefix = append(clause.prefix, set)
		}
	}
	if u := c.has(n, "unevaluatedItems"); u != nil && rest == nil {
		if k := branching(n); k != "" {
			return clause, lang.Refuse(n.ptr, "unevaluatedItems", "is not supported beside %s", k)
		}
		rest, restName = u, "unevaluatedItems"
	}
	if rest != nil {
		clause.rest, err = c.child(n, rest, restName)
	}
	return clause, err
}

func applyItems(c *compiler, u keywordUse, s *shape) error {
	clause, err := c.itemClause(u.node)
	if err == nil {
		s.items.clauses = append(s.items.clauses, clause)
	}
	return err
}

// negateItems is an array with an item that its schema forbids.
func negateItems(c *compiler, u keywordUse) ([]*shape, error) {
	clause, err := c.itemClause(u.node)
	if err != nil {
		return nil, err
	}
	var out []*shape
	for i, item := range clause.prefix {
		s := only(typeArray)
		s.items.min = i + 1
		prefix := make([]valueSet, i+1)
		prefix[i] = item.opposite()
		s.items.clauses = []itemClause{{prefix: prefix}}
		out = append(out, s)
	}
	switch rest := clause.rest; {
	case !rest.never && len(rest.all)+len(rest.not) == 0:
	case rest.never:
		s := only(typeArray)
		s.items.min = len(clause.prefix) + 1
		out = append(out, s)
	case len(clause.prefix) > 0:
		return nil, u.refuse("its negation, which not, if or oneOf needs here, is not supported")
	default:
		s := only(typeArray)
		s.items.contains = []containsClause{{set: rest.opposite(), min: 1, max: -1, ptr: u.ptr()}}
		out = append(out, s)
	}
	return out, nil
}

func (c *compiler) containsClause(u keywordUse) (containsClause, error) {
	set, err := c.child(u.node, u.value, "contains")
	clause := containsClause{set: set, min: 1, max: -1, ptr: u.ptr()}
	if err != nil {
		return clause, err
	}
	for _, bound := range []struct {
		name string
		to   *int
	}{{"minContains", &clause.min}, {"maxContains", &clause.max}} {
		if v := c.has(u.node, bound.name); v != nil {
			if *bound.to, err = (keywordUse{name: bound.name, node: u.node, value: v}).count(); err != nil {
				return clause, err
			}
		}
	}
	return clause, nil
}

func applyContains(c *compiler, u keywordUse, s *shape) error {
	clause, err := c.containsClause(u)
	s.items.contains = append(s.items.contains, clause)
	return err
}

func negateContains(c *compiler, u keywordUse) ([]*shape, error) {
	clause, err := c.containsClause(u)
	if err != nil {
		return nil, err
	}
	var out []*shape
	add := func(lo, hi int) {
		s := only(typeArray)
		s.items.contains = []containsClause{{set: clause.set, min: lo, max: hi, ptr: clause.ptr}}
		out = append(out, s)
	}
	if clause.min > 0 {
		add(0, clause.min-1)
	}
	if clause.max >= 0 {
		add(clause.max+1, -1)
	}
	return out, nil
}
