package record

import (
	"fmt"

	"logitscope/engine"
	"logitscope/models/tape"
	"logitscope/sampling"
)

// A Told is a step of a recording as a lane would have it.
type Told struct {
	Step  *engine.Step
	Under *engine.Settings // what the lane was told
	At    float64          // milliseconds since the run began; 0 if the file does not say
	Off   []string         // parts of the model that were off, by name; nil for none
}

// Tell makes the steps of a branch again, for the screen: the traces are
// derived from the rows, as far as those go, the tokens are those of the file.
// c compiles for the take's model, or one that stands for it.
func (t *Take) Tell(c *engine.Compiler, branch int) ([]Told, error) {
	settings := map[int]*engine.Settings{}
	telling := engine.Retell(t.Model, t.Run.PromptTokens)
	var out []Told
	for _, e := range t.Path(branch) {
		set, ok := settings[e.Config]
		if !ok {
			var err error
			if set, err = c.Settings(t.tellable(e.Config), t.configs[e.Config].Preset); err != nil {
				return nil, &tape.LineError{Line: e.Line, Err: fmt.Errorf("the settings of this step: %w", err)}
			}
			settings[e.Config] = set
		}
		step := tellStep(&telling, e.Step, t.row(e.Step, telling.Output()), set)
		telling.Write(step)
		told := Told{Step: step, Under: set, Off: e.Step.Off}
		if e.Step.At != nil {
			told.At = *e.Step.At
		}
		out = append(out, told)
	}
	return out, nil
}

// Settings returns the settings that the run began under, for a compiler as
// for [Take.Tell].
func (t *Take) Settings(c *engine.Compiler) (*engine.Settings, error) {
	return c.Settings(t.tellable(0), t.configs[0].Preset)
}

// tellable is configuration i without what the file cannot make again: a
// constraint over tokens that it does not name.
func (t *Take) tellable(i int) (cfg sampling.Config) {
	cfg = t.configs[i].Config.Without("schedule")
	if !t.Model.Vocab().(*tape.Vocab).Complete() {
		cfg = cfg.Without("constraint")
	}
	return cfg
}

func tellStep(r *engine.Retelling, s *Step, row *engine.Row, set *engine.Settings) *engine.Step {
	if row == nil {
		return r.Bare(set, s.Token)
	}
	if !s.Forced && !s.Observed && s.Round == 0 {
		if step, err := r.Next(set, row, nil); err == nil && step.Token == s.Token {
			return step
		}
	}
	c := engine.Choice{Token: s.Token, Forced: s.Forced, Observed: s.Observed}
	if s.U != nil {
		c.U = *s.U
	}
	if step, err := r.Choose(set, row, c); err == nil {
		return step
	}
	return r.Bare(set, s.Token)
}

// row returns the row of a step after output as its model gives it, nil if the
// file has none: its own, or what its best tokens tell.
func (t *Take) row(s *Step, output []int32) *engine.Row {
	kept := s.Kept
	if kept == nil {
		kept = t.Model.RowAfter(append(t.Run.PromptTokens[:len(t.Run.PromptTokens):len(t.Run.PromptTokens)], output...))
	}
	if kept == nil {
		return nil
	}
	l := kept.Logits()
	return &engine.Row{IDs: l.IDs, Values: l.Values, Rest: l.Rest, Second: kept.Second}
}
