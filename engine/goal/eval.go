package goal

import (
	"cmp"
	"slices"
	"strings"

	"logitscope/engine"
	"logitscope/sampling"
	"logitscope/sampling/dist"
)

// A Scene is one state as expressions look at it. It remembers what was worked
// out, so that several expressions share it. It belongs to one goroutine.
type Scene struct {
	State
	frames map[string]*frame
}

// NewScene returns the scene of a state.
func NewScene(s State) *Scene { return &Scene{State: s, frames: map[string]*frame{}} }

// A frame is a lane of a scene under settings, those in force or others.
type frame struct {
	s    *Scene
	of   int // index of the lane
	sets []setting

	set    *engine.Settings // nil if there are none
	made   *engine.Step     // the step looked at under set; see step
	traced bool
	rows   map[int32]*rowOf
	law    *dist.Dist

	changes map[string]bool // keys that are not as the base has them; nil before it was asked for
}

// frame returns the frame of a lane with settings changed.
func (s *Scene) frame(lane int, sets []setting) *frame {
	key := nameOf(lane, sets)
	if f := s.frames[key]; f != nil {
		return f
	}
	f := &frame{s: s, of: lane, sets: sets, rows: map[int32]*rowOf{}}
	l := s.Lanes[lane]
	f.set = l.settings()
	if len(sets) > 0 && f.set != nil {
		f.set = under(l, f.set, sets)
	}
	s.frames[key] = f
	return f
}

// under returns set with changes, nil if they cannot be compiled.
func under(l Lane, set *engine.Settings, sets []setting) *engine.Settings {
	if l.Compile == nil {
		return nil
	}
	cfg := set.Base().Config()
	for _, x := range sets {
		var err error
		if cfg, err = cfg.With(x.key, x.value, sampling.FromYou); err != nil {
			return nil
		}
	}
	out, err := l.Compile(cfg, set.Base().Label)
	if err != nil {
		return nil
	}
	return out
}

// Step returns the step looked at under the settings in force, nil if there is
// none.
func (s *Scene) Step() *engine.Step { return s.frame(s.At, nil).step() }

// Text returns what the tokens decoded say.
func (s *Scene) Text() string { return s.frame(s.At, nil).text() }

// Eval returns what e comes to in a scene.
func (e *Expr) Eval(s *Scene) Value {
	v := s.frame(s.At, nil).eval(e.root)
	v.Kind = e.root.kind
	return v
}

// A Leaf is a part of an expression that is a fact, and what it comes to.
type Leaf struct {
	Source string
	Value  Value
	Term   string // its name, or that of the parameter; empty where it is neither
	Args   []Leaf // what a call is given: texts and numbers, and of other terms the names alone
	Of     []Leaf // the terms that it is made of, where it is not a term itself
}

// leafOf returns n, which comes to v.
func leafOf(n *node, v Value) Leaf {
	l := Leaf{Source: n.source, Value: v, Term: n.op}
	switch {
	case n.param != nil:
		l.Term = n.param.Key
	case n.term == nil:
		l.Term = ""
	}
	for _, a := range n.args {
		if a.isTerm() {
			l.Args = append(l.Args, leafOf(a, Value{}))
		} else {
			l.Args = append(l.Args, Leaf{Source: a.source, Value: Value{Kind: a.kind, Defined: true, Num: a.num, Str: a.text}})
		}
	}
	return l
}

// Now returns the terms and calls of e, the outermost ones, every one once, in
// the order in which they stand: what to show beside a goal.
func (e *Expr) Now(s *Scene) []Leaf {
	return e.leaves(s, (*node).isTerm)
}

// answers returns the parts of e that are yes or no and are not joined of
// others, in the order in which they stand: which of them hold says why e does.
func (e *Expr) answers(s *Scene) []Leaf {
	return e.leaves(s, func(n *node) bool { return n.kind == Truth && n.op != "and" && n.op != "or" && n.op != "not" })
}

func (e *Expr) leaves(s *Scene, is func(*node) bool) []Leaf {
	var list []Leaf
	f := s.frame(s.At, nil)
	var walk func(n *node)
	walk = func(n *node) {
		if !is(n) {
			for _, a := range n.args {
				walk(a)
			}
			return
		}
		if !slices.ContainsFunc(list, func(l Leaf) bool { return l.Source == n.source }) {
			v := f.eval(n)
			v.Kind = n.kind
			l := leafOf(n, v)
			l.Of = f.termsOf(n)
			list = append(list, l)
		}
	}
	walk(e.root)
	return list
}

// termsOf returns the terms below n with their values.
func (f *frame) termsOf(n *node) (list []Leaf) {
	if n.isTerm() {
		return nil
	}
	for _, a := range n.args {
		if a.isTerm() {
			v := f.eval(a)
			v.Kind = a.kind
			list = append(list, leafOf(a, v))
		}
		list = append(list, f.termsOf(a)...)
	}
	return list
}

func (n *node) isTerm() bool { return n.term != nil || n.param != nil }

// eval returns what n comes to.
func (f *frame) eval(n *node) Value {
	switch {
	case n.term != nil:
		return n.term.eval(f, n)
	case n.param != nil:
		return f.parameter(n)
	case n.op == "" && n.kind.IsNumber():
		return number(n.kind, n.num)
	case n.op == "":
		return TextOf(n.kind, n.text)
	}
	a := f.eval(n.args[0])
	switch n.op {
	case "not":
		return truth(!a.Holds())
	case "minus":
		if !a.Defined {
			return Value{Kind: n.kind}
		}
		a.Num = -a.Num
		return a
	}
	return join(n, a, f.eval(n.args[1]))
}

// join returns what an operator makes of both its sides.
func join(n *node, a, b Value) Value {
	switch n.op {
	case "and":
		return truth(a.Holds() && b.Holds())
	case "or":
		return truth(a.Holds() || b.Holds())
	}
	if n.kind == Truth {
		return truth(a.Defined && b.Defined && holds[n.op](order(n, a, b)))
	}
	if !a.Defined || !b.Defined {
		return Value{Kind: n.kind}
	}
	v := number(n.kind, sums[n.op](a.Num, b.Num))
	shares := n.args[0].kind == Share && n.args[1].kind == Share
	v.Points = n.kind == Share && (n.op == "-" && shares || a.Points || b.Points)
	return v
}

// order compares two values: below 0, 0 or above 0. Numbers that count as
// equal are.
func order(n *node, a, b Value) int {
	if !n.args[0].kind.IsNumber() {
		return strings.Compare(a.Str, b.Str)
	}
	if Equal(a.Num, b.Num) {
		return 0
	}
	return cmp.Compare(a.Num, b.Num)
}

// comparisons are the operators that compare, and holds what they make of an
// order.
var comparisons = []string{"=", "!=", "<", "<=", ">", ">="}

var holds = map[string]func(int) bool{
	"=":  func(c int) bool { return c == 0 },
	"!=": func(c int) bool { return c != 0 },
	"<":  func(c int) bool { return c < 0 },
	"<=": func(c int) bool { return c <= 0 },
	">":  func(c int) bool { return c > 0 },
	">=": func(c int) bool { return c >= 0 },
}

var sums = map[string]func(a, b float64) float64{
	"+": func(a, b float64) float64 { return a + b },
	"-": func(a, b float64) float64 { return a - b },
	"*": func(a, b float64) float64 { return a * b },
	"/": func(a, b float64) float64 { return a / b },
}

// parameter returns the value in force of a parameter.
func (f *frame) parameter(n *node) Value {
	if f.set == nil {
		return Value{Kind: n.kind}
	}
	switch v := f.config().Value(n.param.Key).(type) {
	case bool:
		return truth(v)
	case int64:
		return number(Number, float64(v))
	case uint64:
		return number(Number, float64(v))
	case float64:
		return number(Number, v)
	case string:
		return TextOf(Text, v)
	}
	return Value{Kind: n.kind}
}
