package constrain

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
	loop     bool // a schema refers back to itself
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

// A SpecError says what is wrong with a [Spec].
type SpecError struct {
	Field string // the field at fault, empty for the whole
	Msg   string
}

func (e *SpecError) Error() string { return "constraint: " + e.Bare() }

// Bare is what is wrong.
func (e *SpecError) Bare() string { return e.Msg }

func specError(field, format string, args ...any) *SpecError {
	return &SpecError{field, fmt.Sprintf(format, args...)}
}

// An Error is what is wrong with a constraint: a *SyntaxError, a *RefusedError
// or a *SpecError.
type Error interface {
	error
	// Bare is the text without the word constraint in front, for a line that
	// already says where the constraint comes from.
	Bare() string
}

// Bare is the text of an error, as bare as it comes; see [Error].
func Bare(err error) string {
	if e, ok := err.(Error); ok {
		return e.Bare()
	}
	return err.Error()
}

// Refusals turns any error of [Compile] or [Grammar.Bind] into a list: the
// refusals of a *RefusedError, or one entry with the keyword "syntax" that
// carries line and column. It returns nil for a nil error.
func Refusals(err error) []Refusal {
	switch e := err.(type) {
	case nil:
		return nil
	case *RefusedError:
		return e.Refusals
	case *SyntaxError:
		return []Refusal{{Keyword: "syntax", Reason: e.Bare()}}
	default:
		return []Refusal{{Reason: Bare(err)}}
	}
}

// refuse returns a RefusedError with a single entry.
func refuse(pointer, keyword, format string, args ...any) *RefusedError {
	return &RefusedError{Refusals: []Refusal{{pointer, keyword, fmt.Sprintf(format, args...)}}}
}

// syntaxAt returns a SyntaxError for a byte offset into text.
func syntaxAt(text string, offset int, format string, args ...any) *SyntaxError {
	offset = min(max(offset, 0), len(text))
	head := text[:offset]
	line := 1 + strings.Count(head, "\n")
	column := 1 + len([]rune(head[strings.LastIndexByte(head, '\n')+1:]))
	return &SyntaxError{Line: line, Column: column, Offset: offset, Msg: fmt.Sprintf(format, args...)}
}
