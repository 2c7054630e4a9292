package timeline

import (
	"fmt"
	"strings"

	"logitscope/engine"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// triedWords says what the settings tried make of a step.
func triedWords(host kit.Host, l *run.Lane) string {
	s := l.Committed(l.Look.At)
	if s == nil || s.Token == l.Look.Tried.Token {
		return l.Piece(l.Look.Tried.Token, host.Screen().ASCII()) + " is drawn again"
	}
	return l.Piece(l.Look.Tried.Token, host.Screen().ASCII()) + " is drawn instead of " + l.Piece(s.Token, host.Screen().ASCII())
}

// inspect says what the step selected was like.
func (v *View) inspect(host kit.Host) {
	s, at := v.steps(host)
	if len(s) == 0 {
		host.Say("i: no token is written yet")
		return
	}
	host.Say(stepWords(host, s[at-1]))
}

// stepWords is one step in a line.
func stepWords(host kit.Host, s *engine.Step) string {
	out := fmt.Sprintf("step %s %s · rank %s · %s raw, %s final", viz.Count(s.Index), host.Lane().Piece(s.Token, host.Screen().ASCII()),
		viz.Count(int(s.Summary.Rank)), logPercent(s.Summary.RawLogprob), logPercent(s.Summary.Logprob))
	if s.Forced {
		out += " · ◆ forced"
	}
	if cue := host.Lane().Cue(s.Index); cue != "" {
		out += " · cue: " + viz.Printable(cue, host.Screen().ASCII())
	}
	return out + " · " + viz.Printable(s.Settings.Label, host.Screen().ASCII())
}

// Hints are what the footer offers; see [kit.View].
func (v *View) Hints(host kit.Host) []kit.ID { return nil }

// Footer words the hints; see [kit.Footed].
func (v *View) Footer(host kit.Host) []kit.Hint {
	run := "go on from here"
	if host.Lane().Running() {
		run = "pause"
	}
	return []kit.Hint{{ID: kit.ActRight, Keys: "←→", Word: "step"}, {ID: kit.ActDown, Keys: "↑↓", Word: "branch"}, {ID: kit.ActOpen, Word: "this step in the lab"},
		{ID: kit.ActRun, Word: run}, {Keys: "1-5", Word: "what-if"}, {ID: kit.ActCompare, Word: "compare"}, {ID: kit.ActTake, Word: "take out"}, {ID: kit.ActName},
		{ID: kit.ActNextMark, Keys: "[ ]", Word: "marks"}, {ID: kit.ActClose, Word: "back"}, {ID: kit.ActHelp}}
}

// Help is the help line while nothing was said; see [kit.Helper].
func (v *View) Help(host kit.Host) (string, viz.Ink) {
	return viz.CutTitle(v.keptLine(host), host.Screen().W-2), viz.Ink{Role: viz.Muted}
}

// keptLine says what of the texts is kept, shared and computed again.
func (v *View) keptLine(host kit.Host) string {
	l := host.Lane()
	s, _ := v.steps(host)
	rows := 0
	for _, x := range s {
		if x.Row != nil {
			rows++
		}
	}
	var parts []string
	switch {
	case rows == len(s) && rows == 1:
		parts = append(parts, "the logits of the one step are kept")
	case rows == len(s):
		parts = append(parts, fmt.Sprintf("logits of all %s steps are kept", viz.Count(rows)))
	default:
		parts = append(parts, fmt.Sprintf("logits of the last %s of %s steps are kept, older ones are computed again when looked at", viz.Count(rows), viz.Count(len(s))))
	}
	list := l.Limbs()
	if n := len(list); n > 1 {
		shared := len(list[0].Steps)
		for _, b := range list[1:] {
			shared = min(shared, run.CommonSteps(list[0].Steps, b.Steps))
		}
		who := fmt.Sprintf("%d branches share", n)
		if n == 2 {
			who = "both branches share"
		}
		if shared == 0 {
			parts = append(parts, who+" the prompt's part of the cache")
		} else {
			parts = append(parts, fmt.Sprintf("%s the first %s of the cache", who, viz.Plural(shared, "token")))
		}
	}
	if l.View.Looking > 0 {
		return strings.Join(append(parts, fmt.Sprintf("recomputing step %d …", l.View.Looking)), " · ")
	}
	return strings.Join(append(parts, viz.Plural(recomputed(l), "token")+" recomputed"), " · ")
}

// recomputed returns how many positions the model has computed more than
// once for the texts of l.
func recomputed(l *run.Lane) int {
	needed := len(l.View.Prompt)
	list := l.Limbs()
	for i, b := range list {
		n := len(b.Steps)
		if i > 0 {
			n -= b.Shared
		}
		needed += n
	}
	return max(int(l.View.ForwardPositions)-needed, 0)
}
