package schema

import (
	"fmt"
	"slices"

	"logitscope/sampling/constrain/jsonvalue"
	"logitscope/sampling/constrain/lang"
)

// maxPatterns bounds the different patternProperties of one object.
const maxPatterns = 6

// undeclared adds the members with names outside the declared ones, one class
// for each combination of patterns a name may match. If distinct, names must
// differ as long as they count: a class of few names is listed as members that
// come at any place, and those of the others are remembered.
func (c *compiler) undeclared(o *lang.ObjectLang, k *shape, names []string, distinct bool) error {
	patterns, err := c.namePatterns(k)
	if err != nil {
		return err
	}
	classes, err := c.nameClasses(k, names, patterns)
	if err != nil {
		return err
	}
	var extra, unique []*lang.Expr
	for matched := 0; matched < 1<<len(patterns); matched++ {
		class := nameClass{names: names, patterns: patterns, matched: matched}
		if classes != nil {
			if class.text = classes[uint32(matched)]; class.text == nil {
				continue
			}
		}
		value, err := c.valueOf(classSet(&k.members, patterns, matched), "*")
		if err != nil {
			return err
		}
		if value.Op == lang.OpNever {
			continue
		}
		if distinct {
			few, langs, err := c.distinctNames(k, &class)
			if err != nil {
				return err
			}
			for _, name := range few {
				o.Keys = append(o.Keys, lang.MemberLang{Body: c.memberExpr(name, value), Required: false, Group: freeGroup - len(o.Keys)})
			}
			o.Differ = append(o.Differ, langs...)
			for _, texts := range langs {
				unique = append(unique, lang.Seq(lang.Text(`"`), &lang.Expr{Op: lang.OpString, Str: texts}, c.colon(), value))
			}
			if len(langs) == 0 {
				continue
			}
		}
		name, err := c.extraName(k, &class)
		if err != nil {
			return err
		}
		extra = append(extra, lang.Seq(name, c.colon(), value))
	}
	if e := lang.Alt(extra...); e.Op != lang.OpNever {
		o.Extra = e
	}
	if e := lang.Alt(unique...); e.Op != lang.OpNever {
		o.Distinct = e
	}
	return nil
}

// freeGroup is the first of the groups, counting down, of members that come at
// any place.
const freeGroup = -1

// A nameClass is the names of undeclared members that match just some of the
// patterns.
type nameClass struct {
	names    []string // declared ones, which are left out
	patterns []textPattern
	matched  int       // a bit per pattern
	text     *lang.DFA // the class, if it is known
}

// namePatterns lists the different patterns of an object.
func (c *compiler) namePatterns(k *shape) ([]textPattern, error) {
	var patterns []textPattern
	for _, clause := range k.members.clauses {
		for _, p := range clause.patterns {
			if !slices.ContainsFunc(patterns, func(q textPattern) bool { return q.source == p.source }) {
				patterns = append(patterns, p.textPattern)
			}
		}
	}
	if len(patterns) > maxPatterns {
		return nil, lang.Refuse(c.at(k), "patternProperties", "more than %d different patterns for one object", maxPatterns)
	}
	return patterns, nil
}

// nameClasses splits the undeclared names by the patterns they match, in one
// go where there are several patterns and nothing else restricts names.
func (c *compiler) nameClasses(k *shape, names []string, patterns []textPattern) (map[uint32]*lang.DFA, error) {
	if len(patterns) < 2 || len(k.members.names) > 0 {
		return nil, nil
	}
	list := make([]*lang.NFA, 0, len(patterns)+1)
	key := fmt.Sprintf("classes %q", jsonvalue.SortedCopy(names))
	for _, p := range patterns {
		list = append(list, p.NFA)
		key += fmt.Sprintf(" %q", p.source)
	}
	if known, ok := c.classes[key]; ok {
		return known, nil
	}
	if len(names) > 0 {
		list = append(list, lang.OneOf(jsonvalue.SortedCopy(names)).NFA)
	}
	classes, ok := lang.DFAClasses(list)
	if !ok {
		return nil, lang.Refuse(c.at(k), "patternProperties", "the patterns together need more than %d states", lang.MaxDFAStates)
	}
	c.classes[key] = classes
	return classes, nil
}

// classSet is what the values of names that match just these patterns satisfy.
func classSet(b *memberBounds, patterns []textPattern, matched int) valueSet {
	var s valueSet
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

// extraName is a name of a class.
func (c *compiler) extraName(k *shape, class *nameClass) (*lang.Expr, error) {
	if class.text != nil {
		return c.textRule(&lang.StringLang{Lang: class.text, Hi: -1}), nil
	}
	if len(class.patterns) == 0 && len(k.members.names) == 0 {
		return c.exceptName(class.names), nil
	}
	shapes, err := c.nameShapes(k, class)
	if err != nil {
		return nil, err
	}
	var alts []*lang.Expr
	for _, x := range shapes {
		e, err := c.shapeExpr(x)
		if err != nil {
			return nil, err
		}
		alts = append(alts, e)
	}
	return lang.Alt(alts...), nil
}

// nameShapes is the names of a class that satisfy propertyNames.
func (c *compiler) nameShapes(k *shape, class *nameClass) ([]*shape, error) {
	base := anything()
	base.types = typeString
	for i, p := range class.patterns {
		p.negate = class.matched>>i&1 == 0
		base.text.add(p)
	}
	// Only declared names that would fall into this class need to be kept out.
	for _, name := range class.names {
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
	var out []*shape
	for _, x := range shapes {
		if x.types&typeString == 0 {
			continue
		}
		x.types = typeString
		x, err := c.reduce(x, c.at(k))
		if err != nil {
			return nil, err
		}
		if x.types != 0 {
			out = append(out, x)
		}
	}
	return out, nil
}

// distinctNames is the names of a class as a list if they are few, else as
// unique texts.
func (c *compiler) distinctNames(k *shape, class *nameClass) (few []string, langs []*lang.StringLang, err error) {
	if class.text != nil {
		if list, ok := class.text.List(0, -1, maxUnique); ok {
			return list, nil, nil
		}
		return nil, []*lang.StringLang{{Lang: class.text, Hi: -1, Unique: true}}, nil
	}
	if len(class.patterns) == 0 && len(k.members.names) == 0 {
		return nil, []*lang.StringLang{{Lang: lang.NewExceptText(class.names), Hi: -1, Unique: true}}, nil
	}
	shapes, err := c.nameShapes(k, class)
	if err != nil {
		return nil, nil, err
	}
	if list, ok := c.fewNames(shapes); ok {
		return list, nil, nil
	}
	for _, x := range shapes {
		s := &lang.StringLang{Hi: -1}
		if x.hasValues {
			s.Lang, _ = lang.NewDFA([]lang.Condition{{NFA: lang.OneOf(textsOf(x.values)).NFA, Negate: false}})
		} else if s, _, err = c.textOf(x); err != nil {
			return nil, nil, lang.Refuse(c.at(k), "propertyNames", "%v", err)
		}
		s.Unique = true
		langs = append(langs, s)
	}
	return nil, langs, nil
}

// fewNames lists the names of some shapes, each once, if they are few.
func (c *compiler) fewNames(shapes []*shape) ([]string, bool) {
	var out []string
	for _, x := range shapes {
		values, ok := x.values, true
		if !x.hasValues {
			values, ok = c.fewTexts(x)
		}
		if !ok {
			return nil, false
		}
		for _, name := range textsOf(values) {
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out, len(out) <= maxUnique
}

// textsOf are the strings among some values.
func textsOf(values []*jsonvalue.Value) []string {
	var out []string
	for _, v := range values {
		if v.Kind == jsonvalue.String {
			out = append(out, v.Text)
		}
	}
	return out
}

// exceptName is any name but those declared.
func (c *compiler) exceptName(names []string) *lang.Expr {
	if len(names) == 0 {
		return lang.Call(c.json.str())
	}
	key := fmt.Sprintf("name %q", jsonvalue.SortedCopy(names))
	if r, ok := c.rules[key]; ok {
		return lang.Call(r)
	}
	free := c.freeText()
	texts := &lang.StringLang{Lang: lang.NewExceptText(names), Hi: -1, Off: free}
	return lang.Call(c.shared("name", key, lang.Seq(lang.Text(`"`), &lang.Expr{Op: lang.OpString, Str: texts})))
}

// freeText is the language that a name is in once it differs from all of a
// list.
func (c *compiler) freeText() *lang.StringLang {
	if c.free == nil {
		c.free = &lang.StringLang{Lang: lang.AnyText{}, Hi: -1}
	}
	return c.free
}
