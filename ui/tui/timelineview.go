package tui

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// timeline shows all steps of a text as columns, and the texts that were
// left as branches below.
type timeline struct {
	from opened // what esc goes back to, if not the lab
	born int    // the text selected, as branch.born
	at   int    // the step selected, from 1
	try  bool   // the what-if is selected instead of a text
	lane int    // id of the lane that both belong to
}

func openTimeline(m *Model) (kit.View, tea.Cmd) {
	l := m.Lane()
	switch {
	case l.View.Beam != nil:
		m.Say("T: beam search keeps several texts at once; B shows how they grow")
		return nil, nil
	case len(l.View.Steps) == 0 && len(l.Branches) == 0:
		m.Say("T: no token is written yet")
		return nil, nil
	}
	v := &timeline{born: l.Born, at: len(l.View.Steps), lane: l.Id, from: m.screen}
	if l.Look.At > 0 {
		v.at = l.Look.At
	}
	return v, nil
}

// selected returns the limbs of the lane and which one is selected. What is
// gone gives way to the present text.
func (v *timeline) selected(m *Model) (list []run.Limb, i int) {
	l := m.Lane()
	list = l.Limbs()
	for k, b := range list {
		if b.Index < 0 {
			i = k
		}
	}
	if v.lane != l.Id {
		return list, i
	}
	for k, b := range list {
		if b.Born == v.born {
			return list, k
		}
	}
	return list, i
}

// steps are those of the text selected, and the place of the one selected.
func (v *timeline) steps(m *Model) ([]*engine.Step, int) {
	list, i := v.selected(m)
	s := list[i].Steps
	return s, min(max(v.at, 1), len(s))
}

func (v *timeline) Follow(host kit.Host, msg tea.Msg) tea.Cmd {
	m := host.(*Model)
	if msg, ok := msg.(run.ViewMsg); ok && msg.Lane == m.Lane().Id {
		list, i := v.selected(m)
		v.born, v.lane = list[i].Born, m.Lane().Id
		if m.Lane().Running() && list[i].Index < 0 {
			v.at = len(list[i].Steps)
		}
	}
	return nil
}

// timelineActions are the actions that mean something of their own here.
var timelineActions map[kit.ID]func(*timeline, *Model) tea.Cmd

func init() {
	do := func(f func(*timeline, *Model)) func(*timeline, *Model) tea.Cmd {
		return func(v *timeline, m *Model) tea.Cmd { f(v, m); return nil }
	}
	step := func(n int) func(*timeline, *Model) tea.Cmd {
		return do(func(v *timeline, m *Model) { v.step(m, n) })
	}
	timelineActions = map[kit.ID]func(*timeline, *Model) tea.Cmd{
		kit.ActRight: step(1), kit.ActLeft: step(-1), kit.ActBack: step(-1), kit.ActRight10: step(10), kit.ActLeft10: step(-10),
		kit.ActFirst:    do(func(v *timeline, m *Model) { v.to(m, 1) }),
		kit.ActLast:     do(func(v *timeline, m *Model) { v.to(m, 1<<30) }),
		kit.ActNext:     (*timeline).next,
		kit.ActDown:     do(func(v *timeline, m *Model) { v.choose(m, 1) }),
		kit.ActUp:       do(func(v *timeline, m *Model) { v.choose(m, -1) }),
		kit.ActPane:     do(func(v *timeline, m *Model) { v.choose(m, 1) }),
		kit.ActPaneBack: do(func(v *timeline, m *Model) { v.choose(m, -1) }),
		kit.ActPrevMark: do(func(v *timeline, m *Model) { v.toMark(m, -1) }),
		kit.ActNextMark: do(func(v *timeline, m *Model) { v.toMark(m, 1) }),
		kit.ActOpen:     (*timeline).enter,
		kit.ActClose:    do((*timeline).esc),
		kit.ActRun:      do((*timeline).goOn),
		kit.ActCompare:  (*timeline).compare,
		kit.ActTake:     do((*timeline).takeOut),
		kit.ActName:     func(v *timeline, m *Model) tea.Cmd { return m.Open(kit.ViewName) },
		kit.ActInspect:  do((*timeline).inspect),
		kit.ActZoom:     do(func(v *timeline, m *Model) { m.Say("z: the timeline has the whole screen already") }),
		kit.ActForce: do(func(v *timeline, m *Model) {
			m.Say("f: enter opens this step in the lab, where f writes a row's token in a branch")
		}),
	}
}

// tries are the actions that try other settings on the step selected.
var tries = map[kit.ID]bool{
	kit.ActLower: true, kit.ActRaise: true, kit.ActOff: true, kit.ActReset: true, kit.ActOrder: true,
	kit.ActPreset1: true, kit.ActPreset2: true, kit.ActPreset3: true, kit.ActPreset4: true, kit.ActPreset5: true,
	kit.ActPreset6: true, kit.ActPreset7: true, kit.ActPreset8: true, kit.ActPreset9: true,
}

func (v *timeline) Act(host kit.Host, a *kit.Action) (tea.Cmd, bool) {
	m := host.(*Model)
	if do, ok := timelineActions[a.ID]; ok {
		return do(v, m), true
	}
	if !tries[a.ID] {
		return nil, false
	}
	l := m.Lane()
	list, i := v.selected(m)
	if list[i].Index >= 0 {
		m.Say(a.First() + ": this is a branch; enter or space goes to it first")
		return nil, true
	}
	if s, at := v.steps(m); len(s) > 0 && l.Look.At != at {
		m.pauseHere(l)
		l.LookAt(at)
	}
	cmd := m.Do(a.ID)
	if l.Look.Tried != nil {
		v.try = true
		m.Say(fmt.Sprintf("what-if at step %d: %s. Nothing is written; space takes it", l.Look.At, m.triedWords(l)))
	}
	return cmd, true
}

// Lends are what starts again, undoes and looks at tokens, as in the lab.
func (v *timeline) Lends(kit.Host) []kit.ID {
	return []kit.ID{kit.ActAgain, kit.ActReseed, kit.ActUndo, kit.ActRedo, kit.ActFlip, kit.ActPin, kit.ActFind, kit.ActDraw, kit.ActMarks,
		kit.ActEarlier, kit.ActLater, kit.ActAll, kit.ActSync}
}

// pauseHere stops a run, so that what is looked at stays.
func (m *Model) pauseHere(l *run.Lane) {
	if l.Running() || m.Side.Group != nil && m.Side.Group.Running() {
		m.advanceAll(0)
		l.Eng.Post(engine.Advance{N: 0})
	}
}

func (v *timeline) step(m *Model, n int) {
	_, at := v.steps(m)
	v.to(m, at+n)
}

// to selects step k.
func (v *timeline) to(m *Model, k int) {
	s, at := v.steps(m)
	to := min(max(k, 1), len(s))
	if to == at {
		if k > to {
			m.Say("→: this is the newest token; n writes the next, space runs")
		} else if k < to {
			m.Say("←: this is the first token")
		}
	}
	v.at = to
	l := m.Lane()
	if l.Look.At > 0 && l.Look.At != to { // a what-if belongs to its step
		l.LookAt(0)
		v.try = false
	}
}

// choose selects the next text, or the what-if below the last.
func (v *timeline) choose(m *Model, d int) {
	list, i := v.selected(m)
	rows := len(list)
	if m.Lane().Look.Tried != nil {
		rows++
		if v.try {
			i = len(list)
		}
	}
	to := min(max(i+d, 0), rows-1)
	if to == i {
		m.Say("no more branches that way")
		return
	}
	if v.try = to == len(list); v.try {
		to = v.present(list)
		v.at = m.Lane().Look.At
	}
	v.born, v.lane = list[to].Born, m.Lane().Id
	if len(list[to].Steps) > 0 {
		v.at = min(v.at, len(list[to].Steps))
	}
}

func (v *timeline) present(list []run.Limb) int {
	for i, b := range list {
		if b.Index < 0 {
			return i
		}
	}
	return 0
}

// toMark goes to the next switch of settings, forced token or branching.
func (v *timeline) toMark(m *Model, d int) {
	s, at := v.steps(m)
	list, i := v.selected(m)
	forks := make(map[int]bool)
	for k, b := range list {
		if b.Parent == i {
			forks[b.Shared+1] = true
		}
		if k == i && b.Parent >= 0 {
			forks[b.Shared+1] = true
		}
	}
	for k := at + d; k >= 1 && k <= len(s); k += d {
		if s[k-1].Forced || forks[k] || k > 1 && s[k-2].Settings.Label != s[k-1].Settings.Label {
			v.to(m, k)
			return
		}
	}
	m.Say("[ ]: no mark further on: none switched, forced or branched there")
}

// enter opens the step selected in the lab.
func (v *timeline) enter(m *Model) tea.Cmd {
	l := m.Lane()
	list, i := v.selected(m)
	at := v.at
	if list[i].Index >= 0 {
		m.JumpTo(l, list[i].Index)
		m.Close()
		m.Say("on branch " + m.LimbName(l, list, i) + "; u returns to the text it left")
		return nil
	}
	m.pauseHere(l)
	m.Close()
	if l.Look.At != at && at >= 1 && at <= len(l.View.Steps) {
		l.LookAt(at)
	}
	return nil
}

// esc goes back to where the timeline was opened.
func (v *timeline) esc(m *Model) {
	m.Close()
	if v.from.id == kit.ViewCompare {
		m.show(v.from)
	}
}

// next writes one token of the present text.
func (v *timeline) next(m *Model) tea.Cmd {
	list, i := v.selected(m)
	if list[i].Index >= 0 {
		m.Say("n: this is a branch; enter or space goes to it first")
		return nil
	}
	m.Lane().LookAt(0)
	m.Next(1)
	v.at = len(list[i].Steps) + 1
	return nil
}

// goOn is space: it runs on from the step selected. If anything differs there
// the text is kept as a branch; if not, the same text would come again.
func (v *timeline) goOn(m *Model) {
	l := m.Lane()
	list, i := v.selected(m)
	s, at := v.steps(m)
	switch {
	case l.Running():
		l.Eng.Post(engine.Advance{N: 0})
	case list[i].Index >= 0:
		name := m.LimbName(l, list, i)
		m.JumpTo(l, list[i].Index)
		m.Say("on branch " + name + "; space runs it on, u returns to the text it left")
	case v.try && l.Look.Under != nil:
		m.BranchHere(l, l.Look.Under)
		m.AdvanceLane(l, -1)
		v.try, v.born, v.at = false, l.Born, newest
	case at < len(s) && differsFrom(s[at-1:], l.Settings):
		snap := l.Snapshot(fmt.Sprintf("branch at token %d", at), -1)
		snap.Branch = l.BranchOff(at - 1)
		l.Remember(snap)
		m.AdvanceLane(l, -1)
		v.born, v.at = l.Born, newest
		m.Say(fmt.Sprintf("branched at token %d under %s; u returns to the text it left", at, viz.Printable(l.ShownLabel(), m.pal.ASCII)))
	case at < len(s):
		l.LookAt(0)
		m.AdvanceLane(l, -1)
		m.Say("same settings, same luck: the same text would come again. It goes on at its end; 1-5 or -/+ try others here.")
	default:
		l.LookAt(0)
		m.RunOrPause()
	}
}

// differsFrom reports whether any of steps was made under other settings, or
// forced.
func differsFrom(steps []*engine.Step, set *engine.Settings) bool {
	var seen *engine.Settings
	for _, s := range steps {
		if s.Forced {
			return true
		}
		if s.Settings == seen || s.Settings == set {
			continue
		}
		seen = s.Settings
		a, b := seen.Config(), set.Config()
		for _, key := range a.Differences(b) {
			if key != "max_new_tokens" {
				return true
			}
		}
	}
	return false
}

// compare puts the text selected beside the present one as lanes; the present
// one beside the text it grew from.
func (v *timeline) compare(m *Model) tea.Cmd {
	l := m.Lane()
	list, i := v.selected(m)
	if list[i].Index < 0 {
		i = list[i].Parent
		for k := 0; i < 0 && k < len(list); k++ {
			if list[k].Index >= 0 {
				i = k
			}
		}
	}
	switch {
	case i < 0:
		m.Say("C: there is one text; a branch is needed to compare it with")
		return nil
	case len(m.All) == run.MaxLanes:
		m.Say(fmt.Sprintf("C: %d lanes are the most; x in compare takes one out", run.MaxLanes))
		return nil
	}
	name := m.LimbName(l, list, i)
	l.LookAt(0)
	m.pauseHere(l)
	_, cmd := m.Add(l, list[i].Steps, 0, list[i].Settings)
	m.Side.One = false
	m.Conduct()
	m.show(opened{kit.ViewCompare, newCompareView()})
	m.Say(fmt.Sprintf("lane %d holds %s; [ ] go to where they part", len(m.All), name))
	return cmd
}

// takeOut takes the branch selected out of the list, or drops the what-if.
func (v *timeline) takeOut(m *Model) {
	l := m.Lane()
	list, i := v.selected(m)
	switch {
	case v.try && l.Look.Under != nil:
		l.LookAt(0)
		v.try = false
		m.Say("the what-if is dropped")
	case list[i].Index < 0:
		m.Say("x: this is the text the lane holds; go to another one first")
	default:
		m.TakeOutBranch(l, list[i], m.LimbName(l, list, i))
		v.born = l.Born
	}
}
