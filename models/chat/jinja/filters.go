package jinja

import (
	"math"
	"math/big"
	"strings"
	"unicode/utf8"
)

// filter is a filter. What it is given is a[0].
type filter struct {
	ps []param
	fn func(st *state, v Value, a []Value) Value

	free func(st *state, v Value, args []Value, kw kwargs) Value // instead of ps and fn
}

var filters map[string]filter

// refusedFilters are Jinja2's that are not here.
var refusedFilters = []string{"random", "urlize", "wordwrap"}

func init() {
	filters = map[string]filter{
		"abs":        {fn: func(st *state, v Value, a []Value) Value { return absolute(v) }},
		"attr":       {ps: params("name"), fn: attrFilter},
		"batch":      {ps: with(params("linecount"), "fill_with", nil), fn: batch},
		"capitalize": {fn: textFilter(capitalize)},
		"center": {ps: optional("width", int64(80)), fn: func(st *state, v Value, a []Value) Value {
			return same(v, st.pad(st.str(v), " ", whole("center", a[0]), func(pad, width int) int { return pad/2 + pad&width&1 }))
		}},
		"default":  {ps: optional("default_value", "", "boolean", false), fn: defaultFilter},
		"dictsort": {ps: optional("case_sensitive", false, "by", "key", "reverse", false), fn: dictSort},
		"escape": {fn: func(st *state, v Value, a []Value) Value {
			return Markup(st.text(escapeHTML(plainFirst(st, v))))
		}},
		"filesizeformat": {ps: optional("binary", false), fn: fileSize},
		"first":          {fn: first},
		"float":          {ps: optional("default", 0.0), fn: floatFilter},
		"forceescape": {fn: func(st *state, v Value, a []Value) Value {
			return Markup(st.text(htmlEscapes.Replace(st.str(v))))
		}},
		"format":  {free: formatFilter},
		"groupby": {ps: append(params("attribute"), optional("default", nil, "case_sensitive", false)...), fn: groupBy},
		"indent":  {ps: optional("width", int64(4), "first", false, "blank", false), fn: indent},
		"int":     {ps: optional("default", int64(0), "base", int64(10)), fn: intFilter},
		"items":   {fn: items},
		"join":    {ps: optional("d", "", "attribute", nil), fn: join},
		"last":    {fn: last},
		"length": {fn: func(st *state, v Value, a []Value) Value {
			if l, ok := v.(*loopContext); ok {
				return int64(l.len(st.spent))
			}
			n, ok := length(v)
			if !ok {
				fail("%s has no length", typeName(v))
			}
			return int64(n)
		}},
		"list":       {fn: func(st *state, v Value, a []Value) Value { return &List{st.list(v)} }},
		"lower":      {fn: textFilter(lower)},
		"map":        {free: mapFilter},
		"max":        {ps: optional("case_sensitive", false, "attribute", nil), fn: extreme(false)},
		"min":        {ps: optional("case_sensitive", false, "attribute", nil), fn: extreme(true)},
		"pprint":     {fn: pprint},
		"reject":     {free: selecting("reject", false, false)},
		"rejectattr": {free: selecting("rejectattr", true, false)},
		"replace":    {ps: with(params("old", "new"), "count", nil), fn: replaceFilter},
		"reverse":    {fn: reverse},
		"round":      {ps: optional("precision", int64(0), "method", "common"), fn: round},
		"safe":       {fn: func(st *state, v Value, a []Value) Value { return Markup(st.str(v)) }},
		"select":     {free: selecting("select", false, true)},
		"selectattr": {free: selecting("selectattr", true, true)},
		"slice":      {ps: with(params("slices"), "fill_with", nil), fn: sliceFilter},
		"sort":       {ps: optional("reverse", false, "case_sensitive", false, "attribute", nil), fn: sortFilter},
		"string": {fn: func(st *state, v Value, a []Value) Value {
			if m, ok := v.(Markup); ok {
				return m
			}
			return st.str(v)
		}},
		"striptags": {fn: func(st *state, v Value, a []Value) Value { return st.text(stripTags(st.str(v))) }},
		"sum":       {ps: optional("attribute", nil, "start", int64(0)), fn: sum},
		"title":     {fn: func(st *state, v Value, a []Value) Value { return st.text(titleFilter(st.str(v))) }},
		"tojson":    {ps: optional("ensure_ascii", false, "indent", nil, "separators", nil, "sort_keys", false), fn: func(st *state, v Value, a []Value) Value { return toJSON(st.spent, v, a) }},
		"trim":      {ps: optional("chars", nil), fn: trim},
		"truncate":  {ps: optional("length", int64(255), "killwords", false, "end", "...", "leeway", nil), fn: truncateFilter},
		"unique":    {ps: optional("case_sensitive", false, "attribute", nil), fn: unique},
		"upper":     {fn: textFilter(upper)},
		"urlencode": {fn: urlEncode},
		"wordcount": {fn: func(st *state, v Value, a []Value) Value {
			return int64(len(strings.FieldsFunc(st.str(v), func(r rune) bool { return !wordRune(r) })))
		}},
		"xmlattr": {ps: optional("autospace", true), fn: xmlAttr},
	}
	for alias, name := range map[string]string{"count": "length", "d": "default", "e": "escape"} {
		filters[alias] = filters[name]
	}
	for _, name := range refusedFilters {
		filters[name] = filter{free: func(*state, Value, []Value, kwargs) Value {
			refuse("the filter %s", quoted(name))
			return nil
		}}
	}
}

// filter applies the filter of a name.
func (st *state) filter(name string, v Value, args []Value, kw kwargs) Value {
	f, ok := filters[name]
	if !ok {
		fail("unknown filter %s", quoted(name))
	}
	st.step()
	if f.free != nil {
		return f.free(st, v, args, kw)
	}
	return f.fn(st, v, bind("the filter "+quoted(name), f.ps, args, kw))
}

// plainFirst turns what is neither a text nor safe into a text.
func plainFirst(st *state, v Value) Value {
	if isText(v) {
		return v
	}
	return st.str(v)
}

// same marks a text as safe if v is.
func same(v Value, s string) Value {
	if _, safe := v.(Markup); safe {
		return Markup(s)
	}
	return s
}

func textFilter(fn func(string) string) func(*state, Value, []Value) Value {
	return func(st *state, v Value, a []Value) Value { return same(v, st.text(fn(st.str(v)))) }
}

// pprint is Python's repr with dicts by their keys, as long as that fits in
// the 80 characters of a line.
func pprint(st *state, v Value, a []Value) Value {
	s := st.pretty(v)
	if utf8.RuneCountInString(s) > 80 {
		refuse("pprint of more than 80 characters")
	}
	return s
}

func absolute(v Value) Value {
	n, ok := numeric(v)
	if !ok {
		if u, ok := v.(*Undefined); ok {
			fail("%s", u.hint)
		}
		fail("%s has no absolute value", typeName(v))
	}
	if f, ok := n.(float64); ok {
		return math.Abs(f)
	}
	i, _ := integer(n)
	return normal(new(big.Int).Abs(i))
}

func attrFilter(st *state, v Value, a []Value) Value {
	name := st.str(a[0])
	if u, ok := v.(*Undefined); ok {
		fail("%s", u.hint)
	}
	if x, ok := st.attribute(v, name); ok {
		return x
	}
	return &Undefined{hint: typeName(v) + " has no attribute " + quoted(name)}
}

func defaultFilter(st *state, v Value, a []Value) Value {
	_, undefined := v.(*Undefined)
	if undefined || truth(a[1]) && !truth(v) {
		return a[0]
	}
	return v
}

// toFloatValue is Python's float() of any value; false where it raises an
// error that the filters catch.
func toFloatValue(v Value) (float64, bool) {
	if u, ok := v.(*Undefined); ok {
		fail("%s", u.hint)
	}
	if s, ok := text(v); ok {
		return parseFloat(s)
	}
	if _, ok := numeric(v); !ok {
		return 0, false
	}
	return toFloat(v), true
}

func floatFilter(st *state, v Value, a []Value) Value {
	if f, ok := toFloatValue(v); ok {
		return f
	}
	return a[0]
}

func intFilter(st *state, v Value, a []Value) Value {
	if s, ok := text(v); ok {
		if i, ok := parseInt(s, whole("the filter \"int\"", a[1])); ok {
			return i
		}
	} else if f, ok := v.(float64); ok {
		if math.IsInf(f, 0) {
			fail("%s is not an int", floatText(f))
		}
		if !math.IsNaN(f) {
			return truncate(f)
		}
		return a[0]
	} else if n, ok := numeric(v); ok {
		return n
	}
	f, ok := toFloatValue(v)
	if !ok || math.IsNaN(f) || math.IsInf(f, 0) {
		return a[0]
	}
	return truncate(f)
}

func round(st *state, v Value, a []Value) Value {
	method, ok := text(a[1])
	if !ok || method != "common" && method != "ceil" && method != "floor" {
		fail("the filter \"round\" wants the method common, ceil or floor")
	}
	if _, ok := numeric(v); !ok {
		if u, ok := v.(*Undefined); ok {
			fail("%s", u.hint)
		}
		fail("%s cannot be rounded", typeName(v))
	}
	places := whole("the filter \"round\"", a[0])
	if method == "common" {
		return roundNumber(v, places)
	}
	unit := arithmetic("**", int64(10), int64(places))
	n, _ := numeric(v)
	scaled := arithmetic("*", n, unit)
	if _, isFloat := scaled.(float64); !isFloat {
		return arithmetic("/", scaled, unit)
	}
	f := toFloat(scaled)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		fail("%s cannot be rounded", floatText(f))
	}
	if method == "ceil" {
		f = math.Ceil(f)
	} else {
		f = math.Floor(f)
	}
	return arithmetic("/", truncate(f), unit)
}

func fileSize(st *state, v Value, a []Value) Value {
	f, ok := toFloatValue(v)
	if !ok {
		fail("%s is not a number of bytes", typeName(v))
	}
	base, units := 1000.0, []string{"kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"}
	if truth(a[0]) {
		base, units = 1024, []string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"}
	}
	switch {
	case f == 1:
		return "1 Byte"
	case f < base:
		return str(truncate(f)) + " Bytes"
	}
	unit := base
	name := ""
	for _, name = range units {
		unit *= base
		if f < unit {
			break
		}
	}
	return st.fixed(base*f/unit, 1) + " " + name
}

// join writes items with a text between them.
func join(st *state, v Value, a []Value) Value {
	var parts []string
	get := st.getter(a[1], nil, false)
	next := st.iter(v)
	for x, ok := next(); ok; x, ok = next() {
		if a[1] != nil {
			x = get(x)
		}
		s := st.str(x)
		st.alloc(16)
		parts = append(parts, s)
	}
	return st.join(st.str(a[0]), parts)
}

func replaceFilter(st *state, v Value, a []Value) Value {
	n := -1
	if a[2] != nil {
		n = whole("the filter \"replace\"", a[2])
	}
	return st.replace(st.str(v), st.str(a[0]), st.str(a[1]), n)
}

func indent(st *state, v Value, a []Value) Value {
	s := wantText("the filter \"indent\"", v)
	pad, ok := text(a[0])
	if !ok {
		n := max(whole("the filter \"indent\"", a[0]), 0)
		st.room(n, 1)
		pad = st.text(strings.Repeat(" ", n))
	}
	lines := splitLines(s+"\n", false)
	st.room(len(pad)+1, len(lines))
	var b strings.Builder
	for i, line := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		if i > 0 && (line != "" || truth(a[2])) || i == 0 && truth(a[1]) {
			b.WriteString(pad)
		}
		b.WriteString(line)
	}
	return same(v, st.text(b.String()))
}

func trim(st *state, v Value, a []Value) Value {
	s := st.str(v)
	if a[0] == nil {
		return same(v, trimSpace(s))
	}
	set := wantText("the filter \"trim\"", a[0])
	return same(v, strings.TrimFunc(s, func(r rune) bool { return strings.ContainsRune(set, r) }))
}

// titleFilter makes the first letter of each word large. Words are separated
// by blanks, hyphens and opening brackets.
func titleFilter(s string) string {
	var b strings.Builder
	start := true
	word := func(w string) {
		if w == "" {
			return
		}
		_, n := utf8.DecodeRuneInString(w)
		b.WriteString(upper(w[:n]) + lower(w[n:]))
	}
	from := 0
	for i, r := range s {
		between := isSpace(r) || strings.ContainsRune("-({[<", r)
		if between != start {
			word(s[from:i])
			from, start = i, between
		}
	}
	word(s[from:])
	return b.String()
}

func truncateFilter(st *state, v Value, a []Value) Value {
	n, end := whole("the filter \"truncate\"", a[0]), wantText("the filter \"truncate\"", a[2])
	leeway := 5
	if a[3] != nil {
		leeway = whole("the filter \"truncate\"", a[3])
	}
	room := n - utf8.RuneCountInString(end)
	if room < 0 || leeway < 0 {
		fail("the filter \"truncate\" wants a length of at least its end's, and a leeway of at least 0")
	}
	size, ok := length(v)
	if !ok {
		fail("%s has no length", typeName(v))
	}
	if size-leeway <= n {
		return v
	}
	s := wantText("the filter \"truncate\"", v)
	cut := cutRunes(s, 0, room)
	if !truth(a[1]) {
		if i := strings.LastIndexByte(cut, ' '); i >= 0 {
			cut = cut[:i]
		}
	}
	return st.text(cut + end)
}

func urlEncode(st *state, v Value, a []Value) Value {
	_, iterable := st.iterable(v)
	if isText(v) || !iterable {
		return st.text(quoteURL(st.str(v), "/"))
	}
	if d, ok := v.(*Dict); ok {
		v = view{"items", d}
	}
	query := func(v Value) string { return strings.ReplaceAll(quoteURL(st.str(v), ""), "%20", "+") }
	var parts []string
	for _, pair := range st.list(v) {
		kv := st.list(pair)
		if len(kv) != 2 {
			fail("the filter \"urlencode\" wants pairs")
		}
		parts = append(parts, query(kv[0])+"="+query(kv[1]))
	}
	return st.join("&", parts)
}

func xmlAttr(st *state, v Value, a []Value) Value {
	d, ok := v.(*Dict)
	if !ok {
		fail("the filter \"xmlattr\" wants a dict, has %s", typeName(v))
	}
	var parts []string
	for i, k := range d.Keys() {
		x := d.Values()[i]
		if _, undefined := x.(*Undefined); x == nil || undefined {
			continue
		}
		if strings.ContainsFunc(st.str(k), func(r rune) bool { return isSpace(r) || strings.ContainsRune("/>=", r) }) {
			fail("the filter \"xmlattr\" has a key with a character that is not allowed")
		}
		parts = append(parts, escapeHTML(plainFirst(st, k))+`="`+escapeHTML(plainFirst(st, x))+`"`)
	}
	s := st.join(" ", parts)
	if s != "" && truth(a[0]) {
		s = " " + s
	}
	return s
}

func formatFilter(st *state, v Value, args []Value, kw kwargs) Value {
	if len(args) > 0 && len(kw.names) > 0 {
		fail("the filter \"format\" wants arguments by place or by name, not both")
	}
	if !isText(v) {
		v = st.str(v)
	}
	if len(kw.names) > 0 {
		return st.percent(v, kw.dict())
	}
	return st.percent(v, &Tuple{args})
}
