package remote

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"logitscope/models"
)

// A Backend is what differs between servers whose tokens can be chosen.
type Backend interface {
	// Identity asks the server which model it has now. The answer is the
	// same as long as rows mean the same.
	Identity(ctx context.Context) (string, error)

	// Fetch appends to out the rows that follow the last q.Want tokens,
	// oldest first, and up to q.Ahead rows beyond them, each following the
	// chosen token of the row before. Rows need not be checked yet. Where they
	// arrive one by one, it hands on each (see [Rows.HandOn]).
	Fetch(ctx context.Context, q Query, out *Rows) error
}

// A Leveller is a backend that reports log-probabilities and can find out what
// must be added to a row of them to have the logits.
type Leveller interface {
	Level(ctx context.Context, q Query, r *Row) (float64, error)
}

// A Query asks for the rows after tokens.
type Query struct {
	Tokens []int32
	Want   int // rows wanted; more than 1 only if the model has PromptScores
	Ahead  int
	Top    int  // most tokens that a row should name
	Slot   int  // of the server's caches, or -1
	lift   bool // make logits of log-probabilities
	Buf    *Buffers

	// Draws are what to choose the tokens of rows ahead with; none stands for
	// the most probable ones. See [models.Ahead].
	Draws []float64
	Law   []models.Setting
	Lone  bool
}

// Found is what a backend found out about its server.
type Found struct {
	Info   models.Info
	Vocab  models.Vocab
	Facts  []models.Fact // for a person; the client adds where its key is from
	ID     string        // what [backend].identity said
	Logits bool          // the server's rows are logits, not log-probabilities
	Levels Leveller      // makes logits of the server's log-probabilities; may be nil
	Top    int           // tokens that a row names unless fewer will do; 0 if that cannot be chosen
	// Render wraps a conversation as the server does; nil if it is done here.
	Render func(ctx context.Context, turns []models.Message) (string, error)
	// Apply returns what the server's own template makes of a conversation;
	// nil if it does not tell.
	Apply func(ctx context.Context, turns []models.Message) (string, error)
	Slots int  // caches that sessions can claim; 0 if they have none of their own
	Draws bool // the server can be made to draw with given numbers
	// Streams means that the rows of an answer arrive one by one.
	Streams bool
}

// A rendering server wraps conversations itself.
type rendering struct {
	*server
	render func(ctx context.Context, turns []models.Message) (string, error)
}

func (m *rendering) RenderChat(ctx context.Context, turns []models.Message) (string, error) {
	return m.render(ctx, turns)
}

// NewModel returns the model of a server whose tokens the caller chooses.
func NewModel(c *Client, b Backend, f Found) models.Model {
	f.Info.Server, f.Info.Address = c.Kind, c.Host
	if f.Top > DefaultTop && !f.Logits {
		f.Facts = append(f.Facts, models.Fact{Name: "on demand", Value: fmt.Sprintf(
			"the best tokens first, %d at most, while a lane runs freely, the others where a stage, a pin or a look at the step needs them", DefaultTop)})
	}
	m := &server{
		b: b, c: c, info: f.Info, vocab: f.Vocab, facts: append(f.Facts, c.KeyFacts()...), raw: f.Logits, top: f.Top, lift: f.Levels, id: f.ID,
		slots: make([]bool, f.Slots), apply: f.Apply, draws: f.Draws, streams: f.Streams, buffers: sync.Pool{New: func() any { return new(Buffers) }},
	}
	if f.Render != nil {
		return &rendering{m, f.Render}
	}
	return m
}

// A server is a model whose tokens the caller chooses.
type server struct {
	b     Backend
	c     *Client
	info  models.Info
	vocab models.Vocab
	facts []models.Fact
	top   int      // tokens in a row; 0 if that cannot be chosen
	raw   bool     // the server's rows are logits, not log-probabilities
	lift  Leveller // makes logits of the server's log-probabilities; may be nil
	id    string   // what backend.identity said when the model was opened
	draws bool     // the server can be made to draw with given numbers

	streams bool      // rows of an answer arrive one by one
	buffers sync.Pool // of *Buffers

	mu      sync.Mutex
	slots   []bool // in use; empty if sessions have no caches of their own
	doubted bool   // a request failed that nobody waited for
	checked time.Time
	apply   func(ctx context.Context, turns []models.Message) (string, error) // as in [Found]
}

// ApplyTemplate makes the model a [models.TemplateTeller].
func (m *server) ApplyTemplate(ctx context.Context, turns []models.Message) (string, error) {
	if m.apply == nil {
		return "", models.ErrNotSupported
	}
	return m.apply(ctx, turns)
}

var (
	_ models.Model     = (*server)(nil)
	_ models.Batcher   = (*server)(nil)
	_ models.Describer = (*server)(nil)
	_ models.Meter     = (*server)(nil)
)

func (m *server) Info() models.Info    { return m.info }
func (m *server) Vocab() models.Vocab  { return m.vocab }
func (m *server) Stats() models.Stats  { return m.c.Meter.Stats() }
func (m *server) Facts() []models.Fact { return append([]models.Fact(nil), m.facts...) }

func (m *server) Close() error { return m.c.Close() }

func (m *server) NewSession() (models.Session, error) {
	return &session{
		m: m, slot: m.takeSlot(), grid: grid{size: m.info.VocabSize, raw: m.raw}, spare: make(chan *Row, 2*unread), foresight: newForesight(m.streams),
	}, nil
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

// doubt makes the next request make sure of the model first.
func (m *server) doubt() {
	m.mu.Lock()
	m.doubted = true
	m.mu.Unlock()
}

// due reports whether it is time to make sure of the model.
func (m *server) due() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.checked.IsZero() {
		m.checked = time.Now() // by Open, just now
	}
	return m.doubted || time.Since(m.checked) > checkEvery
}

// ask calls fetch, which is to have rows of q, until it succeeds or its fault
// will not pass. A repetition first makes sure that the model is still the same.
func (m *server) ask(ctx context.Context, q Query, fetch func(context.Context) error) error {
	start := time.Now()
	doubt := m.due()
	err := m.c.Retry(ctx, true, func(ctx context.Context) error {
		if doubt {
			if err := m.verify(ctx); err != nil {
				return err
			}
		}
		err := fetch(ctx)
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
	m.c.Meter.Rows(q.Want, 0, time.Since(start))
	return nil
}

func (m *server) checkRows(g *grid, q Query, out *Rows) error {
	if len(out.List) != q.Want {
		return m.c.Errorf(Malformed, "sent %d steps where %d were asked for", len(out.List), q.Want)
	}
	for _, r := range out.List {
		if wrong := g.finish(r); wrong != "" {
			return m.c.Errorf(Malformed, "sent %s", wrong)
		}
	}
	return nil
}

// liftRow makes logits of the log-probabilities of a row.
func (m *server) liftRow(ctx context.Context, g *grid, q Query, r *Row) error {
	c, err := m.lift.Level(ctx, q, r)
	if err != nil {
		return err
	}
	for i, v := range r.Values {
		r.Values[i] = float32(float64(v) + c)
	}
	g.order(r)
	if r.whole {
		g.scatter(r)
	}
	return nil
}

// verify compares the server's model with the one the run began with.
func (m *server) verify(ctx context.Context) error {
	now, err := m.b.Identity(ctx)
	if err == nil && now != m.id { // ask twice: that one answer may be a faulty one
		now, err = m.b.Identity(ctx)
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
	m.checked, m.doubted = time.Now(), false
	m.mu.Unlock()
	return nil
}

func (m *server) changed() error {
	return m.c.Errorf(Changed, "another model answers now than the one this run began with")
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

// Plural returns "1 slot", "2 slots".
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
