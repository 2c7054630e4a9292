package beam

import (
	"context"
	"fmt"

	"logitscope/engine/rows"
)

// rows returns the row after each beam that is running in st, and after the
// greedy text where it is none of them.
func (s *Search) rows(ctx context.Context, st state) ([]*Node, []rows.Row, error) {
	if len(s.states) == 1 {
		if s.first == nil {
			root := s.pool.held[nil]
			at := root.Len()
			out, err := root.Forward(ctx, s.prompt[at:], 1)
			if err != nil {
				root.Truncate(at)
				return nil, nil, err
			}
			r, err := s.scorer.reader.Read(out[0])
			if err != nil {
				return nil, nil, err
			}
			s.first = []rows.Row{r}
		}
		return []*Node{nil}, s.first, nil
	}
	nodes := st.nodes(s.opt.Greedy)
	s.pool.keepOnly(parents(nodes))
	out, err := s.pool.forward(ctx, nodes)
	if err != nil {
		return nil, nil, err
	}
	rows := make([]rows.Row, len(out))
	for i, l := range out {
		if rows[i], err = s.scorer.reader.Read(l); err != nil {
			return nil, nil, fmt.Errorf("beam %d: %w", i+1, err)
		}
	}
	return nodes, rows, nil
}

// nodes returns the running beams of all groups, each once, and the end of
// the greedy text if it is followed and goes on.
func (st *state) nodes(greedy bool) []*Node {
	var out []*Node
	seen := map[*Node]bool{}
	for _, g := range st.groups {
		if g.done {
			continue
		}
		for _, n := range g.running {
			if !seen[n] {
				seen[n] = true
				out = append(out, n)
			}
		}
	}
	if g := st.greedy; greedy && g != nil && !g.Ended && g.Depth == st.index() && !seen[g] {
		out = append(out, st.greedy)
	}
	return out
}

func parents(nodes []*Node) []*Node {
	out := make([]*Node, len(nodes))
	for i, n := range nodes {
		out[i] = n.Parent
	}
	return out
}

// forget drops the rows of old steps beyond the budget, and has their memory
// used again: nobody but the search reads them.
func (s *Search) forget() {
	var held int64
	for i := len(s.states) - 1; i > 0; i-- {
		st := &s.states[i]
		if i == 1 {
			break // the row after the prompt is kept anyway
		}
		for _, r := range st.step.rows {
			held += int64(4 * (len(r.Logits) + len(r.IDs)))
		}
		if i < len(s.states)-1 && held > s.opt.RowBudget && st.step.rows != nil {
			for _, r := range st.step.rows {
				s.scorer.reader.Reuse(r)
			}
			st.step = st.step.with(nil) // it may be in views
		}
	}
}

// with returns a copy of the step that has other rows.
func (s *Step) with(rows []rows.Row) *Step {
	c := *s
	c.rows = rows
	return &c
}
