package jinja

// testFunc is a test. What it is asked about is v.
type testFunc struct {
	ps []param
	fn func(st *state, v Value, a []Value) bool
}

var tests map[string]testFunc

func init() {
	kind := func(is func(v Value) bool) testFunc {
		return testFunc{fn: func(st *state, v Value, a []Value) bool { return is(v) }}
	}
	op := func(op string) testFunc {
		return testFunc{ps: pos(1, 0), fn: func(st *state, v Value, a []Value) bool { return st.compare(op, v, a[0]) }}
	}
	remainder := func(want int64) testFunc {
		return testFunc{fn: func(st *state, v Value, a []Value) bool { return st.equal(st.binary("%", v, int64(2)), want) }}
	}
	tests = map[string]testFunc{
		"odd":  remainder(1),
		"even": remainder(0),
		"divisibleby": {ps: params("num"), fn: func(st *state, v Value, a []Value) bool {
			return st.equal(st.binary("%", v, a[0]), int64(0))
		}},
		"defined":   kind(func(v Value) bool { _, is := v.(*Undefined); return !is }),
		"undefined": kind(func(v Value) bool { _, is := v.(*Undefined); return is }),
		"filter":    named(func(name string) bool { _, ok := filters[name]; return ok }),
		"test":      named(func(name string) bool { _, ok := tests[name]; return ok }),
		"none":      kind(func(v Value) bool { return v == nil }),
		"boolean":   kind(func(v Value) bool { _, ok := v.(bool); return ok }),
		"true":      kind(func(v Value) bool { return v == true }),
		"false":     kind(func(v Value) bool { return v == false }),
		"integer": kind(func(v Value) bool {
			_, isBool := v.(bool)
			_, ok := integer(v)
			return ok && !isBool
		}),
		"float":  kind(func(v Value) bool { _, ok := v.(float64); return ok }),
		"number": kind(func(v Value) bool { _, ok := numeric(v); return ok }),
		"lower": {fn: func(st *state, v Value, a []Value) bool {
			return oneCase(st.str(v), isLower, isUpper)
		}},
		"upper": {fn: func(st *state, v Value, a []Value) bool {
			return oneCase(st.str(v), isUpper, isLower)
		}},
		"string":  kind(isText),
		"mapping": kind(func(v Value) bool { _, ok := v.(*Dict); return ok }),
		"sequence": kind(func(v Value) bool {
			switch v.(type) {
			case view, *loopContext:
				return false
			}
			_, ok := length(v)
			return ok
		}),
		"iterable": {fn: func(st *state, v Value, a []Value) bool {
			_, ok := st.iterable(v)
			return ok
		}},
		"callable": kind(func(v Value) bool {
			switch v.(type) {
			case callable, *Undefined:
				return true
			}
			return false
		}),
		"sameas":  {ps: params("other"), fn: func(st *state, v Value, a []Value) bool { return sameAs(v, a[0]) }},
		"escaped": kind(func(v Value) bool { _, ok := v.(Markup); return ok }),
		"in":      {ps: params("seq"), fn: func(st *state, v Value, a []Value) bool { return st.contains(a[0], v) }},
	}
	for o, names := range map[string][]string{
		"==": {"==", "eq", "equalto"}, "!=": {"!=", "ne"}, ">": {">", "gt", "greaterthan"}, ">=": {">=", "ge"},
		"<": {"<", "lt", "lessthan"}, "<=": {"<=", "le"},
	} {
		for _, name := range names {
			tests[name] = op(o)
		}
	}
}

// named asks whether a name is one of some.
func named(known func(name string) bool) testFunc {
	return testFunc{fn: func(st *state, v Value, a []Value) bool {
		hashed(v)
		name, ok := text(v)
		return ok && known(name)
	}}
}

// sameAs is Python's "is", as far as it can be known: equal numbers and texts
// of one type are the same, and lists and dicts only if they are one.
func sameAs(a, b Value) bool {
	switch a.(type) {
	case nil, bool, int64, float64, string, *List, *Dict, *Tuple, *namespace, *macro, *Undefined:
		return a == b
	}
	refuse("sameas of a %s", typeName(a))
	return false
}

// test asks the test of a name.
func (st *state) test(name string, v Value, args []Value, kw kwargs) Value {
	t, ok := tests[name]
	if !ok {
		fail("unknown test %s", quoted(name))
	}
	st.step()
	return t.fn(st, v, bind("the test "+quoted(name), t.ps, args, kw))
}
