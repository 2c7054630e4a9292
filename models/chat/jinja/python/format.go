package python

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

func pad0(s string, n int) string { return strings.Repeat("0", max(n-len(s), 0)) + s }

// cutTo cuts a text to n characters, if n is not negative.
func cutTo(s string, n int) string {
	if n < 0 || n >= len(s) {
		return s
	}
	return CutRunes(s, 0, n)
}

// Truncate is Python's int() of a float.
func Truncate(f float64) Value {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		Fail("%s is not an int", FloatText(f))
	}
	i, _ := big.NewFloat(f).Int(nil)
	return Normal(i)
}

// aligned puts a text, with its sign or prefix, in its width.
func (st *Run) aligned(body, prefix string, sp spec) string {
	pad := sp.width - utf8.RuneCountInString(body) - len(prefix)
	if pad <= 0 {
		return prefix + body
	}
	st.Room(pad, len(sp.fill))
	if sp.zero && sp.align != '<' {
		return st.Text(prefix + strings.Repeat("0", pad) + body)
	}
	left := 0
	switch sp.align {
	case '>':
		left = pad
	case '^':
		left = pad / 2
	case '=':
		return st.Text(prefix + strings.Repeat(sp.fill, pad) + body)
	}
	return st.Text(strings.Repeat(sp.fill, left) + prefix + body + strings.Repeat(sp.fill, pad-left))
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

func (st *Run) integer(i *big.Int, sp spec) string {
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
		st.Room(sp.precision, 1)
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
func (st *Run) zeroWidth(sp spec, taken int) int {
	if sp.group == 0 || !sp.zero {
		return 0
	}
	st.Room(sp.width, 1)
	st.Alloc(max(sp.width, 0))
	return sp.width - taken
}

func (st *Run) float(f float64, sp spec) string {
	precision := sp.precision
	if precision < 0 {
		precision = 6
	}
	st.Room(precision, 1)
	st.Alloc(precision)
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
func (st *Run) Fixed(f float64, digits int) string {
	return st.float(f, spec{precision: digits, kind: 'f'})
}

// general is the format g, with at least one digit after the point if the
// format is none at all.
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
func (st *Run) format(s string, args []Value, kw *Dict) string {
	auto := 0
	out := st.formatAt(s, args, kw, &auto, 2)
	return st.Text(out)
}

func (st *Run) formatAt(s string, args []Value, kw *Dict, auto *int, depth int) string {
	if depth < 0 {
		Fail("format: fields lie too deep in each other")
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '{' && i+1 < len(s) && s[i+1] == '{', c == '}' && i+1 < len(s) && s[i+1] == '}':
			b.WriteByte(c)
			i++
		case c == '}':
			Fail("format: a single } stands in the text")
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
				Fail("format: a field has no end")
			}
			b.WriteString(st.field(s[i+1:end-1], args, kw, auto, depth))
			st.Room(b.Len(), 1)
			i = end - 1
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// field formats what stands between { and }.
func (st *Run) field(f string, args []Value, kw *Dict, auto *int, depth int) string {
	st.Step()
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
			Fail("format: a conversion must be one letter")
		}
		conversion, rest = rest[1], rest[2:]
	}
	v := st.fieldValue(name, args, kw, auto)
	switch conversion {
	case 0:
	case 's':
		v = st.Str(v)
	case 'r':
		v = st.repr(v)
	case 'a':
		v = asciiRepr(st.repr(v))
	default:
		Fail("format: unknown conversion %q", conversion)
	}
	how := ""
	if rest != "" {
		how = st.formatAt(rest[1:], args, kw, auto, depth-1)
	}
	return st.formatted(v, how)
}

// fieldValue finds what the name of a field stands for.
func (st *Run) fieldValue(name string, args []Value, kw *Dict, auto *int) Value {
	end := strings.IndexAny(name, ".[")
	if end < 0 {
		end = len(name)
	}
	first, rest := name[:end], name[end:]
	if first == "" {
		if *auto < 0 {
			Fail("format: fields are numbered by hand and by themselves")
		}
		first = strconv.Itoa(*auto)
		*auto++
	} else if All(first, func(r rune) bool { return r >= '0' && r <= '9' }) {
		if *auto > 0 {
			Fail("format: fields are numbered by hand and by themselves")
		}
		*auto = -1
	}
	var v Value
	if n, err := strconv.Atoi(first); err == nil {
		if n >= len(args) {
			Fail("format: there is no value %d", n)
		}
		v = args[n]
	} else {
		var ok bool
		if v, ok = kw.Get(first); !ok {
			Fail("format: there is no value %s", Quoted(first))
		}
	}
	for rest != "" {
		if rest[0] == '.' {
			end := strings.IndexAny(rest[1:], ".[") + 1
			if end == 0 {
				end = len(rest)
			}
			if end == 1 {
				Fail("format: an attribute has no name")
			}
			v, rest = st.Getattr(v, rest[1:end]), rest[end:]
			continue
		}
		end := strings.IndexByte(rest, ']')
		if rest[0] != '[' || end <= 1 {
			Fail("format: %s is not a field", Quoted(name))
		}
		key := Value(rest[1:end])
		if n, err := strconv.Atoi(rest[1:end]); err == nil && isDecimal(rest[1]) {
			key = int64(n)
		}
		v, rest = st.Getitem(v, key), rest[end+1:]
	}
	return v
}

// formatted is Python's format(v, how).
func (st *Run) formatted(v Value, how string) string {
	if how == "" {
		return st.Str(v)
	}
	switch v.(type) {
	case string, Markup, bool, int64, *big.Int, float64:
	default:
		Fail("a %s cannot be formatted by %s", TypeName(v), Quoted(how))
	}
	sp := st.readSpec(how)
	if s, ok := Text(v); ok {
		if sp.kind != 0 && sp.kind != 's' || sp.sign != 0 || sp.alternate || sp.group != 0 || sp.align == '=' && !sp.zero {
			Fail("a str cannot be formatted by %s", Quoted(how))
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
	if i, ok := Integer(v); ok && (sp.kind == 0 || strings.IndexByte("bcdoxXn", sp.kind) >= 0) {
		if sp.precision >= 0 {
			Fail("an int cannot be formatted with a precision")
		}
		if sp.kind == 'c' {
			n, _ := small(v)
			if n < 0 || !utf8.ValidRune(rune(n)) {
				Fail("format: c wants a character")
			}
			return st.aligned(string(rune(n)), "", sp)
		}
		return st.integer(i, sp)
	}
	if sp.kind != 0 && strings.IndexByte("eEfFgG%n", sp.kind) < 0 {
		Fail("a %s cannot be formatted by %s", TypeName(v), Quoted(how))
	}
	f := ToFloat(v)
	if sp.kind == 'n' {
		sp.kind = 'g'
	}
	if sp.kind == 0 && sp.precision < 0 {
		s := FloatText(math.Abs(f))
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
func (st *Run) readSpec(s string) spec {
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
		Refuse("z in a format")
	}
	sp.alternate = take("#") != 0
	sp.zero = take("0") != 0
	sp.width, _ = number()
	sp.group = take(",_")
	if take(".") != 0 {
		p, ok := number()
		if !ok {
			Fail("format: a precision has no digits in %s", Quoted(whole))
		}
		sp.precision = p
	}
	if s != "" {
		sp.kind, s = s[0], s[1:]
	}
	if s != "" || sp.kind >= 0x80 {
		Fail("format: %s is not a format", Quoted(whole))
	}
	if sp.group == ',' && sp.kind != 0 && strings.IndexByte("deEfFgG%", sp.kind) < 0 || sp.group == '_' && sp.kind != 0 && strings.IndexByte("deEfFgG%boxX", sp.kind) < 0 {
		Fail("format: groups of digits do not go with %q", sp.kind)
	}
	return sp
}
