package goal

import (
	"fmt"
)

func (p *parser) source(n *node) string { return Shown(p.src[n.from:n.to]) }

func (p *parser) wrongKind(op string, n *node, want string) error {
	return fmt.Errorf("%s: %s is of the wrong kind, %s; %s takes %s", p.source(n), p.source(n), n.kind, op, want)
}

// mixed is the error of two sides that do not go together.
func (p *parser) mixed(op string, a, b *node) error {
	return fmt.Errorf("%s %s %s: the kinds do not go together: %s and %s", p.source(a), op, p.source(b), a.kind, b.kind)
}

func (p *parser) truth(op string, n *node) error {
	if n.kind != Truth {
		return p.wrongKind(op, n, "yes or no")
	}
	return nil
}

func (p *parser) logic(op string, a, b *node) (Kind, error) {
	if err := p.truth(op, a); err != nil {
		return None, err
	}
	return Truth, p.truth(op, b)
}

// compare checks the two sides of a comparison, and makes a text in quotes
// what the other side is.
func (p *parser) compare(op string, a, b *node) error {
	_, numbers := together(a.kind, b.kind)
	equality := op == "=" || op == "!="
	switch {
	case numbers:
		return nil
	case equality && a.kind == quoted && (b.kind == Text || b.kind == Token):
		a.kind = b.kind
	case equality && b.kind == quoted && (a.kind == Text || a.kind == Token):
		b.kind = a.kind
	case equality && (a.kind == Text || a.kind == Token) && (b.kind == Text || b.kind == Token):
	default:
		return p.mixed(op, a, b)
	}
	return nil
}

// together returns the kind of a sum of two kinds of numbers.
func together(a, b Kind) (Kind, bool) {
	switch {
	case !a.IsNumber() || !b.IsNumber():
		return None, false
	case a == b || b == Number:
		return a, true
	case a == Number:
		return b, true
	}
	return None, false
}

func (p *parser) arithmetic(op string, a, b *node) (Kind, error) {
	k, ok := together(a.kind, b.kind)
	if op == "/" && ok {
		switch {
		case b.kind == Number:
			k = a.kind
		case a.kind == b.kind:
			k = Number
		default:
			ok = false
		}
	}
	if !ok {
		return None, p.mixed(op, a, b)
	}
	if op == "/" && zero(b) {
		return None, fmt.Errorf("%s / %s: a division by 0", p.source(a), p.source(b))
	}
	return k, nil
}

// zero reports whether n is written as 0.
func zero(n *node) bool {
	if n.op == "minus" {
		return zero(n.args[0])
	}
	return n.op == "" && n.kind.IsNumber() && n.num == 0
}
