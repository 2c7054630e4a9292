package jinja

import "fmt"

// loopContext is the variable loop.
type loopContext struct {
	next      func() (Value, bool)
	over      Value
	index0    int
	length    int // -1 until it is known
	depth0    int
	before    Value
	current   Value
	after     Value // the item after current, if it was looked at
	changedTo Value
	recurse   func(over Value) string // nil if the loop is not recursive
}

func (l *loopContext) advance() (Value, bool) {
	v, ok := l.after, true
	if v == missing {
		v, ok = l.next()
	}
	l.after = missing
	if !ok {
		return nil, false
	}
	l.index0++
	l.before, l.current = l.current, v
	return v, true
}

// peek looks at the item after the current one; missing if there is none.
func (l *loopContext) peek() Value {
	if l.after == missing {
		if v, ok := l.next(); ok {
			l.after = v
		}
	}
	return l.after
}

// len returns the number of items, for which those of an iterator are read.
func (l *loopContext) len(st *spent) int {
	if l.length >= 0 {
		return l.length
	}
	if n, ok := length(l.over); ok && l.over != nil {
		l.length = n
		return n
	}
	var rest []Value
	for v, ok := l.next(); ok; v, ok = l.next() {
		st.alloc(16)
		rest = append(rest, v)
	}
	l.length = l.index0 + 1 + len(rest)
	if l.after != missing {
		l.length++
	}
	l.next = func() (Value, bool) {
		if len(rest) == 0 {
			return nil, false
		}
		v := rest[0]
		rest = rest[1:]
		return v, true
	}
	return l.length
}

func (l *loopContext) attr(st *spent, name string) (Value, bool) {
	switch name {
	case "index":
		return int64(l.index0 + 1), true
	case "index0":
		return int64(l.index0), true
	case "revindex":
		return int64(l.len(st) - l.index0), true
	case "revindex0":
		return int64(l.len(st) - l.index0 - 1), true
	case "length":
		return int64(l.len(st)), true
	case "first":
		return l.index0 == 0, true
	case "last":
		return l.peek() == missing, true
	case "depth":
		return int64(l.depth0 + 1), true
	case "depth0":
		return int64(l.depth0), true
	case "previtem":
		if l.before == missing {
			return &Undefined{hint: "there is no item before this one"}, true
		}
		return l.before, true
	case "nextitem":
		if v := l.peek(); v != missing {
			return v, true
		}
		return &Undefined{hint: "there is no item after this one"}, true
	case "cycle":
		return &function{name: "loop.cycle", fn: func(st *spent, args []Value, kw kwargs) Value {
			noNames("loop.cycle", kw)
			if len(args) == 0 {
				fail("loop.cycle has no items")
			}
			return args[l.index0%len(args)]
		}}, true
	case "changed":
		return &function{name: "loop.changed", fn: func(st *spent, args []Value, kw kwargs) Value {
			noNames("loop.changed", kw)
			now := &Tuple{args}
			if l.changedTo != missing && st.equal(l.changedTo, now) {
				return false
			}
			l.changedTo = now
			return true
		}}, true
	}
	return nil, false
}

func (l *loopContext) call(st *spent, args []Value, kw kwargs) Value {
	v := bind("loop", params("iterable"), args, kw)
	if l.recurse == nil {
		fail("loop is called, but the loop is not marked as recursive")
	}
	return l.recurse(v[0])
}

func (l *loopContext) typeName() string { return "LoopContext" }

func (l *loopContext) written(st *spent) string {
	return fmt.Sprintf("<LoopContext %d/%d>", l.index0+1, l.len(st))
}

func (l *loopContext) iterator() func() (Value, bool) {
	return func() (Value, bool) {
		x, ok := l.advance()
		return &Tuple{[]Value{x, l}}, ok
	}
}
