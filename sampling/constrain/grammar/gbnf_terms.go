package grammar

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"logitscope/sampling/constrain/lang"
)

func (p *gbnfParser) literal() (*lang.Expr, error) {
	at := p.pos
	p.pos++
	var b []byte
	for p.pos < len(p.text) && p.text[p.pos] != '"' {
		if p.text[p.pos] == '\n' {
			break
		}
		r, err := p.char()
		if err != nil {
			return nil, err
		}
		b = utf8.AppendRune(b, r)
	}
	if p.pos >= len(p.text) || p.text[p.pos] != '"' {
		p.pos = at
		return nil, p.errorf("this literal is not closed")
	}
	p.pos++
	return lang.Text(string(b)), nil
}

func (p *gbnfParser) class() (*lang.Expr, error) {
	at := p.pos
	p.pos++
	negated := p.pos < len(p.text) && p.text[p.pos] == '^'
	if negated {
		p.pos++
	}
	var ranges []lang.RuneRange
	for p.pos < len(p.text) && p.text[p.pos] != ']' {
		if p.text[p.pos] == '\n' {
			break
		}
		from := p.pos
		lo, err := p.char()
		if err != nil {
			return nil, err
		}
		hi := lo
		if p.pos+1 < len(p.text) && p.text[p.pos] == '-' && p.text[p.pos+1] != ']' {
			p.pos++
			if hi, err = p.char(); err != nil {
				return nil, err
			}
		}
		if hi < lo {
			p.pos = from
			return nil, p.errorf("the range %s-%s is reversed", string(lo), string(hi))
		}
		ranges = append(ranges, lang.RuneRange{Lo: lo, Hi: hi})
	}
	if p.pos >= len(p.text) || p.text[p.pos] != ']' {
		p.pos = at
		return nil, p.errorf("this class is not closed")
	}
	p.pos++
	if negated {
		ranges = lang.Complement(ranges)
	}
	return lang.Class(lang.Normalize(ranges)...), nil
}

// char reads one character of a literal or class, with its escapes.
func (p *gbnfParser) char() (rune, error) {
	r, n := utf8.DecodeRuneInString(p.text[p.pos:])
	if r != '\\' {
		p.pos += n
		return r, nil
	}
	if p.pos+1 >= len(p.text) {
		return 0, p.errorf("an escape is cut off")
	}
	c := p.text[p.pos+1]
	digits := escapeDigits[c]
	if digits > 0 {
		return p.hexEscape(digits)
	}
	r, ok := escapes[c]
	if !ok {
		return 0, p.errorf(`unknown escape \%c`, c)
	}
	p.pos += 2
	return r, nil
}

// escapes are what a character after a backslash stands for, and escapeDigits
// how many hexadecimal digits follow it.
var (
	escapes      = map[byte]rune{'n': '\n', 'r': '\r', 't': '\t', '"': '"', '\\': '\\', '[': '[', ']': ']', '-': '-', '^': '^', '/': '/'}
	escapeDigits = map[byte]int{'x': 2, 'u': 4, 'U': 8}
)

func (p *gbnfParser) hexEscape(digits int) (rune, error) {
	from := p.pos + 2
	if from+digits > len(p.text) {
		return 0, p.errorf("an escape needs %d hexadecimal digits", digits)
	}
	n, err := strconv.ParseUint(p.text[from:from+digits], 16, 32)
	if err != nil {
		return 0, p.errorf("an escape needs %d hexadecimal digits", digits)
	}
	if !utf8.ValidRune(rune(n)) || n > lang.MaxRune {
		return 0, p.errorf("U+%04X is not a code point", n)
	}
	p.pos = from + digits
	return rune(n), nil
}

// repetition applies a mark to the item, if one stands here.
func (p *gbnfParser) repetition(e *lang.Expr) (*lang.Expr, bool, error) {
	if p.pos >= len(p.text) {
		return e, false, nil
	}
	lo, hi := 0, -1
	switch p.text[p.pos] {
	case '*':
	case '+':
		lo = 1
	case '?':
		hi = 1
	case '{':
		var err error
		if lo, hi, err = p.bounds(); err != nil {
			return nil, false, err
		}
		return lang.Repeat(e, lo, hi), true, nil
	default:
		return e, false, nil
	}
	p.pos++
	return lang.Repeat(e, lo, hi), true, nil
}

func (p *gbnfParser) bounds() (lo, hi int, err error) {
	at := p.pos
	end := strings.IndexByte(p.text[at:], '}')
	if end < 0 {
		return 0, 0, p.errorf("this count is not closed")
	}
	body := p.text[at+1 : at+end]
	low, high, ranged := strings.Cut(body, ",")
	lo, ok := parseCount(low)
	if !ok && !(ranged && strings.TrimSpace(low) == "" && strings.TrimSpace(high) != "") {
		return 0, 0, p.errorf("a count must be {m}, {m,} or {m,n} with numbers up to %d", lang.MaxRepeat)
	}
	switch {
	case !ranged:
		hi = lo
	case strings.TrimSpace(high) == "":
		hi = -1
	default:
		if hi, ok = parseCount(high); !ok {
			return 0, 0, p.errorf("a count must be {m}, {m,} or {m,n} with numbers up to %d", lang.MaxRepeat)
		}
		if hi < lo {
			return 0, 0, p.errorf("the count {%s} has its bounds reversed", lang.Clip(body))
		}
	}
	p.pos = at + end + 1
	return lo, hi, nil
}

func parseCount(s string) (int, bool) {
	s = strings.TrimSpace(s)
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil || n > lang.MaxRepeat {
		return 0, false
	}
	return int(n), true
}
