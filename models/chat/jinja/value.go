package jinja

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode"
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
	hint   string // what does not exist
	unsafe bool   // it exists, but the sandbox does not give it out
}

// namespace is an object with attributes that can be set.
type namespace struct{ attrs *Dict }

// rangeValue is a range.
type rangeValue struct{ start, stop, step int64 }

func (r rangeValue) len() int {
	n := int64(0)
	switch {
	case r.step > 0 && r.start < r.stop:
		n = (r.stop-r.start-1)/r.step + 1
	case r.step < 0 && r.start > r.stop:
		n = (r.start-r.stop-1)/-r.step + 1
	}
	return int(n)
}

func (r rangeValue) at(i int) Value { return r.start + int64(i)*r.step }

// view is what keys, values and items of a dict return.
type view struct {
	kind string // "keys", "values" or "items"
	d    *Dict
}

func (v view) items() []Value {
	switch v.kind {
	case "keys":
		return v.d.keys
	case "values":
		return v.d.values
	}
	out := make([]Value, len(v.d.keys))
	for i, k := range v.d.keys {
		out[i] = &Tuple{[]Value{k, v.d.values[i]}}
	}
	return out
}

// generator is read once.
type generator struct {
	name string // of its type
	next func() (Value, bool)
}

// group is what groupby returns: a tuple whose items have names.
type group struct{ grouper, list Value }

// function is a function of the package.
type function struct {
	name string
	fn   func(st *spent, args []Value, kw kwargs) Value
}

func (f *function) call(st *spent, args []Value, kw kwargs) Value { return f.fn(st, args, kw) }

// object is a value of the program that runs the template.
type object interface {
	typeName() string
	attr(st *spent, name string) (Value, bool)
}

// written is an object that can be written out.
type written interface {
	written(st *spent) string
}

// iterated is an object that can be iterated over.
type iterated interface {
	iterator() func() (Value, bool)
}

// callable is what can be called.
type callable interface {
	call(st *spent, args []Value, kw kwargs) Value
}

// apply calls a value.
func (st *spent) apply(fn Value, args []Value, kw kwargs) Value {
	st.step()
	switch fn := fn.(type) {
	case *Undefined:
		fail("%s and cannot be called", fn.hint)
	case callable:
		return fn.call(st, args, kw)
	}
	fail("%s cannot be called", typeName(fn))
	return nil
}

// typeName is Python's name of a value's type.
func typeName(v Value) string {
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
	case *Tuple, group:
		return "tuple"
	case *Dict:
		return "dict"
	case *Undefined:
		return "Undefined"
	case *namespace:
		return "Namespace"
	case rangeValue:
		return "range"
	case view:
		return "dict_" + v.kind
	case *generator:
		return v.name
	case object:
		return v.typeName()
	}
	return "function"
}

// text returns a str, marked as safe or not.
func text(v Value) (string, bool) {
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
	case group:
		return []Value{v.grouper, v.list}, true
	}
	return nil, false
}

// truth is Python's bool().
func truth(v Value) bool {
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
	if n, ok := length(v); ok {
		return n > 0
	}
	return true
}

// length is Python's len(), where a value has one.
func length(v Value) (int, bool) {
	switch v := v.(type) {
	case string:
		return utf8.RuneCountInString(v), true
	case Markup:
		return utf8.RuneCountInString(string(v)), true
	case *Dict:
		return len(v.keys), true
	case *Undefined:
		return 0, true
	case rangeValue:
		return v.len(), true
	case view:
		return len(v.d.keys), true
	}
	if items, ok := sequence(v); ok {
		return len(items), true
	}
	return 0, false
}

// each returns an iterator over items.
func each(items []Value) func() (Value, bool) {
	i := 0
	return func() (Value, bool) {
		if i >= len(items) {
			return nil, false
		}
		i++
		return items[i-1], true
	}
}

// iterable returns an iterator over a value; false if it has none.
func (st *spent) iterable(v Value) (func() (Value, bool), bool) {
	if items, ok := sequence(v); ok {
		return each(items), true
	}
	if s, ok := text(v); ok {
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
		return each(v.keys), true
	case *Undefined:
		return each(nil), true
	case rangeValue:
		i, n := 0, v.len()
		return func() (Value, bool) {
			if i >= n {
				return nil, false
			}
			i++
			return v.at(i - 1), true
		}, true
	case view:
		return each(v.items()), true
	case *generator:
		return v.next, true
	case iterated:
		return v.iterator(), true
	}
	return nil, false
}

// iter is Python's iter(), every item counted.
func (st *spent) iter(v Value) func() (Value, bool) {
	next, ok := st.iterable(v)
	if !ok {
		fail("%s cannot be iterated over", typeName(v))
	}
	return func() (Value, bool) {
		st.step()
		return next()
	}
}

// list is Python's list().
func (st *spent) list(v Value) []Value {
	if items, ok := sequence(v); ok {
		return items
	}
	var out []Value
	next := st.iter(v)
	for x, ok := next(); ok; x, ok = next() {
		st.alloc(16)
		out = append(out, x)
	}
	return out
}

// tooDeep fails where lists and dicts lie too deep in each other.
func tooDeep(depth int) {
	if depth > maxValues {
		exceed("more than %d lists and dicts lie inside each other", maxValues)
	}
}

// equal is Python's ==.
func (st *spent) equal(a, b Value) bool { return st.equalAt(a, b, 0) }

func (st *spent) equalAt(a, b Value, depth int) bool {
	st.step()
	tooDeep(depth)
	if _, ok := numeric(a); ok {
		if _, ok := numeric(b); ok {
			return compareNumbers(a, b) == 0
		}
		return false
	}
	if s, ok := text(a); ok {
		t, ok := text(b)
		st.work(min(len(s), len(t)) >> 7)
		return ok && s == t
	}
	switch x := a.(type) {
	case nil:
		return b == nil
	case *Undefined:
		_, ok := b.(*Undefined)
		return ok
	case rangeValue:
		y, ok := b.(rangeValue)
		return ok && x.len() == y.len() && (x.len() == 0 || x.start == y.start && (x.len() == 1 || x.step == y.step))
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
	case view:
		y, ok := b.(view)
		if !ok || x.kind == "values" || y.kind == "values" {
			return ok && x == y
		}
		return len(x.d.keys) == len(y.d.keys) && !slices.ContainsFunc(x.items(), func(v Value) bool { return !st.contains(y, v) })
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

// compare is one of Python's comparisons.
func (st *spent) compare(op string, a, b Value) bool {
	switch op {
	case "==":
		return st.equal(a, b)
	case "!=":
		return !st.equal(a, b)
	case "in":
		return st.contains(b, a)
	case "not in":
		return !st.contains(b, a)
	case "<":
		return st.less(a, b, op, 0)
	case ">":
		return st.less(b, a, op, 0)
	case "<=":
		return st.atMost(a, b, op)
	}
	return st.atMost(b, a, op)
}

// atMost is <=, which is not the opposite of > where NaN is.
func (st *spent) atMost(a, b Value, op string) bool {
	greater := st.less(b, a, op, 0)
	return !greater && !isNaN(a) && !isNaN(b)
}

func isNaN(v Value) bool { f, ok := v.(float64); return ok && math.IsNaN(f) }

// less is Python's <, by the operator op.
func (st *spent) less(a, b Value, op string, depth int) bool {
	st.step()
	tooDeep(depth)
	if _, ok := numeric(a); ok {
		if _, ok := numeric(b); ok {
			return !isNaN(a) && !isNaN(b) && compareNumbers(a, b) < 0
		}
	}
	if s, ok := text(a); ok {
		if t, ok := text(b); ok {
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
					return st.less(x[i], y[i], op, depth+1)
				}
			}
			return len(x) < len(y)
		}
	}
	for _, v := range []Value{a, b} {
		if u, ok := v.(*Undefined); ok {
			fail("%s", u.hint)
		}
	}
	fail("%s and %s cannot be compared by %s", typeName(a), typeName(b), op)
	return false
}

// contains is Python's "v in in".
func (st *spent) contains(in, v Value) bool {
	if s, ok := text(in); ok {
		t, ok := text(v)
		if !ok {
			fail("%s cannot be in a str", typeName(v))
		}
		st.work(len(s) >> 7)
		return strings.Contains(s, t)
	}
	switch in := in.(type) {
	case *Dict:
		_, ok := in.Get(v)
		return ok
	case view:
		if in.kind == "keys" {
			_, ok := in.d.Get(v)
			return ok
		}
	case rangeValue:
		if n, ok := v.(int64); ok {
			off := n - in.start
			return in.len() > 0 && off%in.step == 0 && off/in.step >= 0 && off/in.step < int64(in.len())
		}
	}
	if _, ok := st.iterable(in); !ok {
		fail("%s has no items to look in", typeName(in))
	}
	next := st.iter(in)
	for x, ok := next(); ok; x, ok = next() {
		if x == v && !isNaN(x) || st.equal(x, v) {
			return true
		}
	}
	return false
}

// str is Python's str().
func (st *spent) str(v Value) string {
	if s, ok := text(v); ok {
		return s
	}
	switch v := v.(type) {
	case written:
		return v.written(st)
	case *List, *Tuple, *Dict, group, *namespace, view:
		w := &reprWriter{st: st}
		w.value(v, 0)
		return w.b.String()
	}
	return str(v)
}

// str is Python's str() of a value without parts.
func str(v Value) string {
	switch v := v.(type) {
	case string:
		return v
	case Markup:
		return string(v)
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case int64:
		return strconv.FormatInt(v, 10)
	case *big.Int:
		return bigText(v)
	case float64:
		return floatText(v)
	case *Undefined:
		return ""
	case rangeValue:
		if v.step == 1 {
			return fmt.Sprintf("range(%d, %d)", v.start, v.stop)
		}
		return fmt.Sprintf("range(%d, %d, %d)", v.start, v.stop, v.step)
	case fmt.Stringer:
		return v.String()
	}
	refuse("the text of a %s, which has an address in it,", typeName(v))
	return ""
}

// reprWriter writes values as Python's repr() does.
type reprWriter struct {
	st     *spent
	b      strings.Builder
	sorted bool    // dicts by their keys
	open   []*Dict // of namespaces being written
}

func (w *reprWriter) write(s string) {
	w.st.alloc(len(s))
	w.b.WriteString(s)
}

// repr is Python's repr().
func (st *spent) repr(v Value) string {
	w := &reprWriter{st: st}
	w.value(v, 0)
	return w.b.String()
}

// pretty is repr with every dict in the order of its keys.
func (st *spent) pretty(v Value) string {
	w := &reprWriter{st: st, sorted: true}
	w.value(v, 0)
	return w.b.String()
}

func (w *reprWriter) list(open string, items []Value, end string, depth int) {
	w.write(open)
	for i, x := range items {
		if i > 0 {
			w.write(", ")
		}
		w.value(x, depth+1)
	}
	w.write(end)
}

func (w *reprWriter) value(v Value, depth int) {
	w.st.step()
	tooDeep(depth)
	switch v := v.(type) {
	case string:
		w.write(reprText(v))
	case Markup:
		w.write("Markup(" + reprText(string(v)) + ")")
	case *Undefined:
		w.write("Undefined")
	case *List:
		w.list("[", v.Items, "]", depth)
	case *Tuple, group:
		items, _ := sequence(v)
		end := ")"
		if len(items) == 1 {
			end = ",)"
		}
		w.list("(", items, end, depth)
	case view:
		w.list("dict_"+v.kind+"([", v.items(), "])", depth)
	case *Dict:
		w.dict(v, depth)
	case *namespace:
		w.write("<Namespace ")
		if slices.Contains(w.open, v.attrs) {
			w.write("{...}")
		} else {
			sorted := w.sorted
			w.open, w.sorted = append(w.open, v.attrs), false
			w.dict(v.attrs, depth)
			w.open, w.sorted = w.open[:len(w.open)-1], sorted
		}
		w.write(">")
	case written:
		w.write(v.written(w.st))
	default:
		w.write(str(v))
	}
}

func (w *reprWriter) dict(d *Dict, depth int) {
	order := make([]int, len(d.keys))
	for i := range order {
		order[i] = i
	}
	if w.sorted {
		w.st.sortByKey(order, d)
	}
	w.write("{")
	for n, i := range order {
		if n > 0 {
			w.write(", ")
		}
		w.value(d.keys[i], depth+1)
		w.write(": ")
		w.value(d.values[i], depth+1)
	}
	w.write("}")
}

// reprText is Python's repr() of a str.
func reprText(s string) string {
	q := byte('\'')
	if strings.IndexByte(s, '\'') >= 0 && strings.IndexByte(s, '"') < 0 {
		q = '"'
	}
	var b strings.Builder
	b.WriteByte(q)
	for _, r := range s {
		switch {
		case r == rune(q) || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case printable(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte(q)
	return b.String()
}

// printable is Python's str.isprintable for one character.
func printable(r rune) bool { return unicode.IsPrint(r) }
