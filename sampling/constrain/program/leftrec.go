package program

import (
	"slices"

	"logitscope/sampling/constrain/lang"
)

// refuseLeftRecursion refuses rules that can call themselves before they
// consume a byte, because the automaton would push calls for ever.
func refuseLeftRecursion(def *lang.Definition, nullable []bool) error {
	left := make([][]int, len(def.Rules))
	for i := range def.Rules {
		leftCalls(def.Rules[i].Body, nullable, func(r int) { left[i] = append(left[i], r) })
	}
	for _, group := range components(left) {
		if r := slices.Min(group); len(group) > 1 || slices.Contains(left[r], r) {
			return lang.Refuse("", def.Rules[r].Name, "is left-recursive: it can begin with itself. Write the repetition with *, as in item (\",\" item)*")
		}
	}
	return nil
}

// leftCalls reports the rules e may call before it consumes a byte.
func leftCalls(e *lang.Expr, nullable []bool, fn func(rule int)) {
	switch e.Op {
	case lang.OpCall:
		fn(e.Rule)
	case lang.OpRepeat:
		leftCalls(e.Subs[0], nullable, fn)
	case lang.OpAlt:
		for _, s := range e.Subs {
			leftCalls(s, nullable, fn)
		}
	case lang.OpSeq:
		for _, s := range e.Subs {
			leftCalls(s, nullable, fn)
			if !exprNullable(s, nullable) {
				return
			}
		}
	}
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
