package console

import (
	"context"
	"io"
)

// Within returns what f does, or ctx's error if ctx ends first: then f goes on
// unheard until the program ends. It is for work that does not look at ctx,
// such as compiling a constraint.
func Within[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		v, err := f()
		done <- outcome{v, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// An interruptible is a reader whose Read returns when ctx ends, although
// nothing came: a terminal or a pipe can keep a program waiting for ever.
type interruptible struct {
	ctx  context.Context
	from io.Reader
	part chan part // what a Read in the background found
	busy bool      // one is under way
	rest part
}

// A part is the outcome of one Read.
type part struct {
	data []byte
	err  error
}

// NewInterruptible returns a reader of from whose Read ends when ctx does.
func NewInterruptible(ctx context.Context, from io.Reader) io.Reader {
	return &interruptible{ctx: ctx, from: from, part: make(chan part, 1)}
}

// Read reads on in the background, into memory of its own: after ctx ended p
// belongs to the caller again, and the background may still wait.
func (r *interruptible) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if len(r.rest.data) == 0 && r.rest.err == nil {
		if !r.busy {
			r.busy = true
			buf := make([]byte, min(max(len(p), 512), 1<<16))
			go func() {
				n, err := r.from.Read(buf)
				r.part <- part{buf[:n], err}
			}()
		}
		select {
		case r.rest = <-r.part:
			r.busy = false
		case <-r.ctx.Done():
			return 0, r.ctx.Err()
		}
	}
	n := copy(p, r.rest.data)
	r.rest.data = r.rest.data[n:]
	if len(r.rest.data) > 0 {
		return n, nil
	}
	err := r.rest.err
	if n > 0 && err == io.EOF {
		err = nil // the next Read says so
	}
	return n, err
}
