package lang

import (
	"fmt"
	"strings"
)

// OneOf matches any of the texts. It is a trie, so that a long list costs as
// many states as its texts differ and one item per state.
func OneOf(list []string) *Expr {
	n := &NFA{}
	n.Start = n.Node()
	for _, s := range list {
		at := n.Start
		for i := 0; i < len(s); i++ {
			at = n.Child(at, s[i])
		}
		n.Final[at] = true
	}
	return &Expr{Op: OpNFA, NFA: n}
}

// OneOfFold is [OneOf] with ASCII letters in either case.
func OneOfFold(list []string) *Expr {
	lower := make([]string, len(list))
	for i, s := range list {
		lower[i] = asciiLower(s)
	}
	e := OneOf(lower)
	for i, edges := range e.NFA.Edges {
		for _, x := range edges {
			if 'a' <= x.Lo && x.Lo <= 'z' {
				e.NFA.Edges[i] = append(e.NFA.Edges[i], Edge{x.Lo - 'a' + 'A', x.Lo - 'a' + 'A', x.To})
			}
		}
	}
	return e
}

func asciiLower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r - 'A' + 'a'
		}
		return r
	}, s)
}

// Child returns the node after byte b of a trie node, making it if needed.
func (n *NFA) Child(at int32, b byte) int32 {
	for _, e := range n.Edges[at] {
		if e.Lo == b {
			return e.To
		}
	}
	to := n.Node()
	n.Edges[at] = append(n.Edges[at], Edge{b, b, to})
	return to
}

// StringLiteral matches a string with its quotes.
func StringLiteral(s string) *Expr {
	if !strings.ContainsFunc(s, func(r rune) bool { return !plainInJSON(r) }) {
		return Text(`"` + s + `"`)
	}
	n := newNFA(len(s) + 3)
	n.Start = n.Node()
	end := n.Child(n.Literal(n.Child(n.Start, '"'), s), '"')
	n.Final[end] = true
	return &Expr{Op: OpNFA, NFA: n}
}

// Literal extends a trie by the ways to write a text inside a JSON string, and
// returns where they end.
func (n *NFA) Literal(at int32, s string) int32 {
	for _, r := range s {
		if plainInJSON(r) {
			at = n.Child(at, byte(r))
			continue
		}
		forms := jsonForms(r)
		next := at
		for i := 0; i < len(forms[0]); i++ {
			next = n.Child(next, forms[0][i])
		}
		for _, f := range forms[1:] {
			n.bridge(at, next, f)
		}
		at = next
	}
	return at
}

// bridge adds a way from one node to another that spells a form, its
// hexadecimal digits in either case.
func (n *NFA) bridge(from, to int32, form string) {
	for i := 0; i < len(form); i++ {
		next := to
		if i+1 < len(form) {
			next = -1
		}
		lower, upper := form[i], form[i]
		if i > 1 && lower >= 'a' && lower <= 'f' && form[i-1] != '\\' {
			upper = lower - 'a' + 'A'
		}
		existing := int32(-1)
		for _, e := range n.Edges[from] {
			if e.Lo == lower {
				existing = e.To
			}
		}
		switch {
		case existing >= 0 && (next < 0 || existing == next):
			from = existing
			continue
		case next < 0:
			next = n.Node()
		}
		n.Edges[from] = append(n.Edges[from], Edge{lower, lower, next})
		if upper != lower {
			n.Edges[from] = append(n.Edges[from], Edge{upper, upper, next})
		}
		from = next
	}
}

// plainInJSON reports whether a literal writes a code point as itself only.
func plainInJSON(r rune) bool {
	return r >= 0x20 && r < 0x7F && strings.IndexByte("<>&'\"\\/", byte(r)) < 0
}

// jsonForms lists the ways a literal may write a code point, the usual one
// first: itself where that is possible, then its escapes if it is one that
// writers of JSON commonly escape.
func jsonForms(r rune) []string {
	var forms []string
	if r >= 0x20 && r != '"' && r != '\\' {
		forms = append(forms, string(r))
	}
	for _, e := range shortEscapes {
		if rune(e.char) == r {
			forms = append(forms, `\`+string(rune(e.code)))
		}
	}
	if r >= 0x20 && r < 0x7F && !strings.ContainsRune(`<>&'"\`, r) {
		return forms
	}
	if r > 0xFFFF {
		r -= 0x10000
		return append(forms, fmt.Sprintf(`\u%04x\u%04x`, 0xD800+r>>10, 0xDC00+r&0x3FF))
	}
	return append(forms, fmt.Sprintf(`\u%04x`, r))
}
