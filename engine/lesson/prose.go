package lesson

import (
	"errors"
	"strings"

	"logitscope/engine/goal"
)

// A Prose is text to show: blocks in order.
type Prose []Block

// A BlockKind is what a block is.
type BlockKind uint8

const (
	Paragraph BlockKind = iota
	Item                // of a list
	Heading             // a small one
	Code                // lines as they are
)

// A Block is a paragraph, an item of a list, a small heading, or code.
type Block struct {
	Kind  BlockKind
	Lang  string   // of code: text python json sql gbnf, or empty
	Lines []string // of code
	Spans []Span   // of all others; a line's end in the file is a blank
}

// A Span is a part of a line.
type Span struct {
	Text string
	Code bool       // between backquotes
	Emph bool       // between stars
	Expr *goal.Expr // in its place; Text is its source
}

// exprs returns the expressions of p in order.
func (p Prose) exprs() []*goal.Expr {
	var list []*goal.Expr
	for _, b := range p {
		for _, s := range b.Spans {
			if s.Expr != nil {
				list = append(list, s.Expr)
			}
		}
	}
	return list
}

// A line is a line of the file.
type line struct {
	n    int // from 1
	text string
}

var (
	errOpenBrace = errors.New("the brace { is not closed on this line; {{ is a brace in a text")
	errLoneBrace = errors.New("a lone brace }; }} is a brace in a text")
)

// prose reads lines of text.
func (r *reader) prose(lines []line) Prose {
	var out Prose
	open := false // the last block goes on
	for _, l := range lines {
		text := strings.TrimSpace(l.text)
		switch kind, rest := shapeOf(text); {
		case text == "":
			open = false
		case kind == Paragraph && open:
			b := &out[len(out)-1]
			b.Spans = append(b.Spans, Span{Text: " "})
			b.Spans = append(b.Spans, r.spans(l.n, text)...)
		default:
			out = append(out, Block{Kind: kind, Spans: r.spans(l.n, rest)})
			open = kind != Heading
		}
	}
	return out
}

// shapeOf returns what a line begins, and its text without the mark.
func shapeOf(text string) (BlockKind, string) {
	if rest, ok := strings.CutPrefix(text, "- "); ok {
		return Item, strings.TrimSpace(rest)
	}
	if rest := strings.TrimLeft(text, "#"); len(text)-len(rest) >= 3 && strings.HasPrefix(rest, " ") {
		return Heading, strings.TrimSpace(rest)
	}
	return Paragraph, text
}

// spans reads the text of one line.
func (r *reader) spans(n int, text string) []Span {
	var out []Span
	var plain strings.Builder
	flush := func() {
		if plain.Len() > 0 {
			out = append(out, Span{Text: plain.String()})
			plain.Reset()
		}
	}
	for len(text) > 0 {
		take := 1
		switch c := text[0]; {
		case c == '`':
			ticks := len(text) - len(strings.TrimLeft(text, "`"))
			end := closing(text[ticks:], ticks)
			if end < 0 {
				plain.WriteString(text[:ticks])
				take = ticks
				break
			}
			flush()
			out = append(out, Span{Text: text[ticks : ticks+end], Code: true})
			take = end + 2*ticks
		case strings.HasPrefix(text, "{{"), strings.HasPrefix(text, "}}"):
			plain.WriteByte(c)
			take = 2
		case c == '{':
			end := goal.Close(text[1:])
			if end < 0 {
				r.fault(n, errOpenBrace)
				return out
			}
			flush()
			if e := r.expr(n, text[1:1+end]); e != nil {
				out = append(out, Span{Text: text[1 : 1+end], Expr: e})
			}
			take = end + 2
		case c == '}':
			r.fault(n, errLoneBrace)
			return out
		case c == '*':
			end := strings.IndexByte(text[1:], '*')
			if end < 1 || text[1] == ' ' || text[end] == ' ' || strings.ContainsAny(text[1:1+end], "{}`") {
				plain.WriteByte(c)
				break
			}
			flush()
			out = append(out, Span{Text: text[1 : 1+end], Emph: true})
			take = end + 2
		default:
			plain.WriteByte(c)
		}
		text = text[take:]
	}
	flush()
	return out
}

// closing returns where the next run of exactly n backquotes begins in s, -1
// if there is none.
func closing(s string, n int) int {
	for i := 0; i < len(s); {
		at := strings.IndexByte(s[i:], '`')
		if at < 0 {
			return -1
		}
		i += at
		run := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
		if run == n {
			return i
		}
		i += run
	}
	return -1
}
