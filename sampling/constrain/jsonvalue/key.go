package jsonvalue

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// Same reports whether two values are equal by JSON Schema: numbers by value,
// objects without regard to order.
func (v *Value) Same(w *Value) bool {
	if v.Kind != w.Kind {
		return false
	}
	switch v.Kind {
	case Number:
		return v.Num.Cmp(w.Num) == 0
	case String:
		return v.Text == w.Text
	case Array:
		if len(v.List) != len(w.List) {
			return false
		}
		for i := range v.List {
			if !v.List[i].Same(w.List[i]) {
				return false
			}
		}
	case Object:
		if len(v.List) != len(w.List) {
			return false
		}
		for i, name := range v.Names {
			if x := w.Get(name); x == nil || !v.List[i].Same(x) {
				return false
			}
		}
	}
	return true
}

// Source writes a value as JSON.
func (v *Value) Source() string {
	parts := make([]string, len(v.List))
	for i, x := range v.List {
		parts[i] = x.Source()
		if v.Kind == Object {
			parts[i] = strconv.Quote(v.Names[i]) + ": " + parts[i]
		}
	}
	list := strings.Join(parts, ", ")
	switch v.Kind {
	case Null:
		return "null"
	case False:
		return "false"
	case True:
		return "true"
	case Number:
		return v.Text
	case String:
		return strconv.Quote(v.Text)
	case Array:
		return "[" + list + "]"
	}
	return "{" + list + "}"
}

// SortedCopy returns a sorted copy of list.
func SortedCopy(list []string) []string {
	out := append([]string(nil), list...)
	sort.Strings(out)
	return out
}

// Key is equal for equal values.
func (v *Value) Key() string {
	var b strings.Builder
	v.writeKey(&b)
	return b.String()
}

func (v *Value) writeKey(b *strings.Builder) {
	switch v.Kind {
	case Number:
		b.WriteString(v.Num.RatString())
	case String:
		b.WriteString(strconv.Quote(v.Text))
	case Array:
		b.WriteByte('[')
		for _, x := range v.List {
			x.writeKey(b)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case Object:
		b.WriteByte('{')
		for _, name := range SortedCopy(v.Names) {
			b.WriteString(strconv.Quote(name))
			b.WriteByte(':')
			v.Get(name).writeKey(b)
			b.WriteByte(',')
		}
		b.WriteByte('}')
	default:
		fmt.Fprintf(b, "#%d", v.Kind)
	}
}
