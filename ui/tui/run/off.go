package run

import (
	"strings"

	"logitscope/engine"
	"logitscope/engine/inside"
	"logitscope/sampling"
	"logitscope/viz"
)

// OffWords says that a model is not whole, and which parts of it are off: at
// most n of them by name.
func OffWords(off *engine.Off, n int) string {
	names := make([]string, len(off.Parts))
	for i, p := range off.Parts {
		names[i] = inside.Name(p)
	}
	return NotWhole(names, n)
}

// NotWhole is [OffWords] of the names of parts.
func NotWhole(names []string, n int) string {
	if len(names) > n {
		return "not whole: " + viz.Plural(len(names), "part") + " off"
	}
	return "not whole: " + strings.Join(names, ", ") + " off"
}

// BesideName names what a step's law is shown beside: the raw law, or where
// parts of the model are off, the whole model's under the same settings.
func BesideName(s *engine.Step) string {
	if s != nil && s.Whole != nil {
		return "whole"
	}
	return "raw"
}

// Beside is the share of a row's token in that law.
func Beside(s *engine.Step, r *sampling.Row) float64 {
	if s == nil || s.Whole == nil || s.Trace == nil {
		return float64(r.RawProb)
	}
	for i := range s.Trace.Rows() {
		if s.Trace.Rows()[i].ID == r.ID {
			return float64(s.Whole.Probs[i])
		}
	}
	return 0
}

// Apart says how far a step's law is from the whole model's.
func Apart(w *engine.WholeLaw) string {
	if w.TV == 0 {
		return "the whole model's law"
	}
	return "total variation " + viz.Percent(w.TV) + " from the whole model"
}
