package python

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Str is Python's str().
func (st *Run) Str(v Value) string {
	if s, ok := Text(v); ok {
		return s
	}
	switch v := v.(type) {
	case Written:
		return v.Written(st)
	case *List, *Tuple, *Dict, Group, *Namespace, View:
		w := &reprWriter{st: st}
		w.value(v, 0)
		return w.b.String()
	}
	return Str(v)
}

// Str is Python's str() of a value without parts.
func Str(v Value) string {
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
		return FloatText(v)
	case *Undefined:
		return ""
	case RangeValue:
		if v.Step == 1 {
			return fmt.Sprintf("range(%d, %d)", v.Start, v.Stop)
		}
		return fmt.Sprintf("range(%d, %d, %d)", v.Start, v.Stop, v.Step)
	case fmt.Stringer:
		return v.String()
	}
	Refuse("the text of a %s, which has an address in it,", TypeName(v))
	return ""
}

// reprWriter writes values as Python's repr() does.
type reprWriter struct {
	st     *Run
	b      strings.Builder
	sorted bool    // dicts by their keys
	open   []*Dict // of namespaces being written
}

func (w *reprWriter) write(s string) {
	w.st.Alloc(len(s))
	w.b.WriteString(s)
}

// repr is Python's repr().
func (st *Run) repr(v Value) string {
	w := &reprWriter{st: st}
	w.value(v, 0)
	return w.b.String()
}

// Pretty is repr with every dict in the order of its keys.
func (st *Run) Pretty(v Value) string {
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
	w.st.Step()
	tooDeep(depth)
	switch v := v.(type) {
	case string:
		w.write(ReprText(v))
	case Markup:
		w.write("Markup(" + ReprText(string(v)) + ")")
	case *Undefined:
		w.write("Undefined")
	case *List:
		w.list("[", v.Items, "]", depth)
	case *Tuple, Group:
		items, _ := sequence(v)
		end := ")"
		if len(items) == 1 {
			end = ",)"
		}
		w.list("(", items, end, depth)
	case View:
		w.list("dict_"+v.Kind+"([", v.Items(), "])", depth)
	case *Dict:
		w.dict(v, depth)
	case *Namespace:
		w.write("<Namespace ")
		if slices.Contains(w.open, v.Attrs) {
			w.write("{...}")
		} else {
			sorted := w.sorted
			w.open, w.sorted = append(w.open, v.Attrs), false
			w.dict(v.Attrs, depth)
			w.open, w.sorted = w.open[:len(w.open)-1], sorted
		}
		w.write(">")
	case Written:
		w.write(v.Written(w.st))
	default:
		w.write(Str(v))
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

// ReprText is Python's repr() of a str.
func ReprText(s string) string {
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
