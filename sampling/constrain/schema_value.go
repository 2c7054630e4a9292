package constrain

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// key is equal for equal values.
func (v *jsonValue) key() string {
	var b strings.Builder
	v.writeKey(&b)
	return b.String()
}

func (v *jsonValue) writeKey(b *strings.Builder) {
	switch v.kind {
	case kindNumber:
		b.WriteString(v.num.RatString())
	case kindString:
		b.WriteString(strconv.Quote(v.text))
	case kindArray:
		b.WriteByte('[')
		for _, x := range v.list {
			x.writeKey(b)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case kindObject:
		b.WriteByte('{')
		for _, name := range sortedCopy(v.names) {
			b.WriteString(strconv.Quote(name))
			b.WriteByte(':')
			v.get(name).writeKey(b)
			b.WriteByte(',')
		}
		b.WriteByte('}')
	default:
		fmt.Fprintf(b, "#%d", v.kind)
	}
}

// satisfies reports whether a value satisfies a set.
func (c *schemaCompiler) satisfies(v *jsonValue, s schemaSet) (bool, error) {
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
func (c *schemaCompiler) fits(v *jsonValue, k *shape) (bool, error) {
	if v.types()&k.types == 0 || k.hasValues && !holds(k.values, v) {
		return false, nil
	}
	switch v.kind {
	case kindNumber:
		return k.number.matches(v.num), nil
	case kindString:
		return k.fitsText(v.text), nil
	case kindArray:
		return c.fitsArray(v, k)
	case kindObject:
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

func (c *schemaCompiler) fitsArray(v *jsonValue, k *shape) (bool, error) {
	n := len(v.list)
	if n < k.items.min || k.items.max >= 0 && n > k.items.max {
		return false, nil
	}
	seen := map[string]bool{}
	for i, x := range v.list {
		if ok, err := c.satisfies(x, k.items.item(i)); !ok || err != nil {
			return false, err
		}
		if k.items.unique {
			if key := x.key(); seen[key] {
				return false, nil
			} else {
				seen[key] = true
			}
		}
	}
	for _, clause := range k.items.contains {
		found := 0
		for _, x := range v.list {
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

func (c *schemaCompiler) fitsObject(v *jsonValue, k *shape) (bool, error) {
	n := len(v.list)
	if n < k.members.min || k.members.max >= 0 && n > k.members.max {
		return false, nil
	}
	for _, name := range k.members.required {
		if v.get(name) == nil {
			return false, nil
		}
	}
	for i, name := range v.names {
		s, err := c.memberSet(k, name)
		if err != nil {
			return false, err
		}
		if ok, err := c.satisfies(v.list[i], s); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// finiteValues returns the values of alternatives that all list theirs.
func finiteValues(shapes []*shape) ([]*jsonValue, bool) {
	var out []*jsonValue
	for _, k := range shapes {
		if !k.hasValues {
			return nil, false
		}
		out = append(out, k.values...)
	}
	return out, len(shapes) > 0
}

// literals matches any of the values. Strings, the common case, share a trie.
func (c *schemaCompiler) literals(values []*jsonValue) *expr {
	n := &nfa{}
	n.start = n.node()
	var rest []*expr
	for _, v := range values {
		if v.kind == kindString {
			at := n.child(n.start, '"')
			n.final[n.child(n.literal(at, v.text), '"')] = true
			continue
		}
		rest = append(rest, c.literal(v))
	}
	if len(n.edges) > 1 {
		rest = append([]*expr{{op: opNFA, nfa: n}}, rest...)
	}
	return alt(rest...)
}

// literal matches one value, with the blanks that are allowed inside it and
// its members in any order.
func (c *schemaCompiler) literal(v *jsonValue) *expr {
	switch v.kind {
	case kindNull:
		return text("null")
	case kindFalse:
		return text("false")
	case kindTrue:
		return text("true")
	case kindNumber:
		return c.numberLiteral(v)
	case kindString:
		return stringLiteral(v.text)
	case kindArray:
		if len(v.list) == 0 {
			return seq(text("["), c.json.ws, text("]"))
		}
		items := make([]*expr, 0, 2*len(v.list))
		for i, x := range v.list {
			if i > 0 {
				items = append(items, c.json.comma())
			}
			items = append(items, c.literal(x))
		}
		return seq(text("["), c.json.ws, seq(items...), c.json.ws, text("]"))
	}
	o := &objectLang{separator: c.json.comma(), max: -1}
	for i, name := range v.names {
		o.keys = append(o.keys, memberLang{seq(stringLiteral(name), c.colon(), c.literal(v.list[i])), true, i})
	}
	return c.braces(o)
}

func (c *schemaCompiler) colon() *expr { return seq(c.json.ws, text(":"), c.json.ws) }

// braces puts members between braces with the blanks next to them.
func (c *schemaCompiler) braces(o *objectLang) *expr {
	if len(o.keys) == 0 && o.extra == nil {
		if o.min > 0 {
			return never
		}
		return seq(text("{"), c.json.ws, text("}"))
	}
	body := seq(&expr{op: opObject, obj: o}, c.json.ws)
	return seq(text("{"), c.json.ws, body, text("}"))
}

// maxLiteralDigits is the longest plain form that a number literal gets beside
// the form it is written in.
const maxLiteralDigits = 64

// numberLiteral matches the decimal forms of a number: as it is written in the
// schema, and in plain digits with any zeros behind the point.
func (c *schemaCompiler) numberLiteral(v *jsonValue) *expr {
	n := places(v.num)
	plain := v.num.FloatString(n)
	forms := []*expr{}
	if len(plain) <= maxLiteralDigits {
		zeros := star(text("0"))
		if v.num.IsInt() {
			zeros = empty
			if !c.opts.Canonical {
				zeros = optional(seq(text(".0"), star(text("0"))))
			}
		}
		forms = append(forms, seq(text(plain), zeros))
		if v.num.Sign() == 0 {
			forms = append(forms, seq(text("-0"), zeros))
		}
	}
	if len(forms) == 0 || strings.ContainsAny(v.text, "eE") {
		forms = append(forms, text(v.text))
	}
	return alt(forms...)
}

// stringLiteral matches a string with its quotes.
func stringLiteral(s string) *expr {
	if !strings.ContainsFunc(s, func(r rune) bool { return !plainInJSON(r) }) {
		return text(`"` + s + `"`)
	}
	n := newNFA(len(s) + 3)
	n.start = n.node()
	end := n.child(n.literal(n.child(n.start, '"'), s), '"')
	n.final[end] = true
	return &expr{op: opNFA, nfa: n}
}

// literal extends a trie by the ways to write a text inside a JSON string, and
// returns where they end.
func (n *nfa) literal(at int32, s string) int32 {
	for _, r := range s {
		if plainInJSON(r) {
			at = n.child(at, byte(r))
			continue
		}
		forms := jsonForms(r)
		next := at
		for i := 0; i < len(forms[0]); i++ {
			next = n.child(next, forms[0][i])
		}
		for _, f := range forms[1:] {
			n.bridge(at, next, f)
		}
		at = next
	}
	return at
}

// bridge adds a way from one node to another that spells a form, its
// hexadecimal digits in either case.
func (n *nfa) bridge(from, to int32, form string) {
	for i := 0; i < len(form); i++ {
		next := to
		if i+1 < len(form) {
			next = -1
		}
		lower, upper := form[i], form[i]
		if i > 1 && lower >= 'a' && lower <= 'f' && form[i-1] != '\\' {
			upper = lower - 'a' + 'A'
		}
		existing := int32(-1)
		for _, e := range n.edges[from] {
			if e.lo == lower {
				existing = e.to
			}
		}
		switch {
		case existing >= 0 && (next < 0 || existing == next):
			from = existing
			continue
		case next < 0:
			next = n.node()
		}
		n.edges[from] = append(n.edges[from], edge{lower, lower, next})
		if upper != lower {
			n.edges[from] = append(n.edges[from], edge{upper, upper, next})
		}
		from = next
	}
}

// plainInJSON reports whether a literal writes a code point as itself only.
func plainInJSON(r rune) bool {
	return r >= 0x20 && r < 0x7F && strings.IndexByte("<>&'\"\\/", byte(r)) < 0
}

// jsonForms lists the ways a literal may write a code point, the usual one
// first: itself where that is possible, then its escapes if it is one that
// writers of JSON commonly escape.
func jsonForms(r rune) []string {
	var forms []string
	if r >= 0x20 && r != '"' && r != '\\' {
		forms = append(forms, string(r))
	}
	for _, e := range shortEscapes {
		if rune(e.char) == r {
			forms = append(forms, `\`+string(rune(e.code)))
		}
	}
	if r >= 0x20 && r < 0x7F && !strings.ContainsRune(`<>&'"\`, r) {
		return forms
	}
	if r > 0xFFFF {
		r -= 0x10000
		return append(forms, fmt.Sprintf(`\u%04x\u%04x`, 0xD800+r>>10, 0xDC00+r&0x3FF))
	}
	return append(forms, fmt.Sprintf(`\u%04x`, r))
}

// smallIntegers lists the whole numbers of a shape that bounds them on both
// sides, if there are at most limit.
func (k *shape) smallIntegers(limit int64) ([]*jsonValue, bool) {
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
	var out []*jsonValue
	for i := int64(0); i <= limit+3; i++ {
		n := new(big.Rat).SetInt(new(big.Int).Add(first, big.NewInt(i)))
		if k.number.matches(n) {
			out = append(out, &jsonValue{kind: kindNumber, num: n, text: n.RatString()})
		}
	}
	return out, int64(len(out)) <= limit
}
