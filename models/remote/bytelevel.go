package remote

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// byteOf maps the alphabet in which byte-level BPE vocabularies (GPT-2) write
// bytes back to the bytes: the printable ones of Latin-1 stand for themselves,
// the others are, in order, the code points from U+0100 on.
var byteOf = func() map[rune]byte {
	m := make(map[rune]byte, 256)
	next := rune(0x100)
	for b := range 256 {
		switch {
		case b >= '!' && b <= '~', b >= 0xa1 && b <= 0xac, b >= 0xae:
			m[rune(b)] = byte(b)
		default:
			m[next] = byte(b)
			next++
		}
	}
	return m
}()

// ByteLevel returns the bytes that a byte-level vocabulary writes as s, and
// whether s is written in its alphabet.
func ByteLevel(s string) (string, bool) {
	out := make([]byte, 0, len(s))
	for _, r := range s {
		b, ok := byteOf[r]
		if !ok {
			return "", false
		}
		out = append(out, b)
	}
	return string(out), true
}

// SentencePiece returns the bytes that a SentencePiece vocabulary writes as s:
// U+2581 is a space and <0xHH> one byte.
func SentencePiece(s string) string {
	if len(s) == 6 && strings.HasPrefix(s, "<0x") && s[5] == '>' {
		if b, err := strconv.ParseUint(s[3:5], 16, 8); err == nil {
			return string([]byte{byte(b)})
		}
	}
	return strings.ReplaceAll(s, "\u2581", " ")
}

// Incomplete reports whether text is not whole UTF-8 by itself.
func Incomplete(text string) bool { return !utf8.ValidString(text) }
