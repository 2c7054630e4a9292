package python

import (
	"math"
	"math/big"
	"math/bits"
	"slices"
	"strings"
)

// Getattr is v.name: an attribute, else an item.
func (st *Run) Getattr(v Value, name string) Value {
	if u, ok := v.(*Undefined); ok && !slices.Contains(special, name) {
		Fail("%s", u.Hint)
	}
	if x, ok := st.Attribute(v, name); ok {
		return x
	}
	if x, ok := st.item(v, name); ok {
		return x
	}
	return &Undefined{Hint: TypeName(v) + " has no attribute " + Quoted(name)}
}

// changing are the methods that the sandbox does not give out.
var changing = map[string][]string{
	"list": {"append", "clear", "pop", "reverse", "insert", "sort", "extend", "remove"},
	"dict": {"clear", "pop", "popitem", "setdefault", "update"},
}

// special are the names that every object of Python has.
var special = []string{
	"__class__", "__delattr__", "__dict__", "__dir__", "__doc__", "__eq__", "__format__", "__ge__", "__getattribute__",
	"__gt__", "__hash__", "__init__", "__init_subclass__", "__le__", "__lt__", "__module__", "__ne__", "__new__",
	"__reduce__", "__reduce_ex__", "__repr__", "__setattr__", "__sizeof__", "__str__", "__subclasshook__",
}

// Attribute is an attribute that Python's object has, or what stands for one
// that the sandbox does not give out.
func (st *Run) Attribute(v Value, name string) (Value, bool) {
	unsafe := func() (Value, bool) {
		return &Undefined{Hint: "the attribute " + Quoted(name) + " of a " + TypeName(v) + " is not safe", unsafe: true}, true
	}
	if ns, ok := v.(*Namespace); ok {
		x, ok := ns.Attrs.Get(name)
		if ok && strings.HasPrefix(name, "_") {
			return unsafe()
		}
		return x, ok
	}
	if slices.Contains(special, name) || slices.Contains(changing[TypeName(v)], name) {
		return unsafe()
	}
	method := MethodsOf(name)
	switch v := v.(type) {
	case string, Markup:
		if m, ok := textMethods[name]; ok {
			return m.bound(name, v), true
		}
		if slices.Contains([]string{"encode", "maketrans", "translate"}, name) {
			Refuse("the method %s of a str", Quoted(name))
		}
	case bool, int64, *big.Int:
		return st.intAttribute(v, name, method)
	case float64:
		switch name {
		case "is_integer":
			return method(nil, func([]Value) Value { return v == math.Trunc(v) && !math.IsInf(v, 0) })
		case "real":
			return v, true
		case "imag":
			return 0.0, true
		case "conjugate":
			return method(nil, func([]Value) Value { return v })
		case "hex", "fromhex", "as_integer_ratio":
			Refuse("the method %s of a float", Quoted(name))
		}
	case *Dict:
		return dictAttribute(v, name, method)
	case RangeValue:
		switch name {
		case "start":
			return v.Start, true
		case "stop":
			return v.Stop, true
		case "step":
			return v.Step, true
		}
	case Group:
		switch name {
		case "grouper":
			return v.Grouper, true
		case "list":
			return v.List, true
		}
	case Object:
		return v.Attr(st, name)
	}
	if _, isRange := v.(RangeValue); isRange || isSequence(v) {
		return st.sequenceAttribute(v, name, method)
	}
	return nil, false
}

func isSequence(v Value) bool { _, ok := sequence(v); return ok }

type methodMaker = func(ps []Param, fn func(a []Value) Value) (Value, bool)

// MethodsOf returns what makes a method of that name.
func MethodsOf(name string) methodMaker {
	return func(ps []Param, fn func(a []Value) Value) (Value, bool) {
		return &Function{Name: name, Fn: func(_ *Run, args []Value, kw Kwargs) Value {
			return fn(Bind(name, ps, args, kw))
		}}, true
	}
}

func (st *Run) intAttribute(v Value, name string, method methodMaker) (Value, bool) {
	i, _ := Integer(v)
	switch name {
	case "real", "numerator":
		return Normal(i), true
	case "imag":
		return int64(0), true
	case "denominator":
		return int64(1), true
	case "conjugate":
		return method(nil, func([]Value) Value { return Normal(i) })
	case "bit_length":
		return method(nil, func([]Value) Value { return int64(i.BitLen()) })
	case "bit_count":
		return method(nil, func([]Value) Value {
			n := 0
			for _, w := range i.Bits() {
				n += bits.OnesCount(uint(w))
			}
			return int64(n)
		})
	case "to_bytes", "from_bytes", "as_integer_ratio":
		Refuse("the method %s of an int", Quoted(name))
	}
	return nil, false
}

func dictAttribute(d *Dict, name string, method methodMaker) (Value, bool) {
	switch name {
	case "get":
		return method([]Param{{}, {opt: true}}, func(a []Value) Value {
			if v, ok := d.Get(a[0]); ok {
				return v
			}
			return a[1]
		})
	case "keys", "values", "items":
		return method(nil, func([]Value) Value { return View{name, d} })
	case "copy":
		return method(nil, func([]Value) Value { return d.Clone() })
	case "fromkeys":
		Refuse("the method \"fromkeys\" of a dict")
	}
	return nil, false
}

func (st *Run) sequenceAttribute(v Value, name string, method methodMaker) (Value, bool) {
	switch name {
	case "count":
		return method([]Param{{}}, func(a []Value) Value {
			n := 0
			for _, x := range st.List(v) {
				if st.Equal(x, a[0]) {
					n++
				}
			}
			return int64(n)
		})
	case "index":
		return method([]Param{{}, {opt: true}, {opt: true}}, func(a []Value) Value {
			items := st.List(v)
			from, _, count, _ := bounds([3]Value{a[1], a[2], nil}, len(items))
			for i, x := range items[from : from+count] {
				if st.Equal(x, a[0]) {
					return int64(from + i)
				}
			}
			Fail("the value is not in the %s", TypeName(v))
			return nil
		})
	case "copy":
		if l, ok := v.(*List); ok {
			return method(nil, func([]Value) Value { return &List{l.Items} })
		}
	}
	return nil, false
}
