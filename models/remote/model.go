package remote

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"logitscope/models"
)

// A backend is what differs between servers whose tokens can be chosen.
type backend interface {
	// identity asks the server which model it has now. The answer is the
	// same as long as rows mean the same.
	identity(ctx context.Context) (string, error)

	// fetch appends to out the rows that follow the last q.want tokens,
	// oldest first, and up to q.ahead rows beyond them, each following the
	// chosen token of the row before. Rows need not be checked yet.
	fetch(ctx context.Context, q query, out *rows) error
}

// A leveller is a backend that reports log-probabilities and can find out what
// must be added to a row of them to have the logits.
type leveller interface {
	level(ctx context.Context, q query, r *row) (float64, error)
}

// A query asks for the rows after tokens.
type query struct {
	tokens []int32
	want   int // rows wanted; more than 1 only if the model has PromptScores
	ahead  int
	slot   int  // of the server's caches, or -1
	lift   bool // make logits of log-probabilities
	buf    *buffers
}

// A server is a model whose tokens the caller chooses.
type server struct {
	b     backend
	c     *client
	info  models.Info
	vocab models.Vocab
	facts []models.Fact
	raw   bool     // the server's rows are logits, not log-probabilities
	lift  leveller // makes logits of the server's log-probabilities; may be nil
	id    string   // what backend.identity said when the model was opened

	mu      sync.Mutex
	slots   []bool // in use; empty if sessions have no caches of their own
	checked time.Time
}

var (
	_ models.Model     = (*server)(nil)
	_ models.Batcher   = (*server)(nil)
	_ models.Describer = (*server)(nil)
	_ models.Meter     = (*server)(nil)
)

func (m *server) Info() models.Info    { return m.info }
func (m *server) Vocab() models.Vocab  { return m.vocab }
func (m *server) Stats() models.Stats  { return m.c.meter.stats() }
func (m *server) Facts() []models.Fact { return append([]models.Fact(nil), m.facts...) }

func (m *server) Close() error {
	m.c.http.CloseIdleConnections()
	return nil
}

func (m *server) NewSession() (models.Session, error) {
	return &session{m: m, slot: m.takeSlot(), grid: grid{size: m.info.VocabSize, raw: m.raw}}, nil
}

// takeSlot returns a free slot of the server, or -1 if sessions outnumber
// them; the server then looks for the slot whose prefix fits best.
func (m *server) takeSlot() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, used := range m.slots {
		if !used {
			m.slots[i] = true
			return i
		}
	}
	return -1
}

func (m *server) freeSlot(i int) {
	if i >= 0 {
		m.mu.Lock()
		m.slots[i] = false
		m.mu.Unlock()
	}
}

// checkEvery is how often a run makes sure that the model is still the same.
// Answers that name their model, and faults, are looked into at once.
const checkEvery = 15 * time.Second

// due reports whether it is time to make sure of the model.
func (m *server) due() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.checked.IsZero() {
		m.checked = time.Now() // by Open, just now
	}
	return time.Since(m.checked) > checkEvery
}

// ask calls fetch until it succeeds or its fault will not pass. A repetition
// first makes sure that the model is still the same.
func (m *server) ask(ctx context.Context, q query, g *grid, out *rows) error {
	start := time.Now()
	m.c.meter.asked(q.want + q.ahead)
	defer m.c.meter.asked(-q.want - q.ahead)
	doubt := m.due()
	err := m.c.retry(ctx, true, func(ctx context.Context) error {
		if doubt {
			if err := m.verify(ctx); err != nil {
				return err
			}
		}
		out.reset()
		err := m.b.fetch(ctx, q, out)
		if err == nil {
			err = m.checkRows(g, q, out)
		}
		if err == nil && q.lift {
			err = m.liftRow(ctx, g, q, out.list[0])
		}
		doubt = err != nil
		return err
	})
	var e *Error
	if errors.As(err, &e) && e.Kind == Refused { // perhaps because that model is gone
		if changed := m.verify(ctx); errors.Is(changed, ErrModelChanged) {
			return changed
		}
	}
	if err != nil {
		return err
	}
	m.c.meter.rows(q.want, 0, time.Since(start))
	return nil
}

func (m *server) checkRows(g *grid, q query, out *rows) error {
	if len(out.list) < q.want || len(out.list) > q.want+q.ahead {
		return m.c.fault(Malformed, "sent %d steps where %d were asked for", len(out.list), q.want+q.ahead)
	}
	for _, r := range out.list {
		if wrong := g.finish(r); wrong != "" {
			return m.c.fault(Malformed, "sent %s", wrong)
		}
	}
	return nil
}

// liftRow makes logits of the log-probabilities of a row.
func (m *server) liftRow(ctx context.Context, g *grid, q query, r *row) error {
	c, err := m.lift.level(ctx, q, r)
	if err != nil {
		return err
	}
	for i, v := range r.values {
		r.values[i] = float32(float64(v) + c)
	}
	g.order(r)
	if r.whole {
		g.scatter(r)
	}
	return nil
}

// verify compares the server's model with the one the run began with.
func (m *server) verify(ctx context.Context) error {
	now, err := m.b.identity(ctx)
	if err == nil && now != m.id { // ask twice: that one answer may be a faulty one
		now, err = m.b.identity(ctx)
	}
	var e *Error
	switch {
	case errors.As(err, &e) && e.Kind == Unsuitable:
		return m.changed()
	case err != nil:
		return err
	case now != m.id:
		return m.changed()
	}
	m.mu.Lock()
	m.checked = time.Now()
	m.mu.Unlock()
	return nil
}

func (m *server) changed() error {
	e := m.c.fault(Changed, "another model answers now than the one this run began with")
	e.err = ErrModelChanged
	return e
}

// ForwardBatch runs one token of each session, all at once. If any fails,
// none is changed.
func (m *server) ForwardBatch(ctx context.Context, sessions []models.Session, tokens []int32) ([]models.Logits, error) {
	if len(sessions) != len(tokens) {
		panic("remote: as many tokens as sessions are needed")
	}
	out := make([]models.Logits, len(sessions))
	errs := make([]error, len(sessions))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	for i := range sessions {
		wg.Go(func() {
			l, err := sessions[i].Forward(ctx, tokens[i:i+1], 1)
			if err != nil {
				errs[i] = err
				cancel()
				return
			}
			out[i] = l[0]
		})
	}
	wg.Wait()
	if err := firstError(errs); err != nil {
		for i, s := range sessions {
			if errs[i] == nil {
				s.Truncate(s.Len() - 1)
			}
		}
		return nil, err
	}
	return out, nil
}

// firstError returns the first error that is not the echo of another.
func firstError(errs []error) error {
	var echo error
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
		if err != nil {
			echo = err
		}
	}
	return echo
}

// plural returns "1 slot", "2 slots".
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
