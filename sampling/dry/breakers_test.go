package dry

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// words is a vocabulary of given pieces; an id with the piece "-" has none.
type words []string

func (w words) Size() int              { return len(w) }
func (w words) Piece(id int32) string  { return w[id] }
func (w words) HasPiece(id int32) bool { return w[id] != "-" }

// Encode takes the longest piece at every place.
func (w words) Encode(text string) (ids []int32) {
	for text != "" {
		best := -1
		for id, piece := range w {
			if piece != "" && strings.HasPrefix(text, piece) && (best < 0 || len(piece) > len(w[best])) {
				best = id
			}
		}
		if best < 0 {
			return ids
		}
		ids = append(ids, int32(best))
		text = text[len(w[best]):]
	}
	return ids
}

// breakersByScan is the slow twin of the texts' part of NewBreakers.
func breakersByScan(v Vocab, texts []string) (out [][]int32) {
	for id := range int32(v.Size()) {
		if !v.HasPiece(id) {
			continue
		}
		piece := v.Piece(id)
		for _, text := range texts {
			if text == "" {
				continue
			}
			text = text[:min(len(text), maxBreakerText)]
			if strings.Contains(piece, text) {
				out = append(out, []int32{id})
				continue
			}
			for k := min(len(piece), len(text)-1); k > 0; k-- {
				if strings.HasSuffix(piece, text[:k]) {
					tail := v.Encode(text[k:])
					out = append(out, append([]int32{id}, tail[:min(len(tail), maxBreakerTail)]...))
				}
			}
		}
	}
	return out
}

// sequences lists what b holds.
func (b *Breakers) sequences() (out [][]int32) {
	for id := range int32(len(b.single) * 64) {
		if b.single[id/64]>>(id%64)&1 != 0 {
			out = append(out, []int32{id})
		}
	}
	for id, tails := range b.tails {
		for _, tail := range tails {
			out = append(out, append([]int32{id}, tail...))
		}
	}
	return out
}

func asSet(sequences [][]int32) []string {
	var s []string
	for _, q := range sequences {
		s = append(s, fmt.Sprint(q))
	}
	slices.Sort(s)
	return slices.Compact(s)
}

func TestBreakersAgainstTheScan(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	letters := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "ab\n\xf0-"[r.IntN(5)]
		}
		return string(b)
	}
	for range 300 {
		var v words
		for range 2 + r.IntN(150) {
			v = append(v, letters(r.IntN(5)))
		}
		texts := []string{"", letters(1), letters(2), letters(1 + r.IntN(4)), letters(60)}
		given := [][]int32{{}, {1}, {0, 1, 1}, {1 << 30}, {1 << 30, 2}}
		want := asSet(append(breakersByScan(v, texts), given[1:]...))
		x := Index(v)
		b := NewBreakers(given, texts, v, &x)
		if got := asSet(b.sequences()); !slices.Equal(got, want) {
			t.Fatalf("texts %q of %q:\n%v, want\n%v", texts, v, got, want)
		}
		for _, id := range []int32{-1, 0, 1, 1 << 30, 1<<30 + 1} {
			if got := b.breaks(id); got != slices.Contains(want, fmt.Sprint([]int32{id})) {
				t.Fatalf("%d breaks a run: %v, of %v", id, got, want)
			}
		}
	}
}

// The longest sequence counts, but only if all of it is there.
func TestLongestBreaker(t *testing.T) {
	b := NewBreakers([][]int32{{1}, {1, 2}, {1, 2, 3}, {4, 5}}, nil, words{"a", "b", "c"}, nil)
	history := []int32{1, 2, 3, 1, 2, 9, 4, 9, 1, 2}
	back := func(i int) int32 { return history[len(history)-1-i] }
	for at, want := range []int{2, -1, -1, 1, -1, -1, -1, -1, 1, -1} {
		if got := b.longest(len(history)-1-at, back); got != want {
			t.Errorf("at %d: %d, want %d", at, got, want)
		}
	}
}
