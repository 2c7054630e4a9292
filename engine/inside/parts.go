package inside

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"logitscope/models"
)

// Name is a part as the screen names it, layers and heads from 1: "layer 3
// head 2".
func Name(p models.Part) string {
	switch p.Kind {
	case models.HeadPart:
		return fmt.Sprintf("layer %d head %d", p.Layer+1, p.Head+1)
	case models.AttentionPart:
		return fmt.Sprintf("layer %d attention", p.Layer+1)
	case models.MLPPart:
		return fmt.Sprintf("layer %d MLP", p.Layer+1)
	}
	return fmt.Sprintf("layer %d", p.Layer+1)
}

// Heads returns every head of a model.
func Heads(a models.Anatomy) (parts []models.Part) {
	for l, n := range a.Heads {
		for h := range n {
			parts = append(parts, models.Part{Kind: models.HeadPart, Layer: l, Head: h})
		}
	}
	return parts
}

// An Effect is what switching a part off does to a step.
type Effect struct {
	Part   models.Part
	Apart  Distance // of the law without it from that with it
	Best   int32    // the best token without it
	Before float64  // of the token asked about, with the part
	After  float64  // and without it
}

// lanesAtOnce is how many sessions, each without one part, share a pass.
const lanesAtOnce = 16

// Effects switches each part off by itself at the last position of the text and
// returns what that does to the law there, strongest first. The text before it
// is read with the part on. progress is told how many of them are done; it may be nil.
func Effects(ctx context.Context, src Source, parts []models.Part, token int32, progress func(done, of int)) ([]Effect, error) {
	if _, ok := src.Session.(models.Insider); !ok {
		return nil, ErrClosed
	}
	m, batches := src.Model.(models.Batcher)
	fork, forks := src.Session.(models.Forker)
	if !batches || !forks {
		return nil, errors.New("the model cannot run copies of a text side by side")
	}
	n := len(src.Tokens)
	if err := src.catchUp(ctx, n-1); err != nil {
		return nil, err
	}
	last := src.Tokens[n-1]
	law, err := laws(ctx, m, fork, last, [][]models.Part{src.offAt(n - 1)})
	if err != nil {
		return nil, err
	}
	whole := law[0]
	effects := make([]Effect, 0, len(parts))
	for from := 0; from < len(parts); from += lanesAtOnce {
		some := parts[from:min(from+lanesAtOnce, len(parts))]
		each := make([][]models.Part, len(some))
		for i, p := range some {
			each[i] = append(slices.Clone(src.offAt(n-1)), p)
		}
		if law, err = laws(ctx, m, fork, last, each); err != nil {
			return nil, err
		}
		for i, p := range some {
			e := Effect{Part: p, Apart: apart(whole, law[i])}
			for id, v := range law[i] {
				if v > law[i][e.Best] {
					e.Best = int32(id)
				}
			}
			if token >= 0 && int(token) < len(whole) {
				e.Before, e.After = whole[token], law[i][token]
			}
			effects = append(effects, e)
		}
		if progress != nil {
			progress(len(effects), len(parts))
		}
	}
	slices.SortStableFunc(effects, func(a, b Effect) int { return cmp.Compare(b.Apart.TV, a.Apart.TV) })
	return effects, nil
}

// laws returns the law after one more token, with some parts off for each.
func laws(ctx context.Context, m models.Batcher, s models.Forker, token int32, off [][]models.Part) ([][]float64, error) {
	sessions, tokens := make([]models.Session, 0, len(off)), slices.Repeat([]int32{token}, len(off))
	defer func() {
		for _, c := range sessions {
			c.Close()
		}
	}()
	for _, parts := range off {
		c, err := s.Fork()
		if err != nil {
			return nil, err
		}
		sessions = append(sessions, c)
		c.(models.Insider).SwitchOff(parts...)
	}
	rows, err := m.ForwardBatch(ctx, sessions, tokens)
	if err != nil {
		return nil, err
	}
	out := make([][]float64, len(rows))
	for i, r := range rows {
		out[i] = law(r.Values)
	}
	return out, nil
}
