package jinja

import (
	"math"
	"math/big"
	"strings"
)

// binary is one of Python's operators with two operands.
func (st *spent) binary(op string, a, b Value) Value {
	x, numA := numeric(a)
	y, numB := numeric(b)
	if numA && numB {
		return arithmetic(op, x, y)
	}
	for _, v := range []Value{a, b} {
		if u, ok := v.(*Undefined); ok && (op != "%" || !isText(a)) {
			fail("%s", u.hint)
		}
	}
	s, textA := text(a)
	t, textB := text(b)
	switch {
	case op == "+" && textA && textB:
		return st.addTexts(a, b, s, t)
	case op == "%" && textA:
		return st.percent(a, b)
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
				st.alloc(16 * (len(p) + len(q)))
				joined := append(append(make([]Value, 0, len(p)+len(q)), p...), q...)
				if la {
					return &List{joined}
				}
				return &Tuple{joined}
			}
		}
	}
	_, viewA := a.(view)
	_, viewB := b.(view)
	if op == "-" && (viewA || viewB) {
		refuse("the difference of views of dicts")
	}
	fail("%s %s %s: Python has no such operation", typeName(a), op, typeName(b))
	return nil
}

func isText(v Value) bool { _, ok := text(v); return ok }

// addTexts joins two texts; what is joined to a safe one is escaped.
func (st *spent) addTexts(a, b Value, s, t string) Value {
	_, safeA := a.(Markup)
	_, safeB := b.(Markup)
	if !safeA && !safeB {
		st.alloc(len(s) + len(t))
		return s + t
	}
	return Markup(st.text(escapeHTML(a) + escapeHTML(b)))
}

// repeat is a text, list or tuple several times.
func (st *spent) repeat(v, times Value) (Value, bool) {
	if _, ok := times.(float64); ok {
		return nil, false
	}
	if _, ok := times.(*big.Int); ok {
		fail("an int is too large to repeat a %s", typeName(v))
	}
	n, _ := small(times)
	n = max(n, 0)
	if size, _ := length(v); size == 0 {
		n = 0
	}
	if s, ok := text(v); ok {
		st.room(len(s), n)
		s = st.text(strings.Repeat(s, n))
		if _, safe := v.(Markup); safe {
			return Markup(s), true
		}
		return s, true
	}
	items, ok := sequence(v)
	if !ok {
		return nil, false
	}
	st.room(16*len(items), n)
	st.alloc(16 * len(items) * n)
	out := make([]Value, 0, len(items)*n)
	for range n {
		out = append(out, items...)
	}
	if _, ok := v.(*List); ok {
		return &List{out}, true
	}
	return &Tuple{out}, true
}

// join joins texts.
func (st *spent) join(sep string, parts []string) string {
	n := 0
	for _, p := range parts {
		n += len(p) + len(sep)
	}
	st.alloc(n)
	return strings.Join(parts, sep)
}

// getitem is v[arg].
func (st *spent) getitem(v, arg Value) Value {
	if u, ok := v.(*Undefined); ok {
		fail("%s", u.hint)
	}
	if x, ok := st.item(v, arg); ok {
		return x
	}
	if name, ok := text(arg); ok {
		if x, ok := st.attribute(v, name); ok {
			return x
		}
	}
	return &Undefined{hint: typeName(v) + " has no item " + quoted(st.short(arg))}
}

// short is a text of a value for an error.
func (st *spent) short(v Value) string {
	switch v.(type) {
	case string, nil, bool, int64, float64:
		return str(v)
	}
	return typeName(v)
}

// item is v[arg] without attributes.
func (st *spent) item(v, arg Value) (Value, bool) {
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
	if s, ok := text(v); ok {
		st.work(len(s) >> 7)
		c, ok := runeAt(s, i)
		if _, safe := v.(Markup); safe && ok {
			return Markup(c), true
		}
		return c, ok
	}
	n, ok := length(v)
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
	if r, ok := v.(rangeValue); ok {
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

// slice is v[from:to:stride].
func (st *spent) slice(v Value, b [3]Value) Value {
	if u, ok := v.(*Undefined); ok {
		fail("%s", u.hint)
	}
	s, isStr := text(v)
	items, isSeq := sequence(v)
	r, isRange := v.(rangeValue)
	if !isStr && !isSeq && !isRange {
		fail("%s cannot be sliced", typeName(v))
	}
	n, _ := length(v)
	from, count, step := bounds(b, n)
	st.work(n >> 7)
	switch {
	case isRange:
		end := from + count*step
		return rangeValue{r.start + int64(from)*r.step, r.start + int64(end)*r.step, r.step * int64(step)}
	case isStr:
		var out string
		switch {
		case step == 1 && len(s) == n:
			out = s[from : from+count]
		case step == 1:
			out = cutRunes(s, from, count)
		default:
			runes := []rune(s)
			picked := make([]rune, 0, count)
			for i := range count {
				picked = append(picked, runes[from+i*step])
			}
			out = st.text(string(picked))
		}
		if _, safe := v.(Markup); safe {
			return Markup(out)
		}
		return out
	}
	st.alloc(16 * count)
	out := make([]Value, count)
	for i := range out {
		out[i] = items[from+i*step]
	}
	if _, ok := v.(*List); ok {
		return &List{out}
	}
	return &Tuple{out}
}

// cutRunes returns count characters from the one at from.
func cutRunes(s string, from, count int) string {
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
func bounds(b [3]Value, n int) (from, count, step int) {
	part := func(v Value, none int) int {
		if v == nil {
			return none
		}
		_, isFloat := v.(float64)
		i, ok := small(v)
		if !ok || isFloat {
			if u, ok := v.(*Undefined); ok {
				fail("%s, and cannot be part of a slice", u.hint)
			}
			fail("%s cannot be part of a slice", typeName(v))
		}
		return i
	}
	step = part(b[2], 1)
	if step == 0 {
		fail("a slice cannot have a step of 0")
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
	var to int
	if step > 0 {
		from, to = place(b[0], 0), place(b[1], n)
		count = max(0, (to-from+step-1)/step)
	} else {
		from, to = place(b[0], n-1), place(b[1], -1)
		count = max(0, (from-to-step-1)/-step)
	}
	if count == 0 {
		from = max(0, min(from, n))
	}
	return from, count, step
}

func hashable(v Value) bool {
	switch v := v.(type) {
	case *List, *Dict, view:
		return false
	case *Tuple:
		for _, x := range v.Items {
			if !hashable(x) {
				return false
			}
		}
	case group:
		return false
	}
	return true
}

// whole returns an int of moderate size; it fails for another value.
func whole(fn string, v Value) int {
	switch u := v.(type) {
	case int64, bool, *big.Int:
		n, _ := small(v)
		return n
	case *Undefined:
		fail("%s: %s", fn, u.hint)
	}
	fail("%s wants an int, has %s", fn, typeName(v))
	return 0
}
