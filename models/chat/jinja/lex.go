package jinja

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"logitscope/models/chat/jinja/python"
)

type tokenKind int

const (
	tokEOF   tokenKind = iota
	tokData            // text outside of tags
	tokBegin           // {% or {{; text says which
	tokEnd             // %} or }}
	tokName
	tokInt
	tokFloat
	tokString
	tokOp
)

type token struct {
	kind  tokenKind
	text  string       // of a name, operator or text; the value of a string
	value python.Value // of a number
	line  int
}

// describe names a token in an error.
func (t token) describe() string {
	switch t.kind {
	case tokEOF:
		return "the end of the template"
	case tokData:
		return "text"
	case tokInt, tokFloat:
		return python.Str(t.value)
	}
	return python.Quoted(t.text)
}

func syntax(line int, format string, args ...any) {
	panic(&python.Error{Kind: python.Syntax, Line: line, Message: fmt.Sprintf(format, args...)})
}

// lexer splits a source into tokens, with trim_blocks and lstrip_blocks on.
type lexer struct {
	src       string
	pos, line int
	lineStart bool // whether the last thing read ended a line
	out       []token
}

// lex returns the tokens of a template.
func lex(source string) []token {
	source = strings.ReplaceAll(strings.ReplaceAll(source, "\r\n", "\n"), "\r", "\n")
	source = strings.TrimSuffix(source, "\n")
	if !utf8.ValidString(source) {
		syntax(0, "the template is not valid UTF-8")
	}
	l := &lexer{src: source, line: 1, lineStart: true}
	for l.pos < len(l.src) {
		l.data()
	}
	return append(l.out, token{kind: tokEOF, line: l.line})
}

func (l *lexer) add(t token) { t.line = l.line; l.out = append(l.out, t) }

// advance moves over n bytes.
func (l *lexer) advance(n int) {
	text := l.src[l.pos : l.pos+n]
	l.line += strings.Count(text, "\n")
	if n > 0 {
		l.lineStart = text[n-1] == '\n'
	}
	l.pos += n
}

func (l *lexer) rest() string { return l.src[l.pos:] }

// sign returns the '-' or '+' at the start of s, or 0.
func sign(s string) byte {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		return s[0]
	}
	return 0
}

// data reads text up to the next tag, and that tag. A comment or a raw block
// that opens as the template ends is none, as jinja2 has it.
func (l *lexer) data() {
	rest := l.rest()
	at := 0
	for {
		i := strings.IndexByte(rest[at:], '{')
		if i < 0 || at+i+1 >= len(rest) {
			l.text(rest)
			l.advance(len(rest))
			return
		}
		at += i
		if c := rest[at+1]; c == '%' || c == '{' || c == '#' {
			break
		}
		at++
	}
	kind := rest[at : at+2]
	mark := sign(rest[at+2:])
	l.text(l.stripped(rest[:at], mark, kind == "{{"))
	n := at + 2
	if mark != 0 {
		n++
	}
	if kind == "{%" {
		if m := rawTag(rest[n:], "raw"); m > 0 {
			n += m
			if rest[n-3] == '-' {
				n += len(rest[n:]) - len(python.TrimLeft(rest[n:]))
			}
			l.advance(n)
			if l.rest() != "" {
				l.raw()
			}
			return
		}
	}
	l.advance(n)
	if kind == "{#" {
		if l.rest() != "" {
			l.comment()
		}
		return
	}
	l.add(token{kind: tokBegin, text: kind})
	l.tag(tagEnds[kind])
}

// tagEnds and brackets are the ends of what begins, and escapeDigits how many
// hexadecimal digits follow a letter after a backslash.
var (
	tagEnds      = map[string]string{"{%": "%}", "{{": "}}"}
	brackets     = map[byte]byte{'(': ')', '[': ']', '{': '}'}
	escapeDigits = map[byte]int{'x': 2, 'u': 4, 'U': 8}
)

func (l *lexer) text(s string) {
	if s != "" {
		l.add(token{kind: tokData, text: s})
	}
}

// stripped is the text before a tag without the white space that the tag's
// sign, or lstrip_blocks, takes away.
func (l *lexer) stripped(s string, mark byte, variable bool) string {
	switch {
	case mark == '-':
		return python.TrimRight(s)
	case mark == '+' || variable:
		return s
	}
	line := strings.LastIndexByte(s, '\n') + 1
	if (line > 0 || l.lineStart) && python.TrimLeft(s[line:]) == "" {
		return s[:line]
	}
	return s
}

// rawTag returns the length of "raw %}" at the start of s, 0 if it is not that.
func rawTag(s, name string) int {
	t := python.TrimLeft(s)
	if !strings.HasPrefix(t, name) {
		return 0
	}
	t = python.TrimLeft(t[len(name):])
	for _, end := range []string{"-%}", "%}"} {
		if strings.HasPrefix(t, end) {
			return len(s) - len(t) + len(end)
		}
	}
	if name != "raw" && strings.HasPrefix(t, "+%}") {
		return len(s) - len(t) + 3
	}
	return 0
}

// raw reads up to the end of a raw block.
func (l *lexer) raw() {
	rest := l.rest()
	for at := 0; ; at += 2 {
		i := strings.Index(rest[at:], "{%")
		if i < 0 {
			syntax(l.line, "a raw block has no {%% endraw %%}")
		}
		at += i
		mark := sign(rest[at+2:])
		n := at + 2
		if mark != 0 {
			n++
		}
		m := rawTag(rest[n:], "endraw")
		if m == 0 {
			continue
		}
		l.text(l.stripped(rest[:at], mark, false))
		l.advance(n + m - 2)
		l.closing(rest[n+m-3], "%}", true)
		return
	}
}

// comment reads up to the end of a comment.
func (l *lexer) comment() {
	i := strings.Index(l.rest(), "#}")
	if i < 0 {
		syntax(l.line, "a comment has no end, want #}")
	}
	mark := byte(0)
	if i > 0 {
		mark = l.rest()[i-1]
	}
	l.advance(i)
	l.closing(mark, "#}", true)
}

// closing moves over the end of a tag and the white space it takes with it.
func (l *lexer) closing(mark byte, end string, block bool) {
	n := len(end)
	rest := l.rest()
	switch {
	case mark == '-':
		n += len(rest[n:]) - len(python.TrimLeft(rest[n:]))
	case mark == '+':
	case block && strings.HasPrefix(rest[n:], "\n"):
		n++
	}
	l.advance(n)
}

// tag reads the tokens of a tag up to its end.
func (l *lexer) tag(end string) {
	var open []byte // brackets that wait for their end
	begun := l.line
	for {
		l.advance(len(l.rest()) - len(python.TrimLeft(l.rest())))
		rest := l.rest()
		if rest == "" {
			syntax(begun, "a tag has no end, want %s", end)
		}
		if len(open) == 0 {
			mark := byte(0)
			if c := sign(rest); c == '-' || c == '+' && end == "%}" {
				mark = c
			}
			cut := rest
			if mark != 0 {
				cut = rest[1:]
			}
			if strings.HasPrefix(cut, end) {
				l.advance(len(rest) - len(cut))
				l.add(token{kind: tokEnd, text: end})
				l.closing(mark, end, end == "%}")
				return
			}
		}
		c := rest[0]
		r, _ := utf8.DecodeRuneInString(rest)
		switch {
		case c >= '0' && c <= '9':
			l.number()
		case c == '"' || c == '\'':
			l.quote(c)
		case wordRune(r):
			n := strings.IndexFunc(rest, func(r rune) bool { return !wordRune(r) })
			if n < 0 {
				n = len(rest)
			}
			if !unicode.IsLetter(r) && r != '_' && !unicode.Is(unicode.Nl, r) {
				syntax(l.line, "%s is not a name", python.Quoted(rest[:n]))
			}
			l.add(token{kind: tokName, text: rest[:n]})
			l.advance(n)
		default:
			op := operator(rest)
			if op == "" {
				syntax(l.line, "unexpected character %q", r)
			}
			switch c {
			case '(', '[', '{':
				open = append(open, brackets[c])
			case ')', ']', '}':
				if len(open) == 0 {
					syntax(l.line, "unexpected %q", c)
				}
				if want := open[len(open)-1]; want != c {
					syntax(l.line, "unexpected %q, want %q", c, want)
				}
				open = open[:len(open)-1]
			}
			l.add(token{kind: tokOp, text: op})
			l.advance(len(op))
		}
	}
}

func wordRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r)
}

// operators, the longer first.
var operators = []string{"**", "//", "==", "!=", "<=", ">=", "+", "-", "*", "/", "%", "~", "(", ")", "[", "]", "{", "}", "=", "<", ">", ".", ":", "|", ",", ";"}

func operator(s string) string {
	for _, op := range operators {
		if strings.HasPrefix(s, op) {
			return op
		}
	}
	return ""
}

const decimals = "0123456789"

// number reads an integer or a float.
func (l *lexer) number() {
	rest := l.rest()
	whole := python.Digits(rest, decimals)
	n := whole
	if n < len(rest) && rest[n] == '.' {
		if m := python.Digits(rest[n+1:], decimals); m > 0 {
			n += 1 + m
		}
	}
	if n < len(rest) && (rest[n] == 'e' || rest[n] == 'E') {
		m := n + 1
		if m < len(rest) && (rest[m] == '+' || rest[m] == '-') {
			m++
		}
		if d := python.Digits(rest[m:], decimals); d > 0 {
			n = m + d
		}
	}
	afterDot := l.pos > 0 && l.src[l.pos-1] == '.'
	if n > whole && !afterDot {
		f, _ := strconv.ParseFloat(strings.ReplaceAll(rest[:n], "_", ""), 64)
		l.add(token{kind: tokFloat, value: f})
		l.advance(n)
		return
	}
	n, base := whole, 10
	if rest[0] == '0' {
		n = python.Digits(rest, "0")
		if len(rest) > 1 {
			for i, set := range []string{"01", "01234567", "0123456789abcdefABCDEF"} {
				c := "box"[i]
				if rest[1]|0x20 != c {
					continue
				}
				from := 2
				if len(rest) > 2 && rest[2] == '_' {
					from = 3
				}
				if m := python.Digits(rest[from:], set); m > 0 {
					n, base = from+m, []int{2, 8, 16}[i]
				}
			}
		}
	}
	text := strings.ReplaceAll(rest[:n], "_", "")
	if base != 10 {
		text = text[2:]
	}
	if len(text) > python.MaxDigits {
		python.Exceed("an integer has more than %d digits", python.MaxDigits)
	}
	i, _ := new(big.Int).SetString(text, base)
	l.add(token{kind: tokInt, value: python.Normal(i)})
	l.advance(n)
}

// quote reads a string.
func (l *lexer) quote(q byte) {
	rest := l.rest()
	i := 1
	for ; i < len(rest) && rest[i] != q; i++ {
		if rest[i] == '\\' {
			i++
		}
	}
	if i >= len(rest) {
		syntax(l.line, "a string has no end, want %q", q)
	}
	l.add(token{kind: tokString, text: unescape(rest[1:i], l.line)})
	l.advance(i + 1)
}

// unescape resolves the backslashes of a string; unknown ones stay.
func unescape(s string, line int) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		i++
		if i == len(s) {
			syntax(line, "a string ends in a backslash")
		}
		simple := strings.IndexByte("\n\\'\"abfnrtv", s[i])
		switch c := s[i]; {
		case simple == 0:
		case simple > 0:
			b.WriteByte("\n\\'\"\a\b\f\n\r\t\v"[simple])
		case c >= '0' && c <= '7':
			n := 1
			for n < 3 && i+n < len(s) && s[i+n] >= '0' && s[i+n] <= '7' {
				n++
			}
			r, _ := strconv.ParseUint(s[i:i+n], 8, 32)
			b.WriteRune(rune(r))
			i += n - 1
		case c == 'x' || c == 'u' || c == 'U':
			n := escapeDigits[c]
			if i+n >= len(s) {
				syntax(line, "\\%c wants %d hexadecimal digits", c, n)
			}
			r, err := strconv.ParseUint(s[i+1:i+1+n], 16, 32)
			if err != nil || r > unicode.MaxRune {
				syntax(line, "\\%c wants %d hexadecimal digits of a character", c, n)
			}
			if !utf8.ValidRune(rune(r)) {
				panic(&python.Error{Kind: python.Unsupported, Line: line, Message: fmt.Sprintf("half of a surrogate pair, \\%s, is not supported", s[i:i+1+n])})
			}
			b.WriteRune(rune(r))
			i += n
		case c == 'N':
			panic(&python.Error{Kind: python.Unsupported, Line: line, Message: "a character by its name, \\N, is not supported"})
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String()
}
