package constrain

// exprNullable reports whether e matches the empty text, given which rules do.
func exprNullable(e *expr, rules []bool) bool {
	switch e.op {
	case opEmpty:
		return true
	case opSeq:
		for _, s := range e.subs {
			if !exprNullable(s, rules) {
				return false
			}
		}
		return true
	case opAlt:
		for _, s := range e.subs {
			if exprNullable(s, rules) {
				return true
			}
		}
		return false
	case opRepeat:
		return e.min == 0 || exprNullable(e.subs[0], rules)
	case opCall:
		return e.rule < len(rules) && rules[e.rule]
	case opNFA:
		return e.nfa.nullable()
	case opObject:
		return e.obj.nullable()
	}
	return false
}

// nullable reports whether the automaton accepts the empty text.
func (n *nfa) nullable() bool {
	seen := make([]bool, len(n.edges))
	work := []int32{n.start}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[i] {
			continue
		}
		seen[i] = true
		if n.final[i] {
			return true
		}
		work = append(work, n.eps[i]...)
	}
	return false
}

func nullableRules(d *definition) []bool {
	out := make([]bool, len(d.rules))
	for changed := true; changed; {
		changed = false
		for i := range d.rules {
			if !out[i] && exprNullable(d.rules[i].body, out) {
				out[i], changed = true, true
			}
		}
	}
	return out
}

// exprSize estimates the nodes that one copy of e needs.
func exprSize(e *expr) int {
	n := 1
	switch e.op {
	case opText:
		n = len(e.text)
	case opClass:
		n = 1 + len(e.ranges)
	case opNFA:
		n = len(e.nfa.edges)
	case opRepeat:
		n = exprSize(e.subs[0])
		if e.max > 0 {
			n = min(n*e.max, maxNodes)
		}
	case opObject:
		n = 4 * (1 + len(e.obj.keys))
	default:
		for _, s := range e.subs {
			n = min(n+exprSize(s), maxNodes)
		}
	}
	return n
}

// A rewriter changes rules in place and adds new ones, keeping track of which
// match the empty text.
type rewriter struct {
	def      *definition
	nullable []bool
	spare    map[*expr]int // rules without the empty text, by the body they were made from
}

func newRewriter(d *definition) *rewriter {
	return &rewriter{def: d, nullable: nullableRules(d), spare: map[*expr]int{}}
}

func (w *rewriter) newRule(name string, body *expr, nullable bool) int {
	w.nullable = append(w.nullable, nullable)
	return w.def.add(name, body)
}

// nonEmpty returns an expression for the texts of e other than the empty one.
func (w *rewriter) nonEmpty(e *expr) *expr {
	if !exprNullable(e, w.nullable) {
		return e
	}
	switch e.op {
	case opSeq:
		return w.nonEmptySeq(e.subs)
	case opAlt:
		subs := make([]*expr, len(e.subs))
		for i, s := range e.subs {
			subs[i] = w.nonEmpty(s)
		}
		return alt(subs...)
	case opRepeat:
		return repeat(w.nonEmpty(e.subs[0]), w.nonEmptyMin(e), e.max)
	case opCall:
		return call(w.nonEmptyRule(e.rule))
	case opNFA:
		return &expr{op: opNFA, nfa: e.nfa.nonEmpty()}
	}
	return never
}

// nonEmptyMin is the lower bound of a repetition once its rounds and the whole
// may not be empty.
func (w *rewriter) nonEmptyMin(e *expr) int {
	if exprNullable(e.subs[0], w.nullable) {
		return 1
	}
	return max(e.min, 1)
}

// nonEmptySeq is a sequence without its empty text: the first part that is not
// empty, then the rest as it was.
func (w *rewriter) nonEmptySeq(subs []*expr) *expr {
	var out []*expr
	for i, s := range subs {
		out = append(out, seq(append([]*expr{w.nonEmpty(s)}, subs[i+1:]...)...))
		if !exprNullable(s, w.nullable) {
			break
		}
	}
	return alt(out...)
}

// nonEmptyRule returns a rule like r without the empty text.
func (w *rewriter) nonEmptyRule(r int) int {
	body := w.def.rules[r].body
	if n, ok := w.spare[body]; ok {
		return n
	}
	n := w.newRule(w.def.rules[r].name, never, false)
	w.spare[body] = n // before the body: the rule may call itself
	w.def.rules[n].body = w.nonEmpty(body)
	return n
}

// nonEmpty returns the automaton for the same texts without the empty one: a
// new start with the moves of the old one's closure.
func (n *nfa) nonEmpty() *nfa {
	out := &nfa{edges: append([][]edge{}, n.edges...), eps: append([][]int32{}, n.eps...), final: append([]bool{}, n.final...)}
	out.start = out.node()
	seen := map[int32]bool{}
	work := []int32{n.start}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[i] {
			continue
		}
		seen[i] = true
		out.edges[out.start] = append(out.edges[out.start], n.edges[i]...)
		work = append(work, n.eps[i]...)
	}
	return out
}
