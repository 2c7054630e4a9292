package compare

import (
	"math"
	"slices"

	"logitscope/engine"
	"logitscope/sampling"
	"logitscope/sampling/dist"
)

// A Parting is the first place where the texts of two lanes differ, and why.
type Parting struct {
	Step  int // from 0; len(Steps) of both means the proposals differ
	U     float64
	Race  bool // both lanes raced: times say why, and not intervals
	A, B  Side
	Alone []Change // one setting at a time, from A's towards B's
}

// A Side is one lane at the parting.
type Side struct {
	Token  int32
	Lo, Hi float64 // interval of the cumulative distribution that holds Token
	// OtherHi is where the other lane's token ends in this lane's cumulative
	// distribution; 0 if it did not survive here.
	OtherHi float64
	Cut     string // the stage that removed the other lane's token here, empty if it survived

	// Time is when Token came in, OtherTime when the other lane's token would
	// have: +Inf if it did not survive here. Of a race alone.
	Time, OtherTime float64
}

// A Change is what one setting of lane B does to lane A at the parting.
type Change struct {
	Key   string
	Token int32   // what A would draw with it
	Hi    float64 // where A's token would end; 0 if it would be cut
	Time  float64 // when A's token would come in; +Inf if it would be cut. Of a race alone
	Makes bool    // it alone leads to B's token
}

// Differ returns the first step at which the texts of a and b differ, looking
// at what both have written and then at their proposals, and whether there is
// one.
func Differ(a, b engine.View) (int, bool) {
	n := min(len(a.Steps), len(b.Steps))
	for i := range n {
		if a.Steps[i].Token != b.Steps[i].Token {
			return i, true
		}
	}
	x, y := a.Step(n), b.Step(n)
	if x != nil && y != nil && x.Token != y.Token {
		return n, true
	}
	return 0, false
}

// Explain says why a and b part at step k. compile turns a configuration into
// settings of a's model. It returns an error where a row is no longer kept.
func Explain(a, b engine.View, k int, compile func(sampling.Config) (*engine.Settings, error)) (Parting, error) {
	x, y := a.Step(k), b.Step(k)
	p := Parting{Step: k, U: x.Trace.U, Race: x.Trace.Race.Ran && y.Trace.Race.Ran}
	var scratch sampling.Scratch
	var err error
	if p.A, err = side(a, k, x, y.Token, &scratch); err != nil {
		return p, err
	}
	if p.B, err = side(b, k, y, x.Token, &scratch); err != nil {
		return p, err
	}
	from, to := x.Settings.Config(), y.Settings.Config()
	for _, key := range from.Differences(to) {
		cfg := from
		if s, ok := to.Lookup(key); ok {
			if cfg, err = from.With(key, s.Value, s.Origin); err != nil {
				continue
			}
		} else {
			cfg = from.Without(key)
		}
		set, err := compile(cfg)
		if err != nil {
			continue // the setting makes no sense alone
		}
		s, err := a.Retrace(k, set)
		if err != nil {
			return p, err
		}
		c := Change{Key: key, Token: s.Token, Makes: s.Token == y.Token}
		if c.Hi, c.Time, err = place(a, k, s, x.Token, &scratch); err != nil {
			return p, err
		}
		p.Alone = append(p.Alone, c)
	}
	return p, nil
}

func side(v engine.View, k int, s *engine.Step, other int32, scratch *sampling.Scratch) (Side, error) {
	p := Side{Token: s.Token, Lo: s.Trace.Lo, Hi: s.Trace.Hi, Time: s.Trace.Race.Time}
	var err error
	if p.OtherHi, p.OtherTime, err = place(v, k, s, other, scratch); err != nil {
		return p, err
	}
	if r := s.Trace.Row(other); r != nil && r.Cut != sampling.NoStage {
		p.Cut = s.Trace.Stages()[r.Cut].Name
	}
	return p, nil
}

// place returns where token id ends in the cumulative distribution of step k
// of v under the settings of s, and when it comes in if they race; 0 and +Inf
// if it does not survive.
func place(v engine.View, k int, s *engine.Step, id int32, scratch *sampling.Scratch) (hi, time float64, err error) {
	in, err := v.Input(k)
	if err != nil {
		return 0, 0, err
	}
	var d dist.Dist
	set := s.Settings.Pipeline
	if err := set.Distribution(&d, scratch, in); err != nil {
		return 0, 0, err
	}
	i := slices.Index(d.IDs, id)
	if i < 0 {
		return 0, math.Inf(1), nil
	}
	for _, p := range d.Probs[:i+1] {
		hi += p
	}
	return hi, set.ArrivalTimes(&d, in.Pos(), s.Trace.Constraint.Redrawn)[i], nil
}
