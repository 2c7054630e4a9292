package tui

import (
	"fmt"
	"math/rand/v2"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
)

// compareView shows the lanes side by side: text and distribution of each,
// where and why the texts part, and how far apart the lanes are.
type compareView struct {
	alone bool // the current lane has the whole width
	knobs bool // the list of knobs is open and has the keys
	pairs map[pairKey]*pair
	busy  bool // a round of measuring is on its way
}

func newCompareView() *compareView { return &compareView{pairs: make(map[pairKey]*pair)} }

// openCompare shows the lanes side by side. A lane alone gets a copy of
// itself beside it.
func openCompare(m *Model) (kit.View, tea.Cmd) {
	v := newCompareView()
	if len(m.All) > 1 {
		for _, l := range m.All { // one may run by itself
			l.Eng.Post(engine.Advance{N: 0})
		}
		return v, v.measure(m)
	}
	l := m.Lane()
	l.Eng.Post(engine.Advance{N: 0})
	l.LookAt(0)
	_, cmd := m.Add(l, nil, 0, nil)
	m.Side.One = false
	m.Conduct()
	m.Cur = 1
	m.Say("lane 2 is a copy of this run; t lets keys act on it alone, such as 1-5 or -/+. C adds one more.")
	return v, cmd
}

// follow keeps distances up to date.
func (v *compareView) Follow(host kit.Host, msg tea.Msg) tea.Cmd {
	m := host.(*Model)
	switch msg := msg.(type) {
	case measureMsg:
		v.take(msg)
	case run.ViewMsg:
	default:
		return nil
	}
	return v.measure(m)
}

// perLane are the actions that change one lane's settings or marks: they act
// on each lane of the scope.
var perLane = map[kit.ID]bool{
	kit.ActLower: true, kit.ActRaise: true, kit.ActOff: true, kit.ActReset: true, kit.ActUndo: true, kit.ActRedo: true, kit.ActOrder: true,
	kit.ActEarlier: true, kit.ActLater: true, kit.ActPin: true,
	kit.ActPreset1: true, kit.ActPreset2: true, kit.ActPreset3: true, kit.ActPreset4: true, kit.ActPreset5: true,
	kit.ActPreset6: true, kit.ActPreset7: true, kit.ActPreset8: true, kit.ActPreset9: true,
}

func (v *compareView) Act(host kit.Host, a *kit.Action) (tea.Cmd, bool) {
	m := host.(*Model)
	if do, ok := compareActions[a.ID]; ok {
		cmd := do(v, m)
		return tea.Batch(cmd, v.measure(m)), true
	}
	if v.knobs {
		if cmd, done := v.actOnKnobs(m, a); done {
			return tea.Batch(cmd, v.measure(m)), true
		}
	}
	if !perLane[a.ID] {
		return nil, false
	}
	if a.ID == kit.ActUndo && m.putBackFirst() {
		return v.measure(m), true
	}
	m.Side.Dropped = false
	var cmds []tea.Cmd
	m.Each(func() { cmds = append(cmds, m.Do(a.ID)) })
	if n := len(m.Scope()); n > 1 && m.Notice.Text != "" && !m.Warn {
		m.Notice.Text = fmt.Sprintf("all %d lanes: %s", n, m.Notice.Text)
	}
	return tea.Batch(append(cmds, v.measure(m))...), true
}

// Lends are what looks at the current lane as the lab does.
func (v *compareView) Lends(kit.Host) []kit.ID {
	return []kit.ID{kit.ActInspect, kit.ActFind, kit.ActDraw, kit.ActMarks, kit.ActFlip}
}

// putBackFirst puts the lane back that was taken out last, if nothing was
// done since.
func (m *Model) putBackFirst() bool {
	if !m.Side.Dropped || !m.PutBack() {
		return false
	}
	m.Side.Dropped = false
	m.Say("the lane is back")
	return true
}

// compareActions are the actions that mean something of their own here.
var compareActions map[kit.ID]func(*compareView, *Model) tea.Cmd

func init() {
	do := func(f func(*compareView, *Model)) func(*compareView, *Model) tea.Cmd {
		return func(v *compareView, m *Model) tea.Cmd { f(v, m); return nil }
	}
	step := func(n int) func(*compareView, *Model) tea.Cmd {
		return do(func(v *compareView, m *Model) {
			if v.knobs {
				m.Each(func() { m.Nudge(n) })
				return
			}
			m.stepLanes(n)
		})
	}
	compareActions = map[kit.ID]func(*compareView, *Model) tea.Cmd{
		kit.ActRun:  do(func(v *compareView, m *Model) { m.runLanes() }),
		kit.ActNext: do(func(v *compareView, m *Model) { m.stepLanes(1) }), kit.ActBack: do(func(v *compareView, m *Model) { m.stepLanes(-1) }),
		kit.ActRight: step(1), kit.ActLeft: step(-1), kit.ActRight10: step(10), kit.ActLeft10: step(-10),
		kit.ActFirst:    do(func(v *compareView, m *Model) { v.toEnd(m, -1) }),
		kit.ActLast:     do(func(v *compareView, m *Model) { v.toEnd(m, 1) }),
		kit.ActDown:     do(func(v *compareView, m *Model) { v.move(m, 1) }),
		kit.ActUp:       do(func(v *compareView, m *Model) { v.move(m, -1) }),
		kit.ActPane:     do(func(v *compareView, m *Model) { v.turn(m, 1) }),
		kit.ActPaneBack: do(func(v *compareView, m *Model) { v.turn(m, -1) }),
		kit.ActAll:      do((*compareView).oneOrAll),
		kit.ActSync:     do((*compareView).waitOrFree),
		kit.ActZoom:     do(func(v *compareView, m *Model) { v.alone = !v.alone }),
		kit.ActForce:    do((*compareView).forceElsewhere),
		kit.ActPrevMark: do(func(v *compareView, m *Model) { v.toMark(m, -1) }),
		kit.ActNextMark: do(func(v *compareView, m *Model) { v.toMark(m, 1) }),
		kit.ActTake:     do((*compareView).takeLane),
		kit.ActCompare:  (*compareView).another,
		kit.ActOpen:     (*compareView).enter,
		kit.ActClose:    (*compareView).esc,
		kit.ActAgain:    do(func(v *compareView, m *Model) { m.restartLanes(false) }),
		kit.ActReseed:   do(func(v *compareView, m *Model) { m.restartLanes(true) }),
	}
}

// actOnKnobs is act while the list of knobs has the keys.
func (v *compareView) actOnKnobs(m *Model, a *kit.Action) (tea.Cmd, bool) {
	if a.ID == kit.ActInspect {
		m.lab.InspectKnob()
		return nil, true
	}
	return nil, false
}

// turn moves the keys to the next lane, after the last one to the knobs.
func (v *compareView) turn(m *Model, d int) {
	n := len(m.All) + 1
	at := m.Cur
	if v.knobs {
		at = len(m.All)
	}
	at = (at + d + n) % n
	if v.knobs = at == len(m.All); v.knobs {
		m.Say(fmt.Sprintf("knobs of lane %d: ↑ ↓ choose · ← → change %s · enter types a value · tab goes on", m.Cur+1, m.scopeWords()))
		return
	}
	m.Cur = at
}

func (v *compareView) oneOrAll(m *Model) {
	m.Side.One = !m.Side.One
	m.Say("keys act on " + m.scopeWords())
}

func (v *compareView) waitOrFree(m *Model) {
	m.Side.Free = !m.Side.Free
	m.Side.Group.SetInStep(!m.Side.Free)
	if m.Side.Free {
		m.Say("each lane runs at its own speed")
		return
	}
	m.Say("each lane waits for the slowest")
}

// move chooses a row of the chart, or a knob.
func (v *compareView) move(m *Model, d int) {
	if v.knobs {
		m.lab.MoveKnob(d)
		return
	}
	l := m.Lane()
	ids := v.rowsOf(m, m.Cur)
	if len(ids) == 0 {
		m.Say("no rows yet: " + m.WhyNot(l))
		return
	}
	at := 0
	for i, id := range ids {
		if id == l.Row {
			at = i
		}
	}
	if to := min(max(at+d, 0), len(ids)-1); to != at {
		l.Row = ids[to]
		return
	}
	m.Say("no more rows that way")
}

func (v *compareView) toEnd(m *Model, d int) {
	if v.knobs {
		m.lab.MoveKnob(d * len(run.Knobs))
		return
	}
	if d > 0 && !anyLooks(m.Scope()) {
		m.Say("end: these are the newest tokens; → writes the next")
		return
	}
	if d > 0 {
		m.lookLanes(newest)
		return
	}
	m.lookLanes(1)
}

// toMark goes to where the texts part, or away from it.
func (v *compareView) toMark(m *Model, d int) {
	at := shownIndex(m.Lane()) + 1
	best := 0
	for i, l := range m.All {
		if i == m.Cur {
			continue
		}
		p := v.pairOf(m.Lane(), l)
		if !p.parts {
			continue
		}
		_, turned := keyOf(m.Lane(), l)
		k := p.at[0] + 1
		if turned {
			k = p.at[1] + 1
		}
		if d > 0 && k > at && (best == 0 || k < best) || d < 0 && k < at && k > best {
			best = k
		}
	}
	if best == 0 {
		m.Say("[ ]: the texts part nowhere further on")
		return
	}
	m.lookLanes(best)
}

// takeLane takes the current lane out.
func (v *compareView) takeLane(m *Model) {
	if len(m.All) == 2 {
		m.Say("x: two lanes are the least; esc goes to the lab with this one")
		return
	}
	n := m.Cur + 1
	m.Drop(m.Cur)
	m.Side.Dropped = true
	m.Say(fmt.Sprintf("lane %d is out; u puts it back", n))
}

// another puts a copy of the current lane beside the others.
func (v *compareView) another(m *Model) tea.Cmd {
	if len(m.All) == run.MaxLanes {
		m.Say(fmt.Sprintf("C: %d lanes are the most; x takes one out, esc goes to the lab", run.MaxLanes))
		return nil
	}
	_, cmd := m.Add(m.Lane(), nil, 0, nil)
	m.Conduct()
	m.Cur = len(m.All) - 1
	m.Say(fmt.Sprintf("lane %d is a copy; t makes keys act on it alone", m.Cur+1))
	return cmd
}

// enter opens the step shown in the lab, or types a knob's value.
func (v *compareView) enter(m *Model) tea.Cmd {
	if v.knobs {
		return m.Open(kit.ViewValue)
	}
	m.AdvanceAll(0)
	m.Close()
	m.Say(fmt.Sprintf("lane %d in the lab; C goes back to the lanes", m.Cur+1))
	return nil
}

func (v *compareView) esc(m *Model) tea.Cmd {
	switch {
	case v.knobs:
		v.knobs = false
	case v.alone:
		v.alone = false
	case anyLooks(m.All):
		m.lookLanes(newest)
	default:
		return v.enter(m)
	}
	return nil
}

// restartLanes begins again from the prompt, with a new seed if asked, the
// same for all.
func (m *Model) restartLanes(reseed bool) {
	if m.Lane().Prompt == nil {
		m.Say("r: " + m.WhyNot(m.Lane()))
		return
	}
	m.Advance(0)
	seed := uint64(rand.Uint32N(1_000_000))
	m.Each(func() {
		l := m.Lane()
		if l.Prompt == nil {
			return
		}
		if reseed {
			m.Set("seed", seed)
		}
		m.Start(l)
	})
	if reseed {
		m.Say(fmt.Sprintf("seed %d in %s", seed, m.scopeWords()))
		return
	}
	m.Say("again from the prompt, " + m.seedWords())
}
