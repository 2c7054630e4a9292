package jinja

import (
	"context"
	"strings"
	"time"
)

// state is one rendering.
type state struct {
	ctx      context.Context
	vars     *Dict            // what the template was given
	exported map[string]Value // what the template has set outside of everything
	now      time.Time

	out          *strings.Builder
	line         int   // of what is under way
	depth        int   // of macros and recursive loops
	readers      int   // of iterators that read each other
	steps, bytes int64 // that are left
}

// frame holds the variables of one run through a frameNode.
type frame struct {
	vars   []Value
	parent *frame
}

// missing is what a variable holds before it is set.
type missingValue struct{}

var missing Value = missingValue{}

// step counts a step.
func (st *state) step() { st.work(1) }

// work counts n steps.
func (st *state) work(n int) {
	before := st.steps
	st.steps -= int64(n)
	if st.steps < 0 {
		exceed("the template takes too many steps")
	}
	if before>>12 != st.steps>>12 {
		if err := st.ctx.Err(); err != nil {
			panic(stopped{err})
		}
	}
}

// alloc counts n bytes that the template makes.
func (st *state) alloc(n int) {
	st.bytes -= int64(n)
	if n < 0 || st.bytes < 0 {
		exceed("the template makes too many bytes of text and lists")
	}
	st.work(n >> 7)
}

// text counts a text that was made.
func (st *state) text(s string) string {
	st.alloc(len(s))
	return s
}

// room refuses beforehand what would have n·m bytes.
func (st *state) room(n, m int) {
	if n > 0 && m > 0 && (int64(n) > st.bytes || int64(m) > st.bytes/int64(n)) {
		exceed("the template makes too many bytes of text and lists")
	}
}

func (st *state) write(s string) {
	st.alloc(len(s))
	st.out.WriteString(s)
}

// capture returns what fn writes.
func (st *state) capture(fn func()) string {
	before := st.out
	st.out = &strings.Builder{}
	fn()
	s := st.out.String()
	st.out = before
	return s
}

// call counts a call inside others while fn runs.
func (st *state) nested(fn func()) {
	if st.depth++; st.depth > maxCalls {
		exceed("more than %d macros and loops lie inside each other", maxCalls)
	}
	fn()
	st.depth--
}

// enter makes a frame.
func (st *state) enter(n *frameNode, parent *frame) *frame {
	st.work(1 + len(n.vars))
	f := &frame{vars: make([]Value, len(n.vars)), parent: parent}
	for i, v := range n.vars {
		switch v.kind {
		case loadContext:
			f.vars[i] = st.resolve(v.name)
		case loadOuter:
			f.vars[i] = *parent.at(v.outer)
		default:
			f.vars[i] = missing
		}
	}
	return f
}

// at is the place of a variable.
func (f *frame) at(b binding) *Value {
	for range b.hops {
		f = f.parent
	}
	return &f.vars[b.slot]
}

// resolve returns what the template was given under a name.
func (st *state) resolve(name string) Value {
	if v, ok := st.exported[name]; ok {
		return v
	}
	if v, ok := st.vars.Get(name); ok {
		return v
	}
	if v, ok := globals[name]; ok {
		return v
	}
	return missing
}

// run runs statements until one leaves the loop around them.
func (st *state) run(list []node, f *frame) flow {
	for _, n := range list {
		st.step()
		if fl := n.run(st, f); fl != flowOn {
			return fl
		}
	}
	return flowOn
}

func (n *dataNode) run(st *state, f *frame) flow {
	st.write(n.text)
	return flowOn
}

func (n *outputNode) run(st *state, f *frame) flow {
	st.line = n.line
	v := n.x.eval(st, f)
	st.line = n.line
	st.write(st.str(v))
	return flowOn
}

func (n *ifNode) run(st *state, f *frame) flow {
	for _, arm := range n.arms {
		st.line = n.line
		if truth(arm.test.eval(st, f)) {
			return st.run(arm.body, f)
		}
	}
	return st.run(n.other, f)
}

// assign gives a value to a target.
func (st *state) assign(target expr, v Value, f *frame) {
	switch t := target.(type) {
	case *nameExpr:
		*f.at(t.binding) = v
		if f.parent == nil {
			st.exported[t.name] = v
		}
	case *nsTarget:
		st.line = t.line
		ns, ok := t.ns.eval(st, f).(*namespace)
		if !ok {
			fail("%s is not a namespace, so its attribute cannot be set", t.ns.name)
		}
		ns.attrs.set(t.attr, v)
	case *tupleExpr:
		next := st.iter(v)
		for i, item := range t.items {
			x, ok := next()
			if !ok {
				fail("want %d values to unpack, have %d", len(t.items), i)
			}
			st.assign(item, x, f)
		}
		if _, more := next(); more {
			fail("want %d values to unpack, have more", len(t.items))
		}
	}
}

func (n *setNode) run(st *state, f *frame) flow {
	st.line = n.line
	v := n.x.eval(st, f)
	st.line = n.line
	st.assign(n.target, v, f)
	return flowOn
}

// filtered captures what a body writes and applies the filters of its block.
// A loop around the block that the body leaves takes what was captured along.
func (st *state) filtered(body []node, filter expr, f *frame) (Value, flow) {
	var fl flow
	text := st.capture(func() { fl = st.run(body, f) })
	if fl != flowOn {
		return nil, fl
	}
	if _, none := filter.(*constExpr); none {
		return text, flowOn
	}
	f.vars = append(f.vars, text)
	v := filter.eval(st, f)
	f.vars = f.vars[:len(f.vars)-1]
	return v, flowOn
}

func (n *setBlock) run(st *state, f *frame) flow {
	st.line = n.line
	v, fl := st.filtered(n.body, n.filter, st.enter(n.inner, f))
	if fl == flowOn {
		st.assign(n.target, v, f)
	}
	return fl
}

func (n *filterBlock) run(st *state, f *frame) flow {
	st.line = n.line
	v, fl := st.filtered(n.body, n.filter, st.enter(n.inner, f))
	if fl == flowOn {
		st.write(st.str(v))
	}
	return fl
}

func (n *withNode) run(st *state, f *frame) flow {
	st.line = n.line
	in := st.enter(n.inner, f)
	for i, t := range n.targets {
		st.assign(t, n.values[i].eval(st, f), in)
	}
	return st.run(n.body, in)
}

func (n *scopeNode) run(st *state, f *frame) flow { return st.run(n.body, st.enter(n.inner, f)) }

func (n *blockNode) run(st *state, f *frame) flow {
	st.run(n.body, st.enter(n.inner, nil))
	return flowOn
}

func (n *refusedNode) run(st *state, f *frame) flow {
	st.line = n.line
	fail("%s: there are no other templates", n.tag)
	return flowOn
}

func (n *jumpNode) run(st *state, f *frame) flow { return n.kind }

func (n *macroNode) run(st *state, f *frame) flow {
	st.assign(n.target, &macro{n, f}, f)
	return flowOn
}

func (n *callBlock) run(st *state, f *frame) flow {
	st.line = n.line
	caller := &macro{n.caller, f}
	if n.call == nil {
		st.write(st.str(caller.call(st, nil, kwargs{})))
		return flowOn
	}
	fn, args, kw := n.call.arguments(st, f)
	kw.set("caller", caller)
	st.write(st.str(st.apply(fn, args, kw)))
	return flowOn
}

func (n *forNode) run(st *state, f *frame) flow {
	st.line = n.line
	over := n.iter.eval(st, f)
	if !n.recursive {
		return n.iterate(st, f, over, 0)
	}
	st.write(n.recurse(st, f, over, 0))
	return flowOn
}

// recurse returns what the loop writes for other items.
func (n *forNode) recurse(st *state, f *frame, over Value, depth int) (out string) {
	st.nested(func() {
		out = st.capture(func() { n.iterate(st, f, over, depth) })
	})
	return out
}

// iterate runs the loop. Where every round ends in break or continue, the part
// after else is run as if there were no items, as in Jinja2.
func (n *forNode) iterate(st *state, f *frame, over Value, depth int) flow {
	next := st.iter(over)
	if n.test != nil {
		next = n.tested(st, f, next)
		over = nil
	}
	loop := &loopContext{next: next, over: over, index0: -1, length: -1, depth0: depth, before: missing, current: missing, after: missing, changedTo: missing}
	if n.recursive {
		loop.recurse = func(over Value) string { return n.recurse(st, f, over, depth+1) }
	}
	ran := false
	for {
		v, ok := loop.advance()
		if !ok {
			break
		}
		st.line = n.line
		in := st.enter(n.inner, f)
		st.assign(n.target, v, in)
		if n.loopSlot >= 0 {
			in.vars[n.loopSlot] = loop
		}
		fl := st.run(n.body, in)
		if fl == flowBreak {
			break
		}
		ran = ran || fl == flowOn
	}
	if n.other != nil && !ran {
		return st.run(n.other, st.enter(n.otherFrame, f))
	}
	return flowOn
}

// tested passes on the items that the loop's condition lets through.
func (n *forNode) tested(st *state, f *frame, next func() (Value, bool)) func() (Value, bool) {
	return func() (Value, bool) {
		for {
			v, ok := next()
			if !ok {
				return nil, false
			}
			in := st.enter(n.testFrame, f)
			st.assign(n.testTarget, v, in)
			if truth(n.test.eval(st, in)) {
				return v, true
			}
		}
	}
}

// kwargs are arguments by name, in their order.
type kwargs struct {
	names  []string
	values []Value
}

func (k *kwargs) set(name string, v Value) {
	k.names = append(k.names, name)
	k.values = append(k.values, v)
}

// take removes an argument.
func (k *kwargs) take(name string) (Value, bool) {
	for i, n := range k.names {
		if n == name {
			v := k.values[i]
			k.names = append(append([]string(nil), k.names[:i]...), k.names[i+1:]...)
			k.values = append(append([]Value(nil), k.values[:i]...), k.values[i+1:]...)
			return v, true
		}
	}
	return nil, false
}

func (k kwargs) dict() *Dict {
	d := NewDict()
	for i, n := range k.names {
		d.set(n, k.values[i])
	}
	return d
}

// macro is a macro, or the body of a call block, with the frame around it.
type macro struct {
	node  *macroNode
	frame *frame
}

func (m *macro) call(st *state, args []Value, kw kwargs) Value {
	n := m.node
	in := st.enter(n.inner, m.frame)
	given := min(len(args), len(n.params))
	foundCaller := given == len(n.params) && n.explicitCaller
	for i, p := range n.params {
		v := missing
		if i < given {
			v = args[i]
		} else {
			if x, ok := kw.take(p.name); ok {
				v = x
			}
			foundCaller = foundCaller || p.name == "caller"
		}
		in.vars[p.slot] = v
	}
	if n.callerSlot >= 0 && !foundCaller {
		v, _ := kw.take("caller")
		if v == nil {
			v = &Undefined{hint: "there is no caller"}
		}
		in.vars[n.callerSlot] = v
	}
	switch {
	case n.kwargsSlot >= 0:
		in.vars[n.kwargsSlot] = kw.dict()
	case len(kw.names) > 0:
		fail("the macro %s has no parameter %s", quoted(n.name), quoted(kw.names[0]))
	}
	switch {
	case n.varargsSlot >= 0:
		in.vars[n.varargsSlot] = &Tuple{args[given:]}
	case len(args) > given:
		fail("the macro %s wants at most %d arguments, has %d", quoted(n.name), len(n.params), len(args))
	}
	for i, p := range n.params {
		if in.vars[p.slot] != missing {
			continue
		}
		if d := i - (len(n.params) - len(n.defaults)); d >= 0 {
			in.vars[p.slot] = n.defaults[d].eval(st, in)
		} else {
			in.vars[p.slot] = &Undefined{hint: "the parameter " + quoted(p.name) + " was not given"}
		}
	}
	var out string
	line := st.line
	st.nested(func() {
		out = st.capture(func() { st.run(n.body, in) })
	})
	st.line = line
	return out
}

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
func (l *loopContext) len(st *state) int {
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

func (l *loopContext) attr(st *state, name string) (Value, bool) {
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
		return &function{name: "loop.cycle", fn: func(st *state, args []Value, kw kwargs) Value {
			noNames("loop.cycle", kw)
			if len(args) == 0 {
				fail("loop.cycle has no items")
			}
			return args[l.index0%len(args)]
		}}, true
	case "changed":
		return &function{name: "loop.changed", fn: func(st *state, args []Value, kw kwargs) Value {
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

func (l *loopContext) call(st *state, args []Value, kw kwargs) Value {
	v := bind("loop", params("iterable"), args, kw)
	if l.recurse == nil {
		fail("loop is called, but the loop is not marked as recursive")
	}
	return l.recurse(v[0])
}
