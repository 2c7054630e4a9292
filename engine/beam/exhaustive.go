package beam

import (
	"context"
	"errors"
	"fmt"
	"math"

	"logitscope/engine/rows"
	"logitscope/models"
	"logitscope/sampling"
)

// ErrTooMany is returned by [Exhaustive] when there are more texts than it
// was allowed to look at.
var ErrTooMany = errors.New("too many texts to look at them all")

// An Optimum is what an exhaustive search found.
type Optimum struct {
	Best  []Hypothesis // best first
	Texts int          // looked at: every finished text and every one of full length
	Total float64      // their probability together, 1 unless tokens were left out
	Nodes int          // passes of the model
}

// Exhaustive looks at every text that can follow the prompt, under the beam
// settings of the pipeline, and returns the n with the best normalised
// scores: what beam search hopes to find. It is meant for models small enough
// to check by hand. Tokens of a probability below floor are left out. It
// returns [ErrTooMany] after limit passes of the model.
func Exhaustive(ctx context.Context, m models.Model, p *sampling.Pipeline, prompt []int32, n, limit int, floor float64, opt Options) (*Optimum, error) {
	set, err := ReadSettings(p, m)
	if err != nil {
		return nil, err
	}
	if err := rows.Usable(m, prompt); err != nil {
		return nil, err
	}
	set.Sample = false
	set.Diversity = 0
	s, err := m.NewSession()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	e := &exhaustion{ctx: ctx, session: s, set: &set, prompt: prompt, opt: opt, limit: limit, floor: floor, n: n, most: set.MaxNew}
	if c := m.Info().ContextLen; c > 0 {
		e.most = min(e.most, c-len(prompt)+1)
	}
	if err := e.below(nil, prompt); err != nil {
		return nil, err
	}
	return &e.out, nil
}

type exhaustion struct {
	ctx      context.Context
	session  models.Session
	set      *Settings
	prompt   []int32
	opt      Options
	limit, n int
	most     int
	floor    float64
	scorer   scorer
	out      Optimum
}

// below looks at everything that can follow node, whose last tokens are still
// to be run.
func (e *exhaustion) below(node *Node, tokens []int32) error {
	if e.out.Nodes++; e.out.Nodes > e.limit {
		return fmt.Errorf("%w: more than %d passes", ErrTooMany, e.limit)
	}
	at := e.session.Len()
	rows, err := e.session.Forward(e.ctx, tokens, 1)
	if err != nil {
		return err
	}
	defer e.session.Truncate(at)
	r, err := e.scorer.reader.Read(rows[0])
	if err != nil {
		return err
	}
	scores, err := e.scorer.score(e.set, &r, e.prompt, node, e.opt.Mask)
	if err != nil {
		return err
	}
	next := append([]float64(nil), scores...)
	for i, x := range next {
		if math.IsInf(x, -1) || math.Exp(x) < e.floor {
			continue
		}
		c := &Node{Parent: node, Token: r.ID(i), Logprob: x, Sum: node.sum() + x, Depth: node.depth() + 1}
		c.Ended = e.set.ends(c.Token) || e.opt.Stop != nil && e.opt.Stop(c.Tokens())
		if c.Ended || c.Depth >= e.most {
			e.add(c)
		} else if err := e.below(c, []int32{c.Token}); err != nil {
			return err
		}
	}
	return nil
}

func (e *exhaustion) add(n *Node) {
	e.out.Texts++
	e.out.Total += math.Exp(n.Sum)
	length := rules[e.set.Rule].length(len(e.prompt), n)
	h := Hypothesis{Node: n, Score: e.set.normalise(n.Sum, length), Length: length, Finished: n.Ended, Kept: true}
	e.out.Best = keepFirst(append(e.out.Best, h), e.n)
}
