package goal

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind uint8

const (
	atEnd tokenKind = iota
	aNumber
	aText
	aName
	aSign // an operator or a bracket
)

// A lexeme is one word of an expression.
type lexeme struct {
	kind     tokenKind
	text     string // of a text, what stands between the quotes after escapes
	from, to int    // bytes of the source
}

// lex splits src. A name may hold points and minus signs inside only where it
// is a value; see parser.setting.
func lex(src string) ([]lexeme, error) {
	var out []lexeme
	for i := 0; i < len(src); {
		c := src[i]
		from := i
		switch {
		case c == ' ' || c == '\t':
			i++
			continue
		case digit(c) || c == '.' && i+1 < len(src) && digit(src[i+1]):
			i = number10(src, i)
			out = append(out, lexeme{aNumber, src[from:i], from, i})
		case c == '"':
			text, n, err := quotedAt(src[i:])
			if err != nil {
				return nil, err
			}
			i += n
			out = append(out, lexeme{aText, text, from, i})
		case letter(c):
			for i < len(src) && (letter(src[i]) || digit(src[i])) {
				i++
			}
			out = append(out, lexeme{aName, src[from:i], from, i})
		case c == '.' && i > 0 && i+1 < len(src) && (letter(src[i-1]) || digit(src[i-1])) && letter(src[i+1]):
			i++ // in a bare word: order=llama.cpp
			out = append(out, lexeme{aSign, src[from:i], from, i})
		case strings.HasPrefix(src[i:], "!=") || strings.HasPrefix(src[i:], "<=") || strings.HasPrefix(src[i:], ">="):
			i += 2
			out = append(out, lexeme{aSign, src[from:i], from, i})
		case strings.IndexByte("=<>+-*/%(),", c) >= 0:
			i++
			out = append(out, lexeme{aSign, src[from:i], from, i})
		default:
			_, n := utf8.DecodeRuneInString(src[i:])
			return nil, fmt.Errorf("%s has no meaning here%s", Shown(src[i:i+n]), instead[src[i:i+n]])
		}
		if len(out) > 20*MaxNodes {
			return nil, errNodes
		}
	}
	return append(out, lexeme{kind: atEnd, from: len(src), to: len(src)}), nil
}

// number10 returns where the number that begins at i ends.
func number10(src string, i int) int {
	for i < len(src) && digit(src[i]) {
		i++
	}
	if i+1 < len(src) && src[i] == '.' && digit(src[i+1]) {
		i++
		for i < len(src) && digit(src[i]) {
			i++
		}
	}
	return i
}

func digit(c byte) bool  { return c >= '0' && c <= '9' }
func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }

var escapes = map[byte]byte{'n': '\n', 't': '\t', '"': '"', '\\': '\\'}

// quotedAt reads the text in quotes that s begins with: what it says and how
// many bytes it takes.
func quotedAt(s string) (text string, n int, err error) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return b.String(), i + 1, nil
		case c == '\\' && i+1 < len(s):
			i++
			e, ok := escapes[s[i]]
			if !ok {
				return "", 0, fmt.Errorf(`%s: in a text in quotes a backslash stands before n, t, " or \`, Shown(s[i-1:i+1]))
			}
			b.WriteByte(e)
		case strings.HasPrefix(s[i:], "␣"):
			b.WriteByte(' ')
			i += len("␣") - 1
		default:
			b.WriteByte(c)
		}
	}
	return "", 0, fmt.Errorf("the quote of %s is not closed", Shown(s))
}

// Cut splits a line at its first colon outside quotes: the expression and its
// words. It reports false if there is none.
func Cut(line string) (expr, words string, found bool) {
	i := outside(line, ':')
	if i < 0 {
		return line, "", false
	}
	return line[:i], line[i+1:], true
}

// Close returns the index of the first closing brace of s outside quotes, -1
// if there is none.
func Close(s string) int { return outside(s, '}') }

// outside returns the index of the first c of s outside quotes, -1 if there is
// none.
func outside(s string, c byte) int {
	in := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && in:
			i++
		case s[i] == '"':
			in = !in
		case s[i] == c && !in:
			return i
		}
	}
	return -1
}

// maxShown is how much of a text an error shows.
const maxShown = 60

// Shown returns s as an error may show it: in one line, not too long, with
// everything that acts on a terminal escaped.
func Shown(s string) string {
	var b strings.Builder
	for n := 0; len(s) > 0; n++ {
		if n == maxShown {
			b.WriteString("…")
			break
		}
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02X`, s[0])
		case hidden(r):
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
		s = s[size:]
	}
	return b.String()
}

// hidden reports whether r acts on a terminal instead of being drawn.
func hidden(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }

// instead is what a character of other languages is written as here.
var instead = map[string]string{
	"&": "; join comparisons by and", "|": "; join comparisons by or", "!": "; want not, or != between two sides",
	"'": quotes, "`": quotes, "“": quotes, "”": quotes, "‘": quotes, "’": quotes, "«": quotes, "»": quotes,
	"≤": "; want <=", "≥": "; want >=", "≠": "; want !=", "×": "; want *", "−": "; want -",
}

const quotes = `; a text stands in "straight quotes"`
