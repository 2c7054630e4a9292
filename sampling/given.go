package sampling

import (
	"fmt"
	"math"
	"slices"

	"logitscope/sampling/dist"
	"logitscope/sampling/row"
	"logitscope/sampling/value"
)

// A Given is what a step makes of a token that stands there already: the
// numbers that [Pipeline.Sample] would record had it drawn that token.
type Given struct {
	RawLogprob float32 // natural logarithm of its probability under the model
	Rank       int32   // by that probability, from 1; equals by ascending id
	RawBits    float32 // entropy of the model's distribution; of a partial row the least it can be
	Kept       bool    // the stages leave it in
	Logprob    float32 // natural logarithm of its final probability; -Inf if it is cut
	CutBy      string  // the stage that removed it; empty if it is kept
	State      State   // what the next step must be given as [Input.State]; a token that is cut moves no bound
}

// Given reads a token that stands there: no draw is made and no trace kept. Its
// error is that of [Pipeline.Sample], or says that a partial row does not name
// the token.
func (p *Pipeline) Given(s *Scratch, in Input, id int32) (g Given, err error) {
	r := &s.r
	if err := p.begin(r, in); err != nil {
		return g, err
	}
	pos, ok := r.Position(id)
	switch {
	case !ok && in.IDs != nil:
		return g, fmt.Errorf("the model names its %s best tokens alone, and %d is none of them", value.Commas(len(in.IDs)), id)
	case !ok:
		return g, fmt.Errorf("id %d is out of range, 0 to %d", id, len(in.Logits)-1)
	}
	p.prepare(s, in)
	r.RawStats(p.rawExact)
	named := 1.0
	g.RawBits = row.EntropyBits(r.RawSum, r.RawDot)
	if r.HasRest() {
		named -= float64(in.Rest)
		lo, _ := r.EntropyBounds()
		g.RawBits = float32(lo / math.Ln2)
	}
	g.RawLogprob = float32(float64(r.Raw[pos]-r.RawMax) - math.Log(r.RawSum) + math.Log(named))
	g.Rank, _ = r.RawRank(pos)
	left := func() (entry int, kept bool) {
		entry = r.Entry(pos)
		return entry, entry >= 0 && r.X[entry] > negInf
	}
	cut := func(stage string) {
		if _, kept := left(); !kept && g.CutBy == "" {
			g.CutBy = stage
		}
	}
	if in.Mask != nil {
		if err := p.run(s, nil, true, nil); err != nil {
			return g, err
		}
		cut("constraint")
	}
	for i := range p.stages {
		r.Sums()
		if err := p.run(s, nil, false, p.stages[i:i+1]); err != nil {
			return g, err
		}
		// The sums are taken where a trace takes them, so that they are equal
		// to the last bit.
		if p.stages[i].exact && !r.SumOK {
			r.Exps()
		}
		r.Sums()
		cut(p.stages[i].def.Name)
	}
	g.Logprob, g.State = float32(math.Inf(-1)), s.state
	if g.CutBy != "" {
		return g, nil
	}
	if r.final != nil {
		entry, _ := left()
		r.final.wrote(r, &g.State, r.final.probs(r), entry)
	}
	r.Exps()
	entry, _ := left()
	if g.Kept, g.Logprob = true, 0; r.Finite > 1 {
		g.Logprob = float32(float64(r.X[entry]-r.Ref) - math.Log(r.Sum))
	}
	return g, nil
}

// Carries reports whether what a step does depends on the states of steps
// before it, and not on the row and the history alone.
func (p *Pipeline) Carries() bool {
	return slices.ContainsFunc(p.stages, func(s planned) bool { return s.def.Chance || s.def.Final })
}

// Law fills d with the law that the last call of a pipeline with s ended with,
// as [Scratch.Final] does, in no particular order, which takes no sorting.
func (s *Scratch) Law(d *dist.Dist) {
	r := &s.r
	r.Exps()
	d.IDs, d.Probs = slices.Grow(d.IDs[:0], r.Finite), slices.Grow(d.Probs[:0], r.Finite)
	for i, x := range r.X[:r.N] {
		if x > negInf {
			d.IDs = append(d.IDs, r.ID(r.Pos(i)))
			d.Probs = append(d.Probs, float64(r.E[i])/r.Sum)
		}
	}
}
