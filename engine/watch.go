package engine

import "sync"

// watchers are told of every view a lane publishes, on the lane's goroutine.
type watchers struct {
	mu   sync.Mutex
	last *View
	list map[int]func(View)
	next int
}

// add calls f with the newest view, if there is one, and with every later one
// until the function it returns is called. f must not block.
func (w *watchers) add(f func(View)) (stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.list == nil {
		w.list = make(map[int]func(View))
	}
	id := w.next
	w.next++
	w.list[id] = f
	if w.last != nil {
		f(*w.last)
	}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.list, id)
	}
}

func (w *watchers) tell(v View) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = &v
	for _, f := range w.list {
		f(v)
	}
}
