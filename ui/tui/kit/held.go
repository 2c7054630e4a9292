package kit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"logitscope/viz"
)

// Bubbles' text components drop control characters and bytes that are no
// text, and turn tabs into spaces. A prompt is what the model reads, so here
// every such character is handed to them as one of the private use area, and
// taken back when the text is read.
const (
	heldRune  = 0xf0000          // control character r is heldRune+r
	heldByte  = heldRune + 0x100 // byte b of no valid character is heldByte+b
	heldError = heldRune + 0x200 // U+FFFD itself
)

// hold returns s as a text component keeps it; characters of keep stay as
// they are.
func hold(s, keep string) string {
	var b strings.Builder
	b.Grow(len(s))
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			b.WriteRune(heldByte + rune(s[0]))
		case r == utf8.RuneError:
			b.WriteRune(heldError)
		case unicode.IsControl(r) && !strings.ContainsRune(keep, r):
			b.WriteRune(heldRune + r)
		case r >= heldRune && r <= heldError: // one that means something else here
			for _, c := range []byte(s[:n]) {
				b.WriteRune(heldByte + rune(c))
			}
		default:
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// release is the inverse of hold.
func release(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		switch {
		case r == heldError:
			b.WriteRune(utf8.RuneError)
		case r >= heldByte && r < heldError:
			b.WriteByte(byte(r - heldByte))
		case r >= heldRune && r < heldByte:
			b.WriteRune(r - heldRune)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// runesAfter is how many runes of a text component the first character of s
// is, as it is read; at least one.
func runesAfter(s string) int {
	return max(utf8.RuneCountInString(hold(viz.FirstCluster(s), "")), 1)
}

// runesBefore is the same of the last character of s.
func runesBefore(s string) int {
	last := ""
	for s != "" {
		last = viz.FirstCluster(s)
		s = s[len(last):]
	}
	return runesAfter(last)
}
