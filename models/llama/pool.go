package llama

import (
	"runtime"
	"sync/atomic"
)

// A pool lets idle goroutines share the work of a pass. Several passes may
// use one pool: each takes the helpers that are idle when it asks, and does
// alone what no helper begins in time.
//
// The parts of a pass are short, some microseconds each, and waking a
// goroutine takes as long. So a helper that has worked looks for more for a
// moment before it sleeps.
type pool struct {
	helpers []*helper
	closed  atomic.Bool
	guard   func(func()) error // runs a helper's share; turns a fault into an error
}

// A helper is a goroutine with a place for one job.
type helper struct {
	job    atomic.Pointer[job] // offered, or the mark taken, or nil
	asleep atomic.Bool
	wake   chan struct{} // holds a token from when asleep turns false until the helper wakes
}

// taken marks a helper that has begun.
var taken = new(job)

// A job is a range of work cut into pieces of a grain. Its memory belongs to
// one pass and is used again.
type job struct {
	fn       func(worker, lo, hi int)
	n, grain int
	next     atomic.Int64 // first piece that nobody has taken
	ids      atomic.Int32 // workers so far
	running  atomic.Int32 // offers that are not done and not withdrawn
	failed   atomic.Pointer[error]
	share    func() // work, kept since to make a function value allocates
}

// A fault is the panic of a pass whose weights could not be read.
type fault struct{ err error }

// Loops that watch for something: looks before a helper sleeps, some 20
// microseconds, and between yields of the processor.
const (
	looksAwake = 1 << 14
	looksYield = 1 << 8
)

func newPool(workers int, guard func(func()) error) *pool {
	p := &pool{guard: guard}
	for range workers - 1 {
		h := &helper{wake: make(chan struct{}, 1)}
		p.helpers = append(p.helpers, h)
		go p.help(h)
	}
	return p
}

// close ends the helpers. No job may run.
func (p *pool) close() {
	p.closed.Store(true)
	for _, h := range p.helpers {
		h.rouse()
	}
}

// rouse wakes a helper if it sleeps.
func (h *helper) rouse() {
	if h.asleep.CompareAndSwap(true, false) {
		h.wake <- struct{}{}
	}
}

func (p *pool) help(h *helper) {
	for !p.closed.Load() {
		if j := h.watch(); j != nil {
			if err := p.guard(j.share); err != nil {
				lost := err // of its own, so that only faults allocate
				j.failed.Store(&lost)
			}
			h.job.Store(nil)
			j.running.Add(-1)
			continue
		}
		h.asleep.Store(true)
		if h.job.Load() != nil || p.closed.Load() {
			h.rouse() // what came meanwhile may not have seen it asleep
		}
		<-h.wake
	}
}

// watch returns a job that it has begun, or nil if none came for a while.
func (h *helper) watch() *job {
	for range looksAwake {
		if j := h.job.Load(); j != nil && h.job.CompareAndSwap(j, taken) {
			return j
		}
	}
	return nil
}

// run calls fn for ranges that together cover 0 to n-1, and returns when all
// are done. Calls may run at the same time; each has a worker number of its
// own below the number of workers. A range is grain long but for the last. It
// panics with a [fault] if a helper could not do its share.
func (p *pool) run(j *job, n, grain int, fn func(worker, lo, hi int)) {
	if len(p.helpers) == 0 || n <= grain {
		if n > 0 {
			fn(0, 0, n)
		}
		return
	}
	j.fn, j.n, j.grain = fn, n, grain
	if j.share == nil {
		j.share = j.work
	}
	j.next.Store(0)
	j.ids.Store(0)
	wanted := min(len(p.helpers), (n-1)/grain)
	offered := 0
	for _, h := range p.helpers {
		if offered == wanted {
			break
		}
		j.running.Add(1)
		if !h.job.CompareAndSwap(nil, j) {
			j.running.Add(-1)
			continue
		}
		h.rouse()
		offered++
	}
	defer p.settle(j) // after a panic too: helpers still use what the pass owns
	j.work()
}

// settle withdraws the offers that no helper has taken up, and waits for
// those that one has.
func (p *pool) settle(j *job) {
	for _, h := range p.helpers {
		if h.job.Load() == j && h.job.CompareAndSwap(j, nil) {
			j.running.Add(-1)
		}
	}
	for i := 1; j.running.Load() > 0; i++ {
		if i%looksYield == 0 {
			runtime.Gosched()
		}
	}
	if err := j.failed.Swap(nil); err != nil {
		panic(fault{*err})
	}
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
