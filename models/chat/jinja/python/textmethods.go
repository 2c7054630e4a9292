package python

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// textMethod is a method of str. What it returns is marked as safe where the
// text was, and its texts are escaped then if escapes is set.
type textMethod struct {
	ps      []Param
	escapes bool
	fn      func(st *Run, s string, a []Value) Value
	free    func(st *Run, s string, args []Value, kw Kwargs) Value // instead of ps and fn
}

func (m textMethod) bound(name string, self Value) *Function {
	s, _ := Text(self)
	_, safe := self.(Markup)
	return &Function{Name: name, Fn: func(st *Run, args []Value, kw Kwargs) Value {
		st.Work(len(s) >> 7)
		if m.free != nil {
			if safe {
				Refuse("%s of a safe text", name)
			}
			return m.free(st, s, args, kw)
		}
		a := Bind(name, m.ps, args, kw)
		if safe && m.escapes {
			for i, v := range a {
				if _, ok := v.(string); ok {
					a[i] = EscapeHTML(v)
				}
			}
		}
		v := m.fn(st, s, a)
		if safe {
			return marked(v)
		}
		return v
	}}
}

// marked marks the texts of a result as safe.
func marked(v Value) Value {
	switch v := v.(type) {
	case string:
		return Markup(v)
	case *List:
		return &List{markedAll(v.Items)}
	case *Tuple:
		return &Tuple{markedAll(v.Items)}
	}
	return v
}

func markedAll(list []Value) []Value {
	out := make([]Value, len(list))
	for i, x := range list {
		out[i] = marked(x)
	}
	return out
}

// Pos are n parameters by place, and m more that may be left out.
func Pos(n, m int) []Param {
	list := make([]Param, n+m)
	for i := range m {
		list[n+i].opt = true
	}
	return list
}

var textMethods map[string]textMethod

func init() { // its functions look it up again
	textMethods = map[string]textMethod{
		"upper":      {escapes: true, fn: mapped(Upper)},
		"lower":      {escapes: true, fn: mapped(Lower)},
		"title":      {escapes: true, fn: mapped(title)},
		"capitalize": {escapes: true, fn: mapped(Capitalize)},
		"swapcase":   {escapes: true, fn: mapped(swapCase)},
		"casefold":   {escapes: true, fn: mapped(foldCase)},

		"strip":  {ps: Pos(0, 1), escapes: true, fn: stripping("strip", strings.TrimFunc)},
		"lstrip": {ps: Pos(0, 1), escapes: true, fn: stripping("lstrip", strings.TrimLeftFunc)},
		"rstrip": {ps: Pos(0, 1), escapes: true, fn: stripping("rstrip", strings.TrimRightFunc)},
		"removeprefix": {ps: Pos(1, 0), escapes: true, fn: func(st *Run, s string, a []Value) Value {
			return strings.TrimPrefix(s, WantText("removeprefix", a[0]))
		}},
		"removesuffix": {ps: Pos(1, 0), escapes: true, fn: func(st *Run, s string, a []Value) Value {
			return strings.TrimSuffix(s, WantText("removesuffix", a[0]))
		}},

		"split":      {ps: Optional("sep", nil, "maxsplit", int64(-1)), fn: split},
		"rsplit":     {ps: Optional("sep", nil, "maxsplit", int64(-1)), fn: rsplit},
		"splitlines": {ps: Optional("keepends", false), fn: splitlines},
		"partition":  {ps: Pos(1, 0), fn: partition},
		"rpartition": {ps: Pos(1, 0), fn: rpartition},
		"join":       {ps: Pos(1, 0), escapes: true, fn: joinMethod},
		"replace": {ps: Pos(2, 1), escapes: true, fn: func(st *Run, s string, a []Value) Value {
			n := -1
			if a[2] != nil {
				n = Whole("replace", a[2])
			}
			return st.Replace(s, WantText("replace", a[0]), WantText("replace", a[1]), n)
		}},

		"find":   {ps: Pos(1, 2), fn: finding("find", strings.Index, false)},
		"rfind":  {ps: Pos(1, 2), fn: finding("rfind", strings.LastIndex, false)},
		"index":  {ps: Pos(1, 2), fn: finding("index", strings.Index, true)},
		"rindex": {ps: Pos(1, 2), fn: finding("rindex", strings.LastIndex, true)},
		"count": {ps: Pos(1, 2), fn: func(st *Run, s string, a []Value) Value {
			part, _, ok := within(s, a[1], a[2])
			sub := WantText("count", a[0])
			if !ok {
				return int64(0)
			}
			return int64(strings.Count(part, sub))
		}},
		"startswith": {ps: Pos(1, 2), fn: affix("startswith", strings.HasPrefix)},
		"endswith":   {ps: Pos(1, 2), fn: affix("endswith", strings.HasSuffix)},

		"center": {ps: Pos(1, 1), escapes: true, fn: padding("center", func(pad, width int) int { return pad/2 + pad&width&1 })},
		"ljust":  {ps: Pos(1, 1), escapes: true, fn: padding("ljust", func(pad, width int) int { return 0 })},
		"rjust":  {ps: Pos(1, 1), escapes: true, fn: padding("rjust", func(pad, width int) int { return pad })},
		"zfill":  {ps: Pos(1, 0), escapes: true, fn: zfill},
		"expandtabs": {ps: Optional("tabsize", int64(8)), escapes: true, fn: func(st *Run, s string, a []Value) Value {
			return st.expandTabs(s, Whole("expandtabs", a[0]))
		}},

		"isalnum":      {fn: asks(func(s string) bool { return All(s, isAlnum) })},
		"isalpha":      {fn: asks(func(s string) bool { return All(s, unicode.IsLetter) })},
		"isascii":      {fn: asks(ascii)},
		"isdecimal":    {fn: asks(func(s string) bool { return All(s, unicode.IsDigit) })},
		"isdigit":      {fn: asks(func(s string) bool { return All(s, IsDigit) })},
		"isnumeric":    {fn: asks(func(s string) bool { return All(s, isNumeric) })},
		"isidentifier": {fn: asks(identifier)},
		"islower":      {fn: asks(func(s string) bool { return OneCase(s, IsLower, IsUpper) })},
		"isupper":      {fn: asks(func(s string) bool { return OneCase(s, IsUpper, IsLower) })},
		"isprintable":  {fn: asks(func(s string) bool { return s == "" || All(s, printable) })},
		"isspace":      {fn: asks(func(s string) bool { return All(s, IsSpace) })},
		"istitle":      {fn: asks(isTitle)},

		"format": {free: func(st *Run, s string, args []Value, kw Kwargs) Value { return st.format(s, args, kw.Dict()) }},
		"format_map": {free: func(st *Run, s string, args []Value, kw Kwargs) Value {
			a := Bind("format_map", Pos(1, 0), args, kw)
			d, ok := a[0].(*Dict)
			if !ok {
				Fail("format_map wants a dict, has %s", TypeName(a[0]))
			}
			return st.format(s, nil, d)
		}},
	}
}

// WantText returns the text of an argument.
func WantText(fn string, v Value) string {
	s, ok := Text(v)
	if !ok {
		Fail("%s wants a str, has %s", fn, TypeName(v))
	}
	return s
}

func mapped(fn func(string) string) func(*Run, string, []Value) Value {
	return func(st *Run, s string, a []Value) Value { return st.Text(fn(s)) }
}

func asks(fn func(string) bool) func(*Run, string, []Value) Value {
	return func(st *Run, s string, a []Value) Value { return fn(s) }
}

func stripping(name string, trim func(string, func(rune) bool) string) func(*Run, string, []Value) Value {
	return func(st *Run, s string, a []Value) Value {
		if a[0] == nil {
			return trim(s, IsSpace)
		}
		set := WantText(name, a[0])
		st.Work(len(set))
		return trim(s, func(r rune) bool { return strings.ContainsRune(set, r) })
	}
}

// texts makes a list of texts.
func (st *Run) texts(parts []string) *List {
	st.Alloc(16 * len(parts))
	out := make([]Value, len(parts))
	for i, p := range parts {
		out[i] = p
	}
	return &List{out}
}

func split(st *Run, s string, a []Value) Value {
	n := Whole("split", a[1])
	if a[0] == nil {
		var parts []string
		s = TrimLeft(s)
		for s != "" {
			i := strings.IndexFunc(s, IsSpace)
			if i < 0 || n >= 0 && len(parts) == n {
				parts = append(parts, s)
				break
			}
			parts = append(parts, s[:i])
			s = TrimLeft(s[i:])
		}
		return st.texts(parts)
	}
	sep := separator("split", a[0])
	if n >= 0 {
		n++
	}
	if n == 0 {
		n = 1
	}
	return st.texts(strings.SplitN(s, sep, n))
}

func separator(fn string, v Value) string {
	sep := WantText(fn, v)
	if sep == "" {
		Fail("%s has an empty separator", fn)
	}
	return sep
}

func rsplit(st *Run, s string, a []Value) Value {
	n := Whole("rsplit", a[1])
	var parts []string // from the end
	if a[0] == nil {
		s = TrimRight(s)
		for s != "" {
			i := strings.LastIndexFunc(s, IsSpace)
			if i < 0 || n >= 0 && len(parts) == n {
				parts = append(parts, s)
				break
			}
			_, w := utf8.DecodeRuneInString(s[i:])
			parts = append(parts, s[i+w:])
			s = TrimRight(s[:i])
		}
	} else {
		sep := separator("rsplit", a[0])
		for {
			i := strings.LastIndex(s, sep)
			if i < 0 || n >= 0 && len(parts) == n {
				parts = append(parts, s)
				break
			}
			parts = append(parts, s[i+len(sep):])
			s = s[:i]
		}
	}
	for i, j := 0, len(parts)-1; i < j; i, j = i+1, j-1 {
		parts[i], parts[j] = parts[j], parts[i]
	}
	return st.texts(parts)
}

func splitlines(st *Run, s string, a []Value) Value {
	keep := false
	switch v := a[0].(type) {
	case bool:
		keep = v
	default:
		keep = Whole("splitlines", v) != 0
	}
	return st.texts(SplitLines(s, keep))
}

func partition(st *Run, s string, a []Value) Value {
	sep := separator("partition", a[0])
	i := strings.Index(s, sep)
	if i < 0 {
		return &Tuple{[]Value{s, "", ""}}
	}
	return &Tuple{[]Value{s[:i], sep, s[i+len(sep):]}}
}

func rpartition(st *Run, s string, a []Value) Value {
	sep := separator("rpartition", a[0])
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return &Tuple{[]Value{"", "", s}}
	}
	return &Tuple{[]Value{s[:i], sep, s[i+len(sep):]}}
}

func joinMethod(st *Run, s string, a []Value) Value {
	var parts []string
	for _, v := range st.List(a[0]) {
		parts = append(parts, WantText("join", v))
	}
	return st.Join(s, parts)
}

// Replace is str.replace, n times at most; -1 is without end.
func (st *Run) Replace(s, old, with string, n int) string {
	found := strings.Count(s, old)
	if n >= 0 {
		found = min(found, n)
	}
	st.Room(max(len(with), 1), max(found, 1))
	st.Alloc(len(s) + found*len(with))
	return strings.Replace(s, old, with, n)
}

// within is the part of s between two places, and where it begins; false if
// there is no such part.
func within(s string, from, to Value) (part string, at int, ok bool) {
	if from == nil && to == nil {
		return s, 0, true
	}
	n := utf8.RuneCountInString(s)
	start, _, count, _ := bounds([3]Value{from, to, nil}, n)
	if i, _ := small(from); from != nil && i > n {
		return "", 0, false
	}
	end := n
	if to != nil {
		if end, _ = small(to); end < 0 {
			end = max(end+n, 0)
		}
	}
	return CutRunes(s, start, count), start, start <= min(end, n)
}

func finding(name string, index func(s, sub string) int, must bool) func(*Run, string, []Value) Value {
	return func(st *Run, s string, a []Value) Value {
		sub := WantText(name, a[0])
		part, at, ok := within(s, a[1], a[2])
		i := -1
		if ok {
			i = index(part, sub)
		}
		if i < 0 {
			if must {
				Fail("%s: the text is not found", name)
			}
			return int64(-1)
		}
		return int64(at + utf8.RuneCountInString(part[:i]))
	}
}

func affix(name string, has func(s, x string) bool) func(*Run, string, []Value) Value {
	return func(st *Run, s string, a []Value) Value {
		part, _, ok := within(s, a[1], a[2])
		if t, is := a[0].(*Tuple); is {
			for _, v := range t.Items {
				if x := WantText(name, v); ok && has(part, x) {
					return true
				}
			}
			return false
		}
		x := WantText(name, a[0])
		return ok && has(part, x)
	}
}

func padding(name string, left func(pad, width int) int) func(*Run, string, []Value) Value {
	return func(st *Run, s string, a []Value) Value {
		width, fill := Whole(name, a[0]), " "
		if a[1] != nil {
			if fill = WantText(name, a[1]); utf8.RuneCountInString(fill) != 1 {
				Fail("%s wants one character to fill with", name)
			}
		}
		return st.Pad(s, fill, width, left)
	}
}

// Pad fills s up to width characters.
func (st *Run) Pad(s, fill string, width int, left func(pad, width int) int) string {
	pad := width - utf8.RuneCountInString(s)
	if pad <= 0 {
		return s
	}
	st.Room(len(fill), pad)
	l := left(pad, width)
	return st.Text(strings.Repeat(fill, l) + s + strings.Repeat(fill, pad-l))
}

func zfill(st *Run, s string, a []Value) Value {
	width := Whole("zfill", a[0])
	sign := ""
	if s != "" && (s[0] == '-' || s[0] == '+') {
		sign, s = s[:1], s[1:]
	}
	return st.Text(sign + st.Pad(s, "0", width-len(sign), func(pad, width int) int { return pad }))
}

func (st *Run) expandTabs(s string, size int) string {
	st.Room(strings.Count(s, "\t")+1, max(size, 1))
	var b strings.Builder
	col := 0
	for _, r := range s {
		switch {
		case r == '\t' && size > 0:
			n := size - col%size
			b.WriteString(strings.Repeat(" ", n))
			col += n
		case r == '\t':
		default:
			b.WriteRune(r)
			if col++; r == '\n' || r == '\r' {
				col = 0
			}
		}
	}
	return st.Text(b.String())
}
