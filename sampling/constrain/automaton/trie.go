package automaton

import (
	"bytes"
	"slices"
)

// A trie is a byte trie laid out in depth-first order, so that a walk moves
// forward through memory and skips a subtree by adding its size. The children
// of a node are listed side by side as well: where few bytes are allowed, most
// subtrees are then passed over without being touched.
type trie struct {
	bytes    []byte
	nodes    []trieNode // and one more, where the last ones end
	tokens   []int32    // in the order of the nodes they end at
	root     [256]int32 // node+1 of a first byte
	kids     []int32    // the children of all nodes
	kidBytes []byte     // and their bytes
}

// A trieNode is next to each other in memory what a visit needs.
type trieNode struct {
	first int32 // of its tokens, which go on to the first of the next node
	kids  int32 // the first of its children, likewise
	size  int32 // nodes of the subtree, the node itself included
	quote int32 // the first node with a quote after it
}

// here lists the tokens that end at node i.
func (t *trie) here(i int32) []int32 { return t.tokens[t.nodes[i].first:t.nodes[i+1].first] }

// under lists the tokens that begin with node i.
func (t *trie) under(i int32) []int32 {
	return t.tokens[t.nodes[i].first:t.nodes[i+t.nodes[i].size].first]
}

// quoteBelow reports whether a quote comes below a node.
func (t *trie) quoteBelow(i int32) bool { return t.nodes[i].quote < i+t.nodes[i].size }

// link lists the children of all nodes, and the quotes.
func (t *trie) link() {
	n := int32(len(t.bytes))
	t.kids, t.kidBytes = make([]int32, 0, n), make([]byte, 0, n)
	for i := range n {
		t.nodes[i].kids = int32(len(t.kids))
		for j := i + 1; j < i+t.nodes[i].size; j += t.nodes[j].size {
			t.kids, t.kidBytes = append(t.kids, j), append(t.kidBytes, t.bytes[j])
		}
	}
	t.nodes[n].kids = int32(len(t.kids))
	for i, next := n-1, n; i >= 0; i-- {
		if t.nodes[i].quote = next; t.bytes[i] == '"' {
			next = i
		}
	}
}

// child returns the child of node i with a byte, or -1.
func (t *trie) child(i int32, b byte) int32 {
	from := t.nodes[i].kids
	if k := bytes.IndexByte(t.kidBytes[from:t.nodes[i+1].kids], b); k >= 0 {
		return t.kids[from+int32(k)]
	}
	return -1
}

// makeTrie builds a trie of n entries in ascending order of their bytes.
func makeTrie(n int, entry func(i int) ([]byte, int32)) trie {
	var t trie
	var path []int32 // open nodes, by depth
	var last []byte
	closeTo := func(depth int) {
		for len(path) > depth {
			i := path[len(path)-1]
			t.nodes[i].size = int32(len(t.bytes)) - i
			path = path[:len(path)-1]
		}
	}
	for i := 0; i < n; i++ {
		p, id := entry(i)
		common := 0
		for common < len(p) && common < len(last) && p[common] == last[common] {
			common++
		}
		closeTo(common)
		for d := common; d < len(p); d++ {
			at := int32(len(t.bytes))
			if d == 0 {
				t.root[p[0]] = at + 1
			}
			t.bytes, t.nodes = append(t.bytes, p[d]), append(t.nodes, trieNode{first: int32(len(t.tokens))})
			path = append(path, at)
		}
		t.tokens = append(t.tokens, id)
		last = p
	}
	closeTo(0)
	t.nodes = append(t.nodes, trieNode{first: int32(len(t.tokens))})
	t.link()
	return t
}

// prefixes calls fn with the length of every token that text begins with.
func (t *trie) prefixes(text []byte, fn func(n int)) {
	if len(text) == 0 || t.root[text[0]] == 0 {
		return
	}
	i := t.root[text[0]] - 1
	for n := 1; ; n++ {
		if t.nodes[i].first != t.nodes[i+1].first {
			fn(n)
		}
		if n == len(text) {
			return
		}
		end := i + t.nodes[i].size
		for i++; i < end && t.bytes[i] != text[n]; {
			i += t.nodes[i].size
		}
		if i >= end {
			return
		}
	}
}

// mergeSubtrees lays what is below several trie nodes over each other.
func mergeSubtrees(t *trie, nodes []int32) *trie {
	out := &trie{}
	out.merge(t, nodes, true)
	out.nodes = append(out.nodes, trieNode{first: int32(len(out.tokens))})
	out.link()
	return out
}

// merge adds the children of nodes, in the order of their bytes.
func (o *trie) merge(t *trie, nodes []int32, top bool) {
	var kids []int32
	for _, n := range nodes {
		kids = append(kids, t.kids[t.nodes[n].kids:t.nodes[n+1].kids]...)
	}
	if len(nodes) > 1 {
		slices.SortFunc(kids, func(x, y int32) int {
			if d := int(t.bytes[x]) - int(t.bytes[y]); d != 0 {
				return d
			}
			return int(x) - int(y)
		})
	}
	for len(kids) > 0 {
		b := t.bytes[kids[0]]
		n := 1
		for n < len(kids) && t.bytes[kids[n]] == b {
			n++
		}
		at := int32(len(o.bytes))
		if top {
			o.root[b] = at + 1
		}
		o.bytes, o.nodes = append(o.bytes, b), append(o.nodes, trieNode{first: int32(len(o.tokens))})
		deeper := false
		for _, i := range kids[:n] {
			o.tokens = append(o.tokens, t.here(i)...)
			deeper = deeper || t.nodes[i].size > 1
		}
		if deeper {
			o.merge(t, kids[:n], false)
		}
		o.nodes[at].size = int32(len(o.bytes)) - at
		kids = kids[n:]
	}
}
