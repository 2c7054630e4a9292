package run

import (
	"slices"

	"logitscope/engine"
	"logitscope/sampling/param"
)

// A Selection is what keys act on: a knob of the controls and a stage of the
// pipeline. A stage is kept though the step on the screen has fewer.
type Selection struct {
	Knob  int // index in Knobs
	Stage int
}

// Selected returns the knob that keys act on.
func (s *Selection) Selected() *param.Param { return Knobs[s.Knob] }

// SelectKnob selects the knob called key.
func (s *Selection) SelectKnob(key string) {
	if i := slices.IndexFunc(Knobs, func(p *param.Param) bool { return p.Key == key }); i >= 0 {
		s.Knob = i
	}
}

// MoveKnob selects the knob d places on, and reports whether it is another.
func (s *Selection) MoveKnob(d int) bool {
	before := s.Knob
	s.Knob = min(max(s.Knob+d, 0), len(Knobs)-1)
	return s.Knob != before
}

// StageOf is the selected one of n stages.
func (s *Selection) StageOf(n int) int { return min(s.Stage, n-1) }

// SelectStage selects stage i of n, or the nearest that there is.
func (s *Selection) SelectStage(i, n int) { s.Stage = min(max(i, 0), n-1) }

// StageName is the name of the selected stage of a step; empty where the step
// has no trace.
func (s *Selection) StageName(step *engine.Step) string {
	if step == nil || step.Trace == nil {
		return ""
	}
	list := step.Trace.Stages()
	return list[s.StageOf(len(list))].Name
}
