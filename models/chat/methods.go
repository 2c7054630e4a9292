package chat

import (
	"errors"
	"fmt"
	"strings"

	"github.com/nikolalohinski/gonja/v2/builtins"
	"github.com/nikolalohinski/gonja/v2/exec"
)

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
