package run

import (
	"context"
	"math"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
)

// MaxLanes is how many lanes stand side by side.
const MaxLanes = 4

// A Comparison is what lanes side by side have in common. Its zero value is
// that of a lane alone.
type Comparison struct {
	Group *engine.Group // keeps the lanes in step; nil for a lane alone
	stop  context.CancelFunc
	Free  bool // lanes do not wait for each other
	One   bool // keys act on the current lane alone

	Frame time.Time // when a lane's view was last drawn
	Due   bool      // a frame is on its way

	Dropped bool // a lane was taken out and nothing changed since
}

// Conduct makes a group of the lanes that stand side by side.
func (ls *Lanes) Conduct() {
	if ls.Side.stop != nil {
		ls.Side.Group.Advance(0)
		ls.Side.stop()
		ls.Side.stop, ls.Side.Group = nil, nil
	}
	if len(ls.All) < 2 {
		return
	}
	engs := make([]*engine.Lane, len(ls.All))
	for i, l := range ls.All {
		engs[i] = l.Eng
		l.Eng.Post(engine.Pace{Every: ls.every()})
	}
	g := engine.NewGroup(engs...)
	g.SetInStep(!ls.Side.Free)
	ctx, stop := context.WithCancel(ls.Ctx)
	ls.Side.Group, ls.Side.stop = g, stop
	ls.Go(func() { g.Conduct(ctx) })
}

// Add puts a copy of lane from beside the others: its text, its settings or
// set, and what its cache holds. If steps is not nil the copy holds those
// instead.
func (ls *Lanes) Add(from *Lane, steps []*engine.Step, set *engine.Settings) (*Lane, tea.Cmd) {
	l, cmd := ls.AddEmpty(from, set)
	ls.Copy(from, l, steps, 0)
	return l, cmd
}

// AddEmpty puts a lane beside the others with the model of lane from, its
// settings or set, and no text yet.
func (ls *Lanes) AddEmpty(from *Lane, set *engine.Settings) (*Lane, tea.Cmd) {
	id := 0
	for _, l := range append(ls.All[:len(ls.All):len(ls.All)], ls.Parked...) {
		id = max(id, l.ID+1)
	}
	l := ls.NewLane(id, from.Model, ls.Draft, from.Config, from.Preset)
	l.Comp, l.Pins, l.Settings = from.Comp, from.Pins, from.Settings
	if set != nil {
		l.Settings, l.Config = set, set.Config()
	}
	cmd := ls.StartLane(l)
	l.Eng.Post(engine.Pace{Every: ls.every()})
	l.Eng.Post(engine.Pin{IDs: l.Pins})
	ls.All = append(ls.All, l)
	return l, cmd
}

// Copy gives lane to the text of lane from, and what its cache holds. If steps
// is not nil to holds those instead, and goes on from there by then tokens;
// whatever pauses the lanes after that ends it.
func (ls *Lanes) Copy(from, to *Lane, steps []*engine.Step, then int) {
	to.Text, to.Prompt = from.Text, from.Prompt
	if from.Prompt != nil && to.Settings != nil {
		from.Eng.Post(engine.Fork{To: to.Eng, Len: math.MaxInt, Steps: steps, Settings: to.Settings, Then: then})
	}
}

// Drop takes lane i out of the comparison. It can be put back until
// another one is taken out.
func (ls *Lanes) Drop(i int) {
	for _, l := range ls.Parked {
		l.Stop()
	}
	l := ls.All[i]
	l.Eng.Post(engine.Advance{N: 0})
	ls.Parked = []*Lane{l}
	ls.All = append(ls.All[:i:i], ls.All[i+1:]...)
	ls.Cur = min(ls.Cur, len(ls.All)-1)
	ls.Conduct()
}

// putBack undoes dropLane. It reports false if there is nothing to put
// back.
func (ls *Lanes) putBack() bool {
	n := len(ls.Parked)
	if n == 0 || len(ls.All) >= MaxLanes {
		return false
	}
	ls.All = append(ls.All, ls.Parked[n-1])
	ls.Parked = ls.Parked[:n-1]
	ls.Cur = len(ls.All) - 1
	ls.Conduct()
	return true
}

// Scope returns the lanes that keys act on.
func (ls *Lanes) Scope() []*Lane {
	if ls.Side.One || !ls.Beside {
		return []*Lane{ls.Lane()}
	}
	return ls.All
}

// Each does f with each lane of the scope as the current one, the one
// that is current last, so that what it says stays.
func (ls *Lanes) Each(f func()) {
	keep := ls.Cur
	if len(ls.Scope()) > 1 {
		for i := range ls.All {
			if i != keep {
				ls.Cur = i
				f()
			}
		}
	}
	ls.Cur = keep
	f()
}

// ReadPrompts is readPrompt for every lane of the scope, since lanes side by
// side have one prompt.
func (ls *Lanes) ReadPrompts(a Asked) tea.Cmd {
	var cmds []tea.Cmd
	for _, l := range ls.Scope() {
		cmds = append(cmds, ls.ReadPrompt(l, a))
	}
	return tea.Batch(cmds...)
}

// Advance lets the lanes of the scope write n more tokens; a negative n means
// until something stops them, zero pauses.
func (ls *Lanes) Advance(n int) {
	switch {
	case ls.Side.Group == nil:
		ls.AdvanceLane(ls.Lane(), n)
	case len(ls.Scope()) == 1:
		ls.Side.Group.PostTo(ls.Cur, engine.Advance{N: n})
	default:
		ls.Side.Group.Advance(n)
	}
}

// PauseHere stops a run of l or of all lanes, so that what is looked at stays.
func (ls *Lanes) PauseHere(l *Lane) {
	if l.Running() || ls.Side.Group != nil && ls.Side.Group.Running() {
		ls.AdvanceAll(0)
		l.Eng.Post(engine.Advance{N: 0})
	}
}

// AdvanceAll is [Lanes.Advance] for all lanes, whatever the scope.
func (ls *Lanes) AdvanceAll(n int) {
	if ls.Side.Group != nil {
		ls.Side.Group.Advance(n)
		return
	}
	ls.AdvanceLane(ls.Lane(), n)
}

// Running reports whether the lanes side by side are under way.
func (ls *Lanes) Running() bool {
	if ls.Side.Group != nil && ls.Side.Group.Running() {
		return true
	}
	for _, l := range ls.All {
		if l.Running() {
			return true
		}
	}
	return false
}
