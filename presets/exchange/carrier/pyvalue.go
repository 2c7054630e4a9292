package carrier

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

func jsonNumber(s string) json.Number { return json.Number(s) }

// maxNames bounds how often names may lead to names.
const maxNames = 8

// Value evaluates the tokens of one expression: literals, names of this file
// that are assigned once, sums and products of numbers, and calls that only
// hold values. Anything else is unreadable.
func (p *Python) Value(from, to, names int) any { return p.value(from, to, names, 0) }

func (p *Python) value(from, to, names, depth int) any {
	e := pyEval{p: p, i: from, to: to, names: names}
	v := e.sum(depth)
	if e.failed || e.i < e.to {
		return Unreadable{p.Source(from, to)}
	}
	return v
}

type pyEval struct {
	p      *Python
	i, to  int
	names  int
	failed bool
}

func (e *pyEval) fail() any {
	e.failed = true
	return nil
}

func (e *pyEval) peek() string {
	e.skipLines()
	if e.i < e.to && e.p.Tokens[e.i].Kind == PyOp {
		return e.p.Tokens[e.i].Text
	}
	return ""
}

func (e *pyEval) skipLines() {
	for e.i < e.to && e.p.Tokens[e.i].Kind == PyNewline {
		e.i++
	}
}

// sum, product and factor are Python's arithmetic on numbers.
func (e *pyEval) sum(depth int) any {
	v := e.product(depth)
	for !e.failed {
		op := e.peek()
		if op != "+" && op != "-" {
			break
		}
		e.i++
		v = e.combine(op, v, e.product(depth))
	}
	return v
}

func (e *pyEval) product(depth int) any {
	v := e.factor(depth)
	for !e.failed {
		op := e.peek()
		if op != "*" && op != "/" && op != "//" && op != "%" {
			break
		}
		e.i++
		v = e.combine(op, v, e.factor(depth))
	}
	return v
}

func (e *pyEval) factor(depth int) any {
	if depth > MaxDepth {
		return e.fail()
	}
	switch op := e.peek(); op {
	case "-", "+":
		e.i++
		v, ok := e.factor(depth + 1).(json.Number)
		switch {
		case !ok:
			return e.fail()
		case op == "+":
			return v
		case strings.HasPrefix(v.String(), "-"):
			return v[1:]
		}
		return "-" + v
	}
	v := e.atom(depth)
	if !e.failed && e.peek() == "**" {
		e.i++
		return e.combine("**", v, e.factor(depth+1))
	}
	return v
}

// combine works out what two numbers come to.
func (e *pyEval) combine(op string, a, b any) any {
	x, ok := a.(json.Number)
	y, ok2 := b.(json.Number)
	if e.failed || !ok || !ok2 {
		return e.fail()
	}
	m, err := x.Int64()
	n, err2 := y.Int64()
	whole := err == nil && err2 == nil && max(m, -m) < 1<<31 && max(n, -n) < 1<<31
	f, _ := x.Float64()
	g, _ := y.Float64()
	var v float64
	switch op {
	case "+":
		v = f + g
	case "-":
		v = f - g
	case "*":
		v = f * g
	case "**":
		v = math.Pow(f, g)
		whole = whole && n >= 0
	case "/":
		v, whole = f/g, false
	case "//":
		v = math.Floor(f / g)
	case "%":
		v = f - g*math.Floor(f/g)
	}
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return e.fail()
	case whole && math.Abs(v) < 1<<53:
		return json.Number(strconv.FormatInt(int64(v), 10))
	}
	return json.Number(strconv.FormatFloat(v, 'g', -1, 64))
}

// pyConstants are the names that Python itself gives a value.
var pyConstants = map[string]any{"True": true, "False": false, "None": nil}

func (e *pyEval) atom(depth int) any {
	e.skipLines()
	if e.i >= e.to || depth > MaxDepth {
		return e.fail()
	}
	t := e.p.Tokens[e.i]
	switch t.Kind {
	case pyNumber:
		e.i++
		if _, dark := t.value.(Unreadable); dark {
			return e.fail()
		}
		return t.value
	case pyString:
		return e.strings()
	case PyName:
		return e.name(depth)
	}
	end := e.p.Closing(e.i)
	if end < 0 || end >= e.to {
		return e.fail()
	}
	from := e.i + 1
	e.i = end + 1
	switch t.Text {
	case "[":
		return e.list(from, end, depth)
	case "{":
		return e.dict(from, end, depth)
	case "(":
		parts := e.p.parts(from, end)
		if len(parts) == 1 && e.p.Tokens[end-1].Text != "," {
			inner := pyEval{p: e.p, i: from, to: end, names: e.names}
			v := inner.sum(depth + 1)
			if inner.skipLines(); inner.failed || inner.i < inner.to {
				return e.fail()
			}
			return v
		}
		return e.list(from, end, depth)
	}
	return e.fail()
}

// strings joins neighbours, as Python does.
func (e *pyEval) strings() any {
	var b strings.Builder
	for e.i < e.to && (e.p.Tokens[e.i].Kind == pyString || e.p.Tokens[e.i].Kind == PyNewline) {
		if t := e.p.Tokens[e.i]; t.Kind == pyString {
			s, ok := t.value.(string)
			if !ok {
				return e.fail()
			}
			b.WriteString(s)
		}
		e.i++
	}
	return b.String()
}

// name evaluates a constant, a name of this file, or a call that holds values.
func (e *pyEval) name(depth int) any {
	name := e.p.Tokens[e.i].Text
	e.i++
	if v, ok := pyConstants[name]; ok {
		return v
	}
	for e.peek() == "." && e.i+1 < e.to && e.p.Tokens[e.i+1].Kind == PyName {
		name = e.p.Tokens[e.i+1].Text
		e.i += 2
		if e.peek() != "(" && e.peek() != "." {
			return e.fail() // an attribute
		}
	}
	if e.peek() == "(" {
		end := e.p.Closing(e.i)
		if end < 0 || end >= e.to {
			return e.fail()
		}
		from := e.i + 1
		e.i = end + 1
		if real, ok := e.p.Aliases[name]; ok {
			name = real
		}
		if !holders[name] {
			return e.fail()
		}
		return e.p.arguments(from, end, e.names, depth+1, nil)
	}
	span, ok := e.p.Names[name]
	if !ok || e.names >= maxNames {
		return e.fail()
	}
	v := e.p.value(span[0], span[1], e.names+1, depth+1)
	if _, dark := v.(Unreadable); dark {
		return e.fail()
	}
	return v
}

// holders are calls whose arguments are all there is to them.
var holders = map[string]bool{
	"dict": true, "StructuredOutputsParams": true, "GuidedDecodingParams": true, "WatermarkingConfig": true, "RepetitionDetectionParams": true, "SynthIDTextWatermarkingConfig": true,
}

func (e *pyEval) list(from, end, depth int) any {
	if depth > MaxDepth {
		return e.fail()
	}
	out := []any{}
	for _, part := range e.p.parts(from, end) {
		out = append(out, e.p.value(part[0], part[1], e.names, depth+1))
	}
	return out
}

// dict reads a dictionary. A key that is a tuple is written as a list.
func (e *pyEval) dict(from, end, depth int) any {
	if depth > MaxDepth {
		return e.fail()
	}
	out := Object{}
	for _, part := range e.p.parts(from, end) {
		i, to := part[0], part[1]
		for i < to && e.p.Tokens[i].Kind == PyNewline {
			i++
		}
		if i >= to {
			continue
		}
		if e.p.Tokens[i].Text == "**" {
			out = append(out, e.p.spread(i, to, e.names, depth+1)...)
			continue
		}
		colon := e.p.colon(i, to)
		if colon < 0 {
			return e.fail() // a set
		}
		x := Entry{Line: e.p.Tokens[i].Line, Text: e.p.Source(colon+1, to), Value: e.p.value(colon+1, to, e.names, depth+1)}
		switch k := e.p.value(i, colon, e.names, depth+1).(type) {
		case string:
			x.Key = k
		case Unreadable:
			return e.fail()
		default:
			x.Key = PlainJSON(k)
		}
		out = append(out, x)
	}
	return out
}

// colon finds the colon of a dictionary's member.
func (p *Python) colon(from, to int) int {
	for i := range p.bare(":", from, to) {
		return i
	}
	return -1
}

// Arguments reads the arguments between two tokens: those with keywords, and
// those of dictionaries that are spread. The first ones without a keyword have
// the names of positions; more of them are passed over.
func (p *Python) Arguments(from, to int, positions []string) Object {
	return p.arguments(from, to, 0, 0, positions)
}

func (p *Python) arguments(from, to, names, depth int, positions []string) Object {
	out := Object{}
	for _, part := range p.parts(from, to) {
		i, end := part[0], part[1]
		if i >= end {
			continue
		}
		t := p.Tokens[i]
		switch {
		case t.Kind == PyOp && t.Text == "**":
			out = append(out, p.spread(i, end, names, depth)...)
		case t.Kind == PyName && i+1 < end && p.Tokens[i+1].Text == "=":
			out = append(out, Entry{Key: t.Text, Line: t.Line, Text: p.Source(i+2, end), Value: p.value(i+2, end, names, depth)})
		case len(positions) > 0:
			out = append(out, Entry{Key: positions[0], Line: t.Line, Text: p.Source(i, end), Value: p.value(i, end, names, depth)})
			positions = positions[1:]
		}
	}
	return out
}

// spread is what "**" at token i puts in its place: the members of a
// dictionary, or one that says what could not be followed.
func (p *Python) spread(i, end, names, depth int) Object {
	if inner, ok := p.value(i+1, end, names, depth).(Object); ok {
		return inner
	}
	text := p.Source(i, end)
	return Object{{Key: text, Line: p.Tokens[i].Line, Text: text, Value: Unreadable{p.Source(i+1, end)}}}
}
