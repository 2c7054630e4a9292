package jinja

import (
	"slices"

	"logitscope/models/chat/jinja/python"
)

// parser turns tokens into nodes.
type parser struct {
	toks []token
	pos  int

	nesting int      // parts inside each other that are under way
	loops   int      // loops that the statement is in, in the same function
	blocks  []string // names of blocks
}

func (p *parser) cur() token { return p.toks[p.pos] }

func (p *parser) look() token { return p.toks[min(p.pos+1, len(p.toks)-1)] }

func (p *parser) next() token {
	t := p.toks[p.pos]
	if p.pos < len(p.toks)-1 {
		p.pos++
	}
	return t
}

func (t token) is(kind tokenKind, text ...string) bool {
	return t.kind == kind && slices.Contains(text, t.text)
}

// skip moves over a token if it is the one given.
func (p *parser) skip(kind tokenKind, text string) bool {
	if p.cur().is(kind, text) {
		p.next()
		return true
	}
	return false
}

func (p *parser) expect(kind tokenKind, text string) token {
	if !p.cur().is(kind, text) {
		syntax(p.cur().line, "unexpected %s, want %q", p.cur().describe(), text)
	}
	return p.next()
}

func (p *parser) expectName() token {
	if p.cur().kind != tokName {
		syntax(p.cur().line, "unexpected %s, want a name", p.cur().describe())
	}
	return p.next()
}

// deeper counts one more part inside another; the caller takes it back.
func (p *parser) deeper() {
	if p.nesting++; p.nesting > maxNesting {
		panic(&python.Error{Kind: python.Exceeded, Line: p.cur().line, Message: "more than 300 parts lie inside each other"})
	}
}

func (p *parser) template() []node { return p.statements() }

// statements reads text and tags up to one of the tags named, which is left
// as the current token. Without names it reads to the end.
func (p *parser) statements(ends ...string) (list []node) {
	p.deeper()
	defer func() { p.nesting-- }()
	for {
		t := p.cur()
		switch {
		case t.kind == tokEOF:
			if len(ends) > 0 {
				syntax(t.line, "the template ends inside a block: want %s", endNames(ends))
			}
			return list
		case t.kind == tokData:
			p.next()
			list = append(list, &dataNode{t.text})
		case t.text == "{{":
			p.next()
			list = append(list, &outputNode{t.line, p.tuple(tupleRules{})})
			p.expect(tokEnd, "}}")
		default:
			p.next()
			if p.cur().kind == tokName && slices.Contains(ends, p.cur().text) {
				return list
			}
			list = append(list, p.statement()...)
			p.expect(tokEnd, "%}")
		}
	}
}

func endNames(ends []string) string {
	out := ""
	for i, e := range ends {
		if i > 0 {
			out += " or "
		}
		out += "{% " + e + " %}"
	}
	return out
}

// body reads the statements of a tag that is at its end, and the tag that ends
// them, whose name is returned.
func (p *parser) body(ends ...string) ([]node, string) {
	p.skip(tokOp, ":")
	p.expect(tokEnd, "%}")
	list := p.statements(ends...)
	return list, p.next().text
}

// statement reads one tag. What it returns is one statement, or several of print.
func (p *parser) statement() []node {
	t := p.cur()
	if t.kind != tokName {
		syntax(t.line, "unexpected %s, want the name of a tag", t.describe())
	}
	read, ok := statements[t.text]
	if !ok {
		syntax(t.line, "unknown tag %s", python.Quoted(t.text))
	}
	p.next()
	return []node{read(p, t)}
}

// statements are the tags that begin something.
var statements map[string]func(p *parser, t token) node

func init() { // its functions look it up again
	statements = map[string]func(p *parser, t token) node{
		"if": (*parser).ifTag, "for": (*parser).forTag, "set": (*parser).setTag, "macro": (*parser).macroTag,
		"call": (*parser).callTag, "filter": (*parser).filterTag, "with": (*parser).withTag, "block": (*parser).blockTag,
		"generation": (*parser).generationTag, "autoescape": (*parser).autoescapeTag,
		"print": func(p *parser, t token) node {
			var items []expr
			for p.cur().kind != tokEnd {
				if len(items) > 0 {
					p.expect(tokOp, ",")
				}
				items = append(items, p.expression(true))
			}
			return &outputNode{t.line, &concatExpr{t.line, items}}
		},
		"break":    (*parser).jump,
		"continue": (*parser).jump,
		"include":  (*parser).refused, "import": (*parser).refused, "from": (*parser).refused, "extends": (*parser).refused,
	}
}

func (p *parser) ifTag(t token) node {
	n := &ifNode{line: t.line}
	for {
		test := p.tuple(tupleRules{noCond: true})
		body, end := p.body("elif", "else", "endif")
		n.arms = append(n.arms, ifArm{test, body})
		switch end {
		case "elif":
			continue
		case "else":
			n.other, _ = p.body("endif")
		}
		return n
	}
}

func (p *parser) forTag(t token) node {
	n := &forNode{line: t.line}
	start := p.pos
	n.target = p.target(false)
	after := p.pos
	p.pos = start
	n.testTarget = p.target(false)
	p.pos = after
	p.expect(tokName, "in")
	n.iter = p.tuple(tupleRules{noCond: true, end: "recursive"})
	if p.skip(tokName, "if") {
		n.test = p.expression(true)
	}
	n.recursive = p.skip(tokName, "recursive")
	p.loops++
	body, end := p.body("endfor", "else")
	p.loops--
	n.body = body
	if end == "else" {
		n.other, _ = p.body("endfor")
	}
	return n
}

// target reads what is assigned to.
func (p *parser) target(namespaces bool) expr {
	line := p.cur().line
	x := p.tuple(tupleRules{simple: true, namespaces: namespaces, end: "in"})
	asTarget(x, line)
	return x
}

// primaryTarget reads a name, ns.attr or what cannot be assigned to.
func (p *parser) primaryTarget(namespaces bool) expr {
	t := p.cur()
	if namespaces && t.kind == tokName && p.look().is(tokOp, ".") {
		p.next()
		p.next()
		return &nsTarget{line: t.line, ns: &nameExpr{line: t.line, name: t.text}, attr: p.expectName().text}
	}
	return p.primary()
}

// asTarget marks the names of an expression as assigned to.
func asTarget(x expr, line int) {
	switch x := x.(type) {
	case *nameExpr:
		x.store = true
	case *nsTarget:
	case *tupleExpr:
		for _, item := range x.items {
			asTarget(item, line)
		}
	default:
		syntax(line, "only names, and attributes of namespaces, can be assigned to")
	}
}

func (p *parser) setTag(t token) node {
	target := p.target(true)
	if p.skip(tokOp, "=") {
		return &setNode{t.line, target, p.tuple(tupleRules{})}
	}
	n := &setBlock{line: t.line, target: target}
	n.filter = p.filters(&constExpr{captured{}}, false)
	n.body, _ = p.body("endset")
	return n
}

// signature reads the parameters of a macro or a call block.
func (p *parser) signature(n *macroNode) {
	p.expect(tokOp, "(")
	for !p.cur().is(tokOp, ")") {
		if len(n.params) > 0 {
			p.expect(tokOp, ",")
			if p.cur().is(tokOp, ")") {
				syntax(p.cur().line, "unexpected \")\", want a name")
			}
		}
		t := p.expectName()
		reserved(t)
		for _, q := range n.params {
			if q.name == t.text {
				syntax(t.line, "the parameter %s stands twice", python.Quoted(t.text))
			}
		}
		n.params = append(n.params, &nameExpr{line: t.line, name: t.text, store: true})
		if p.skip(tokOp, "=") {
			n.defaults = append(n.defaults, p.expression(true))
		} else if len(n.defaults) > 0 {
			syntax(t.line, "the parameter %s has no default, but stands after one that has", python.Quoted(t.text))
		}
	}
	p.next()
}

// reserved refuses the names of constants as names of variables.
func reserved(t token) {
	if slices.Contains([]string{"true", "false", "none", "True", "False", "None"}, t.text) {
		syntax(t.line, "%s cannot be assigned to", t.text)
	}
}

// function reads the body of what is called with a scope of its own.
func (p *parser) function(end string) []node {
	loops := p.loops
	p.loops = 0
	body, _ := p.body(end)
	p.loops = loops
	return body
}

func (p *parser) macroTag(t token) node {
	name := p.expectName()
	reserved(name)
	n := &macroNode{line: t.line, name: name.text, target: &nameExpr{line: name.line, name: name.text, store: true}}
	p.signature(n)
	n.body = p.function("endmacro")
	return n
}

func (p *parser) callTag(t token) node {
	caller := &macroNode{line: t.line, name: "caller"}
	if p.cur().is(tokOp, "(") {
		p.signature(caller)
	}
	call, ok := p.expression(true).(*callExpr)
	if !ok {
		syntax(t.line, "want a call after {%% call %%}")
	}
	caller.body = p.function("endcall")
	return &callBlock{line: t.line, call: call, caller: caller}
}

func (p *parser) generationTag(t token) node {
	return &callBlock{line: t.line, caller: &macroNode{line: t.line, name: "caller", body: p.function("endgeneration")}}
}

func (p *parser) filterTag(t token) node {
	n := &filterBlock{line: t.line, filter: p.filters(&constExpr{captured{}}, true)}
	n.body, _ = p.body("endfilter")
	return n
}

func (p *parser) withTag(t token) node {
	n := &withNode{line: t.line}
	for p.cur().kind != tokEnd {
		if len(n.targets) > 0 {
			p.expect(tokOp, ",")
		}
		n.targets = append(n.targets, p.target(false))
		p.expect(tokOp, "=")
		n.values = append(n.values, p.expression(true))
	}
	n.body, _ = p.body("endwith")
	return n
}

func (p *parser) blockTag(t token) node {
	n := &blockNode{line: t.line, name: p.expectName().text}
	if slices.Contains(p.blocks, n.name) {
		syntax(t.line, "the block %s stands twice", python.Quoted(n.name))
	}
	p.blocks = append(p.blocks, n.name)
	for _, word := range []string{"scoped", "required"} {
		if p.skip(tokName, word) {
			panic(&python.Error{Kind: python.Unsupported, Line: t.line, Message: word + " of a block is not supported"})
		}
	}
	n.body = p.function("endblock")
	if p.cur().is(tokName, n.name) {
		p.next()
	}
	return n
}

func (p *parser) autoescapeTag(t token) node {
	c, ok := p.expression(true).(*constExpr)
	if !ok || python.Truth(c.v) {
		panic(&python.Error{Kind: python.Unsupported, Line: t.line, Message: "autoescape is not supported"})
	}
	body, _ := p.body("endautoescape")
	return &scopeNode{line: t.line, body: body}
}

func (p *parser) jump(t token) node {
	if p.loops == 0 {
		syntax(t.line, "%s outside of a loop", t.text)
	}
	kind := flowBreak
	if t.text == "continue" {
		kind = flowContinue
	}
	return &jumpNode{kind}
}

// refused reads over a tag that loads another template: it fails where it runs.
func (p *parser) refused(t token) node {
	for p.cur().kind != tokEnd && p.cur().kind != tokEOF {
		p.next()
	}
	return &refusedNode{t.line, t.text}
}
