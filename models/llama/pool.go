package llama

import (
	"sync"
	"sync/atomic"
)

// A pool lets idle goroutines share the work of a pass. Its helpers sleep
// while there is nothing to do. Several passes may use one pool: a pass takes
// the helpers that are idle when it asks, and goes on alone if none is.
type pool struct {
	jobs    chan *job
	helpers int
}

// A job is a range of work cut into pieces of a grain. Its memory belongs to
// one pass and is used again.
type job struct {
	fn       func(worker, lo, hi int)
	n, grain int
	next     atomic.Int64 // first piece that nobody has taken
	ids      atomic.Int32 // workers so far
	wg       sync.WaitGroup
}

func newPool(workers int) *pool {
	p := &pool{jobs: make(chan *job), helpers: workers - 1}
	for range p.helpers {
		go func() {
			for j := range p.jobs {
				j.work()
				j.wg.Done()
			}
		}()
	}
	return p
}

func (p *pool) close() { close(p.jobs) }

// run calls fn for ranges that together cover 0 to n-1, and returns when all
// are done. Calls may run at the same time; each has a worker number of its
// own below the number of workers. A range is a multiple of grain long but
// for the last.
func (p *pool) run(j *job, n, grain int, fn func(worker, lo, hi int)) {
	if p.helpers == 0 || n <= grain {
		if n > 0 {
			fn(0, 0, n)
		}
		return
	}
	j.fn, j.n, j.grain = fn, n, grain
	j.next.Store(0)
	j.ids.Store(0)
	wanted := min(p.helpers, (n-1)/grain)
ask:
	for range wanted {
		j.wg.Add(1)
		select {
		case p.jobs <- j: // a helper is waiting: it begins at once
		default:
			j.wg.Done()
			break ask
		}
	}
	j.work()
	j.wg.Wait()
}

func (j *job) work() {
	worker := int(j.ids.Add(1)) - 1
	for {
		lo := int(j.next.Add(int64(j.grain))) - j.grain
		if lo >= j.n {
			return
		}
		j.fn(worker, lo, min(lo+j.grain, j.n))
	}
}
