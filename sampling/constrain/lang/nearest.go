package lang

import (
	"slices"
)

// Texts that must differ are listed in the order in which nearest completions
// write them, so that the distance to a completion knows which are still free.

// Texts of more bytes than maxListedBytes are not listed, nor those of a
// language in which finding them takes more than maxListedPlaces places.
const (
	maxListedBytes  = 64
	maxListedPlaces = 4000
)

// jsonBytes is the length of the shortest way to write a byte of UTF-8 inside a
// JSON string.
func jsonBytes(b byte) int32 {
	switch {
	case b == '"' || b == '\\' || b == '\b' || b == '\f' || b == '\n' || b == '\r' || b == '\t':
		return 2
	case b < 0x20:
		return 6
	}
	return 1
}

// JSONLength is the length of a text, in bytes, in the shortest JSON that says it,
// without quotes.
func JSONLength(text string) (n int32) {
	for i := range len(text) {
		n += jsonBytes(text[i])
	}
	return n
}

// jsonOrder is all bytes in the order of their shortest JSON forms.
var jsonOrder = func() (order [256]byte) {
	for i := range order {
		order[i] = byte(i)
	}
	first := func(b byte) byte {
		if jsonBytes(b) > 1 {
			return '\\'
		}
		return b
	}
	slices.SortStableFunc(order[:], func(x, y byte) int { return int(first(x)) - int(first(y)) })
	return order
}()

// A textLister lists the texts of a language from a place on, by the length of
// their shortest JSON forms and then in their order.
type textLister struct {
	s      *StringLang
	fn     func(text string) bool
	places int
	again  bool // a longer text may exist
	done   bool // fn has stopped it
}

// EachText calls fn for texts from q on, with lo..hi code points to come, until
// it returns false. It reports whether fn has stopped it or heard of all texts.
func (s *StringLang) EachText(q, lo, hi int32, fn func(text string) bool) bool {
	l := textLister{s: s, fn: fn, again: true}
	for n := s.Lang.Cost(q, lo, hi); l.again; n++ {
		l.again = false
		if n > maxListedBytes {
			return n >= Unreachable
		}
		l.list(q, lo, hi, n, make([]byte, 0, maxListedBytes))
		if l.done || l.places > maxListedPlaces {
			return l.done
		}
	}
	return true
}

// list goes through the texts of exactly n bytes in JSON.
func (l *textLister) list(q, lo, hi, n int32, text []byte) {
	if l.places++; l.places > maxListedPlaces {
		return
	}
	if n == 0 && lo <= 0 && l.s.Lang.Accept(q) && !l.fn(string(text)) {
		l.done = true
		return
	}
	if !l.s.Lang.Inside(q) {
		if hi == 0 {
			return
		}
		lo, hi = Less1(lo), Less1(hi)
	}
	for _, b := range jsonOrder {
		to := l.s.Lang.step(q, b)
		if to == Dead {
			continue
		}
		switch cost := l.s.Lang.Cost(to, lo, hi); {
		case cost >= Unreachable:
		case jsonBytes(b)+cost > n:
			l.again = true
		default:
			l.list(to, lo, hi, n-jsonBytes(b), append(text, b))
		}
		if l.done || l.places > maxListedPlaces || n == 0 && l.again {
			return
		}
	}
}

// NearestFree is the fewest bytes that complete a text so that it is none of
// those taken, which all begin with what was read of it and are in ascending
// order. Where that is hard to
// find, it is not exact and may be less.
func (s *StringLang) NearestFree(st StringState, read string, taken []string) (bytes int32, exact bool) {
	best := Unreachable
	exact = s.EachText(st.Q, st.Lo, st.Hi, func(text string) bool {
		if _, gone := slices.BinarySearch(taken, read+text); gone {
			return true
		}
		best = JSONLength(text)
		return false
	})
	if !exact {
		best = s.Lang.Cost(st.Q, st.Lo, st.Hi)
	}
	return Add32(s.Closing(), best), exact
}
