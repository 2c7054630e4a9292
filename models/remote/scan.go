package remote

import (
	"errors"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth bounds how deep the JSON of a server may nest.
const maxDepth = 64

var errJSON = errors.New("not valid JSON")

// A scanner reads one JSON text from front to back without building a tree:
// rows of a whole vocabulary are megabytes, and all that is wanted of them is
// pairs of numbers. It accepts the literals NaN, Infinity and -Infinity, which
// Python servers write. After the first fault bad is true, every method
// returns a zero value, and loops over [scanner.more] end.
type scanner struct {
	b   []byte
	i   int
	bad bool
}

func (s *scanner) fail() { s.bad = true; s.i = len(s.b) }

func (s *scanner) ws() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\n', '\r', '\t':
			s.i++
		default:
			return
		}
	}
}

// peek returns the first byte of the next value, or 0 at the end.
func (s *scanner) peek() byte {
	s.ws()
	if s.i >= len(s.b) {
		return 0
	}
	return s.b[s.i]
}

// enter consumes open, which is '{' or '['. It reports whether it was there.
func (s *scanner) enter(open byte) bool {
	if s.peek() != open {
		s.fail()
		return false
	}
	s.i++
	return true
}

// more reports whether an object or array that ends in close has another
// member, and consumes the comma before it or the end.
func (s *scanner) more(close byte, first *bool) bool {
	c := s.peek()
	switch {
	case c == close:
		s.i++
		return false
	case *first && c != 0:
		*first = false
		return true
	case c == ',':
		s.i++
		if s.peek() != close {
			return true
		}
	}
	s.fail()
	return false
}

// key reads a member's name and the colon. It is "" for a name with an escape
// in it, which none of ours has.
func (s *scanner) key() []byte {
	raw, escaped := s.rawString()
	if s.peek() != ':' {
		s.fail()
		return nil
	}
	s.i++
	if escaped {
		return nil
	}
	return raw
}

// rawString consumes a string and returns what is between the quotes.
func (s *scanner) rawString() (raw []byte, escaped bool) {
	if s.peek() != '"' {
		s.fail()
		return nil, false
	}
	b := s.b
	start := s.i + 1
	for i := start; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			s.i = i + 1
			return b[start:i], escaped
		case c == '\\':
			escaped = true
			i++
		case c < 0x20:
			s.fail()
			return nil, false
		}
	}
	s.fail()
	return nil, false
}

// str consumes a string and appends its value to dst. Lone surrogates and
// bytes that are not UTF-8 become U+FFFD, as encoding/json has it.
func (s *scanner) str(dst []byte) []byte {
	raw, escaped := s.rawString()
	if !escaped && utf8.Valid(raw) {
		return append(dst, raw...)
	}
	for i := 0; i < len(raw); {
		c := raw[i]
		if c != '\\' {
			r, n := utf8.DecodeRune(raw[i:])
			dst = utf8.AppendRune(dst, r)
			i += n
			continue
		}
		i++
		switch raw[i] { // rawString never ends on a lone backslash
		case '"', '\\', '/':
			dst = append(dst, raw[i])
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'u':
			r := hex4(raw, i+1)
			if r < 0 {
				s.fail()
				return dst
			}
			i += 4
			if utf16.IsSurrogate(r) {
				r2 := rune(-1)
				if i+2 < len(raw) && raw[i+1] == '\\' && raw[i+2] == 'u' {
					r2 = hex4(raw, i+3)
				}
				if r = utf16.DecodeRune(r, r2); r != utf8.RuneError {
					i += 6
				}
			}
			dst = utf8.AppendRune(dst, r)
		default:
			s.fail()
			return dst
		}
		i++
	}
	return dst
}

// hex4 reads four hexadecimal digits at b[i:], or returns -1.
func hex4(b []byte, i int) rune {
	if i+4 > len(b) {
		return -1
	}
	var r rune
	for _, c := range b[i : i+4] {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return -1
		}
	}
	return r
}

// word consumes a number or a literal and returns its bytes.
func (s *scanner) word() []byte {
	s.ws()
	start := s.i
	for s.i < len(s.b) {
		c := s.b[s.i]
		if '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c == '-' || c == '+' || c == '.' {
			s.i++
			continue
		}
		break
	}
	if s.i == start {
		s.fail()
	}
	return s.b[start:s.i]
}

// number consumes a number. null is NaN.
func (s *scanner) number() float64 {
	w := s.word()
	if len(w) == 0 {
		return 0
	}
	switch string(w) {
	case "NaN", "null":
		return math.NaN()
	case "Infinity":
		return math.Inf(1)
	case "-Infinity":
		return math.Inf(-1)
	}
	if c := w[len(w)-1]; c < '0' || c > '9' { // also keeps "inf" and hexadecimal floats out
		s.fail()
		return 0
	}
	f, err := strconv.ParseFloat(string(w), 64)
	if err != nil && !math.IsInf(f, 0) {
		s.fail()
		return 0
	}
	return f
}

// integer consumes a number that must be whole and fit in 53 bits.
func (s *scanner) integer() int {
	s.ws()
	b, i, n := s.b, s.i, 0
	for i < len(b) && '0' <= b[i] && b[i] <= '9' && i-s.i < 15 {
		n = n*10 + int(b[i]-'0')
		i++
	}
	if i > s.i && i < len(b) && (b[i] == ',' || b[i] == '}' || b[i] == ']') {
		s.i = i
		return n
	}
	f := s.number()
	if f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		s.fail()
		return 0
	}
	return int(f)
}

// boolean consumes true or false; null is false.
func (s *scanner) boolean() bool {
	switch w := s.word(); string(w) {
	case "true":
		return true
	case "false", "null":
	default:
		s.fail()
	}
	return false
}

// null consumes null if it is next.
func (s *scanner) null() bool {
	if s.peek() != 'n' {
		return false
	}
	if string(s.word()) != "null" {
		s.fail()
	}
	return true
}

// skip consumes one value of any kind, without looking into strings and
// numbers.
func (s *scanner) skip() { s.skipAt(0) }

func (s *scanner) skipAt(depth int) {
	if depth > maxDepth {
		s.fail()
		return
	}
	switch s.peek() {
	case '"':
		s.rawString()
	case '{':
		s.i++
		for first := true; s.more('}', &first); {
			s.key()
			s.skipAt(depth + 1)
		}
	case '[':
		s.i++
		for first := true; s.more(']', &first); {
			s.skipAt(depth + 1)
		}
	case 't', 'f':
		s.boolean()
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		s.word()
	default:
		s.number()
	}
}

// end reports that the text held one whole value and nothing after it.
func (s *scanner) end() error {
	if s.peek() != 0 || s.bad || s.i < len(s.b) {
		return errJSON
	}
	return nil
}
