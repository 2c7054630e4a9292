package beam

import "slices"

// A TreeNode is one token in the tree of everything that ran or finished.
type TreeNode struct {
	*Node
	Parent   int   // index in Tree.Nodes, -1 for a first token
	Children []int // indices, best Sum first
	Lives    bool  // a running beam, or an ancestor of one
	Winning  bool  // on the path of the best result
	Greedy   bool  // on the greedy path
	Finished bool  // a finished text ends here
	Kept     bool  // Finished, and in the finished list now
	Running  int   // its place among the running beams from 1, 0 if it is not one
	Best     int   // largest number of tokens below it, for layout
}

// A Tree is the search so far as a tree: every beam that ran and every text
// that finished, in the order they appeared.
type Tree struct {
	Nodes []TreeNode
	Roots []int // first tokens, best Sum first
}

// Tree builds the tree of v. It costs time in proportion to the steps.
func (v *View) Tree() *Tree {
	t := &Tree{}
	at := make(map[*Node]int)
	var add func(n *Node) int
	add = func(n *Node) int {
		if n == nil {
			return -1
		}
		if i, ok := at[n]; ok {
			return i
		}
		p := add(n.Parent)
		i := len(t.Nodes)
		at[n] = i
		t.Nodes = append(t.Nodes, TreeNode{Node: n, Parent: p})
		if p < 0 {
			t.Roots = append(t.Roots, i)
		} else {
			t.Nodes[p].Children = append(t.Nodes[p].Children, i)
		}
		return i
	}
	for _, s := range v.Steps {
		for g := range s.Groups {
			for _, n := range s.Groups[g].Running {
				add(n)
			}
			for _, h := range s.Groups[g].Finished {
				t.Nodes[add(h.Node)].Finished = true
			}
		}
	}
	mark := func(n *Node, f func(*TreeNode)) {
		for ; n != nil; n = n.Parent {
			if i, ok := at[n]; ok {
				f(&t.Nodes[i])
			}
		}
	}
	for i, n := range v.Running() {
		if j, ok := at[n]; ok {
			t.Nodes[j].Running = i + 1
		}
		mark(n, func(x *TreeNode) { x.Lives = true })
	}
	for _, h := range v.Finished() {
		if i, ok := at[h.Node]; ok {
			t.Nodes[i].Kept = true
		}
	}
	if r := v.Result(); len(r) > 0 {
		mark(r[0].Node, func(x *TreeNode) { x.Winning = true })
	}
	if last := v.Last(); last != nil {
		t.markGreedy(last.Greedy.Tokens())
	}
	t.order()
	return t
}

// markGreedy follows tokens from the root as far as the tree has them.
func (t *Tree) markGreedy(tokens []int32) {
	level := t.Roots
	for _, tok := range tokens {
		i := slices.IndexFunc(level, func(i int) bool { return t.Nodes[i].Token == tok })
		if i < 0 {
			return
		}
		t.Nodes[level[i]].Greedy = true
		level = t.Nodes[level[i]].Children
	}
}

// order sorts siblings and measures what hangs below each node.
func (t *Tree) order() {
	best := func(a, b int) int { return descending(t.Nodes[a].Sum, t.Nodes[b].Sum) }
	slices.SortStableFunc(t.Roots, best)
	for i := len(t.Nodes) - 1; i >= 0; i-- { // children come after their parents
		n := &t.Nodes[i]
		slices.SortStableFunc(n.Children, best)
		if n.Parent >= 0 {
			p := &t.Nodes[n.Parent]
			p.Best = max(p.Best, n.Best+1)
		}
	}
}
