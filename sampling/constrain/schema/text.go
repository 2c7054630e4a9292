package schema

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"sync"

	"logitscope/sampling/constrain/jsonvalue"
	"logitscope/sampling/constrain/lang"
)

// pattern compiles an ECMA-262 regular expression with search semantics.
func (c *compiler) pattern(ptr, keyword, source string) (textPattern, error) {
	n, ok := c.patterns[source]
	if !ok {
		translated, err := translateECMA(source)
		if err == nil {
			n, err = lang.RegexNFA(translated, true)
		}
		if err != nil {
			return textPattern{}, lang.Refuse(ptr, keyword, "`%s`: %s", lang.Clip(source), plainReason(err))
		}
		c.patterns[source] = n
	}
	return textPattern{source: source, NFA: n}, nil
}

func plainReason(err error) string {
	switch e := err.(type) {
	case *lang.RefusedError:
		return e.Refusals[0].Reason
	case *lang.SyntaxError:
		return e.Msg
	}
	return err.Error()
}

// ecmaSpace is what \s means in ECMA-262.
const ecmaSpace = `\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`

// translateECMA writes an ECMA-262 expression in Go's syntax. The two agree
// but for a few escapes, the dot and blanks.
func translateECMA(s string) (string, error) {
	var b strings.Builder
	inClass := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			n, err := translateEscape(&b, s[i:], inClass)
			if err != nil {
				return "", err
			}
			i += n - 1
		case c == '[' && !inClass:
			inClass = true
			b.WriteByte(c)
			// In ECMA-262 a bracket right after the opening one closes it.
			if strings.HasPrefix(s[i+1:], "^]") {
				return "", fmt.Errorf("a class that excludes nothing")
			}
			if strings.HasPrefix(s[i+1:], "]") {
				return "", fmt.Errorf("an empty class matches nothing")
			}
		case c == '[':
			b.WriteString(`\[`)
		case c == ']':
			inClass = false
			b.WriteByte(c)
		case c == '.' && !inClass:
			b.WriteString(`[^\n\r\x{2028}\x{2029}]`)
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), nil
}

// translateEscape writes one escape and returns its length.
func translateEscape(b *strings.Builder, s string, inClass bool) (int, error) {
	class := func(set string, negate bool) {
		switch {
		case !inClass && negate:
			b.WriteString("[^" + set + "]")
		case !inClass:
			b.WriteString("[" + set + "]")
		default:
			b.WriteString(set)
		}
	}
	switch s[1] {
	case 's':
		class(ecmaSpace, false)
	case 'S':
		if inClass {
			// A complement inside a class: spelt as the ranges between.
			b.WriteString(`\x{0}-\x{8}\x{e}-\x{1f}!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`)
			return 2, nil
		}
		class(ecmaSpace, true)
	case 'c':
		if len(s) < 3 || s[2]|0x20 < 'a' || s[2]|0x20 > 'z' {
			return 0, fmt.Errorf(`\c needs a letter`)
		}
		fmt.Fprintf(b, `\x{%x}`, s[2]&0x1F)
		return 3, nil
	case 'u':
		return translateUnicode(b, s)
	case '0':
		b.WriteString(`\x{0}`)
	case 'b':
		if !inClass {
			return 0, fmt.Errorf(`word boundaries (\b) are not supported`)
		}
		b.WriteString(`\x{8}`)
	case 'p', 'P':
		return translateProperty(b, s)
	case 'd', 'D', 'w', 'W', 'n', 'r', 't', 'v', 'f', 'x':
		b.WriteString(s[:2])
	default:
		if s[1] >= '1' && s[1] <= '9' {
			return 0, fmt.Errorf("backreferences are not regular")
		}
		if s[1] >= 'a' && s[1] <= 'z' || s[1] >= 'A' && s[1] <= 'Z' || s[1] >= 0x80 {
			return 0, fmt.Errorf(`unknown escape %s`, strconv.Quote(s[:2]))
		}
		b.WriteString(s[:2])
	}
	return 2, nil
}

// translateUnicode writes \uXXXX, a pair of them or \u{X}.
func translateUnicode(b *strings.Builder, s string) (int, error) {
	if end := strings.IndexByte(s, '}'); strings.HasPrefix(s, `\u{`) && end > 3 {
		b.WriteString(`\x{` + s[3:end] + `}`)
		return end + 1, nil
	}
	unit := func(s string) (uint64, bool) {
		if len(s) < 6 || s[:2] != `\u` {
			return 0, false
		}
		n, err := strconv.ParseUint(s[2:6], 16, 32)
		return n, err == nil
	}
	n, ok := unit(s)
	if !ok {
		return 0, fmt.Errorf(`\u needs four hexadecimal digits`)
	}
	length := 6
	if n >= 0xD800 && n < 0xDC00 {
		if low, ok := unit(s[6:]); ok && low >= 0xDC00 && low < 0xE000 {
			n, length = 0x10000+(n-0xD800)<<10+low-0xDC00, 12
		}
	}
	if n >= 0xD800 && n < 0xE000 {
		return 0, fmt.Errorf("a lone surrogate matches no text")
	}
	fmt.Fprintf(b, `\x{%x}`, n)
	return length, nil
}

// properties maps names of Unicode properties that Go spells differently.
var properties = map[string]string{
	"Letter": "L", "Lowercase_Letter": "Ll", "Uppercase_Letter": "Lu", "Titlecase_Letter": "Lt", "Modifier_Letter": "Lm", "Other_Letter": "Lo",
	"Mark": "M", "Number": "N", "Decimal_Number": "Nd", "digit": "Nd", "Letter_Number": "Nl", "Other_Number": "No", "Punctuation": "P", "punct": "P",
	"Symbol": "S", "Separator": "Z", "Space_Separator": "Zs", "Other": "C", "Control": "Cc", "cntrl": "Cc",
}

func translateProperty(b *strings.Builder, s string) (int, error) {
	end := strings.IndexByte(s, '}')
	if len(s) < 4 || s[2] != '{' || end < 0 {
		return 0, fmt.Errorf(`\p needs a property in braces`)
	}
	name := s[3:end]
	for _, prefix := range []string{"General_Category=", "gc=", "Script=", "sc="} {
		name = strings.TrimPrefix(name, prefix)
	}
	if short, ok := properties[name]; ok {
		name = short
	}
	b.WriteString(s[:2] + "{" + name + "}")
	return end + 1, nil
}

// Parts of the formats. Days are checked against the month and year.
const (
	digit2    = `[0-9]{2}`
	leapYear  = `(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)`
	fullDate  = `(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|` + leapYear + `-02-29)`
	zone      = `(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])`
	plainTime = `(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?` + zone
	octet     = `(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])`
	ipv4      = octet + `(?:\.` + octet + `){3}`
	label     = `[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?`
	hostname  = label + `(?:\.` + label + `)*`
	h16       = `[0-9A-Fa-f]{1,4}`
	ls32      = `(?:` + h16 + `:` + h16 + `|` + ipv4 + `)`
	ipv6      = `(?:(?:` + h16 + `:){6}` + ls32 +
		`|::(?:` + h16 + `:){5}` + ls32 +
		`|(?:` + h16 + `)?::(?:` + h16 + `:){4}` + ls32 +
		`|(?:(?:` + h16 + `:){0,1}` + h16 + `)?::(?:` + h16 + `:){3}` + ls32 +
		`|(?:(?:` + h16 + `:){0,2}` + h16 + `)?::(?:` + h16 + `:){2}` + ls32 +
		`|(?:(?:` + h16 + `:){0,3}` + h16 + `)?::` + h16 + `:` + ls32 +
		`|(?:(?:` + h16 + `:){0,4}` + h16 + `)?::` + ls32 +
		`|(?:(?:` + h16 + `:){0,5}` + h16 + `)?::` + h16 +
		`|(?:(?:` + h16 + `:){0,6}` + h16 + `)?::)`
	atext     = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
	quoted    = `"(?:[ !#-\[\]-~]|\\[ -~])*"`
	email     = `(?:` + atext + `(?:\.` + atext + `)*|` + quoted + `)@(?:` + hostname + `|\[` + ipv4 + `\]|\[IPv6:` + ipv6 + `\])`
	pchar     = `(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})`
	userinfo  = `(?:[A-Za-z0-9._~!$&'()*+,;=:-]|%[0-9A-Fa-f]{2})*`
	regName   = `(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*`
	authority = `(?:` + userinfo + `@)?(?:\[` + ipv6 + `\]|` + regName + `)(?::[0-9]*)?`
	uri       = `[A-Za-z][A-Za-z0-9+.-]*:(?://` + authority + `(?:/` + pchar + `*)*|/(?:` + pchar + `+(?:/` + pchar + `*)*)?|` + pchar + `+(?:/` + pchar + `*)*)?(?:\?(?:` + pchar + `|[/?])*)?(?:#(?:` + pchar + `|[/?])*)?`
)

// fullTime is a time of day with its zone. A leap second is the last one of a
// day in UTC, so it may be written with any zone that agrees with that; zones
// are taken to differ by quarters of an hour.
var fullTime = `(?:` + plainTime + `|(?:` + leapMinutes() + `))`

func leapMinutes() string {
	var b strings.Builder
	b.WriteString(`23:59:60(?:\.[0-9]+)?[Zz]`)
	for offset := 0; offset < 24*60; offset += 15 {
		for _, zone := range []struct {
			sign string
			east int
		}{{`\+`, 1}, {`-`, -1}} {
			local := (24*60 - 1 + zone.east*offset + 24*60) % (24 * 60)
			fmt.Fprintf(&b, `|%02d:%02d:60(?:\.[0-9]+)?%s%02d:%02d`, local/60, local%60, zone.sign, offset/60, offset%60)
		}
	}
	return b.String()
}

// maxHostname is the longest host name, in characters.
const maxHostname = 253

// formats are the values of the keyword format that are enforced, as whole
// matches.
var formats = map[string]string{
	"date":      fullDate,
	"time":      fullTime,
	"date-time": fullDate + `[Tt]` + fullTime,
	"duration":  `P(?:[0-9]+W|(?:[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?|[0-9]+M(?:[0-9]+D)?|[0-9]+D)(?:T(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S))?|T(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S))`,
	"email":     email,
	"hostname":  hostname,
	"ipv4":      ipv4,
	"ipv6":      ipv6,
	"uri":       uri,
	"uuid":      `[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}`,
}

// formatAlso are second conditions, where one expression would not do.
var formatAlso = map[string]string{
	"email": `(?:[^"@]{1,64}|"(?:[^"\\]|\\.){0,62}")@[^"@]*`, // the local part has at most 64 characters
}

// Formats returns the values of the keyword format that are enforced, each with
// the regular expressions that a text of that format matches as a whole.
func Formats() map[string][]string {
	out := map[string][]string{}
	for name, source := range formats {
		out[name] = []string{source}
		if also, ok := formatAlso[name]; ok {
			out[name] = append(out[name], also)
		}
	}
	return out
}

func formatList() string {
	var names []string
	for name := range formats {
		names = append(names, name)
	}
	sort.Strings(names)
	return strings.Join(names, ", ")
}

// Formats, and texts that only have a format, are compiled once per process.
// What they compile to is not changed.
var (
	formatNFAs  sync.Map // expression to *NFA
	formatTexts sync.Map // key of textOf to *DFA
)

// format returns the conditions of a known format.
func (c *compiler) format(name string) ([]textPattern, bool) {
	source, ok := formats[name]
	if !ok {
		return nil, false
	}
	out := []textPattern{{source: "format " + name, format: true, NFA: formatNFA(source)}}
	if also, ok := formatAlso[name]; ok {
		out = append(out, textPattern{source: "format " + name + ", 2", format: true, NFA: formatNFA(also)})
	}
	return out, true
}

func formatNFA(source string) *lang.NFA {
	if n, ok := formatNFAs.Load(source); ok {
		return n.(*lang.NFA)
	}
	made, err := lang.RegexNFA(source, false)
	if err != nil {
		panic(err) // the expressions are constant and compile
	}
	n, _ := formatNFAs.LoadOrStore(source, made)
	return n.(*lang.NFA)
}

// onlyFormats reports whether nothing but formats restricts the characters.
func (b *textBounds) onlyFormats() bool {
	for _, p := range b.patterns {
		if !p.format {
			return false
		}
	}
	return true
}

// textOf returns the language of a shape's strings after the opening quote.
// empty says that there are none; an error that they are too complex.
func (c *compiler) textOf(k *shape) (s *lang.StringLang, empty bool, err error) {
	b := k.text
	s = &lang.StringLang{Lang: lang.AnyText{}, Lo: int32(b.min), Hi: int32(b.max)}
	if b.max >= 0 && b.min > b.max {
		return s, true, nil
	}
	if len(b.patterns) == 0 && len(k.notTexts) == 0 {
		return s, false, nil
	}
	var conds []lang.Condition
	var key strings.Builder
	for _, p := range b.patterns {
		conds = append(conds, lang.Condition{NFA: p.NFA, Negate: p.negate})
		fmt.Fprintf(&key, "%q%v,", p.source, p.negate)
	}
	if len(k.notTexts) > 0 {
		list := jsonvalue.SortedCopy(k.notTexts)
		conds = append(conds, lang.Condition{NFA: lang.OneOf(list).NFA, Negate: true})
		fmt.Fprintf(&key, "not %q", list)
	}
	d, known := c.texts[key.String()]
	if !known {
		if stored, ok := formatTexts.Load(key.String()); ok {
			d = stored.(*lang.DFA)
		} else if d, _ = lang.NewDFA(conds); d != nil && len(k.notTexts) == 0 && b.onlyFormats() {
			formatTexts.Store(key.String(), d)
		}
		c.texts[key.String()] = d
	}
	if d == nil {
		return nil, false, fmt.Errorf("the patterns together need more than %d states", lang.MaxDFAStates)
	}
	if d = d.Bounded(s.Lo, s.Hi); d == nil {
		return nil, false, fmt.Errorf("the least length is too large for these patterns (at most %d states times characters)", lang.MaxCosts)
	}
	s.Lang = d
	return s, s.MinBytes() >= lang.Unreachable, nil
}

// numberOf returns the automaton of a shape's numbers.
func (c *compiler) numberOf(n *numberLang) (*lang.NFA, bool) {
	var key strings.Builder
	fmt.Fprint(&key, n.integer, n.fraction, n.canonical, n.decimal, n.multiple, n.notMultiple)
	for _, x := range n.compare {
		fmt.Fprint(&key, x.value, x.less, x.equal, x.greater)
	}
	a, ok := c.numbers[key.String()]
	if !ok {
		if c.numberWork > maxNumberWork {
			return nil, false
		}
		if a, ok = n.automaton(); ok {
			c.numberWork += len(a.Edges)
		} else {
			c.numberWork += maxNumberStates
		}
		c.numbers[key.String()] = a
	}
	return a, a != nil
}
