package beam

import (
	"context"

	"logitscope/models"
)

// A pool holds the sessions of a search, by the node whose path each has in
// its cache. The session of the prompt, node nil, is always there.
type pool struct {
	model  models.Model
	prompt []int32
	held   map[*Node]models.Session
}

func newPool(m models.Model, prompt []int32) (*pool, error) {
	root, err := m.NewSession()
	if err != nil {
		return nil, err
	}
	return &pool{model: m, prompt: prompt, held: map[*Node]models.Session{nil: root}}, nil
}

// copy returns a pool that holds the prompt, as p does.
func (p *pool) copy() (*pool, error) {
	root, err := p.fork(context.Background(), p.held[nil], nil, 0)
	if err != nil {
		return nil, err
	}
	return &pool{model: p.model, prompt: p.prompt, held: map[*Node]models.Session{nil: root}}, nil
}

func (p *pool) close() {
	for _, s := range p.held {
		s.Close()
	}
	p.held = nil
}

// keepOnly closes the sessions of nodes that are not in the list.
func (p *pool) keepOnly(nodes []*Node) {
	want := map[*Node]bool{nil: true}
	for _, n := range nodes {
		want[n] = true
	}
	for n, s := range p.held {
		if !want[n] {
			s.Close()
			delete(p.held, n)
		}
	}
}

// forward returns the row after each of the nodes, none of them nil, running
// the model in one pass where it can. Afterwards the pool holds a session at
// each node.
//
// After an error the pool holds nothing but the prompt.
func (p *pool) forward(ctx context.Context, nodes []*Node) ([]models.Logits, error) {
	sessions, err := p.acquire(ctx, nodes)
	if err == nil {
		var rows []models.Logits
		if rows, err = p.run(ctx, sessions, nodes); err == nil {
			for i, n := range nodes {
				p.held[n] = sessions[i]
			}
			return rows, nil
		}
	}
	for _, s := range sessions {
		s.Close()
	}
	p.keepOnly(nil)
	return nil, err
}

// acquire takes a session at the parent of each node out of the pool: the
// last child of a parent takes the parent's own, the others a fork.
func (p *pool) acquire(ctx context.Context, nodes []*Node) ([]models.Session, error) {
	left := make(map[*Node]int)
	for _, n := range nodes {
		left[n.Parent]++
	}
	var out []models.Session
	for _, n := range nodes {
		left[n.Parent]--
		s, ok := p.held[n.Parent]
		switch {
		case !ok:
			var err error
			if s, err = p.rebuild(ctx, n.Parent); err != nil {
				return out, err
			}
			if left[n.Parent] > 0 {
				// Its siblings are forked from this one.
				p.held[n.Parent] = s
				if s, err = p.fork(ctx, s, n.Parent, n.Parent.depth()); err != nil {
					return out, err
				}
			}
		case n.Parent == nil || left[n.Parent] > 0:
			var err error
			if s, err = p.fork(ctx, s, n.Parent, n.Parent.depth()); err != nil {
				return out, err
			}
		default:
			delete(p.held, n.Parent)
		}
		out = append(out, s)
	}
	return out, nil
}

// fork returns a new session that holds the first depth tokens of node's
// path, which s holds.
func (p *pool) fork(ctx context.Context, s models.Session, node *Node, depth int) (models.Session, error) {
	if f, ok := s.(models.Forker); ok {
		c, err := f.Fork()
		if err != nil {
			return nil, err
		}
		c.Truncate(len(p.prompt) + depth)
		return c, nil
	}
	c, err := p.model.NewSession()
	if err != nil {
		return nil, err
	}
	tokens := append(append([]int32(nil), p.prompt...), node.Tokens()[:depth]...)
	if len(tokens) == 0 {
		return c, nil
	}
	if _, err := c.Forward(ctx, tokens, 0); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// rebuild makes a session at node from the one held that has most of its
// path.
func (p *pool) rebuild(ctx context.Context, node *Node) (models.Session, error) {
	path := node.Tokens()
	var from *Node
	common := 0
	for n := range p.held {
		if d := meet(n, node).depth(); d > common {
			from, common = n, d
		}
	}
	s, err := p.fork(ctx, p.held[from], from, common)
	if err != nil {
		return nil, err
	}
	if common < len(path) {
		if _, err := s.Forward(ctx, path[common:], 0); err != nil {
			s.Close()
			return nil, err
		}
	}
	return s, nil
}

// meet returns the deepest node on the paths of both a and b.
func meet(a, b *Node) *Node {
	for a.depth() > b.depth() {
		a = a.Parent
	}
	for b.depth() > a.depth() {
		b = b.Parent
	}
	for a != b {
		a, b = a.Parent, b.Parent
	}
	return a
}

// run appends each node's token to its session and returns the rows.
func (p *pool) run(ctx context.Context, sessions []models.Session, nodes []*Node) ([]models.Logits, error) {
	tokens := make([]int32, len(nodes))
	for i, n := range nodes {
		tokens[i] = n.Token
	}
	if b, ok := p.model.(models.Batcher); ok && len(nodes) > 1 {
		return b.ForwardBatch(ctx, sessions, tokens)
	}
	rows := make([]models.Logits, len(nodes))
	for i, s := range sessions {
		r, err := s.Forward(ctx, tokens[i:i+1], 1)
		if err != nil {
			return nil, err
		}
		rows[i] = r[0]
	}
	return rows, nil
}
