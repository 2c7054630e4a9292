package run

import (
	"fmt"

	"logitscope/engine"
	"logitscope/viz"
)

// Phases are the glyph and word of each phase.
var Phases = [...]struct{ Glyph, Word string }{
	engine.Idle: {"‖", "no prompt"}, engine.Prefill: {"»", "prefilling"}, engine.Running: {"►", "decoding"},
	engine.Paused: {"‖", "paused"}, engine.Done: {"■", "done"}, engine.Failed: {"!", "failed"},
}

// PhaseWords say what the lane is doing, and where.
func PhaseWords(l *Lane) string {
	p := Phases[l.View.Phase]
	s := p.Glyph + " " + p.Word
	switch {
	case l.WaitingLine() != "":
		return "… waiting for the server"
	case l.View.Phase == engine.Running && l.Observing():
		return p.Glyph + " watching"
	case l.View.Looking > 0:
		return fmt.Sprintf("‖ recomputing step %s …", viz.Count(l.View.Looking))
	case l.Look.At > 0 && l.Look.Under != nil:
		return fmt.Sprintf("‖ what-if at step %s of %s", viz.Count(l.Look.At), viz.Count(len(l.View.Steps)))
	case l.Look.At > 0:
		return fmt.Sprintf("‖ step %s of %s", viz.Count(l.Look.At), viz.Count(len(l.View.Steps)))
	case l.View.Phase == engine.Done:
		return s + ": " + EndWords(l)
	case l.View.Phase == engine.Failed:
		return fmt.Sprintf("%s at step %s", s, viz.Count(len(l.View.Steps)+1))
	case l.View.Phase == engine.Running && l.View.Next == nil && len(l.View.Steps) == 0:
		return s
	}
	return s
}

// StrategyWords says what a lane does that draws no token.
func StrategyWords(l *Lane) string {
	switch v := l.View; {
	case v.Beam != nil && v.Beam.Last() == nil:
		return "beam search · no step yet"
	case v.Beam != nil:
		return fmt.Sprintf("beam search · %d running · %d finished", len(v.Beam.Running()), len(v.Beam.Finished()))
	case v.Contrastive != nil:
		return "contrastive search: the best of its candidates, no draw"
	case v.Phase == engine.Prefill:
		return "reading the prompt"
	case l.Look.At > 0:
		return fmt.Sprintf("recomputing step %s …", viz.Count(l.Look.At))
	case v.Phase == engine.Failed && v.Err != nil:
		return "! " + viz.Printable(viz.FirstLine(v.Err.Error()), true)
	}
	return "no step yet"
}

// nonZero is a count of parameters, "" where it is not known.
func nonZero(params int64) string {
	if params == 0 {
		return ""
	}
	return viz.Params(params)
}
