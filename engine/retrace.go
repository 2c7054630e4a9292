package engine

import (
	"errors"
	"fmt"

	"logitscope/sampling"
)

// stepInput is what a step is sampled from besides its row.
type stepInput struct {
	prompt, output []int32
	pins           []int32
	before         *Step   // the step before, nil for the first
	banned         []int32 // tokens that a banned phrase would begin with here
	left           int     // tokens left under max_new_tokens, this one included
}

// previous returns the step before the n-th of steps, nil for the first.
func previous(steps []*Step, n int) *Step {
	if n == 0 {
		return nil
	}
	return steps[n-1]
}

// stateAfter is what the step after the first n is sampled with.
func stateAfter(steps []*Step, n int) sampling.State {
	if n == 0 {
		return sampling.State{}
	}
	return steps[n-1].state
}

func (in stepInput) sampling(r *Row) sampling.Input {
	x := sampling.Input{
		IDs: r.IDs, Logits: r.Values, Rest: r.Rest, Second: r.Second, Banned: in.banned,
		Prompt: in.prompt, Output: in.output, Pins: in.pins,
	}
	if in.before != nil {
		x.State = in.before.state
	}
	return x
}

// traceStep chooses the token of s from its row under set, or what set's
// schedule puts in its place there, and records how.
func traceStep(s *Step, set *Settings, scratch *sampling.Scratch, in stepInput) error {
	at := set.schedule.before(in)
	set, err := set.under(at)
	if err != nil {
		return err
	}
	x := in.sampling(s.Row)
	t := new(sampling.Trace)
	mask := set.constraint.mask(in)
	mask.apply(&x)
	id, err := set.Pipeline.Sample(t, scratch, x)
	switch {
	case errors.Is(err, sampling.ErrNothingAllowed) && s.Row.Rest > 0:
		return fmt.Errorf("the constraint allows none of the %d tokens that the server names; it allows others, which need whole rows: open the model here (FILE.gguf, ollama:NAME) or through llama-server", len(s.Row.Values))
	case err != nil:
		return err
	}
	s.Token, s.Settings, s.Trace = id, set, t
	if s.Row.Whole != nil {
		s.Whole = wholeLaw(set, scratch, x, s.Row.Whole, t)
	}
	s.Summary, s.state, s.left, s.banned = summarise(t), t.State, in.left, in.banned
	s.Constraint, s.after = mask.record(t), mask.accept(id, t.Constraint.Bits)
	if at.Of() != nil {
		s.progress = at.Accept(id)
	}
	return nil
}

var errNoRow = errors.New("the logits of this step are no longer kept")

// Input returns what step k of v was sampled from, k from 0; k = len(v.Steps)
// is the proposal. The input refers to v and must not be modified. It returns
// an error if the step's row is no longer kept or there is no such step.
func (v View) Input(k int) (sampling.Input, error) {
	s := v.Step(k)
	if s == nil || s.Row == nil {
		return sampling.Input{}, errNoRow
	}
	in := v.stepInput(k)
	x := in.sampling(s.Row)
	s.Settings.constraint.mask(in).apply(&x)
	return x, nil
}

// InputUnder is [View.Input] with the constraint of set in the place of the
// one the step was made under, as if it had held from the first token.
func (v View) InputUnder(k int, set *Settings) (sampling.Input, error) {
	s := v.Step(k)
	if s == nil || s.Row == nil {
		return sampling.Input{}, errNoRow
	}
	in := v.stepInput(k)
	x := in.sampling(s.Row)
	set.constraint.maskAt(set.constraint.through(in.output), in.left).apply(&x)
	return x, nil
}

// SettingsAt returns the settings that are in force at step k of v where set
// was given: rules of a schedule that hold after the text before it stand over
// set.
func (v View) SettingsAt(k int, set *Settings) (*Settings, error) {
	return set.under(set.schedule.before(v.stepInput(k)))
}

// Retrace returns step k of v as it would be under set: a what-if. It runs no
// forward pass and changes nothing. k is as in [View.Input]. The trace follows
// pins, at most [sampling.MaxPins], in place of the tokens pinned so far.
func (v View) Retrace(k int, set *Settings, pins ...int32) (*Step, error) {
	old := v.Step(k)
	if old == nil || old.Row == nil {
		return nil, errNoRow
	}
	var scratch sampling.Scratch
	in := v.stepInput(k)
	if pins != nil {
		in.pins = pins
	}
	if old.Observed {
		return observe(old, set, &scratch, in)
	}
	s := &Step{Index: old.Index, Pos: old.Pos, Took: old.Took, Row: old.Row, Off: old.Off}
	if err := traceStep(s, set, &scratch, in); err != nil {
		return nil, err
	}
	return s, nil
}

// Step returns step k of v, from 0, the proposal for k = len(v.Steps), or nil. A step
// whose row was recomputed stands in for the one that lost it.
func (v View) Step(k int) *Step {
	if v.Looked != nil && v.Looked.Index == k+1 {
		return v.Looked
	}
	switch {
	case k >= 0 && k < len(v.Steps):
		return v.Steps[k]
	case k == len(v.Steps):
		return v.Next
	}
	return nil
}

// output returns the tokens of the first k steps.
func (v View) output(k int) []int32 {
	out := make([]int32, k)
	for i, s := range v.Steps[:k] {
		out[i] = s.Token
	}
	return out
}

func (v View) stepInput(k int) stepInput {
	in := stepInput{prompt: v.Prompt, output: v.output(k), before: previous(v.Steps, k)}
	if s := v.Step(k); s != nil {
		in.left, in.banned = s.left, s.banned
		if s.Trace != nil {
			for _, r := range s.Trace.Rows() {
				if r.Pinned {
					in.pins = append(in.pins, r.ID)
				}
			}
		}
	}
	return in
}
