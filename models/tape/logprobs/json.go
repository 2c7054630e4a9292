package logprobs

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A kind is the type of a JSON value.
type kind uint8

const (
	null kind = iota
	boolean
	number
	text
	list
	object
)

// A value is a JSON value. Objects keep the order of their keys, which counts
// in some shapes, and numbers may be NaN and infinite, as Python writes them.
type value struct {
	kind  kind
	yes   bool
	num   float64
	lit   string // of a number, as written
	str   string
	items []value
	keys  []string // of an object, beside items
}

// maxDepth is how deep values may lie in each other.
const maxDepth = 200

// get returns the value of a key, the last if it stands twice, null if there is
// none or v is not an object.
func (v *value) get(key string) *value {
	for i, k := range slices.Backward(v.keys) {
		if k == key {
			return &v.items[i]
		}
	}
	return &value{}
}

// has reports whether v is an object with that key, whatever its value.
func (v *value) has(key string) bool {
	for _, k := range v.keys {
		if k == key {
			return true
		}
	}
	return false
}

// A parser reads JSON values one after another.
type parser struct {
	s    string
	at   int
	line int // of at, from 1
}

var errEnd = errors.New("it ends in the middle of a value")

func (p *parser) space() {
	for p.at < len(p.s) {
		switch p.s[p.at] {
		case '\n':
			p.line++
		case ' ', '\t', '\r':
		default:
			return
		}
		p.at++
	}
}

// value reads the next value.
func (p *parser) value(depth int) (v value, err error) {
	p.space()
	if p.at == len(p.s) {
		return v, errEnd
	}
	if depth > maxDepth {
		return v, fmt.Errorf("values lie more than %d deep in each other", maxDepth)
	}
	switch c := p.s[p.at]; {
	case c == '{':
		return p.collection(object, '}', depth)
	case c == '[':
		return p.collection(list, ']', depth)
	case c == '"':
		v.kind = text
		v.str, err = p.text()
		return v, err
	case c == '-' || c >= '0' && c <= '9' || c == 'N' || c == 'I':
		return p.number()
	}
	for _, c := range constants {
		if strings.HasPrefix(p.s[p.at:], c.word) {
			p.at += len(c.word)
			return c.v, nil
		}
	}
	return v, p.unexpected("a value")
}

// constants are the words of JSON that are values.
var constants = [...]struct {
	word string
	v    value
}{{"null", value{}}, {"true", value{kind: boolean, yes: true}}, {"false", value{kind: boolean}}}

func (p *parser) unexpected(want string) error {
	if p.at >= len(p.s) {
		return errEnd
	}
	r, _ := utf8.DecodeRuneInString(p.s[p.at:])
	return fmt.Errorf("%q in place of %s: not JSON", r, want)
}

func (p *parser) collection(k kind, end byte, depth int) (v value, err error) {
	v.kind = k
	p.at++
	for first := true; ; first = false {
		p.space()
		if p.at < len(p.s) && p.s[p.at] == end {
			p.at++
			return v, nil
		}
		if !first {
			if p.at == len(p.s) || p.s[p.at] != ',' {
				return v, p.unexpected("a comma")
			}
			p.at++
			p.space()
		}
		if k == object {
			if p.at == len(p.s) || p.s[p.at] != '"' {
				return v, p.unexpected("a key")
			}
			key, err := p.text()
			if err != nil {
				return v, err
			}
			if p.space(); p.at == len(p.s) || p.s[p.at] != ':' {
				return v, p.unexpected("a colon")
			}
			p.at++
			v.keys = append(v.keys, key)
		}
		item, err := p.value(depth + 1)
		if err != nil {
			return v, err
		}
		v.items = append(v.items, item)
	}
}

func (p *parser) number() (value, error) {
	for _, n := range []struct {
		word string
		x    float64
	}{{"NaN", math.NaN()}, {"Infinity", math.Inf(1)}, {"-Infinity", math.Inf(-1)}} {
		if strings.HasPrefix(p.s[p.at:], n.word) {
			p.at += len(n.word)
			return value{kind: number, num: n.x, lit: n.word}, nil
		}
	}
	from := p.at
	for p.at < len(p.s) && strings.IndexByte("+-0123456789.eE", p.s[p.at]) >= 0 {
		p.at++
	}
	lit := p.s[from:p.at]
	x, err := strconv.ParseFloat(lit, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || lit == "" {
		p.at = from
		return value{}, p.unexpected("a number")
	}
	if math.IsInf(x, 0) {
		x = math.NaN() // as no double can say it; lit tells
	}
	return value{kind: number, num: x, lit: lit}, nil
}

// text reads a string. Half of a surrogate pair is U+FFFD.
func (p *parser) text() (string, error) {
	p.at++
	var b []byte
	for {
		if p.at == len(p.s) {
			return "", errEnd
		}
		c := p.s[p.at]
		p.at++
		switch {
		case c == '"':
			if s := string(b); utf8.ValidString(s) {
				return s, nil
			}
			return strings.ToValidUTF8(string(b), "\uFFFD"), nil
		case c == '\n':
			p.at--
			return "", p.unexpected("the end of a string")
		case c != '\\':
			b = append(b, c)
		default:
			r, err := p.escape()
			if err != nil {
				return "", err
			}
			b = utf8.AppendRune(b, r)
		}
	}
}

// escapes are the escapes of one letter.
var escapes = map[byte]rune{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape reads what follows a backslash.
func (p *parser) escape() (rune, error) {
	if p.at == len(p.s) {
		return 0, errEnd
	}
	c := p.s[p.at]
	p.at++
	if r, ok := escapes[c]; ok {
		return r, nil
	}
	if c != 'u' {
		p.at--
		return 0, p.unexpected("an escape")
	}
	r, err := p.hex()
	if err != nil || !utf16.IsSurrogate(r) {
		return r, err
	}
	if strings.HasPrefix(p.s[p.at:], `\u`) {
		back := p.at
		p.at += 2
		low, err := p.hex()
		if err != nil {
			return 0, err
		}
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, nil
		}
		p.at = back
	}
	return utf8.RuneError, nil
}

func (p *parser) hex() (rune, error) {
	if len(p.s)-p.at < 4 {
		p.at = len(p.s)
		return 0, errEnd
	}
	n, err := strconv.ParseUint(p.s[p.at:p.at+4], 16, 16)
	if err != nil {
		return 0, p.unexpected("four hexadecimal digits")
	}
	p.at += 4
	return rune(n), nil
}
