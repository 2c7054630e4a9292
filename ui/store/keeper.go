package store

import "sync"

// A Keeper writes progress in the background, in order, so that whoever tells
// it never waits for the disk.
type Keeper struct {
	progress Progress
	wake     chan struct{}
	done     chan struct{}

	mu   sync.Mutex
	todo []func() error
	err  error // the first that came up
	end  bool
}

// NewKeeper returns a keeper of p. It must be closed.
func NewKeeper(p Progress) *Keeper {
	k := &Keeper{progress: p, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go k.run()
	return k
}

// Update does what [Progress.Update] does, later.
func (k *Keeper) Update(id, sha string, i int, change func(*TaskProgress)) {
	k.mu.Lock()
	k.todo = append(k.todo, func() error { return k.progress.Update(id, sha, i, change) })
	k.mu.Unlock()
	k.signal()
}

func (k *Keeper) signal() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

func (k *Keeper) run() {
	defer close(k.done)
	for range k.wake {
		for {
			f, end := k.next()
			if f == nil && end {
				return
			}
			if f == nil {
				break
			}
			if err := f(); err != nil {
				k.mu.Lock()
				if k.err == nil {
					k.err = err
				}
				k.mu.Unlock()
			}
		}
	}
}

// next takes what is to be done next, nil if there is nothing; end says that
// nothing more will come.
func (k *Keeper) next() (f func() error, end bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.todo) == 0 {
		return nil, k.end
	}
	f = k.todo[0]
	k.todo = k.todo[1:]
	return f, k.end
}

// Close waits until everything is written and returns the first error.
func (k *Keeper) Close() error {
	k.mu.Lock()
	k.end = true
	k.mu.Unlock()
	k.signal()
	<-k.done
	return k.err
}
