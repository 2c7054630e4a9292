package sampling

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"logitscope/sampling/luck"
	"logitscope/sampling/row"
	"logitscope/sampling/value"
)

// A Pipeline is an ordered list of stages that ends in a draw, compiled from
// a [Config] by [Compile]. It is immutable and safe for concurrent use.
type Pipeline struct {
	cfg      Config
	order    Order
	eng      *Engine
	stages   []planned
	procs    int // stages before the first warper
	greedy   bool
	repair   bool
	plain    bool   // the list ends with an adaptive-p that is off, which draws in its own way
	instead  *Chain // what takes the place of the usual chain; nil if nothing does
	draw     DrawKind
	seed     uint64
	keep     int
	rawExact bool // what follows goes on with the model's own exponentials
	vocab    int  // width of the vocabulary; 0 if unknown
	noPiece  []int32
	eos      []int32
	v        Vocab

	checkAfter bool // a constraint is checked after the draw

	notes  []Note
	values map[string]any // values an engine put in place of what was set
}

type planned struct {
	def     *Stage
	label   string
	setting string
	s       Action
	exact   bool // what follows goes on with the exponentials it leaves
}

// Config returns the settings the pipeline was compiled from.
func (p *Pipeline) Config() Config { return p.cfg }

// Order returns the order of the pipeline.
func (p *Pipeline) Order() Order { return p.order }

// Adjusted returns what the engine changed about the settings, in words. The
// caller must not change it.
func (p *Pipeline) Adjusted() []Note { return p.notes }

// ChecksAfterDraw reports whether a constraint is held against the token drawn,
// which is drawn again under its mask if refused, instead of masking first.
func (p *Pipeline) ChecksAfterDraw() bool { return p.checkAfter }

// Greedy reports whether the pipeline takes the best token without a draw.
func (p *Pipeline) Greedy() bool { return p.greedy }

// EOS returns the tokens that end the text: those of eos_token_id if it is set,
// else the vocabulary's. The caller must not change it.
func (p *Pipeline) EOS() []int32 { return p.eos }

// StageNames returns the names of the stages that are on, in order.
func (p *Pipeline) StageNames() []string {
	names := make([]string, len(p.stages))
	for i, s := range p.stages {
		names[i] = s.def.Name
	}
	return names
}

// Seconds returns what the stages that are on weigh the row against; none if
// no stage needs a second row.
func (p *Pipeline) Seconds() (kinds []SecondRow) {
	for _, s := range p.stages {
		if k := s.def.Second; k != NoSecond && !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// An Input is what a step is decided from. Nothing it points to is modified
// or kept.
type Input struct {
	IDs    []int32   // the tokens Logits scores; nil: Logits[i] scores token i
	Logits []float32 // unnormalised log-probabilities
	Second []float32 // another model's or prompt's logits, in the places of Logits; nil: there is none
	Rest   float32   // probability a partial row leaves to the tokens it does not name

	Prompt, Output []int32 // the history: tokens given and tokens generated

	// Grows says that since the last call with the same Scratch the history has
	// only grown, in the same memory: what counts its tokens may go on.
	Grows bool

	// Mask is what a constraint allows: bit id%64 of word id/64. Tokens that
	// end the text are allowed if MaskEOS, whatever their bits. A nil Mask
	// allows everything.
	Mask    []uint64
	MaskEOS bool

	// Banned are tokens that stay in the row and are less likely than all
	// others: the first ones of phrases that are not to be written.
	Banned []int32

	Pins  []int32 // tokens the trace follows wherever they rank, at most MaxPins
	State State   // of the step before
}

// Pos returns the position of the token to choose: how many came before.
func (in Input) Pos() int { return len(in.Prompt) + len(in.Output) }

// Scratch is the memory a pipeline works in. Its zero value is ready; it
// grows to the size of the vocabulary and is reused from call to call. It
// must not be used by two goroutines at a time, but may be used with any
// number of pipelines.
type Scratch struct {
	r     step
	rec   recorder
	mt    [2]luck.MT
	pcg   luck.PCG
	state State
	tr    Trace
}

// State is what the step after the last one must be given as [Input.State].
func (s *Scratch) State() State { return s.state }

// An InvalidLogitsError reports a row that is not a distribution.
type InvalidLogitsError struct {
	NaN, PosInf, Of int // of the row's logits, how many are NaN and +Inf
}

func (e *InvalidLogitsError) Error() string {
	switch {
	case e.NaN > 0:
		return fmt.Sprintf("%s of %s logits are NaN", value.Commas(e.NaN), value.Commas(e.Of))
	case e.PosInf > 0:
		return fmt.Sprintf("%s of %s logits are +Inf", value.Commas(e.PosInf), value.Commas(e.Of))
	}
	return fmt.Sprintf("all %s logits are -Inf", value.Commas(e.Of))
}

// ErrNothingAllowed means the constraint allows none of the tokens the row
// has.
var ErrNothingAllowed = errors.New("the constraint allows none of the tokens")

var errNoneLeft = errors.New("leaves no token to choose")

// IsDeadEnd reports whether err means that the constraint or a stage leaves no
// token to choose, rather than that something is wrong with the row.
func IsDeadEnd(err error) bool {
	return errors.Is(err, ErrNothingAllowed) || errors.Is(err, errNoneLeft)
}

func invalidLogits(x []float32) error {
	e := &InvalidLogitsError{Of: len(x)}
	for _, v := range x {
		switch {
		case v != v:
			e.NaN++
		case v > math.MaxFloat32:
			e.PosInf++
		}
	}
	return e
}

// begin loads a step into the row.
func (p *Pipeline) begin(r *step, in Input) error {
	if in.IDs != nil && len(in.IDs) != len(in.Logits) {
		return fmt.Errorf("%d token ids for %d logits", len(in.IDs), len(in.Logits))
	}
	if len(in.Logits) == 0 {
		return errors.New("the row has no logits")
	}
	r.in, r.final, r.err = in, nil, nil
	r.HistoryGrows = in.Grows
	r.Vocab = p.vocab
	if !r.Row.Begin(in.IDs, in.Logits, in.Rest, p.noPiece, p.repair) {
		return invalidLogits(r.Raw)
	}
	return nil
}

// run applies the mask, if masked, and the stages to a row that has begun.
func (p *Pipeline) run(s *Scratch, rec *recorder, masked bool, stages []planned) error {
	r := &s.r
	if masked && r.in.Mask != nil {
		rec.before(r)
		if err := p.applyMask(r); err != nil {
			return err
		}
		rec.after(r, StageTrace{Name: "constraint", Label: "constraint"}, false)
	}
	if len(r.in.Banned) > 0 {
		rec.before(r)
		r.sink(r.in.Banned)
		rec.after(r, StageTrace{Name: "banned", Label: "banned"}, false)
	}
	for i := range stages {
		st := &stages[i]
		rec.before(r)
		before := r.Finite
		st.s.apply(r)
		r.FollowRest(before, countOf(st.s), st.def.Warper)
		switch {
		case r.err != nil:
			return fmt.Errorf("%s: %w", st.def.Name, r.err)
		case r.Finite == 0:
			return fmt.Errorf("%s %w", st.label, errNoneLeft)
		}
		if (r.Scaled != 0 || r.Touched > 0) && math.IsInf(float64(r.Max()), 1) {
			return fmt.Errorf("after %s %w", st.label, invalidLogits(r.X[:r.N]))
		}
		rec.after(r, StageTrace{Name: st.def.Name, Label: st.label, Setting: st.setting}, st.exact)
	}
	return nil
}

// sink lowers tokens below all others, as koboldcpp does with the first ones
// of banned phrases.
func (r *step) sink(ids []int32) {
	floor := float32(r.Least()) - 8
	for _, id := range ids {
		if pos, ok := r.Position(id); ok {
			if i := r.Entry(pos); i >= 0 && r.X[i] > negInf {
				r.Set(i, floor)
			}
		}
	}
}

// allows reports whether the constraint allows a token.
func (p *Pipeline) allows(in *Input, id int32) bool {
	for _, e := range p.eos {
		if e == id {
			return in.MaskEOS
		}
	}
	return row.MaskHas(in.Mask, id)
}

// applyMask leaves the tokens that the constraint allows. The engines with an
// array keep the others in it at -Inf.
func (p *Pipeline) applyMask(r *step) error {
	mask := r.in.Mask
	if len(p.eos) > 0 {
		mask = append(r.maskBuf[:0], mask...)
		for _, id := range p.eos {
			if id < 0 {
				continue
			}
			for int(id)/64 >= len(mask) {
				mask = append(mask, 0)
			}
			mask[id/64] &^= 1 << (id % 64)
			if r.in.MaskEOS {
				mask[id/64] |= 1 << (id % 64)
			}
		}
		r.maskBuf = mask
	}
	if p.eng.Arrays {
		r.Bury(mask)
	} else {
		r.KeepMask(mask)
	}
	if r.Finite == 0 {
		return ErrNothingAllowed
	}
	return nil
}

// Sample chooses the next token and records the choice in t, which it
// overwrites. It does not allocate once s has grown. The error says in words
// why no token can be chosen: the logits are NaN or all -Inf, or the
// constraint allows none of them.
func (p *Pipeline) Sample(t *Trace, s *Scratch, in Input) (int32, error) {
	*t = Trace{}
	r := &s.r
	checked := in.Mask != nil && p.checkAfter
	if err := p.begin(r, in); err != nil {
		return -1, err
	}
	p.prepare(s, in)
	state := &s.state
	rec := &s.rec
	rec.begin(p, r, t)
	if err := p.run(s, rec, !checked, p.stages); err != nil {
		return -1, err
	}
	d := p.choose(s, state, streamDraw)
	redrawn := false
	if checked && !p.allows(&in, r.ID(r.Pos(d.entry))) {
		redrawn = true
		if err := p.begin(r, in); err != nil {
			return -1, err
		}
		// Mirostat's and adaptive-p's bounds move once a step; only the
		// generators go on.
		state.Mu, state.AdaptWeighted, state.AdaptTotal = in.State.Mu, in.State.AdaptWeighted, in.State.AdaptTotal
		if !in.State.Started {
			*state = p.restart(*state)
		}
		rec.begin(p, r, t)
		if err := p.run(s, rec, true, p.stages); err != nil {
			return -1, err
		}
		d = p.choose(s, state, streamRedraw)
	}
	rec.finish(r, d)
	if in.Mask != nil {
		p.traceConstraint(t, r, redrawn)
	}
	t.State = *state
	return t.Token, nil
}

// prepare gives the row the state a step begins with.
func (p *Pipeline) prepare(s *Scratch, in Input) {
	s.state = p.startState(in.State)
	s.r.state, s.r.mt = &s.state, &s.mt
}

// restart returns a state with fresh bounds that keeps the generators' place.
func (p *Pipeline) restart(s State) State {
	f := p.startState(State{})
	f.Draws, f.XTCDraws = s.Draws, s.XTCDraws
	return f
}

// traceConstraint fills what the mask did to the model's distribution.
func (p *Pipeline) traceConstraint(t *Trace, r *step, redrawn bool) {
	c := &t.Constraint
	c.Active, c.EOS, c.Redrawn = true, r.in.MaskEOS, redrawn
	var mass float64
	for pos := range r.Raw {
		if r.Raw[pos] > negInf && p.allows(&r.in, r.ID(int32(pos))) {
			c.Allowed++
			mass += float64(r.RawE[pos])
		}
	}
	c.Mass = float32(mass / r.RawSum)
	c.Bits = float32(-math.Log2(mass / r.RawSum))
}
