package chat

import (
	"fmt"
	"regexp"
	"strings"
)

// The engine differs from Jinja2 in how it trims white space around tags. This
// file cuts a template into data and tags, trims, and puts it together again,
// its expressions rewritten, as a template that the engine reads as Jinja2
// would read the original.

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
