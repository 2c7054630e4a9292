package engine

import (
	"bytes"
	"unicode/utf8"

	"logitscope/models"
)

// Text returns the text v has generated: without control tokens, cut where a
// stop string begins, and, unless the text has ended, without a character at
// its end that is not whole yet (see [View.Held]).
func (v View) Text() string {
	b := v.shown()
	return string(b[:len(b)-v.held(b)])
}

// Held returns the bytes of a character that is not whole yet, which Text
// holds back.
func (v View) Held() string {
	b := v.shown()
	return string(b[len(b)-v.held(b):])
}

// Unsure returns how many bytes at the end of Text may turn out to be the
// beginning of a stop string, or may be taken back with a banned phrase.
func (v View) Unsure() int {
	if v.Settings == nil || v.Phase == Done {
		return 0
	}
	b := v.shown()
	text := b[:len(b)-v.held(b)]
	return max(v.Settings.stopper.pending(text), min(v.unsaid, len(text)))
}

// Unsaid returns how many of the newest steps a banned phrase may still take
// back.
func (v View) Unsaid() (n int) {
	if v.Phase == Done {
		return 0
	}
	return v.heldSteps
}

func (v View) shown() []byte {
	if v.StopAt >= 0 && v.StopAt < len(v.Written) {
		return v.Written[:v.StopAt]
	}
	return v.Written
}

func (v View) held(b []byte) int {
	if v.Phase == Done {
		return 0
	}
	return partial(b)
}

// appendPiece appends what token id adds to the text.
func appendPiece(b []byte, v models.Vocab, id int32) []byte {
	if a := v.Attr(id); a == models.Control || a == models.Unused {
		return b
	}
	return append(b, v.Piece(id)...)
}

// partial returns the length of the character at the end of b that more bytes
// could still complete, 0 if there is none.
func partial(b []byte) int {
	for n := 1; n <= min(len(b), utf8.UTFMax-1); n++ {
		c := b[len(b)-n]
		if !utf8.RuneStart(c) {
			continue
		}
		if c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-n:]) {
			return n
		}
		return 0
	}
	return 0
}

// A stopper finds the first stop string in a text that grows and shrinks.
type stopper struct {
	stops   []string
	longest int
}

func newStopper(stops []string) stopper {
	s := stopper{}
	for _, x := range stops {
		if x != "" {
			s.stops = append(s.stops, x)
			s.longest = max(s.longest, len(x))
		}
	}
	return s
}

// find returns where the earliest stop string begins in text, looking only at
// occurrences that end after byte old, or -1.
func (s stopper) find(text []byte, old int) int {
	from := max(0, old-s.longest+1)
	if len(s.stops) == 0 || from >= len(text) {
		return -1
	}
	first := -1
	for _, x := range s.stops {
		if i := bytes.Index(text[from:], []byte(x)); i >= 0 && (first < 0 || from+i < first) {
			first = from + i
		}
	}
	return first
}

// pending returns how many bytes at the end of text could be the beginning of
// a stop string.
func (s stopper) pending(text []byte) int {
	for n := min(s.longest-1, len(text)); n > 0; n-- {
		for _, x := range s.stops {
			if n < len(x) && string(text[len(text)-n:]) == x[:n] {
				return n
			}
		}
	}
	return 0
}
