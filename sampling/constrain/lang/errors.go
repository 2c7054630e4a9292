package lang

import (
	"fmt"
	"strings"
)

// A RefusedError says that a well-formed source asks for something that can
// not be enforced exactly, or that contradicts itself. Of a schema it lists
// every problem that was found.
type RefusedError struct {
	Refusals []Refusal
	schema   bool // the refusals are at places of a schema
	Loop     bool // a schema refers back to itself
}

// Bare lists the refusals in one line. Those of a schema, and others at a
// place of a JSON text, begin with a fragment, so that the name of a file may
// stand in front:
//
//	#/properties/age: "$dynamicRef" is not supported; #/allOf/1: minLength 5 and maxLength 3: nothing fits
func (e *RefusedError) Bare() string {
	lines := make([]string, len(e.Refusals))
	for i, r := range e.Refusals {
		if lines[i] = r.text(); e.schema || r.Pointer != "" {
			lines[i] = "#" + r.Pointer + ": " + lines[i]
		}
	}
	return strings.Join(lines, "; ")
}

// Error is the bare text where it begins with a place in a schema.
func (e *RefusedError) Error() string {
	if e.schema {
		return e.Bare()
	}
	return "constraint refused: " + e.Bare()
}

// predicates are the words with which a reason goes on from its keyword.
var predicates = []string{"is ", "has ", "must ", "allows ", "needs "}

// text is the reason with the keyword, unless the reason names it.
func (r Refusal) text() string {
	if r.Keyword == "" || strings.Contains(r.Reason, r.Keyword) {
		return r.Reason
	}
	for _, p := range predicates {
		if strings.HasPrefix(r.Reason, p) {
			return `"` + r.Keyword + `" ` + r.Reason
		}
	}
	return `"` + r.Keyword + `": ` + r.Reason
}

// A SyntaxError says where a source stopped making sense.
type SyntaxError struct {
	Line, Column int // counted from one, columns in code points
	Offset       int // bytes from the start
	Msg          string
}

func (e *SyntaxError) Error() string { return "constraint: " + e.Bare() }

// Bare is the place and what is wrong there.
func (e *SyntaxError) Bare() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Msg)
}

// Refuse returns a RefusedError with a single entry.
func Refuse(pointer, keyword, format string, args ...any) *RefusedError {
	return &RefusedError{Refusals: []Refusal{{pointer, keyword, fmt.Sprintf(format, args...)}}}
}

// SyntaxAt returns a SyntaxError for a byte offset into text.
func SyntaxAt(text string, offset int, format string, args ...any) *SyntaxError {
	offset = min(max(offset, 0), len(text))
	head := text[:offset]
	line := 1 + strings.Count(head, "\n")
	column := 1 + len([]rune(head[strings.LastIndexByte(head, '\n')+1:]))
	return &SyntaxError{Line: line, Column: column, Offset: offset, Msg: fmt.Sprintf(format, args...)}
}

// Clip shortens text quoted in a message.
func Clip(s string) string {
	r := []rune(s)
	if len(r) > 40 {
		return string(r[:37]) + "..."
	}
	return s
}

// EscapePointer writes a name as one step of a JSON pointer (RFC 6901).
func EscapePointer(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "~", "~0"), "/", "~1")
}

// InSchema marks a refusal as that of a schema, whose places are pointers.
func InSchema(err error) error {
	if r, ok := err.(*RefusedError); ok {
		r.schema = true
	}
	return err
}

// A Note is something worth saying about a source that compiled: a keyword
// that does not restrict the text, or a part that can never be used.
type Note struct {
	Pointer string // JSON pointer into a schema, empty for other sources
	Keyword string
	Text    string
}

// A Refusal is one reason why a source was not compiled.
type Refusal struct {
	Pointer string `json:"pointer"` // JSON pointer to the schema at fault ("" is its root)
	Keyword string `json:"keyword"` // the keyword or construct at fault
	Reason  string `json:"reason"`  // why, in one line
}
