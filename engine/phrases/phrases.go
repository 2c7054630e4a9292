// Package phrases answers: have the newest tokens of a text just said a banned
// phrase, and how many of them must be taken back? It is koboldcpp's
// rule (its "anti-slop"): the newest tokens are held back, a phrase is looked
// for in what is held, and the first token of the shortest run that contains
// it is banned at its place for the rest of the generation.
//
// It is a leaf: it knows texts and counts, no model and no lane.
package phrases

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Rules are banned phrases. The zero value bans nothing. Rules do not change.
type Rules struct {
	phrases []string // with ASCII letters lowered, in the order given
	hold    int      // tokens held back at most
	always  []int32  // tokens banned throughout
}

// spare is how many tokens are held back beyond those of the longest phrase.
const spare = 3

// New returns the rules for phrases, whose ASCII letters are lowered. count
// says how many tokens a phrase has by itself; one of none is left out. A phrase
// of one character that is one token is not one: pieces, the text of every token
// by id, says which tokens contain it in either case; those are banned
// throughout.
func New(list []string, count func(phrase string) int, pieces func(yield func(id int32, text string) bool)) *Rules {
	r := &Rules{}
	var single []string
	for _, p := range list {
		p = lower(p)
		n := 0
		if p != "" {
			n = count(p)
		}
		switch {
		case n == 0:
		case n == 1 && utf8.RuneCountInString(p) == 1:
			single = append(single, p)
		default:
			r.phrases = append(r.phrases, p)
			r.hold = max(r.hold, n+spare)
		}
	}
	if len(single) == 0 {
		return r
	}
	for id, text := range pieces {
		text = lower(text)
		if slices.ContainsFunc(single, func(p string) bool { return strings.Contains(text, p) }) {
			r.always = append(r.always, id)
		}
	}
	return r
}

// Hold returns how many of the newest tokens are held back at most.
func (r *Rules) Hold() int { return r.hold }

// Always returns the tokens that are banned throughout. The caller must not
// change it.
func (r *Rules) Always() []int32 { return r.always }

// On reports whether there is anything to look for.
func (r *Rules) On() bool { return r != nil && (len(r.phrases) > 0 || len(r.always) > 0) }

// find looks for a phrase in the texts of the tokens held. It returns the first
// phrase of the list that is there and that the last tokens, most at most,
// contain, and how many of them do.
func (r *Rules) find(held []string, most int) (phrase string, run int, ok bool) {
	text := lower(strings.Join(held, ""))
	for _, p := range r.phrases {
		if !strings.Contains(text, p) {
			continue
		}
		tail := ""
		for run = 1; run <= min(len(held), most); run++ {
			if tail = lower(held[len(held)-run]) + tail; strings.Contains(tail, p) {
				return p, run, true
			}
		}
	}
	return "", 0, false
}

// lower lowers ASCII letters.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// A Watch follows one generation: what was let go, and what is banned where.
// Its zero value is the beginning.
type Watch struct {
	Free  int             // tokens let go: they are not taken back any more
	Taken int             // tokens taken back so far
	at    map[int][]int32 // by position in the output
}

// A Rewind is what a phrase takes back.
type Rewind struct {
	Phrase string
	Run    int   // tokens
	At     int   // position in the output that is to be chosen again
	Token  int32 // banned there
}

// After is told that an output of n tokens has a new last one. piece and token
// give the text and the id at a position. first is the least position that may
// be taken back: 1 where nothing stands before the output, else 0.
func (w *Watch) After(r *Rules, n, first int, piece func(i int) string, token func(i int) int32) (Rewind, bool) {
	w.Free = max(w.Free, n-r.hold)
	held := make([]string, 0, r.hold)
	for i := w.Free; i < n; i++ {
		held = append(held, piece(i))
	}
	if p, run, ok := r.find(held, n-first); ok {
		x := Rewind{p, run, n - run, token(n - run)}
		if w.at == nil {
			w.at = make(map[int][]int32)
		}
		w.at[x.At] = append(w.at[x.At], x.Token)
		w.Taken += run
		return x, true
	}
	return Rewind{}, false
}

// Banned returns the tokens that are banned at a position of the output.
func (w *Watch) Banned(r *Rules, at int) []int32 {
	if !r.On() {
		return nil
	}
	return append(r.always[:len(r.always):len(r.always)], w.at[at]...)
}

// Cut is told that only n tokens of the output are left, by somebody's wish.
func (w *Watch) Cut(n int) { w.Free = min(w.Free, n) }
