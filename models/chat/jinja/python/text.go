package python

import (
	"html"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// IsSpace is Python's str.isspace for one character.
func IsSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

// TrimLeft, TrimRight and TrimSpace take away what Python counts as white space.
func TrimLeft(s string) string  { return strings.TrimLeftFunc(s, IsSpace) }
func TrimRight(s string) string { return strings.TrimRightFunc(s, IsSpace) }
func TrimSpace(s string) string { return strings.TrimFunc(s, IsSpace) }

// lineEnds are the characters that end a line for Python's splitlines.
const lineEnds = "\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029"

// SplitLines is Python's str.splitlines.
func SplitLines(s string, keep bool) (lines []string) {
	for s != "" {
		i := strings.IndexAny(s, lineEnds)
		if i < 0 {
			return append(lines, s)
		}
		_, n := utf8.DecodeRuneInString(s[i:])
		if strings.HasPrefix(s[i:], "\r\n") {
			n = 2
		}
		if keep {
			lines = append(lines, s[:i+n])
		} else {
			lines = append(lines, s[:i])
		}
		s = s[i+n:]
	}
	return lines
}

// Upper is str.upper.
func Upper(s string) string {
	if ascii(s) {
		return strings.ToUpper(s)
	}
	return cases.Upper(language.Und).String(s)
}

// Lower is str.lower.
func Lower(s string) string {
	if ascii(s) {
		return strings.ToLower(s)
	}
	r := []rune(s)
	var b strings.Builder
	for i := range r {
		b.WriteString(lowerAt(r, i))
	}
	return b.String()
}

// lowerAt is the lower case of a character where it stands: a sigma at the end
// of a word has its own.
func lowerAt(r []rune, i int) string {
	switch r[i] {
	case 'Σ':
		if finalSigma(r, i) {
			return "ς"
		}
	case 'İ':
		return "i̇"
	}
	return string(unicode.ToLower(r[i]))
}

func finalSigma(r []rune, i int) bool {
	before := i - 1
	for before >= 0 && caseIgnorable(r[before]) {
		before--
	}
	if before < 0 || !cased(r[before]) {
		return false
	}
	after := i + 1
	for after < len(r) && caseIgnorable(r[after]) {
		after++
	}
	return after == len(r) || !cased(r[after])
}

func caseIgnorable(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) || strings.ContainsRune("'.:^`·’‘․͵·∙﹒﹕．：", r)
}

// IsUpper and IsLower are what str.isupper and str.islower say of one character.
func IsUpper(r rune) bool { return unicode.IsUpper(r) || unicode.Is(unicode.Other_Uppercase, r) }
func IsLower(r rune) bool {
	return unicode.IsLower(r) || unicode.Is(unicode.Other_Lowercase, r)
}
func cased(r rune) bool { return IsUpper(r) || IsLower(r) || unicode.IsTitle(r) }

// titleOf is the title case of one character.
func titleOf(r rune) string {
	if r < 0x80 {
		return string(unicode.ToUpper(r))
	}
	return cases.Title(language.Und, cases.NoLower).String(string(r))
}

func title(s string) string {
	r := []rune(s)
	var b strings.Builder
	within := false
	for i, c := range r {
		if within {
			b.WriteString(lowerAt(r, i))
		} else {
			b.WriteString(titleOf(c))
		}
		within = cased(c)
	}
	return b.String()
}

// Capitalize is str.capitalize.
func Capitalize(s string) string {
	r := []rune(s)
	var b strings.Builder
	for i, c := range r {
		if i == 0 {
			b.WriteString(titleOf(c))
		} else {
			b.WriteString(lowerAt(r, i))
		}
	}
	return b.String()
}

func swapCase(s string) string {
	r := []rune(s)
	var b strings.Builder
	for i, c := range r {
		switch {
		case IsUpper(c):
			b.WriteString(lowerAt(r, i))
		case IsLower(c):
			b.WriteString(Upper(string(c)))
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

func foldCase(s string) string { return cases.Fold().String(s) }

// digitForms are characters that are digits but not decimal ones; hanNumbers
// those that are numbers but have another category.
var digitForms = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0xb2, 0xb3, 1}, {0xb9, 0xb9, 1}, {0x1369, 0x1371, 1}, {0x19da, 0x19da, 1}, {0x2070, 0x2070, 1}, {0x2074, 0x2079, 1},
		{0x2080, 0x2089, 1}, {0x2460, 0x2468, 1}, {0x2474, 0x247c, 1}, {0x2488, 0x2490, 1}, {0x24ea, 0x24ea, 1},
		{0x24f5, 0x24fd, 1}, {0x24ff, 0x24ff, 1}, {0x2776, 0x277e, 1}, {0x2780, 0x2788, 1}, {0x278a, 0x2792, 1},
	},
	R32:         []unicode.Range32{{0x10a40, 0x10a43, 1}, {0x10e60, 0x10e68, 1}, {0x11052, 0x1105a, 1}, {0x1f100, 0x1f10a, 1}},
	LatinOffset: 2,
}

const hanNumbers = "㐅㒃㠪㭍一七万三九二五世亿什仟仨伍佰億兆兩八六十千卄卅卌参參叁叄四壱壹幺廾廿弌弍弎弐拾捌柒漆玖百肆萬貮貳贰阡陆陌陸零" +
	"\uf96b\uf973\uf978\uf9b2\uf9d1\uf9d3\uf9fd\U00020001\U00020064\U000200e2\U00020121\U0002092a\U00020983\U0002098c\U0002099c\U00020aea\U00020afd\U00020b19\U00022390\U00022998\U00023b1b\U0002626d\U0002f890"

// IsDigit is what str.isdigit says of one character.
func IsDigit(r rune) bool   { return unicode.IsDigit(r) || unicode.Is(digitForms, r) }
func isNumeric(r rune) bool { return unicode.IsNumber(r) || strings.ContainsRune(hanNumbers, r) }
func isAlnum(r rune) bool   { return unicode.IsLetter(r) || isNumeric(r) }

// All reports whether s has characters and all of them are of a kind.
func All(s string, is func(rune) bool) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return !is(r) }) < 0
}

func identifier(s string) bool {
	for i, r := range s {
		if r != '_' && !unicode.IsLetter(r) && !unicode.Is(unicode.Nl, r) && (i == 0 || !unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc)) {
			return false
		}
	}
	return s != ""
}

func isTitle(s string) bool {
	within, found := false, false
	for _, r := range s {
		switch {
		case IsUpper(r) || unicode.IsTitle(r):
			if within {
				return false
			}
			within, found = true, true
		case IsLower(r):
			if !within {
				return false
			}
			found = true
		default:
			within = false
		}
	}
	return found
}

// OneCase reports whether s has a character of one case and none of the others.
func OneCase(s string, is, not func(rune) bool) bool {
	found := false
	for _, r := range s {
		if not(r) || unicode.IsTitle(r) {
			return false
		}
		found = found || is(r)
	}
	return found
}

// HTMLEscapes makes a text safe for HTML as markupsafe does.
var HTMLEscapes = strings.NewReplacer("&", "&amp;", ">", "&gt;", "<", "&lt;", "'", "&#39;", `"`, "&#34;")

// EscapeHTML returns a value's text, escaped if it is not safe.
func EscapeHTML(v Value) string {
	switch v := v.(type) {
	case Markup:
		return string(v)
	case string:
		return HTMLEscapes.Replace(v)
	}
	return HTMLEscapes.Replace(Str(v))
}

// StripTags removes comments and tags, and makes white space one blank.
func StripTags(s string) string {
	for _, t := range [][2]string{{"<!--", "-->"}, {"<", ">"}} {
		var b strings.Builder
		for {
			i := strings.Index(s, t[0])
			if i < 0 {
				break
			}
			j := strings.Index(s[i:], t[1])
			if j < 0 {
				break
			}
			b.WriteString(s[:i])
			s = s[i+j+len(t[1]):]
		}
		s = b.String() + s
	}
	return html.UnescapeString(strings.Join(strings.FieldsFunc(s, IsSpace), " "))
}

// QuoteURL is urllib's quote of a text, with what stays as it is.
func QuoteURL(s, safe string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDecimal(c) || strings.IndexByte("_.-~"+safe, c) >= 0 {
			b.WriteByte(c)
		} else {
			b.WriteString("%" + string("0123456789ABCDEF"[c>>4]) + string("0123456789ABCDEF"[c&15]))
		}
	}
	return b.String()
}

// Quoted shows a text of the template in an error, cut to a moderate length.
func Quoted(s string) string {
	if r := []rune(s); len(r) > 60 {
		s = string(r[:60]) + "…"
	}
	return strconv.Quote(s)
}
