package jinja

import (
	"maps"
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
