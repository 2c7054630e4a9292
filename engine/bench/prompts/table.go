package prompts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// table reads RFC 4180 with a header: columns with the name of a field are
// that field, all others are variables.
func (s *Set) table(in *lines, comma byte, f visit) error {
	t := tableReader{in: in, comma: comma}
	header, line, err := t.record()
	if err == io.EOF {
		return nil
	}
	if err == nil {
		err = checkHeader(header)
	}
	if err != nil {
		return fmt.Errorf("line %d: %w", line, err)
	}
	for number := 1; ; number++ {
		cells, line, err := t.record()
		if err == io.EOF {
			return nil
		}
		if t.broken != nil {
			return t.broken
		}
		var p Prompt
		if err == nil {
			p, err = s.row(header, cells)
		}
		if p.ID == "" {
			p.ID = strconv.Itoa(number)
		}
		p.Line = line
		if err := f(p, line, err); err != nil {
			return err
		}
	}
}

// checkHeader trims the names of columns and refuses a header that makes no
// prompts.
func checkHeader(header []string) error {
	seen := map[string]bool{}
	for i := range header {
		h := strings.TrimSpace(header[i])
		switch header[i] = h; {
		case h == "":
			return fmt.Errorf("column %d has no name", i+1)
		case seen[h]:
			return fmt.Errorf("column %s stands twice", strconv.Quote(h))
		}
		seen[h] = true
	}
	if !seen["prompt"] && !seen["messages"] && !seen["tokens"] {
		return errors.New("the header must name a column prompt, messages or tokens")
	}
	return nil
}

// row reads the cells of a record.
func (s *Set) row(header, cells []string) (Prompt, error) {
	if len(cells) != len(header) {
		return Prompt{}, fmt.Errorf("has %d cells; must be %d, as the header", len(cells), len(header))
	}
	r := record{given: map[string]bool{}}
	prompt := false
	for i, h := range header {
		cell := cells[i]
		read, isField := fields[h]
		switch {
		case !isField || h == "vars":
			r.Vars = append(r.Vars, Var{h, cell})
			continue
		case h == "prompt":
			prompt = true
		}
		if cell == "" {
			continue
		}
		r.given[h] = true
		var err error
		switch h {
		case "messages", "tokens":
			err = read(&r, json.RawMessage(strings.TrimSpace(cell)))
		case "tags":
			for _, tag := range strings.FieldsFunc(cell, func(c rune) bool { return c == ',' || c == ';' }) {
				if tag = strings.TrimSpace(tag); tag != "" {
					r.Tags = append(r.Tags, tag)
				}
			}
		case "expect":
			if t := strings.TrimSpace(cell); t != "" && strings.ContainsRune(`{["`, rune(t[0])) {
				if r.expect = json.RawMessage(t); !json.Valid(r.expect) {
					err = fmt.Errorf("%s: not JSON", strconv.Quote(t))
				}
			} else {
				r.short = cell
			}
		default:
			text, _ := json.Marshal(cell)
			err = read(&r, text)
		}
		if err != nil {
			return Prompt{}, fmt.Errorf("%s: %w", h, err)
		}
	}
	if prompt && !r.given["messages"] && !r.given["tokens"] {
		r.given["prompt"] = true // an empty prompt is one
	}
	return s.finish(&r)
}

// A tableReader reads records, each of one line or, with quotes, of several.
type tableReader struct {
	in     *lines
	comma  byte
	broken error // why the file cannot be read on
}

// record returns the next record that is not a blank line, and the line it begins
// at. What is wrong with it is an error, and the next call goes on after it;
// io.EOF is the end.
func (t *tableReader) record() (cells []string, line int, err error) {
	var text []byte
	for {
		text, _, err = t.in.next()
		switch {
		case err == io.EOF:
			return nil, 0, io.EOF
		case err != nil && err != errLong:
			t.broken = err
		}
		if err != nil {
			return nil, t.in.n, err
		}
		if len(bytes.TrimSpace(text)) > 0 {
			break
		}
	}
	line = t.in.n
	cells, err = t.cells(text)
	if err == nil {
		for _, c := range cells {
			if !utf8.ValidString(c) {
				return nil, line, errUTF8
			}
		}
	}
	return cells, line, err
}

// cells parts a record. Quoted cells may go on in the lines that follow.
func (t *tableReader) cells(text []byte) (cells []string, err error) {
	size := len(text)
	for {
		if len(text) == 0 || text[0] != '"' {
			end := bytes.IndexByte(text, t.comma)
			cell := text
			if end >= 0 {
				cell = text[:end]
			}
			if bytes.IndexByte(cell, '"') >= 0 {
				err = errors.New("a quote inside a cell without quotes")
			}
			cells = append(cells, string(cell))
			if end < 0 {
				return cells, err
			}
			text = text[end+1:]
			continue
		}
		var cell []byte
		text = text[1:]
		for {
			end := bytes.IndexByte(text, '"')
			if end < 0 {
				cell = append(append(cell, text...), '\n')
				more, _, e := t.in.next()
				if size += len(more) + 1; size > MaxPrompt && e == nil {
					e = errLong
				}
				if e == io.EOF {
					return nil, errors.New("a quote that is never closed")
				}
				if e != nil && e != errLong {
					t.broken = e
				}
				if e != nil {
					return nil, e
				}
				text = more
				continue
			}
			cell = append(cell, text[:end]...)
			text = text[end+1:]
			if len(text) == 0 || text[0] != '"' {
				break
			}
			cell = append(cell, '"')
			text = text[1:]
		}
		cells = append(cells, string(cell))
		switch {
		case len(text) == 0:
			return cells, err
		case text[0] == t.comma:
			text = text[1:]
			continue
		}
		err = errors.New("text after a closing quote")
		end := bytes.IndexByte(text, t.comma)
		if end < 0 {
			return cells, err
		}
		text = text[end+1:]
	}
}
