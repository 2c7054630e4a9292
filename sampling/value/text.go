package value

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// blanks reads the glyphs that the screen shows for blanks as the blanks: a
// token is typed as it is seen. JSON and quotes take them literally.
var blanks = strings.NewReplacer("␣", " ", "↵", "\n", "⇥", "\t", "␍", "\r")

// SplitList splits at commas; a backslash before a comma keeps it. A list of
// quoted texts, as the screen shows one, is read as such.
func SplitList(s string) []string {
	if s == "" {
		return []string{}
	}
	if list, ok := quotedList(s); ok {
		return list
	}
	var out []string
	for _, part := range strings.Split(strings.ReplaceAll(s, `\,`, "\x00"), ",") {
		out = append(out, blanks.Replace(strings.ReplaceAll(part, "\x00", ",")))
	}
	return out
}

// quotedList reads "one", "two"; it reports false if anything else stands
// there.
func quotedList(s string) (out []string, ok bool) {
	for {
		text, rest, ok := cutQuoted(s)
		if !ok || rest != "" && rest[0] != ',' {
			return nil, false
		}
		out = append(out, text)
		if rest == "" {
			return out, true
		}
		s = rest[1:]
	}
}

// cutQuoted cuts a double-quoted text, and the spaces around it, from s.
func cutQuoted(s string) (text, rest string, ok bool) {
	s = strings.TrimLeft(s, " ")
	q, err := strconv.QuotedPrefix(s)
	if err != nil || q[0] != '"' {
		return "", s, false
	}
	text, err = strconv.Unquote(q)
	return text, strings.TrimLeft(s[len(q):], " "), err == nil
}

// Decimals writes v with at least as many decimals as step has.
func Decimals(v, step float64) string {
	least := 0
	for s := step; s > 0 && s < 0.999 && least < 6; s *= 10 {
		least++
	}
	s := strconv.FormatFloat(v, 'f', -1, 64)
	if len(s) > 12 {
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	if i := strings.IndexByte(s, '.'); i < 0 && least > 0 || i >= 0 && len(s)-i-1 < least {
		return strconv.FormatFloat(v, 'f', least, 64)
	}
	return s
}

// Round rounds v to a multiple of unit.
func Round(v, unit float64) float64 {
	if unit >= 1 {
		return math.Round(v/unit) * unit
	}
	inv := math.Round(1 / unit)
	return math.Round(v*inv) / inv
}

// RangeWords says which numbers lie between lo and hi; lo itself does not where
// the range is open.
func RangeWords(lo, hi float64, open bool) string {
	switch {
	case open && math.IsInf(hi, 1):
		return "above " + plain(lo)
	case open:
		return "above " + plain(lo) + ", up to " + plain(hi)
	case math.IsInf(hi, 1):
		return plain(lo) + " or more"
	}
	return plain(lo) + " to " + plain(hi)
}

func plain(f float64) string {
	switch f { // which float64 has no digits for
	case math.MaxUint64:
		return "18446744073709551615"
	case math.MaxInt64:
		return "9223372036854775807"
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// SplitBias reads token=bias,token=bias: a token is an id, or a text as it
// stands, its spaces included, or a text in quotes.
// Each is a pair that [Bias] reads.
func SplitBias(s string) (list []any, ok bool) {
	for more := true; more; {
		var token any
		var bias string
		if text, rest, ok := cutQuoted(s); ok && rest != "" && strings.IndexByte("=:", rest[0]) >= 0 {
			token = text
			bias, s, more = strings.Cut(rest[1:], ",")
		} else {
			var part string
			part, s, more = strings.Cut(s, ",")
			i := strings.LastIndexAny(part, "=:")
			if i <= 0 {
				return nil, false
			}
			token, bias = blanks.Replace(part[:i]), part[i+1:]
			if id, err := strconv.Atoi(strings.TrimSpace(part[:i])); err == nil {
				token = json.Number(strconv.Itoa(id))
			}
		}
		list = append(list, []any{token, strings.TrimSpace(bias)})
	}
	return list, true
}

// Shortest writes f in as few digits as give it back.
func Shortest(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

// Commas writes a count with a comma between thousands.
func Commas(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
