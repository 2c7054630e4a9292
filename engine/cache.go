package engine

import (
	"context"
	"math"

	"logitscope/models"
)

// maxParked is how many sessions of other branches a lane keeps.
const maxParked = 8

// A held is a session and the tokens it holds.
type held struct {
	sess   models.Session
	tokens []int32
}

// shared returns how many tokens at the start of tokens h holds.
func (h *held) shared(tokens []int32) int {
	n := min(len(h.tokens), len(tokens))
	for i, t := range h.tokens[:n] {
		if tokens[i] != t {
			return i
		}
	}
	return n
}

// A cache is a lane's session, and those of branches it may return to.
type cache struct {
	model  models.Model
	now    held
	parked []held // oldest first
	narrow int    // tokens that the next row need name, 0 for all

	off     []models.Part // what the session in use leaves out; the parked ones are whole
	offFrom int           // the first position it read without them; MaxInt for none
}

func (c *cache) open(m models.Model, opt Options) error {
	c.model, c.offFrom = m, math.MaxInt
	if m.Info().Caps.ObserveOnly {
		return nil // there is nothing to hold: the server writes by itself
	}
	if opt.Session != nil {
		c.now = held{opt.Session, opt.Cached}
		return nil
	}
	sess, err := m.NewSession()
	c.now.sess = sess
	return err
}

func (c *cache) close() {
	for _, h := range c.parked {
		h.sess.Close()
	}
	if c.now.sess != nil {
		c.now.sess.Close()
	}
	c.parked, c.now, c.off = nil, held{}, nil
}

// forget empties the cache.
func (c *cache) forget() {
	if c.now.sess == nil {
		return
	}
	c.now.sess.Truncate(0)
	c.now.tokens, c.offFrom = c.now.tokens[:0], math.MaxInt
}

func (c *cache) shared(tokens []int32) int { return c.now.shared(tokens) }

// forward brings the session to exactly tokens and returns the logits of the
// last want of them, and how many tokens the model was given. The tokens whose
// logits are needed are fed again if the session already holds them.
func (c *cache) forward(ctx context.Context, tokens []int32, want int) (rows []models.Logits, fed int, err error) {
	n := min(c.shared(tokens), len(tokens)-want)
	if n < c.now.sess.Len() {
		c.now.sess.Truncate(n)
	}
	c.now.tokens = append(c.now.tokens[:n], tokens[n:]...)
	if n == len(tokens) {
		return nil, 0, nil
	}
	whole := n
	if len(c.off) > 0 {
		if whole, err = c.readWhole(ctx, tokens, want); err != nil {
			c.now.tokens = c.now.tokens[:c.now.sess.Len()]
			return nil, len(c.now.tokens) - n, err
		}
	}
	if whole < len(tokens) {
		rows, err = c.now.sess.Forward(ctx, tokens[whole:], want)
	}
	if got := c.now.sess.Len(); got < len(c.now.tokens) {
		c.now.tokens = c.now.tokens[:got] // what was finished before the error
	}
	return rows, len(c.now.tokens) - n, err
}

// expect tells the session what is coming: how far beyond the next row a
// server may be asked to look ahead, which no other session asks for; whether
// the settings need logits where log-probabilities are cheaper; and how many
// tokens a row need name (0: all).
func (c *cache) expect(s *Settings, ahead func() models.Ahead, narrow int) {
	if a, ok := c.now.sess.(models.Lookahead); ok {
		a.SetAhead(ahead())
	}
	if l, ok := c.now.sess.(models.Leveller); ok {
		l.SetLevels(s.needsLogits())
	}
	c.narrow = 0
	if n, ok := c.now.sess.(models.Narrower); ok {
		if n.SetNarrow(narrow) {
			c.narrow = narrow
		}
	}
}

// whole returns the row after tokens, naming all that it can, though the cache
// expects narrow rows.
func (c *cache) whole(ctx context.Context, tokens []int32) (models.Logits, error) {
	n := c.now.sess.(models.Narrower)
	if n.Len() == len(tokens) && c.shared(tokens) == len(tokens) {
		return n.Whole(ctx)
	}
	n.SetNarrow(0)
	rows, _, err := c.forward(ctx, tokens, 1)
	if err != nil {
		return models.Logits{}, err
	}
	return rows[0], nil
}

// copy returns a session of its own that holds the first n tokens of the
// cache, or fewer: what was read with parts off is left out, and all its parts
// are on. It is cheap if the model's sessions can fork.
func (c *cache) copy(n int) (*held, error) { return c.copyFrom(&c.now, n) }

// copyOf is copy of as many of tokens as any session of the cache holds.
func (c *cache) copyOf(tokens []int32) (*held, error) {
	best := &c.now
	for i := range c.parked {
		if h := &c.parked[i]; h.shared(tokens) > best.shared(tokens) {
			best = h
		}
	}
	return c.copyFrom(best, best.shared(tokens))
}

func (c *cache) copyFrom(h *held, n int) (*held, error) {
	if n = min(n, h.sess.Len()); h == &c.now {
		n = min(n, c.offFrom)
	}
	f, ok := h.sess.(models.Forker)
	if !ok {
		sess, err := c.model.NewSession()
		return &held{sess: sess}, err
	}
	sess, err := f.Fork()
	if err != nil {
		return nil, err
	}
	sess.Truncate(n)
	if len(c.off) > 0 {
		sess.(models.Insider).SwitchOff()
	}
	return &held{sess, append([]int32(nil), h.tokens[:n]...)}, nil
}

// replace puts h in the place of the session in use.
func (c *cache) replace(h *held) {
	c.now.sess.Close()
	c.now = *h
	c.dress()
}

// prefer puts the session that holds most of tokens in use, and parks the one
// in use if it holds more than they share.
func (c *cache) prefer(tokens []int32) {
	best, at := c.shared(tokens), -1
	for i := range c.parked {
		if n := c.parked[i].shared(tokens); n > best {
			best, at = n, i
		}
	}
	switch {
	case at >= 0:
		c.undress()
		c.now, c.parked[at] = c.parked[at], c.now
		c.dress()
	case best < len(c.now.tokens):
		h, err := c.copy(len(c.now.tokens))
		if err != nil || len(h.tokens) == 0 {
			return // parking only saves work
		}
		if len(c.parked) == maxParked {
			c.parked[0].sess.Close()
			c.parked = append(c.parked[:0], c.parked[1:]...)
		}
		c.parked = append(c.parked, *h)
	}
}

func (c *cache) size() KV {
	kv := KV{Context: c.model.Info().ContextLen}
	if c.now.sess == nil {
		return kv
	}
	kv.Used = c.now.sess.Len()
	if s, ok := c.now.sess.(models.KVSizer); ok {
		kv.Bytes, kv.FullBytes = s.KVBytes()
	}
	return kv
}
