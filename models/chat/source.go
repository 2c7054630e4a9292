package chat

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// The engine differs from Jinja2 in how it trims white space around tags, and
// it knows neither negative indexes nor conditional expressions inside others.
// This file rewrites a template into one that the engine reads as Jinja2 would
// read the original.

// segment is a stretch of a template.
type segment struct {
	kind        segmentKind
	text        string // data, or what stands between the marks of a tag
	left, right byte   // '-' or '+' beside a mark, or 0
	line        int
}

type segmentKind uint8

const (
	data segmentKind = iota
	statement
	expression
	comment
	rawData // between {% raw %} and {% endraw %}
)

// prepare rewrites a template. Its errors name the line.
func prepare(template string) (string, error) {
	template = strings.ReplaceAll(template, "\r\n", "\n")
	template = strings.TrimSuffix(template, "\n") // as Jinja2 has it
	segs, err := split(template)
	if err != nil {
		return "", err
	}
	trim(segs)
	var b strings.Builder
	for _, s := range segs {
		switch s.kind {
		case data:
			if bare, found := strings.CutSuffix(s.text, "{"); found { // or it would be part of a tag that follows
				b.WriteString(bare + `{{ "{" }}`)
			} else {
				b.WriteString(s.text)
			}
		case rawData:
			b.WriteString("{% raw %}" + s.text + "{% endraw %}")
		case statement, expression:
			text, err := rewriteTag(s)
			if err != nil {
				return "", fmt.Errorf("line %d: %w", s.line, err)
			}
			if s.kind == statement {
				b.WriteString("{% " + text + " %}")
			} else {
				b.WriteString("{{ " + text + " }}")
			}
		}
	}
	return b.String(), nil
}

// split cuts a template into data and tags.
func split(t string) ([]segment, error) {
	var segs []segment
	line := 1
	add := func(s segment, raw string) {
		s.line = line
		segs = append(segs, s)
		line += strings.Count(raw, "\n")
	}
	for t != "" {
		open := nextOpen(t)
		if open < 0 {
			add(segment{kind: data, text: t}, t)
			break
		}
		if open > 0 {
			add(segment{kind: data, text: t[:open]}, t[:open])
			t = t[open:]
		}
		s, n, err := readTag(t)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		if s.kind == statement && strings.TrimSpace(s.text) == "raw" {
			body, after, endN := findEndRaw(t[n:])
			if endN < 0 {
				return nil, fmt.Errorf("line %d: raw without endraw", line)
			}
			begin := segment{kind: comment, left: s.left, right: s.right}
			add(begin, t[:n])
			add(segment{kind: rawData, text: body}, body)
			add(after, t[n+len(body):n+endN])
			t = t[n+endN:]
			continue
		}
		add(s, t[:n])
		t = t[n:]
	}
	return segs, nil
}

// nextOpen returns where the next tag begins, or -1.
func nextOpen(t string) int {
	for i := 0; i+1 < len(t); i++ {
		if t[i] == '{' && (t[i+1] == '%' || t[i+1] == '{' || t[i+1] == '#') {
			return i
		}
	}
	return -1
}

// readTag reads the tag at the start of t and returns its length.
func readTag(t string) (segment, int, error) {
	s := segment{kind: statement}
	end := "%}"
	switch t[1] {
	case '{':
		s.kind, end = expression, "}}"
	case '#':
		s.kind, end = comment, "#}"
	}
	at := 2
	if at < len(t) && (t[at] == '-' || t[at] == '+') {
		s.left = t[at]
		at++
	}
	stop := -1
	if s.kind == comment {
		if i := strings.Index(t[at:], end); i >= 0 {
			stop = at + i
		}
	} else {
		stop = tagEnd(t, at, end)
	}
	if stop < 0 {
		return s, 0, fmt.Errorf("a tag that begins with %q has no end", t[:2])
	}
	s.text = t[at:stop]
	if n := len(s.text); n > 0 && (s.text[n-1] == '-' || s.text[n-1] == '+') {
		s.right = s.text[n-1]
		s.text = s.text[:n-1]
	}
	return s, stop + len(end), nil
}

// tagEnd returns where the end mark of a tag is, past quoted texts and open
// braces.
func tagEnd(t string, at int, end string) int {
	depth := 0
	for i := at; i < len(t); i++ {
		switch c := t[i]; {
		case c == '\'' || c == '"':
			if i = quoteEnd(t, i); i < 0 {
				return -1
			}
		case depth == 0 && strings.HasPrefix(t[i:], end):
			return i
		case c == '{':
			depth++
		case c == '}' && depth > 0:
			depth--
		}
	}
	return -1
}

// quoteEnd returns where the text that is quoted at t[i] ends, at its quote.
func quoteEnd(t string, i int) int {
	for j := i + 1; j < len(t); j++ {
		switch t[j] {
		case '\\':
			j++
		case t[i]:
			return j
		}
	}
	return -1
}

var endRaw = regexp.MustCompile(`\{%([-+]?)\s*endraw\s*([-+]?)%\}`)

// findEndRaw finds the endraw tag in t: the text before it, the tag as a
// segment for trimming, and where it ends; -1 if there is none.
func findEndRaw(t string) (body string, tag segment, end int) {
	m := endRaw.FindStringSubmatchIndex(t)
	if m == nil {
		return "", segment{}, -1
	}
	mark := func(from, to int) byte {
		if from == to {
			return 0
		}
		return t[from]
	}
	return t[:m[0]], segment{kind: comment, left: mark(m[2], m[3]), right: mark(m[4], m[5])}, m[1]
}

const white = " \t\n\r\f\v"

// trim removes the white space that tags swallow: all of it beside a '-', the
// indent before a statement or comment that begins a line, and the line break
// after one.
func trim(segs []segment) {
	for i := range segs {
		s := &segs[i]
		if s.kind == data || s.kind == rawData {
			continue
		}
		block := s.kind != expression
		if i > 0 && (segs[i-1].kind == data || segs[i-1].kind == rawData) {
			before := &segs[i-1]
			switch {
			case s.left == '-':
				before.text = strings.TrimRight(before.text, white)
			case s.left == 0 && block:
				bare := strings.TrimRight(before.text, " \t")
				if strings.HasSuffix(bare, "\n") || bare == "" && i == 1 {
					before.text = bare
				}
			}
		}
	}
	for i := range segs {
		s := &segs[i]
		if s.kind == data || s.kind == rawData || i+1 == len(segs) {
			continue
		}
		if after := &segs[i+1]; after.kind == data || after.kind == rawData {
			switch {
			case s.right == '-':
				after.text = strings.TrimLeft(after.text, white)
			case s.right == 0 && s.kind != expression:
				after.text = strings.TrimPrefix(after.text, "\n")
			}
		}
	}
}

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
