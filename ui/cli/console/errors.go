package console

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"logitscope/viz"
)

// Exit codes.
const (
	ExitDone        = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitInterrupted = 130
)

// Complain writes err; what several checks found at once stays one line each.
// What a file or a flag brought along reaches the terminal as visible escapes,
// line ends too.
func Complain(w io.Writer, err error) {
	for _, e := range Each(err) {
		fmt.Fprintln(w, "logitscope: "+bounded(viz.OneLine(strings.TrimSpace(e.Error()), false)))
	}
}

// Each returns the errors that are joined in err, or err alone. What wraps
// them stands before the first.
func Each(err error) (list []error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok && err.Error() == errors.Join(joined.Unwrap()...).Error() {
		for _, e := range joined.Unwrap() {
			list = append(list, Each(e)...)
		}
		return list
	}
	if inner := errors.Unwrap(err); inner != nil {
		before, same := strings.CutSuffix(err.Error(), inner.Error())
		if list = Each(inner); same && len(list) > 1 {
			list[0] = fmt.Errorf("%s%w", before, list[0])
			return list
		}
	}
	return []error{err}
}

// longestLine bounds a line of an error: what a file or a flag brought along
// may be of any length, and what is wrong with it stands around it.
const longestLine = 1000

// bounded takes the middle out of a line that is too long.
func bounded(line string) string {
	r := []rune(line)
	if len(r) <= longestLine {
		return line
	}
	const side = longestLine/2 - 20
	return fmt.Sprintf("%s … %d characters … %s", string(r[:side]), len(r)-2*side, string(r[len(r)-side:]))
}

// A UsageError is a wrong use of the command line.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }

func (e *UsageError) Unwrap() error { return e.Err }

// Wrong is a wrong use of the command line, in the words of fmt.Errorf.
func Wrong(format string, args ...any) error { return &UsageError{fmt.Errorf(format, args...)} }

// Wrongly marks err, if there is one, as a wrong use.
func Wrongly(err error) error {
	if err == nil {
		return nil
	}
	return &UsageError{err}
}

// An ExitError ends the program with a code of its own; what there was to say
// has been said.
type ExitError struct{ Code int }

func (e *ExitError) Error() string { return fmt.Sprintf("exit %d", e.Code) }
