package goal

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"logitscope/sampling"
	"logitscope/sampling/param"
	"logitscope/sampling/value"
)

// name reads what begins with the name w: a term, a call or a parameter.
func (p *parser) name(w lexeme) (*node, error) {
	t := terms[w.text]
	open := p.peek()
	call := open.kind == aSign && open.text == "("
	switch {
	case t == nil && !call:
		return p.parameter(w)
	case t == nil:
		if _, ok := param.Lookup(w.text); ok {
			return nil, fmt.Errorf("%s takes no arguments", w.text)
		}
		return nil, unknown(w.text)
	case call && t.args == nil:
		return nil, fmt.Errorf("%s takes no arguments", w.text)
	case !call && t.args != nil:
		return nil, fmt.Errorf("%s needs arguments: %s", w.text, t.usage)
	}
	n := node{op: w.text, kind: t.kind, term: t}
	if t.kind == None { // the reader's own answer
		if n.kind = p.names.Predicted; n.kind == None {
			return nil, fmt.Errorf("%s: nothing is predicted here", w.text)
		}
	}
	if !call {
		return p.node(n, w.from)
	}
	p.at++
	if err := p.enter(); err != nil {
		return nil, err
	}
	if err := t.args(p, &n); err != nil {
		return nil, err
	}
	p.depth--
	if err := p.closing(open); err != nil {
		return nil, err
	}
	return p.node(n, w.from)
}

// parameter reads the key of a parameter.
func (p *parser) parameter(w lexeme) (*node, error) {
	q, ok := param.Lookup(w.text)
	if !ok {
		return nil, unknown(w.text)
	}
	n := node{op: w.text, param: q, kind: kindOf(q)}
	if n.kind == None {
		return nil, fmt.Errorf("%s: the kind of its value is a list, which cannot be used", w.text)
	}
	return p.node(n, w.from)
}

// kindOf returns the kind of a parameter's value, None for a list.
func kindOf(p *param.Param) Kind {
	switch p.Kind {
	case param.Bool:
		return Truth
	case param.Int, param.Uint, param.Float:
		return Number
	case param.Choice, param.Text:
		return Text
	}
	return None
}

// unknown is the error of a name that nothing has.
func unknown(name string) error {
	all := Terms()
	for _, p := range param.All() {
		all = append(all, p.Key)
	}
	meant := value.Nearest(name, all)
	var key *param.UnknownKeyError
	if _, err := (sampling.Config{}).With(name, "", sampling.FromYou); meant == "" && errors.As(err, &key) {
		meant = key.Meant
	}
	if meant != "" {
		return fmt.Errorf("%s: no such term or parameter; did you mean %s?", Shown(name), meant)
	}
	return fmt.Errorf("%s: no such term or parameter; the terms are %s", Shown(name), strings.Join(Terms(), ", "))
}

// Terms returns the names of all terms, sorted.
func Terms() []string {
	return slices.Sorted(maps.Keys(terms))
}

// comma takes the comma before an argument.
func (p *parser) comma(n *node) error {
	if _, ok := p.is(","); !ok {
		if w := p.peek(); w.kind != atEnd && w.text != ")" {
			return p.unexpected()
		}
		return fmt.Errorf("%s needs more arguments: %s", n.op, n.term.usage)
	}
	return nil
}

// argument reads an expression of a kind that ok allows.
func (p *parser) argument(n *node, want string, ok func(*node) bool) error {
	if w := p.peek(); w.kind == aSign && w.text == ")" {
		return fmt.Errorf("%s needs arguments: %s", n.op, n.term.usage)
	}
	a, err := p.or()
	if err != nil {
		return err
	}
	if !ok(a) {
		return p.wrongKind(n.op, a, want)
	}
	n.args = append(n.args, a)
	return nil
}

func oneToken(p *parser, n *node) error {
	return p.argument(n, "a token", func(a *node) bool {
		if a.kind == quoted {
			a.kind = Token
		}
		return a.kind == Token
	})
}

func oneNumber(p *parser, n *node) error {
	return p.argument(n, "a plain number", func(a *node) bool { return a.kind == Number })
}

// textAndQuote reads a text and a text in quotes.
func textAndQuote(p *parser, n *node) error {
	isText := func(a *node) bool {
		if a.kind == quoted {
			a.kind = Text
		}
		return a.kind == Text
	}
	if err := p.argument(n, "a text", isText); err != nil {
		return err
	}
	if err := p.comma(n); err != nil {
		return err
	}
	return p.argument(n, "a text", isText)
}

// oneQuote reads a text in quotes that must be one of a list.
func oneQuote(list func(*parser) []string) func(*parser, *node) error {
	return func(p *parser, n *node) error {
		if err := p.argument(n, "a text in quotes", func(a *node) bool { return a.kind == quoted }); err != nil {
			return err
		}
		a := n.args[0]
		a.kind = Text
		if all := list(p); all != nil && !slices.Contains(all, a.text) {
			return fmt.Errorf("%s(%s): no such name; want %s", n.op, Shown(a.text), strings.Join(all, ", "))
		}
		return nil
	}
}

// theKeys reads the names of parameters.
func theKeys(p *parser, n *node) error {
	for {
		w := p.peek()
		if w.kind != aName {
			return fmt.Errorf("%s takes the names of parameters, as in %s", n.op, n.term.usage)
		}
		p.at++
		if _, ok := param.Lookup(w.text); !ok && w.text != presetKey {
			return unknown(w.text)
		}
		n.keys = append(n.keys, w.text)
		if _, err := p.node(node{}, w.from); err != nil {
			return err
		}
		if _, ok := p.is(","); !ok {
			return nil
		}
	}
}

// laneOf reads a number and an expression, whose kind is that of the call.
func laneOf(p *parser, n *node) error {
	if err := oneNumber(p, n); err != nil {
		return err
	}
	if err := p.comma(n); err != nil {
		return err
	}
	return p.body(n)
}

// body reads the expression that a call takes last.
func (p *parser) body(n *node) error {
	err := p.argument(n, "an expression", func(a *node) bool {
		if a.kind == quoted {
			a.kind = Text
		}
		return true
	})
	if err == nil {
		n.kind = n.args[len(n.args)-1].kind
	}
	return err
}

// changes reads settings and an expression, whose kind is that of the call.
func changes(p *parser, n *node) error {
	for {
		s, ok, err := p.setting()
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		n.sets = append(n.sets, s)
	}
	if len(n.sets) == 0 {
		return fmt.Errorf("%s needs a setting first: %s", n.op, n.term.usage)
	}
	return p.body(n)
}

// setting reads a key=value and the comma after it; ok is false if what comes
// is something else.
func (p *parser) setting() (s setting, ok bool, err error) {
	from := p.at
	key := p.peek()
	if key.kind != aName || p.words[from+1].text != "=" || p.words[from+1].kind != aSign {
		return s, false, nil
	}
	p.at += 2
	text, ok := p.settingValue()
	if _, comma := p.is(","); !ok || !comma {
		p.at = from
		return s, false, nil
	}
	q, ok := param.Lookup(key.text)
	if !ok {
		return s, false, unknown(key.text)
	}
	if _, err := p.node(node{}, key.from); err != nil {
		return s, false, err
	}
	value, err := p.value(q, text)
	if err != nil {
		return s, false, err
	}
	return setting{q.Key, value}, true, nil
}

// settingValue reads the value of a setting: a text in quotes, a number with
// its sign and per cent, or a bare word, in which minus signs and points may
// stand.
func (p *parser) settingValue() (string, bool) {
	w := p.peek()
	if w.kind == aText {
		p.at++
		return w.text, true
	}
	from, end := w.from, w.from
	for ; ; p.at++ {
		w = p.peek()
		joins := w.kind == aName || w.kind == aNumber || w.kind == aSign && (w.text == "-" || w.text == "%" || w.text == "/" || w.text == ".")
		if !joins || end != from && w.from != end {
			break
		}
		end = w.to
	}
	return p.src[from:end], end > from
}

// value returns the value of a setting that is allowed.
func (p *parser) value(q *param.Param, text string) (any, error) {
	read := p.names.Value
	if read == nil {
		read = ParseValue
	}
	v, err := read(q, text)
	if err != nil {
		return nil, err
	}
	c, err := sampling.Config{}.With(q.Key, v, sampling.FromYou)
	if err != nil {
		return nil, err
	}
	return c.Value(q.Key), nil
}

// ParseValue reads the value of a parameter as the screen does; a number may
// be written in per cent.
func ParseValue(q *param.Param, text string) (any, error) {
	v, err := q.Parse(text)
	if number, ok := strings.CutSuffix(text, "%"); ok && err != nil {
		e, perr := Parse(number+"%", Names{})
		if perr == nil && q.Kind == param.Float {
			return e.root.constant()
		}
	}
	return v, err
}

func (n *node) constant() (float64, error) {
	switch {
	case n.op == "minus":
		x, err := n.args[0].constant()
		return -x, err
	case n.op == "" && n.kind.IsNumber():
		return n.num, nil
	}
	return 0, errors.New("not a number")
}
