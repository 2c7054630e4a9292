package speculative

import (
	"fmt"
	"slices"

	"logitscope/models"
)

// forget drops the rows of old rounds beyond the budget.
func (d *Decoder) forget() {
	most := d.opt.RowBudget
	if most == 0 {
		most = 8 << 20
	}
	var held int64
	for i := len(d.rounds) - 2; i >= 0; i-- {
		s := d.rounds[i].rows
		if s == nil {
			continue
		}
		n := s.bytes()
		if n == 0 {
			return // and so are all before it
		}
		if held += n; held > most {
			s.rows.Store(nil)
			s.laws.Store(nil)
		}
	}
}

// Rewind keeps the first n generated tokens. A round it cuts in two is done
// again by the next call of Round, with the same draft and the same coins, so
// that the text goes on as it would have; unless by then a setting is another
// or a token was forced. It panics if n is negative or more than there are.
func (d *Decoder) Rewind(n int) {
	if n < 0 || n > len(d.output) {
		panic(fmt.Sprintf("speculative: Rewind(%d) of %d tokens", n, len(d.output)))
	}
	if n == len(d.output) {
		return
	}
	redo := d.redo
	d.redo = nil
	d.output = slices.Clip(d.output[:n])
	i := len(d.rounds)
	for i > 0 && d.rounds[i-1].Start >= n {
		i--
	}
	rounds := slices.Clip(d.rounds[:i])
	if i > 0 {
		last := rounds[i-1]
		if end := last.Start + len(last.Emitted); end > n {
			whole := last
			if last.Cut {
				whole = nil
				if redo != nil && redo.Start == last.Start {
					whole = redo
				}
			}
			d.redo = whole
			rounds = append(slices.Clone(rounds[:i-1]), last.cut(n-last.Start))
		}
	}
	d.rounds = rounds
}

// Force appends a token that was not drawn.
func (d *Decoder) Force(token int32) {
	d.redo = nil
	d.output = append(slices.Clip(d.output), token)
}

// Restore makes the decoder hold other tokens of the same prompt, with the
// rounds that wrote them where they are known, such as those of a lane it was
// forked from. Rounds that do not agree with tokens are left out.
func (d *Decoder) Restore(tokens []int32, rounds []*Round) {
	d.redo = nil
	d.output = slices.Clone(tokens)
	d.rounds = nil
	for i, r := range rounds {
		if i > 0 && r == rounds[i-1] {
			continue
		}
		end := r.Start + len(r.Emitted)
		switch {
		case r.Start < len(tokens) && end > len(tokens):
			if n := len(tokens) - r.Start; slices.Equal(tokens[r.Start:], r.Emitted[:n]) {
				d.rounds = append(d.rounds, r.cut(n))
				if !r.Cut {
					d.redo = r
				}
			}
			return
		case end <= len(tokens) && slices.Equal(tokens[r.Start:end], r.Emitted):
			d.rounds = append(d.rounds, r)
		default:
			return
		}
	}
}

// Fork returns a decoder of its own that holds the same text and goes on as d
// would. Its caches are filled by its first round.
func (d *Decoder) Fork() (*Decoder, error) {
	var draft models.Model
	if m, ok := d.drafter.(*modelDrafter); ok {
		draft = m.model
	}
	c, err := New(d.target, draft, d.set.p, d.set.q, d.prompt, d.opt)
	if err != nil {
		return nil, err
	}
	for _, pair := range [][2]*track{{d.verifier, c.verifier}, {d.drafter.held(), c.drafter.held()}} {
		if pair[0] != nil {
			pair[1].adopt(pair[0])
		}
	}
	c.output, c.rounds, c.redo = d.Output(), slices.Clip(d.rounds), d.redo
	c.plain = slices.Clone(d.plain)
	return c, nil
}
