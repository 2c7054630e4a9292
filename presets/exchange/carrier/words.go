package carrier

import (
	"fmt"
	"strings"
)

// IsEnd reports whether c ends a line.
func IsEnd(c byte) bool { return c == '\n' || c == '\r' }

// A Word is one word of a command line, as a shell passes it on.
type Word struct {
	Text    string
	Line    int    // the line it began on
	Dark    string // as written, where a variable or a command stands in it; "" otherwise
	quoted  bool   // some of it stood in quotes
	Control bool   // a newline, ; | & between commands
}

// SplitWords splits shell source into words: quotes, backslashes, continued
// lines and comments. first is the line it begins on.
func SplitWords(text string, first int) ([]Word, error) {
	s := shellSplitter{text: text, line: first}
	for s.i < len(text) {
		if err := s.step(); err != nil {
			return nil, err
		}
	}
	s.flush()
	return s.out, nil
}

type shellSplitter struct {
	text    string
	i, line int
	out     []Word
	b       strings.Builder
	cur     Word
	in      bool
	dark    bool
	begin   int
}

func (s *shellSplitter) flush() {
	if !s.in {
		return
	}
	s.cur.Text = s.b.String()
	if s.dark {
		s.cur.Dark = s.text[s.begin:s.i]
	}
	s.out = append(s.out, s.cur)
	s.b.Reset()
	s.cur, s.in, s.dark = Word{}, false, false
}

func (s *shellSplitter) start() {
	if !s.in {
		s.in, s.begin = true, s.i
		s.cur.Line = s.line
	}
}

func (s *shellSplitter) step() error {
	c := s.text[s.i]
	switch {
	case c == '\\' && s.i+1 < len(s.text):
		n := 2
		if strings.HasPrefix(s.text[s.i+1:], "\r\n") {
			n = 3
		}
		if s.text[s.i+n-1] == '\n' {
			s.i += n
			s.line++
			return nil
		}
		s.start()
		s.b.WriteByte(s.text[s.i+1])
		s.i += 2
	case c == '$' && strings.HasPrefix(s.text[s.i+1:], "'"):
		s.start()
		return s.ansi()
	case c == '\'' || c == '"':
		s.start()
		return s.quote(c)
	case c == '#' && !s.in:
		for s.i < len(s.text) && s.text[s.i] != '\n' {
			s.i++
		}
	case c == ' ' || c == '\t' || c == '\r':
		s.flush()
		s.i++
	case c == '\n' || c == ';' || c == '|' || c == '&':
		s.flush()
		s.out = append(s.out, Word{Text: string(c), Line: s.line, Control: true})
		if c == '\n' {
			s.line++
		}
		s.i++
	default:
		s.start()
		if c == '$' || c == '`' {
			s.dark = true
		}
		s.b.WriteByte(c)
		s.i++
	}
	return nil
}

// quote reads text in quotes.
func (s *shellSplitter) quote(q byte) error {
	at := s.line
	s.cur.quoted = true
	for s.i++; s.i < len(s.text); s.i++ {
		c := s.text[s.i]
		switch {
		case c == q:
			s.i++
			return nil
		case c == '\\' && q == '"' && s.i+1 < len(s.text) && strings.IndexByte("\"\\$`\n", s.text[s.i+1]) >= 0:
			s.i++
			if s.text[s.i] == '\n' {
				s.line++
			} else {
				s.b.WriteByte(s.text[s.i])
			}
		default:
			if c == '\n' {
				s.line++
			}
			if q == '"' && (c == '$' || c == '`') {
				s.dark = true
			}
			s.b.WriteByte(c)
		}
	}
	return fmt.Errorf("line %d: the quote %c is never closed", at, q)
}

// ansi reads $'…', whose escapes the shell processes.
func (s *shellSplitter) ansi() error {
	at := s.line
	s.cur.quoted = true
	for s.i += 2; s.i < len(s.text); s.i++ {
		c := s.text[s.i]
		switch {
		case c == '\'':
			s.i++
			return nil
		case c == '\\' && s.i+1 < len(s.text):
			s.i++
			if plain, ok := SimpleEscapes[s.text[s.i]]; ok {
				s.b.WriteByte(plain)
			} else {
				s.b.WriteString(s.text[s.i-1 : s.i+1])
			}
		default:
			if c == '\n' {
				s.line++
			}
			s.b.WriteByte(c)
		}
	}
	return fmt.Errorf("line %d: the quote ' is never closed", at)
}

// ShellWord writes a word so that a shell reads it back.
func ShellWord(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=+,@%", r))
	}) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Commands splits words where one command ends.
func Commands(words []Word) [][]Word {
	var out [][]Word
	var cur []Word
	for _, w := range words {
		if w.Control {
			if len(cur) > 0 {
				out = append(out, cur)
			}
			cur = nil
			continue
		}
		cur = append(cur, w)
	}
	if len(cur) > 0 {
		out = append(out, cur)
	}
	return out
}

// Joined is a command as one line.
func Joined(words []Word) string {
	parts := make([]string, len(words))
	for i, w := range words {
		parts[i] = ShellWord(w.Text)
		if w.Dark != "" {
			parts[i] = w.Dark
		}
	}
	return strings.Join(parts, " ")
}
