package chat

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"time"

	"github.com/nikolalohinski/gonja/v2/exec"
)

// state is what one rendering may still use.
type state struct {
	deadline time.Time
	now      time.Time
	maxValue int // size of any value
	written  int // bytes that may still be written, to any buffer
	depth    int // macros under way

	raised  *Error // what raise_exception said
	stopped error  // the bound that was met
}

func newState(inputSize int, opt Options) *state {
	timeout := opt.Timeout
	if timeout <= 0 {
		timeout = defaultTimeout
	}
	now := opt.Now
	if now.IsZero() {
		now = time.Now()
	}
	return &state{
		deadline: time.Now().Add(timeout),
		now:      now,
		maxValue: maxValue + 4*inputSize,
		written:  maxWritten + 8*inputSize,
	}
}

// stop records why rendering ends, and returns it.
func (st *state) stop(err error) error {
	if st.stopped == nil {
		st.stopped = err
	}
	return st.stopped
}

// step is called wherever a template does something that it can repeat.
func (st *state) step() error {
	if st.stopped != nil {
		return st.stopped
	}
	if time.Now().After(st.deadline) {
		return st.stop(errors.New("takes too long"))
	}
	return nil
}

// admit refuses a value that has become too large.
func (st *state) admit(v any) error {
	if err := st.step(); err != nil {
		return err
	}
	left := st.maxValue
	if !measure(reflect.ValueOf(v), &left, 0) {
		return st.stop(fmt.Errorf("a value is larger than %d", st.maxValue))
	}
	return nil
}

// admitted passes a value on, or the error that it is too large.
func (st *state) admitted(v *exec.Value) *exec.Value {
	if v == nil || v.IsError() {
		return v
	}
	if err := st.admit(v); err != nil {
		return exec.AsValue(err)
	}
	return v
}

// maxNesting is how deep values may lie in values: what prints them is
// recursive.
const maxNesting = 60

// measure takes the size of v, as it would be written out, from left. It
// reports false as soon as that is used up, so that a value which holds
// itself is found out too.
func measure(v reflect.Value, left *int, depth int) bool {
	*left--
	if *left < 0 || depth > maxNesting {
		return false
	}
	if v.IsValid() && v.CanInterface() {
		switch x := v.Interface().(type) {
		case *exec.Value:
			return x == nil || !x.Val.IsValid() || measure(x.Val, left, depth)
		case exec.Value:
			return !x.Val.IsValid() || measure(x.Val, left, depth)
		}
	}
	switch v.Kind() {
	case reflect.String:
		*left -= v.Len()
	case reflect.Interface, reflect.Pointer:
		return v.IsNil() || measure(v.Elem(), left, depth+1)
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if !measure(v.Index(i), left, depth+1) {
				return false
			}
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			if !measure(it.Key(), left, depth+1) || !measure(it.Value(), left, depth+1) {
				return false
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if !measure(v.Field(i), left, depth+1) {
				return false
			}
		}
	}
	return *left >= 0
}

// writer passes on what a template writes, as far as the state allows.
type writer struct {
	to io.Writer
	st *state
}

func (w *writer) Write(p []byte) (int, error) {
	if err := w.st.step(); err != nil {
		return 0, err
	}
	if w.st.written -= len(p); w.st.written < 0 {
		return 0, w.st.stop(errors.New("writes too much"))
	}
	return w.to.Write(p)
}

// guarded returns r with its output bounded, if it is not yet: the engine
// gives macros and blocks buffers of their own.
func (st *state) guarded(r *exec.Renderer) *exec.Renderer {
	if _, ok := r.Output.(*writer); ok {
		return r
	}
	sub := *r
	sub.Output = &writer{r.Output, st}
	return &sub
}
