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
	args, tuple := []Value{value}, false
	if t, ok := value.(*Tuple); ok {
		args, tuple = t.Items, true
	}
	var b strings.Builder
	used, byName := 0, false
	next := func() Value {
		if used >= len(args) {
			Fail("%% has too few values for its text")
		}
		used++
		return args[used-1]
	}
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		i++
		if i < len(s) && s[i] == '%' {
			b.WriteByte('%')
			continue
		}
		sp := spec{fill: " ", precision: -1}
		var named Value
		hasName := false
		if i < len(s) && s[i] == '(' {
			depth, start := 1, i+1
			for i++; i < len(s) && depth > 0; i++ {
				switch s[i] {
				case '(':
					depth++
				case ')':
					depth--
				}
			}
			if depth > 0 {
				Fail("a name after %% has no end")
			}
			d, ok := value.(*Dict)
			if !ok {
				Fail("%% with names wants a dict, has %s", TypeName(value))
			}
			if named, ok = d.Get(s[start : i-1]); !ok {
				Fail("%% finds no %s", Quoted(s[start:i-1]))
			}
			hasName, byName = true, true
		}
		left := false
	flags:
		for ; i < len(s); i++ {
			switch s[i] {
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
				break flags
			}
		}
		number := func() int {
			if i < len(s) && s[i] == '*' {
				i++
				return Whole("%", next())
			}
			n := 0
			for ; i < len(s) && isDecimal(s[i]); i++ {
				n = min(n*10+int(s[i]-'0'), math.MaxInt32)
			}
			return n
		}
		if sp.width = number(); sp.width < 0 {
			left, sp.width = true, -sp.width
		}
		if i < len(s) && s[i] == '.' {
			i++
			sp.precision = max(number(), 0)
		}
		for i < len(s) && strings.IndexByte("hlL", s[i]) >= 0 {
			i++
		}
		if i == len(s) {
			Fail("a text for %% ends in the middle of a directive")
		}
		v := named
		if !hasName {
			v = next()
		}
		sp.align, sp.kind = '>', s[i]
		if left {
			sp.align, sp.zero = '<', false
		}
		b.WriteString(st.directive(v, sp, safe))
		st.Room(b.Len(), 1)
	}
	_, isDict := value.(*Dict)
	if used < len(args) && !byName && (tuple || !isDict && !isMappingLike(value)) {
		Fail("%% has more values than its text takes")
	}
	out := st.Text(b.String())
	if safe {
		return Markup(out)
	}
	return out
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
