package chat

import (
	"errors"
	"fmt"
	"strings"
)

// The engine knows neither negative indexes, nor conditional expressions
// inside others, nor methods of an expression in brackets. This file rewrites
// expressions into ones that say the same without them.

// piece is a lexical part of a tag.
type piece struct {
	text   string
	name   bool // a name, number or keyword
	quoted bool // a text in quotes
	group  bool // an expression in parentheses, rewritten
}

var errBrackets = errors.New("brackets do not match")

// lex cuts the inside of a tag into pieces without white space.
func lex(t string) ([]piece, error) {
	var out []piece
	for i := 0; i < len(t); {
		c := t[i]
		j := i + 1
		p := piece{}
		switch {
		case strings.IndexByte(white, c) >= 0:
			i++
			continue
		case c == '\'' || c == '"':
			if j = quoteEnd(t, i); j < 0 {
				return nil, errors.New("a quoted text has no end")
			}
			j++
			p.quoted = true
		case isWord(c):
			for j < len(t) && (isWord(t[j]) || t[j] == '.' && c >= '0' && c <= '9' && j+1 < len(t) && t[j+1] >= '0' && t[j+1] <= '9') {
				j++
			}
			p.name = true
		case j < len(t) && (t[i:j+1] == "**" || t[i:j+1] == "//" || t[i:j+1] == "==" || t[i:j+1] == "!=" || t[i:j+1] == "<=" || t[i:j+1] == ">="):
			j++
		}
		p.text = t[i:j]
		if p.text == "*" {
			return nil, errors.New("multiplication is not supported")
		}
		out = append(out, p)
		if len(out) > maxTagTokens {
			return nil, fmt.Errorf("an expression has more than %d parts", maxTagTokens)
		}
		i = j
	}
	return out, nil
}

func isWord(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

// rewriteTag rewrites the inside of a tag.
func rewriteTag(s segment) (string, error) {
	ps, err := lex(s.text)
	if err != nil {
		return "", err
	}
	if len(ps) == 0 {
		return "", errors.New("a tag is empty")
	}
	head := ""
	if s.kind == statement {
		head, ps = ps[0].text, ps[1:]
		switch head {
		case "for": // whose own "if" filters
			return rewritten(head, ps, false)
		case "set":
			for i, p := range ps {
				if p.text == "=" {
					head += " " + join(ps[:i+1])
					ps = ps[i+1:]
					break
				}
			}
		case "macro":
			return head + " " + join(ps), nil
		}
	}
	return rewritten(head, ps, true)
}

func rewritten(head string, ps []piece, conditional bool) (string, error) {
	text, err := rewrite(ps, conditional)
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(head + " " + text), nil
}

func join(ps []piece) string {
	var b strings.Builder
	for i, p := range ps {
		if i > 0 && (p.name || ps[i-1].name) && p.text != "." && ps[i-1].text != "." && p.text != "(" {
			b.WriteByte(' ')
		}
		b.WriteString(p.text)
	}
	return b.String()
}

// methodFilter is the filter that calls a method of any expression.
const methodFilter = "call_method"

// rewrite rewrites one expression. With conditional, an "if" in it is that of
// a conditional expression.
func rewrite(ps []piece, conditional bool) (string, error) {
	if conditional {
		if cond, other, found, err := conditionals(ps); err != nil {
			return "", err
		} else if found {
			return rewriteConditional(ps[:cond], ps[cond+1:], other-cond-1)
		}
	}
	var out []piece
	for i := 0; i < len(ps); i++ {
		p := ps[i]
		if n := len(out); p.text == "." && n > 0 && out[n-1].group && i+2 < len(ps) && ps[i+1].name && ps[i+2].text == "(" {
			end, err := closing(ps, i+2)
			if err != nil {
				return "", err
			}
			args, err := rewriteList(ps[i+3 : end])
			if err != nil {
				return "", err
			}
			if args != "" {
				args = ", " + args
			}
			// The engine calls methods of names only.
			out[n-1].text = "(" + out[n-1].text + "|" + methodFilter + "(\"" + ps[i+1].text + "\"" + args + "))"
			i = end
			continue
		}
		if p.quoted || strings.IndexByte("([{", p.text[0]) < 0 || len(p.text) != 1 {
			if n := len(out); p.quoted && n > 0 && out[n-1].quoted {
				out = append(out, piece{text: "~"}) // texts side by side are one
			}
			out = append(out, p)
			continue
		}
		end, err := closing(ps, i)
		if err != nil {
			return "", err
		}
		inside := ps[i+1 : end]
		if p.text == "[" && len(inside) == 2 && inside[0].text == "-" && inside[1].name && isOperand(out) {
			// The engine has negative slices, but no negative indexes.
			out = append(out, piece{text: "[-" + inside[1].text + ":][0]"})
			i = end
			continue
		}
		text, err := rewriteList(inside)
		if err != nil {
			return "", err
		}
		out = append(out, piece{text: p.text + text + ps[end].text, group: p.text == "(" && !isOperand(out)})
		i = end
	}
	return join(out), nil
}

// isOperand reports whether what ends with these pieces can be indexed.
func isOperand(ps []piece) bool {
	if len(ps) == 0 {
		return false
	}
	last := ps[len(ps)-1]
	switch last.text {
	case "in", "not", "and", "or", "is", "if", "else":
		return false
	}
	return last.name || last.quoted || strings.HasSuffix(last.text, ")") || strings.HasSuffix(last.text, "]")
}

// rewriteList rewrites the expressions between brackets, which ',', ':' and
// '=' part.
func rewriteList(ps []piece) (string, error) {
	var b strings.Builder
	start := 0
	for i := 0; i <= len(ps); i++ {
		if i < len(ps) {
			switch ps[i].text {
			case "(", "[", "{":
				end, err := closing(ps, i)
				if err != nil {
					return "", err
				}
				i = end
				continue
			case ",", ":", "=":
			default:
				continue
			}
		}
		text, err := rewrite(ps[start:i], true)
		if err != nil {
			return "", err
		}
		b.WriteString(text)
		if i < len(ps) {
			b.WriteString(ps[i].text)
			if ps[i].text != "=" {
				b.WriteByte(' ')
			}
		}
		start = i + 1
	}
	return b.String(), nil
}

// closing returns where the bracket that opens at i closes.
func closing(ps []piece, i int) (int, error) {
	depth := 0
	for j := i; j < len(ps); j++ {
		switch ps[j].text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return j, nil
			}
		}
	}
	return 0, errBrackets
}

// conditionals finds the first "if" outside brackets, and its "else", which
// is len(ps) if there is none.
func conditionals(ps []piece) (cond, other int, found bool, err error) {
	other = len(ps)
	for i := 0; i < len(ps); i++ {
		switch ps[i].text {
		case "(", "[", "{":
			if i, err = closing(ps, i); err != nil {
				return 0, 0, false, err
			}
		case ")", "]", "}":
			return 0, 0, false, errBrackets
		case "if":
			if !found {
				cond, found = i, true
			}
		case "else":
			if found {
				return cond, i, true, nil
			}
		}
	}
	return cond, other, found, nil
}

// rewriteConditional writes "value if cond else other" as a choice between
// lists of one: (((cond) and [value]) or [other])[0]. A list of one is true
// whatever it holds, and only the side that is chosen is evaluated.
func rewriteConditional(value, rest []piece, elseAt int) (string, error) {
	v, err := rewrite(value, true)
	if err != nil {
		return "", err
	}
	c, err := rewrite(rest[:elseAt], false)
	if err != nil {
		return "", err
	}
	o := `""`
	if elseAt < len(rest) {
		if o, err = rewrite(rest[elseAt+1:], true); err != nil {
			return "", err
		}
	}
	return "(((" + c + ") and [" + v + "]) or [" + o + "])[0]", nil
}
