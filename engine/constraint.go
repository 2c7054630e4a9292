package engine

import (
	"slices"
	"sync"
	"time"

	"logitscope/models"
	"logitscope/sampling"
	"logitscope/sampling/constrain"
)

// constraints keeps the token trie of one vocabulary and the constraints
// compiled last.
type constraints struct {
	mu     sync.Mutex
	trie   *constrain.Vocab
	latest []*constraint // the one used last first
}

// maxConstraints is how many constraints are kept: the rules of a schedule may
// put several in force by turns, and a text goes on under one only if it is
// the same.
const maxConstraints = 8

// use puts x in front of the constraints that are kept.
func (c *constraints) use(x *constraint) *constraint {
	c.latest = slices.DeleteFunc(c.latest, func(y *constraint) bool { return y == x })
	c.latest = slices.Insert(c.latest, 0, x)
	c.latest = c.latest[:min(len(c.latest), maxConstraints)]
	return x
}

// A constraint is a matcher and the text it was compiled from. It is
// immutable to its users and shared by all lanes under it. A nil constraint
// allows everything.
type constraint struct {
	text    string
	matcher *constrain.Matcher
}

// bind compiles text for v; it is nil for an empty text.
func (c *constraints) bind(text string, v vocab) (*constraint, error) {
	if text == "" {
		return nil, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, x := range c.latest {
		if x.text == text {
			return c.use(x), nil
		}
	}
	g, err := constrain.CompileText(text, true)
	if err != nil {
		return nil, err
	}
	m, err := g.Bind(c.tokens(v))
	if err != nil {
		return nil, err
	}
	return c.use(&constraint{text, m}), nil
}

// tokens returns the trie, which it builds the first time. c.mu must be held.
func (c *constraints) tokens(v vocab) *constrain.Vocab {
	if c.trie == nil {
		// A token that stands for no text can never be part of one.
		skip := func(id int32) bool { a := v.Attr(id); return a == models.Control || a == models.Unused }
		c.trie = constrain.NewVocab(func(id int32) []byte { return []byte(v.Piece(id)) }, v.Size(), v.EOG(), skip)
	}
	return c.trie
}

// Warm makes ready what the first constraint needs of the vocabulary of a
// model that runs here: with 131,000 tokens it takes a tenth of a second,
// which a screen should not wait for. It may run beside everything else.
func (c *Compiler) Warm() {
	if c.vocab.grows || c.model.Info().Server != "" {
		return
	}
	c.constraints.mu.Lock()
	defer c.constraints.mu.Unlock()
	c.constraints.tokens(c.vocab)
}

// A constraintState is how far a text has come under a constraint.
type constraintState struct {
	of     *constraint // nil: there was none
	state  constrain.State
	broken bool // a token was forced that the constraint does not allow
	total  float32
}

// before returns the state of c after step s, the start if s was not made
// under c.
func (c *constraint) before(s *Step) constraintState {
	if s == nil {
		return c.behind(constraintState{})
	}
	return c.behind(s.after)
}

// behind returns the state of c that follows last: last itself if it is one of
// c, else the start.
func (c *constraint) behind(last constraintState) constraintState {
	switch {
	case c == nil:
		return constraintState{}
	case last.of == c:
		return last
	}
	return constraintState{of: c, state: c.matcher.Start()}
}

// A stepMask is what a constraint allows at one step; nil allows everything.
type stepMask struct {
	from constraintState
	bits []uint64
	info constrain.MaskInfo
}

// mask returns what c allows at a step.
func (c *constraint) mask(in stepInput) *stepMask {
	if c == nil {
		return nil
	}
	return c.maskAt(c.before(in.before), in.left)
}

// maskAt returns what c allows after a text, with left tokens to go.
func (c *constraint) maskAt(from constraintState, left int) *stepMask {
	if c == nil {
		return nil
	}
	m := &stepMask{from: from}
	if !from.broken {
		m.bits = make([]uint64, c.matcher.Vocab().Words())
		m.info = c.matcher.MaskWithin(from.state, m.bits, left)
	}
	return m
}

// apply puts the mask into the input of a pipeline.
func (m *stepMask) apply(in *sampling.Input) {
	if m != nil && !m.from.broken {
		in.Mask, in.MaskEOS = m.bits, m.info.EOSAllowed
	}
}

// record returns what the step shows of the constraint, nil without one.
func (m *stepMask) record(t *sampling.Trace) *ConstraintStep {
	if m == nil {
		return nil
	}
	if m.from.broken {
		return &ConstraintStep{Broken: true, TotalBits: m.from.total, Constraint: m.from.of.matcher}
	}
	x := m.from.of.matcher.Explain(m.from.state)
	return &ConstraintStep{
		Constraint: m.from.of.matcher, State: m.from.state,
		Allowed: m.info.Allowed, EOS: m.info.EOSAllowed, Closing: m.info.Closing,
		Layer: m.info.Layer.String(), Took: m.info.Took,
		Mass: t.Constraint.Mass, Bits: t.Constraint.Bits, TotalBits: m.from.total + t.Constraint.Bits,
		Redrawn: t.Constraint.Redrawn,
		Forced:  string(m.from.of.matcher.Forced(m.from.state)), Distance: x.Distance, Stack: x.Stack,
	}
}

// accept returns the state after token id, which cost bits.
func (m *stepMask) accept(id int32, bits float32) constraintState {
	if m == nil {
		return constraintState{}
	}
	return m.from.accept(id, bits)
}

func (s constraintState) accept(id int32, bits float32) constraintState {
	if s.of == nil || s.broken {
		return s
	}
	s.total += bits
	next, err := s.of.matcher.Accept(s.state, id)
	if err != nil {
		s.broken = true
		return s
	}
	s.state = next
	return s
}

// complete reports whether the constraint allows nothing more: the text is
// whole and cannot go on.
func (s constraintState) complete() bool {
	if s.of == nil || s.broken {
		return false
	}
	bits := make([]uint64, s.of.matcher.Vocab().Words())
	info := s.of.matcher.Mask(s.state, bits)
	return info.Allowed == 0 && info.EOSAllowed
}

// Unmet reports whether the text of v does not meet its constraint yet, and
// how many bytes it lacks at least. A constraint that a forced token broke
// wants nothing any more.
func (v View) Unmet() (bytes int, unmet bool) {
	s := v.constraintState()
	if s.of == nil || s.broken || s.of.matcher.Accepting(s.state) {
		return 0, false
	}
	return s.of.matcher.Distance(s.state), true
}

// constraintState returns the state after the text of v. The steps of a
// search do not carry it, so its text is read again.
func (v View) constraintState() constraintState {
	switch {
	case v.Beam != nil:
		if r := v.Beam.Result(); len(r) > 0 && !r[0].Finished {
			return v.Settings.constraint.through(r[0].Tokens())
		}
	case v.Contrastive != nil:
		return v.Settings.constraint.through(v.output(len(v.Steps)))
	case len(v.Steps) > 0:
		return v.Steps[len(v.Steps)-1].after
	}
	return constraintState{}
}

// through returns the state after a text that c held from its first token.
func (c *constraint) through(output []int32) constraintState {
	s := c.behind(constraintState{})
	for _, id := range output {
		s = s.accept(id, 0)
	}
	return s
}

// A ConstraintStep is what the constraint knew at one step.
type ConstraintStep struct {
	Constraint *constrain.Matcher // explains further: why a token is refused
	State      constrain.State    // before the token
	Allowed    int                // ordinary tokens allowed
	Mass       float32            // Z: raw probability of the allowed tokens
	Bits       float32            // -log2 Z
	TotalBits  float32            // sum over the run so far, this step included
	EOS        bool               // the text may end here
	Closing    bool               // the token budget is near: tokens that would overrun it were taken away
	Layer      string             // what answered: memo, slice, walk
	Took       time.Duration      // to find the mask
	Forced     string             // bytes that must come next whatever is drawn
	Distance   int                // bytes to the nearest complete text
	Stack      []string           // rules the text is in, outermost first
	Redrawn    bool               // draw-then-check: the first draw was refused
	Broken     bool               // a token was forced that the constraint does not allow; it applies no more
}
