package jinja

import (
	"slices"
	"strconv"
	"strings"

	"logitscope/models/chat/jinja/python"
)

// getter returns what reads an attribute, given as a path of names and
// numbers, or as one number. An item that is not there becomes def, unless
// that is nil; fold makes texts lower case.
func (st *state) getter(attribute, def python.Value, fold bool) func(python.Value) python.Value {
	var path []python.Value
	if s, ok := python.Text(attribute); ok {
		for part := range strings.SplitSeq(s, ".") {
			if n, err := strconv.ParseInt(part, 10, 64); err == nil && python.All(part, python.IsDigit) {
				path = append(path, n)
			} else {
				path = append(path, part)
			}
		}
	} else if attribute != nil {
		path = []python.Value{attribute}
	}
	return func(v python.Value) python.Value {
		for _, part := range path {
			v = st.Getitem(v, part)
			if _, undefined := v.(*python.Undefined); undefined && def != nil {
				v = def
			}
		}
		if s, ok := python.Text(v); ok && fold {
			return st.Text(python.Lower(s))
		}
		return v
	}
}

// lazy returns an iterator that is read once, over what start gives when the
// first item is asked for.
func (st *state) lazy(start func() func() (python.Value, bool)) python.Value {
	var next func() (python.Value, bool)
	return &python.Generator{Name: "generator", Next: func() (python.Value, bool) {
		if st.readers++; st.readers > python.MaxValues {
			python.Exceed("more than %d iterators read each other", python.MaxValues)
		}
		if next == nil {
			next = start()
		}
		v, ok := next()
		st.readers--
		return v, ok
	}}
}

func mapFilter(st *state, v python.Value, args []python.Value, kw python.Kwargs) python.Value {
	return st.lazy(func() func() (python.Value, bool) {
		if !python.Truth(v) {
			return python.Each(nil)
		}
		var fn func(python.Value) python.Value
		attribute, byAttribute := kw.Take("attribute")
		switch {
		case len(args) == 0 && byAttribute:
			def, _ := kw.Take("default")
			python.NoNames("the filter \"map\"", kw)
			fn = st.getter(attribute, def, false)
		case len(args) == 0:
			python.Fail("the filter \"map\" wants the name of a filter")
		default:
			if byAttribute {
				kw.Set("attribute", attribute)
			}
			name := python.WantText("the filter \"map\"", args[0])
			fn = func(x python.Value) python.Value { return st.filter(name, x, args[1:], kw) }
		}
		next := st.Iter(v)
		return func() (python.Value, bool) {
			x, ok := next()
			if !ok {
				return nil, false
			}
			return fn(x), true
		}
	})
}

// selecting makes select, reject and those by an attribute.
func selecting(name string, byAttribute, keep bool) func(*state, python.Value, []python.Value, python.Kwargs) python.Value {
	return func(st *state, v python.Value, args []python.Value, kw python.Kwargs) python.Value {
		return st.lazy(func() func() (python.Value, bool) {
			if !python.Truth(v) {
				return python.Each(nil)
			}
			get := func(x python.Value) python.Value { return x }
			if byAttribute {
				if len(args) == 0 {
					python.Fail("the filter %s wants the name of an attribute", python.Quoted(name))
				}
				get = st.getter(args[0], nil, false)
				args = args[1:]
			}
			test := python.Truth
			if len(args) > 0 {
				test = func(x python.Value) bool {
					return python.Truth(st.test(python.WantText("the filter "+python.Quoted(name), args[0]), x, args[1:], kw))
				}
			}
			next := st.Iter(v)
			return func() (python.Value, bool) {
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

func first(st *state, v python.Value, a []python.Value) python.Value {
	if x, ok := st.Iter(v)(); ok {
		return x
	}
	return &python.Undefined{Hint: "there is no first item"}
}

// reversed returns the items from the end; false where Python's reversed
// raises a TypeError.
func (st *state) reversed(v python.Value) ([]python.Value, bool) {
	switch v.(type) {
	case *python.Generator, *loopContext, *python.Namespace:
		return nil, false
	}
	if _, ok := python.Length(v); !ok {
		return nil, false
	}
	items := slices.Clone(st.List(v))
	slices.Reverse(items)
	return items, true
}

func last(st *state, v python.Value, a []python.Value) python.Value {
	items, ok := st.reversed(v)
	if !ok {
		python.Fail("%s has no last item", python.TypeName(v))
	}
	if len(items) == 0 {
		return &python.Undefined{Hint: "there is no last item"}
	}
	return items[0]
}

func reverse(st *state, v python.Value, a []python.Value) python.Value {
	if s, ok := python.Text(v); ok {
		return same(v, st.Text(string(reverseRunes([]rune(s)))))
	}
	if items, ok := st.reversed(v); ok {
		return &python.Generator{Name: "reverse iterator", Next: python.Each(items)}
	}
	if _, ok := st.Iterable(v); !ok {
		python.Fail("%s cannot be reversed", python.TypeName(v))
	}
	items := slices.Clone(st.List(v))
	slices.Reverse(items)
	return &python.List{Items: items}
}

func reverseRunes(r []rune) []rune { slices.Reverse(r); return r }

func items(st *state, v python.Value, a []python.Value) python.Value {
	return st.lazy(func() func() (python.Value, bool) {
		switch v := v.(type) {
		case *python.Undefined:
			return python.Each(nil)
		case *python.Dict:
			return python.Each(python.View{Kind: "items", D: v}.Items())
		}
		python.Fail("the filter \"items\" wants a dict, has %s", python.TypeName(v))
		return nil
	})
}

func sum(st *state, v python.Value, a []python.Value) python.Value {
	get := st.getter(a[0], nil, false)
	total := a[1]
	if python.IsText(total) {
		python.Fail("the filter \"sum\" does not add str")
	}
	next := st.Iter(v)
	for x, ok := next(); ok; x, ok = next() {
		if a[0] != nil {
			x = get(x)
		}
		total = st.Binary("+", total, x)
	}
	return total
}

// extreme is the smallest or the largest item.
func extreme(smallest bool) func(*state, python.Value, []python.Value) python.Value {
	return func(st *state, v python.Value, a []python.Value) python.Value {
		get := st.getter(a[1], nil, !python.Truth(a[0]))
		next := st.Iter(v)
		best, ok := next()
		if !ok {
			return &python.Undefined{Hint: "there is no item to choose from"}
		}
		key := get(best)
		for x, ok := next(); ok; x, ok = next() {
			k := get(x)
			if smallest && st.Less(k, key, "<", 0) || !smallest && st.Less(key, k, ">", 0) {
				best, key = x, k
			}
		}
		return best
	}
}

// sorted orders items by their keys, equal ones as they stand, also where the
// order is reversed.
func (st *state) sorted(items []python.Value, key func(python.Value) python.Value, reverse bool) []python.Value {
	type keyed struct{ key, v python.Value }
	st.Alloc(48 * len(items))
	list := make([]keyed, len(items))
	for i, v := range items {
		list[i] = keyed{key(v), v}
	}
	slices.SortStableFunc(list, func(a, b keyed) int {
		if reverse {
			a, b = b, a
		}
		switch {
		case st.Less(a.key, b.key, "<", 0):
			return -1
		case st.Less(b.key, a.key, "<", 0):
			return 1
		}
		return 0
	})
	out := make([]python.Value, len(items))
	for i, k := range list {
		out[i] = k.v
	}
	return out
}

func sortFilter(st *state, v python.Value, a []python.Value) python.Value {
	var gets []func(python.Value) python.Value
	if s, ok := python.Text(a[2]); ok {
		for part := range strings.SplitSeq(s, ",") {
			gets = append(gets, st.getter(part, nil, !python.Truth(a[1])))
		}
	} else {
		gets = append(gets, st.getter(a[2], nil, !python.Truth(a[1])))
	}
	key := func(v python.Value) python.Value {
		keys := make([]python.Value, len(gets))
		for i, get := range gets {
			keys[i] = get(v)
		}
		return &python.List{Items: keys}
	}
	return &python.List{Items: st.sorted(st.List(v), key, python.Truth(a[0]))}
}

func dictSort(st *state, v python.Value, a []python.Value) python.Value {
	d, ok := v.(*python.Dict)
	if !ok {
		python.Fail("the filter \"dictsort\" wants a dict, has %s", python.TypeName(v))
	}
	place := map[python.Value]int64{"key": 0, "value": 1}
	by, ok := python.Text(a[1])
	at, known := place[by]
	if !ok || !known {
		python.Fail("the filter \"dictsort\" wants by to be key or value")
	}
	return &python.List{Items: st.sorted(python.View{Kind: "items", D: d}.Items(), st.getter(at, nil, !python.Truth(a[0])), python.Truth(a[2]))}
}

func groupBy(st *state, v python.Value, a []python.Value) python.Value {
	fold := !python.Truth(a[2])
	get := st.getter(a[0], a[1], fold)
	var out []python.Value
	var key python.Value
	var members []python.Value
	flush := func() {
		if len(members) == 0 {
			return
		}
		grouper := key
		if fold {
			grouper = st.getter(a[0], a[1], false)(members[0])
		}
		out = append(out, python.Group{Grouper: grouper, List: &python.List{Items: members}})
	}
	for _, x := range st.sorted(st.List(v), get, false) {
		k := get(x)
		if len(members) > 0 && st.Equal(k, key) {
			members = append(members, x)
			continue
		}
		flush()
		key, members = k, []python.Value{x}
	}
	flush()
	return &python.List{Items: out}
}

func unique(st *state, v python.Value, a []python.Value) python.Value {
	get := st.getter(a[1], nil, !python.Truth(a[0]))
	return st.lazy(func() func() (python.Value, bool) {
		seen := python.NewDict()
		next := st.Iter(v)
		return func() (python.Value, bool) {
			for {
				x, ok := next()
				if !ok {
					return nil, false
				}
				k := get(x)
				if _, ok := seen.Get(k); !ok {
					st.Alloc(64)
					seen.Put(k, nil)
					return x, true
				}
			}
		}
	})
}

// batch gives lists of a number of items.
func batch(st *state, v python.Value, a []python.Value) python.Value {
	return st.lazy(func() func() (python.Value, bool) {
		next := st.Iter(v)
		size, isInt := python.Integer(a[0])
		done := false
		var held []python.Value
		return func() (python.Value, bool) {
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
						n := python.Whole("the filter \"batch\"", a[0])
						st.Room(16, max(n, 1))
						for len(out) < n {
							out = append(out, a[1])
						}
					}
					return &python.List{Items: out}, true
				}
				st.Alloc(16)
				if full {
					out := held
					held = []python.Value{x}
					return &python.List{Items: out}, true
				}
				held = append(held, x)
			}
			return nil, false
		}
	})
}

// sliceFilter gives a number of lists of about the same length.
func sliceFilter(st *state, v python.Value, a []python.Value) python.Value {
	return st.lazy(func() func() (python.Value, bool) {
		seq := st.List(v)
		n := python.Whole("the filter \"slice\"", a[0])
		if n == 0 {
			python.Fail("division by zero")
		}
		per, rest := 0, 0
		if n > 0 {
			per, rest = len(seq)/n, len(seq)%n
		}
		i, from := -1, 0
		return func() (python.Value, bool) {
			if i++; i >= n {
				return nil, false
			}
			st.Step()
			to := from + per
			if i < rest {
				to++
			}
			part := slices.Clone(seq[from:to])
			from = to
			if a[1] != nil && i >= rest {
				part = append(part, a[1])
			}
			st.Alloc(16 * len(part))
			return &python.List{Items: part}, true
		}
	})
}
