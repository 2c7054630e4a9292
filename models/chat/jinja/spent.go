package jinja

import (
	"context"
	"time"
)

// Limits of any value.
const (
	maxValues = 500 // lists and dicts inside each other
	maxDigits = 4300
)

// spent is one run of a template: the time it is, where it stands, and the
// steps and bytes that are left to it.
type spent struct {
	ctx          context.Context
	now          time.Time
	line         int   // of what is under way
	steps, bytes int64 // that are left
}

// step counts a step.
func (st *spent) step() { st.work(1) }

// work counts n steps.
func (st *spent) work(n int) {
	before := st.steps
	st.steps -= int64(n)
	if st.steps < 0 {
		exceed("the template takes too many steps")
	}
	if before>>12 != st.steps>>12 {
		if err := st.ctx.Err(); err != nil {
			panic(stopped{err})
		}
	}
}

// alloc counts n bytes that the template makes.
func (st *spent) alloc(n int) {
	st.bytes -= int64(n)
	if n < 0 || st.bytes < 0 {
		exceed("the template makes too many bytes of text and lists")
	}
	st.work(n >> 7)
}

// text counts a text that was made.
func (st *spent) text(s string) string {
	st.alloc(len(s))
	return s
}

// room refuses beforehand what would have n·m bytes.
func (st *spent) room(n, m int) {
	if n > 0 && m > 0 && (int64(n) > st.bytes || int64(m) > st.bytes/int64(n)) {
		exceed("the template makes too many bytes of text and lists")
	}
}
