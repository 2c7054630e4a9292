package speculative

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"logitscope/sampling"
)

// maxBranches is the most branches of a tree of drafts.
const maxBranches = 16

// A shape is how many drafts follow each token, by depth; one beyond its end.
type shape []int

// readShape reads the setting draft_tree, or takes n drafts at the root.
func readShape(text string, n int) (shape, error) {
	if text == "" {
		return shape{n}, nil
	}
	var out shape
	branches := 1
	for part := range strings.SplitSeq(text, ",") {
		k, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || k < 1 || len(out) == maxDraft {
			return nil, fmt.Errorf("draft_tree: %.40q is not a list of at most %d numbers from 1 on, such as 3,2,1", text, maxDraft)
		}
		if branches *= min(k, maxBranches+1); branches > maxBranches {
			return nil, fmt.Errorf("draft_tree: %.40s has more than %d branches", text, maxBranches)
		}
		out = append(out, k)
	}
	return out, nil
}

// at is how many drafts follow a token at a depth, from 0.
func (s shape) at(depth int) int {
	if depth < len(s) {
		return s[depth]
	}
	return 1
}

// branches is how many there are in a tree of depth k.
func (s shape) branches(k int) int {
	n := 1
	for depth := range k {
		n *= s.at(depth)
	}
	return n
}

// A node is a drafted token and the drafts after it.
type node struct {
	token int32
	law   *Law // that it was drawn from
	u     float64
	kids  []*node
}

// after are the drafts that follow token among several side by side: what was
// drafted after the same token counts alike, whichever of them it followed.
func after(nodes []*node, token int32) (out []*node) {
	for _, n := range nodes {
		if n.token == token {
			out = append(out, n.kids...)
		}
	}
	return out
}

// trie makes nodes of drafts that were chosen, not drawn: what they begin with
// alike is one node, and nothing follows a token that ends the text.
func trie(paths [][]int32, ends func(int32) bool) []*node {
	root := new(node)
	for _, path := range paths {
		at := root
		for _, x := range path {
			i := slices.IndexFunc(at.kids, func(n *node) bool { return n.token == x })
			if i < 0 {
				i = len(at.kids)
				law := point(x)
				at.kids = append(at.kids, &node{token: x, law: &law})
			}
			if at = at.kids[i]; ends(x) {
				break
			}
		}
	}
	return root.kids
}

// paths returns the different ways from the roots to the last tokens, none of
// which is the beginning of another. Without nodes it is one way of no token.
func paths(roots []*node) [][]int32 {
	var out [][]int32
	var down func(nodes []*node, path []int32)
	down = func(nodes []*node, path []int32) {
		if len(nodes) == 0 {
			out = append(out, slices.Clone(path))
			return
		}
		var seen []int32
		for _, n := range nodes {
			if !slices.Contains(seen, n.token) {
				seen = append(seen, n.token)
				down(after(nodes, n.token), append(path, n.token))
			}
		}
	}
	down(roots, nil)
	return out
}

// count returns how many different texts the paths go through.
func count(paths [][]int32) (n int) {
	for i, path := range paths {
		shared := 0
		for _, other := range paths[:i] {
			at := 0
			for at < min(len(path), len(other)) && path[at] == other[at] {
				at++
			}
			shared = max(shared, at)
		}
		n += len(path) - shared
	}
	return n
}

// A gardener grows a tree of drafts of a model.
type gardener struct {
	m     *modelDrafter
	d     *Decoder
	all   []int32
	k     int
	c     coins
	laws  map[string]*Law // by the path they follow; nil where nothing can
	leaf  int             // branches begun
	steps int
}

func (m *modelDrafter) grow(ctx context.Context, d *Decoder, all []int32, k int, c coins) ([]*node, int, error) {
	g := gardener{m: m, d: d, all: all, k: k, c: c, laws: make(map[string]*Law)}
	roots, err := g.below(ctx, nil)
	return roots, g.steps, err
}

// below drafts what follows path. Every branch has coins of its own, so that
// drafts side by side are independent; the first has those of a single draft.
func (g *gardener) below(ctx context.Context, path []int32) ([]*node, error) {
	if len(path) == g.k {
		g.leaf++
		return nil, nil
	}
	q, err := g.law(ctx, path)
	if err != nil || q == nil {
		g.leaf++
		return nil, err
	}
	var out []*node
	for range g.d.set.shape.at(len(path)) {
		n := &node{law: q, u: g.c.draft(g.leaf*maxDraft + len(path))}
		n.token, _, _ = q.Draw(n.u)
		out = append(out, n)
		if g.d.ends(n.token) || q.prob(n.token) < g.d.set.confidence {
			g.leaf++ // a draft may stop because of the token it drew
			continue
		}
		if n.kids, err = g.below(ctx, append(path[:len(path):len(path)], n.token)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// law is the draft's law after path, nil where the target must go on.
func (g *gardener) law(ctx context.Context, path []int32) (*Law, error) {
	at := fmt.Sprint(path)
	if q, ok := g.laws[at]; ok {
		return q, nil
	}
	text := slices.Concat(g.all, path)
	t := g.m.track
	t.keep(text, len(text)-1)
	rows, err := t.forward(ctx, text[len(t.tokens):], 1)
	if err != nil {
		return nil, err
	}
	g.steps++
	q, err := g.d.laws.draft(g.d, rows[0], text[len(g.d.prompt):])
	switch {
	case sampling.IsDeadEnd(err):
		g.laws[at] = nil
	case err != nil:
		return nil, err
	default:
		g.laws[at] = &q
	}
	return g.laws[at], nil
}
