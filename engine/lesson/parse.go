package lesson

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"logitscope/engine/goal"
)

// A reader reads one file.
type reader struct {
	names  Names
	file   string
	lesson *Lesson
	faults []Fault

	task      int       // the one being read, 0 before the first
	predicted goal.Kind // of the task
	seen      map[string]int
}

// Parse reads a lesson. name is the file's, for faults before the id is known.
// The lesson is nil if there are faults; they are in the order of lines.
func Parse(src []byte, name string, names Names) (*Lesson, []Fault) {
	r := &reader{names: names, file: name, lesson: &Lesson{Model: Model{Name: Fable}}, seen: map[string]int{}}
	if n, err := unreadable(src); err != nil {
		r.fault(n, err)
		return nil, r.faults
	}
	sum := sha256.Sum256(src)
	text := strings.ReplaceAll(strings.TrimPrefix(string(src), "\uFEFF"), "\r\n", "\n")
	r.lesson.Sum, r.lesson.Source = hex.EncodeToString(sum[:]), text
	r.read(text)
	if len(r.faults) > 0 {
		slices.SortStableFunc(r.faults, func(a, b Fault) int { return a.Line - b.Line })
		for i := range r.faults {
			r.faults[i].Lesson = r.id()
		}
		return nil, r.faults
	}
	return r.lesson, nil
}

func (r *reader) id() string {
	if r.lesson.ID != "" {
		return r.lesson.ID
	}
	return r.file
}

// unreadable returns what keeps a file from being read at all, and its line.
func unreadable(src []byte) (int, error) {
	if len(src) > MaxBytes {
		return 1, fmt.Errorf("larger than %d KiB", MaxBytes/1024)
	}
	lineAt := func(i int) int { return 1 + bytes.Count(src[:i], []byte("\n")) }
	if !utf8.Valid(src) {
		i := 0
		for i < len(src) {
			c, n := utf8.DecodeRune(src[i:])
			if c == utf8.RuneError && n == 1 {
				break
			}
			i += n
		}
		return lineAt(i), errors.New("not valid UTF-8")
	}
	for i, c := range string(src) {
		crlf := c == '\r' && i+1 < len(src) && src[i+1] == '\n'
		if acts(c) && !crlf {
			return lineAt(i), fmt.Errorf("the control character U+%04X must not stand in a lesson", c)
		}
	}
	return 0, nil
}

// acts reports whether a character may not stand in a file: controls but tab
// and newline, and those that turn the direction of writing for others.
func acts(c rune) bool {
	return c < ' ' && c != '\t' && c != '\n' || c >= 0x7f && c <= 0x9f || c >= 0x202a && c <= 0x202e || c >= 0x2066 && c <= 0x2069
}

func (r *reader) fault(line int, err error) {
	r.faults = append(r.faults, Fault{Lesson: r.id(), Task: r.task, Line: line, Why: oneLine(err.Error())})
}

func (r *reader) faultf(line int, format string, args ...any) {
	r.fault(line, fmt.Errorf(format, args...))
}

// oneLine makes what an error says fit for one line.
func oneLine(s string) string {
	var b strings.Builder
	for _, c := range s {
		switch {
		case c == '\n':
			b.WriteString("; ")
		case acts(c) || c == '\t' || c == 0x2028 || c == 0x2029:
			fmt.Fprintf(&b, `\u%04X`, c)
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// A fenced is a block as it stands in the file.
type fenced struct {
	n          int // the line of its opening fence
	word, name string
	lines      []line
}

// A part is what belongs to one task, or to the file before the first one.
type part struct {
	title  string
	n      int  // the line of its heading
	cut    bool // a block in it is not closed, so that its end is not known
	text   []line
	codes  map[int]Block // code by its index in text
	blocks []fenced
}

var codeWords = []string{"", "text", "python", "json", "sql", "gbnf"}

// read reads the whole text.
func (r *reader) read(text string) {
	var lines []line
	for i, s := range strings.Split(text, "\n") {
		lines = append(lines, line{i + 1, s})
	}
	lines, ok := r.title(lines)
	if !ok {
		return
	}
	parts, whole := r.split(lines)
	r.task = 0
	r.top(parts[0], len(parts) > 1, parts)
	for i, p := range parts[1:] {
		r.task = i + 1
		r.readTask(p)
	}
	r.task = 0
	if len(parts) == 1 && whole && len(r.faults) == 0 {
		r.faultf(1, "no task: a lesson has at least one heading with ##")
	}
}

// title takes the title. Without one there is nothing to read if the file is
// blank.
func (r *reader) title(lines []line) ([]line, bool) {
	for i, l := range lines {
		if strings.TrimSpace(l.text) == "" {
			continue
		}
		if words, ok := heading(l.text, "# "); ok {
			r.lesson.Title = words
			return lines[i+1:], true
		}
		r.faultf(l.n, "no title: the first line that is not blank must be # and words")
		return lines[i:], true
	}
	r.faultf(1, "no title: the file is empty")
	return nil, false
}

func heading(text, mark string) (string, bool) {
	rest, ok := strings.CutPrefix(text, mark)
	rest = strings.TrimSpace(rest)
	return rest, ok && rest != ""
}

// split parts the file at the headings of tasks. whole is false if a block is
// not closed, so that the rest of the file is not known.
func (r *reader) split(lines []line) (parts []*part, whole bool) {
	p := &part{codes: map[int]Block{}}
	parts = append(parts, p)
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		if words, ok := heading(l.text, "## "); ok {
			r.task = len(parts)
			if r.task > MaxTasks {
				r.faultf(l.n, "more than %d tasks", MaxTasks)
				return parts, false
			}
			p = &part{title: words, n: l.n, codes: map[int]Block{}}
			parts = append(parts, p)
			continue
		}
		if _, ok := heading(l.text, "# "); ok {
			if r.lesson.Title != "" {
				r.faultf(l.n, "a second title: a lesson has one")
			}
			continue
		}
		ticks, info, ok := fence(l.text)
		if !ok {
			p.text = append(p.text, l)
			continue
		}
		end := i + 1
		for end < len(lines) && !closes(lines[end].text, ticks) {
			end++
		}
		if end == len(lines) {
			r.faultf(l.n, "the block %s is not closed: want %s on a line of its own", goal.Shown(info), strings.Repeat("`", min(ticks, 20)))
			p.cut = true
			return parts, false
		}
		word, name, _ := strings.Cut(info, " ")
		b := fenced{n: l.n, word: word, name: strings.TrimSpace(name), lines: lines[i+1 : end]}
		if slices.Contains(codeWords, word) {
			p.codes[len(p.text)] = codeBlock(b)
			p.text = append(p.text, line{n: l.n})
		} else {
			p.blocks = append(p.blocks, b)
			p.text = append(p.text, line{n: l.n}) // a paragraph ends here
		}
		i = end
	}
	return parts, true
}

func codeBlock(b fenced) Block {
	c := Block{Kind: Code, Lang: b.word}
	for _, l := range b.lines {
		c.Lines = append(c.Lines, l.text)
	}
	return c
}

// fence reads an opening fence: how many backquotes it has and what stands
// after them.
func fence(text string) (ticks int, info string, ok bool) {
	rest := strings.TrimLeft(text, "`")
	ticks = len(text) - len(rest)
	return ticks, strings.TrimSpace(rest), ticks >= 3 && !strings.Contains(rest, "`")
}

// closes reports whether a line closes a fence of that many backquotes.
func closes(text string, ticks int) bool {
	rest := strings.TrimLeft(text, "`")
	return len(text)-len(rest) >= ticks && strings.TrimSpace(rest) == ""
}

// body reads the text of a part, with its code in between.
func (r *reader) body(p *part) Prose {
	var out Prose
	from := 0
	for i := range p.text {
		c, ok := p.codes[i]
		if !ok {
			continue
		}
		out = append(append(out, r.prose(p.text[from:i])...), c)
		from = i + 1
	}
	return append(out, r.prose(p.text[from:])...)
}

// expr reads an expression at a line; nil if it has a fault.
func (r *reader) expr(n int, src string) *goal.Expr {
	e, err := goal.Parse(src, goal.Names{Predicted: r.predicted, Value: r.value, Views: Opens, Exports: r.names.Exports})
	if err != nil {
		r.fault(n, err)
		return nil
	}
	r.quote(n, e.Tokens(), false)
	return e
}

// quote keeps texts that must each be a token.
func (r *reader) quote(n int, texts []string, pin bool) {
	for _, t := range texts {
		r.lesson.Quotes = append(r.lesson.Quotes, Quote{Task: max(r.task, 1), Line: n, Text: t, Pin: pin})
	}
}
