package lab

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// cueField types the words of a cue.
type cueField struct {
	lanes *run.Lanes
	lane  *run.Lane
	step  int
	field kit.Field
}

// NewCue opens the field for the cue at the token of a step.
func NewCue(host kit.Host, lanes *run.Lanes, step int) (kit.View, tea.Cmd) {
	l := host.Lane()
	if _, ok := l.Searched(); ok {
		host.Say("c: a search has no token to put a cue at; the timeline of a run has")
		return nil, nil
	}
	return &cueField{lanes: lanes, lane: l, step: step, field: kit.NewField(l.Cue(step))}, nil
}

// Frame titles the box; see [kit.Overlay].
func (v *cueField) Frame(host kit.Host) viz.Frame {
	return viz.Frame{Title: "cue at token " + viz.Count(v.step), Right: "enter takes it · esc"}
}

// Size is how large the box wants to be; see [kit.Overlay].
func (v *cueField) Size(kit.Host) (int, int) { return 72, 4 }

// Hints are what the footer offers; see [kit.View].
func (v *cueField) Hints(kit.Host) []kit.ID { return []kit.ID{kit.ActClose} }

// Footer words the hints; see [kit.Footed].
func (v *cueField) Footer(kit.Host) []kit.Hint {
	return []kit.Hint{{Keys: "enter", Word: "takes the words"}, {Keys: "esc", Word: "leaves it"}}
}

// Act takes the actions it names; see [kit.View].
func (v *cueField) Act(kit.Host, *kit.Action) (tea.Cmd, bool) { return nil, true }

// Draw draws the view; see [kit.View].
func (v *cueField) Draw(c *viz.Canvas, host kit.Host) {
	v.field.Draw(c, c.Put(1, 0, "what to look at ", viz.Ink{Role: viz.Focus}), 0)
	c.Put(1, 1, viz.CutTitle("[ ] go to it · in the text, x takes it out · recordings keep it", c.W-2), viz.Ink{Role: viz.Muted})
}

// Key takes what is typed; see [kit.Typist].
func (v *cueField) Key(host kit.Host, k tea.KeyMsg) (tea.Cmd, bool) {
	switch k.Type {
	case tea.KeyEsc:
		host.Close()
	case tea.KeyEnter:
		host.Close()
		text := strings.TrimSpace(v.field.Text())
		if text == "" && v.lane.Cue(v.step) == "" {
			host.Say("c: a cue without words is none")
			break
		}
		v.lanes.SetCue(v.lane, v.step, text)
		if text != "" {
			host.Say("cue at token " + viz.Count(v.step) + "; [ ] goes to it")
		}
	default:
		v.field.Key(k)
	}
	return nil, true
}
