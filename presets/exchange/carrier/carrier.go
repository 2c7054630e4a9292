// Package carrier answers: what stands in a file, whoever's words it uses?
//
// JSON, Python and a shell's words are read into entries: a key, a value as
// data, the line it stands in. What is no data (a name, an expression) stays as
// the text it is. Nothing here knows an engine.
package carrier

import (
	"fmt"
	"strings"
)

// Unread is a value that would have been a setting, and why it is none.
type Unread struct {
	Line int
	Key  string
	Text string // the value as written
	Why  string // "a name, not read"
}

// WithLine is a key with its line: "top_k (line 3)".
func WithLine(key string, line int) string {
	if line == 0 {
		return key
	}
	return fmt.Sprintf("%s (line %d)", key, line)
}

// FirstUnreadable finds a name or an expression anywhere in a value.
func FirstUnreadable(v any) (Unreadable, bool) {
	switch v := v.(type) {
	case Unreadable:
		return v, true
	case []any:
		for _, x := range v {
			if u, ok := FirstUnreadable(x); ok {
				return u, true
			}
		}
	case Object:
		for _, e := range v {
			if u, ok := FirstUnreadable(e.Value); ok {
				return u, true
			}
		}
	}
	return Unreadable{}, false
}

// WhyUnreadable says what stands where a value should.
func WhyUnreadable(u Unreadable) string {
	switch {
	case u.Text == "":
		return "it has no value"
	case isName(u.Text):
		return "a name, not read"
	}
	return "an expression, not read"
}

func isName(s string) bool {
	for i, r := range s {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127
		if !letter && (i == 0 || r != '.' && (r < '0' || r > '9')) {
			return false
		}
	}
	return s != ""
}

// An Entry is one setting as a file gives it.
type Entry struct {
	Key   string // as the file spells it
	Value any    // nil, bool, json.Number, string, []any, Object or Unreadable
	Line  int    // from 1; 0 if unknown
	Text  string // the value as written, where the carrier has it
	Idle  bool   // it stands where nothing chooses tokens
	Ours  string // of a value to be written: the parameter
}

// Spread reports whether e stands for the members of something that could not
// be followed: **name.
func (e Entry) Spread() bool {
	_, dark := e.Value.(Unreadable)
	return dark && strings.HasPrefix(e.Key, "**")
}

// An Object is the members of a value that has some, in order.
type Object []Entry

// Unreadable stands for a value that is a name, an expression or a file
// elsewhere.
type Unreadable struct{ Text string }

// String is the value with its place: "line 6: top_p = DEFAULT_P: a name, not
// read".
func (u Unread) String() string {
	s := u.Key
	if u.Line > 0 {
		s = fmt.Sprintf("line %d: %s", u.Line, u.Key)
	}
	if u.Text != "" && u.Text != u.Key {
		s += " = " + u.Text
	}
	return s + ": " + u.Why
}
