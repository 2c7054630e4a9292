package engine

import "sync"

// An inbox is an unbounded queue of commands with one reader.
type inbox struct {
	mu    sync.Mutex
	queue []Command
	ready chan struct{} // signalled after a put; capacity 1
}

func newInbox() inbox { return inbox{ready: make(chan struct{}, 1)} }

func (in *inbox) put(c Command) {
	in.mu.Lock()
	in.queue = append(in.queue, c)
	in.mu.Unlock()
	select {
	case in.ready <- struct{}{}:
	default:
	}
}

func (in *inbox) take() []Command {
	in.mu.Lock()
	defer in.mu.Unlock()
	q := in.queue
	in.queue = nil
	return q
}

// waiting reports whether a command is in the queue.
func (in *inbox) waiting() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return len(in.queue) > 0
}
