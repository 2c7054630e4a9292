package run

import (
	"context"
	"testing"

	"logitscope/models"
)

// A closing model says that it is closed.
type closing struct {
	models.Model
	closed bool
}

func (m *closing) Close() error { m.closed = true; return nil }

// Nothing that uses a model begins once the program ends, and its end waits for
// what has begun before it closes the models.
func TestWorkEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b := newBackground(ctx)
	m := &closing{}
	b.Own(m)
	begun, over, went := make(chan struct{}), false, false
	go Work(b, func() (int, error) {
		close(begun)
		<-ctx.Done()
		over = !m.closed
		return 0, nil
	})()
	<-begun
	b.Go(func() { <-ctx.Done(); went = !m.closed })
	cancel()
	if b.End(); !over || !went || !m.closed {
		t.Errorf("work over before the models are closed: %v, %v; closed: %v", over, went, m.closed)
	}
	b.Go(func() { t.Error("it begins") })
	if _, err := Work(b, func() (int, error) { t.Error("it begins"); return 0, nil })(); err == nil {
		t.Error("no error says that it did not begin")
	}
}
