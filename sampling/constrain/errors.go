package constrain

import (
	"fmt"
)

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

// Refusals turns any error of [Compile] or of Bind into a list: the
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
