package engine

import (
	"context"
	"math"
	"slices"

	"logitscope/models"
	"logitscope/sampling"
	"logitscope/sampling/dist"
)

// Parts of a lane's model can be switched off, from the step at hand on until
// they are taken back. What was read before stays as the whole model read it.
// Every step then has the whole model's row beside its own, which comes from a
// second session that reads the same text.

// An Off is what a step's row was made without.
type Off struct {
	Parts []models.Part
	From  int // the first position that was read without them
}

// Count returns how many parts are off; none for nil.
func (o *Off) Count() int {
	if o == nil {
		return 0
	}
	return len(o.Parts)
}

// A SwitchOff command switches parts off, in place of those before; none takes
// all back, as a Start does. What was read without the parts before is read again. The proposal
// is made anew. It does nothing for a model whose layers are not to be seen, or
// a lane that searches or watches a server.
type SwitchOff struct{ Parts []models.Part }

func (SwitchOff) command() {}

func (l *Lane) switchOff(parts []models.Part) {
	if l.search != nil || l.observing() || slices.Equal(parts, l.cache.off) || !l.cache.switchOff(parts, max(0, len(l.tokens)-1)) {
		return
	}
	l.dropDecoder()
	l.intact.close()
	if l.err == nil && l.ended() != "" {
		return
	}
	l.invalidate()
}

// makeWhole puts all parts on for a text that begins.
func (l *Lane) makeWhole() {
	if len(l.cache.off) > 0 {
		l.cache.switchOff(nil, 0)
		l.intact.close()
	}
}

// off returns what the lane's next row is made without; nil for nothing.
func (l *Lane) off() *Off {
	if len(l.cache.off) == 0 {
		return nil
	}
	return &Off{l.cache.off, min(l.cache.offFrom, max(0, len(l.tokens)-1))}
}

// addWhole gives row the whole model's beside its own.
func (l *Lane) addWhole(ctx context.Context, row *Row) error {
	if l.cache.off == nil {
		return nil
	}
	if l.intact.model == nil {
		h, err := l.cache.copy(len(l.tokens))
		if err != nil {
			return err
		}
		l.intact.model, l.intact.cache = l.model, cache{model: l.model, now: *h, offFrom: math.MaxInt}
	}
	values, err := l.forwardBeside(ctx, &l.intact, l.tokens)
	row.Whole = values
	return err
}

// A WholeLaw is the law of the whole model under a step's settings, beside the
// step's own, which was made with parts off.
type WholeLaw struct {
	Probs []float32 // of the tokens of the trace's rows, in their order
	TV    float64   // total variation between the two laws, 0 to 1
}

// wholeLaw works it out for a step that was traced from x; nil where the whole
// model leaves nothing to choose.
func wholeLaw(set *Settings, scratch *sampling.Scratch, x sampling.Input, whole []float32, t *sampling.Trace) *WholeLaw {
	var cut, law dist.Dist
	if set.Pipeline.Distribution(&cut, scratch, x) != nil {
		return nil
	}
	x.Logits = whole
	if set.Pipeline.Distribution(&law, scratch, x) != nil {
		return nil
	}
	w := &WholeLaw{TV: dist.TotalVariation(&law, &cut)}
	for _, r := range t.Rows() {
		w.Probs = append(w.Probs, float32(law.Prob(r.ID)))
	}
	return w
}

// switchOff makes the session leave parts out of position from, or of an earlier
// one that others are left out of, and of those after it. What it read without
// others it forgets. It reports whether the model can.
func (c *cache) switchOff(parts []models.Part, from int) bool {
	s, ok := c.now.sess.(models.Insider)
	if !ok {
		return false
	}
	if c.off != nil {
		c.mend()
	}
	if c.off, c.offFrom = parts, min(c.offFrom, from); len(parts) == 0 {
		c.off, c.offFrom = nil, math.MaxInt
	}
	c.mend()
	s.SwitchOff(c.off...)
	return true
}

// readWhole reads what the session lacks of the tokens before the first that
// parts are left out of, with all parts on, and returns how many tokens it then
// holds. A row that is needed is made without the parts, wherever the text was
// taken back to.
func (c *cache) readWhole(ctx context.Context, tokens []int32, want int) (n int, err error) {
	if want > 0 {
		c.offFrom = min(c.offFrom, len(tokens)-1)
	}
	s := c.now.sess.(models.Insider)
	n = s.Len()
	if to := min(c.offFrom, len(tokens)); n < to {
		s.SwitchOff()
		_, err = s.Forward(ctx, tokens[n:to], 0)
		s.SwitchOff(c.off...)
		n = s.Len()
	}
	return n, err
}

// mend drops from the session in use what was read with parts off.
func (c *cache) mend() {
	if c.offFrom < c.now.sess.Len() {
		c.now.sess.Truncate(c.offFrom)
		c.now.tokens = c.now.tokens[:c.offFrom]
	}
}

// dress makes a session that came into use, and is whole, leave out what the
// lane does, from the next row on.
func (c *cache) dress() {
	c.offFrom = math.MaxInt
	if s, ok := c.now.sess.(models.Insider); ok && len(c.off) > 0 {
		s.SwitchOff(c.off...)
	}
}

// undress returns to the whole model before the session goes out of use.
func (c *cache) undress() {
	if len(c.off) == 0 {
		return
	}
	c.mend()
	c.now.sess.(models.Insider).SwitchOff()
}

// A Lend command asks for a copy of the lane's session with as much as it holds
// of the first Len tokens of the text, prompt included, for somebody who looks
// into the model. Parts that are off stay off from where they are. To must have
// room for one answer.
type Lend struct {
	Len int
	To  chan<- Lent
}

func (Lend) command() {}

// A Lent is a session that the receiver must close, and the tokens that were
// asked for; it may hold fewer. Of a lane that keeps none it is nil.
type Lent struct {
	Session models.Session
	Tokens  []int32
	Err     error
}

func (l *Lane) lend(c Lend) {
	n := max(0, min(c.Len, len(l.tokens)))
	out := Lent{Tokens: slices.Clone(l.tokens[:n])}
	if l.cache.now.sess != nil {
		var h *held
		if h, out.Err = l.cache.copy(n); out.Err == nil {
			out.Session = h.sess
		}
	}
	c.To <- out
}
