package python

import (
	"math"
	"math/big"
	"strings"
)

// Binary is one of Python's operators with two operands.
func (st *Run) Binary(op string, a, b Value) Value {
	x, numA := Numeric(a)
	y, numB := Numeric(b)
	if numA && numB {
		return Arithmetic(op, x, y)
	}
	for _, v := range []Value{a, b} {
		if u, ok := v.(*Undefined); ok && (op != "%" || !IsText(a)) {
			Fail("%s", u.Hint)
		}
	}
	s, textA := Text(a)
	t, textB := Text(b)
	switch {
	case op == "+" && textA && textB:
		return st.addTexts(a, b, s, t)
	case op == "%" && textA:
		return st.Percent(a, b)
	case op == "*" && numB:
		if v, ok := st.repeat(a, b); ok {
			return v
		}
	case op == "*" && numA:
		if v, ok := st.repeat(b, a); ok {
			return v
		}
	case op == "+":
		if p, ok := sequence(a); ok {
			q, ok := sequence(b)
			_, la := a.(*List)
			_, lb := b.(*List)
			if ok && la == lb {
				st.Alloc(16 * (len(p) + len(q)))
				joined := append(append(make([]Value, 0, len(p)+len(q)), p...), q...)
				if la {
					return &List{joined}
				}
				return &Tuple{joined}
			}
		}
	}
	_, viewA := a.(View)
	_, viewB := b.(View)
	if op == "-" && (viewA || viewB) {
		Refuse("the difference of views of dicts")
	}
	Fail("%s %s %s: Python has no such operation", TypeName(a), op, TypeName(b))
	return nil
}

// IsText reports whether v is a str, marked as safe or not.
func IsText(v Value) bool { _, ok := Text(v); return ok }

// addTexts joins two texts; what is joined to a safe one is escaped.
func (st *Run) addTexts(a, b Value, s, t string) Value {
	_, safeA := a.(Markup)
	_, safeB := b.(Markup)
	if !safeA && !safeB {
		st.Alloc(len(s) + len(t))
		return s + t
	}
	return Markup(st.Text(EscapeHTML(a) + EscapeHTML(b)))
}

// repeat is a text, list or tuple several times.
func (st *Run) repeat(v, times Value) (Value, bool) {
	if _, ok := times.(float64); ok {
		return nil, false
	}
	if _, ok := times.(*big.Int); ok {
		Fail("an int is too large to repeat a %s", TypeName(v))
	}
	n, _ := small(times)
	n = max(n, 0)
	if size, _ := Length(v); size == 0 {
		n = 0
	}
	if s, ok := Text(v); ok {
		st.Room(len(s), n)
		s = st.Text(strings.Repeat(s, n))
		if _, safe := v.(Markup); safe {
			return Markup(s), true
		}
		return s, true
	}
	items, ok := sequence(v)
	if !ok {
		return nil, false
	}
	st.Room(16*len(items), n)
	st.Alloc(16 * len(items) * n)
	out := make([]Value, 0, len(items)*n)
	for range n {
		out = append(out, items...)
	}
	if _, ok := v.(*List); ok {
		return &List{out}, true
	}
	return &Tuple{out}, true
}

// Join joins texts.
func (st *Run) Join(sep string, parts []string) string {
	n := 0
	for _, p := range parts {
		n += len(p) + len(sep)
	}
	st.Alloc(n)
	return strings.Join(parts, sep)
}

// Getitem is v[arg].
func (st *Run) Getitem(v, arg Value) Value {
	if u, ok := v.(*Undefined); ok {
		Fail("%s", u.Hint)
	}
	if x, ok := st.item(v, arg); ok {
		return x
	}
	if name, ok := Text(arg); ok {
		if x, ok := st.Attribute(v, name); ok {
			return x
		}
	}
	return &Undefined{Hint: TypeName(v) + " has no item " + Quoted(st.short(arg))}
}

// short is a text of a value for an error.
func (st *Run) short(v Value) string {
	switch v.(type) {
	case string, nil, bool, int64, float64:
		return Str(v)
	}
	return TypeName(v)
}

// item is v[arg] without attributes.
func (st *Run) item(v, arg Value) (Value, bool) {
	if d, ok := v.(*Dict); ok {
		if !hashable(arg) {
			return nil, false
		}
		return d.Get(arg)
	}
	if _, ok := arg.(float64); ok {
		return nil, false
	}
	i, ok := small(arg)
	if !ok {
		return nil, false
	}
	if s, ok := Text(v); ok {
		st.Work(len(s) >> 7)
		c, ok := runeAt(s, i)
		if _, safe := v.(Markup); safe && ok {
			return Markup(c), true
		}
		return c, ok
	}
	n, ok := Length(v)
	if !ok {
		return nil, false
	}
	if i < 0 {
		i += n
	}
	if i < 0 || i >= n {
		return nil, false
	}
	if items, ok := sequence(v); ok {
		return items[i], true
	}
	if r, ok := v.(RangeValue); ok {
		return r.at(i), true
	}
	return nil, false
}

// runeAt returns the character at i, from the end if i is negative.
func runeAt(s string, i int) (string, bool) {
	if i >= 0 && i < len(s) && ascii(s) {
		return s[i : i+1], true
	}
	r := []rune(s)
	if i < 0 {
		i += len(r)
	}
	if i < 0 || i >= len(r) {
		return "", false
	}
	return string(r[i]), true
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// Slice is v[from:to:stride].
func (st *Run) Slice(v Value, b [3]Value) Value {
	if u, ok := v.(*Undefined); ok {
		Fail("%s", u.Hint)
	}
	s, isStr := Text(v)
	items, isSeq := sequence(v)
	r, isRange := v.(RangeValue)
	if !isStr && !isSeq && !isRange {
		Fail("%s cannot be sliced", TypeName(v))
	}
	n, _ := Length(v)
	from, to, count, step := bounds(b, n)
	st.Work(n >> 7)
	if isRange {
		return RangeValue{r.Start + int64(from)*r.Step, r.Start + int64(to)*r.Step, r.Step * int64(step)}
	}
	if count == 0 {
		from = 0
	}
	switch {
	case isStr:
		var out string
		switch {
		case step == 1 && len(s) == n:
			out = s[from : from+count]
		case step == 1:
			out = CutRunes(s, from, count)
		default:
			runes := []rune(s)
			picked := make([]rune, 0, count)
			for i := range count {
				picked = append(picked, runes[from+i*step])
			}
			out = st.Text(string(picked))
		}
		if _, safe := v.(Markup); safe {
			return Markup(out)
		}
		return out
	}
	st.Alloc(16 * count)
	out := make([]Value, count)
	for i := range out {
		out[i] = items[from+i*step]
	}
	if _, ok := v.(*List); ok {
		return &List{out}
	}
	return &Tuple{out}
}

// CutRunes returns count characters from the one at from.
func CutRunes(s string, from, count int) string {
	start, end, i := len(s), len(s), 0
	for at := range s {
		if i == from {
			start = at
		}
		if i == from+count {
			end = at
			break
		}
		i++
	}
	return s[min(start, end):end]
}

// bounds resolves the parts of a slice of n items.
func bounds(b [3]Value, n int) (from, to, count, step int) {
	part := func(v Value, none int) int {
		if v == nil {
			return none
		}
		_, isFloat := v.(float64)
		i, ok := small(v)
		if !ok || isFloat {
			if u, ok := v.(*Undefined); ok {
				Fail("%s, and cannot be part of a slice", u.Hint)
			}
			Fail("%s cannot be part of a slice", TypeName(v))
		}
		return i
	}
	step = part(b[2], 1)
	if step == 0 {
		Fail("a slice cannot have a step of 0")
	}
	step = max(min(step, math.MaxInt32), math.MinInt32)
	low, high := 0, n
	if step < 0 {
		low, high = -1, n-1
	}
	place := func(v Value, none int) int {
		if v == nil {
			return none
		}
		i := part(v, 0)
		if i < 0 {
			i += n
		}
		return min(max(i, low), high)
	}
	if step > 0 {
		from, to = place(b[0], 0), place(b[1], n)
		count = max(0, (to-from+step-1)/step)
	} else {
		from, to = place(b[0], n-1), place(b[1], -1)
		count = max(0, (from-to-step-1)/-step)
	}
	return from, to, count, step
}

func hashable(v Value) bool {
	switch v := v.(type) {
	case *List, *Dict, View:
		return false
	case *Tuple:
		for _, x := range v.Items {
			if !hashable(x) {
				return false
			}
		}
	case Group:
		return false
	}
	return true
}

// Whole returns an int of moderate size; it fails for another value.
func Whole(fn string, v Value) int {
	switch u := v.(type) {
	case int64, bool, *big.Int:
		n, _ := small(v)
		return n
	case *Undefined:
		Fail("%s: %s", fn, u.Hint)
	}
	Fail("%s wants an int, has %s", fn, TypeName(v))
	return 0
}
