package constrain

// maxLeftRounds bounds how often rewriting may uncover new left recursion.
const maxLeftRounds = 8

// removeLeftRecursion rewrites rules that can call themselves before they
// consume a byte, because the engine would push calls for ever.
//
// Within a group of rules that reach each other at their left edge, a text is
// read from its innermost left corner outwards. The rule tail(A,B) matches
// what may follow a complete A so that the whole is a B; an alternative of C
// that begins with A adds the rest of it and tail(C,B) to tail(A,B), and an
// alternative that begins with no rule of the group starts the text.
func (w *rewriter) removeLeftRecursion() error {
	for round := 0; round < maxLeftRounds; round++ {
		left := make([][]int, len(w.def.rules))
		for i := range w.def.rules {
			leftCalls(w.def.rules[i].body, w.nullable, func(r int) { left[i] = append(left[i], r) })
		}
		clean := true
		for _, group := range components(left) {
			if len(group) > 1 || contains(left[group[0]], group[0]) {
				clean = false
				if !w.rewriteGroup(group) {
					return w.tangled()
				}
			}
		}
		if clean {
			return nil
		}
		if len(w.def.rules) > maxNodes/16 {
			break
		}
	}
	return w.tangled()
}

func (w *rewriter) tangled() error {
	return refuse("", w.def.rules[w.def.root].name, "its left recursion is too tangled to be resolved")
}

// leftCalls reports the rules e may call before it consumes a byte.
func leftCalls(e *expr, nullable []bool, fn func(rule int)) {
	switch e.op {
	case opCall:
		fn(e.rule)
	case opRepeat:
		leftCalls(e.subs[0], nullable, fn)
	case opAlt:
		for _, s := range e.subs {
			leftCalls(s, nullable, fn)
		}
	case opSeq:
		for _, s := range e.subs {
			leftCalls(s, nullable, fn)
			if !exprNullable(s, nullable) {
				return
			}
		}
	}
}

// A corner is the part of an expression behind a leading call.
type corner struct {
	rule int
	rest *expr
}

// corners splits e into what follows a leading call of the group, and base,
// the texts that lead with none (the empty text included).
func (w *rewriter) corners(e *expr, in map[int]int) (leads []corner, base *expr) {
	switch e.op {
	case opCall:
		if _, ok := in[e.rule]; ok {
			return []corner{{e.rule, empty}}, never
		}
	case opAlt:
		var bases []*expr
		for _, s := range e.subs {
			l, b := w.corners(s, in)
			leads, bases = append(leads, l...), append(bases, b)
		}
		return leads, alt(bases...)
	case opSeq:
		return w.cornersSeq(e.subs, in)
	case opRepeat:
		l, _ := w.corners(e.subs[0], in)
		if len(l) == 0 {
			return nil, e
		}
		// One round and then the others: a sequence.
		hi := e.max - 1
		if e.max < 0 {
			hi = -1
		}
		lo := max(e.min-1, 0)
		if exprNullable(e.subs[0], w.nullable) {
			lo = 0
		}
		first := w.nonEmpty(e.subs[0])
		leads, base = w.cornersSeq([]*expr{first, repeat(e.subs[0], lo, hi)}, in)
		if e.min == 0 || lo == 0 && exprNullable(e.subs[0], w.nullable) {
			base = alt(empty, base)
		}
		return leads, base
	}
	return nil, e
}

func (w *rewriter) cornersSeq(subs []*expr, in map[int]int) (leads []corner, base *expr) {
	if len(subs) == 0 {
		return nil, empty
	}
	rest := seq(subs[1:]...)
	l, b := w.corners(subs[0], in)
	for _, c := range l {
		leads = append(leads, corner{c.rule, seq(c.rest, rest)})
	}
	if !exprNullable(subs[0], w.nullable) {
		return leads, seq(b, rest)
	}
	// The first part may be empty, and then the rest leads.
	l2, b2 := w.cornersSeq(subs[1:], in)
	return append(leads, l2...), alt(seq(w.nonEmpty(b), rest), b2)
}

// rewriteGroup rewrites a group; false says that it would become too large.
func (w *rewriter) rewriteGroup(group []int) bool {
	in := map[int]int{}
	for i, r := range group {
		in[r] = i
	}
	n := len(group)
	bases := make([]*expr, n)
	steps := make([][]*expr, n*n) // steps[from*n+to]: what turns a from into a to
	for to, r := range group {
		leads, base := w.corners(w.def.rules[r].body, in)
		bases[to] = base
		for _, c := range leads {
			k := in[c.rule]*n + to
			steps[k] = append(steps[k], c.rest)
		}
	}
	tails := make([]int, n*n)
	for from, r := range group {
		for to := range group {
			tails[from*n+to] = w.newRule(w.def.rules[r].name, never, from == to)
		}
	}
	reach := w.emptySteps(steps, n)
	if tailSize(steps, reach, n) > maxNodes {
		return false
	}
	for from := range group {
		for to := range group {
			var alts []*expr
			for mid := range group {
				if !reach[from*n+mid] {
					continue
				}
				if mid == to {
					alts = append(alts, empty)
					w.nullable[tails[from*n+to]] = true
				}
				for next := range group {
					for _, rest := range steps[mid*n+next] {
						alts = append(alts, seq(w.nonEmpty(rest), call(tails[next*n+to])))
					}
				}
			}
			w.def.rules[tails[from*n+to]].body = alt(alts...)
		}
	}
	for to, r := range group {
		var alts []*expr
		for from := range group {
			alts = append(alts, seq(bases[from], call(tails[from*n+to])))
		}
		w.def.rules[r].body = alt(alts...)
	}
	return true
}

// tailSize is about the size of all tails of a group.
func tailSize(steps [][]*expr, reach []bool, n int) (size int) {
	for mid := range n {
		own := 0
		for _, list := range steps[mid*n : mid*n+n] {
			for _, rest := range list {
				own += exprSize(rest)
			}
		}
		for from := range n {
			if reach[from*n+mid] {
				size = min(size+own*n, maxNodes+1)
			}
		}
	}
	return size
}

// emptySteps is the reflexive closure of the steps that may consume nothing.
func (w *rewriter) emptySteps(steps [][]*expr, n int) []bool {
	reach := make([]bool, n*n)
	for i := 0; i < n; i++ {
		reach[i*n+i] = true
	}
	for k, list := range steps {
		for _, e := range list {
			reach[k] = reach[k] || exprNullable(e, w.nullable)
		}
	}
	for k := 0; k < n; k++ {
		for i := 0; i < n; i++ {
			for j := 0; j < n; j++ {
				reach[i*n+j] = reach[i*n+j] || reach[i*n+k] && reach[k*n+j]
			}
		}
	}
	return reach
}

func contains(list []int, x int) bool {
	for _, y := range list {
		if x == y {
			return true
		}
	}
	return false
}

// components returns the strongly connected components of a graph (Tarjan
// 1972), without recursion so that deep grammars cannot exhaust the stack.
func components(next [][]int) [][]int {
	type frame struct{ v, i int }
	n := len(next)
	index, low := make([]int, n), make([]int, n)
	onStack := make([]bool, n)
	var stack []int
	var out [][]int
	count := 0
	for root := 0; root < n; root++ {
		if index[root] != 0 {
			continue
		}
		work := []frame{{root, 0}}
		for len(work) > 0 {
			f := &work[len(work)-1]
			v := f.v
			if f.i == 0 {
				count++
				index[v], low[v] = count, count
				stack, onStack[v] = append(stack, v), true
			}
			if f.i < len(next[v]) {
				u := next[v][f.i]
				f.i++
				if index[u] == 0 {
					work = append(work, frame{u, 0})
				} else if onStack[u] {
					low[v] = min(low[v], index[u])
				}
				continue
			}
			work = work[:len(work)-1]
			if len(work) > 0 {
				p := work[len(work)-1].v
				low[p] = min(low[p], low[v])
			}
			if low[v] == index[v] {
				at := len(stack) - 1
				for stack[at] != v {
					at--
				}
				group := append([]int(nil), stack[at:]...)
				for _, u := range group {
					onStack[u] = false
				}
				stack = stack[:at]
				out = append(out, group)
			}
		}
	}
	return out
}
