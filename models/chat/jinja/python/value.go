package python

import (
	"math/big"
	"unicode/utf8"
)

// Value is a value of a template: nil for None, bool, int64 or *big.Int (if it
// does not fit), float64, string, [*List], [*Tuple], [*Dict], [*Undefined], or
// one of the package's own.
type Value any

// List is a list. It must not be changed once a template has it.
type List struct{ Items []Value }

// Tuple is a tuple.
type Tuple struct{ Items []Value }

// Markup is a text that is marked as safe for HTML.
type Markup string

// Undefined is what a name, an attribute or an item stands for that does not
// exist: it writes nothing, is false and empty, and may not be used otherwise.
type Undefined struct {
	Hint   string // what does not exist
	unsafe bool   // it exists, but the sandbox does not give it out
}

// Namespace is an object with attributes that can be set.
type Namespace struct{ Attrs *Dict }

// RangeValue is a range.
type RangeValue struct{ Start, Stop, Step int64 }

// Len is the number of its numbers.
func (r RangeValue) Len() int {
	n := int64(0)
	switch {
	case r.Step > 0 && r.Start < r.Stop:
		n = (r.Stop-r.Start-1)/r.Step + 1
	case r.Step < 0 && r.Start > r.Stop:
		n = (r.Start-r.Stop-1)/-r.Step + 1
	}
	return int(n)
}

func (r RangeValue) at(i int) Value { return r.Start + int64(i)*r.Step }

// View is what keys, values and items of a dict return.
type View struct {
	Kind string // "keys", "values" or "items"
	D    *Dict
}

// Items are the keys, the values, or pairs of both.
func (v View) Items() []Value {
	switch v.Kind {
	case "keys":
		return v.D.keys
	case "values":
		return v.D.values
	}
	out := make([]Value, len(v.D.keys))
	for i, k := range v.D.keys {
		out[i] = &Tuple{[]Value{k, v.D.values[i]}}
	}
	return out
}

// Generator is read once.
type Generator struct {
	Name string // of its type
	Next func() (Value, bool)
}

// Group is what groupby returns: a tuple whose items have names.
type Group struct{ Grouper, List Value }

// Function is a function of the package.
type Function struct {
	Name string
	Fn   func(st *Run, args []Value, kw Kwargs) Value
}

// Call calls it.
func (f *Function) Call(st *Run, args []Value, kw Kwargs) Value { return f.Fn(st, args, kw) }

// Object is a value of the program that runs the template.
type Object interface {
	TypeName() string
	Attr(st *Run, name string) (Value, bool)
}

// Written is an object that can be written out.
type Written interface {
	Written(st *Run) string
}

// Iterated is an object that can be iterated over.
type Iterated interface {
	Iterator() func() (Value, bool)
}

// Callable is what can be called.
type Callable interface {
	Call(st *Run, args []Value, kw Kwargs) Value
}

// Apply calls a value.
func (st *Run) Apply(fn Value, args []Value, kw Kwargs) Value {
	st.Step()
	switch fn := fn.(type) {
	case *Undefined:
		Fail("%s and cannot be called", fn.Hint)
	case Callable:
		return fn.Call(st, args, kw)
	}
	Fail("%s cannot be called", TypeName(fn))
	return nil
}

// TypeName is Python's name of a value's type.
func TypeName(v Value) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		return "bool"
	case int64, *big.Int:
		return "int"
	case float64:
		return "float"
	case string:
		return "str"
	case Markup:
		return "Markup"
	case *List:
		return "list"
	case *Tuple, Group:
		return "tuple"
	case *Dict:
		return "dict"
	case *Undefined:
		return "Undefined"
	case *Namespace:
		return "Namespace"
	case RangeValue:
		return "range"
	case View:
		return "dict_" + v.Kind
	case *Generator:
		return v.Name
	case Object:
		return v.TypeName()
	}
	return "function"
}

// Text returns a str, marked as safe or not.
func Text(v Value) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case Markup:
		return string(v), true
	}
	return "", false
}

// sequence returns the items of a list or a tuple.
func sequence(v Value) ([]Value, bool) {
	switch v := v.(type) {
	case *List:
		return v.Items, true
	case *Tuple:
		return v.Items, true
	case Group:
		return []Value{v.Grouper, v.List}, true
	}
	return nil, false
}

// Truth is Python's bool().
func Truth(v Value) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case int64:
		return v != 0
	case float64:
		return v != 0
	case *Undefined:
		return false
	}
	if n, ok := Length(v); ok {
		return n > 0
	}
	return true
}

// Length is Python's len(), where a value has one.
func Length(v Value) (int, bool) {
	switch v := v.(type) {
	case string:
		return utf8.RuneCountInString(v), true
	case Markup:
		return utf8.RuneCountInString(string(v)), true
	case *Dict:
		return len(v.keys), true
	case *Undefined:
		return 0, true
	case RangeValue:
		return v.Len(), true
	case View:
		return len(v.D.keys), true
	}
	if items, ok := sequence(v); ok {
		return len(items), true
	}
	return 0, false
}

// Each returns an iterator over items.
func Each(items []Value) func() (Value, bool) {
	i := 0
	return func() (Value, bool) {
		if i >= len(items) {
			return nil, false
		}
		i++
		return items[i-1], true
	}
}

// Iterable returns an iterator over a value; false if it has none.
func (st *Run) Iterable(v Value) (func() (Value, bool), bool) {
	if items, ok := sequence(v); ok {
		return Each(items), true
	}
	if s, ok := Text(v); ok {
		return func() (Value, bool) {
			if s == "" {
				return nil, false
			}
			_, n := utf8.DecodeRuneInString(s)
			c := s[:n]
			s = s[n:]
			return c, true
		}, true
	}
	switch v := v.(type) {
	case *Dict:
		return Each(v.keys), true
	case *Undefined:
		return Each(nil), true
	case RangeValue:
		i, n := 0, v.Len()
		return func() (Value, bool) {
			if i >= n {
				return nil, false
			}
			i++
			return v.at(i - 1), true
		}, true
	case View:
		return Each(v.Items()), true
	case *Generator:
		return v.Next, true
	case Iterated:
		return v.Iterator(), true
	}
	return nil, false
}

// Iter is Python's iter(), every item counted.
func (st *Run) Iter(v Value) func() (Value, bool) {
	next, ok := st.Iterable(v)
	if !ok {
		Fail("%s cannot be iterated over", TypeName(v))
	}
	return func() (Value, bool) {
		st.Step()
		return next()
	}
}

// List is Python's list().
func (st *Run) List(v Value) []Value {
	if items, ok := sequence(v); ok {
		return items
	}
	var out []Value
	next := st.Iter(v)
	for x, ok := next(); ok; x, ok = next() {
		st.Alloc(16)
		out = append(out, x)
	}
	return out
}

// tooDeep fails where lists and dicts lie too deep in each other.
func tooDeep(depth int) {
	if depth > MaxValues {
		Exceed("more than %d lists and dicts lie inside each other", MaxValues)
	}
}
