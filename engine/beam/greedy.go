package beam

import (
	"context"
	"fmt"

	"logitscope/engine/rows"
)

// followGreedy says whether the search follows the greedy text from the next
// step on. It costs as much as one more beam once the greedy text is none of
// those running; the first step after it was switched on catches up.
func (s *Search) followGreedy(on bool) { s.opt.Greedy = on }

// greedy follows the greedy text to where the search is, once, and returns the
// view with it. It runs the model for the tokens that are missing, one after
// another; a search that is stepped through, or that has ended, can afford
// that where one at full speed cannot.
func (s *Search) greedy(ctx context.Context) (*View, error) {
	last := &s.states[len(s.states)-1]
	if last.step == nil {
		return s.View(), nil
	}
	st := *last
	if err := s.catchUp(ctx, &st); err != nil {
		return nil, err
	}
	st.step = st.step.with(st.step.rows)
	st.step.Greedy = st.greedy
	*last = st
	return s.View(), nil
}

// catchUp follows the greedy text to where st is, if it is behind.
func (s *Search) catchUp(ctx context.Context, st *state) error {
	for st.greedy.depth() < st.index() && (st.greedy == nil || !st.greedy.Ended) {
		r := s.first[0]
		if st.greedy != nil {
			out, err := s.pool.forward(ctx, []*Node{st.greedy})
			if err != nil {
				return err
			}
			if r, err = s.scorer.reader.Read(out[0]); err != nil {
				return err
			}
		}
		next, err := s.greedyNext(st.greedy, &r)
		if err != nil {
			return err
		}
		// A beam that has the same token is the same node.
		st.greedy = s.states[next.Depth].step.shared(next)
	}
	return nil
}

// greedyNext returns the best token after the greedy text g, whose row is r,
// under the processors.
func (s *Search) greedyNext(g *Node, r *rows.Row) (*Node, error) {
	plain := s.set
	plain.Diversity, plain.Sample = 0, false
	scores, err := s.scorer.score(&plain, r, s.prompt, g, s.opt.Mask)
	if err != nil {
		return nil, fmt.Errorf("greedy text: %w", err)
	}
	top := 0
	for i, x := range scores {
		if x > scores[top] {
			top = i
		}
	}
	token := r.ID(top)
	return &Node{
		Parent: g, Token: token, Logprob: scores[top], Sum: g.sum() + scores[top], Depth: g.depth() + 1, Ended: s.set.ends(token),
	}, nil
}

// shared returns the candidate of the step that is the same text as n, or n
// itself.
func (s *Step) shared(n *Node) *Node {
	for i := range s.Groups {
		for _, c := range s.Groups[i].Candidates {
			if c.Node.Parent == n.Parent && c.Node.Token == n.Token {
				return c.Node
			}
		}
	}
	return n
}
