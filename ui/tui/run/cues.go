package run

import (
	"maps"

	"logitscope/viz"
)

// Looking returns the step of the token looked at, from 1: that of the
// proposal where no token of the past is shown.
func (l *Lane) Looking() int {
	if l.Look.At > 0 {
		return l.Look.At
	}
	return len(l.View.Steps) + 1
}

// cuePos is where the token of a step stands in the text, prompt included, as
// recordings count.
func (l *Lane) cuePos(step int) int { return len(l.View.Prompt) + step - 1 }

// Cue returns the words of the cue at a step, empty for none.
func (l *Lane) Cue(step int) string { return l.Cues[l.cuePos(step)] }

// SetCue puts a cue at the token of a step, or takes it out where text is
// empty.
func (ls *Lanes) SetCue(l *Lane, step int, text string) {
	cues := maps.Clone(l.Cues)
	if cues == nil {
		cues = map[int]string{}
	}
	if text == "" {
		delete(cues, l.cuePos(step))
	} else {
		cues[l.cuePos(step)] = text
	}
	l.Cues = cues // whoever has the old ones keeps them
	if ls.Cued != nil {
		ls.Cued(l)
	}
}

// TakeOutCue takes out the cue at the token of a step, and reports whether
// there was one.
func (ls *Lanes) TakeOutCue(l *Lane, step int) bool {
	text := l.Cue(step)
	if text == "" {
		return false
	}
	ls.SetCue(l, step, "")
	ls.Say("the cue is taken out: " + viz.Printable(text, ls.ascii))
	return true
}

// SayCue says the words of the cue at the token of a step, if it has one.
func (ls *Lanes) SayCue(l *Lane, step int) {
	if text := l.Cue(step); text != "" {
		ls.Say("cue: " + viz.Printable(text, ls.ascii))
	}
}
