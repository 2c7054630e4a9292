package tui

import (
	"context"
	"math"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
)

// maxLanes is how many lanes stand side by side.
const maxLanes = 4

// A comparison is what lanes side by side have in common. Its zero value is
// that of a lane alone.
type comparison struct {
	group *engine.Group // keeps the lanes in step; nil for a lane alone
	stop  context.CancelFunc
	free  bool // lanes do not wait for each other
	one   bool // keys act on the current lane alone

	frame time.Time // when a lane's view was last drawn
	due   bool      // a frame is on its way

	dropped bool // a lane was taken out and nothing changed since
}

// conduct makes a group of the lanes that stand side by side.
func (m *board) conduct() {
	if m.cmp.stop != nil {
		m.cmp.group.Advance(0)
		m.cmp.stop()
		m.cmp.stop, m.cmp.group = nil, nil
	}
	if len(m.lanes) < 2 {
		return
	}
	engs := make([]*engine.Lane, len(m.lanes))
	for i, l := range m.lanes {
		engs[i] = l.eng
		l.eng.Post(engine.Pace{Every: paces[m.pace].every})
	}
	g := engine.NewGroup(engs...)
	g.SetInStep(!m.cmp.free)
	ctx, stop := context.WithCancel(m.ctx)
	m.cmp.group, m.cmp.stop = g, stop
	m.wg.Add(1)
	go func() {
		defer m.wg.Done()
		g.Conduct(ctx)
	}()
}

// addLane puts a copy of lane from beside the others: its text, its settings,
// and what its cache holds. If steps is not nil the copy holds those instead,
// and goes on from there by then tokens.
func (m *board) addLane(from *lane, steps []*engine.Step, then int, set *engine.Settings) (*lane, tea.Cmd) {
	id := 0
	for _, l := range append(m.lanes[:len(m.lanes):len(m.lanes)], m.parked...) {
		id = max(id, l.id+1)
	}
	l := newLane(id, from.model, engine.Options{Draft: m.draft, Gate: m.gate, Greedy: true}, from.config, from.preset, m.book)
	l.comp, l.text, l.prompt, l.pins, l.settings = from.comp, from.text, from.prompt, from.pins, from.settings
	if set != nil {
		l.settings, l.config = set, set.Config()
	}
	cmd := m.startLane(l)
	l.eng.Post(engine.Pace{Every: paces[m.pace].every})
	l.eng.Post(engine.Pin{IDs: l.pins})
	if from.prompt != nil && l.settings != nil {
		from.eng.Post(engine.Fork{To: l.eng, Len: math.MaxInt, Steps: steps, Settings: l.settings, Then: then})
	}
	m.lanes = append(m.lanes, l)
	return l, cmd
}

// dropLane takes lane i out of the comparison. It can be put back until
// another one is taken out.
func (m *board) dropLane(i int) {
	for _, l := range m.parked {
		l.stop()
	}
	l := m.lanes[i]
	l.eng.Post(engine.Advance{N: 0})
	m.parked = []*lane{l}
	m.lanes = append(m.lanes[:i:i], m.lanes[i+1:]...)
	m.cur = min(m.cur, len(m.lanes)-1)
	m.conduct()
}

// putLaneBack undoes dropLane. It reports false if there is nothing to put
// back.
func (m *board) putLaneBack() bool {
	n := len(m.parked)
	if n == 0 || len(m.lanes) >= maxLanes {
		return false
	}
	m.lanes = append(m.lanes, m.parked[n-1])
	m.parked = m.parked[:n-1]
	m.cur = len(m.lanes) - 1
	m.conduct()
	return true
}

// scope returns the lanes that keys act on.
func (m *board) scope() []*lane {
	if m.cmp.one || !m.beside {
		return []*lane{m.lane()}
	}
	return m.lanes
}

// onLanes does f with each lane of the scope as the current one, the one
// that is current last, so that what it says stays.
func (m *board) onLanes(f func()) {
	keep, change := m.cur, m.change
	if len(m.scope()) > 1 {
		for i := range m.lanes {
			if i != keep {
				m.cur, m.change = i, change // each joins its own quick changes
				f()
			}
		}
	}
	m.cur, m.change = keep, change
	f()
}

// readPrompts is readPrompt for every lane of the scope, since lanes side by
// side have one prompt.
func (m *board) readPrompts(text string, wrap bool) tea.Cmd {
	var cmds []tea.Cmd
	for _, l := range m.scope() {
		cmds = append(cmds, m.readPrompt(l, text, wrap))
	}
	return tea.Batch(cmds...)
}

// advance lets the lanes of the scope write n more tokens; a negative n means
// until something stops them, zero pauses.
func (m *board) advance(n int) {
	switch {
	case m.cmp.group == nil:
		m.advanceLane(m.lane(), n)
	case len(m.scope()) == 1:
		m.cmp.group.PostTo(m.cur, engine.Advance{N: n})
	default:
		m.cmp.group.Advance(n)
	}
}

// lanesRun reports whether the lanes side by side are under way.
func (m *board) lanesRun() bool {
	if m.cmp.group != nil && m.cmp.group.Running() {
		return true
	}
	for _, l := range m.lanes {
		if l.running() {
			return true
		}
	}
	return false
}
