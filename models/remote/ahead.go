package remote

import (
	"context"
	"slices"
	"time"

	"logitscope/models"
)

// Rows that are likely to be wanted are fetched before they are: some with the
// row that is asked for, and some by a request that goes on while the caller
// works on those. What a server prints for a row costs it the same either way,
// but a request of its own costs more, and client and server work at once.

// A stock is the memory that the rows of one answer live in.
type stock struct {
	rows Rows
	buf  Buffers
	grid grid
}

func (m *server) newStock() *stock {
	return &stock{grid: grid{size: m.info.VocabSize, raw: m.raw}}
}

// How far to look ahead: as long as all guesses so far are right more often
// than worthAsking, since a row that is not used costs the server as much as one
// that is.
const (
	worthAsking = 0.6
	mostBest    = 16 // rows beyond the one asked for, by the most probable tokens
	mostDrawn   = 3  // the same, by draws; more are matched less well
)

// slowRow is the time per row from which on no request goes on beside the
// caller: what it saves is then little, and a wrong one is in the way for long.
const slowRow = 5 * time.Millisecond

// A foresight is what a session knows about looking ahead.
type foresight struct {
	ahead  models.Ahead
	right  [2]float64    // how often guesses were right of late, by best token and by draw
	next   int32         // the guess at the token that follows the row handed out last, or NoToken
	each   time.Duration // that a row took when it was last asked for
	flight *flight       // nil if there is none
}

func newForesight() foresight {
	return foresight{next: models.NoToken, right: [2]float64{0, 0.95}}
}

// A flight is a request for the rows after those at hand.
type flight struct {
	q      Query
	stock  *stock
	cancel context.CancelFunc
	done   chan struct{} // closed once stock and err are there
	err    error
}

// SetAhead makes the session a [models.Lookahead].
func (s *session) SetAhead(a models.Ahead) {
	if a.Rows <= 0 {
		s.foresight.abandon()
	}
	s.foresight.ahead = a
}

// draws reports whether guesses are made by draws.
func (s *session) draws() bool { return s.m.draws && s.foresight.drawn() }

func (f *foresight) drawn() bool { return len(f.ahead.Draws) > 0 && !f.ahead.Greedy }

// sort is the index in f.right of the guesses that are made now.
func (f *foresight) sort() int {
	if f.drawn() {
		return 1
	}
	return 0
}

// rows returns how many rows beyond the one that is asked for to fetch with it.
func (f *foresight) rows() int {
	most, right := mostBest, f.right[f.sort()]
	if f.drawn() {
		most = min(mostDrawn, len(f.ahead.Draws)-1)
	}
	if most = min(most, f.ahead.Rows); f.ahead.Greedy {
		return max(0, most)
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
	case !f.drawn() && len(r.IDs) > 0:
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

// took notes how long an answer of n rows took.
func (f *foresight) took(d time.Duration, n int) { f.each = d / time.Duration(max(1, n)) }

// abandon gives up the request that is under way.
func (f *foresight) abandon() {
	if f.flight != nil {
		f.flight.cancel()
		<-f.flight.done
		f.flight = nil
	}
}

// launch asks for the rows that follow the answer of q if its guesses are all
// right, and does not wait for them.
func (s *session) launch(ctx context.Context, q Query) {
	f := &s.foresight
	list := s.at.rows.List
	left := f.ahead.Rows - len(list)
	if q.Ahead == 0 || len(list) < 1+q.Ahead || left < 0 || f.each > slowRow || s.m.due() {
		return
	}
	tokens := slices.Clone(q.Tokens)
	for _, r := range list {
		tokens = append(tokens, r.Chosen)
	}
	if last := tokens[len(tokens)-1]; last == models.NoToken || slices.Contains(s.m.vocab.EOG(), last) || len(tokens) > s.m.info.ContextLen {
		return
	}
	ahead := min(f.rows(), left)
	if s.draws() {
		if ahead = min(ahead, len(f.ahead.Draws)-len(list)-1); ahead < 0 {
			return
		}
	}
	next := s.query(tokens, 1, ahead)
	if s.draws() {
		next.Draws = slices.Clone(next.Draws[len(list):])
	}
	fl := &flight{q: next, stock: s.spare(), done: make(chan struct{})}
	fl.q.Buf = &fl.stock.buf
	ctx, fl.cancel = context.WithCancel(context.WithoutCancel(ctx))
	f.flight = fl
	s.m.c.Meter.Asked(1 + ahead)
	go func() {
		defer close(fl.done)
		defer s.m.c.Meter.Asked(-1 - ahead)
		fl.stock.rows.Reset()
		if fl.err = s.m.b.Fetch(ctx, fl.q, &fl.stock.rows); fl.err == nil {
			fl.err = s.m.checkRows(&fl.stock.grid, fl.q, &fl.stock.rows)
		}
		if fl.err != nil && ctx.Err() == nil { // perhaps because that model is gone
			s.m.doubt()
		}
	}()
}

// land waits for the request that is under way. If its rows are the ones that q
// asks for, it makes them those at hand, and q what they answer. If the request
// failed, they are asked for in the usual way, which makes sure of the model,
// says what is wrong and tries again.
func (s *session) land(ctx context.Context, q *Query) (bool, error) {
	f := &s.foresight
	fl := f.flight
	if fl == nil {
		return false, nil
	}
	if q.Want != 1 || q.lift || q.Top != fl.q.Top || !slices.Equal(q.Tokens, fl.q.Tokens) {
		f.abandon()
		return false, nil
	}
	start := time.Now()
	select {
	case <-fl.done:
	case <-ctx.Done():
		return false, ctx.Err() // the same call may come again
	}
	fl.cancel()
	if f.flight = nil; fl.err != nil {
		return false, nil
	}
	s.at, s.rest = fl.stock, s.at
	*q = fl.q
	s.m.c.Meter.Rows(1, 1, time.Since(start))
	return true, nil
}

// spare returns a stock that no row in use lives in.
func (s *session) spare() *stock {
	if s.rest == nil {
		return s.m.newStock()
	}
	st := s.rest
	s.rest = nil
	return st
}
