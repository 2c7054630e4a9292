package remote

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"logitscope/models"
)

// Buffers are the reusable memory of a request.
type Buffers struct {
	Req  []byte
	Resp bytes.Buffer
	Text []byte
	Line []byte // of a stream; empty until it is needed

	Level *float64 // that of the last row, see llamaserver's level.go
}

// A session remembers the tokens; the server remembers the rest. Every fault
// leaves the tokens as they were before the call, so that the same call can
// be made again.
type session struct {
	m      *server
	slot   int
	tokens []int32
	out    []models.Logits
	plain  bool // log-probabilities will do
	narrow int  // tokens that a row need name; 0 is as many as the model was opened for
	closed bool

	rows  Rows // of the last answer that was waited for whole
	buf   Buffers
	grid  grid
	spare chan *Row

	run       *run // what the server does by itself, or nil
	foresight foresight
}

var (
	_ models.Forker    = (*session)(nil)
	_ models.Lookahead = (*session)(nil)
	_ models.Leveller  = (*session)(nil)
	_ models.Narrower  = (*session)(nil)
)

func (s *session) Len() int { return len(s.tokens) }

// SetLevels does nothing where the server's rows are logits already, or where
// the logits cannot be found out.
func (s *session) SetLevels(needed bool) {
	if s.plain == needed {
		s.abandon() // rows of the other sort
	}
	s.plain = !needed
}

// SetNarrow does nothing where the server's rows cannot be narrowed: where they
// are logits, the share of the rest would not be known.
func (s *session) SetNarrow(n int) bool {
	if s.m.raw || n >= s.m.top {
		n = 0
	}
	if s.narrow != n {
		s.abandon()
	}
	s.narrow = n
	return n > 0
}

func (s *session) Whole(ctx context.Context) (models.Logits, error) {
	if len(s.tokens) == 0 {
		panic("remote: no token that a row could follow")
	}
	narrow, ahead := s.narrow, s.foresight.ahead
	s.SetNarrow(0)
	s.foresight.ahead = models.Ahead{}
	err := s.fetch(ctx, 1)
	s.SetNarrow(narrow)
	if s.foresight.ahead = ahead; err != nil {
		return models.Logits{}, err
	}
	return s.out[0], nil
}

func (s *session) Forward(ctx context.Context, tokens []int32, want int) ([]models.Logits, error) {
	switch {
	case len(tokens) == 0:
		panic("remote: no tokens")
	case want < 0 || want > len(tokens):
		panic(fmt.Sprintf("remote: %d rows wanted of %d tokens", want, len(tokens)))
	case s.closed:
		return nil, s.m.c.Errorf(Refused, "the session is closed")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if n := len(s.tokens) + len(tokens); n > s.m.info.ContextLen {
		return nil, s.m.c.Errorf(TooLong, "%d tokens do not fit a context of %d", n, s.m.info.ContextLen)
	}
	if !InRange(tokens, s.m.info.VocabSize) {
		return nil, s.m.c.Errorf(Refused, "a token is outside the vocabulary of %d", s.m.info.VocabSize)
	}
	before := len(s.tokens)
	if len(tokens) == 1 {
		s.foresight.see(tokens[0])
	}
	s.tokens = append(s.tokens, tokens...)
	if want == 0 {
		return nil, nil // the server fills its cache with the next request
	}
	if err := s.fetch(ctx, want); err != nil {
		s.tokens = s.tokens[:before]
		return nil, err
	}
	return s.out, nil
}

// fetch makes the rows after the last want tokens those of out.
func (s *session) fetch(ctx context.Context, want int) error {
	s.out = s.out[:0]
	if want == 1 {
		row, err := s.fromRun(ctx)
		if row == nil && err == nil {
			s.abandon()
			row, err = s.first(ctx)
		}
		if err != nil {
			return err
		}
		if s.foresight.expect(row, s.run != nil); s.foresight.ahead.Rows <= 0 {
			s.abandon()
		}
		s.out = append(s.out, row.Logits())
		return nil
	}
	s.abandon()
	if !s.m.info.Caps.PromptScores {
		return s.fetchEach(ctx, want)
	}
	if err := s.wait(ctx, s.query(s.tokens, want, 0), &s.rows); err != nil {
		return err
	}
	for _, r := range s.rows.List {
		s.out = append(s.out, r.Logits())
	}
	return nil
}

// first asks for the row after the tokens, and for those after it that are
// likely to be wanted.
func (s *session) first(ctx context.Context) (*Row, error) {
	q := s.query(s.tokens, 1, s.foresight.rows())
	if q.Ahead > 0 {
		return s.goOn(ctx, q)
	}
	if err := s.wait(ctx, q, &s.rows); err != nil {
		return nil, err
	}
	return s.rows.List[0], nil
}

// fetchEach asks for one row after the other.
func (s *session) fetchEach(ctx context.Context, want int) error {
	for k := want - 1; k >= 0; k-- {
		var one Rows
		if err := s.wait(ctx, s.query(s.tokens[:len(s.tokens)-k], 1, 0), &one); err != nil {
			return err
		}
		s.out = append(s.out, one.List[0].Logits())
	}
	return nil
}

// wait asks for the rows of q and waits for all of them.
func (s *session) wait(ctx context.Context, q Query, out *Rows) error {
	q.Buf = &s.buf
	return s.m.ask(ctx, q, func(ctx context.Context) error {
		s.m.c.Meter.Asked(q.Want)
		defer s.m.c.Meter.Asked(-q.Want)
		out.Reset()
		err := s.m.b.Fetch(ctx, q, out)
		if err == nil {
			err = s.m.checkRows(&s.grid, q, out)
		}
		if err == nil && q.lift {
			err = s.m.liftRow(ctx, &s.grid, q, out.List[0])
		}
		return err
	})
}

func (s *session) query(tokens []int32, want, ahead int) Query {
	ahead = min(ahead, s.m.info.ContextLen-len(tokens))
	lift := s.m.lift != nil && !s.plain
	if lift {
		ahead = 0 // each row needs a request of its own anyway
	}
	top := s.m.top
	if s.narrow > 0 {
		top = s.narrow
	}
	q := Query{Tokens: tokens, Want: want, Ahead: max(0, ahead), Top: top, Slot: s.slot, lift: lift}
	if a := s.foresight.ahead; s.draws() {
		q.Draws, q.Law, q.Lone = a.Draws, a.Law, a.Lone
	}
	return q
}

func (s *session) Truncate(n int) {
	if n < 0 || n > len(s.tokens) {
		panic(fmt.Sprintf("remote: truncate to %d of %d tokens", n, len(s.tokens)))
	}
	s.tokens = s.tokens[:n]
	if s.run != nil && n < s.run.at {
		s.abandon()
	}
}

// Fork returns a session with the same tokens in a slot of its own, if the
// server has one free. The server finds the shared prefix in its cache or
// reads it once more.
func (s *session) Fork() (models.Session, error) {
	f, err := s.m.NewSession()
	if err != nil {
		return nil, err
	}
	fork := f.(*session)
	fork.tokens = slices.Clone(s.tokens)
	fork.foresight.ahead, fork.foresight.right = s.foresight.ahead, s.foresight.right
	fork.plain, fork.narrow = s.plain, s.narrow
	return fork, nil
}

func (s *session) Close() error {
	if !s.closed {
		s.closed = true
		s.abandon()
		s.m.freeSlot(s.slot)
	}
	return nil
}
