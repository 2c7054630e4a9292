package python

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Percent is Python's text % value.
func (st *Run) Percent(format, value Value) Value {
	s, _ := Text(format)
	_, safe := format.(Markup)
	p := percentReader{s: s, value: value, args: []Value{value}}
	if t, ok := value.(*Tuple); ok {
		p.args, p.tuple = t.Items, true
	}
	var b strings.Builder
	for p.at < len(s) {
		c := s[p.at]
		if p.at++; c != '%' {
			b.WriteByte(c)
			continue
		}
		if p.skip('%') {
			b.WriteByte('%')
			continue
		}
		v, sp := p.directive()
		b.WriteString(st.directive(v, sp, safe))
		st.Room(b.Len(), 1)
	}
	p.end()
	out := st.Text(b.String())
	if safe {
		return Markup(out)
	}
	return out
}

// A percentReader reads the directives of a text and the values they take.
type percentReader struct {
	s      string
	at     int // in s
	value  Value
	args   []Value // the values, in order
	used   int     // of args
	tuple  bool    // value is a tuple, whose items are the values
	byName bool    // some directive took a value by its name
}

// skip takes c where it comes next.
func (p *percentReader) skip(c byte) bool {
	ok := p.at < len(p.s) && p.s[p.at] == c
	if ok {
		p.at++
	}
	return ok
}

// next takes the next value.
func (p *percentReader) next() Value {
	if p.used >= len(p.args) {
		Fail("%% has too few values for its text")
	}
	p.used++
	return p.args[p.used-1]
}

// directive reads what comes after %: a name, flags, a width, a precision, a
// length that says nothing, and a letter.
func (p *percentReader) directive() (v Value, sp spec) {
	sp = spec{fill: " ", precision: -1, align: '>'}
	named := p.skip('(')
	if named {
		v = p.named()
	}
	left := p.flags(&sp)
	if sp.width = p.number(); sp.width < 0 {
		left, sp.width = true, -sp.width
	}
	if p.skip('.') {
		sp.precision = max(p.number(), 0)
	}
	for p.skip('h') || p.skip('l') || p.skip('L') {
	}
	if p.at == len(p.s) {
		Fail("a text for %% ends in the middle of a directive")
	}
	if !named {
		v = p.next()
	}
	sp.kind = p.s[p.at]
	p.at++
	if left {
		sp.align, sp.zero = '<', false
	}
	return v, sp
}

// named takes the value whose name follows up to its closing parenthesis.
func (p *percentReader) named() Value {
	start := p.at
	for depth := 1; depth > 0; p.at++ {
		if p.at == len(p.s) {
			Fail("a name after %% has no end")
		}
		switch p.s[p.at] {
		case '(':
			depth++
		case ')':
			depth--
		}
	}
	d, ok := p.value.(*Dict)
	if !ok {
		Fail("%% with names wants a dict, has %s", TypeName(p.value))
	}
	name := p.s[start : p.at-1]
	v, ok := d.Get(name)
	if !ok {
		Fail("%% finds no %s", Quoted(name))
	}
	p.byName = true
	return v
}

// flags reads flags and reports whether the value stands at the left.
func (p *percentReader) flags(sp *spec) (left bool) {
	for ; p.at < len(p.s); p.at++ {
		switch p.s[p.at] {
		case '-':
			left = true
		case '+':
			sp.sign = '+'
		case ' ':
			if sp.sign == 0 {
				sp.sign = ' '
			}
		case '#':
			sp.alternate = true
		case '0':
			sp.zero = true
		default:
			return left
		}
	}
	return left
}

// number reads a number, or takes a value for *; 0 if neither comes.
func (p *percentReader) number() int {
	if p.skip('*') {
		return Whole("%", p.next())
	}
	n := 0
	for ; p.at < len(p.s) && isDecimal(p.s[p.at]); p.at++ {
		n = min(n*10+int(p.s[p.at]-'0'), math.MaxInt32)
	}
	return n
}

// end complains of values that no directive took.
func (p *percentReader) end() {
	_, isDict := p.value.(*Dict)
	if p.used < len(p.args) && !p.byName && (p.tuple || !isDict && !isMappingLike(p.value)) {
		Fail("%% has more values than its text takes")
	}
}

// isMappingLike reports whether Python takes a value for a mapping where no
// name asks for it.
func isMappingLike(v Value) bool {
	switch v.(type) {
	case *List, RangeValue, *Undefined:
		return true
	}
	return false
}

// directive formats one value of %.
func (st *Run) directive(v Value, sp spec, safe bool) string {
	if safe && (sp.kind == 's' || sp.kind == 'r') {
		s := EscapeHTML(Value(st.Str(v)))
		if m, ok := v.(Markup); ok {
			s = string(m)
		}
		return st.aligned(cutTo(s, sp.precision), "", sp)
	}
	switch sp.kind {
	case 's', 'r', 'a':
		s := st.Str(v)
		if sp.kind != 's' {
			s = st.repr(v)
		}
		if sp.kind == 'a' {
			s = asciiRepr(s)
		}
		sp.zero = false
		return st.aligned(cutTo(s, sp.precision), "", sp)
	case 'c':
		sp.zero = false
		if s, ok := Text(v); ok && utf8.RuneCountInString(s) == 1 {
			return st.aligned(s, "", sp)
		}
		n := Whole("%c", v)
		if n < 0 || n > utf8.MaxRune || !utf8.ValidRune(rune(n)) {
			Fail("%%c wants a character")
		}
		return st.aligned(string(rune(n)), "", sp)
	case 'd', 'i', 'u', 'o', 'x', 'X':
		if f, ok := v.(float64); ok && strings.IndexByte("diu", sp.kind) >= 0 {
			v = Truncate(f)
		}
		i, ok := Integer(v)
		if !ok {
			Fail("%%%c wants a number, has %s", sp.kind, TypeName(v))
		}
		if sp.kind == 'i' || sp.kind == 'u' {
			sp.kind = 'd'
		}
		sp.group = 0
		return st.integer(i, sp)
	case 'e', 'E', 'f', 'F', 'g', 'G':
		if _, ok := Numeric(v); !ok {
			Fail("%%%c wants a number, has %s", sp.kind, TypeName(v))
		}
		return st.float(ToFloat(v), sp)
	}
	Fail("%% has no directive %q", sp.kind)
	return ""
}

// asciiRepr escapes what is not ASCII in a repr.
func asciiRepr(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r < 0x80:
			b.WriteRune(r)
		case r < 0x100:
			b.WriteString(`\x` + strconv.FormatInt(int64(r), 16))
		case r < 0x10000:
			b.WriteString(`\u` + pad0(strconv.FormatInt(int64(r), 16), 4))
		default:
			b.WriteString(`\U` + pad0(strconv.FormatInt(int64(r), 16), 8))
		}
	}
	return b.String()
}
