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
