package gguf

import (
	"fmt"
	"strconv"
	"strings"
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

// A place says what is being read. It becomes text only for an error.
type place struct {
	what  string // such as "magic", "key" or "tensor"; empty for the value of a named key
	name  string // the file's own name for it; empty if not known yet
	part  string // such as "offset"; may be empty
	index int    // number of the thing or, with a part, of the part; negative if there is none
}

func at(what string) place { return place{what: what, index: -1} }

func (p place) String() string {
	var words []string
	add := func(s string) {
		if s != "" {
			words = append(words, s)
		}
	}
	add(p.what)
	if p.name != "" || p.what == "" {
		add(show(p.name))
	} else if p.index >= 0 {
		add(strconv.Itoa(p.index))
	}
	add(p.part)
	if p.name != "" && p.index >= 0 {
		add(strconv.Itoa(p.index))
	}
	return strings.Join(words, " ")
}

// of returns the place of a part, and of its number if it has one.
func (p place) of(part string, index int) place {
	p.part, p.index = part, index
	return p
}
