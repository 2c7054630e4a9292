package remote

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"logitscope/models"
)

// Buffers are the reusable memory of a session's requests.
type Buffers struct {
	Req  []byte
	Resp bytes.Buffer
	Text []byte

	Level *float64 // that of the last row, see llamaserver's level.go
}

// A session remembers the tokens; the server remembers the rest. Every fault
// leaves the tokens as they were before the call, so that the same call can
// be made again.
type session struct {
	m      *server
	slot   int
	tokens []int32
	at     *stock // the rows of the last answer
	rest   *stock // memory for the next one, or nil
	out    []models.Logits

	plain   bool    // log-probabilities will do
	narrow  int     // tokens that a row need name; 0 is as many as the model was opened for
	guessed []*Row  // rows after tokens+guess[:0], tokens+guess[:1], …
	guess   []int32 // the chosen tokens that lead to guessed
	from    int     // length of tokens the first guess follows
	closed  bool

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
		s.forget() // rows of the other sort
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
		s.forget()
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
	if r := s.fromGuess(before, want); r != nil {
		s.out = append(s.out[:0], r.Logits())
		return s.out, nil
	}
	if err := s.fetch(ctx, want); err != nil {
		s.tokens = s.tokens[:before]
		return nil, err
	}
	return s.out, nil
}

// fromGuess returns the row after the tokens if it was fetched ahead.
func (s *session) fromGuess(before, want int) *Row {
	i := before - s.from
	if want != 1 || len(s.tokens) != before+1 || i < 0 || i >= len(s.guessed) || s.tokens[before] != s.guess[i] {
		return nil
	}
	for j := range i {
		if s.tokens[s.from+j] != s.guess[j] {
			return nil
		}
	}
	s.m.c.Meter.Rows(1, 1, 0)
	s.foresight.expect(s.guessed[i], true)
	return s.guessed[i]
}

// forget drops the rows that were fetched ahead.
func (s *session) forget() {
	s.guessed, s.guess = s.guessed[:0], s.guess[:0]
	s.foresight.abandon()
}

// fetch asks for the rows after the last want tokens and keeps the rest.
func (s *session) fetch(ctx context.Context, want int) error {
	s.guessed, s.guess, s.from = s.guessed[:0], s.guess[:0], len(s.tokens)
	s.out = s.out[:0]
	if want > 1 && !s.m.info.Caps.PromptScores {
		return s.fetchEach(ctx, want)
	}
	q := s.query(s.tokens, want, s.foresight.rows())
	if landed, err := s.land(ctx, &q); err != nil {
		return err
	} else if !landed {
		start := time.Now()
		q.Buf = &s.at.buf
		if err := s.m.ask(ctx, q, &s.at.grid, &s.at.rows); err != nil {
			return err
		}
		s.foresight.took(time.Since(start), len(s.at.rows.List))
	}
	for i, r := range s.at.rows.List {
		switch {
		case i < want:
			s.out = append(s.out, r.Logits())
		default:
			s.guess = append(s.guess, s.at.rows.List[i-1].Chosen)
			s.guessed = append(s.guessed, r)
		}
	}
	if s.foresight.expect(s.at.rows.List[want-1], len(s.guess) > 0); want == 1 {
		s.launch(ctx, q)
	}
	return nil
}

// fetchEach asks for one row after the other.
func (s *session) fetchEach(ctx context.Context, want int) error {
	for k := want - 1; k >= 0; k-- {
		var one Rows
		q := s.query(s.tokens[:len(s.tokens)-k], 1, 0)
		q.Buf = &s.at.buf
		if err := s.m.ask(ctx, q, &s.at.grid, &one); err != nil {
			return err
		}
		s.out = append(s.out, one.List[0].Logits())
	}
	return nil
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
	if n < s.from {
		s.forget()
		s.from = n
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
		s.foresight.abandon()
		s.m.freeSlot(s.slot)
	}
	return nil
}
