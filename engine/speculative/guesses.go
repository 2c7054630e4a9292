package speculative

import (
	"context"
	"iter"

	"logitscope/engine/lookahead"
	"logitscope/models"
)

// lookaheadDrafter drafts the n-grams that the target's own guesses of later
// places went through. They were chosen before the round began, so their laws
// are points.
type lookaheadDrafter struct{ textDrafter }

func (lookaheadDrafter) name() string   { return "lookahead" }
func (lookaheadDrafter) source() Source { return ByLookahead }

func (lookaheadDrafter) grow(_ context.Context, d *Decoder, all []int32, k int, _ coins) ([]*node, int, error) {
	return trie(lookahead.Candidates(d.pool(), all[len(all)-1], min(k, d.set.ngram-1), d.set.verify), d.ends), 0, nil
}

// propose is not used: lookahead decoding tests several drafts.
func (lookaheadDrafter) propose(context.Context, *Decoder, []int32, int, coins) (draft, int, error) {
	return draft{}, 0, nil
}

// guesses are what a round of lookahead decoding went on from and led to. They
// follow from the rounds before and the settings alone, so that a round can be
// done again.
type guesses struct {
	before, after lookahead.Window
	grams         [][]int32
}

// poolRounds is for how many rounds an n-gram is remembered.
const poolRounds = 64

// pool goes through the n-grams found, the newest first.
func (d *Decoder) pool() iter.Seq[[]int32] {
	return func(yield func([]int32) bool) {
		for i := len(d.rounds) - 1; i >= max(0, len(d.rounds)-poolRounds); i-- {
			for _, g := range d.rounds[i].guesses.grams {
				if !yield(g) {
					return
				}
			}
		}
	}
}

// guessing returns the window to go on from; none but in lookahead decoding
// and while the places fit in the context.
func (d *Decoder) guessing(all []int32) guesses {
	set := &d.set
	c := d.target.Info().ContextLen
	if d.drafter.source() != ByLookahead || c > 0 && len(all)+set.window+set.ngram > c {
		return guesses{}
	}
	if n := len(d.rounds); n > 0 {
		if w := d.rounds[n-1].guesses.after; w.Fits(set.window, set.ngram) {
			return guesses{before: w}
		}
	}
	return guesses{before: lookahead.Begin(all, set.window)}
}

// paths are the ways the target has to go for them.
func (g guesses) paths() [][]int32 {
	if !g.before.Begun() {
		return nil
	}
	return g.before.Paths()
}

// next returns the guesses after a survey, whose ways from number at on are
// theirs, and after text grew by moved tokens.
func (g guesses) next(s *survey, at int, d *Decoder, text []int32, moved int) guesses {
	if !g.before.Begun() {
		return guesses{}
	}
	var best []int32
	for _, rows := range s.rows[at:] {
		best = append(best, argmax(rows[len(rows)-1]))
	}
	g.after, g.grams = g.before.Next(best, d.set.ngram, moved, text)
	return g
}

// argmax is the best token of a row, the first of equals.
func argmax(l models.Logits) int32 {
	best := 0
	for i, v := range l.Values {
		if v > l.Values[best] {
			best = i
		}
	}
	if l.IDs != nil {
		return l.IDs[best]
	}
	return int32(best)
}
