package cache

import (
	"context"
	"slices"
	"sync"
	"time"

	"logitscope/models"
)

// A reader reads a prompt in a session of its own, one pass after the other.
// Its passes may run on any goroutine, one at a time; all else belongs to the
// screen's.
type reader struct {
	ids    []int32
	done   int           // tokens read
	passes int           // over the weights
	size   int           // tokens of the largest pass
	took   time.Duration // in passes alone, without the pauses between them
	next   int           // tokens of the pass that is under way, 0 for none
	paused bool
	err    error

	now func() time.Time

	mu      sync.Mutex
	session models.Session
	running bool
	closed  bool
	stop    context.CancelFunc
	ctx     context.Context
}

// newReader returns a reader of ids on m that has not read anything yet.
func newReader(ctx context.Context, m models.Model, ids []int32, now func() time.Time) (*reader, error) {
	s, err := m.NewSession()
	if err != nil {
		return nil, err
	}
	r := &reader{ids: slices.Clone(ids), session: s, now: now}
	r.ctx, r.stop = context.WithCancel(ctx)
	return r, nil
}

// A pass is what one pass took.
type pass struct {
	tokens int
	took   time.Duration
}

// begin marks a pass of at most n tokens as under way and returns what runs it.
func (r *reader) begin(n int) func() (pass, error) {
	from := r.done
	r.next = min(n, len(r.ids)-from)
	part := r.ids[from : from+r.next]
	want := 0
	if from+r.next == len(r.ids) { // the last one gives the first token's row
		want = 1
	}
	return func() (pass, error) {
		if !r.enter() {
			return pass{}, context.Canceled
		}
		defer r.leave()
		start := r.now()
		_, err := r.session.Forward(r.ctx, part, want)
		return pass{len(part), r.now().Sub(start)}, err
	}
}

// take counts a pass that has ended.
func (r *reader) take(p pass, err error) {
	r.next = 0
	if err != nil {
		r.err = err
		return
	}
	r.done += p.tokens
	r.size = max(r.size, p.tokens)
	r.passes++
	r.took += p.took
}

func (r *reader) over() bool { return r.err != nil || r.done == len(r.ids) }

func (r *reader) enter() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.running = true
	return true
}

func (r *reader) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running = false
	if r.closed {
		r.session.Close()
	}
}

// close ends the reading; a pass under way closes the session when it ends.
func (r *reader) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	r.closed = true
	r.stop()
	if !r.running {
		r.session.Close()
	}
}

// withoutCache measures one token as it would be without a cache: all tokens
// are read for it.
func withoutCache(ctx context.Context, m models.Model, ids []int32, now func() time.Time) (time.Duration, error) {
	s, err := m.NewSession()
	if err != nil {
		return 0, err
	}
	defer s.Close()
	start := now()
	if _, err := s.Forward(ctx, ids, 1); err != nil {
		return 0, err
	}
	return now().Sub(start), nil
}
