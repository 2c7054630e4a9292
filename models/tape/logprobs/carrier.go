package logprobs

import (
	"errors"
	"fmt"
	"strings"
)

// An Error says where a file is wrong.
type Error struct {
	Line int    // from 1; 0 if it has no place
	Path string // in the value of that line; may be empty
	Err  error
}

func (e *Error) Error() string {
	s := e.Err.Error()
	if e.Path != "" {
		s = e.Path + ": " + s
	}
	if e.Line > 0 {
		s = fmt.Sprintf("line %d: %s", e.Line, s)
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// An item is one JSON value of a file.
type item struct {
	value
	line   int
	path   string // of the value inside a list, such as [2]
	stream bool   // of server-sent events
}

// carry takes a file apart: one value, a list of values, one a line, or
// server-sent events.
func carry(data string) ([]item, error) {
	data = strings.TrimPrefix(data, "\xef\xbb\xbf")
	lead := strings.TrimLeft(data, " \t\r\n")
	if lead == "" {
		return nil, &Error{Err: errors.New("the file is empty")}
	}
	for _, field := range []string{"data:", "event:", ":", "id:", "retry:"} {
		if strings.HasPrefix(lead, field) {
			return events(data)
		}
	}
	p := parser{s: data, line: 1}
	p.space()
	from := p.line
	v, err := p.value(0)
	if err == nil {
		end := p.at
		if p.space(); p.at == len(data) {
			return flat(v, from), nil
		}
		if !strings.ContainsRune(data[end:p.at], '\n') {
			return nil, &Error{Line: p.line, Err: errors.New("more after the JSON value")}
		}
		return lines(data)
	}
	if line := firstBad(data); line > 0 {
		return nil, &Error{Line: line, Err: err}
	}
	return nil, &Error{Line: p.line, Err: err}
}

// flat returns the values of a list, or v alone.
func flat(v value, line int) []item {
	if v.kind != list {
		return []item{{value: v, line: line}}
	}
	var out []item
	for i, x := range v.items {
		out = append(out, item{value: x, line: line, path: fmt.Sprintf("[%d]", i)})
	}
	return out
}

// whole reads a line that must be one value.
func whole(s string) (value, error) {
	p := parser{s: s}
	v, err := p.value(0)
	if err == nil {
		if p.space(); p.at < len(s) {
			err = errors.New("more after the JSON value")
		}
	}
	return v, err
}

func lines(data string) ([]item, error) {
	var out []item
	for n, s := range strings.Split(data, "\n") {
		if strings.TrimSpace(s) == "" {
			continue
		}
		v, err := whole(s)
		if err != nil {
			return nil, &Error{Line: n + 1, Err: err}
		}
		out = append(out, flat(v, n+1)...)
	}
	return out, nil
}

// firstBad returns the first line that is not a value where another one is an
// object by itself: a file with a value on each line, one of them cut. It is 0
// for a file of another kind.
func firstBad(data string) int {
	bad, good := 0, false
	for n, s := range strings.Split(data, "\n") {
		if strings.TrimSpace(s) == "" {
			continue
		}
		v, err := whole(s)
		switch {
		case err != nil && bad == 0:
			bad = n + 1
		case err == nil && v.kind == object && len(v.keys) > 1:
			good = true
		}
		if bad > 0 && good {
			return bad
		}
	}
	return 0
}

// events reads server-sent events, one value each.
func events(data string) ([]item, error) {
	var out []item
	for n, s := range strings.Split(data, "\n") {
		body, ok := strings.CutPrefix(strings.TrimRight(s, "\r"), "data:")
		body = strings.TrimSpace(body)
		if !ok || body == "" || body == "[DONE]" {
			if !ok && !comment(s) {
				return nil, &Error{Line: n + 1, Err: errors.New("not a line of server-sent events")}
			}
			continue
		}
		v, err := whole(body)
		if err != nil {
			return nil, &Error{Line: n + 1, Err: err}
		}
		if v.kind != null {
			out = append(out, item{value: v, line: n + 1, stream: true})
		}
	}
	return out, nil
}

// comment reports whether a line of an event stream says nothing of a token.
func comment(s string) bool {
	s = strings.TrimSpace(s)
	for _, field := range []string{":", "event:", "id:", "retry:"} {
		if strings.HasPrefix(s, field) {
			return true
		}
	}
	return s == ""
}
