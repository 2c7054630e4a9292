package chat

import (
	"errors"
	"fmt"
	"strings"

	"github.com/nikolalohinski/gonja/v2/builtins"
	"github.com/nikolalohinski/gonja/v2/exec"
)

// environment is what a template can call: the parts of the engine's library
// that cannot ask for memory out of proportion, and those that Hugging Face
// adds.
func (st *state) environment() *exec.Environment {
	return &exec.Environment{
		Context:           exec.NewContext(st.globals()),
		Filters:           st.filters(),
		Tests:             builtins.Tests,
		ControlStructures: st.structures(),
		Methods: exec.Methods{
			Bool:  exec.NewMethodSet(map[string]exec.Method[bool]{}),
			Int:   exec.NewMethodSet(map[string]exec.Method[int]{}),
			Float: exec.NewMethodSet(map[string]exec.Method[float64]{}),
			Str:   st.stringMethods(),
			Dict:  st.dictMethods(),
			List:  exec.NewMethodSet(methods(st, builtins.Methods.List, "append", "reverse", "copy")),
		},
	}
}

// globals are the functions without an owner.
func (st *state) globals() map[string]any {
	namespace, _ := builtins.GlobalFunctions.Get("namespace")
	dict, _ := builtins.GlobalFunctions.Get("dict")
	return map[string]any{
		"namespace": namespace,
		"dict":      dict,
		"range":     st.rangeOf,
		"raise_exception": func(params *exec.VarArgs) (any, error) {
			st.raised = &Error{"no reason given"}
			if len(params.Args) > 0 {
				st.raised.Message = oneLine(params.Args[0].String())
			}
			return nil, st.raised
		},
		"strftime_now": func(params *exec.VarArgs) (string, error) {
			if len(params.Args) != 1 {
				return "", errors.New("strftime_now wants one format")
			}
			return strftime(st.now, params.Args[0].String()), nil
		},
	}
}

// rangeOf is Python's range, as a list of bounded length.
func (st *state) rangeOf(params *exec.VarArgs) (any, error) {
	bounds := []int{0, 0, 1}
	if len(params.Args) == 0 || len(params.Args) > 3 {
		return nil, errors.New("range wants one to three numbers")
	}
	for i, a := range params.Args {
		if !a.IsInteger() {
			return nil, errors.New("range wants whole numbers")
		}
		bounds[i] = a.Integer()
	}
	if len(params.Args) == 1 {
		bounds[0], bounds[1] = 0, bounds[0]
	}
	start, end, by := bounds[0], bounds[1], bounds[2]
	if by == 0 {
		return nil, errors.New("range wants a step that is not 0")
	}
	out := []any{}
	for i := start; by > 0 && i < end || by < 0 && i > end; i += by {
		if len(out) == maxRange {
			return nil, st.stop(fmt.Errorf("range has more than %d numbers", maxRange))
		}
		out = append(out, i)
	}
	return out, nil
}

// filters are the engine's, their results bounded. Those that pad or repeat
// by a number are left out, and those that insert one text into another many
// times are replaced.
func (st *state) filters() *exec.FilterSet {
	set := map[string]exec.FilterFunction{
		"tojson":  st.filterToJSON,
		"join":    st.filterJoin,
		"replace": st.filterReplace,
		"indent":  st.filterIndent,

		methodFilter: filterMethod,
	}
	for _, name := range []string{
		"abs", "attr", "capitalize", "count", "d", "default", "dictsort", "e", "escape", "first", "float",
		"groupby", "int", "items", "last", "length", "list", "lower", "map", "max", "min", "reject", "rejectattr",
		"reverse", "round", "safe", "select", "selectattr", "sort", "string", "striptags", "sum", "title", "trim",
		"unique", "upper", "urlencode", "wordcount",
	} {
		f, ok := builtins.Filters.Get(name)
		if !ok {
			continue
		}
		set[name] = func(e *exec.Evaluator, in *exec.Value, params *exec.VarArgs) *exec.Value {
			if err := st.step(); err != nil {
				return exec.AsValue(err)
			}
			return st.admitted(f(e, in, params))
		}
	}
	return exec.NewFilterSet(set)
}

func (st *state) filterToJSON(_ *exec.Evaluator, in *exec.Value, params *exec.VarArgs) *exec.Value {
	if err := st.admit(in); err != nil {
		return exec.AsValue(err)
	}
	indent := -1
	if v, ok := params.KwArgs["indent"]; ok && v.IsInteger() {
		indent = v.Integer()
	} else if len(params.Args) > 0 && params.Args[0].IsInteger() {
		indent = params.Args[0].Integer()
	}
	if indent > 16 {
		return exec.AsValue(errors.New("tojson wants an indent of at most 16"))
	}
	text, err := toJSON(in, indent)
	if err != nil {
		return exec.AsValue(err)
	}
	return st.admitted(exec.AsSafeValue(text))
}

// argument returns an argument given by place or by name.
func argument(params *exec.VarArgs, at int, name string) (*exec.Value, bool) {
	if at < len(params.Args) {
		return params.Args[at], true
	}
	v, ok := params.KwArgs[name]
	return v, ok
}

func (st *state) filterJoin(_ *exec.Evaluator, in *exec.Value, params *exec.VarArgs) *exec.Value {
	sep := ""
	if v, ok := argument(params, 0, "d"); ok {
		sep = v.String()
	}
	attr, byAttr := argument(params, 1, "attribute")
	return st.join(sep, in, func(v *exec.Value) string {
		if byAttr {
			v, _ = v.GetItem(attr.String())
		}
		return v.String()
	})
}

// join writes the items of a sequence with sep between them.
func (st *state) join(sep string, items *exec.Value, text func(*exec.Value) string) *exec.Value {
	var b strings.Builder
	var err error
	items.Iterate(func(i, _ int, item, _ *exec.Value) bool {
		if i > 0 {
			b.WriteString(sep)
		}
		b.WriteString(text(item))
		err = st.fits(b.Len())
		return err == nil
	}, func() {})
	if err != nil {
		return exec.AsValue(err)
	}
	return exec.AsValue(b.String())
}

// fits refuses a text of n bytes if that is more than a value may have.
func (st *state) fits(n int) error {
	if n > st.maxValue {
		return st.stop(fmt.Errorf("a value is larger than %d", st.maxValue))
	}
	return st.step()
}

func (st *state) filterReplace(_ *exec.Evaluator, in *exec.Value, params *exec.VarArgs) *exec.Value {
	old, ok1 := argument(params, 0, "old")
	with, ok2 := argument(params, 1, "new")
	if !ok1 || !ok2 {
		return exec.AsValue(errors.New("replace wants two texts"))
	}
	count := -1
	if n, ok := argument(params, 2, "count"); ok && n.IsInteger() {
		count = n.Integer()
	}
	return st.replace(in.String(), old.String(), with.String(), count)
}

// replace is strings.Replace with the size of the result known beforehand.
func (st *state) replace(s, old, with string, count int) *exec.Value {
	n := strings.Count(s, old)
	if count >= 0 {
		n = min(n, count)
	}
	if err := st.fits(len(s) + n*len(with)); err != nil {
		return exec.AsValue(err)
	}
	return exec.AsValue(strings.Replace(s, old, with, count))
}

func (st *state) filterIndent(_ *exec.Evaluator, in *exec.Value, params *exec.VarArgs) *exec.Value {
	width := 4
	if v, ok := argument(params, 0, "width"); ok && v.IsInteger() {
		width = v.Integer()
	}
	if width < 0 || width > 64 {
		return exec.AsValue(errors.New("indent wants a width of 0 to 64"))
	}
	pad := strings.Repeat(" ", width)
	first, _ := argument(params, 1, "first")
	blank, _ := argument(params, 2, "blank")
	lines := strings.Split(in.String(), "\n")
	if err := st.fits(len(in.String()) + len(lines)*width); err != nil {
		return exec.AsValue(err)
	}
	for i, line := range lines {
		if (i > 0 || first != nil && first.IsTrue()) && (line != "" || blank != nil && blank.IsTrue()) {
			lines[i] = pad + line
		}
	}
	return exec.AsValue(strings.Join(lines, "\n"))
}

// filterMethod calls the method that its first argument names.
func filterMethod(e *exec.Evaluator, in *exec.Value, params *exec.VarArgs) *exec.Value {
	if len(params.Args) == 0 {
		return exec.AsValue(errors.New("a method without a name"))
	}
	name := params.Args[0].String()
	args := &exec.VarArgs{Args: params.Args[1:], KwArgs: params.KwArgs}
	call := func(result any, err error) *exec.Value {
		if err != nil {
			return exec.AsValue(err)
		}
		return exec.AsValue(result)
	}
	all := e.Environment.Methods
	switch {
	case in.IsString():
		if m, ok := all.Str.Get(name); ok {
			return call(m(in.String(), in, args))
		}
	case in.IsDict():
		if m, ok := all.Dict.Get(name); ok {
			if self, ok := in.ToGoSimpleType(false).(map[string]any); ok {
				return call(m(self, in, args))
			}
		}
	case in.IsList():
		if m, ok := all.List.Get(name); ok {
			if self, ok := in.ToGoSimpleType(false).([]any); ok {
				return call(m(self, in, args))
			}
		}
	}
	return exec.AsValue(fmt.Errorf("a value has no method %.40q", name))
}

// methods are some of the engine's methods, what they are given and give
// bounded.
func methods[T any](st *state, from *exec.MethodSet[T], names ...string) map[string]exec.Method[T] {
	set := map[string]exec.Method[T]{}
	for _, name := range names {
		m, ok := from.Get(name)
		if !ok {
			continue
		}
		set[name] = func(self T, selfValue *exec.Value, args *exec.VarArgs) (any, error) {
			for _, a := range args.Args {
				if err := st.admit(a); err != nil {
					return nil, err
				}
			}
			out, err := m(self, selfValue, args)
			if err != nil {
				return nil, err
			}
			if err := st.admit(selfValue); err != nil { // append may have changed it
				return nil, err
			}
			return out, st.admit(out)
		}
	}
	return set
}

// dictMethods keep the order of a dict's keys.
func (st *state) dictMethods() *exec.MethodSet[map[string]any] {
	set := methods(st, builtins.Methods.Dict, "get", "copy")
	list := func(of func(*exec.Pair) any) exec.Method[map[string]any] {
		return func(_ map[string]any, self *exec.Value, _ *exec.VarArgs) (any, error) {
			out := []any{}
			for _, p := range pairs(self) {
				out = append(out, of(p))
			}
			return out, st.admit(out)
		}
	}
	set["keys"] = list(func(p *exec.Pair) any { return p.Key })
	set["values"] = list(func(p *exec.Pair) any { return p.Value })
	set["items"] = list(func(p *exec.Pair) any { return []any{p.Key, p.Value} })
	return exec.NewMethodSet(set)
}

func (st *state) stringMethods() *exec.MethodSet[string] {
	set := methods(st, builtins.Methods.Str,
		"capitalize", "casefold", "count", "find", "isalnum", "isalpha", "isascii", "isdecimal",
		"isdigit", "islower", "isnumeric", "isspace", "istitle", "isupper", "lower", "lstrip", "partition",
		"removeprefix", "removesuffix", "rfind", "rpartition", "rsplit", "rstrip", "splitlines", "strip", "swapcase", "title", "upper")
	set["replace"] = func(self string, _ *exec.Value, args *exec.VarArgs) (any, error) {
		if len(args.Args) < 2 {
			return nil, errors.New("replace wants two texts")
		}
		count := -1
		if len(args.Args) > 2 {
			count = args.Args[2].Integer()
		}
		v := st.replace(self, args.Args[0].String(), args.Args[1].String(), count)
		if v.IsError() {
			return nil, v
		}
		return v.String(), nil
	}
	set["split"] = func(self string, _ *exec.Value, args *exec.VarArgs) (any, error) {
		parts := splitText(self, args)
		return parts, st.admit(parts)
	}
	set["startswith"] = affix("startswith", strings.HasPrefix)
	set["endswith"] = affix("endswith", strings.HasSuffix)
	set["join"] = func(self string, _ *exec.Value, args *exec.VarArgs) (any, error) {
		if len(args.Args) != 1 {
			return nil, errors.New("join wants one list")
		}
		v := st.join(self, args.Args[0], (*exec.Value).String)
		if v.IsError() {
			return nil, v
		}
		return v.String(), nil
	}
	return exec.NewMethodSet(set)
}

// splitText is Python's split: at a separator, or at white space without one,
// as often as maxsplit allows.
func splitText(s string, args *exec.VarArgs) []any {
	most := -1
	if n, ok := argument(args, 1, "maxsplit"); ok && n.IsInteger() {
		most = n.Integer()
	}
	var parts []string
	if sep, ok := argument(args, 0, "sep"); ok && !sep.IsNil() && sep.String() != "" {
		if most >= 0 {
			most++ // Go counts parts, Python cuts
		}
		parts = strings.SplitN(s, sep.String(), most)
	} else {
		for rest := strings.TrimLeft(s, white); rest != ""; rest = strings.TrimLeft(rest, white) {
			end := strings.IndexAny(rest, white)
			if end < 0 || most >= 0 && len(parts) == most {
				end = len(rest)
			}
			parts = append(parts, rest[:end])
			rest = rest[end:]
		}
	}
	out := make([]any, len(parts))
	for i, p := range parts {
		out[i] = p
	}
	return out
}

// affix is startswith or endswith, of one text or any of several.
func affix(name string, has func(s, affix string) bool) exec.Method[string] {
	return func(self string, _ *exec.Value, args *exec.VarArgs) (any, error) {
		if len(args.Args) != 1 {
			return nil, fmt.Errorf("%s wants one text or several in brackets", name)
		}
		a := args.Args[0]
		if a.IsString() {
			return has(self, a.String()), nil
		}
		for i := range a.Len() {
			if has(self, a.Index(i).String()) {
				return true, nil
			}
		}
		return false, nil
	}
}
