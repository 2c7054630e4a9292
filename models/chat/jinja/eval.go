package jinja

import (
	"strings"

	"logitscope/models/chat/jinja/python"
)

// state is one rendering.
type state struct {
	*python.Run
	vars     *python.Dict            // what the template was given
	exported map[string]python.Value // what the template has set outside of everything

	out     *strings.Builder
	depth   int // of macros and recursive loops
	readers int // of iterators that read each other
}

// frame holds the variables of one run through a frameNode.
type frame struct {
	vars   []python.Value
	parent *frame
}

// missing is what a variable holds before it is set.
type missingValue struct{}

var missing python.Value = missingValue{}

func (st *state) write(s string) {
	st.Alloc(len(s))
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
		python.Exceed("more than %d macros and loops lie inside each other", maxCalls)
	}
	fn()
	st.depth--
}

// enter makes a frame.
func (st *state) enter(n *frameNode, parent *frame) *frame {
	st.Work(1 + len(n.vars))
	f := &frame{vars: make([]python.Value, len(n.vars)), parent: parent}
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
func (f *frame) at(b binding) *python.Value {
	for range b.hops {
		f = f.parent
	}
	return &f.vars[b.slot]
}

// resolve returns what the template was given under a name.
func (st *state) resolve(name string) python.Value {
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
		st.Step()
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
	st.Line = n.line
	v := n.x.eval(st, f)
	st.Line = n.line
	st.write(st.Str(v))
	return flowOn
}

func (n *ifNode) run(st *state, f *frame) flow {
	for _, arm := range n.arms {
		st.Line = n.line
		if python.Truth(arm.test.eval(st, f)) {
			return st.run(arm.body, f)
		}
	}
	return st.run(n.other, f)
}

// assign gives a value to a target.
func (st *state) assign(target expr, v python.Value, f *frame) {
	switch t := target.(type) {
	case *nameExpr:
		*f.at(t.binding) = v
		if f.parent == nil {
			st.exported[t.name] = v
		}
	case *nsTarget:
		st.Line = t.line
		ns, ok := t.ns.eval(st, f).(*python.Namespace)
		if !ok {
			python.Fail("%s is not a namespace, so its attribute cannot be set", t.ns.name)
		}
		ns.Attrs.Put(t.attr, v)
	case *tupleExpr:
		next := st.Iter(v)
		for i, item := range t.items {
			x, ok := next()
			if !ok {
				python.Fail("want %d values to unpack, have %d", len(t.items), i)
			}
			st.assign(item, x, f)
		}
		if _, more := next(); more {
			python.Fail("want %d values to unpack, have more", len(t.items))
		}
	}
}

func (n *setNode) run(st *state, f *frame) flow {
	st.Line = n.line
	v := n.x.eval(st, f)
	st.Line = n.line
	st.assign(n.target, v, f)
	return flowOn
}

// filtered captures what a body writes and applies the filters of its block.
// A loop around the block that the body leaves takes what was captured along.
func (st *state) filtered(body []node, filter expr, f *frame) (python.Value, flow) {
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
	st.Line = n.line
	v, fl := st.filtered(n.body, n.filter, st.enter(n.inner, f))
	if fl == flowOn {
		st.assign(n.target, v, f)
	}
	return fl
}

func (n *filterBlock) run(st *state, f *frame) flow {
	st.Line = n.line
	v, fl := st.filtered(n.body, n.filter, st.enter(n.inner, f))
	if fl != flowOn {
		return fl
	}
	text, ok := python.Text(v)
	if !ok {
		python.Fail("a filter block wants a str, has %s", python.TypeName(v))
	}
	st.write(text)
	return flowOn
}

func (n *withNode) run(st *state, f *frame) flow {
	st.Line = n.line
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
	st.Line = n.line
	python.Fail("%s: there are no other templates", n.tag)
	return flowOn
}

func (n *jumpNode) run(st *state, f *frame) flow { return n.kind }

func (n *macroNode) run(st *state, f *frame) flow {
	st.assign(n.target, &macro{st, n, f}, f)
	return flowOn
}

func (n *callBlock) run(st *state, f *frame) flow {
	st.Line = n.line
	caller := &macro{st, n.caller, f}
	if n.call == nil {
		st.write(st.Str(caller.Call(st.Run, nil, python.Kwargs{})))
		return flowOn
	}
	fn, args, kw := n.call.arguments(st, f)
	kw.Set("caller", caller)
	st.write(st.Str(st.Apply(fn, args, kw)))
	return flowOn
}

func (n *forNode) run(st *state, f *frame) flow {
	st.Line = n.line
	over := n.iter.eval(st, f)
	if !n.recursive {
		return n.iterate(st, f, over, 0)
	}
	st.write(n.recurse(st, f, over, 0))
	return flowOn
}

// recurse returns what the loop writes for other items.
func (n *forNode) recurse(st *state, f *frame, over python.Value, depth int) (out string) {
	st.nested(func() {
		out = st.capture(func() { n.iterate(st, f, over, depth) })
	})
	return out
}

// iterate runs the loop. Where every round ends in break or continue, the part
// after else is run as if there were no items, as in Jinja2.
func (n *forNode) iterate(st *state, f *frame, over python.Value, depth int) flow {
	next := st.Iter(over)
	if n.test != nil {
		next = n.tested(st, f, next)
		over = nil
	}
	loop := &loopContext{next: next, over: over, index0: -1, length: -1, depth0: depth, before: missing, current: missing, after: missing, changedTo: missing}
	if n.recursive {
		loop.recurse = func(over python.Value) string { return n.recurse(st, f, over, depth+1) }
	}
	ran := false
	for {
		v, ok := loop.advance()
		if !ok {
			break
		}
		st.Line = n.line
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
func (n *forNode) tested(st *state, f *frame, next func() (python.Value, bool)) func() (python.Value, bool) {
	return func() (python.Value, bool) {
		for {
			v, ok := next()
			if !ok {
				return nil, false
			}
			in := st.enter(n.testFrame, f)
			st.assign(n.testTarget, v, in)
			if python.Truth(n.test.eval(st, in)) {
				return v, true
			}
		}
	}
}
