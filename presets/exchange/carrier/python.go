package carrier

import (
	"iter"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A token is one word of Python source. Comments are none.
type token struct {
	Kind       tokenKind
	Text       string // as written
	value      any    // of a number or a string; unreadable for an f-string and bytes
	start, end int    // in the source
	Line       int
}

type tokenKind uint8

const (
	PyName tokenKind = iota
	pyNumber
	pyString
	PyOp
	PyNewline // the end of a logical line
)

// A Python is a tokenized file.
type Python struct {
	text    string
	Tokens  []token
	Names   map[string][2]int // names assigned once, and the tokens of their values
	Aliases map[string]string // names that imports give to others, and theirs
	Open    error             // a call that holds settings and is never closed
}

// ReadPython splits Python source into tokens. What is no Python gives tokens
// too: a reader of calls looks only at what it knows.
func ReadPython(text string) *Python {
	p := &Python{text: text}
	l := pyLexer{text: text, line: 1}
	for {
		t, ok := l.next()
		if !ok {
			break
		}
		p.Tokens = append(p.Tokens, t)
	}
	p.findNames()
	p.Aliases = p.aliases()
	return p
}

type pyLexer struct {
	text  string
	i     int
	line  int
	depth int
}

func (l *pyLexer) next() (token, bool) {
	for l.i < len(l.text) {
		c := l.text[l.i]
		switch {
		case c == '\n':
			l.i++
			l.line++
			if l.depth == 0 {
				return token{Kind: PyNewline, start: l.i - 1, end: l.i, Line: l.line - 1}, true
			}
		case c == ' ' || c == '\t' || c == '\r' || c == '\f':
			l.i++
		case c == '\\' && strings.HasPrefix(strings.TrimPrefix(l.text[l.i+1:], "\r"), "\n"):
			l.i += 1 + strings.IndexByte(l.text[l.i:], '\n')
			l.line++
		case c == '#':
			for l.i < len(l.text) && l.text[l.i] != '\n' {
				l.i++
			}
		default:
			return l.word(), true
		}
	}
	return token{}, false
}

func (l *pyLexer) word() token {
	t := token{start: l.i, Line: l.line}
	if n, prefix, quote := stringStart(l.text[l.i:]); n > 0 {
		t.Kind, t.value = pyString, l.quoted(n, prefix, quote)
	} else if c := l.text[l.i]; c >= '0' && c <= '9' || c == '.' && l.i+1 < len(l.text) && l.text[l.i+1] >= '0' && l.text[l.i+1] <= '9' {
		t.Kind, t.value = pyNumber, l.number()
	} else if r, _ := utf8.DecodeRuneInString(l.text[l.i:]); r == '_' || unicode.IsLetter(r) {
		t.Kind = PyName
		for l.i < len(l.text) {
			r, n := utf8.DecodeRuneInString(l.text[l.i:])
			if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				break
			}
			l.i += n
		}
	} else {
		t.Kind = PyOp
		l.operator()
	}
	t.end = l.i
	t.Text = l.text[t.start:t.end]
	return t
}

// operators of more than one character; one of two comes after those of three.
var operators = []string{"**=", "//=", ">>=", "<<=", "...", "**", "//", "->", ":=", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "@=", "<<", ">>"}

func (l *pyLexer) operator() {
	for _, op := range operators {
		if strings.HasPrefix(l.text[l.i:], op) {
			l.i += len(op)
			return
		}
	}
	switch l.text[l.i] {
	case '(', '[', '{':
		l.depth++
	case ')', ']', '}':
		l.depth = max(l.depth-1, 0)
	}
	_, n := utf8.DecodeRuneInString(l.text[l.i:])
	l.i += n
}

// stringStart reports whether s begins with a string: how long its prefix and
// opening quotes are, the prefix in small letters, and the quotes.
func stringStart(s string) (n int, prefix, quote string) {
	i := 0
	for i < len(s) && i < 2 && stringPrefixes[s[i]|0x20] {
		i++
	}
	if i >= len(s) || s[i] != '"' && s[i] != '\'' {
		return 0, "", ""
	}
	quote = s[i : i+1]
	if strings.HasPrefix(s[i:], strings.Repeat(quote, 3)) {
		quote = s[i : i+3]
	}
	return i + len(quote), strings.ToLower(s[:i]), quote
}

// stringPrefixes are the letters that may stand before a string, and dark those
// of strings that are not text as they stand: bytes, and two kinds of templates.
var (
	stringPrefixes = map[byte]bool{'r': true, 'b': true, 'u': true, 'f': true, 't': true}
	dark           = map[byte]bool{'b': true, 'f': true, 't': true}
)

// quoted reads the string that begins at l.i.
func (l *pyLexer) quoted(n int, prefix, quote string) any {
	raw := strings.IndexByte(prefix, 'r') >= 0
	begin := l.i
	l.i += n
	var b strings.Builder
	readable := true
	for l.i < len(l.text) {
		if strings.HasPrefix(l.text[l.i:], quote) {
			l.i += len(quote)
			if slices.ContainsFunc([]byte(prefix), func(c byte) bool { return dark[c] }) || !readable {
				return Unreadable{l.text[begin:l.i]}
			}
			return b.String()
		}
		c := l.text[l.i]
		switch {
		case c == '\n' && len(quote) == 1:
			return Unreadable{l.text[begin:l.i]} // never closed
		case c == '\\' && l.i+1 < len(l.text) && raw:
			b.WriteString(l.text[l.i : l.i+2])
			if l.text[l.i+1] == '\n' {
				l.line++
			}
			l.i += 2
		case c == '\\' && l.i+1 < len(l.text):
			readable = l.escape(&b) && readable
		case c == '\r' && strings.HasPrefix(l.text[l.i:], "\r\n"):
			l.i++ // a line's end is one character
		default:
			if c == '\n' {
				l.line++
			}
			b.WriteByte(c)
			l.i++
		}
	}
	return Unreadable{l.text[begin:]}
}

// SimpleEscapes are Python's escapes of one letter.
var SimpleEscapes = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'a': 7, 'b': 8, 'f': 12, 'v': 11, '\\': '\\', '\'': '\'', '"': '"'}

// escapeDigits are how many hexadecimal digits follow a letter.
var escapeDigits = map[byte]int{'x': 2, 'u': 4, 'U': 8}

// escape reads one escape. It reports false for one that needs a table of
// character names, or is none.
func (l *pyLexer) escape(b *strings.Builder) bool {
	c := l.text[l.i+1]
	l.i += 2
	if plain, ok := SimpleEscapes[c]; ok {
		b.WriteByte(plain)
		return true
	}
	if n, ok := escapeDigits[c]; ok {
		if l.i+n > len(l.text) {
			return false
		}
		v, err := strconv.ParseUint(l.text[l.i:l.i+n], 16, 32)
		if err != nil || v > unicode.MaxRune {
			return false
		}
		l.i += n
		b.WriteRune(rune(v))
		return true
	}
	switch {
	case c == '\n':
		l.line++
	case c >= '0' && c <= '7':
		n := 1
		for n < 3 && l.i+n-1 < len(l.text) && l.text[l.i+n-1] >= '0' && l.text[l.i+n-1] <= '7' {
			n++
		}
		v, _ := strconv.ParseUint(l.text[l.i-1:l.i-1+n], 8, 32)
		l.i += n - 1
		b.WriteRune(rune(v))
	case c == 'N':
		return false
	default:
		b.WriteByte('\\')
		b.WriteByte(c)
	}
	return true
}

// number reads a number; one that JSON cannot hold is unreadable.
func (l *pyLexer) number() any {
	begin := l.i
	hex := len(l.text) > l.i+1 && l.text[l.i] == '0' && l.text[l.i+1] > '9' && l.text[l.i+1]|0x20 != 'e' && l.text[l.i+1] != '_'
	for l.i < len(l.text) {
		c := l.text[l.i]
		sign := (c == '+' || c == '-') && !hex && (l.text[l.i-1] == 'e' || l.text[l.i-1] == 'E') && l.i > begin
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '.' || sign) {
			break
		}
		l.i++
	}
	text := l.text[begin:l.i]
	if strings.HasSuffix(text, "_") || strings.Contains(text, "__") {
		return Unreadable{text}
	}
	if n, ok := new(big.Int).SetString(text, 0); ok && (hex || strings.Trim(text, "0_") == "" || text[0] != '0') {
		return jsonNumber(n.String())
	}
	digits := strings.ReplaceAll(text, "_", "")
	if f, err := strconv.ParseFloat(digits, 64); err == nil && !hex && !math.IsInf(f, 0) {
		return jsonNumber(strconv.FormatFloat(f, 'g', -1, 64))
	}
	return Unreadable{text}
}

// findNames remembers the names that are assigned once and changed nowhere:
// their values can be read where the name stands.
func (p *Python) findNames() {
	p.Names = map[string][2]int{}
	changed := map[string]bool{}
	begin := true
	for i, t := range p.Tokens {
		if t.Kind == PyNewline || t.Kind == PyOp && t.Text == ";" {
			begin = true
			continue
		}
		if begin && t.Kind == PyName && i+1 < len(p.Tokens) {
			p.statement(i, changed)
		}
		begin = false
	}
	for name := range changed {
		delete(p.Names, name)
	}
}

// statement looks at one that begins with a name.
func (p *Python) statement(i int, changed map[string]bool) {
	name := p.Tokens[i].Text
	j := i + 1
	if p.Tokens[j].Text == ":" { // with a type
		for j < len(p.Tokens) && p.Tokens[j].Kind != PyNewline && p.Tokens[j].Text != "=" {
			j++
		}
	}
	if j >= len(p.Tokens) {
		return
	}
	switch op := p.Tokens[j].Text; {
	case op == "=":
		if _, twice := p.Names[name]; twice {
			changed[name] = true
			return
		}
		end := j + 1
		for end < len(p.Tokens) && p.Tokens[end].Kind != PyNewline && p.Tokens[end].Text != ";" {
			end++
		}
		p.Names[name] = [2]int{j + 1, end}
	case op == "[", op == ".", op == ",", len(op) > 1 && op[len(op)-1] == '=':
		changed[name] = true
	}
}

// aliases are the names that imports give to others: from vllm import
// SamplingParams as SP.
func (p *Python) aliases() map[string]string {
	out := map[string]string{}
	importing := false
	for i, t := range p.Tokens {
		switch {
		case t.Kind == PyNewline:
			importing = false
		case t.Kind != PyName:
		case t.Text == "import":
			importing = true
		case t.Text == "as" && importing && i > 0 && i+1 < len(p.Tokens):
			out[p.Tokens[i+1].Text] = p.Tokens[i-1].Text
		}
	}
	return out
}

// Source is the text of some tokens.
func (p *Python) Source(from, to int) string {
	if from >= to {
		return ""
	}
	return p.text[p.Tokens[from].start:p.Tokens[to-1].end]
}

// Closing returns the index of the token that closes the bracket at i, or -1.
func (p *Python) Closing(i int) int {
	depth := 0
	for ; i < len(p.Tokens); i++ {
		if p.Tokens[i].Kind != PyOp {
			continue
		}
		switch p.Tokens[i].Text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// bare yields where an operator stands between two tokens in no bracket.
func (p *Python) bare(op string, from, to int) iter.Seq[int] {
	return func(yield func(int) bool) {
		depth := 0
		for i := from; i < to; i++ {
			if p.Tokens[i].Kind != PyOp {
				continue
			}
			switch p.Tokens[i].Text {
			case "(", "[", "{":
				depth++
			case ")", "]", "}":
				depth--
			case op:
				if depth == 0 && !yield(i) {
					return
				}
			}
		}
	}
}

// parts splits tokens at commas that stand in no bracket.
func (p *Python) parts(from, to int) [][2]int {
	var out [][2]int
	begin := from
	for i := range p.bare(",", from, to) {
		out = append(out, [2]int{begin, i})
		begin = i + 1
	}
	if begin < to {
		out = append(out, [2]int{begin, to})
	}
	return out
}
