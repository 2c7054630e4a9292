package jinja

import (
	"strings"
	"unicode/utf8"

	"logitscope/models/chat/jinja/python"
)

// filter is a filter. What it is given is a[0].
type filter struct {
	ps []python.Param
	fn func(st *state, v python.Value, a []python.Value) python.Value

	free func(st *state, v python.Value, args []python.Value, kw python.Kwargs) python.Value // instead of ps and fn
}

var filters map[string]filter

// refusedFilters are Jinja2's that are not here.
var refusedFilters = []string{"random", "urlize", "wordwrap"}

func init() { // its functions look it up again
	filters = map[string]filter{
		"abs":        {fn: func(st *state, v python.Value, a []python.Value) python.Value { return absolute(v) }},
		"attr":       {ps: python.Params("name"), fn: attrFilter},
		"batch":      {ps: python.With(python.Params("linecount"), "fill_with", nil), fn: batch},
		"capitalize": {fn: textFilter(python.Capitalize)},
		"center": {ps: python.Optional("width", int64(80)), fn: func(st *state, v python.Value, a []python.Value) python.Value {
			return same(v, st.Pad(st.Str(v), " ", python.Whole("center", a[0]), func(pad, width int) int { return pad/2 + pad&width&1 }))
		}},
		"default":  {ps: python.Optional("default_value", "", "boolean", false), fn: defaultFilter},
		"dictsort": {ps: python.Optional("case_sensitive", false, "by", "key", "reverse", false), fn: dictSort},
		"escape": {fn: func(st *state, v python.Value, a []python.Value) python.Value {
			return python.Markup(st.Text(python.EscapeHTML(plainFirst(st, v))))
		}},
		"filesizeformat": {ps: python.Optional("binary", false), fn: fileSize},
		"first":          {fn: first},
		"float":          {ps: python.Optional("default", 0.0), fn: floatFilter},
		"forceescape": {fn: func(st *state, v python.Value, a []python.Value) python.Value {
			return python.Markup(st.Text(python.HTMLEscapes.Replace(st.Str(v))))
		}},
		"format":  {free: formatFilter},
		"groupby": {ps: append(python.Params("attribute"), python.Optional("default", nil, "case_sensitive", false)...), fn: groupBy},
		"indent":  {ps: python.Optional("width", int64(4), "first", false, "blank", false), fn: indent},
		"int":     {ps: python.Optional("default", int64(0), "base", int64(10)), fn: intFilter},
		"items":   {fn: items},
		"join":    {ps: python.Optional("d", "", "attribute", nil), fn: join},
		"last":    {fn: last},
		"length": {fn: func(st *state, v python.Value, a []python.Value) python.Value {
			if l, ok := v.(*loopContext); ok {
				return int64(l.len(st.Run))
			}
			n, ok := python.Length(v)
			if !ok {
				python.Fail("%s has no length", python.TypeName(v))
			}
			return int64(n)
		}},
		"list":       {fn: func(st *state, v python.Value, a []python.Value) python.Value { return &python.List{Items: st.List(v)} }},
		"lower":      {fn: textFilter(python.Lower)},
		"map":        {free: mapFilter},
		"max":        {ps: python.Optional("case_sensitive", false, "attribute", nil), fn: extreme(false)},
		"min":        {ps: python.Optional("case_sensitive", false, "attribute", nil), fn: extreme(true)},
		"pprint":     {fn: pprint},
		"reject":     {free: selecting("reject", false, false)},
		"rejectattr": {free: selecting("rejectattr", true, false)},
		"replace":    {ps: python.With(python.Params("old", "new"), "count", nil), fn: replaceFilter},
		"reverse":    {fn: reverse},
		"round":      {ps: python.Optional("precision", int64(0), "method", "common"), fn: round},
		"safe":       {fn: func(st *state, v python.Value, a []python.Value) python.Value { return python.Markup(st.Str(v)) }},
		"select":     {free: selecting("select", false, true)},
		"selectattr": {free: selecting("selectattr", true, true)},
		"slice":      {ps: python.With(python.Params("slices"), "fill_with", nil), fn: sliceFilter},
		"sort":       {ps: python.Optional("reverse", false, "case_sensitive", false, "attribute", nil), fn: sortFilter},
		"string": {fn: func(st *state, v python.Value, a []python.Value) python.Value {
			if m, ok := v.(python.Markup); ok {
				return m
			}
			return st.Str(v)
		}},
		"striptags": {fn: func(st *state, v python.Value, a []python.Value) python.Value {
			return st.Text(python.StripTags(st.Str(v)))
		}},
		"sum":       {ps: python.Optional("attribute", nil, "start", int64(0)), fn: sum},
		"title":     {fn: func(st *state, v python.Value, a []python.Value) python.Value { return st.Text(titleFilter(st.Str(v))) }},
		"tojson":    {ps: python.Optional("ensure_ascii", false, "indent", nil, "separators", nil, "sort_keys", false), fn: func(st *state, v python.Value, a []python.Value) python.Value { return python.DumpJSON(st.Run, v, a) }},
		"trim":      {ps: python.Optional("chars", nil), fn: trim},
		"truncate":  {ps: python.Optional("length", int64(255), "killwords", false, "end", "...", "leeway", nil), fn: truncateFilter},
		"unique":    {ps: python.Optional("case_sensitive", false, "attribute", nil), fn: unique},
		"upper":     {fn: textFilter(python.Upper)},
		"urlencode": {fn: urlEncode},
		"wordcount": {fn: func(st *state, v python.Value, a []python.Value) python.Value {
			return int64(len(strings.FieldsFunc(st.Str(v), func(r rune) bool { return !wordRune(r) })))
		}},
		"xmlattr": {ps: python.Optional("autospace", true), fn: xmlAttr},
	}
	filters["count"], filters["d"], filters["e"] = filters["length"], filters["default"], filters["escape"]
	for _, name := range refusedFilters {
		filters[name] = filter{free: func(*state, python.Value, []python.Value, python.Kwargs) python.Value {
			python.Refuse("the filter %s", python.Quoted(name))
			return nil
		}}
	}
}

// filter applies the filter of a name.
func (st *state) filter(name string, v python.Value, args []python.Value, kw python.Kwargs) python.Value {
	f, ok := filters[name]
	if !ok {
		python.Fail("unknown filter %s", python.Quoted(name))
	}
	st.Step()
	if f.free != nil {
		return f.free(st, v, args, kw)
	}
	return f.fn(st, v, python.Bind("the filter "+python.Quoted(name), f.ps, args, kw))
}

// plainFirst turns what is neither a text nor safe into a text.
func plainFirst(st *state, v python.Value) python.Value {
	if python.IsText(v) {
		return v
	}
	return st.Str(v)
}

// same marks a text as safe if v is.
func same(v python.Value, s string) python.Value {
	if _, safe := v.(python.Markup); safe {
		return python.Markup(s)
	}
	return s
}

func textFilter(fn func(string) string) func(*state, python.Value, []python.Value) python.Value {
	return func(st *state, v python.Value, a []python.Value) python.Value { return same(v, st.Text(fn(st.Str(v)))) }
}

// pprint is Python's repr with dicts by their keys, as long as that fits in
// the 80 characters of a line.
func pprint(st *state, v python.Value, a []python.Value) python.Value {
	s := st.Pretty(v)
	if utf8.RuneCountInString(s) > 80 {
		python.Refuse("pprint of more than 80 characters")
	}
	return s
}

func attrFilter(st *state, v python.Value, a []python.Value) python.Value {
	name := st.Str(a[0])
	if u, ok := v.(*python.Undefined); ok {
		python.Fail("%s", u.Hint)
	}
	if x, ok := st.Attribute(v, name); ok {
		return x
	}
	return &python.Undefined{Hint: python.TypeName(v) + " has no attribute " + python.Quoted(name)}
}

func defaultFilter(st *state, v python.Value, a []python.Value) python.Value {
	_, undefined := v.(*python.Undefined)
	if undefined || python.Truth(a[1]) && !python.Truth(v) {
		return a[0]
	}
	return v
}

// join writes items with a text between them.
func join(st *state, v python.Value, a []python.Value) python.Value {
	var parts []string
	get := st.getter(a[1], nil, false)
	next := st.Iter(v)
	for x, ok := next(); ok; x, ok = next() {
		if a[1] != nil {
			x = get(x)
		}
		s := st.Str(x)
		st.Alloc(16)
		parts = append(parts, s)
	}
	return st.Join(st.Str(a[0]), parts)
}

func replaceFilter(st *state, v python.Value, a []python.Value) python.Value {
	n := -1
	if a[2] != nil {
		n = python.Whole("the filter \"replace\"", a[2])
	}
	return st.Replace(st.Str(v), st.Str(a[0]), st.Str(a[1]), n)
}

func indent(st *state, v python.Value, a []python.Value) python.Value {
	s := python.WantText("the filter \"indent\"", v)
	pad, ok := python.Text(a[0])
	if !ok {
		n := max(python.Whole("the filter \"indent\"", a[0]), 0)
		st.Room(n, 1)
		pad = st.Text(strings.Repeat(" ", n))
	}
	lines := python.SplitLines(s+"\n", false)
	st.Room(len(pad)+1, len(lines))
	var b strings.Builder
	for i, line := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		if i > 0 && (line != "" || python.Truth(a[2])) || i == 0 && python.Truth(a[1]) {
			b.WriteString(pad)
		}
		b.WriteString(line)
	}
	return same(v, st.Text(b.String()))
}

func trim(st *state, v python.Value, a []python.Value) python.Value {
	s := st.Str(v)
	if a[0] == nil {
		return same(v, python.TrimSpace(s))
	}
	set := python.WantText("the filter \"trim\"", a[0])
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
		b.WriteString(python.Upper(w[:n]) + python.Lower(w[n:]))
	}
	from := 0
	for i, r := range s {
		between := python.IsSpace(r) || strings.ContainsRune("-({[<", r)
		if between != start {
			word(s[from:i])
			from, start = i, between
		}
	}
	word(s[from:])
	return b.String()
}

func truncateFilter(st *state, v python.Value, a []python.Value) python.Value {
	n, end := python.Whole("the filter \"truncate\"", a[0]), python.WantText("the filter \"truncate\"", a[2])
	leeway := 5
	if a[3] != nil {
		leeway = python.Whole("the filter \"truncate\"", a[3])
	}
	room := n - utf8.RuneCountInString(end)
	if room < 0 || leeway < 0 {
		python.Fail("the filter \"truncate\" wants a length of at least its end's, and a leeway of at least 0")
	}
	size, ok := python.Length(v)
	if !ok {
		python.Fail("%s has no length", python.TypeName(v))
	}
	if size-leeway <= n {
		return v
	}
	s := python.WantText("the filter \"truncate\"", v)
	cut := python.CutRunes(s, 0, room)
	if !python.Truth(a[1]) {
		if i := strings.LastIndexByte(cut, ' '); i >= 0 {
			cut = cut[:i]
		}
	}
	return st.Text(cut + end)
}

func urlEncode(st *state, v python.Value, a []python.Value) python.Value {
	_, iterable := st.Iterable(v)
	if python.IsText(v) || !iterable {
		return st.Text(python.QuoteURL(st.Str(v), "/"))
	}
	if d, ok := v.(*python.Dict); ok {
		v = python.View{Kind: "items", D: d}
	}
	query := func(v python.Value) string { return strings.ReplaceAll(python.QuoteURL(st.Str(v), ""), "%20", "+") }
	var parts []string
	for _, pair := range st.List(v) {
		kv := st.List(pair)
		if len(kv) != 2 {
			python.Fail("the filter \"urlencode\" wants pairs")
		}
		parts = append(parts, query(kv[0])+"="+query(kv[1]))
	}
	return st.Join("&", parts)
}

func xmlAttr(st *state, v python.Value, a []python.Value) python.Value {
	d, ok := v.(*python.Dict)
	if !ok {
		python.Fail("the filter \"xmlattr\" wants a dict, has %s", python.TypeName(v))
	}
	var parts []string
	for i, k := range d.Keys() {
		x := d.Values()[i]
		if _, undefined := x.(*python.Undefined); x == nil || undefined {
			continue
		}
		if strings.ContainsFunc(st.Str(k), func(r rune) bool { return python.IsSpace(r) || strings.ContainsRune("/>=", r) }) {
			python.Fail("the filter \"xmlattr\" has a key with a character that is not allowed")
		}
		parts = append(parts, python.EscapeHTML(plainFirst(st, k))+`="`+python.EscapeHTML(plainFirst(st, x))+`"`)
	}
	s := st.Join(" ", parts)
	if s != "" && python.Truth(a[0]) {
		s = " " + s
	}
	return s
}

func formatFilter(st *state, v python.Value, args []python.Value, kw python.Kwargs) python.Value {
	if len(args) > 0 && len(kw.Names) > 0 {
		python.Fail("the filter \"format\" wants arguments by place or by name, not both")
	}
	if !python.IsText(v) {
		v = st.Str(v)
	}
	if len(kw.Names) > 0 {
		return st.Percent(v, kw.Dict())
	}
	return st.Percent(v, &python.Tuple{Items: args})
}
