package score

import (
	"context"
	"runtime"
	"sync"

	"logitscope/models"
)

// cacheRoom is how many bytes the caches of all windows may take together.
const cacheRoom = 512 << 20

// atOnce is how many of n windows are read at a time, by workers like w.
// Settings that carry a state from token to token need the window before; a
// model that is not here, or whose caches are large, is asked one window at a
// time.
func (w *worker) atOnce(n int) int {
	most := min(n, runtime.GOMAXPROCS(0))
	laws, sessions := []*Law{&w.in.Law}, []models.Session{w.mine}
	if w.in.Against != nil {
		laws = append(laws, w.in.Against)
	}
	if w.its != nil {
		sessions = append(sessions, w.its)
	}
	for _, l := range laws {
		if l.Pipeline.Carries() {
			return 1
		}
	}
	bytes := int64(0)
	for _, s := range sessions {
		k, here := s.(models.KVSizer)
		if !here {
			return 1
		}
		_, full := k.KVBytes()
		bytes += full
	}
	return max(min(most, int(cacheRoom/max(bytes, 1))), 1)
}

// A task is a window to be read, and where its tokens go: there is room for
// all of them, so that a worker never waits.
type task struct {
	window
	out chan part
}

// A part is a token that was read, or why no more come.
type part struct {
	t   Token
	err error
}

// read reads the windows and gives their tokens to each in order.
func (r *reader) read(ctx context.Context, all []window, each func(Token) error) error {
	if len(all) == 0 {
		return nil
	}
	first, err := r.worker()
	if err != nil {
		return err
	}
	if n := first.atOnce(len(all)); n > 1 {
		return r.parallel(ctx, all, n, first, each)
	}
	defer first.close()
	for _, win := range all {
		if err := first.window(ctx, win, each); err != nil {
			return err
		}
	}
	return nil
}

// parallel reads n windows at a time, of which the first worker has been made.
func (r *reader) parallel(ctx context.Context, all []window, n int, first *worker, each func(Token) error) error {
	ctx, stop := context.WithCancel(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer stop()
	tasks := make(chan task)
	order := make(chan task, n) // windows begun and not yet given to each
	group.Go(func() {
		defer close(tasks)
		defer close(order)
		for _, win := range all {
			t := task{win, make(chan part, win.to-win.from+1)}
			select {
			case order <- t:
			case <-ctx.Done():
				return
			}
			select {
			case tasks <- t:
			case <-ctx.Done():
				return
			}
		}
	})
	for i := range n {
		w := first
		if i > 0 {
			var err error
			if w, err = r.worker(); err != nil {
				return err
			}
		}
		group.Go(func() {
			defer w.close()
			for t := range tasks {
				if err := w.window(ctx, t.window, func(tok Token) error { t.out <- part{t: tok}; return nil }); err != nil {
					t.out <- part{err: err}
				}
				close(t.out)
			}
		})
	}
	for t := range order {
		for n := t.from; n < t.to; n++ {
			select {
			case p, more := <-t.out:
				if !more {
					return context.Cause(ctx)
				}
				if p.err != nil {
					return p.err
				}
				if err := each(p.t); err != nil {
					return err
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return ctx.Err()
}
