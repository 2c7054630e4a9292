package jinja

import (
	"maps"

	"logitscope/models/chat/jinja/python"
)

// Names are bound to variables before a template runs, by the rules of
// Jinja2's compiler: a frame (the template, the body of a loop, of a macro, of
// a block that captures) has a variable for each name that is set in it, and
// for each name that is read and that no frame around it knows. What a
// variable holds when its frame is entered follows from where the name is
// first met.

// loadKind says what a variable holds when its frame is entered.
type loadKind int

const (
	loadContext loadKind = iota // what the template was given under that name
	loadOuter                   // the value of the variable of that name around the frame
	loadNothing                 // undefined until it is set
	loadParam                   // what the frame's owner gives it
)

// binding is where a variable is: in the frame that lies hops outside, at slot.
type binding struct{ hops, slot int }

type frameVar struct {
	name  string
	kind  loadKind
	outer binding // for loadOuter
}

// frameNode is what is known of a frame beforehand.
type frameNode struct{ vars []frameVar }

// symbols are the names of one frame while it is looked at.
type symbols struct {
	parent *symbols
	frame  *frameNode
	slots  map[string]int // of all names met, in any branch
	loads  map[string]loadKind
	stores map[string]bool
}

func inner(parent *symbols) *symbols {
	return &symbols{parent: parent, frame: &frameNode{}, slots: map[string]int{}, loads: map[string]loadKind{}, stores: map[string]bool{}}
}

// branch is a copy for one branch of an if.
func (s *symbols) branch() *symbols {
	c := *s
	c.loads, c.stores = maps.Clone(s.loads), maps.Clone(s.stores)
	return &c
}

// known reports whether the frame, or one around it, has the name.
func (s *symbols) known(name string) bool {
	for ; s != nil; s = s.parent {
		if _, ok := s.loads[name]; ok {
			return true
		}
	}
	return false
}

func (s *symbols) define(name string, kind loadKind) int {
	slot, ok := s.slots[name]
	if !ok {
		slot = len(s.frame.vars)
		s.slots[name] = slot
		s.frame.vars = append(s.frame.vars, frameVar{name: name})
	}
	s.loads[name] = kind
	return slot
}

func (s *symbols) load(name string) {
	if !s.known(name) {
		s.define(name, loadContext)
	}
}

func (s *symbols) store(name string) {
	s.stores[name] = true
	if _, ok := s.loads[name]; ok {
		return
	}
	kind := loadNothing
	if s.parent.known(name) {
		kind = loadOuter
	}
	s.define(name, kind)
}

func (s *symbols) param(name string) int {
	s.stores[name] = true
	return s.define(name, loadParam)
}

// join takes over what the branches of an if have done.
func (s *symbols) join(branches ...*symbols) {
	var set []string
	for _, b := range branches {
		for name := range b.stores {
			if !s.stores[name] {
				set = append(set, name)
			}
		}
	}
	for _, b := range branches {
		maps.Copy(s.loads, b.loads)
		maps.Copy(s.stores, b.stores)
	}
	for _, name := range set {
		s.loads[name] = loadContext
		if s.parent.known(name) {
			s.loads[name] = loadOuter
		}
	}
}

// find returns where a name is, as seen from the frame.
func (s *symbols) find(name string) (binding, bool) {
	hops := 0
	for ; s != nil; s = s.parent {
		if _, ok := s.loads[name]; ok {
			return binding{hops, s.slots[name]}, true
		}
		hops++
	}
	return binding{}, false
}

// done fixes what the variables of the frame hold at first.
func (s *symbols) done() *frameNode {
	for name, slot := range s.slots {
		v := &s.frame.vars[slot]
		v.kind = s.loads[name]
		if v.kind == loadOuter {
			v.outer, _ = s.parent.find(name)
		}
	}
	return s.frame
}

// expr notes the names of an expression.
func (s *symbols) expr(x expr) {
	eachName(x, func(n *nameExpr) {
		if n.store {
			s.store(n.name)
		} else {
			s.load(n.name)
		}
	})
}

// params notes the names of an expression as given by the frame's owner.
func (s *symbols) params(x expr) {
	eachName(x, func(n *nameExpr) { s.param(n.name) })
}

// statements notes the names that belong to the frame itself.
func (s *symbols) statements(list []node) {
	for _, n := range list {
		switch n := n.(type) {
		case *outputNode:
			s.expr(n.x)
		case *ifNode:
			s.conditional(n)
		case *forNode:
			s.expr(n.iter)
		case *setNode:
			s.expr(n.x)
			s.expr(n.target)
		case *setBlock:
			s.expr(n.target)
		case *filterBlock:
			s.expr(n.filter)
		case *withNode:
			for _, v := range n.values {
				s.expr(v)
			}
		case *macroNode:
			s.store(n.name)
		case *callBlock:
			if n.call != nil {
				s.expr(n.call)
			}
		}
	}
}

// conditional notes the names of an if. Jinja2 sees three branches: the first,
// the others in one, and the last.
func (s *symbols) conditional(n *ifNode) {
	s.expr(n.arms[0].test)
	first, middle, last := s.branch(), s.branch(), s.branch()
	first.statements(n.arms[0].body)
	for _, arm := range n.arms[1:] {
		middle.conditional(&ifNode{arms: []ifArm{arm}})
	}
	last.statements(n.other)
	s.join(first, middle, last)
}

// resolver binds the names of a template.
type resolver struct{}

func (r *resolver) root(body []node) *frameNode {
	s := inner(nil)
	s.statements(body)
	r.statements(body, s, false)
	return s.done()
}

// expr binds the names of an expression. soft says that it may never run, so
// that an unknown filter is an error only if it does.
func (r *resolver) expr(x expr, s *symbols, soft bool) {
	if x == nil {
		return
	}
	switch x := x.(type) {
	case *nameExpr:
		b, ok := s.find(x.name)
		if !ok { // read by the filter of a block alone
			b = binding{0, s.define(x.name, loadContext)}
		}
		x.binding = b
	case *condExpr:
		soft = true
	case *filterExpr:
		if _, ok := filters[x.name]; !ok && !soft {
			syntax(x.line, "unknown filter %s", python.Quoted(x.name))
		}
	case *testExpr:
		if _, ok := tests[x.name]; !ok && !soft {
			syntax(x.line, "unknown test %s", python.Quoted(x.name))
		}
	}
	for _, c := range children(x) {
		r.expr(c, s, soft)
	}
}

func (r *resolver) statements(list []node, s *symbols, soft bool) {
	for _, n := range list {
		switch n := n.(type) {
		case *outputNode:
			r.expr(n.x, s, soft)
		case *ifNode:
			for _, arm := range n.arms {
				r.expr(arm.test, s, true)
				r.statements(arm.body, s, true)
			}
			r.statements(n.other, s, true)
		case *forNode:
			r.loop(n, s, soft)
		case *setNode:
			r.expr(n.x, s, soft)
			r.expr(n.target, s, soft)
		case *setBlock:
			in := inner(s)
			in.statements(n.body)
			r.expr(n.filter, in, false)
			n.inner = r.body(n.body, in)
			r.expr(n.target, s, soft)
		case *filterBlock:
			in := inner(s)
			in.statements(n.body)
			in.expr(n.filter)
			r.expr(n.filter, in, false)
			n.inner = r.body(n.body, in)
		case *withNode:
			in := inner(s)
			for i, t := range n.targets {
				r.expr(n.values[i], s, soft)
				in.params(t)
			}
			in.statements(n.body)
			for _, t := range n.targets {
				r.expr(t, in, false)
			}
			n.inner = r.body(n.body, in)
		case *scopeNode:
			in := inner(s)
			in.statements(n.body)
			n.inner = r.body(n.body, in)
		case *macroNode:
			r.macro(n, s)
			r.expr(n.target, s, soft)
		case *callBlock:
			if n.call != nil {
				r.expr(n.call, s, soft)
			}
			r.macro(n.caller, s)
		case *blockNode:
			in := inner(nil)
			in.statements(n.body)
			n.inner = r.body(n.body, in)
		}
	}
}

// body binds the statements of a frame whose names are noted.
func (r *resolver) body(list []node, s *symbols) *frameNode {
	r.statements(list, s, false)
	return s.done()
}

func (r *resolver) loop(n *forNode, s *symbols, soft bool) {
	for _, part := range [][]node{{&setNode{target: n.target, x: n.target}}, n.body, n.other} {
		eachMention(part, func(x *nameExpr) bool {
			if x.store && x.name == "loop" {
				syntax(x.line, "loop cannot be assigned to in a loop")
			}
			return true
		})
	}
	r.expr(n.iter, s, soft)
	in := inner(s)
	n.loopSlot = -1
	if n.recursive || mentions(n.body, "loop") {
		n.loopSlot = in.param("loop")
	}
	in.params(n.target)
	in.statements(n.body)
	r.expr(n.target, in, false)
	n.inner = r.body(n.body, in)
	if n.test != nil {
		t := inner(s)
		t.params(n.testTarget)
		t.expr(n.test)
		r.expr(n.testTarget, t, false)
		r.expr(n.test, t, false)
		n.testFrame = t.done()
	}
	if n.other != nil {
		o := inner(s)
		o.statements(n.other)
		n.otherFrame = r.body(n.other, o)
	}
}

func (r *resolver) macro(n *macroNode, s *symbols) {
	in := inner(s)
	own := map[string]bool{}
	for i, p := range n.params {
		own[p.name] = true
		if p.name == "caller" && mentions(n.body, "caller") && i < len(n.params)-len(n.defaults) {
			syntax(n.line, "the parameter \"caller\" must have a default")
		}
		in.param(p.name)
	}
	special := func(name string) int {
		if own[name] || !mentions(n.body, name) {
			return -1
		}
		return in.param(name)
	}
	n.explicitCaller = own["caller"]
	n.callerSlot, n.kwargsSlot, n.varargsSlot = special("caller"), special("kwargs"), special("varargs")
	for _, d := range n.defaults {
		in.expr(d)
	}
	in.statements(n.body)
	for _, p := range n.params {
		r.expr(p, in, false)
	}
	for _, d := range n.defaults {
		r.expr(d, in, false)
	}
	n.inner = r.body(n.body, in)
}

// children are the direct parts of an expression.
func children(x expr) []expr {
	calls := func(c *callExpr, first ...expr) []expr {
		list := append(first, c.args...)
		list = append(list, c.values...)
		return append(list, c.dynArgs, c.dynKwds)
	}
	switch x := x.(type) {
	case *nsTarget:
		return []expr{x.ns}
	case *tupleExpr:
		return x.items
	case *listExpr:
		return x.items
	case *dictExpr:
		var list []expr
		for i := range x.keys {
			list = append(list, x.keys[i], x.values[i])
		}
		return list
	case *attrExpr:
		return []expr{x.x}
	case *itemExpr:
		return []expr{x.x, x.arg}
	case *sliceExpr:
		return []expr{x.x, x.from, x.to, x.stride}
	case *callExpr:
		return calls(x, x.fn)
	case *filterExpr:
		return calls(&x.callExpr, x.x)
	case *testExpr:
		return calls(&x.callExpr, x.x)
	case *notExpr:
		return []expr{x.x}
	case *signExpr:
		return []expr{x.x}
	case *binExpr:
		return []expr{x.a, x.b}
	case *andExpr:
		return []expr{x.a, x.b}
	case *orExpr:
		return []expr{x.a, x.b}
	case *concatExpr:
		return x.items
	case *compareExpr:
		return append([]expr{x.x}, x.args...)
	case *condExpr:
		return []expr{x.test, x.yes, x.no}
	}
	return nil
}

// eachName calls visit for the names of an expression, in their order.
func eachName(x expr, visit func(*nameExpr)) {
	if x == nil {
		return
	}
	if n, ok := x.(*nameExpr); ok {
		visit(n)
	}
	for _, c := range children(x) {
		eachName(c, visit)
	}
}

// mentions reports whether statements, with all that lies in them, read a name
// before they set it.
func mentions(list []node, name string) (found bool) {
	eachMention(list, func(n *nameExpr) bool {
		if n.name != name {
			return true
		}
		found = !n.store
		return false
	})
	return found
}

// eachMention calls visit for the names of statements and of all that lies in
// them, blocks excepted, until it returns false.
func eachMention(list []node, visit func(*nameExpr) bool) bool {
	on := true
	exprs := func(list ...expr) {
		for _, x := range list {
			eachName(x, func(n *nameExpr) { on = on && visit(n) })
		}
	}
	nodes := func(list []node) { on = on && eachMention(list, visit) }
	macro := func(n *macroNode) {
		for _, p := range n.params {
			exprs(p)
		}
		exprs(n.defaults...)
		nodes(n.body)
	}
	for _, n := range list {
		switch n := n.(type) {
		case *outputNode:
			exprs(n.x)
		case *ifNode:
			for _, arm := range n.arms {
				exprs(arm.test)
				nodes(arm.body)
			}
			nodes(n.other)
		case *forNode:
			exprs(n.target, n.iter)
			nodes(n.body)
			nodes(n.other)
			exprs(n.test)
		case *setNode:
			exprs(n.target, n.x)
		case *setBlock:
			exprs(n.target, n.filter)
			nodes(n.body)
		case *filterBlock:
			nodes(n.body)
			exprs(n.filter)
		case *withNode:
			exprs(n.targets...)
			exprs(n.values...)
			nodes(n.body)
		case *scopeNode:
			nodes(n.body)
		case *macroNode:
			macro(n)
		case *callBlock:
			if n.call != nil {
				exprs(n.call)
			}
			macro(n.caller)
		}
		if !on {
			return false
		}
	}
	return on
}
