package tutor

import (
	"strings"

	"logitscope/engine/goal"
	"logitscope/engine/lesson"
	"logitscope/ui/tui/course"
	"logitscope/viz"
)

// A span is a piece of a row in one ink.
type span struct {
	text string
	ink  viz.Ink
}

// A row is one line of the pane.
type row struct {
	spans []span
	right string // at the right end, muted
}

// A sheet is text being set in rows of w cells.
type sheet struct {
	w     int
	ascii bool
	scene *goal.Scene // nil while the task is being set up
	rows  []row
}

// narrowest is how narrow a sheet may be, in cells.
const narrowest = 12

// mark is how far text stands from the glyph before it.
const mark = 2

// prose sets p, a blank row between its blocks but for items.
func (s *sheet) prose(p lesson.Prose, ink viz.Ink) {
	for i, b := range p {
		if i > 0 && (b.Kind != lesson.Item || p[i-1].Kind != lesson.Item) {
			s.blank()
		}
		switch b.Kind {
		case lesson.Code:
			for _, line := range b.Lines {
				s.code(line)
			}
		case lesson.Heading:
			s.wrap("", s.spans(b, ink.With(viz.Bold)))
		case lesson.Item:
			s.wrap("· ", s.spans(b, ink))
		default:
			s.wrap("", s.spans(b, ink))
		}
	}
}

// spans evaluates a block's expressions.
func (s *sheet) spans(b lesson.Block, ink viz.Ink) []span {
	var out []span
	for _, x := range b.Spans {
		switch {
		case x.Expr != nil && s.scene == nil:
			out = append(out, span{"…", ink})
		case x.Expr != nil:
			v := x.Expr.Eval(s.scene)
			said := v.Str // a text is wrapped as all words are
			if v.Kind != goal.Text || !v.Defined {
				said = course.Words(v, s.ascii)
			}
			out = append(out, span{said, ink.With(viz.Bold)})
		case x.Code || x.Emph:
			out = append(out, span{x.Text, ink.With(viz.Bold)})
		default:
			out = append(out, span{x.Text, ink})
		}
	}
	return out
}

// comment begins what is said about a line of code.
const comment = "#"

// code sets a line of code as it is, what is said about it muted.
func (s *sheet) code(line string) {
	line = viz.Cut(viz.Printable(strings.ReplaceAll(line, "\t", "    "), s.ascii), s.w-mark)
	said := ""
	if i := strings.Index(line, comment); i >= 0 {
		line, said = line[:i], line[i:]
	}
	s.rows = append(s.rows, row{spans: []span{{strings.Repeat(" ", mark) + line, viz.Ink{}}, {said, viz.Ink{Role: viz.Muted}}}})
}

func (s *sheet) blank() {
	if n := len(s.rows); n > 0 && len(s.rows[n-1].spans) > 0 {
		s.rows = append(s.rows, row{})
	}
}

// text sets plain words.
func (s *sheet) text(head, text string, ink viz.Ink) { s.wrap(head, []span{{text, ink}}) }

// wrap sets spans after head, broken at blanks; the rows after the first are
// indented by head.
func (s *sheet) wrap(head string, spans []span) {
	indent := strings.Repeat(" ", viz.Width(head))
	room := max(s.w-viz.Width(head), narrowest-mark)
	line := []span{{head, viz.Ink{}}}
	used := 0
	end := func() {
		s.rows = append(s.rows, row{spans: line})
		line, used = []span{{indent, viz.Ink{}}}, 0
	}
	for _, word := range wordsOf(spans, s.ascii) {
		n := 0
		for _, x := range word {
			n += viz.Width(x.text)
		}
		switch {
		case used > 0 && used+1+n > room:
			end()
		case used > 0:
			line = append(line, span{" ", viz.Ink{}})
			used++
		}
		for _, x := range word {
			for used+viz.Width(x.text) > room { // a word longer than a row
				head := viz.Cut(x.text, room-used)
				line = append(line, span{head, x.ink})
				x.text = x.text[len(head):]
				end()
			}
			line = append(line, x)
			used += viz.Width(x.text)
		}
	}
	s.rows = append(s.rows, row{spans: line})
}

// wordsOf parts spans at blanks; a word may change its ink inside.
func wordsOf(spans []span, ascii bool) [][]span {
	var out [][]span
	var word []span
	for _, x := range spans {
		text := viz.Printable(strings.ReplaceAll(x.text, "\n", "↵ "), ascii)
		for i, part := range strings.Split(text, " ") {
			if i > 0 && word != nil {
				out, word = append(out, word), nil
			}
			if part != "" {
				word = append(word, span{part, x.ink})
			}
		}
	}
	if word != nil {
		out = append(out, word)
	}
	return out
}

// draw draws rows from top on.
func draw(c *viz.Canvas, rows []row, top int) {
	for y := 0; y < c.H && top+y < len(rows); y++ {
		r := rows[top+y]
		x := 1
		for _, s := range r.spans {
			x = c.Put(x, y, s.text, s.ink)
		}
		if r.right != "" {
			c.Right(c.W-1, y, r.right, viz.Ink{Role: viz.Muted})
		}
	}
}
