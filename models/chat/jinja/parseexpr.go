package jinja

import (
	"slices"

	"logitscope/models/chat/jinja/python"
)

// tupleRules say how a list of expressions without brackets is read.
type tupleRules struct {
	simple     bool   // only names, literals and what is in brackets
	namespaces bool   // with simple: ns.attr too
	noCond     bool   // the word if ends an expression
	end        string // a word that ends the list
	parens     bool   // stands in parentheses, and may be empty
}

// tuple reads an expression, or a tuple of several.
func (p *parser) tuple(r tupleRules) expr {
	line := p.cur().line
	var items []expr
	isTuple := false
	for {
		if len(items) > 0 {
			p.expect(tokOp, ",")
		}
		if t := p.cur(); t.kind == tokEnd || t.is(tokOp, ")") || r.end != "" && t.is(tokName, r.end) {
			break
		}
		switch {
		case r.simple:
			items = append(items, p.primaryTarget(r.namespaces))
		default:
			items = append(items, p.expression(!r.noCond))
		}
		if !p.cur().is(tokOp, ",") {
			break
		}
		isTuple = true
	}
	if !isTuple {
		if len(items) > 0 {
			return items[0]
		}
		if !r.parens {
			syntax(p.cur().line, "unexpected %s, want an expression", p.cur().describe())
		}
	}
	return &tupleExpr{line, items}
}

// expression reads one expression; cond says whether "a if b else c" is one.
func (p *parser) expression(cond bool) expr {
	nesting := p.nesting
	p.deeper()
	defer func() { p.nesting = nesting }()
	x := p.or()
	for cond && p.cur().is(tokName, "if") {
		p.deeper()
		line := p.next().line
		c := &condExpr{line: line, test: p.or(), yes: x}
		if p.skip(tokName, "else") {
			c.no = p.expression(true)
		}
		x = c
	}
	return x
}

func (p *parser) or() expr {
	x := p.and()
	for p.skip(tokName, "or") {
		p.deeper()
		x = &orExpr{x, p.and()}
	}
	return x
}

func (p *parser) and() expr {
	x := p.not()
	for p.skip(tokName, "and") {
		p.deeper()
		x = &andExpr{x, p.not()}
	}
	return x
}

func (p *parser) not() expr {
	if p.skip(tokName, "not") {
		p.deeper()
		return &notExpr{p.not()}
	}
	return p.compare()
}

func (p *parser) compare() expr {
	c := &compareExpr{line: p.cur().line, x: p.math()}
	for {
		t := p.cur()
		op := t.text
		switch {
		case t.is(tokOp, "==", "!=", "<", "<=", ">", ">="), t.is(tokName, "in"):
		case t.is(tokName, "not") && p.look().is(tokName, "in"):
			p.next()
			op = "not in"
		default:
			if len(c.ops) == 0 {
				return c.x
			}
			return c
		}
		p.next()
		c.ops = append(c.ops, op)
		c.args = append(c.args, p.math())
	}
}

// binary reads a list of parts with operators between, from left to right.
func (p *parser) binary(part func() expr, ops ...string) expr {
	x := part()
	for p.cur().is(tokOp, ops...) {
		p.deeper()
		t := p.next()
		x = &binExpr{t.line, t.text, x, part()}
	}
	return x
}

func (p *parser) math() expr { return p.binary(p.concat, "+", "-") }

func (p *parser) concat() expr {
	line := p.cur().line
	items := []expr{p.product()}
	for p.skip(tokOp, "~") {
		items = append(items, p.product())
	}
	if len(items) == 1 {
		return items[0]
	}
	return &concatExpr{line, items}
}

func (p *parser) product() expr { return p.binary(p.power, "*", "/", "//", "%") }

func (p *parser) power() expr {
	return p.binary(func() expr { return p.unary(true) }, "**")
}

func (p *parser) unary(filters bool) expr {
	nesting := p.nesting
	p.deeper()
	defer func() { p.nesting = nesting }()
	t := p.cur()
	var x expr
	if t.is(tokOp, "-", "+") {
		p.next()
		x = &signExpr{t.line, t.text == "-", p.unary(false)}
	} else {
		x = p.primary()
	}
	x = p.postfix(x)
	if filters {
		x = p.filtered(x)
	}
	return x
}

var constants = map[string]python.Value{"true": true, "True": true, "false": false, "False": false, "none": nil, "None": nil}

func (p *parser) primary() expr {
	t := p.next()
	switch {
	case t.kind == tokName:
		if v, ok := constants[t.text]; ok {
			return &constExpr{v}
		}
		return &nameExpr{line: t.line, name: t.text}
	case t.kind == tokString:
		text := t.text
		for p.cur().kind == tokString {
			text += p.next().text
		}
		return &constExpr{text}
	case t.kind == tokInt, t.kind == tokFloat:
		return &constExpr{t.value}
	case t.is(tokOp, "("):
		x := p.tuple(tupleRules{parens: true})
		p.expect(tokOp, ")")
		return x
	case t.is(tokOp, "["):
		return p.list(t)
	case t.is(tokOp, "{"):
		return p.dict(t)
	}
	syntax(t.line, "unexpected %s, want an expression", t.describe())
	return nil
}

func (p *parser) list(t token) expr {
	x := &listExpr{line: t.line}
	for !p.cur().is(tokOp, "]") {
		if len(x.items) > 0 {
			p.expect(tokOp, ",")
			if p.cur().is(tokOp, "]") {
				break
			}
		}
		x.items = append(x.items, p.expression(true))
	}
	p.next()
	return x
}

func (p *parser) dict(t token) expr {
	x := &dictExpr{line: t.line}
	for !p.cur().is(tokOp, "}") {
		if len(x.keys) > 0 {
			p.expect(tokOp, ",")
			if p.cur().is(tokOp, "}") {
				break
			}
		}
		x.keys = append(x.keys, p.expression(true))
		p.expect(tokOp, ":")
		x.values = append(x.values, p.expression(true))
	}
	p.next()
	return x
}

// postfix reads attributes, items and calls.
func (p *parser) postfix(x expr) expr {
	for {
		switch t := p.cur(); {
		case t.is(tokOp, "."), t.is(tokOp, "["):
			p.deeper()
			x = p.subscript(x)
		case t.is(tokOp, "("):
			p.deeper()
			x = p.call(x)
		default:
			return x
		}
	}
}

// filtered reads filters, tests and calls of their results.
func (p *parser) filtered(x expr) expr {
	for {
		switch t := p.cur(); {
		case t.is(tokOp, "|"):
			p.deeper()
			p.next()
			x = p.filter(x)
		case t.is(tokName, "is"):
			p.deeper()
			x = p.test(x)
		case t.is(tokOp, "("):
			p.deeper()
			x = p.call(x)
		default:
			return x
		}
	}
}

// filters reads the filters of a block, applied to x; begun says that the
// first has no bar before it.
func (p *parser) filters(x expr, begun bool) expr {
	nesting := p.nesting
	defer func() { p.nesting = nesting }()
	for begun || p.skip(tokOp, "|") {
		begun = false
		p.deeper()
		x = p.filter(x)
	}
	return x
}

func (p *parser) dotted() token {
	t := p.expectName()
	for p.skip(tokOp, ".") {
		t.text += "." + p.expectName().text
	}
	return t
}

func (p *parser) filter(x expr) expr {
	t := p.dotted()
	f := &filterExpr{name: t.text, x: x}
	f.line = t.line
	if p.cur().is(tokOp, "(") {
		f.callExpr = *p.call(nil)
	}
	return f
}

func (p *parser) test(x expr) expr {
	p.next()
	negated := p.skip(tokName, "not")
	t := p.dotted()
	f := &testExpr{name: t.text, x: x}
	f.line = t.line
	switch c := p.cur(); {
	case c.is(tokOp, "("):
		f.callExpr = *p.call(nil)
	case c.kind == tokName || c.kind == tokString || c.kind == tokInt || c.kind == tokFloat || c.is(tokOp, "[", "{"):
		if c.is(tokName, "else", "or", "and") {
			break
		}
		if c.is(tokName, "is") {
			syntax(c.line, "tests cannot be chained with \"is\"")
		}
		f.args = []expr{p.postfix(p.primary())}
	}
	if negated {
		return &notExpr{f}
	}
	return f
}

func (p *parser) subscript(x expr) expr {
	t := p.next()
	if t.text == "." {
		switch a := p.next(); a.kind {
		case tokName:
			return &attrExpr{t.line, x, a.text}
		case tokInt:
			return &itemExpr{t.line, x, &constExpr{a.value}}
		default:
			syntax(a.line, "unexpected %s, want a name or a number after \".\"", a.describe())
		}
	}
	var args []expr
	for !p.cur().is(tokOp, "]") {
		if len(args) > 0 {
			p.expect(tokOp, ",")
		}
		args = append(args, p.subscribed(x, t.line))
	}
	p.next()
	if len(args) == 1 {
		if s, ok := args[0].(*sliceExpr); ok && s.x == x {
			return s
		}
		return &itemExpr{t.line, x, args[0]}
	}
	if slices.ContainsFunc(args, func(a expr) bool { s, ok := a.(*sliceExpr); return ok && s.x == x }) {
		panic(&python.Error{Kind: python.Unsupported, Line: t.line, Message: "a slice beside another index is not supported"})
	}
	return &itemExpr{t.line, x, &tupleExpr{t.line, args}}
}

// subscribed reads an index, or a slice of x.
func (p *parser) subscribed(x expr, line int) expr {
	s := &sliceExpr{line: line, x: x}
	ends := func() bool { return p.cur().is(tokOp, "]", ",", ":") }
	if !p.cur().is(tokOp, ":") {
		s.from = p.expression(true)
		if !p.cur().is(tokOp, ":") {
			return s.from
		}
	}
	p.next()
	if !ends() {
		s.to = p.expression(true)
	}
	if p.skip(tokOp, ":") && !ends() {
		s.stride = p.expression(true)
	}
	return s
}

// call reads the arguments of a call.
func (p *parser) call(fn expr) *callExpr {
	t := p.expect(tokOp, "(")
	c := &callExpr{line: t.line, fn: fn}
	bad := func(is bool) {
		if is {
			syntax(t.line, "the arguments of a call are out of order")
		}
	}
	for first := true; !p.cur().is(tokOp, ")"); first = false {
		if !first {
			p.expect(tokOp, ",")
			if p.cur().is(tokOp, ")") {
				break
			}
		}
		switch k := p.cur(); {
		case k.is(tokOp, "*"):
			bad(c.dynArgs != nil || c.dynKwds != nil)
			p.next()
			c.dynArgs = p.expression(true)
		case k.is(tokOp, "**"):
			bad(c.dynKwds != nil)
			p.next()
			c.dynKwds = p.expression(true)
		case k.kind == tokName && p.look().is(tokOp, "="):
			bad(c.dynKwds != nil)
			if slices.Contains(c.names, k.text) {
				syntax(k.line, "the argument %s stands twice", python.Quoted(k.text))
			}
			p.next()
			p.next()
			c.names = append(c.names, k.text)
			c.values = append(c.values, p.expression(true))
		default:
			bad(c.dynArgs != nil || c.dynKwds != nil || len(c.names) > 0)
			c.args = append(c.args, p.expression(true))
		}
	}
	p.next()
	return c
}
