package python

import (
	"context"
	"time"
)

// Limits of any value.
const (
	MaxValues = 500 // lists and dicts inside each other
	MaxDigits = 4300
)

// Run is one run of a template: the time it is, where it stands, and the
// steps and bytes that are left to it.
type Run struct {
	Ctx          context.Context
	Now          time.Time
	Line         int   // of what is under way
	Steps, Bytes int64 // that are left
}

// Step counts a step.
func (st *Run) Step() { st.Work(1) }

// Work counts n steps.
func (st *Run) Work(n int) {
	before := st.Steps
	st.Steps -= int64(n)
	if st.Steps < 0 {
		Exceed("the template takes too many steps")
	}
	if before>>12 != st.Steps>>12 {
		if err := st.Ctx.Err(); err != nil {
			panic(stopped{err})
		}
	}
}

// Alloc counts n bytes that the template makes.
func (st *Run) Alloc(n int) {
	st.Bytes -= int64(n)
	if n < 0 || st.Bytes < 0 {
		Exceed("the template makes too many bytes of text and lists")
	}
	st.Work(n >> 7)
}

// Text counts a text that was made.
func (st *Run) Text(s string) string {
	st.Alloc(len(s))
	return s
}

// Room refuses beforehand what would have n·m bytes.
func (st *Run) Room(n, m int) {
	if n > 0 && m > 0 && (int64(n) > st.Bytes || int64(m) > st.Bytes/int64(n)) {
		Exceed("the template makes too many bytes of text and lists")
	}
}
