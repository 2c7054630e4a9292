package compare

import (
	"fmt"
	"math"
	"slices"

	"logitscope/engine"
	"logitscope/sampling"
	"logitscope/sampling/dist"
)

// A Law is settings, and where the row is that they act on.
type Law struct {
	Settings *engine.Settings
	// From is the lane of another model, whose step stands after the same
	// text; nil where the text's own row is the one.
	From *engine.View
}

// A Reading is one step of a text under several laws: one context, so that
// they can be compared whatever wrote the text.
type Reading struct {
	Chances   []Chance        // of the token of the text, by law
	Distances []dist.Distance // from the first law, A, to each law, B; the first is 0
}

// A Chance is what a law makes of the token that stands there.
type Chance struct {
	Kept bool
	Prob float64 // 0 if it is not kept
}

// A Meter reads texts under laws. It reuses its memory; the zero value is
// ready. It must not be used by two goroutines at a time.
type Meter struct {
	scratch sampling.Scratch
	laws    []dist.Dist
	meter   dist.Meter
}

// Read reads step k of v, from 0, under laws, whatever it was written under; k
// = len(v.Steps) is the proposal. It returns an error where a row is no longer
// kept, and one of which [sampling.IsDeadEnd] holds where a law leaves no token
// of the row.
func (m *Meter) Read(v engine.View, k int, laws ...Law) (Reading, error) {
	var r Reading
	s := v.Step(k)
	if s == nil {
		return r, fmt.Errorf("no step %d", k+1)
	}
	for len(m.laws) < len(laws) {
		m.laws = append(m.laws, dist.Dist{})
	}
	for i, law := range laws {
		d := &m.laws[i]
		if err := m.law(d, v, k, law); err != nil {
			return r, err
		}
		c := Chance{}
		if at := slices.Index(d.IDs, s.Token); at >= 0 {
			c = Chance{true, d.Probs[at]}
		}
		r.Chances = append(r.Chances, c)
		r.Distances = append(r.Distances, m.meter.Between(&m.laws[0], d))
	}
	return r, nil
}

func (m *Meter) law(d *dist.Dist, v engine.View, k int, law Law) error {
	if law.From != nil {
		v = *law.From
	}
	set, err := v.SettingsAt(k, law.Settings)
	if err != nil {
		return err
	}
	in, err := v.InputUnder(k, set)
	if err != nil {
		return err
	}
	return set.Pipeline.Distribution(d, &m.scratch, in)
}

// Readings are what the readings of a text come to, under the laws A and B. The
// zero value is ready.
type Readings struct {
	dist.Distances
	A, B Cross
}

// Add counts a step by its number, from 1: the distance from A to B there, and
// what each makes of the token.
func (s *Readings) Add(step int, d dist.Distance, a, b Chance) {
	s.Distances.Add(step, d)
	s.A.Add(a)
	s.B.Add(b)
}

// A Cross is the likelihood of a text under a law: its tokens that the law
// keeps, and how many it could not have written.
type Cross struct {
	Kept, Impossible int
	bits             float64
}

// Add counts the next token.
func (c *Cross) Add(x Chance) {
	if !x.Kept {
		c.Impossible++
		return
	}
	c.Kept++
	c.bits -= math.Log2(max(x.Prob, math.SmallestNonzeroFloat64))
}

// BitsPerToken is the mean of -log2 p over the tokens that are kept, NaN if
// there is none.
func (c *Cross) BitsPerToken() float64 {
	if c.Kept == 0 {
		return math.NaN()
	}
	return c.bits / float64(c.Kept)
}
