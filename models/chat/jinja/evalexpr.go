package jinja

func (x *constExpr) eval(st *state, f *frame) Value {
	if _, ok := x.v.(captured); ok {
		return f.vars[len(f.vars)-1]
	}
	return x.v
}

func (x *nameExpr) eval(st *state, f *frame) Value {
	st.step()
	v := *f.at(x.binding)
	if v == missing {
		return &Undefined{hint: quoted(x.name) + " is undefined"}
	}
	return v
}

func (x *nsTarget) eval(st *state, f *frame) Value { return nil }

// values evaluates a list of expressions.
func values(st *state, f *frame, list []expr) []Value {
	st.alloc(16 * len(list))
	out := make([]Value, len(list))
	for i, x := range list {
		out[i] = x.eval(st, f)
	}
	return out
}

func (x *tupleExpr) eval(st *state, f *frame) Value { return &Tuple{values(st, f, x.items)} }

func (x *listExpr) eval(st *state, f *frame) Value { return &List{values(st, f, x.items)} }

func (x *dictExpr) eval(st *state, f *frame) Value {
	st.alloc(64 * len(x.keys))
	d := NewDict()
	for i := range x.keys {
		k := x.keys[i].eval(st, f)
		st.line = x.line
		d.set(k, x.values[i].eval(st, f))
	}
	return d
}

func (x *attrExpr) eval(st *state, f *frame) Value {
	st.step()
	v := x.x.eval(st, f)
	st.line = x.line
	return st.getattr(v, x.name)
}

func (x *itemExpr) eval(st *state, f *frame) Value {
	st.step()
	v := x.x.eval(st, f)
	arg := x.arg.eval(st, f)
	st.line = x.line
	return st.getitem(v, arg)
}

func (x *sliceExpr) eval(st *state, f *frame) Value {
	v := x.x.eval(st, f)
	bounds := [3]Value{}
	for i, b := range []expr{x.from, x.to, x.stride} {
		if b != nil {
			bounds[i] = b.eval(st, f)
		}
	}
	st.line = x.line
	return st.slice(v, bounds)
}

// arguments evaluates what is called and what it is given.
func (x *callExpr) arguments(st *state, f *frame) (fn Value, args []Value, kw kwargs) {
	if x.fn != nil {
		fn = x.fn.eval(st, f)
	}
	if len(x.args) > 0 {
		args = values(st, f, x.args)
	}
	for i, name := range x.names {
		kw.set(name, x.values[i].eval(st, f))
	}
	if x.dynArgs != nil {
		args = append(args, st.list(x.dynArgs.eval(st, f))...)
	}
	if x.dynKwds != nil {
		d, ok := x.dynKwds.eval(st, f).(*Dict)
		if !ok {
			fail("** wants a dict")
		}
		for i, k := range d.Keys() {
			name, ok := k.(string)
			if !ok {
				fail("the keys after ** must be str")
			}
			for _, n := range kw.names {
				if n == name {
					fail("the argument %s is given twice", quoted(name))
				}
			}
			kw.set(name, d.Values()[i])
		}
	}
	st.line = x.line
	return fn, args, kw
}

func (x *callExpr) eval(st *state, f *frame) Value {
	st.step()
	fn, args, kw := x.arguments(st, f)
	return st.apply(fn, args, kw)
}

func (x *filterExpr) eval(st *state, f *frame) Value {
	st.step()
	v := x.x.eval(st, f)
	_, args, kw := x.arguments(st, f)
	return st.filter(x.name, v, args, kw)
}

func (x *testExpr) eval(st *state, f *frame) Value {
	st.step()
	v := x.x.eval(st, f)
	_, args, kw := x.arguments(st, f)
	return st.test(x.name, v, args, kw)
}

func (x *notExpr) eval(st *state, f *frame) Value { return !truth(x.x.eval(st, f)) }

func (x *signExpr) eval(st *state, f *frame) Value {
	v := x.x.eval(st, f)
	st.line = x.line
	return signed(v, x.minus)
}

func (x *binExpr) eval(st *state, f *frame) Value {
	st.step()
	a := x.a.eval(st, f)
	b := x.b.eval(st, f)
	st.line = x.line
	return st.binary(x.op, a, b)
}

func (x *andExpr) eval(st *state, f *frame) Value {
	if v := x.a.eval(st, f); !truth(v) {
		return v
	}
	return x.b.eval(st, f)
}

func (x *orExpr) eval(st *state, f *frame) Value {
	if v := x.a.eval(st, f); truth(v) {
		return v
	}
	return x.b.eval(st, f)
}

func (x *concatExpr) eval(st *state, f *frame) Value {
	parts := make([]string, len(x.items))
	n := 0
	for i, item := range x.items {
		parts[i] = st.str(item.eval(st, f))
		n += len(parts[i])
	}
	st.line = x.line
	return st.join("", parts)
}

func (x *compareExpr) eval(st *state, f *frame) Value {
	st.step()
	a := x.x.eval(st, f)
	for i, op := range x.ops {
		b := x.args[i].eval(st, f)
		st.line = x.line
		if !st.compare(op, a, b) {
			return false
		}
		a = b
	}
	return true
}

func (x *condExpr) eval(st *state, f *frame) Value {
	if truth(x.test.eval(st, f)) {
		return x.yes.eval(st, f)
	}
	if x.no == nil {
		return &Undefined{hint: "the condition is false and has no else"}
	}
	return x.no.eval(st, f)
}
