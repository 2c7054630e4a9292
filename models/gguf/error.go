package gguf

import (
	"fmt"
	"strconv"
)

// An Error says what is wrong with a file and where.
type Error struct {
	File   string // as given to Open or Parse
	Field  string // such as "general.alignment" or "tensor \"output.weight\" offset"
	Offset int64  // byte in the file at which the field begins; negative if the field has no place
	Reason string
}

func (e *Error) Error() string {
	if e.Offset < 0 {
		return fmt.Sprintf("%s: %s: %s", e.File, e.Field, e.Reason)
	}
	return fmt.Sprintf("%s: %s at byte %d: %s", e.File, e.Field, e.Offset, e.Reason)
}

// maxShown is the longest piece of a file's own text that an error repeats.
const maxShown = 72

// show returns a file's own text fit for an error: one line, short, with
// every control character and invalid byte escaped.
func show(s string) string {
	cut := ""
	if len(s) > maxShown {
		s, cut = s[:maxShown], "…"
	}
	q := strconv.Quote(s)
	if cut == "" && q == `"`+s+`"` && s != "" {
		return s
	}
	return q + cut
}
