package engine

import "context"

// A Gate lets a fixed number of lanes run the model at once, first come first
// served, so that lanes on shared cores each get their turn. A nil Gate lets
// everybody through.
type Gate struct{ slots chan struct{} }

// NewGate returns a gate for n lanes at a time; n below 1 counts as 1.
func NewGate(n int) *Gate { return &Gate{make(chan struct{}, max(n, 1))} }

// enter waits for a place. It returns ctx's error if ctx ends first.
func (g *Gate) enter(ctx context.Context) error {
	if g == nil {
		return ctx.Err()
	}
	select {
	case g.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *Gate) leave() {
	if g != nil {
		<-g.slots
	}
}
