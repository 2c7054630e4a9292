package jinja

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// textMethod is a method of str. What it returns is marked as safe where the
// text was, and its texts are escaped then if escapes is set.
type textMethod struct {
	ps      []param
	escapes bool
	fn      func(st *spent, s string, a []Value) Value
	free    func(st *spent, s string, args []Value, kw kwargs) Value // instead of ps and fn
}

func (m textMethod) bound(name string, self Value) *function {
	s, _ := text(self)
	_, safe := self.(Markup)
	return &function{name: name, fn: func(st *spent, args []Value, kw kwargs) Value {
		st.work(len(s) >> 7)
		if m.free != nil {
			if safe {
				refuse("%s of a safe text", name)
			}
			return m.free(st, s, args, kw)
		}
		a := bind(name, m.ps, args, kw)
		if safe && m.escapes {
			for i, v := range a {
				if _, ok := v.(string); ok {
					a[i] = escapeHTML(v)
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

// pos are n parameters by place, and m more that may be left out.
func pos(n, m int) []param {
	list := make([]param, n+m)
	for i := range m {
		list[n+i].opt = true
	}
	return list
}

var textMethods map[string]textMethod

func init() {
	textMethods = map[string]textMethod{
		"upper":      {escapes: true, fn: mapped(upper)},
		"lower":      {escapes: true, fn: mapped(lower)},
		"title":      {escapes: true, fn: mapped(title)},
		"capitalize": {escapes: true, fn: mapped(capitalize)},
		"swapcase":   {escapes: true, fn: mapped(swapCase)},
		"casefold":   {escapes: true, fn: mapped(foldCase)},

		"strip":  {ps: pos(0, 1), escapes: true, fn: stripping("strip", strings.TrimFunc)},
		"lstrip": {ps: pos(0, 1), escapes: true, fn: stripping("lstrip", strings.TrimLeftFunc)},
		"rstrip": {ps: pos(0, 1), escapes: true, fn: stripping("rstrip", strings.TrimRightFunc)},
		"removeprefix": {ps: pos(1, 0), escapes: true, fn: func(st *spent, s string, a []Value) Value {
			return strings.TrimPrefix(s, wantText("removeprefix", a[0]))
		}},
		"removesuffix": {ps: pos(1, 0), escapes: true, fn: func(st *spent, s string, a []Value) Value {
			return strings.TrimSuffix(s, wantText("removesuffix", a[0]))
		}},

		"split":      {ps: optional("sep", nil, "maxsplit", int64(-1)), fn: split},
		"rsplit":     {ps: optional("sep", nil, "maxsplit", int64(-1)), fn: rsplit},
		"splitlines": {ps: optional("keepends", false), fn: splitlines},
		"partition":  {ps: pos(1, 0), fn: partition},
		"rpartition": {ps: pos(1, 0), fn: rpartition},
		"join":       {ps: pos(1, 0), escapes: true, fn: joinMethod},
		"replace": {ps: pos(2, 1), escapes: true, fn: func(st *spent, s string, a []Value) Value {
			n := -1
			if a[2] != nil {
				n = whole("replace", a[2])
			}
			return st.replace(s, wantText("replace", a[0]), wantText("replace", a[1]), n)
		}},

		"find":   {ps: pos(1, 2), fn: finding("find", strings.Index, false)},
		"rfind":  {ps: pos(1, 2), fn: finding("rfind", strings.LastIndex, false)},
		"index":  {ps: pos(1, 2), fn: finding("index", strings.Index, true)},
		"rindex": {ps: pos(1, 2), fn: finding("rindex", strings.LastIndex, true)},
		"count": {ps: pos(1, 2), fn: func(st *spent, s string, a []Value) Value {
			part, _, ok := within(s, a[1], a[2])
			sub := wantText("count", a[0])
			if !ok {
				return int64(0)
			}
			return int64(strings.Count(part, sub))
		}},
		"startswith": {ps: pos(1, 2), fn: affix("startswith", strings.HasPrefix)},
		"endswith":   {ps: pos(1, 2), fn: affix("endswith", strings.HasSuffix)},

		"center": {ps: pos(1, 1), escapes: true, fn: padding("center", func(pad, width int) int { return pad/2 + pad&width&1 })},
		"ljust":  {ps: pos(1, 1), escapes: true, fn: padding("ljust", func(pad, width int) int { return 0 })},
		"rjust":  {ps: pos(1, 1), escapes: true, fn: padding("rjust", func(pad, width int) int { return pad })},
		"zfill":  {ps: pos(1, 0), escapes: true, fn: zfill},
		"expandtabs": {ps: optional("tabsize", int64(8)), escapes: true, fn: func(st *spent, s string, a []Value) Value {
			return st.expandTabs(s, whole("expandtabs", a[0]))
		}},

		"isalnum":      {fn: asks(func(s string) bool { return all(s, isAlnum) })},
		"isalpha":      {fn: asks(func(s string) bool { return all(s, unicode.IsLetter) })},
		"isascii":      {fn: asks(ascii)},
		"isdecimal":    {fn: asks(func(s string) bool { return all(s, unicode.IsDigit) })},
		"isdigit":      {fn: asks(func(s string) bool { return all(s, isDigit) })},
		"isnumeric":    {fn: asks(func(s string) bool { return all(s, isNumeric) })},
		"isidentifier": {fn: asks(identifier)},
		"islower":      {fn: asks(func(s string) bool { return oneCase(s, isLower, isUpper) })},
		"isupper":      {fn: asks(func(s string) bool { return oneCase(s, isUpper, isLower) })},
		"isprintable":  {fn: asks(func(s string) bool { return s == "" || all(s, printable) })},
		"isspace":      {fn: asks(func(s string) bool { return all(s, isSpace) })},
		"istitle":      {fn: asks(isTitle)},

		"format": {free: func(st *spent, s string, args []Value, kw kwargs) Value { return st.format(s, args, kw.dict()) }},
		"format_map": {free: func(st *spent, s string, args []Value, kw kwargs) Value {
			a := bind("format_map", pos(1, 0), args, kw)
			d, ok := a[0].(*Dict)
			if !ok {
				fail("format_map wants a dict, has %s", typeName(a[0]))
			}
			return st.format(s, nil, d)
		}},
	}
}

// wantText returns the text of an argument.
func wantText(fn string, v Value) string {
	s, ok := text(v)
	if !ok {
		fail("%s wants a str, has %s", fn, typeName(v))
	}
	return s
}

func mapped(fn func(string) string) func(*spent, string, []Value) Value {
	return func(st *spent, s string, a []Value) Value { return st.text(fn(s)) }
}

func asks(fn func(string) bool) func(*spent, string, []Value) Value {
	return func(st *spent, s string, a []Value) Value { return fn(s) }
}

func stripping(name string, trim func(string, func(rune) bool) string) func(*spent, string, []Value) Value {
	return func(st *spent, s string, a []Value) Value {
		if a[0] == nil {
			return trim(s, isSpace)
		}
		set := wantText(name, a[0])
		st.work(len(set))
		return trim(s, func(r rune) bool { return strings.ContainsRune(set, r) })
	}
}

// texts makes a list of texts.
func (st *spent) texts(parts []string) *List {
	st.alloc(16 * len(parts))
	out := make([]Value, len(parts))
	for i, p := range parts {
		out[i] = p
	}
	return &List{out}
}

func split(st *spent, s string, a []Value) Value {
	n := whole("split", a[1])
	if a[0] == nil {
		var parts []string
		s = trimLeft(s)
		for s != "" {
			i := strings.IndexFunc(s, isSpace)
			if i < 0 || n >= 0 && len(parts) == n {
				parts = append(parts, s)
				break
			}
			parts = append(parts, s[:i])
			s = trimLeft(s[i:])
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
	sep := wantText(fn, v)
	if sep == "" {
		fail("%s has an empty separator", fn)
	}
	return sep
}

func rsplit(st *spent, s string, a []Value) Value {
	n := whole("rsplit", a[1])
	var parts []string // from the end
	if a[0] == nil {
		s = trimRight(s)
		for s != "" {
			i := strings.LastIndexFunc(s, isSpace)
			if i < 0 || n >= 0 && len(parts) == n {
				parts = append(parts, s)
				break
			}
			_, w := utf8.DecodeRuneInString(s[i:])
			parts = append(parts, s[i+w:])
			s = trimRight(s[:i])
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

func splitlines(st *spent, s string, a []Value) Value {
	keep := false
	switch v := a[0].(type) {
	case bool:
		keep = v
	default:
		keep = whole("splitlines", v) != 0
	}
	return st.texts(splitLines(s, keep))
}

func partition(st *spent, s string, a []Value) Value {
	sep := separator("partition", a[0])
	i := strings.Index(s, sep)
	if i < 0 {
		return &Tuple{[]Value{s, "", ""}}
	}
	return &Tuple{[]Value{s[:i], sep, s[i+len(sep):]}}
}

func rpartition(st *spent, s string, a []Value) Value {
	sep := separator("rpartition", a[0])
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return &Tuple{[]Value{"", "", s}}
	}
	return &Tuple{[]Value{s[:i], sep, s[i+len(sep):]}}
}

func joinMethod(st *spent, s string, a []Value) Value {
	var parts []string
	for _, v := range st.list(a[0]) {
		parts = append(parts, wantText("join", v))
	}
	return st.join(s, parts)
}

func (st *spent) replace(s, old, with string, n int) string {
	found := strings.Count(s, old)
	if n >= 0 {
		found = min(found, n)
	}
	st.room(max(len(with), 1), max(found, 1))
	st.alloc(len(s) + found*len(with))
	return strings.Replace(s, old, with, n)
}

// within is the part of s between two places, and where it begins; false if
// there is no such part.
func within(s string, from, to Value) (part string, at int, ok bool) {
	if from == nil && to == nil {
		return s, 0, true
	}
	n := utf8.RuneCountInString(s)
	start, count, _ := bounds([3]Value{from, to, nil}, n)
	if i, _ := small(from); from != nil && i > n {
		return "", 0, false
	}
	end := n
	if to != nil {
		if end, _ = small(to); end < 0 {
			end = max(end+n, 0)
		}
	}
	return cutRunes(s, start, count), start, start <= min(end, n)
}

func finding(name string, index func(s, sub string) int, must bool) func(*spent, string, []Value) Value {
	return func(st *spent, s string, a []Value) Value {
		sub := wantText(name, a[0])
		part, at, ok := within(s, a[1], a[2])
		i := -1
		if ok {
			i = index(part, sub)
		}
		if i < 0 {
			if must {
				fail("%s: the text is not found", name)
			}
			return int64(-1)
		}
		return int64(at + utf8.RuneCountInString(part[:i]))
	}
}

func affix(name string, has func(s, x string) bool) func(*spent, string, []Value) Value {
	return func(st *spent, s string, a []Value) Value {
		part, _, ok := within(s, a[1], a[2])
		if t, is := a[0].(*Tuple); is {
			for _, v := range t.Items {
				if x := wantText(name, v); ok && has(part, x) {
					return true
				}
			}
			return false
		}
		x := wantText(name, a[0])
		return ok && has(part, x)
	}
}

func padding(name string, left func(pad, width int) int) func(*spent, string, []Value) Value {
	return func(st *spent, s string, a []Value) Value {
		width, fill := whole(name, a[0]), " "
		if a[1] != nil {
			if fill = wantText(name, a[1]); utf8.RuneCountInString(fill) != 1 {
				fail("%s wants one character to fill with", name)
			}
		}
		return st.pad(s, fill, width, left)
	}
}

// pad fills s up to width characters.
func (st *spent) pad(s, fill string, width int, left func(pad, width int) int) string {
	pad := width - utf8.RuneCountInString(s)
	if pad <= 0 {
		return s
	}
	st.room(len(fill), pad)
	l := left(pad, width)
	return st.text(strings.Repeat(fill, l) + s + strings.Repeat(fill, pad-l))
}

func zfill(st *spent, s string, a []Value) Value {
	width := whole("zfill", a[0])
	sign := ""
	if s != "" && (s[0] == '-' || s[0] == '+') {
		sign, s = s[:1], s[1:]
	}
	return st.text(sign + st.pad(s, "0", width-len(sign), func(pad, width int) int { return pad }))
}

func (st *spent) expandTabs(s string, size int) string {
	st.room(strings.Count(s, "\t")+1, max(size, 1))
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
	return st.text(b.String())
}
