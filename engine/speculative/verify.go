package speculative

// A draft is what a drafter proposed.
type draft struct {
	tokens []int32
	laws   []Law     // that each token was drawn from
	judge  []Law     // to compare with in place of laws; nil: laws
	us     []float64 // the draws
}

// A coins gives the uniform numbers of a round, each in [0, 1) and used once.
type coins interface {
	draft(i int) float64  // draws the i-th token of the draft
	accept(i int) float64 // judges it
	final() float64       // draws the token that ends the round
}

// A verdict is the outcome of one verification.
type verdict struct {
	chance   []float64 // of each token judged to stand, given those before it stand
	us       []float64
	accepted int
	refused  bool // a token was refused; the rest were not judged
	final    Law  // what the last token is drawn from, normalised; empty if none
	mass     float64
	u        float64
	lo, hi   float64
	token    int32
}

// verify judges a draft. It asks laws for the target's law at each drafted
// token in turn, and for the one after the last if all stand, so an
// implementation may compute them late. If the last accepted token ends the
// text nothing is drawn after it.
func verify(m *method, d draft, target func(i int) (*Law, error), ends func(int32) bool, c coins) (verdict, error) {
	if m.block {
		return verifyBlock(d, target, ends, c)
	}
	var v verdict
	for i, x := range d.tokens {
		p, err := target(i)
		if err != nil {
			return v, v.late(err)
		}
		if d.laws[i].prob(x) < m.drop {
			// Thrown away: the round ends before it, as if it had not been
			// drafted.
			return v.close(*p, 1, c), nil
		}
		q := d.compared(i)
		chance := m.chance(p.prob(x), q.prob(x))
		u := c.accept(i)
		v.chance, v.us = append(v.chance, chance), append(v.us, u)
		if !(u < chance) {
			v.refused = true
			rest := m.rest(p, q)
			mass := rest.mass()
			return v.close(rest.scaled(), mass, c), nil
		}
		v.accepted++
	}
	return v.bonus(d, target, ends, c)
}

// chance returns the probability that a drafted token stands.
func (m *method) chance(p, q float64) float64 {
	switch {
	case m.accept != nil:
		return m.accept(p, q)
	case q <= 0:
		return 0
	}
	return min(1, p/q)
}

// rest returns what a refusal draws from. If nothing is left, which only
// rounding or a wrong algorithm can bring about, it is p.
func (m *method) rest(p, q *Law) Law {
	var rest Law
	if m.residual != nil {
		rest = m.residual(p, q)
	} else {
		rest = excess(p, q, 1)
	}
	if !(rest.mass() > 0) {
		return *p
	}
	return rest
}

func (d *draft) compared(i int) *Law {
	if d.judge != nil {
		return &d.judge[i]
	}
	return &d.laws[i]
}

func (v verdict) bonus(d draft, target func(int) (*Law, error), ends func(int32) bool, c coins) (verdict, error) {
	if n := len(d.tokens); n > 0 && ends(d.tokens[n-1]) {
		return v, nil
	}
	p, err := target(len(d.tokens))
	if err != nil {
		return v, v.late(err)
	}
	return v.close(*p, 1, c), nil
}

// late returns err unless tokens stand already: then the round ends with
// them, and the next one meets the error where plain decoding would.
func (v *verdict) late(err error) error {
	if v.accepted > 0 {
		return nil
	}
	return err
}

// close draws the round's last token from l.
func (v verdict) close(l Law, mass float64, c coins) verdict {
	v.final, v.mass, v.u = l, mass, c.final()
	v.token, v.lo, v.hi = l.Draw(v.u)
	return v
}

// verifyBlock judges the draft as a whole: w_i = min(1, w_(i-1) p/q) is what
// the first i tokens together deserve, and the longest part i with
// u_i <= h_i stands, where h_i weighs what w_i leaves to the residual of the
// next position.
func verifyBlock(d draft, target func(int) (*Law, error), ends func(int32) bool, c coins) (verdict, error) {
	var v verdict
	w := 1.0
	weight := 1.0 // w at the longest part that stands
	for i := 0; i < len(d.tokens); i++ {
		p, err := target(i)
		if err != nil && i > 0 {
			// Nothing can follow the token before, so the draft ends with it.
			d.tokens = d.tokens[:i]
			break
		}
		if err != nil {
			return v, err
		}
		w = min(1, w*ratio(p.prob(d.tokens[i]), d.laws[i].prob(d.tokens[i])))
		h := w
		if i+1 < len(d.tokens) {
			if next, err := target(i + 1); err == nil {
				h = blockChance(next, &d.laws[i+1], w)
			}
		}
		u := c.accept(i)
		v.chance, v.us = append(v.chance, h), append(v.us, u)
		if u < h {
			v.accepted, weight = i+1, w
		}
	}
	if v.accepted == len(d.tokens) {
		return v.bonus(d, target, ends, c)
	}
	v.refused = true
	p, err := target(v.accepted)
	if err != nil {
		return v, err
	}
	rest := excess(p, &d.laws[v.accepted], weight)
	mass := rest.mass()
	if !(mass > 0) {
		return v.close(*p, 1, c), nil
	}
	return v.close(rest.scaled(), mass, c), nil
}

// blockChance returns the chance that a part of weight w stands when p and q
// are the laws of the next token.
func blockChance(p, q *Law, w float64) float64 {
	rest := excess(p, q, w)
	left := rest.mass()
	if left > 0 || w < 1 {
		return left / (left + (1 - w)) // in this order it cannot exceed 1
	}
	return 1 // nothing to weigh: the laws are the same
}

func ratio(p, q float64) float64 {
	if q <= 0 {
		return 0
	}
	return p / q
}
