package inspect

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// since shows what the last switch of settings changed: the values, the
// survivors of each step, and whether the text is the one that the settings
// before would have written.
type since struct {
	at   int // index of the first step under the new settings
	from *engine.Settings
	job  kit.Job[sinceKey, agreement]
}

// A sinceKey is what two texts are compared for: a switch, and how many steps
// there were.
type sinceKey struct {
	from      *engine.Settings
	at, steps int
}

// An agreement says how far a text is what other settings would have written.
type agreement struct {
	upTo   int // steps that were compared
	parted int // first step whose token differs, 0 if none does
	token  int32
}

// lastSwitch returns the index of the first step made under other settings
// than the one before, looking back from the step on the screen; 0 if none.
func lastSwitch(l *run.Lane) int {
	n := len(l.View.Steps)
	if l.Look.At > 0 {
		n = l.Look.At
	}
	for k := n; k > 1; k-- {
		if l.View.Steps[k-1].Settings != l.View.Steps[k-2].Settings {
			return k
		}
	}
	return 0
}

// NewSince compares the text since the last switch of settings with what the
// settings before would have written, or says that there was none.
func NewSince(host kit.Host) (kit.View, tea.Cmd) {
	l := host.Lane()
	at := lastSwitch(l)
	if at == 0 {
		host.Say("since the switch: the settings were not changed in this text yet")
		return nil, nil
	}
	v := &since{at: at, from: l.View.Steps[at-2].Settings}
	return v, v.compute(host)
}

// compute traces the steps since the switch again under the settings before
// it, in the background. Up to where they part, both texts have the same
// tokens before them, so a trace tells what would have been written.
func (v *since) compute(host kit.Host) tea.Cmd {
	view, from, at := host.Lane().View, v.from, v.at
	return v.job.Want(sinceKey{from, at, len(view.Steps)}, func() (r agreement, err error) {
		for k := at; k <= len(view.Steps); k++ {
			s, err := view.Retrace(k-1, from)
			if err != nil {
				break
			}
			r.upTo = k
			if s.Token != view.Steps[k-1].Token {
				r.parted, r.token = k, s.Token
				break
			}
		}
		return r, nil
	})
}

// Follow takes results and new views; see [kit.Follower].
func (v *since) Follow(host kit.Host, msg tea.Msg) tea.Cmd {
	if v.job.Take(msg) {
		return nil
	}
	if _, ok := msg.(run.ViewMsg); !ok {
		return nil
	}
	l := host.Lane()
	if at := lastSwitch(l); at > 0 && at != v.at {
		v.at, v.from, v.job.Result = at, l.View.Steps[at-2].Settings, agreement{}
		return v.compute(host)
	}
	if r := v.job.Result; r.parted == 0 && r.upTo < len(l.View.Steps) && !l.Running() {
		return v.compute(host)
	}
	return nil
}

// Frame titles the box; see [kit.Overlay].
func (v *since) Frame(kit.Host) viz.Frame {
	return viz.Frame{Title: fmt.Sprintf("since the switch at token %s", viz.Count(v.at)), Right: "esc"}
}

// Size is how large the box wants to be; see [kit.Overlay].
func (v *since) Size(kit.Host) (int, int) { return 80, 6 }

// Hints are what the footer offers; see [kit.View].
func (v *since) Hints(kit.Host) []kit.ID {
	return []kit.ID{kit.ActPrevMark, kit.ActUndo, kit.ActRun, kit.ActClose}
}

// Draw draws the view; see [kit.View].
func (v *since) Draw(c *viz.Canvas, host kit.Host) {
	l := host.Lane()
	if v.at > len(l.View.Steps) {
		return
	}
	now := l.View.Steps[v.at-1].Settings
	c.Put(1, 0, viz.SomeOf(now.Label+": ", run.Differences(v.from.Config(), now.Config()), c.W-2), viz.Ink{})
	x := c.Put(1, 1, "survivors a step  ", viz.Ink{Role: viz.Muted})
	v.drawSurvivors(c.Sub(viz.Rect{X: x, Y: 1, W: c.W - x - 12, H: 1}), l)
	c.Right(c.W-1, 1, "│ switch", viz.Ink{Role: viz.Muted})
	words := "comparing with what " + v.from.Label + " would have written …"
	switch {
	case v.job.Result.parted > 0:
		words = fmt.Sprintf("%s would have gone another way at token %s: %s (same luck)", v.from.Label, viz.Count(v.job.Result.parted), l.Piece(v.job.Result.token, c.ASCII))
	case v.job.Result.upTo >= len(l.View.Steps):
		words = "same text as " + v.from.Label + " would have written so far (same luck, same tokens)"
	case v.job.Result.upTo > 0:
		words = fmt.Sprintf("same text as %s would have written up to token %s", v.from.Label, viz.Count(v.job.Result.upTo))
	}
	c.Put(1, 2, viz.CutTitle(words, c.W-2), viz.Ink{})
}

// drawSurvivors draws how many tokens were left at each step, with the switch
// as a bar between two.
func (v *since) drawSurvivors(c *viz.Canvas, l *run.Lane) {
	var all []float64
	for _, s := range l.View.Steps {
		all = append(all, float64(s.Summary.Survived))
	}
	most := run.MaxOf(all)
	before := all[:v.at-1]
	after := all[v.at-1:]
	half := max(c.W/2, 1)
	before = before[len(before)-min(len(before), half):]
	after = after[:min(len(after), max(c.W-len(before)-1, 0))]
	viz.Spark(c.Sub(viz.Rect{X: 0, Y: 0, W: len(before), H: 1}), before, most, viz.Ink{Role: viz.Lost})
	c.Put(len(before), 0, "│", viz.Ink{Role: viz.CutLine})
	viz.Spark(c.Sub(viz.Rect{X: len(before) + 1, Y: 0, W: len(after), H: 1}), after, most, viz.Ink{Role: viz.Kept})
}

// Act takes the actions it names; see [kit.View].
func (v *since) Act(_ kit.Host, a *kit.Action) (tea.Cmd, bool) {
	switch a.ID {
	case kit.ActPane, kit.ActPaneBack, kit.ActZoom, kit.ActUp, kit.ActDown:
		return nil, true
	}
	return nil, false
}
