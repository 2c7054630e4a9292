package run

import (
	"context"
	"sync"
	"testing"

	"logitscope/engine"
)

// Nothing that uses a model begins once the program ends, and its end waits for
// what has begun.
func TestWorkEnds(t *testing.T) {
	var wg sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	lanes := New(ctx, &wg, nil, engine.Draft{}, 0, false)
	begun, over := make(chan struct{}), false
	go Work(lanes, func() (int, error) {
		close(begun)
		<-ctx.Done()
		over = true
		return 0, nil
	})()
	<-begun
	cancel()
	if lanes.Wait(); !over {
		t.Error("the end did not wait")
	}
	if _, err := Work(lanes, func() (int, error) { t.Error("it begins"); return 0, nil })(); err == nil {
		t.Error("no error says that it did not begin")
	}
}
