package program

import (
	"logitscope/sampling/constrain/lang"
)

// exprNullable reports whether e matches the empty text, given which rules do.
func exprNullable(e *lang.Expr, rules []bool) bool {
	switch e.Op {
	case lang.OpEmpty:
		return true
	case lang.OpSeq:
		for _, s := range e.Subs {
			if !exprNullable(s, rules) {
				return false
			}
		}
		return true
	case lang.OpAlt:
		for _, s := range e.Subs {
			if exprNullable(s, rules) {
				return true
			}
		}
		return false
	case lang.OpRepeat:
		return e.Min == 0 || exprNullable(e.Subs[0], rules)
	case lang.OpCall:
		return e.Rule < len(rules) && rules[e.Rule]
	case lang.OpNFA:
		return e.NFA.Nullable()
	case lang.OpObject:
		return e.Obj.Nullable()
	}
	return false
}

func nullableRules(d *lang.Definition) []bool {
	out := make([]bool, len(d.Rules))
	for changed := true; changed; {
		changed = false
		for i := range d.Rules {
			if !out[i] && exprNullable(d.Rules[i].Body, out) {
				out[i], changed = true, true
			}
		}
	}
	return out
}

// exprSize estimates the nodes that one copy of e needs.
func exprSize(e *lang.Expr) int {
	n := 1
	switch e.Op {
	case lang.OpText:
		n = len(e.Text)
	case lang.OpClass:
		n = 1 + len(e.Ranges)
	case lang.OpNFA:
		n = len(e.NFA.Edges)
	case lang.OpRepeat:
		n = exprSize(e.Subs[0])
		if e.Max > 0 {
			n = min(n*e.Max, maxNodes)
		}
	case lang.OpObject:
		n = 4 * (1 + len(e.Obj.Keys))
	default:
		for _, s := range e.Subs {
			n = min(n+exprSize(s), maxNodes)
		}
	}
	return n
}

// A rewriter changes rules in place and adds new ones, keeping track of which
// match the empty text.
type rewriter struct {
	def      *lang.Definition
	nullable []bool
	spare    map[*lang.Expr]int // rules without the empty text, by the body they were made from
}

func newRewriter(d *lang.Definition) *rewriter {
	return &rewriter{def: d, nullable: nullableRules(d), spare: map[*lang.Expr]int{}}
}

func (w *rewriter) newRule(name string, body *lang.Expr, nullable bool) int {
	w.nullable = append(w.nullable, nullable)
	return w.def.Add(name, body)
}

// nonEmpty returns an expression for the texts of e other than the empty one.
func (w *rewriter) nonEmpty(e *lang.Expr) *lang.Expr {
	if !exprNullable(e, w.nullable) {
		return e
	}
	switch e.Op {
	case lang.OpSeq:
		return w.nonEmptySeq(e.Subs)
	case lang.OpAlt:
		subs := make([]*lang.Expr, len(e.Subs))
		for i, s := range e.Subs {
			subs[i] = w.nonEmpty(s)
		}
		return lang.Alt(subs...)
	case lang.OpRepeat:
		return lang.Repeat(w.nonEmpty(e.Subs[0]), w.nonEmptyMin(e), e.Max)
	case lang.OpCall:
		return lang.Call(w.nonEmptyRule(e.Rule))
	case lang.OpNFA:
		return &lang.Expr{Op: lang.OpNFA, NFA: e.NFA.NonEmpty()}
	}
	return lang.Never
}

// nonEmptyMin is the lower bound of a repetition once its rounds and the whole
// may not be empty.
func (w *rewriter) nonEmptyMin(e *lang.Expr) int {
	if exprNullable(e.Subs[0], w.nullable) {
		return 1
	}
	return max(e.Min, 1)
}

// nonEmptySeq is a sequence without its empty text: the first part that is not
// empty, then the rest as it was.
func (w *rewriter) nonEmptySeq(subs []*lang.Expr) *lang.Expr {
	var out []*lang.Expr
	for i, s := range subs {
		out = append(out, lang.Seq(append([]*lang.Expr{w.nonEmpty(s)}, subs[i+1:]...)...))
		if !exprNullable(s, w.nullable) {
			break
		}
	}
	return lang.Alt(out...)
}

// nonEmptyRule returns a rule like r without the empty text.
func (w *rewriter) nonEmptyRule(r int) int {
	body := w.def.Rules[r].Body
	if n, ok := w.spare[body]; ok {
		return n
	}
	n := w.newRule(w.def.Rules[r].Name, lang.Never, false)
	w.spare[body] = n // before the body: the rule may call itself
	w.def.Rules[n].Body = w.nonEmpty(body)
	return n
}
