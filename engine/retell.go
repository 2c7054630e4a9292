package engine

import (
	"slices"

	"logitscope/models"
	"logitscope/sampling"
	"logitscope/sampling/dist"
)

// A Retelling makes the steps of a text again from rows that were recorded: it
// does what a lane does, without a model. It is a value; a copy goes its own
// way.
type Retelling struct {
	model  models.Model
	prompt []int32
	output []int32
	last   *Step
}

// Retell returns the retelling of a text that follows prompt, which m gave the
// rows of.
func Retell(m models.Model, prompt []int32) Retelling { return Retelling{model: m, prompt: prompt} }

// Next returns the step that follows from row under s: the token that a lane
// would draw there. pins are tokens to show beside the best. It tells nothing
// yet; see [Retelling.Write].
func (r *Retelling) Next(s *Settings, row *Row, pins []int32) (*Step, error) {
	step := &Step{Index: len(r.output) + 1, Pos: len(r.prompt) + len(r.output), Row: row}
	return step, traceStep(step, s, new(sampling.Scratch), r.input(s, pins))
}

func (r *Retelling) input(s *Settings, pins []int32) stepInput {
	return stepInput{prompt: r.prompt, output: r.output, pins: pins, before: r.last, left: s.left(len(r.prompt), len(r.output), r.model.Info().ContextLen)}
}

// Distribution returns what the token after the text is drawn from: row under
// s.
func (r *Retelling) Distribution(s *Settings, row *Row) (*dist.Dist, error) {
	in := r.input(s, nil)
	x := in.sampling(row)
	s.constraint.mask(in).apply(&x)
	d := new(dist.Dist)
	return d, s.Pipeline.Distribution(d, new(sampling.Scratch), x)
}

// Output returns the tokens told so far, read-only.
func (r *Retelling) Output() []int32 { return r.output }

// A Choice is how a token came to be written other than by the draw of its own
// step.
type Choice struct {
	Token    int32
	Forced   bool    // by the user
	Observed bool    // by a server
	U        float64 // by a speculative round: the u that decided
}

// Choose returns the step s with another token in place of the one it drew.
func (r *Retelling) Choose(s *Settings, row *Row, c Choice) (*Step, error) {
	drawn, err := r.Next(s, row, nil)
	if err != nil {
		return nil, err
	}
	in := r.input(s, []int32{c.Token})
	step := &Step{Index: drawn.Index, Pos: drawn.Pos, Row: row, Forced: c.Forced, Drawn: drawn.Token, Observed: c.Observed}
	if err := traceStep(step, s, new(sampling.Scratch), in); err != nil {
		return nil, err
	}
	u := c.U
	if c.Forced {
		u = step.Trace.U
	}
	step.take(c.Token, nil, in, u)
	if c.Observed {
		step.Trace.U, step.Trace.Greedy = 0, false
	}
	return step, nil
}

// Bare returns a step of which the row is not known: the text has its token,
// and what the next one needs.
func (r *Retelling) Bare(s *Settings, token int32) *Step {
	step := &Step{Index: len(r.output) + 1, Pos: len(r.prompt) + len(r.output), Token: token, Settings: s}
	in := r.input(s, nil)
	at := s.schedule.before(in)
	if set, err := s.under(at); err == nil {
		step.Settings = set
	}
	if in.before != nil {
		step.state = in.before.state
	}
	step.left = in.left
	step.after = step.Settings.constraint.before(in.before).accept(token, 0)
	if at.Of() != nil {
		step.progress = at.Accept(token)
	}
	return step
}

// Write makes step the next of the text.
func (r *Retelling) Write(step *Step) {
	r.output = append(slices.Clip(r.output), step.Token)
	r.last = step
}
