// Package lookahead answers: which n-grams does a model find when it guesses
// many places of a text at once? It keeps the guesses of lookahead decoding (Fu
// et al. 2024, arXiv 2402.02057): a window of them, which each pass of the
// model improves once by Jacobi's iteration, and the n-grams they go through.
//
// A round runs the model over the text and the window's [Window.Paths], and
// hands what it guessed there to [Window.Next], which returns the window after
// and n-grams; those that begin with the text's last token ([Candidates]) are
// what may follow it.
//
// The package knows tokens, no model. What it returns is not changed later, so
// that a text can go back to an earlier window.
package lookahead

import (
	"iter"
	"slices"
)

// A Window holds what was guessed of the next places, in levels: levels[0] are
// the oldest guesses, and levels[j][i] is what the model gave after
// levels[j-1][i] one iteration later. All levels have a guess for each place,
// and there are at most n-1 of them for n-grams of n tokens. The zero value is
// no window.
type Window struct{ levels [][]int32 }

// Begin returns a window of one level with width guesses, tokens taken here and
// there from the text, which must not be empty.
func Begin(text []int32, width int) Window {
	first := make([]int32, width)
	for i := range first {
		first[i] = from(text, i)
	}
	return Window{[][]int32{first}}
}

// from is the guess for place i that knows nothing: some token of the text.
func from(text []int32, i int) int32 { return text[(len(text)-1+31*(i+1))%len(text)] }

// Fits reports whether w is a window of this width for n-grams of n tokens: one
// that has begun and has at most n-1 levels.
func (w Window) Fits(width, n int) bool {
	return len(w.levels) > 0 && len(w.levels) < n && len(w.levels[0]) == width
}

// Paths returns for each place the guesses that lead to its newest one, oldest
// first. Each path follows the text; the model's best token after it is the
// place's next guess. Paths begin alike, path i with the oldest guesses of the
// places up to i, so that a pass can share them. The window must have begun.
func (w Window) Paths() [][]int32 {
	out := make([][]int32, len(w.levels[0]))
	for i := range out {
		out[i] = slices.Clone(w.levels[0][:i+1])
		for _, l := range w.levels[1:] {
			out[i] = append(out[i], l[i])
		}
	}
	return out
}

// Next returns the window after an iteration in which guessed[i] was the
// model's best token after path i and text, as it is now, grew by moved tokens,
// 1 or more. It also returns an n-gram for each place, the guesses that it went
// through, or none as long as a place has fewer than n guesses.
func (w Window) Next(guessed []int32, n, moved int, text []int32) (Window, [][]int32) {
	levels := append(slices.Clone(w.levels), guessed)
	if len(levels) < n {
		return Window{levels}, nil
	}
	grams := make([][]int32, len(guessed))
	for i := range grams {
		for _, l := range levels {
			grams[i] = append(grams[i], l[i])
		}
	}
	levels = levels[1:]
	gone := min(moved-1, len(guessed)) // places that the text has passed
	for j, l := range levels {
		l = slices.Clone(l[gone:])
		for i := len(l); i < len(guessed); i++ {
			l = append(l, from(text, i))
		}
		levels[j] = l
	}
	return Window{levels}, grams
}

// Candidates returns what may follow token last by the n-grams that begin with
// it, without last: at most most different runs, in the order of the n-grams,
// each of 1 to k tokens. most must be 1 or more.
func Candidates(grams iter.Seq[[]int32], last int32, k, most int) (out [][]int32) {
	for g := range grams {
		if len(g) < 2 || g[0] != last {
			continue
		}
		next := g[1:min(len(g), k+1)]
		if len(next) == 0 || slices.ContainsFunc(out, func(o []int32) bool { return slices.Equal(o, next) }) {
			continue
		}
		if out = append(out, slices.Clone(next)); len(out) == most {
			break
		}
	}
	return out
}

// Begun reports whether w is a window; the zero value is not.
func (w Window) Begun() bool { return len(w.levels) > 0 }
