package llama

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func unguarded(f func()) error {
	f()
	return nil
}

// TestPool: every element of a range is done once, by a worker that does one
// thing at a time, however many jobs run.
func TestPool(t *testing.T) {
	for _, workers := range []int{1, 2, 5} {
		p := newPool(workers, unguarded)
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				var j job
				busy := make([]atomic.Bool, workers)
				for n := range 200 {
					done := make([]atomic.Int32, n)
					p.run(&j, n, 1+n%7, func(worker, lo, hi int) {
						if busy[worker].Swap(true) {
							t.Errorf("worker %d does two things", worker)
						}
						for i := lo; i < hi; i++ {
							done[i].Add(1)
						}
						busy[worker].Store(false)
					})
					for i := range done {
						if done[i].Load() != 1 {
							t.Errorf("%d workers: element %d of %d done %d times", workers, i, n, done[i].Load())
						}
					}
					if n%50 == 0 {
						time.Sleep(time.Millisecond) // lets the helpers fall asleep
					}
				}
			})
		}
		wg.Wait()
		p.close()
	}
}

// TestPoolShares: helpers do take part, asleep or not.
func TestPoolShares(t *testing.T) {
	p := newPool(2, unguarded)
	defer p.close()
	for round := range 4 {
		var j job
		var other atomic.Bool
		p.run(&j, 2, 1, func(worker, _, _ int) {
			if worker == 1 {
				other.Store(true)
			}
			for end := time.Now().Add(5 * time.Second); !other.Load() && time.Now().Before(end); {
				time.Sleep(time.Millisecond)
			}
		})
		if !other.Load() {
			t.Errorf("round %d: the helper did nothing", round)
		}
		time.Sleep(time.Duration(round) * time.Millisecond)
	}
}

// TestPoolEnds: closing ends the helpers, asleep or not.
func TestPoolEnds(t *testing.T) {
	for round := range 3 {
		p := newPool(3, unguarded)
		ended := make(chan bool, 2)
		for range 2 {
			h := &helper{wake: make(chan struct{}, 1)}
			p.helpers = append(p.helpers, h)
			go func() { p.help(h); ended <- true }()
		}
		time.Sleep(time.Duration(round) * time.Millisecond)
		p.close()
		for range 2 {
			select {
			case <-ended:
			case <-time.After(5 * time.Second):
				t.Fatalf("round %d: a helper goes on", round)
			}
		}
	}
}

// TestPoolFault: what a helper cannot do is a panic of the pass, after which
// the pool goes on.
func TestPoolFault(t *testing.T) {
	lost := errors.New("lost")
	joined := make(chan bool)
	p := newPool(2, func(share func()) error {
		joined <- true // and does nothing
		return lost
	})
	defer p.close()
	var j job
	for range 3 {
		func() {
			defer func() {
				if f, ok := recover().(fault); !ok || f.err != lost {
					t.Errorf("recovered %v, want the error of the helper", f)
				}
			}()
			p.run(&j, 2, 1, func(_, lo, _ int) {
				if lo == 0 {
					<-joined
				}
			})
		}()
	}
	p.guard = unguarded
	var n atomic.Int32
	p.run(&j, 4, 1, func(int, int, int) { n.Add(1) })
	if n.Load() != 4 {
		t.Errorf("after a fault %d of 4 pieces are done", n.Load())
	}
}
