package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// slack is what doubles lose where decimals are subtracted.
const slack = 1e-12

func number(_ *Reader, raw json.RawMessage) (judge, error) {
	value, within, err := readNumber(raw)
	if err != nil {
		return nil, err
	}
	return func(_ context.Context, _ *Subject, text string) (finding, error) {
		n, ok := lastNumber(text)
		if !ok {
			if strings.TrimSpace(text) == "" {
				return finding{why: "empty", at: 0}, nil
			}
			return finding{why: "no number", found: text, at: -1}, nil
		}
		if !math.IsInf(n.Value, 0) && math.Abs(n.Value-value) <= within+slack*max(math.Abs(n.Value), math.Abs(value)) {
			return passed, nil
		}
		return finding{why: "last number", found: text[n.From:n.To], at: n.From}, nil
	}, nil
}

func readNumber(raw json.RawMessage) (value, within float64, err error) {
	bad := errors.New("must be a number or {value, within}")
	if json.Unmarshal(raw, &value) == nil && string(raw) != "null" {
		return value, 0, nil
	}
	fields, err := Fields(raw)
	if err != nil {
		return 0, 0, bad
	}
	given := false
	for _, f := range fields {
		var to *float64
		switch f.Name {
		case "value":
			to, given = &value, true
		case "within":
			to = &within
		default:
			return 0, 0, fmt.Errorf("%s: unknown key; must be value or within", f.Name)
		}
		if json.Unmarshal(f.Value, to) != nil || string(f.Value) == "null" {
			return 0, 0, fmt.Errorf("%s: must be a number", f.Name)
		}
	}
	switch {
	case !given:
		return 0, 0, bad
	case within < 0:
		return 0, 0, errors.New("within: must be 0 or more")
	}
	return value, within, nil
}

// A Number is a number in a text.
type Number struct {
	Value    float64 // ±Inf beyond doubles
	From, To int     // the bytes it is spelled with, sign and currency included
}

// lastNumber returns the last number of a text. Words such as GPT-4, versions,
// dates and times are none; a fraction is its quotient; groups of thousands
// are read, a decimal comma is not.
func lastNumber(text string) (Number, bool) {
	s := scan{text: text}
	last, found := Number{}, false
	for i := 0; i < len(text); {
		if r, n := utf8.DecodeRuneInString(text[i:]); letter(r) {
			i = s.word(i)
			continue
		} else if !digit(text[i]) && text[i] != '.' {
			i += n
			continue
		}
		if end := s.composed(i); end > i {
			i = s.word(end)
			continue
		}
		value, end, ok := s.quantity(i)
		if ok {
			from, negative := s.sign(i)
			if negative {
				value = -value
			}
			last, found = Number{value, from, end}, true
		}
		i = max(end, i+1)
	}
	return last, found
}

// A scan reads a text.
type scan struct{ text string }

func digit(b byte) bool  { return b >= '0' && b <= '9' }
func letter(r rune) bool { return unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt) }

// inWord reports whether r goes on with a word.
func inWord(r rune) bool {
	return letter(r) || r >= '0' && r <= '9' || r == '_' || unicode.Is(unicode.M, r)
}

// at returns the byte at i, 0 beyond the ends.
func (s scan) at(i int) byte {
	if i < 0 || i >= len(s.text) {
		return 0
	}
	return s.text[i]
}

func (s scan) rune(i int) rune {
	if i < 0 || i >= len(s.text) {
		return -1
	}
	r, _ := utf8.DecodeRuneInString(s.text[i:])
	return r
}

func (s scan) before(i int) rune {
	if i <= 0 {
		return -1
	}
	r, _ := utf8.DecodeLastRuneInString(s.text[:i])
	return r
}

// digits returns where the digits from i on end.
func (s scan) digits(i int) int {
	for digit(s.at(i)) {
		i++
	}
	return i
}

// word returns where the word that begins at i with a letter ends, i if none
// does: letters, digits and marks, with hyphens before more of them and points
// between digits.
func (s scan) word(i int) int {
	if !letter(s.rune(i)) {
		return i
	}
	for i < len(s.text) {
		r, n := utf8.DecodeRuneInString(s.text[i:])
		hyphen := r == '-' || r == '\u2010' || r == '\u2011'
		switch {
		case inWord(r):
		case hyphen && inWord(s.rune(i+n)):
		case r == '.' && digit(s.at(i-1)) && digit(s.at(i+1)):
		default:
			return i
		}
		i += n
	}
	return i
}

// composed returns where a version, date or time that begins at i ends, i if
// none does: digits joined by two or more points, hyphens or slashes, or by
// colons at all.
func (s scan) composed(i int) int {
	first := s.digits(i)
	if first == i {
		return i
	}
	for _, c := range []struct {
		mark  byte
		least int
	}{{'.', 2}, {'-', 2}, {'/', 2}, {':', 1}} {
		end, n := first, 0
		for s.at(end) == c.mark && digit(s.at(end+1)) {
			end = s.digits(end + 1)
			n++
		}
		if n >= c.least {
			return end
		}
	}
	return i
}

// quantity reads the fraction or number at i and returns its value and where
// it ends; ok is false for what is neither, which ends there all the same.
func (s scan) quantity(i int) (value float64, end int, ok bool) {
	if over, end, ok := s.fraction(i); ok {
		return over, end, !math.IsNaN(over)
	}
	end = s.plain(i)
	if end == i {
		return 0, i, false
	}
	value, _ = strconv.ParseFloat(clean(s.text[i:end]), 64) // ±Inf beyond doubles
	unit := s.word(end)
	if strings.ContainsAny(s.text[end:unit], "0123456789") {
		return 0, unit, false
	}
	return value, end, true
}

// fraction reads digits over digits; over 0 its value is NaN.
func (s scan) fraction(i int) (value float64, end int, ok bool) {
	slash := s.digits(i)
	if slash == i || s.at(slash) != '/' {
		return 0, i, false
	}
	end = s.digits(slash + 1)
	if end == slash+1 || (s.at(end) == '.' || s.at(end) == ',') && digit(s.at(end+1)) {
		return 0, i, false
	}
	over, _ := strconv.ParseFloat(s.text[i:slash], 64)
	under, _ := strconv.ParseFloat(s.text[slash+1:end], 64)
	if under == 0 {
		return math.NaN(), end, true
	}
	return over / under, end, true
}

// marks part groups of thousands.
var marks = []string{",", "'", "\u2019", "_", "\u00a0", "\u2009", "\u202f"}

// plain returns where the number at i ends, i if none begins there.
func (s scan) plain(i int) int {
	end := s.digits(i)
	switch {
	case end > i:
		for _, m := range marks {
			if grouped := s.groups(i, end, m); grouped > end {
				end = grouped
				break
			}
		}
		if s.at(end) == '.' && digit(s.at(end+1)) {
			end = s.digits(end + 1)
		}
	case s.at(i) == '.' && digit(s.at(i+1)):
		if r := s.before(i); letter(r) || r >= '0' && r <= '9' || r == '_' || r == '.' {
			return i
		}
		end = s.digits(i + 1)
	default:
		return i
	}
	if c := s.at(end); c == 'e' || c == 'E' {
		from := end + 1
		if r := s.rune(from); r == '-' || r == '+' || r == '\u2212' {
			from += utf8.RuneLen(r)
		}
		if digit(s.at(from)) {
			end = s.digits(from)
		}
	}
	return end
}

// groups returns where the groups of three that a mark parts end, after the
// first group from i to end.
func (s scan) groups(i, end int, mark string) int {
	if end-i > 3 || s.at(i) == '0' {
		return end
	}
	for strings.HasPrefix(s.text[end:], mark) {
		from := end + len(mark)
		if s.digits(from) != from+3 {
			break
		}
		end = from + 3
	}
	return end
}

// clean returns a number as strconv reads it.
var clean = strings.NewReplacer(",", "", "'", "", "\u2019", "", "_", "", "\u00a0", "", "\u2009", "", "\u202f", "", "\u2212", "-").Replace

// sign returns where the number at i begins with its sign and currency, and
// whether it is negative.
func (s scan) sign(i int) (from int, negative bool) {
	from = i
	isSign := func(r rune) bool { return r == '-' || r == '+' || r == '\u2212' }
	take := func() bool {
		r := s.before(from)
		if !isSign(r) {
			return false
		}
		at := from - utf8.RuneLen(r)
		if p := s.before(at); letter(p) || unicode.Is(unicode.M, p) || p >= '0' && p <= '9' || strings.ContainsRune(")]%_.", p) {
			return false
		}
		from, negative = at, r != '+'
		return true
	}
	signed := take()
	if r := s.before(from); unicode.Is(unicode.Sc, r) {
		from -= utf8.RuneLen(r)
		if !signed {
			take()
		}
	}
	return from, negative
}
