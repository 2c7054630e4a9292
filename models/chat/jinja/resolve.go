package jinja

import (
	"logitscope/models/chat/jinja/python"
)

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
