package lang

// Nullable reports whether the automaton accepts the empty text.
func (n *NFA) Nullable() bool {
	seen := make([]bool, len(n.Edges))
	work := []int32{n.Start}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[i] {
			continue
		}
		seen[i] = true
		if n.Final[i] {
			return true
		}
		work = append(work, n.Eps[i]...)
	}
	return false
}

// NonEmpty returns the automaton for the same texts without the empty one: a
// new start with the moves of the old one's closure.
func (n *NFA) NonEmpty() *NFA {
	out := &NFA{Edges: append([][]Edge{}, n.Edges...), Eps: append([][]int32{}, n.Eps...), Final: append([]bool{}, n.Final...)}
	out.Start = out.Node()
	seen := map[int32]bool{}
	work := []int32{n.Start}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[i] {
			continue
		}
		seen[i] = true
		out.Edges[out.Start] = append(out.Edges[out.Start], n.Edges[i]...)
		work = append(work, n.Eps[i]...)
	}
	return out
}

// Accepts runs the automaton on a text.
func (n *NFA) Accepts(s string) bool {
	now, next := n.reach(nil, n.Start, make([]bool, len(n.Edges))), []int32{}
	for i := 0; i < len(s) && len(now) > 0; i++ {
		seen := make([]bool, len(n.Edges))
		next = next[:0]
		for _, q := range now {
			for _, e := range n.Edges[q] {
				if e.Lo <= s[i] && s[i] <= e.Hi {
					next = n.reach(next, e.To, seen)
				}
			}
		}
		now, next = next, now
	}
	for _, q := range now {
		if n.Final[q] {
			return true
		}
	}
	return false
}

// reach adds a node and what empty moves lead to.
func (n *NFA) reach(set []int32, q int32, seen []bool) []int32 {
	if seen[q] {
		return set
	}
	seen[q] = true
	set = append(set, q)
	for _, e := range n.Eps[q] {
		set = n.reach(set, e, seen)
	}
	return set
}
