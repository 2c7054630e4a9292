package lab

import (
	tea "github.com/charmbracelet/bubbletea"

	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// NewCue asks for the words of the cue at the token of a step.
func NewCue(host kit.Host, lanes *run.Lanes, step int) (kit.View, tea.Cmd) {
	l := host.Lane()
	if _, ok := l.Searched(); ok {
		host.Say("c: a search has no token to put a cue at; the timeline of a run has")
		return nil, nil
	}
	return kit.Question{
		Title: "cue at token " + viz.Count(step), Label: "what to look at ", Wide: 72, Enter: "takes the words",
		Note: "[ ] go to it · in the text, x takes it out · recordings keep it",
		Take: func(host kit.Host, text string) {
			if text == "" && l.Cue(step) == "" {
				host.Say("c: a cue without words is none")
				return
			}
			lanes.SetCue(l, step, text)
			if text != "" {
				host.Say("cue at token " + viz.Count(step) + "; [ ] goes to it")
			}
		},
	}.Ask(l.Cue(step)), nil
}
