package constrain

// Choice wants one of the given texts, byte for byte.
func Choice(list []string) Source { return choiceSource(list) }

type choiceSource []string

func (s choiceSource) define() (*definition, error) {
	if len(s) == 0 {
		return nil, refuse("", "choice", "at least one text is needed")
	}
	d := &definition{}
	d.root = d.add("choice", oneOf(s))
	return d, nil
}

// oneOf matches any of the texts. It is a trie, so that a long list costs as
// many states as its texts differ and one item per state.
func oneOf(list []string) *expr {
	n := &nfa{}
	n.start = n.node()
	for _, s := range list {
		at := n.start
		for i := 0; i < len(s); i++ {
			at = n.child(at, s[i])
		}
		n.final[at] = true
	}
	return &expr{op: opNFA, nfa: n}
}

// child returns the node behind byte b of a trie node, making it if needed.
func (n *nfa) child(at int32, b byte) int32 {
	for _, e := range n.edges[at] {
		if e.lo == b {
			return e.to
		}
	}
	to := n.node()
	n.edges[at] = append(n.edges[at], edge{b, b, to})
	return to
}
