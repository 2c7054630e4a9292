package jinja

import (
	"math/big"

	"logitscope/models/chat/jinja/python"
)

// testFunc is a test. What it is asked about is v.
type testFunc struct {
	ps []python.Param
	fn func(st *state, v python.Value, a []python.Value) bool
}

var tests map[string]testFunc

func init() { // its functions look it up again
	kind := func(is func(v python.Value) bool) testFunc {
		return testFunc{fn: func(st *state, v python.Value, a []python.Value) bool { return is(v) }}
	}
	op := func(op string) testFunc {
		return testFunc{ps: python.Pos(1, 0), fn: func(st *state, v python.Value, a []python.Value) bool { return st.Compare(op, v, a[0]) }}
	}
	remainder := func(want int64) testFunc {
		return testFunc{fn: func(st *state, v python.Value, a []python.Value) bool {
			return st.Equal(st.Binary("%", v, int64(2)), want)
		}}
	}
	tests = map[string]testFunc{
		"odd":  remainder(1),
		"even": remainder(0),
		"divisibleby": {ps: python.Params("num"), fn: func(st *state, v python.Value, a []python.Value) bool {
			return st.Equal(st.Binary("%", v, a[0]), int64(0))
		}},
		"defined":   kind(func(v python.Value) bool { _, is := v.(*python.Undefined); return !is }),
		"undefined": kind(func(v python.Value) bool { _, is := v.(*python.Undefined); return is }),
		"filter":    named(func(name string) bool { _, ok := filters[name]; return ok }),
		"test":      named(func(name string) bool { _, ok := tests[name]; return ok }),
		"none":      kind(func(v python.Value) bool { return v == nil }),
		"boolean":   kind(func(v python.Value) bool { _, ok := v.(bool); return ok }),
		"true":      kind(func(v python.Value) bool { return v == true }),
		"false":     kind(func(v python.Value) bool { return v == false }),
		"integer": kind(func(v python.Value) bool {
			_, isBool := v.(bool)
			_, ok := python.Integer(v)
			return ok && !isBool
		}),
		"float":  kind(func(v python.Value) bool { _, ok := v.(float64); return ok }),
		"number": kind(func(v python.Value) bool { _, ok := python.Numeric(v); return ok }),
		"lower": {fn: func(st *state, v python.Value, a []python.Value) bool {
			return python.OneCase(st.Str(v), python.IsLower, python.IsUpper)
		}},
		"upper": {fn: func(st *state, v python.Value, a []python.Value) bool {
			return python.OneCase(st.Str(v), python.IsUpper, python.IsLower)
		}},
		"string":  kind(python.IsText),
		"mapping": kind(func(v python.Value) bool { _, ok := v.(*python.Dict); return ok }),
		"sequence": kind(func(v python.Value) bool {
			switch v.(type) {
			case python.View, *loopContext:
				return false
			}
			_, ok := python.Length(v)
			return ok
		}),
		"iterable": {fn: func(st *state, v python.Value, a []python.Value) bool {
			_, ok := st.Iterable(v)
			return ok
		}},
		"callable": kind(func(v python.Value) bool {
			switch v.(type) {
			case python.Callable, *python.Undefined:
				return true
			}
			return false
		}),
		"sameas":  {ps: python.Params("other"), fn: func(st *state, v python.Value, a []python.Value) bool { return sameAs(v, a[0]) }},
		"escaped": kind(func(v python.Value) bool { _, ok := v.(python.Markup); return ok }),
		"in":      {ps: python.Params("seq"), fn: func(st *state, v python.Value, a []python.Value) bool { return st.Contains(a[0], v) }},
	}
	for _, names := range [][]string{ // the operator, and its other names
		{"==", "eq", "equalto"}, {"!=", "ne"}, {">", "gt", "greaterthan"}, {">=", "ge"}, {"<", "lt", "lessthan"}, {"<=", "le"},
	} {
		for _, name := range names {
			tests[name] = op(names[0])
		}
	}
}

// named asks whether a name is one of some.
func named(known func(name string) bool) testFunc {
	return testFunc{fn: func(st *state, v python.Value, a []python.Value) bool {
		python.Hashed(v)
		name, ok := python.Text(v)
		return ok && known(name)
	}}
}

// sameAs is Python's "is", as far as it can be known: equal numbers and texts
// of one type are the same, lists and dicts only if they are one, and values
// of two types never.
func sameAs(a, b python.Value) bool {
	if python.TypeName(a) != python.TypeName(b) {
		return false
	}
	switch a.(type) {
	case nil, bool, int64, *big.Int, float64, string, *python.List, *python.Dict, *python.Tuple, *python.Namespace, *macro, *python.Undefined:
		return a == b
	}
	python.Refuse("sameas of a %s", python.TypeName(a))
	return false
}

// test asks the test of a name.
func (st *state) test(name string, v python.Value, args []python.Value, kw python.Kwargs) python.Value {
	t, ok := tests[name]
	if !ok {
		python.Fail("unknown test %s", python.Quoted(name))
	}
	st.Step()
	return t.fn(st, v, python.Bind("the test "+python.Quoted(name), t.ps, args, kw))
}
