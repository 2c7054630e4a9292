package class

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"logitscope/engine/quiz"
	"logitscope/ui/tui/predict"
)

// A ballot is a question and what was voted on it; the hub's lock guards it.
type ballot struct {
	n     int // from 1
	asked predict.Asked
	open  bool
	voted int

	drawn quiz.Question // once it is closed
	pool  *quiz.Pool
}

// An answer is what a member put down on one question.
type answer struct {
	question int
	options  []string // of the question
	guess    quiz.Guess
	bits     float64
}

// A Poll is what everybody may know of a question. While it is open that is
// how many have voted, and nothing of what. It is never changed.
type Poll struct {
	N       int       // from 1
	Context string    // the text before the token, its end
	Options []string  // as they are shown; the last is something else
	Ends    time.Time // when it closes by itself; the zero time for never
	Open    bool
	Here    int
	Voted   int
	Result  *Result // once it is closed
}

// A Result is what came of a question.
type Result struct {
	Drawn  int       // the option drawn
	Law    []float64 // final probability of each option
	Held   []float64 // part of all chips on each; nil where too few voted to hide who
	Right  int       // had most of their chips on what was drawn
	Class  float64   // bits of the class as one forecaster
	Mean   float64   // of its members
	Model  float64
	Floor  float64
	Blind  float64
	Enough bool // enough voted for Held, Right, Class and Mean to be shown
}

// fewest is how many must have voted before anything of the votes is shown:
// of two, each could tell the other's.
const fewest = 3

// mostBits bounds a score that is shown: a law may give what was forced nothing.
const mostBits = 999

// poll is what may be known of b.
func (b *ballot) poll(here int) *Poll {
	p := &Poll{N: b.n, Context: b.asked.Context, Options: b.asked.Options, Ends: b.asked.Ends, Open: b.open, Here: here, Voted: b.voted}
	if b.open {
		return p
	}
	q := b.drawn
	r := &Result{Drawn: q.Drawn, Law: q.Law, Model: min(q.Model(), mostBits), Floor: q.Floor(), Blind: quiz.Blind(len(q.Law)), Enough: b.pool.Guesses() >= fewest}
	if r.Enough {
		r.Right, r.Class, r.Mean = b.pool.Favourites(q.Drawn), b.pool.Bits(q.Drawn), b.pool.MeanBits(q.Drawn)
		for i := range q.Law {
			r.Held = append(r.Held, b.pool.Held(i))
		}
	}
	p.Result = r
	return p
}

// Ask opens a question to everybody.
func (h *Hub) Ask(q predict.Asked) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.clear()
	h.asked++
	q.Options = slices.Clone(q.Options)
	h.ballot = &ballot{n: h.asked, asked: q, open: true}
	h.flush()
}

// vote puts a guess on question n down, in the place of an earlier one.
func (s *Seat) vote(n int, g quiz.Guess) error {
	h := s.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	b := h.ballot
	switch {
	case h.ended != "":
		return ErrEnded
	case s.of.gone != s.gone:
		return errElsewhere
	case b == nil || b.n != n || !b.open:
		return errClosed
	}
	if err := g.Check(len(b.asked.Options)); err != nil {
		return err
	}
	if s.of.guess == nil {
		b.voted++
	}
	s.of.guess = slices.Clone(g)
	h.count()
	return nil
}

// Until gives the question that is open another end.
func (h *Hub) Until(t time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ballot != nil && h.ballot.open {
		h.ballot.asked.Ends = t
		h.flush()
	}
}

// Reveal closes the question that is open, with what was drawn: no vote
// counts after it. It returns what was voted, with the hands that were
// counted in the room.
func (h *Hub) Reveal(q quiz.Question, hands []quiz.Guess) predict.Votes {
	h.mu.Lock()
	defer h.mu.Unlock()
	b := h.ballot
	if b == nil || !b.open {
		return predict.Votes{}
	}
	b.open, b.drawn, b.pool = false, q, quiz.NewPool(len(b.asked.Options))
	for _, g := range hands {
		b.pool.Add(g)
	}
	for _, m := range h.seats {
		if m.guess == nil {
			continue
		}
		b.pool.Add(m.guess)
		m.book.Add(quiz.Answer{Question: q, Guess: m.guess})
		m.answers = append(m.answers, answer{b.n, b.asked.Options, m.guess, m.guess.Bits(q.Drawn)})
		m.guess = nil
	}
	h.scored++
	h.flush()
	v := predict.Votes{Best: h.best(3)}
	if b.pool.Guesses() >= fewest {
		v.Pool = b.pool
	}
	return v
}

// Drop takes the last question back, as if it had not been asked: what was
// voted on it is forgotten, and scores are as before. Its number is not given
// again, so that a late vote finds it closed.
func (h *Hub) Drop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	b := h.ballot
	if b == nil {
		return
	}
	if !b.open {
		h.scored--
	}
	for _, m := range h.seats {
		m.guess = nil
		if k := len(m.answers); k > 0 && m.answers[k-1].question == b.n {
			m.answers = m.answers[:k-1]
			m.book.TakeBack()
		}
	}
	h.ballot = nil
	h.flush()
}

// Clear takes a question that is closed from the screens; its scores stay.
// One that is open is dropped.
func (h *Hub) Clear() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ballot != nil {
		h.clear()
		h.flush()
	}
}

// clear is Clear; the lock is held.
func (h *Hub) clear() {
	h.ballot = nil
	for _, m := range h.seats {
		m.guess = nil
	}
}

// best are the n members with the lowest mean, of those who answered half of
// the questions or more, and two or more: the mean of one question would tell
// a single vote. The lock is held.
func (h *Hub) best(n int) []predict.Named {
	var all []predict.Named
	for _, m := range h.seats {
		if len(m.answers) >= max(2, (h.scored+1)/2) {
			all = append(all, predict.Named{Name: m.name, Bits: m.book.Mean().Guess})
		}
	}
	slices.SortFunc(all, predict.Named.Compare)
	if len(all) < fewest {
		return nil
	}
	return all[:min(n, len(all))]
}

// WriteCSV writes what everybody put down: name, question, chips and score in
// bits, and nothing else.
func (h *Hub) WriteCSV(w io.Writer) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []*member
	for _, m := range h.seats {
		if len(m.answers) > 0 {
			all = append(all, m)
		}
	}
	slices.SortFunc(all, func(a, b *member) int { return strings.Compare(a.name, b.name) })
	c := csv.NewWriter(w)
	if err := c.Write([]string{"name", "question", "chips", "bits"}); err != nil {
		return err
	}
	for _, m := range all {
		for _, a := range m.answers {
			var chips []string
			for i, n := range a.guess {
				if n > 0 {
					chips = append(chips, fmt.Sprintf("%d on %s", n, a.options[i]))
				}
			}
			if err := c.Write([]string{m.name, strconv.Itoa(a.question), strings.Join(chips, "; "), strconv.FormatFloat(a.bits, 'f', 4, 64)}); err != nil {
				return err
			}
		}
	}
	c.Flush()
	return c.Error()
}
