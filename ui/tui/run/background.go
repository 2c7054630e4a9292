package run

import (
	"context"
	"sync"

	"logitscope/models"
)

// A Background is the work beside the screen's goroutine, and the models that
// the screen opened for it. It ends with Ctx; the program waits for that.
type Background struct {
	Ctx context.Context

	mu    sync.Mutex // guards ended
	ended bool       // nothing more begins
	begun sync.WaitGroup
	owned []models.Model
}

// newBackground returns one without work that ends with ctx.
func newBackground(ctx context.Context) *Background { return &Background{Ctx: ctx} }

// begin counts one more piece of work; it reports false once the end has begun.
func (b *Background) begin() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return false
	}
	b.begun.Add(1)
	return true
}

// Go runs f on a goroutine of its own, unless the end has begun.
func (b *Background) Go(f func()) {
	if b.begin() {
		go func() {
			defer b.begun.Done()
			f()
		}()
	}
}

// Work makes f part of what the end of the program waits for, since f uses a
// model, which is closed then. Once that end has begun, f does not begin.
func Work[R any](b *Background, f func() (R, error)) func() (R, error) {
	return func() (r R, err error) {
		if err := b.Ctx.Err(); err != nil {
			return r, err
		}
		if !b.begin() {
			return r, context.Canceled
		}
		defer b.begun.Done()
		return f()
	}
}

// Own leaves it to the end to close m.
func (b *Background) Own(m models.Model) { b.owned = append(b.owned, m) }

// End waits for all that was begun and closes the models, which nothing may use
// then. Ctx must have ended; nothing begins from now on.
func (b *Background) End() {
	b.mu.Lock()
	b.ended = true
	b.mu.Unlock()
	b.begun.Wait()
	for _, m := range b.owned {
		m.Close()
	}
	b.owned = nil
}
