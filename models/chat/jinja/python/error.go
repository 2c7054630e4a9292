package python

import (
	"fmt"
)

// Kind says what an [Error] is about.
type Kind int

// The kinds of errors.
const (
	Syntax      Kind = iota // the source is not a template
	Failed                  // an operation that Python refuses too: a sum of a str and an int, an attribute of an undefined
	Raised                  // the template called raise_exception; Message has its own words
	Unsupported             // Jinja2 could, this package does not
	Exceeded                // a limit
)

// Error is what is wrong with a template, or with what it was given.
type Error struct {
	Kind    Kind
	Line    int // 1 for the first line of the source; 0 if unknown
	Message string
}

func (e *Error) Error() string {
	if e.Kind == Raised || e.Line == 0 {
		return e.Message
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Message)
}

// Caught turns a failure inside the package into an error.
func Caught(err *error) {
	switch p := recover().(type) {
	case nil:
	case *Error:
		*err = p
	case stopped:
		*err = p.error
	default:
		panic(p)
	}
}

// stopped is the context's error on its way out.
type stopped struct{ error }

// Fail ends what is under way with an error that Python would give too.
func Fail(format string, args ...any) {
	panic(&Error{Kind: Failed, Message: fmt.Sprintf(format, args...)})
}

// Refuse ends what is under way where Jinja2 could go on.
func Refuse(format string, args ...any) {
	panic(&Error{Kind: Unsupported, Message: fmt.Sprintf(format, args...) + " is not supported"})
}

// Exceed ends what is under way at a limit.
func Exceed(format string, args ...any) {
	panic(&Error{Kind: Exceeded, Message: fmt.Sprintf(format, args...)})
}
