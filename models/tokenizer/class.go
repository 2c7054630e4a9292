package tokenizer

import (
	"sync"
	"unicode"
	"unicode/utf8"
)

// class is the set of Unicode groups that a code point belongs to, as far as
// pre-tokenizers ask.
type class uint8

const (
	letter  class = 1 << iota // \p{L}
	number                    // \p{N}
	punct                     // \p{P}
	symbol                    // \p{S}
	mark                      // \p{M}
	space                     // \s, which is White_Space
	control                   // \p{C} that is assigned
	han                       // the CJK ideographs of the Kimi tokenizer
)

// tableSize is the number of code points that are classed beforehand: all
// planes that hold letters.
const tableSize = 0x32400

// classes is built at the first character that is not ASCII.
var classes = sync.OnceValue(func() *[tableSize]class {
	t := new([tableSize]class)
	for _, g := range []struct {
		is    class
		table *unicode.RangeTable
	}{
		{letter, unicode.L}, {number, unicode.N}, {punct, unicode.P}, {symbol, unicode.S},
		{mark, unicode.M}, {space, unicode.White_Space}, {han, hanTable},
		{control, unicode.Cc}, {control, unicode.Cf}, {control, unicode.Cs}, {control, unicode.Co},
	} {
		for _, r := range g.table.R16 {
			for c := uint32(r.Lo); c <= uint32(r.Hi); c += uint32(r.Stride) {
				t[c] |= g.is
			}
		}
		for _, r := range g.table.R32 {
			for c := r.Lo; c <= r.Hi && c < tableSize; c += r.Stride {
				t[c] |= g.is
			}
		}
	}
	return t
})

// hanTable holds the ranges that the Kimi tokenizer treats as Chinese.
var hanTable = &unicode.RangeTable{
	R16: []unicode.Range16{{Lo: 0x3400, Hi: 0x4DBF, Stride: 1}, {Lo: 0x4E00, Hi: 0x9FFF, Stride: 1}, {Lo: 0xF900, Hi: 0xFAFF, Stride: 1}},
	R32: []unicode.Range32{{Lo: 0x20000, Hi: 0x2A6DF, Stride: 1}, {Lo: 0x2A700, Hi: 0x2EBEF, Stride: 1}, {Lo: 0x2F800, Hi: 0x2FA1F, Stride: 1}},
}

// ascii is the class of each ASCII character. A tilde has none: llama.cpp
// leaves it out of \p{S}, and so of what its pre-tokenizers group with marks.
var ascii = func() (t [utf8.RuneSelf]class) {
	for c := range t {
		r := rune(c)
		switch {
		case unicode.IsSpace(r):
			t[c] = space | control
			if c == ' ' {
				t[c] = space
			}
		case unicode.IsLetter(r):
			t[c] = letter
		case unicode.IsNumber(r):
			t[c] = number
		case unicode.IsPunct(r):
			t[c] = punct
		case r == '~':
		case unicode.IsSymbol(r):
			t[c] = symbol
		default:
			t[c] = control
		}
	}
	return t
}()

// classOf returns the class of one code point.
func classOf(r rune) class {
	switch {
	case r < utf8.RuneSelf:
		return ascii[r]
	case r < tableSize:
		return classes()[r]
	case unicode.Is(unicode.M, r): // variation selectors
		return mark
	case unicode.In(r, unicode.Cf, unicode.Co):
		return control
	}
	return 0
}

// at returns the class and length of the code point at s[i:]; both are 0 at
// the end of s.
func at(s string, i int) (class, int) {
	if i >= len(s) {
		return 0, 0
	}
	if c := s[i]; c < utf8.RuneSelf {
		return ascii[c], 1
	}
	r, n := decode(s, i)
	return classOf(r), n
}

// decode returns the code point at s[i:], which must exist. It reads a
// surrogate too, as llama.cpp does.
func decode(s string, i int) (rune, int) {
	r, n := utf8.DecodeRuneInString(s[i:])
	if r == utf8.RuneError && n == 1 {
		if r, n := decodeLoose(s, i); n > 0 {
			return r, n
		}
		return utf8.RuneError, 1
	}
	return r, n
}

// decodeLoose reads the pattern of a lead byte and its continuation bytes
// without asking whether the encoding is the shortest or the code point
// valid. It returns 0, 0 if there is no such pattern.
func decodeLoose(s string, i int) (rune, int) {
	c := s[i]
	var n int
	var r rune
	switch {
	case c < 0x80:
		return rune(c), 1
	case c < 0xC0:
		return 0, 0
	case c < 0xE0:
		n, r = 2, rune(c&0x1F)
	case c < 0xF0:
		n, r = 3, rune(c&0x0F)
	case c < 0xF8:
		n, r = 4, rune(c&0x07)
	default:
		return 0, 0
	}
	if len(s)-i < n {
		return 0, 0
	}
	for _, b := range []byte(s[i+1 : i+n]) {
		if b&0xC0 != 0x80 {
			return 0, 0
		}
		r = r<<6 | rune(b&0x3F)
	}
	return r, n
}

// clean returns s with every byte that is not part of a character replaced by
// U+FFFD, and overlong encodings by the short ones. Surrogates stay.
func clean(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	out := make([]byte, 0, len(s)+16)
	for i := 0; i < len(s); {
		r, n := decodeLoose(s, i)
		switch {
		case n == 0:
			r, n = utf8.RuneError, 1
			out = utf8.AppendRune(out, r)
		case r >= 0xD800 && r <= 0xDFFF:
			out = append(out, s[i:i+n]...)
		default:
			out = utf8.AppendRune(out, r) // U+FFFD above U+10FFFF
		}
		i += n
	}
	return string(out)
}
