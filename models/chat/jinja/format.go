package jinja

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// spec is how a value is formatted, for both of Python's ways.
type spec struct {
	fill      string
	align     byte // '<', '>', '^', '=' or 0
	sign      byte // '+', ' ' or 0
	alternate bool
	zero      bool
	width     int
	group     byte // ',', '_' or 0
	precision int  // -1 for none
	kind      byte // 0 for none
}

// percent is Python's text % value.
func (st *spent) percent(format, value Value) Value {
	s, _ := text(format)
	_, safe := format.(Markup)
	args, tuple := []Value{value}, false
	if t, ok := value.(*Tuple); ok {
		args, tuple = t.Items, true
	}
	var b strings.Builder
	used, byName := 0, false
	next := func() Value {
		if used >= len(args) {
			fail("%% has too few values for its text")
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
				fail("a name after %% has no end")
			}
			d, ok := value.(*Dict)
			if !ok {
				fail("%% with names wants a dict, has %s", typeName(value))
			}
			if named, ok = d.Get(s[start : i-1]); !ok {
				fail("%% finds no %s", quoted(s[start:i-1]))
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
				return whole("%", next())
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
			fail("a text for %% ends in the middle of a directive")
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
		st.room(b.Len(), 1)
	}
	_, isDict := value.(*Dict)
	if used < len(args) && !byName && (tuple || !isDict && !isMappingLike(value)) {
		fail("%% has more values than its text takes")
	}
	out := st.text(b.String())
	if safe {
		return Markup(out)
	}
	return out
}

// isMappingLike reports whether Python takes a value for a mapping where no
// name asks for it.
func isMappingLike(v Value) bool {
	switch v.(type) {
	case *List, rangeValue, *Undefined:
		return true
	}
	return false
}

// directive formats one value of %.
func (st *spent) directive(v Value, sp spec, safe bool) string {
	if safe && (sp.kind == 's' || sp.kind == 'r') {
		s := escapeHTML(Value(st.str(v)))
		if m, ok := v.(Markup); ok {
			s = string(m)
		}
		return st.aligned(cutTo(s, sp.precision), "", sp)
	}
	switch sp.kind {
	case 's', 'r', 'a':
		s := st.str(v)
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
		if s, ok := text(v); ok && utf8.RuneCountInString(s) == 1 {
			return st.aligned(s, "", sp)
		}
		n := whole("%c", v)
		if n < 0 || n > utf8.MaxRune || !utf8.ValidRune(rune(n)) {
			fail("%%c wants a character")
		}
		return st.aligned(string(rune(n)), "", sp)
	case 'd', 'i', 'u', 'o', 'x', 'X':
		if f, ok := v.(float64); ok && strings.IndexByte("diu", sp.kind) >= 0 {
			v = truncate(f)
		}
		i, ok := integer(v)
		if !ok {
			fail("%%%c wants a number, has %s", sp.kind, typeName(v))
		}
		if sp.kind == 'i' || sp.kind == 'u' {
			sp.kind = 'd'
		}
		sp.group = 0
		return st.integer(i, sp)
	case 'e', 'E', 'f', 'F', 'g', 'G':
		if _, ok := numeric(v); !ok {
			fail("%%%c wants a number, has %s", sp.kind, typeName(v))
		}
		return st.float(toFloat(v), sp)
	}
	fail("%% has no directive %q", sp.kind)
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

func pad0(s string, n int) string { return strings.Repeat("0", max(n-len(s), 0)) + s }

// cutTo cuts a text to n characters, if n is not negative.
func cutTo(s string, n int) string {
	if n < 0 || n >= len(s) {
		return s
	}
	return cutRunes(s, 0, n)
}

// truncate is Python's int() of a float.
func truncate(f float64) Value {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		fail("%s is not an int", floatText(f))
	}
	i, _ := big.NewFloat(f).Int(nil)
	return normal(i)
}

// aligned puts a text, with its sign or prefix, in its width.
func (st *spent) aligned(body, prefix string, sp spec) string {
	pad := sp.width - utf8.RuneCountInString(body) - len(prefix)
	if pad <= 0 {
		return prefix + body
	}
	st.room(pad, len(sp.fill))
	if sp.zero && sp.align != '<' {
		return st.text(prefix + strings.Repeat("0", pad) + body)
	}
	left := 0
	switch sp.align {
	case '>':
		left = pad
	case '^':
		left = pad / 2
	case '=':
		return st.text(prefix + strings.Repeat(sp.fill, pad) + body)
	}
	return st.text(strings.Repeat(sp.fill, left) + prefix + body + strings.Repeat(sp.fill, pad-left))
}

func signOf(negative bool, sp spec) string {
	switch {
	case negative:
		return "-"
	case sp.sign == 0 || sp.sign == '-':
		return ""
	}
	return string(sp.sign)
}

// grouped puts a separator between groups of digits, filled with zeros up to
// width if that is more.
func grouped(s string, sep byte, size, width int) string {
	if sep == 0 {
		return s
	}
	for width > 0 && len(s)+(len(s)-1)/size < width {
		s = "0" + s
	}
	var b strings.Builder
	for i := range len(s) {
		if i > 0 && (len(s)-i)%size == 0 {
			b.WriteByte(sep)
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func (st *spent) integer(i *big.Int, sp spec) string {
	base, prefix, size := 10, "", 3
	switch sp.kind {
	case 'b':
		base, prefix, size = 2, "0b", 4
	case 'o':
		base, prefix, size = 8, "0o", 4
	case 'x', 'X':
		base, prefix, size = 16, "0"+string(sp.kind), 4
	}
	s := new(big.Int).Abs(i).Text(base)
	if sp.precision > len(s) {
		st.room(sp.precision, 1)
		s = pad0(s, sp.precision)
	}
	if sp.kind == 'X' {
		s = strings.ToUpper(s)
	}
	if !sp.alternate {
		prefix = ""
	}
	sign := signOf(i.Sign() < 0, sp)
	return st.aligned(grouped(s, sp.group, size, st.zeroWidth(sp, len(sign)+len(prefix))), sign+prefix, sp)
}

// zeroWidth is the width that grouped digits are filled to with zeros.
func (st *spent) zeroWidth(sp spec, taken int) int {
	if sp.group == 0 || !sp.zero {
		return 0
	}
	st.room(sp.width, 1)
	st.alloc(max(sp.width, 0))
	return sp.width - taken
}

func (st *spent) float(f float64, sp spec) string {
	precision := sp.precision
	if precision < 0 {
		precision = 6
	}
	st.room(precision, 1)
	st.alloc(precision)
	abs := math.Abs(f)
	var s string
	switch kind := sp.kind | 0x20; {
	case math.IsNaN(f):
		s = "nan"
	case math.IsInf(f, 0):
		s = "inf"
	case kind == 'e' || kind == 'f':
		s = strconv.FormatFloat(abs, kind, precision, 64)
		if sp.alternate && precision == 0 {
			s += "."
		}
	case kind == '%':
		s = strconv.FormatFloat(abs*100, 'f', precision, 64)
	default:
		s = general(abs, precision, sp.alternate, sp.kind == 0)
	}
	if sp.kind == '%' {
		s += "%"
	}
	if sp.kind >= 'A' && sp.kind <= 'Z' {
		s = strings.ToUpper(s)
	}
	sign := signOf(math.Signbit(f) && !math.IsNaN(f), sp)
	if sp.group != 0 {
		end := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
		if end < 0 {
			end = len(s)
		}
		if end > 0 {
			s = grouped(s[:end], sp.group, 3, st.zeroWidth(sp, len(sign)+len(s)-end)) + s[end:]
		}
	}
	return st.aligned(s, sign, sp)
}

// general is the format g, with at least one digit after the point if the
// format is none at all.
// fixed writes f with that many digits after the point.
func (st *spent) fixed(f float64, digits int) string {
	return st.float(f, spec{precision: digits, kind: 'f'})
}

func general(f float64, precision int, alternate, none bool) string {
	if precision == 0 {
		precision = 1
	}
	e := strconv.FormatFloat(f, 'e', precision-1, 64)
	at := strings.IndexByte(e, 'e')
	exp, _ := strconv.Atoi(e[at+1:])
	limit := precision
	if none {
		limit = max(precision-1, 1)
	}
	if exp < -4 || exp >= limit {
		mantissa := e[:at]
		if !alternate {
			mantissa = trimZeros(mantissa)
		}
		return mantissa + e[at:]
	}
	s := strconv.FormatFloat(f, 'f', max(precision-1-exp, 0), 64)
	if !alternate {
		s = trimZeros(s)
	}
	if none && strings.IndexByte(s, '.') < 0 {
		s += ".0"
	}
	return s
}

func trimZeros(s string) string {
	if strings.IndexByte(s, '.') < 0 {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// format is Python's str.format.
func (st *spent) format(s string, args []Value, kw *Dict) string {
	auto := 0
	out := st.formatAt(s, args, kw, &auto, 2)
	return st.text(out)
}

func (st *spent) formatAt(s string, args []Value, kw *Dict, auto *int, depth int) string {
	if depth < 0 {
		fail("format: fields lie too deep in each other")
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '{' && i+1 < len(s) && s[i+1] == '{', c == '}' && i+1 < len(s) && s[i+1] == '}':
			b.WriteByte(c)
			i++
		case c == '}':
			fail("format: a single } stands in the text")
		case c == '{':
			end, open := i+1, 1
			for ; end < len(s) && open > 0; end++ {
				switch s[end] {
				case '{':
					open++
				case '}':
					open--
				}
			}
			if open > 0 {
				fail("format: a field has no end")
			}
			b.WriteString(st.field(s[i+1:end-1], args, kw, auto, depth))
			st.room(b.Len(), 1)
			i = end - 1
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// field formats what stands between { and }.
func (st *spent) field(f string, args []Value, kw *Dict, auto *int, depth int) string {
	st.step()
	brackets, end := 0, len(f)
	for i := range len(f) {
		if f[i] == '[' {
			brackets++
		} else if f[i] == ']' {
			brackets--
		} else if brackets == 0 && (f[i] == ':' || f[i] == '!') {
			end = i
			break
		}
	}
	name, rest := f[:end], f[end:]
	conversion := byte(0)
	if strings.HasPrefix(rest, "!") {
		if len(rest) < 2 || len(rest) > 2 && rest[2] != ':' {
			fail("format: a conversion must be one letter")
		}
		conversion, rest = rest[1], rest[2:]
	}
	v := st.fieldValue(name, args, kw, auto)
	switch conversion {
	case 0:
	case 's':
		v = st.str(v)
	case 'r':
		v = st.repr(v)
	case 'a':
		v = asciiRepr(st.repr(v))
	default:
		fail("format: unknown conversion %q", conversion)
	}
	how := ""
	if rest != "" {
		how = st.formatAt(rest[1:], args, kw, auto, depth-1)
	}
	return st.formatted(v, how)
}

// fieldValue finds what the name of a field stands for.
func (st *spent) fieldValue(name string, args []Value, kw *Dict, auto *int) Value {
	end := strings.IndexAny(name, ".[")
	if end < 0 {
		end = len(name)
	}
	first, rest := name[:end], name[end:]
	if first == "" {
		if *auto < 0 {
			fail("format: fields are numbered by hand and by themselves")
		}
		first = strconv.Itoa(*auto)
		*auto++
	} else if all(first, func(r rune) bool { return r >= '0' && r <= '9' }) {
		if *auto > 0 {
			fail("format: fields are numbered by hand and by themselves")
		}
		*auto = -1
	}
	var v Value
	if n, err := strconv.Atoi(first); err == nil {
		if n >= len(args) {
			fail("format: there is no value %d", n)
		}
		v = args[n]
	} else {
		var ok bool
		if v, ok = kw.Get(first); !ok {
			fail("format: there is no value %s", quoted(first))
		}
	}
	for rest != "" {
		if rest[0] == '.' {
			end := strings.IndexAny(rest[1:], ".[") + 1
			if end == 0 {
				end = len(rest)
			}
			if end == 1 {
				fail("format: an attribute has no name")
			}
			v, rest = st.getattr(v, rest[1:end]), rest[end:]
			continue
		}
		end := strings.IndexByte(rest, ']')
		if rest[0] != '[' || end <= 1 {
			fail("format: %s is not a field", quoted(name))
		}
		key := Value(rest[1:end])
		if n, err := strconv.Atoi(rest[1:end]); err == nil && isDecimal(rest[1]) {
			key = int64(n)
		}
		v, rest = st.getitem(v, key), rest[end+1:]
	}
	return v
}

// formatted is Python's format(v, how).
func (st *spent) formatted(v Value, how string) string {
	if how == "" {
		return st.str(v)
	}
	switch v.(type) {
	case string, Markup, bool, int64, *big.Int, float64:
	default:
		fail("a %s cannot be formatted by %s", typeName(v), quoted(how))
	}
	sp := st.readSpec(how)
	if s, ok := text(v); ok {
		if sp.kind != 0 && sp.kind != 's' || sp.sign != 0 || sp.alternate || sp.group != 0 || sp.align == '=' && !sp.zero {
			fail("a str cannot be formatted by %s", quoted(how))
		}
		if sp.zero { // zeros fill a text on its right
			if sp.align == 0 || sp.align == '=' {
				sp.align = '<'
			}
			sp.zero, sp.fill = false, "0"
		}
		return st.aligned(cutTo(s, sp.precision), "", sp)
	}
	if sp.align == 0 {
		sp.align = '>'
	} else {
		if sp.zero && sp.fill == " " {
			sp.fill = "0"
		}
		sp.zero = false
	}
	if i, ok := integer(v); ok && (sp.kind == 0 || strings.IndexByte("bcdoxXn", sp.kind) >= 0) {
		if sp.precision >= 0 {
			fail("an int cannot be formatted with a precision")
		}
		if sp.kind == 'c' {
			n, _ := small(v)
			if n < 0 || !utf8.ValidRune(rune(n)) {
				fail("format: c wants a character")
			}
			return st.aligned(string(rune(n)), "", sp)
		}
		return st.integer(i, sp)
	}
	if sp.kind != 0 && strings.IndexByte("eEfFgG%n", sp.kind) < 0 {
		fail("a %s cannot be formatted by %s", typeName(v), quoted(how))
	}
	f := toFloat(v)
	if sp.kind == 'n' {
		sp.kind = 'g'
	}
	if sp.kind == 0 && sp.precision < 0 {
		s := floatText(math.Abs(f))
		sign := signOf(math.Signbit(f) && !math.IsNaN(f), sp)
		if sp.group != 0 {
			end := strings.IndexAny(s, ".e")
			s = grouped(s[:end], sp.group, 3, st.zeroWidth(sp, len(sign)+len(s)-end)) + s[end:]
		}
		return st.aligned(s, sign, sp)
	}
	return st.float(f, sp)
}

// readSpec reads the format after a colon.
func (st *spent) readSpec(s string) spec {
	sp := spec{fill: " ", precision: -1}
	whole := s
	isAlign := func(i int) bool { return i < len(s) && strings.IndexByte("<>^=", s[i]) >= 0 }
	_, n := utf8.DecodeRuneInString(s)
	if isAlign(n) {
		sp.fill, sp.align, s = s[:n], s[n], s[n+1:]
	} else if isAlign(0) {
		sp.align, s = s[0], s[1:]
	}
	take := func(set string) byte {
		if s != "" && strings.IndexByte(set, s[0]) >= 0 {
			c := s[0]
			s = s[1:]
			return c
		}
		return 0
	}
	number := func() (int, bool) {
		n, d := 0, 0
		for ; d < len(s) && isDecimal(s[d]); d++ {
			n = min(n*10+int(s[d]-'0'), math.MaxInt32)
		}
		s = s[d:]
		return n, d > 0
	}
	sp.sign = take("+- ")
	if take("z") != 0 {
		refuse("z in a format")
	}
	sp.alternate = take("#") != 0
	sp.zero = take("0") != 0
	sp.width, _ = number()
	sp.group = take(",_")
	if take(".") != 0 {
		p, ok := number()
		if !ok {
			fail("format: a precision has no digits in %s", quoted(whole))
		}
		sp.precision = p
	}
	if s != "" {
		sp.kind, s = s[0], s[1:]
	}
	if s != "" || sp.kind >= 0x80 {
		fail("format: %s is not a format", quoted(whole))
	}
	if sp.group == ',' && sp.kind != 0 && strings.IndexByte("deEfFgG%", sp.kind) < 0 || sp.group == '_' && sp.kind != 0 && strings.IndexByte("deEfFgG%boxX", sp.kind) < 0 {
		fail("format: groups of digits do not go with %q", sp.kind)
	}
	return sp
}
