package remote

import (
	"context"
	"slices"
	"sync"
	"time"

	"logitscope/models"
)

// Rows that are likely to be wanted are asked for before they are: the server
// goes on by itself, and its rows are taken as they arrive for as long as it
// takes the same tokens as the caller. What a server prints for a row costs it
// the same either way, but a request of its own costs more, and client and server
// work at once.

// How far one request looks ahead. Where rows arrive one by one, the server makes
// about two in vain after a wrong guess; that is less than a request costs unless rows
// are slow, so guesses need only be right more often than worthAsking. Elsewhere,
// all of them must be.
const (
	worthAsking = 0.6
	mostBest    = 63 // rows beyond the first, by the most probable tokens
	mostDrawn   = 15 // the same, by draws
	mostWhole   = 16 // the same, of an answer that comes as a whole
	mostSlow    = 3  // the same, where a wrong guess costs slow rows
	slowRow     = 5 * time.Millisecond
)

// unread is how many rows may lie unread before no further request is made.
const unread = 4

// A foresight is what a session knows about looking ahead.
type foresight struct {
	ahead   models.Ahead
	streams bool          // rows arrive one by one
	right   [2]float64    // how often guesses were right of late, by best token and by draw
	next    int32         // the guess at the token that follows the row handed out last, or NoToken
	each    time.Duration // that was waited for the last row that the server made by itself
}

func newForesight(streams bool) foresight {
	return foresight{streams: streams, next: models.NoToken, right: [2]float64{0, 0.95}}
}

// SetAhead makes the session a [models.Lookahead].
func (s *session) SetAhead(a models.Ahead) { s.foresight.ahead = a }

// draws reports whether guesses are made by draws.
func (s *session) draws() bool { return s.m.draws && drawn(s.foresight.ahead) }

func drawn(a models.Ahead) bool { return len(a.Draws) > 0 && !a.Greedy }

// sort is the index in f.right of the guesses that are made now.
func (f *foresight) sort() int {
	if drawn(f.ahead) {
		return 1
	}
	return 0
}

// rows returns how many rows beyond the first to ask for with one request.
func (f *foresight) rows() int {
	right, most := f.right[f.sort()], mostBest
	if drawn(f.ahead) {
		most = min(mostDrawn, len(f.ahead.Draws)-1)
	}
	if !f.streams {
		most = min(most, mostWhole)
	}
	most = max(0, min(most, f.ahead.Rows))
	switch slow := f.each > slowRow; {
	case f.ahead.Greedy, f.streams && !slow && right >= worthAsking:
		return most
	case slow:
		most = min(most, mostSlow)
	}
	n := 0
	for p := right; n < most && p >= worthAsking; p *= right {
		n++
	}
	return n
}

// expect notes the row that is handed out, and with it the guess at the token
// that follows: the server's own where it was free to choose.
func (f *foresight) expect(r *Row, free bool) {
	switch {
	case free:
		f.next = r.Chosen
	case !drawn(f.ahead) && len(r.IDs) > 0:
		f.next = r.IDs[0]
	default:
		f.next = models.NoToken
	}
}

// see notes the token that was taken. Where no guess was made they are trusted
// again little by little.
func (f *foresight) see(token int32) {
	right := &f.right[f.sort()]
	switch {
	case f.next == models.NoToken:
		*right += (1 - *right) / 64
	case f.next == token:
		*right += (1 - *right) / 16
	default:
		*right -= *right / 16
	}
	f.next = models.NoToken
}

// A run is a server that goes on by itself: it takes a token of each row and
// sends the next. One request makes some rows; as its last one arrives, the next
// request begins, without waiting for the caller, while it is known how the
// tokens will be drawn.
type run struct {
	m      *server
	grid   *grid
	by     Query // what requests have in common
	ctx    context.Context
	cancel context.CancelFunc
	rows   chan *Row // closed after the last
	spare  chan *Row // those that are not needed any more
	err    error     // why rows ended early, once it is closed
	all    sync.WaitGroup

	at   int // tokens that the row taken last follows
	last *Row

	mu    sync.Mutex
	ahead models.Ahead // as it was at the row after from tokens
	from  int
	most  int // rows beyond the first of a request
}

// begin makes the server go on from q.Tokens.
func (s *session) begin(ctx context.Context, q Query) *run {
	r := &run{m: s.m, grid: &s.grid, by: q, rows: make(chan *Row, unread), spare: s.spare, at: len(q.Tokens)}
	r.foresee(s.foresight.ahead, len(q.Tokens), q.Ahead)
	r.ctx, r.cancel = context.WithCancel(context.WithoutCancel(ctx))
	q.Tokens = slices.Clone(q.Tokens)
	r.all.Go(func() { r.request(q, nil) })
	return r
}

// abandon ends the run, if there is one.
func (s *session) abandon() {
	if r := s.run; r != nil {
		r.cancel()
		r.all.Wait()
		s.run = nil
	}
}

// foresee says how to go on from the row after from tokens.
func (r *run) foresee(a models.Ahead, from, most int) {
	r.mu.Lock()
	r.ahead, r.from, r.most = a, from, most
	r.mu.Unlock()
}

// request makes one request of the run. before is closed when the one before it
// has ended; nil means that there is none.
func (r *run) request(q Query, before <-chan struct{}) {
	m, left, over := r.m, 1+q.Ahead, false
	ended := make(chan struct{})
	defer close(ended)
	m.c.Meter.Asked(left)
	defer func() { m.c.Meter.Asked(-left) }()
	q.Buf = m.buffers.Get().(*Buffers)
	defer m.buffers.Put(q.Buf)
	out := Rows{spare: r.spare, hand: func(row *Row) error {
		if left == 0 {
			return m.c.Errorf(Malformed, "sent more steps than the %d that were asked for", 1+q.Ahead)
		}
		if wrong := r.grid.finish(row); wrong != "" {
			return m.c.Errorf(Malformed, "sent %s", wrong)
		}
		q.Tokens = append(q.Tokens, row.Chosen)
		select {
		case r.rows <- row:
		case <-r.ctx.Done():
			return r.ctx.Err()
		}
		m.c.Meter.Asked(-1)
		if left--; left > 0 {
			return nil
		}
		// What is left of the answer is read beside the next request, of one at a time.
		over = true
		next, ok := r.next(q.Tokens)
		if ok = ok && isClosed(before); ok {
			r.all.Go(func() { r.request(next, ended) })
		} else {
			close(r.rows)
		}
		return nil
	}}
	err := m.b.Fetch(r.ctx, q, &out)
	if err == nil {
		err = out.HandOn()
	}
	if err == nil && left > q.Ahead {
		err = m.c.Errorf(Malformed, "sent 0 steps where %d were asked for", 1+q.Ahead)
	}
	if err != nil && r.ctx.Err() == nil { // perhaps because that model is gone
		m.doubt()
	}
	switch {
	case !over:
		r.err = err
		close(r.rows)
	case err != nil:
		r.cancel()
	}
}

func isClosed(c <-chan struct{}) bool {
	if c == nil {
		return true
	}
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// next returns the query for the rows after tokens, the last of which is the
// server's own choice. ok is false if the run is to end there.
func (r *run) next(tokens []int32) (q Query, ok bool) {
	last := tokens[len(tokens)-1]
	if last == models.NoToken || slices.Contains(r.m.vocab.EOG(), last) || r.m.due() {
		return q, false
	}
	r.mu.Lock()
	a, gone, most := r.ahead, len(tokens)-r.from, r.most
	r.mu.Unlock()
	q = r.by
	q.Tokens = slices.Clone(tokens)
	q.Ahead = min(most, a.Rows-gone, r.m.info.ContextLen-len(tokens))
	if byDraw := len(q.Draws) > 0; byDraw != (r.m.draws && drawn(a)) {
		return q, false
	} else if byDraw {
		q.Ahead = min(q.Ahead, len(a.Draws)-1-gone)
		q.Law, q.Lone = a.Law, a.Lone
	}
	if q.Ahead <= 0 {
		return q, false
	}
	if len(q.Draws) > 0 {
		q.Draws = a.Draws[gone:]
	}
	return q, true
}

// leads reports whether the next row of the run is the one after tokens, of
// which it has seen all but the last.
func (r *run) leads(tokens []int32) bool {
	return r != nil && r.last != nil && len(tokens) == r.at+1 && tokens[r.at] == r.last.Chosen
}

// take waits for the next row. It is nil if the run has ended.
func (r *run) take(ctx context.Context) (row *Row, err error) {
	select {
	case row = <-r.rows:
	default:
		ctx, quiet, done := r.m.c.listen(ctx)
		quiet.awaits("the next row")
		select {
		case row = <-r.rows:
		case <-ctx.Done():
			err = ctx.Err() // the same call may come again
		}
		done()
		r.m.c.Meter.wait("")
	}
	if row == nil {
		return nil, err
	}
	if r.last != nil {
		select {
		case r.spare <- r.last:
		default:
		}
		r.at++
	}
	r.last = row
	return row, nil
}

// goOn makes the server go on by itself and returns the first row.
func (s *session) goOn(ctx context.Context, q Query) (*Row, error) {
	err := s.m.ask(ctx, q, func(ctx context.Context) (err error) {
		s.run = s.begin(ctx, q)
		row, err := s.run.take(ctx)
		if err == nil && row == nil {
			err = s.run.err
		}
		if err != nil {
			s.abandon()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.run.last, nil
}

// fromRun returns the row after the tokens if the server goes that way by itself,
// nil if it must be asked for.
func (s *session) fromRun(ctx context.Context) (*Row, error) {
	if !s.run.leads(s.tokens) {
		return nil, nil
	}
	start := time.Now()
	s.run.foresee(s.foresight.ahead, len(s.tokens), s.foresight.rows())
	row, err := s.run.take(ctx)
	if row != nil {
		s.foresight.each = time.Since(start)
		s.m.c.Meter.Rows(1, 1, s.foresight.each)
	}
	return row, err
}
