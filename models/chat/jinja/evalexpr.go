package jinja

import (
	"logitscope/models/chat/jinja/python"
)

func (x *constExpr) eval(st *state, f *frame) python.Value {
	if _, ok := x.v.(captured); ok {
		return f.vars[len(f.vars)-1]
	}
	return x.v
}

func (x *nameExpr) eval(st *state, f *frame) python.Value {
	st.Step()
	v := *f.at(x.binding)
	if v == missing {
		return &python.Undefined{Hint: python.Quoted(x.name) + " is undefined"}
	}
	return v
}

func (x *nsTarget) eval(st *state, f *frame) python.Value { return nil }

// values evaluates a list of expressions.
func values(st *state, f *frame, list []expr) []python.Value {
	st.Alloc(16 * len(list))
	out := make([]python.Value, len(list))
	for i, x := range list {
		out[i] = x.eval(st, f)
	}
	return out
}

func (x *tupleExpr) eval(st *state, f *frame) python.Value {
	return &python.Tuple{Items: values(st, f, x.items)}
}

func (x *listExpr) eval(st *state, f *frame) python.Value {
	return &python.List{Items: values(st, f, x.items)}
}

func (x *dictExpr) eval(st *state, f *frame) python.Value {
	st.Alloc(64 * len(x.keys))
	d := python.NewDict()
	for i := range x.keys {
		k := x.keys[i].eval(st, f)
		st.Line = x.line
		d.Put(k, x.values[i].eval(st, f))
	}
	return d
}

func (x *attrExpr) eval(st *state, f *frame) python.Value {
	st.Step()
	v := x.x.eval(st, f)
	st.Line = x.line
	return st.Getattr(v, x.name)
}

func (x *itemExpr) eval(st *state, f *frame) python.Value {
	st.Step()
	v := x.x.eval(st, f)
	arg := x.arg.eval(st, f)
	st.Line = x.line
	return st.Getitem(v, arg)
}

func (x *sliceExpr) eval(st *state, f *frame) python.Value {
	v := x.x.eval(st, f)
	bounds := [3]python.Value{}
	for i, b := range []expr{x.from, x.to, x.stride} {
		if b != nil {
			bounds[i] = b.eval(st, f)
		}
	}
	st.Line = x.line
	return st.Slice(v, bounds)
}

// arguments evaluates what is called and what it is given.
func (x *callExpr) arguments(st *state, f *frame) (fn python.Value, args []python.Value, kw python.Kwargs) {
	if x.fn != nil {
		fn = x.fn.eval(st, f)
	}
	if len(x.args) > 0 {
		args = values(st, f, x.args)
	}
	for i, name := range x.names {
		kw.Set(name, x.values[i].eval(st, f))
	}
	if x.dynArgs != nil {
		args = append(args, st.List(x.dynArgs.eval(st, f))...)
	}
	if x.dynKwds != nil {
		d, ok := x.dynKwds.eval(st, f).(*python.Dict)
		if !ok {
			python.Fail("** wants a dict")
		}
		for i, k := range d.Keys() {
			name, ok := k.(string)
			if !ok {
				python.Fail("the keys after ** must be str")
			}
			for _, n := range kw.Names {
				if n == name {
					python.Fail("the argument %s is given twice", python.Quoted(name))
				}
			}
			kw.Set(name, d.Values()[i])
		}
	}
	st.Line = x.line
	return fn, args, kw
}

func (x *callExpr) eval(st *state, f *frame) python.Value {
	st.Step()
	fn, args, kw := x.arguments(st, f)
	return st.Apply(fn, args, kw)
}

func (x *filterExpr) eval(st *state, f *frame) python.Value {
	st.Step()
	v := x.x.eval(st, f)
	_, args, kw := x.arguments(st, f)
	return st.filter(x.name, v, args, kw)
}

func (x *testExpr) eval(st *state, f *frame) python.Value {
	st.Step()
	v := x.x.eval(st, f)
	_, args, kw := x.arguments(st, f)
	return st.test(x.name, v, args, kw)
}

func (x *notExpr) eval(st *state, f *frame) python.Value { return !python.Truth(x.x.eval(st, f)) }

func (x *signExpr) eval(st *state, f *frame) python.Value {
	v := x.x.eval(st, f)
	st.Line = x.line
	return python.Signed(v, x.minus)
}

func (x *binExpr) eval(st *state, f *frame) python.Value {
	st.Step()
	a := x.a.eval(st, f)
	b := x.b.eval(st, f)
	st.Line = x.line
	return st.Binary(x.op, a, b)
}

func (x *andExpr) eval(st *state, f *frame) python.Value {
	if v := x.a.eval(st, f); !python.Truth(v) {
		return v
	}
	return x.b.eval(st, f)
}

func (x *orExpr) eval(st *state, f *frame) python.Value {
	if v := x.a.eval(st, f); python.Truth(v) {
		return v
	}
	return x.b.eval(st, f)
}

func (x *concatExpr) eval(st *state, f *frame) python.Value {
	parts := make([]string, len(x.items))
	n := 0
	for i, item := range x.items {
		parts[i] = st.Str(item.eval(st, f))
		n += len(parts[i])
	}
	st.Line = x.line
	return st.Join("", parts)
}

func (x *compareExpr) eval(st *state, f *frame) python.Value {
	st.Step()
	a := x.x.eval(st, f)
	for i, op := range x.ops {
		b := x.args[i].eval(st, f)
		st.Line = x.line
		if !st.Compare(op, a, b) {
			return false
		}
		a = b
	}
	return true
}

func (x *condExpr) eval(st *state, f *frame) python.Value {
	if python.Truth(x.test.eval(st, f)) {
		return x.yes.eval(st, f)
	}
	if x.no == nil {
		return &python.Undefined{Hint: "the condition is false and has no else"}
	}
	return x.no.eval(st, f)
}
