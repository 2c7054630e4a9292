package goal

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"logitscope/sampling/param"
)

const (
	// MaxNodes is the most numbers, texts, terms, calls, operators and names
	// an expression may have.
	MaxNodes = 200
	// MaxDepth is how deep parentheses, calls, nots and signs may stand in each
	// other.
	MaxDepth = 32
)

var (
	errNodes = fmt.Errorf("longer than %d nodes", MaxNodes)
	errDepth = fmt.Errorf("deeper than %d levels", MaxDepth)
)

// Names are what an expression may name besides terms and parameters.
type Names struct {
	Predicted Kind // of the reader's answer; None where nothing was asked

	// Value reads the value of a setting inside at(…); nil reads it as
	// [param.Param.Parse] does.
	Value func(p *param.Param, text string) (any, error)

	Views   []string // that opened("…") may name; nil for any
	Exports []string // that exported("…") may name; nil for any
}

// An Expr is an expression whose kinds agree. It is immutable.
type Expr struct {
	src    string
	root   *node
	tokens []string
}

// A node is a part of an expression.
type node struct {
	kind     Kind
	op       string // of an operator, a term or a call; empty for a number or a text
	num      float64
	text     string
	args     []*node
	keys     []string  // of changed and only
	sets     []setting // of at
	term     *term
	param    *param.Param
	source   string
	from, to int // bytes of the source, parentheses included
}

// A setting is a parameter and its value inside at(…).
type setting struct {
	key   string
	value any
}

// Parse reads an expression. The error names what is wrong as it is spelled.
func Parse(src string, names Names) (*Expr, error) {
	words, err := lex(src)
	if err != nil {
		return nil, err
	}
	p := &parser{src: src, words: words, names: names}
	root, err := p.or()
	if err != nil {
		return nil, err
	}
	if w := p.peek(); w.kind != atEnd {
		return nil, p.unexpected()
	}
	if root.kind == quoted {
		root.kind = Text
	}
	e := &Expr{src: strings.TrimSpace(src), root: root}
	e.tokens = tokensOf(root, nil)
	return e, nil
}

// String returns the expression as it was written.
func (e *Expr) String() string { return e.src }

// Kind returns what the expression comes to.
func (e *Expr) Kind() Kind { return e.root.kind }

// Quotes returns the text of an expression that is nothing but a text in
// quotes.
func (e *Expr) Quotes() (string, bool) { return e.root.text, e.root.op == "" && e.root.kind == Text }

// Tokens returns the texts in quotes that must each be one token of the model,
// every one once, in the order in which they stand.
func (e *Expr) Tokens() []string { return e.tokens }

func tokensOf(n *node, list []string) []string {
	if n.op == "" && n.kind == Token && !slices.Contains(list, n.text) {
		list = append(list, n.text)
	}
	for _, a := range n.args {
		list = tokensOf(a, list)
	}
	return list
}

// A parser reads one expression by recursive descent.
type parser struct {
	src          string
	words        []lexeme
	at           int
	nodes, depth int
	names        Names
}

func (p *parser) peek() lexeme { return p.words[p.at] }

// is reports whether the next word is one of signs or keywords, and takes it.
func (p *parser) is(texts ...string) (string, bool) {
	w := p.peek()
	if (w.kind == aSign || w.kind == aName) && slices.Contains(texts, w.text) {
		p.at++
		return w.text, true
	}
	return "", false
}

func (p *parser) enter() error {
	if p.depth++; p.depth > MaxDepth {
		return errDepth
	}
	return nil
}

// node counts n, which begins at byte from.
func (p *parser) node(n node, from int) (*node, error) {
	if p.nodes++; p.nodes > MaxNodes {
		return nil, errNodes
	}
	n.from, n.to = from, p.words[p.at-1].to
	n.source = p.src[n.from:n.to]
	return &n, nil
}

func (p *parser) unexpected() error {
	w := p.peek()
	if w.kind == atEnd {
		return errors.New("the expression ends too early")
	}
	if p.src[w.from:w.to] == "=" && w.from > 0 && p.src[w.from-1] == '=' {
		return errors.New("== has no meaning here; want =")
	}
	return fmt.Errorf("%s has no place here", Shown(p.src[w.from:w.to]))
}

// chain reads operators of one level, which group from the left.
func (p *parser) chain(next func() (*node, error), join func(op string, a, b *node) (Kind, error), ops ...string) (*node, error) {
	a, err := next()
	for err == nil {
		op, ok := p.is(ops...)
		if !ok {
			return a, nil
		}
		var b *node
		if b, err = next(); err != nil {
			break
		}
		var k Kind
		if k, err = join(op, a, b); err == nil {
			a, err = p.node(node{op: op, kind: k, args: []*node{a, b}}, a.from)
		}
	}
	return nil, err
}

func (p *parser) or() (*node, error)  { return p.chain(p.and, p.logic, "or") }
func (p *parser) and() (*node, error) { return p.chain(p.not, p.logic, "and") }

func (p *parser) not() (*node, error) {
	from := p.peek().from
	if _, ok := p.is("not"); !ok {
		return p.comparison()
	}
	if err := p.enter(); err != nil {
		return nil, err
	}
	a, err := p.not()
	if err != nil {
		return nil, err
	}
	p.depth--
	if err := p.truth("not", a); err != nil {
		return nil, err
	}
	return p.node(node{op: "not", kind: Truth, args: []*node{a}}, from)
}

func (p *parser) comparison() (*node, error) {
	a, err := p.sum()
	if err != nil {
		return nil, err
	}
	op, ok := p.is(comparisons...)
	if !ok {
		return a, nil
	}
	b, err := p.sum()
	if err != nil {
		return nil, err
	}
	if second, ok := p.is(comparisons...); ok {
		return nil, fmt.Errorf("%s after %s: a comparison has two sides; join two comparisons by and", second, op)
	}
	if err := p.compare(op, a, b); err != nil {
		return nil, err
	}
	return p.node(node{op: op, kind: Truth, args: []*node{a, b}}, a.from)
}

func (p *parser) sum() (*node, error)  { return p.chain(p.prod, p.arithmetic, "+", "-") }
func (p *parser) prod() (*node, error) { return p.chain(p.sign, p.arithmetic, "*", "/") }

func (p *parser) sign() (*node, error) {
	from := p.peek().from
	if _, ok := p.is("-"); !ok {
		return p.atom()
	}
	if err := p.enter(); err != nil {
		return nil, err
	}
	a, err := p.sign()
	if err != nil {
		return nil, err
	}
	p.depth--
	if !a.kind.IsNumber() {
		return nil, p.wrongKind("-", a, "numbers")
	}
	return p.node(node{op: "minus", kind: a.kind, args: []*node{a}}, from)
}

func (p *parser) atom() (*node, error) {
	w := p.peek()
	switch {
	case w.kind == aNumber:
		p.at++
		x, err := strconv.ParseFloat(w.text, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: no such number", Shown(w.text))
		}
		n := node{kind: Number, num: x}
		if _, ok := p.is("%"); ok {
			n.kind, n.num = Share, x/100
		}
		return p.node(n, w.from)
	case w.kind == aText:
		p.at++
		return p.node(node{kind: quoted, text: w.text}, w.from)
	case w.kind == aSign && w.text == "(":
		return p.group(w)
	case w.kind == aName && !slices.Contains(keywords, w.text):
		p.at++
		return p.name(w)
	}
	return nil, p.unexpected()
}

var keywords = []string{"and", "or", "not"}

func (p *parser) group(w lexeme) (*node, error) {
	p.at++
	if err := p.enter(); err != nil {
		return nil, err
	}
	n, err := p.or()
	if err != nil {
		return nil, err
	}
	p.depth--
	if err := p.closing(w); err != nil {
		return nil, err
	}
	n.from, n.to = w.from, p.words[p.at-1].to
	return n, nil
}

// closing takes the parenthesis that closes the one at w.
func (p *parser) closing(w lexeme) error {
	if _, ok := p.is(")"); ok {
		return nil
	}
	if p.peek().kind == atEnd {
		return fmt.Errorf("a ) is missing: %s is not closed", Shown(p.src[w.from:]))
	}
	return fmt.Errorf("%s in the place of a )", Shown(p.src[p.peek().from:p.peek().to]))
}
