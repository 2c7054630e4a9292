package schema

import (
	"math/big"
	"strings"
	"unicode/utf8"

	"logitscope/sampling/constrain/jsonvalue"
	"logitscope/sampling/constrain/lang"
)

// satisfies reports whether a value satisfies a set.
func (c *compiler) satisfies(v *jsonvalue.Value, s valueSet) (bool, error) {
	if s.never {
		return false, nil
	}
	if s.trivial() {
		return true, nil
	}
	shapes, err := c.rawShapes(s)
	if err != nil {
		return false, err
	}
	for _, k := range shapes {
		if ok, err := c.fits(v, k); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

// fits reports whether a value satisfies one shape.
func (c *compiler) fits(v *jsonvalue.Value, k *shape) (bool, error) {
	if typesOf(v)&k.types == 0 || k.hasValues && !holds(k.values, v) {
		return false, nil
	}
	switch v.Kind {
	case jsonvalue.Number:
		return k.number.matches(v.Num), nil
	case jsonvalue.String:
		return k.fitsText(v.Text), nil
	case jsonvalue.Array:
		return c.fitsArray(v, k)
	case jsonvalue.Object:
		return c.fitsObject(v, k)
	}
	return true, nil
}

func (k *shape) fitsText(s string) bool {
	n := utf8.RuneCountInString(s)
	if n < k.text.min || k.text.max >= 0 && n > k.text.max {
		return false
	}
	for _, t := range k.notTexts {
		if s == t {
			return false
		}
	}
	for _, p := range k.text.patterns {
		if !p.matches(s) {
			return false
		}
	}
	return true
}

func (c *compiler) fitsArray(v *jsonvalue.Value, k *shape) (bool, error) {
	n := len(v.List)
	if n < k.items.min || k.items.max >= 0 && n > k.items.max {
		return false, nil
	}
	seen := map[string]bool{}
	for i, x := range v.List {
		if ok, err := c.satisfies(x, k.items.item(i)); !ok || err != nil {
			return false, err
		}
		if k.items.unique {
			if key := x.Key(); seen[key] {
				return false, nil
			} else {
				seen[key] = true
			}
		}
	}
	for _, clause := range k.items.contains {
		found := 0
		for _, x := range v.List {
			ok, err := c.satisfies(x, clause.set)
			if err != nil {
				return false, err
			}
			if ok {
				found++
			}
		}
		if found < clause.min || clause.max >= 0 && found > clause.max {
			return false, nil
		}
	}
	return true, nil
}

func (c *compiler) fitsObject(v *jsonvalue.Value, k *shape) (bool, error) {
	n := len(v.List)
	if n < k.members.min || k.members.max >= 0 && n > k.members.max {
		return false, nil
	}
	for _, name := range k.members.required {
		if v.Get(name) == nil {
			return false, nil
		}
	}
	for i, name := range v.Names {
		s, err := c.memberSet(k, name)
		if err != nil {
			return false, err
		}
		if ok, err := c.satisfies(v.List[i], s); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// finiteValues returns the values of alternatives that all list theirs.
func finiteValues(shapes []*shape) ([]*jsonvalue.Value, bool) {
	var out []*jsonvalue.Value
	for _, k := range shapes {
		if !k.hasValues {
			return nil, false
		}
		out = append(out, k.values...)
	}
	return out, len(shapes) > 0
}

// literals matches any of the values. Strings, the common case, share a trie.
func (c *compiler) literals(values []*jsonvalue.Value) *lang.Expr {
	n := &lang.NFA{}
	n.Start = n.Node()
	var rest []*lang.Expr
	for _, v := range values {
		if v.Kind == jsonvalue.String {
			at := n.Child(n.Start, '"')
			n.Final[n.Child(n.Literal(at, v.Text), '"')] = true
			continue
		}
		rest = append(rest, c.literal(v))
	}
	if len(n.Edges) > 1 {
		rest = append([]*lang.Expr{{Op: lang.OpNFA, NFA: n}}, rest...)
	}
	return lang.Alt(rest...)
}

// literal matches one value, with the blanks that are allowed inside it and
// its members in any order.
func (c *compiler) literal(v *jsonvalue.Value) *lang.Expr {
	switch v.Kind {
	case jsonvalue.Null:
		return lang.Text("null")
	case jsonvalue.False:
		return lang.Text("false")
	case jsonvalue.True:
		return lang.Text("true")
	case jsonvalue.Number:
		return c.numberLiteral(v)
	case jsonvalue.String:
		return lang.StringLiteral(v.Text)
	case jsonvalue.Array:
		if len(v.List) == 0 {
			return lang.Seq(lang.Text("["), c.json.ws, lang.Text("]"))
		}
		items := make([]*lang.Expr, 0, 2*len(v.List))
		for i, x := range v.List {
			if i > 0 {
				items = append(items, c.json.comma())
			}
			items = append(items, c.literal(x))
		}
		return lang.Seq(lang.Text("["), c.json.ws, lang.Seq(items...), c.json.ws, lang.Text("]"))
	}
	o := &lang.ObjectLang{Separator: c.json.comma(), Max: -1}
	for i, name := range v.Names {
		o.Keys = append(o.Keys, lang.MemberLang{Body: lang.Seq(lang.StringLiteral(name), c.colon(), c.literal(v.List[i])), Required: true, Group: i})
	}
	return c.braces(o)
}

func (c *compiler) colon() *lang.Expr { return lang.Seq(c.json.ws, lang.Text(":"), c.json.ws) }

// braces puts members between braces with the blanks next to them.
func (c *compiler) braces(o *lang.ObjectLang) *lang.Expr {
	if len(o.Keys) == 0 && o.Extra == nil {
		if o.Min > 0 {
			return lang.Never
		}
		return lang.Seq(lang.Text("{"), c.json.ws, lang.Text("}"))
	}
	body := lang.Seq(&lang.Expr{Op: lang.OpObject, Obj: o}, c.json.ws)
	return lang.Seq(lang.Text("{"), c.json.ws, body, lang.Text("}"))
}

// maxLiteralDigits is the longest plain form that a number literal gets beside
// the form it is written in.
const maxLiteralDigits = 64

// numberLiteral matches the decimal forms of a number: as it is written in the
// schema, and in plain digits with any zeros after the point.
func (c *compiler) numberLiteral(v *jsonvalue.Value) *lang.Expr {
	n := places(v.Num)
	plain := v.Num.FloatString(n)
	forms := []*lang.Expr{}
	if len(plain) <= maxLiteralDigits {
		zeros := lang.Star(lang.Text("0"))
		if v.Num.IsInt() {
			zeros = lang.Empty
			if !c.opts.Canonical {
				zeros = lang.Optional(lang.Seq(lang.Text(".0"), lang.Star(lang.Text("0"))))
			}
		}
		forms = append(forms, lang.Seq(lang.Text(plain), zeros))
		if v.Num.Sign() == 0 {
			forms = append(forms, lang.Seq(lang.Text("-0"), zeros))
		}
	}
	if len(forms) == 0 || strings.ContainsAny(v.Text, "eE") {
		forms = append(forms, lang.Text(v.Text))
	}
	return lang.Alt(forms...)
}

// smallIntegers lists the whole numbers of a shape that bounds them on both
// sides, if there are at most limit.
func (k *shape) smallIntegers(limit int64) ([]*jsonvalue.Value, bool) {
	var lo, hi *big.Rat
	for _, cmp := range k.number.compare {
		if cmp.greater && !cmp.less {
			lo = cmp.value
		}
		if cmp.less && !cmp.greater {
			hi = cmp.value
		}
	}
	if lo == nil || hi == nil {
		return nil, false
	}
	first := new(big.Int).Quo(lo.Num(), lo.Denom())
	first.Sub(first, big.NewInt(1))
	span := new(big.Rat).Sub(hi, lo)
	if span.Cmp(big.NewRat(limit, 1)) > 0 {
		return nil, false
	}
	var out []*jsonvalue.Value
	for i := int64(0); i <= limit+3; i++ {
		n := new(big.Rat).SetInt(new(big.Int).Add(first, big.NewInt(i)))
		if k.number.matches(n) {
			out = append(out, &jsonvalue.Value{Kind: jsonvalue.Number, Num: n, Text: n.RatString()})
		}
	}
	return out, int64(len(out)) <= limit
}
