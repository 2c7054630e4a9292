package python

import (
	"math"
	"slices"
	"strings"
)

// Equal is Python's ==.
func (st *Run) Equal(a, b Value) bool { return st.equalAt(a, b, 0) }

func (st *Run) equalAt(a, b Value, depth int) bool {
	st.Step()
	tooDeep(depth)
	if _, ok := Numeric(a); ok {
		if _, ok := Numeric(b); ok {
			return compareNumbers(a, b) == 0
		}
		return false
	}
	if s, ok := Text(a); ok {
		t, ok := Text(b)
		st.Work(min(len(s), len(t)) >> 7)
		return ok && s == t
	}
	switch x := a.(type) {
	case nil:
		return b == nil
	case *Undefined:
		_, ok := b.(*Undefined)
		return ok
	case RangeValue:
		y, ok := b.(RangeValue)
		return ok && x.Len() == y.Len() && (x.Len() == 0 || x.Start == y.Start && (x.Len() == 1 || x.Step == y.Step))
	case *Dict:
		y, ok := b.(*Dict)
		if !ok || len(x.keys) != len(y.keys) {
			return false
		}
		for i, k := range x.keys {
			v, ok := y.Get(k)
			if !ok || !st.equalAt(x.values[i], v, depth+1) {
				return false
			}
		}
		return true
	case View:
		y, ok := b.(View)
		if !ok || x.Kind == "values" || y.Kind == "values" {
			return ok && x == y
		}
		return len(x.D.keys) == len(y.D.keys) && !slices.ContainsFunc(x.Items(), func(v Value) bool { return !st.Contains(y, v) })
	}
	if items, ok := sequence(a); ok {
		other, ok := sequence(b)
		_, la := a.(*List)
		_, lb := b.(*List)
		if !ok || la != lb || len(items) != len(other) {
			return false
		}
		for i := range items {
			if !st.equalAt(items[i], other[i], depth+1) {
				return false
			}
		}
		return true
	}
	return a == b
}

// Compare is one of Python's comparisons.
func (st *Run) Compare(op string, a, b Value) bool {
	switch op {
	case "==":
		return st.Equal(a, b)
	case "!=":
		return !st.Equal(a, b)
	case "in":
		return st.Contains(b, a)
	case "not in":
		return !st.Contains(b, a)
	case "<":
		return st.Less(a, b, op, 0)
	case ">":
		return st.Less(b, a, op, 0)
	case "<=":
		return st.atMost(a, b, op)
	}
	return st.atMost(b, a, op)
}

// atMost is <=, which is not the opposite of > where NaN is.
func (st *Run) atMost(a, b Value, op string) bool {
	greater := st.Less(b, a, op, 0)
	return !greater && !isNaN(a) && !isNaN(b)
}

func isNaN(v Value) bool { f, ok := v.(float64); return ok && math.IsNaN(f) }

// Less is Python's <, by the operator op.
func (st *Run) Less(a, b Value, op string, depth int) bool {
	st.Step()
	tooDeep(depth)
	if _, ok := Numeric(a); ok {
		if _, ok := Numeric(b); ok {
			return !isNaN(a) && !isNaN(b) && compareNumbers(a, b) < 0
		}
	}
	if s, ok := Text(a); ok {
		if t, ok := Text(b); ok {
			return s < t
		}
	}
	if x, ok := sequence(a); ok {
		y, ok := sequence(b)
		_, la := a.(*List)
		_, lb := b.(*List)
		if ok && la == lb {
			for i := range min(len(x), len(y)) {
				if !st.equalAt(x[i], y[i], depth+1) {
					return st.Less(x[i], y[i], op, depth+1)
				}
			}
			return len(x) < len(y)
		}
	}
	for _, v := range []Value{a, b} {
		if u, ok := v.(*Undefined); ok {
			Fail("%s", u.Hint)
		}
	}
	Fail("%s and %s cannot be compared by %s", TypeName(a), TypeName(b), op)
	return false
}

// Contains is Python's "v in in".
func (st *Run) Contains(in, v Value) bool {
	if s, ok := Text(in); ok {
		t, ok := Text(v)
		if !ok {
			Fail("%s cannot be in a str", TypeName(v))
		}
		st.Work(len(s) >> 7)
		return strings.Contains(s, t)
	}
	switch in := in.(type) {
	case *Dict:
		_, ok := in.Get(v)
		return ok
	case View:
		if in.Kind == "keys" {
			_, ok := in.D.Get(v)
			return ok
		}
	case RangeValue:
		if n, ok := v.(int64); ok {
			off := n - in.Start
			return in.Len() > 0 && off%in.Step == 0 && off/in.Step >= 0 && off/in.Step < int64(in.Len())
		}
	}
	if _, ok := st.Iterable(in); !ok {
		Fail("%s has no items to look in", TypeName(in))
	}
	next := st.Iter(in)
	for x, ok := next(); ok; x, ok = next() {
		if x == v && !isNaN(x) || st.Equal(x, v) {
			return true
		}
	}
	return false
}
