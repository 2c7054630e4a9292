package speculative

import (
	"context"

	"logitscope/models"
	"logitscope/sampling"
	"logitscope/sampling/luck"
)

// A drafter proposes tokens.
type drafter interface {
	// propose returns at most k tokens to follow all, and how many passes of a
	// model that took.
	propose(ctx context.Context, d *Decoder, all []int32, k int, c coins) (draft, int, error)
	// grow returns several drafts to follow all, of at most k tokens, and how
	// many passes of a model that took.
	grow(ctx context.Context, d *Decoder, all []int32, k int, c coins) ([]*node, int, error)
	source() Source
	prefill(ctx context.Context, tokens []int32) error
	context() int                     // most tokens it can hold, 0 for any number
	cost(target models.Model) float64 // of a step, in target passes, as far as it is known beforehand
	name() string
	held() *track // nil if it has none
	close()
}

// modelDrafter drafts with a second model.
type modelDrafter struct {
	model models.Model
	track *track
}

func (m *modelDrafter) propose(ctx context.Context, d *Decoder, all []int32, k int, c coins) (draft, int, error) {
	var out draft
	if k == 0 {
		return out, 0, nil
	}
	m.track.keep(all, len(all)-1)
	feed := all[len(m.track.tokens):]
	output := append([]int32(nil), all[len(d.prompt):]...)
	for i := 0; i < k; i++ {
		rows, err := m.track.forward(ctx, feed, 1)
		if err != nil {
			return out, i, err
		}
		q, err := d.laws.draft(d, rows[0], output)
		if sampling.IsDeadEnd(err) {
			return out, i + 1, nil // what follows is the target's to say
		}
		if err != nil {
			return out, i, err
		}
		u := c.draft(i)
		x, _, _ := q.Draw(u)
		out.tokens, out.laws, out.us = append(out.tokens, x), append(out.laws, q), append(out.us, u)
		if d.laws.uncutDraft != nil {
			whole, err := d.laws.wholeDraft(d, rows[0], output)
			if err != nil {
				return out, i, err
			}
			out.judge = append(out.judge, whole)
		}
		output = append(output, x)
		// A draft may stop because of the token it drew, as long as the token
		// stays in it.
		if d.ends(x) || q.prob(x) < d.set.confidence {
			return out, i + 1, nil
		}
		feed = output[len(output)-1:]
	}
	return out, k, nil
}

func (m *modelDrafter) prefill(ctx context.Context, tokens []int32) error {
	return m.track.sync(ctx, tokens)
}

func (m *modelDrafter) context() int { return m.model.Info().ContextLen }

func (m *modelDrafter) cost(target models.Model) float64 {
	if t := target.Info().Params; t > 0 && m.model.Info().Params > 0 {
		return float64(m.model.Info().Params) / float64(t)
	}
	return 0.1
}

func (m *modelDrafter) name() string { return m.model.Info().Name }
func (m *modelDrafter) held() *track { return m.track }
func (m *modelDrafter) close()       { m.track.close() }

func (m *modelDrafter) source() Source { return ByModel }

// A textDrafter needs no model beside the target.
type textDrafter struct{}

func (textDrafter) prefill(context.Context, []int32) error { return nil }
func (textDrafter) context() int                           { return 0 }
func (textDrafter) cost(models.Model) float64              { return 0.01 }
func (textDrafter) held() *track                           { return nil }
func (textDrafter) close()                                 {}

// lookupDrafter drafts from the text itself. What it proposes is certain, so
// its laws are points.
type lookupDrafter struct{ textDrafter }

func (lookupDrafter) propose(_ context.Context, d *Decoder, all []int32, k int, _ coins) (draft, int, error) {
	var out draft
	for _, x := range d.set.lookup.propose(all, k, d.ends) {
		out.tokens, out.laws, out.us = append(out.tokens, x), append(out.laws, point(x)), append(out.us, 0)
		if d.ends(x) {
			break // nothing can follow
		}
	}
	return out, 0, nil
}

func (lookupDrafter) grow(_ context.Context, d *Decoder, all []int32, k int, _ coins) ([]*node, int, error) {
	return trie(d.set.lookup.proposeSeveral(all, k, d.set.shape.branches(k), d.ends), d.ends), 0, nil
}

func (lookupDrafter) name() string   { return "ngram" }
func (lookupDrafter) source() Source { return ByText }

// Streams of the coin that a round draws from; the low bits count the tokens
// of the draft. All coins of a round belong to the position at which it
// starts, which no other round shares: were they to belong to the position
// they are used at, a token dropped in one round and drafted again in the next
// would meet its old coin, and under [Block] that coin has been looked at.
const (
	streamDraft  uint32 = 0x5350_0000
	streamAccept uint32 = 0x5350_0100
	streamFinal  uint32 = 0x5350_0200
)

// roundCoins are the coins of the round that starts at position pos.
type roundCoins struct {
	seed uint64
	pos  int
}

func (c roundCoins) draft(i int) float64 { return luck.Coin(c.seed, c.pos, streamDraft+uint32(i)) }
func (c roundCoins) accept(i int) float64 {
	return luck.Coin(c.seed, c.pos, streamAccept+uint32(i))
}
func (c roundCoins) final() float64 { return luck.Coin(c.seed, c.pos, streamFinal) }
