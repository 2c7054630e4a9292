package jinja

import (
	"slices"
	"strconv"
	"strings"
)

// getter returns what reads an attribute, given as a path of names and
// numbers, or as one number. An item that is not there becomes def, unless
// that is nil; fold makes texts lower case.
func (st *state) getter(attribute, def Value, fold bool) func(Value) Value {
	var path []Value
	if s, ok := text(attribute); ok {
		for part := range strings.SplitSeq(s, ".") {
			if n, err := strconv.ParseInt(part, 10, 64); err == nil && all(part, isDigit) {
				path = append(path, n)
			} else {
				path = append(path, part)
			}
		}
	} else if attribute != nil {
		path = []Value{attribute}
	}
	return func(v Value) Value {
		for _, part := range path {
			v = st.getitem(v, part)
			if _, undefined := v.(*Undefined); undefined && def != nil {
				v = def
			}
		}
		if s, ok := text(v); ok && fold {
			return st.text(lower(s))
		}
		return v
	}
}

// lazy returns an iterator that is read once, over what start gives when the
// first item is asked for.
func (st *state) lazy(start func() func() (Value, bool)) Value {
	var next func() (Value, bool)
	return &generator{"generator", func() (Value, bool) {
		if st.readers++; st.readers > maxValues {
			exceed("more than %d iterators read each other", maxValues)
		}
		if next == nil {
			next = start()
		}
		v, ok := next()
		st.readers--
		return v, ok
	}}
}

func mapFilter(st *state, v Value, args []Value, kw kwargs) Value {
	return st.lazy(func() func() (Value, bool) {
		if !truth(v) {
			return each(nil)
		}
		var fn func(Value) Value
		attribute, byAttribute := kw.take("attribute")
		switch {
		case len(args) == 0 && byAttribute:
			def, _ := kw.take("default")
			noNames("the filter \"map\"", kw)
			fn = st.getter(attribute, def, false)
		case len(args) == 0:
			fail("the filter \"map\" wants the name of a filter")
		default:
			if byAttribute {
				kw.set("attribute", attribute)
			}
			name := wantText("the filter \"map\"", args[0])
			fn = func(x Value) Value { return st.filter(name, x, args[1:], kw) }
		}
		next := st.iter(v)
		return func() (Value, bool) {
			x, ok := next()
			if !ok {
				return nil, false
			}
			return fn(x), true
		}
	})
}

// selecting makes select, reject and those by an attribute.
func selecting(name string, byAttribute, keep bool) func(*state, Value, []Value, kwargs) Value {
	return func(st *state, v Value, args []Value, kw kwargs) Value {
		return st.lazy(func() func() (Value, bool) {
			if !truth(v) {
				return each(nil)
			}
			get := func(x Value) Value { return x }
			if byAttribute {
				if len(args) == 0 {
					fail("the filter %s wants the name of an attribute", quoted(name))
				}
				get = st.getter(args[0], nil, false)
				args = args[1:]
			}
			test := truth
			if len(args) > 0 {
				test = func(x Value) bool {
					return truth(st.test(wantText("the filter "+quoted(name), args[0]), x, args[1:], kw))
				}
			}
			next := st.iter(v)
			return func() (Value, bool) {
				for {
					x, ok := next()
					if !ok || test(get(x)) == keep {
						return x, ok
					}
				}
			}
		})
	}
}

func first(st *state, v Value, a []Value) Value {
	if x, ok := st.iter(v)(); ok {
		return x
	}
	return &Undefined{hint: "there is no first item"}
}

// reversed returns the items from the end; false where Python's reversed
// raises a TypeError.
func (st *state) reversed(v Value) ([]Value, bool) {
	switch v.(type) {
	case *generator, *loopContext, *namespace:
		return nil, false
	}
	if _, ok := length(v); !ok {
		return nil, false
	}
	items := slices.Clone(st.list(v))
	slices.Reverse(items)
	return items, true
}

func last(st *state, v Value, a []Value) Value {
	items, ok := st.reversed(v)
	if !ok {
		fail("%s has no last item", typeName(v))
	}
	if len(items) == 0 {
		return &Undefined{hint: "there is no last item"}
	}
	return items[0]
}

func reverse(st *state, v Value, a []Value) Value {
	if s, ok := text(v); ok {
		return same(v, st.text(string(reverseRunes([]rune(s)))))
	}
	if items, ok := st.reversed(v); ok {
		return &generator{"reverse iterator", each(items)}
	}
	if _, ok := st.iterable(v); !ok {
		fail("%s cannot be reversed", typeName(v))
	}
	items := slices.Clone(st.list(v))
	slices.Reverse(items)
	return &List{items}
}

func reverseRunes(r []rune) []rune { slices.Reverse(r); return r }

func items(st *state, v Value, a []Value) Value {
	return st.lazy(func() func() (Value, bool) {
		switch v := v.(type) {
		case *Undefined:
			return each(nil)
		case *Dict:
			return each(view{"items", v}.items())
		}
		fail("the filter \"items\" wants a dict, has %s", typeName(v))
		return nil
	})
}

func sum(st *state, v Value, a []Value) Value {
	get := st.getter(a[0], nil, false)
	total := a[1]
	if isText(total) {
		fail("the filter \"sum\" does not add str")
	}
	next := st.iter(v)
	for x, ok := next(); ok; x, ok = next() {
		if a[0] != nil {
			x = get(x)
		}
		total = st.binary("+", total, x)
	}
	return total
}

// extreme is the smallest or the largest item.
func extreme(smallest bool) func(*state, Value, []Value) Value {
	return func(st *state, v Value, a []Value) Value {
		get := st.getter(a[1], nil, !truth(a[0]))
		next := st.iter(v)
		best, ok := next()
		if !ok {
			return &Undefined{hint: "there is no item to choose from"}
		}
		key := get(best)
		for x, ok := next(); ok; x, ok = next() {
			k := get(x)
			if smallest && st.less(k, key, "<", 0) || !smallest && st.less(key, k, ">", 0) {
				best, key = x, k
			}
		}
		return best
	}
}

// sorted orders items by their keys, equal ones as they stand, also where the
// order is reversed.
func (st *state) sorted(items []Value, key func(Value) Value, reverse bool) []Value {
	type keyed struct{ key, v Value }
	st.alloc(48 * len(items))
	list := make([]keyed, len(items))
	for i, v := range items {
		list[i] = keyed{key(v), v}
	}
	slices.SortStableFunc(list, func(a, b keyed) int {
		if reverse {
			a, b = b, a
		}
		switch {
		case st.less(a.key, b.key, "<", 0):
			return -1
		case st.less(b.key, a.key, "<", 0):
			return 1
		}
		return 0
	})
	out := make([]Value, len(items))
	for i, k := range list {
		out[i] = k.v
	}
	return out
}

func sortFilter(st *state, v Value, a []Value) Value {
	var gets []func(Value) Value
	if s, ok := text(a[2]); ok {
		for part := range strings.SplitSeq(s, ",") {
			gets = append(gets, st.getter(part, nil, !truth(a[1])))
		}
	} else {
		gets = append(gets, st.getter(a[2], nil, !truth(a[1])))
	}
	key := func(v Value) Value {
		keys := make([]Value, len(gets))
		for i, get := range gets {
			keys[i] = get(v)
		}
		return &List{keys}
	}
	return &List{st.sorted(st.list(v), key, truth(a[0]))}
}

func dictSort(st *state, v Value, a []Value) Value {
	d, ok := v.(*Dict)
	if !ok {
		fail("the filter \"dictsort\" wants a dict, has %s", typeName(v))
	}
	place := map[Value]int64{"key": 0, "value": 1}
	by, ok := text(a[1])
	at, known := place[by]
	if !ok || !known {
		fail("the filter \"dictsort\" wants by to be key or value")
	}
	return &List{st.sorted(view{"items", d}.items(), st.getter(at, nil, !truth(a[0])), truth(a[2]))}
}

func groupBy(st *state, v Value, a []Value) Value {
	fold := !truth(a[2])
	get := st.getter(a[0], a[1], fold)
	var out []Value
	var key Value
	var members []Value
	flush := func() {
		if len(members) == 0 {
			return
		}
		grouper := key
		if fold {
			grouper = st.getter(a[0], a[1], false)(members[0])
		}
		out = append(out, group{grouper, &List{members}})
	}
	for _, x := range st.sorted(st.list(v), get, false) {
		k := get(x)
		if len(members) > 0 && st.equal(k, key) {
			members = append(members, x)
			continue
		}
		flush()
		key, members = k, []Value{x}
	}
	flush()
	return &List{out}
}

func unique(st *state, v Value, a []Value) Value {
	get := st.getter(a[1], nil, !truth(a[0]))
	return st.lazy(func() func() (Value, bool) {
		seen := NewDict()
		next := st.iter(v)
		return func() (Value, bool) {
			for {
				x, ok := next()
				if !ok {
					return nil, false
				}
				k := get(x)
				if _, ok := seen.Get(k); !ok {
					st.alloc(64)
					seen.set(k, nil)
					return x, true
				}
			}
		}
	})
}

// batch gives lists of a number of items.
func batch(st *state, v Value, a []Value) Value {
	return st.lazy(func() func() (Value, bool) {
		next := st.iter(v)
		size, isInt := integer(a[0])
		done := false
		var held []Value
		return func() (Value, bool) {
			for !done {
				x, ok := next()
				full := isInt && size.IsInt64() && int64(len(held)) == size.Int64()
				if !ok {
					done = true
					if len(held) == 0 {
						return nil, false
					}
					out := held
					if a[1] != nil {
						n := whole("the filter \"batch\"", a[0])
						st.room(16, max(n, 1))
						for len(out) < n {
							out = append(out, a[1])
						}
					}
					return &List{out}, true
				}
				st.alloc(16)
				if full {
					out := held
					held = []Value{x}
					return &List{out}, true
				}
				held = append(held, x)
			}
			return nil, false
		}
	})
}

// sliceFilter gives a number of lists of about the same length.
func sliceFilter(st *state, v Value, a []Value) Value {
	return st.lazy(func() func() (Value, bool) {
		seq := st.list(v)
		n := whole("the filter \"slice\"", a[0])
		if n == 0 {
			fail("division by zero")
		}
		per, rest := 0, 0
		if n > 0 {
			per, rest = len(seq)/n, len(seq)%n
		}
		i, from := -1, 0
		return func() (Value, bool) {
			if i++; i >= n {
				return nil, false
			}
			st.step()
			to := from + per
			if i < rest {
				to++
			}
			part := slices.Clone(seq[from:to])
			from = to
			if a[1] != nil && i >= rest {
				part = append(part, a[1])
			}
			st.alloc(16 * len(part))
			return &List{part}, true
		}
	})
}
