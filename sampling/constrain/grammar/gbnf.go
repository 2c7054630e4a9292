package grammar

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"logitscope/sampling/constrain/lang"
)

// GBNF wants text that a grammar in llama.cpp's notation describes: rules
// `name ::= ...` with literals, classes, groups, alternatives and the
// repetitions * + ? {m} {m,} {m,n}; the text is what the rule "root" matches.
// Left recursion is refused. A repetition's bounds are at most 2^24.
func GBNF(text string) lang.Source { return gbnfSource(text) }

type gbnfSource string

// maxGBNFDepth bounds how deep groups nest.
const maxGBNFDepth = 1000

func (s gbnfSource) Define() (*lang.Definition, error) {
	p := &gbnfParser{text: string(s), def: &lang.Definition{}, index: map[string]int{}, used: map[int]int{}}
	if err := p.grammar(); err != nil {
		return nil, err
	}
	return p.def, nil
}

type gbnfParser struct {
	text  string
	pos   int
	depth int
	def   *lang.Definition
	index map[string]int // rule by name
	used  map[int]int    // rule to the offset of its first use
}

func (p *gbnfParser) errorf(format string, args ...any) error {
	return lang.SyntaxAt(p.text, p.pos, format, args...)
}

func (p *gbnfParser) grammar() error {
	if i := invalidUTF8(p.text); i >= 0 {
		return lang.SyntaxAt(p.text, i, "the grammar is not valid UTF-8")
	}
	for p.space(true); p.pos < len(p.text); p.space(true) {
		if err := p.rule(); err != nil {
			return err
		}
	}
	if err := p.undefined(); err != nil {
		return err
	}
	root, ok := p.index["root"]
	if !ok || p.def.Rules[root].Body == nil {
		return lang.SyntaxAt(p.text, len(p.text), `the grammar has no rule "root"`)
	}
	p.def.Root = root
	return nil
}

// undefined reports the missing rule that is used first, nil if none is missing.
func (p *gbnfParser) undefined() error {
	missing, first := -1, len(p.text)
	for r, at := range p.used {
		if p.def.Rules[r].Body == nil && at < first {
			missing, first = r, at
		}
	}
	if missing < 0 {
		return nil
	}
	return lang.SyntaxAt(p.text, first, "rule %q is not defined", lang.Clip(p.def.Rules[missing].Name))
}

func invalidUTF8(s string) int {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n <= 1 {
			return i
		}
		i += n
	}
	return -1
}

// space skips blanks and comments, and line ends where lines says so.
func (p *gbnfParser) space(lines bool) {
	for p.pos < len(p.text) {
		switch c := p.text[p.pos]; {
		case c == ' ' || c == '\t':
			p.pos++
		case c == '#':
			n := strings.IndexAny(p.text[p.pos:], "\r\n")
			if n < 0 {
				n = len(p.text) - p.pos
			}
			p.pos += n
		case lines && (c == '\n' || c == '\r'):
			p.pos++
		default:
			return
		}
	}
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_'
}

func (p *gbnfParser) name() string {
	from := p.pos
	for p.pos < len(p.text) && isNameByte(p.text[p.pos]) {
		p.pos++
	}
	return p.text[from:p.pos]
}

func (p *gbnfParser) ruleIndex(name string) int {
	r, ok := p.index[name]
	if !ok {
		r = p.def.Add(name, nil)
		p.index[name] = r
	}
	return r
}

func (p *gbnfParser) rule() error {
	at := p.pos
	name := p.name()
	if name == "" {
		return p.errorf("expected a rule name, found %s", p.here())
	}
	p.space(false)
	if !strings.HasPrefix(p.text[p.pos:], "::=") {
		return p.errorf(`expected "::=" after rule name %q, found %s`, lang.Clip(name), p.here())
	}
	p.pos += 3
	p.space(true)
	r := p.ruleIndex(name)
	if p.def.Rules[r].Body != nil {
		p.pos = at
		return p.errorf("rule %q is defined twice", lang.Clip(name))
	}
	body, err := p.alternatives(false)
	if err != nil {
		return err
	}
	p.def.Rules[r].Body = body
	if p.pos < len(p.text) && p.text[p.pos] != '\n' && p.text[p.pos] != '\r' {
		return p.errorf("unexpected %s", p.here())
	}
	return nil
}

// here quotes what stands at the current position.
func (p *gbnfParser) here() string {
	if p.pos >= len(p.text) {
		return "the end of the grammar"
	}
	r, _ := utf8.DecodeRuneInString(p.text[p.pos:])
	return strconv.QuoteRune(r)
}

// alternatives reads sequences joined by bars. Inside a group line ends count
// as blanks; outside they do only after a bar.
func (p *gbnfParser) alternatives(group bool) (*lang.Expr, error) {
	var alts []*lang.Expr
	for {
		s, err := p.sequence(group)
		if err != nil {
			return nil, err
		}
		alts = append(alts, s)
		if p.pos >= len(p.text) || p.text[p.pos] != '|' {
			return lang.Alt(alts...), nil
		}
		p.pos++
		p.space(true)
	}
}

func (p *gbnfParser) sequence(group bool) (*lang.Expr, error) {
	var items []*lang.Expr
	for {
		p.space(group)
		item, err := p.item()
		if err != nil {
			return nil, err
		}
		if item == nil {
			return lang.Seq(items...), nil
		}
		// Repetition marks bind to the item before them.
		for again := true; again; {
			p.space(group)
			if item, again, err = p.repetition(item); err != nil {
				return nil, err
			}
		}
		items = append(items, item)
	}
}

// item reads one literal, class, group, dot or rule name, or returns nil.
func (p *gbnfParser) item() (*lang.Expr, error) {
	if p.pos >= len(p.text) {
		return nil, nil
	}
	switch c := p.text[p.pos]; {
	case c == '"':
		return p.literal()
	case c == '[':
		return p.class()
	case c == '.':
		p.pos++
		return lang.Class(lang.RuneRange{Lo: 0, Hi: lang.MaxRune}), nil
	case c == '(':
		return p.group()
	case c == '*' || c == '+' || c == '?' || c == '{':
		return nil, p.errorf("nothing to repeat before %s", p.here())
	case isNameByte(c):
		at := p.pos
		r := p.ruleIndex(p.name())
		if _, ok := p.used[r]; !ok {
			p.used[r] = at
		}
		return lang.Call(r), nil
	}
	return nil, nil
}

func (p *gbnfParser) group() (*lang.Expr, error) {
	at := p.pos
	p.pos++
	if p.depth++; p.depth > maxGBNFDepth {
		return nil, p.errorf("groups nest more than %d deep", maxGBNFDepth)
	}
	p.space(true)
	e, err := p.alternatives(true)
	if err != nil {
		return nil, err
	}
	p.depth--
	if p.pos >= len(p.text) || p.text[p.pos] != ')' {
		p.pos = at
		return nil, p.errorf(`this "(" is not closed`)
	}
	p.pos++
	return e, nil
}
