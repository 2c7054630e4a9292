// Package jsonscan answers: what stands in this JSON, read once from front to
// back? It reads JSON from front to back without building a tree.
package jsonscan

import (
	"errors"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth bounds how deep the JSON of a server may nest.
const maxDepth = 64

var ErrSyntax = errors.New("not valid JSON")

// A Scanner reads one JSON text from front to back without building a tree:
// rows of a whole vocabulary are megabytes, and all that is needed of them is
// pairs of numbers. It accepts the literals NaN, Infinity and -Infinity, which
// Python servers write. After the first fault bad is true, every method
// returns a zero value, and loops over [scanner.more] end.
type Scanner struct {
	Data   []byte
	Pos    int
	Failed bool
}

func (s *Scanner) fail() { s.Failed = true; s.Pos = len(s.Data) }

func (s *Scanner) ws() {
	for s.Pos < len(s.Data) {
		switch s.Data[s.Pos] {
		case ' ', '\n', '\r', '\t':
			s.Pos++
		default:
			return
		}
	}
}

// Peek returns the first byte of the next value, or 0 at the end.
func (s *Scanner) Peek() byte {
	s.ws()
	if s.Pos >= len(s.Data) {
		return 0
	}
	return s.Data[s.Pos]
}

// Enter consumes open, which is '{' or '['. It reports whether it was there.
func (s *Scanner) Enter(open byte) bool {
	if s.Peek() != open {
		s.fail()
		return false
	}
	s.Pos++
	return true
}

// More reports whether an object or array that ends in close has another
// member, and consumes the comma before it or the end.
func (s *Scanner) More(close byte, first *bool) bool {
	c := s.Peek()
	switch {
	case c == close:
		s.Pos++
		return false
	case *first && c != 0:
		*first = false
		return true
	case c == ',':
		s.Pos++
		if s.Peek() != close {
			return true
		}
	}
	s.fail()
	return false
}

// Key reads a member's name and the colon. It is "" for a name with an escape
// in it, which none of ours has.
func (s *Scanner) Key() []byte {
	raw, escaped := s.RawString()
	if s.Peek() != ':' {
		s.fail()
		return nil
	}
	s.Pos++
	if escaped {
		return nil
	}
	return raw
}

// RawString consumes a string and returns what is between the quotes.
func (s *Scanner) RawString() (raw []byte, escaped bool) {
	if s.Peek() != '"' {
		s.fail()
		return nil, false
	}
	b := s.Data
	start := s.Pos + 1
	for i := start; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			s.Pos = i + 1
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

// String consumes a string and appends its value to dst. Lone surrogates and
// bytes that are not UTF-8 become U+FFFD, as encoding/json has it.
func (s *Scanner) String(dst []byte) []byte {
	raw, escaped := s.RawString()
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
func (s *Scanner) word() []byte {
	s.ws()
	start := s.Pos
	for s.Pos < len(s.Data) {
		c := s.Data[s.Pos]
		if '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c == '-' || c == '+' || c == '.' {
			s.Pos++
			continue
		}
		break
	}
	if s.Pos == start {
		s.fail()
	}
	return s.Data[start:s.Pos]
}

// Number consumes a number. null is NaN.
func (s *Scanner) Number() float64 {
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

// Integer consumes a number that must be whole and fit in 53 bits.
func (s *Scanner) Integer() int {
	s.ws()
	b, i, n := s.Data, s.Pos, 0
	for i < len(b) && '0' <= b[i] && b[i] <= '9' && i-s.Pos < 15 {
		n = n*10 + int(b[i]-'0')
		i++
	}
	if i > s.Pos && i < len(b) && (b[i] == ',' || b[i] == '}' || b[i] == ']') {
		s.Pos = i
		return n
	}
	f := s.Number()
	if f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		s.fail()
		return 0
	}
	return int(f)
}

// Boolean consumes true or false; null is false.
func (s *Scanner) Boolean() bool {
	switch w := s.word(); string(w) {
	case "true":
		return true
	case "false", "null":
	default:
		s.fail()
	}
	return false
}

// Null consumes null if it is next.
func (s *Scanner) Null() bool {
	if s.Peek() != 'n' {
		return false
	}
	if string(s.word()) != "null" {
		s.fail()
	}
	return true
}

// Skip consumes one value of any kind, without looking into strings and
// numbers.
func (s *Scanner) Skip() { s.skipAt(0) }

func (s *Scanner) skipAt(depth int) {
	if depth > maxDepth {
		s.fail()
		return
	}
	switch s.Peek() {
	case '"':
		s.RawString()
	case '{':
		s.Pos++
		for first := true; s.More('}', &first); {
			s.Key()
			s.skipAt(depth + 1)
		}
	case '[':
		s.Pos++
		for first := true; s.More(']', &first); {
			s.skipAt(depth + 1)
		}
	case 't', 'f':
		s.Boolean()
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		s.word()
	default:
		s.Number()
	}
}

// End reports that the text held one whole value and nothing after it.
func (s *Scanner) End() error {
	if s.Peek() != 0 || s.Failed || s.Pos < len(s.Data) {
		return ErrSyntax
	}
	return nil
}
