package jinja

import (
	"fmt"

	"logitscope/models/chat/jinja/python"
)

// loopContext is the variable loop.
type loopContext struct {
	next      func() (python.Value, bool)
	over      python.Value
	index0    int
	length    int // -1 until it is known
	depth0    int
	before    python.Value
	current   python.Value
	after     python.Value // the item after current, if it was looked at
	changedTo python.Value
	recurse   func(over python.Value) string // nil if the loop is not recursive
}

func (l *loopContext) advance() (python.Value, bool) {
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
func (l *loopContext) peek() python.Value {
	if l.after == missing {
		if v, ok := l.next(); ok {
			l.after = v
		}
	}
	return l.after
}

// len returns the number of items, for which those of an iterator are read.
func (l *loopContext) len(st *python.Run) int {
	if l.length >= 0 {
		return l.length
	}
	if n, ok := python.Length(l.over); ok && l.over != nil {
		l.length = n
		return n
	}
	var rest []python.Value
	for v, ok := l.next(); ok; v, ok = l.next() {
		st.Alloc(16)
		rest = append(rest, v)
	}
	l.length = l.index0 + 1 + len(rest)
	if l.after != missing {
		l.length++
	}
	l.next = func() (python.Value, bool) {
		if len(rest) == 0 {
			return nil, false
		}
		v := rest[0]
		rest = rest[1:]
		return v, true
	}
	return l.length
}

func (l *loopContext) Attr(st *python.Run, name string) (python.Value, bool) {
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
			return &python.Undefined{Hint: "there is no item before this one"}, true
		}
		return l.before, true
	case "nextitem":
		if v := l.peek(); v != missing {
			return v, true
		}
		return &python.Undefined{Hint: "there is no item after this one"}, true
	case "cycle":
		return &python.Function{Name: "loop.cycle", Fn: func(st *python.Run, args []python.Value, kw python.Kwargs) python.Value {
			python.NoNames("loop.cycle", kw)
			if len(args) == 0 {
				python.Fail("loop.cycle has no items")
			}
			return args[l.index0%len(args)]
		}}, true
	case "changed":
		return &python.Function{Name: "loop.changed", Fn: func(st *python.Run, args []python.Value, kw python.Kwargs) python.Value {
			python.NoNames("loop.changed", kw)
			now := &python.Tuple{Items: args}
			if l.changedTo != missing && st.Equal(l.changedTo, now) {
				return false
			}
			l.changedTo = now
			return true
		}}, true
	}
	return nil, false
}

func (l *loopContext) Call(st *python.Run, args []python.Value, kw python.Kwargs) python.Value {
	v := python.Bind("loop", python.Params("iterable"), args, kw)
	if l.recurse == nil {
		python.Fail("loop is called, but the loop is not marked as recursive")
	}
	return l.recurse(v[0])
}

func (l *loopContext) TypeName() string { return "LoopContext" }

func (l *loopContext) Written(st *python.Run) string {
	return fmt.Sprintf("<LoopContext %d/%d>", l.index0+1, l.len(st))
}

func (l *loopContext) Iterator() func() (python.Value, bool) {
	return func() (python.Value, bool) {
		x, ok := l.advance()
		return &python.Tuple{Items: []python.Value{x, l}}, ok
	}
}
