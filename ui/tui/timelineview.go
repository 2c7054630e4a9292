package tui

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
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

func openTimeline(m *Model) (view, tea.Cmd) {
	l := m.lane()
	switch {
	case l.view.Beam != nil:
		m.say("T: beam search keeps several texts at once; B shows how they grow")
		return nil, nil
	case len(l.view.Steps) == 0 && len(l.branches) == 0:
		m.say("T: no token is written yet")
		return nil, nil
	}
	v := &timeline{born: l.born, at: len(l.view.Steps), lane: l.id, from: m.screen}
	if l.look.at > 0 {
		v.at = l.look.at
	}
	return v, nil
}

// selected returns the limbs of the lane and which one is selected. What is
// gone gives way to the present text.
func (v *timeline) selected(m *Model) (list []limb, i int) {
	l := m.lane()
	list = l.limbs()
	for k, b := range list {
		if b.index < 0 {
			i = k
		}
	}
	if v.lane != l.id {
		return list, i
	}
	for k, b := range list {
		if b.born == v.born {
			return list, k
		}
	}
	return list, i
}

// steps are those of the text selected, and the place of the one selected.
func (v *timeline) steps(m *Model) ([]*engine.Step, int) {
	list, i := v.selected(m)
	s := list[i].steps
	return s, min(max(v.at, 1), len(s))
}

func (v *timeline) follow(m *Model, msg tea.Msg) tea.Cmd {
	if msg, ok := msg.(viewMsg); ok && msg.lane == m.lane().id {
		list, i := v.selected(m)
		v.born, v.lane = list[i].born, m.lane().id
		if m.lane().running() && list[i].index < 0 {
			v.at = len(list[i].steps)
		}
	}
	return nil
}

// timelineActions are the actions that mean something of their own here.
var timelineActions map[string]func(*timeline, *Model) tea.Cmd

func init() {
	do := func(f func(*timeline, *Model)) func(*timeline, *Model) tea.Cmd {
		return func(v *timeline, m *Model) tea.Cmd { f(v, m); return nil }
	}
	step := func(n int) func(*timeline, *Model) tea.Cmd {
		return do(func(v *timeline, m *Model) { v.step(m, n) })
	}
	timelineActions = map[string]func(*timeline, *Model) tea.Cmd{
		"right": step(1), "left": step(-1), "back": step(-1), "right10": step(10), "left10": step(-10),
		"first":    do(func(v *timeline, m *Model) { v.to(m, 1) }),
		"last":     do(func(v *timeline, m *Model) { v.to(m, 1<<30) }),
		"next":     (*timeline).next,
		"down":     do(func(v *timeline, m *Model) { v.choose(m, 1) }),
		"up":       do(func(v *timeline, m *Model) { v.choose(m, -1) }),
		"pane":     do(func(v *timeline, m *Model) { v.choose(m, 1) }),
		"paneback": do(func(v *timeline, m *Model) { v.choose(m, -1) }),
		"prevmark": do(func(v *timeline, m *Model) { v.toMark(m, -1) }),
		"nextmark": do(func(v *timeline, m *Model) { v.toMark(m, 1) }),
		"open":     (*timeline).enter,
		"close":    do((*timeline).esc),
		"run":      do((*timeline).goOn),
		"compare":  (*timeline).compare,
		"take":     do((*timeline).takeOut),
		"name":     func(v *timeline, m *Model) tea.Cmd { return m.open("name") },
		"inspect":  do((*timeline).inspect),
		"zoom":     do(func(v *timeline, m *Model) { m.say("z: the timeline has the whole screen already") }),
		"force": do(func(v *timeline, m *Model) {
			m.say("f: enter opens this step in the lab, where f writes a row's token in a branch")
		}),
	}
}

// tries are the actions that try other settings on the step selected.
var tries = map[string]bool{
	"lower": true, "raise": true, "off": true, "reset": true, "order": true,
	"preset1": true, "preset2": true, "preset3": true, "preset4": true, "preset5": true,
	"preset6": true, "preset7": true, "preset8": true, "preset9": true,
}

func (v *timeline) act(m *Model, a *action) (tea.Cmd, bool) {
	if do, ok := timelineActions[a.id]; ok {
		return do(v, m), true
	}
	if !tries[a.id] {
		return nil, false
	}
	l := m.lane()
	list, i := v.selected(m)
	if list[i].index >= 0 {
		m.say(a.first() + ": this is a branch; enter or space goes to it first")
		return nil, true
	}
	if s, at := v.steps(m); len(s) > 0 && l.look.at != at {
		m.pauseHere(l)
		l.lookAt(at)
	}
	cmd := a.run(m)
	if l.look.tried != nil {
		v.try = true
		m.say(fmt.Sprintf("what-if at step %d: %s. Nothing is written; space takes it", l.look.at, m.triedWords(l)))
	}
	return cmd, true
}

// pauseHere stops a run, so that what is looked at stays.
func (m *Model) pauseHere(l *lane) {
	if l.running() || m.cmp.group != nil && m.cmp.group.Running() {
		m.advanceAll(0)
		l.eng.Post(engine.Advance{N: 0})
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
			m.say("→: this is the newest token; n writes the next, space runs")
		} else if k < to {
			m.say("←: this is the first token")
		}
	}
	v.at = to
	l := m.lane()
	if l.look.at > 0 && l.look.at != to { // a what-if belongs to its step
		l.lookAt(0)
		v.try = false
	}
}

// choose selects the next text, or the what-if below the last.
func (v *timeline) choose(m *Model, d int) {
	list, i := v.selected(m)
	rows := len(list)
	if m.lane().look.tried != nil {
		rows++
		if v.try {
			i = len(list)
		}
	}
	to := min(max(i+d, 0), rows-1)
	if to == i {
		m.say("no more branches that way")
		return
	}
	if v.try = to == len(list); v.try {
		to = v.present(list)
		v.at = m.lane().look.at
	}
	v.born, v.lane = list[to].born, m.lane().id
	if len(list[to].steps) > 0 {
		v.at = min(v.at, len(list[to].steps))
	}
}

func (v *timeline) present(list []limb) int {
	for i, b := range list {
		if b.index < 0 {
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
		if b.parent == i {
			forks[b.shared+1] = true
		}
		if k == i && b.parent >= 0 {
			forks[b.shared+1] = true
		}
	}
	for k := at + d; k >= 1 && k <= len(s); k += d {
		if s[k-1].Forced || forks[k] || k > 1 && s[k-2].Settings.Label != s[k-1].Settings.Label {
			v.to(m, k)
			return
		}
	}
	m.say("[ ]: no mark further on: none switched, forced or branched there")
}

// enter opens the step selected in the lab.
func (v *timeline) enter(m *Model) tea.Cmd {
	l := m.lane()
	list, i := v.selected(m)
	at := v.at
	if list[i].index >= 0 {
		m.jumpTo(l, list[i].index)
		m.closeTop()
		m.say("on branch " + m.limbName(l, list, i) + "; u returns to the text it left")
		return nil
	}
	m.pauseHere(l)
	m.closeTop()
	if l.look.at != at && at >= 1 && at <= len(l.view.Steps) {
		l.lookAt(at)
	}
	return nil
}

// esc goes back to where the timeline was opened.
func (v *timeline) esc(m *Model) {
	m.closeTop()
	if v.from.id == "compare" {
		m.show(v.from)
	}
}

// next writes one token of the present text.
func (v *timeline) next(m *Model) tea.Cmd {
	list, i := v.selected(m)
	if list[i].index >= 0 {
		m.say("n: this is a branch; enter or space goes to it first")
		return nil
	}
	m.lane().lookAt(0)
	m.next(1)
	v.at = len(list[i].steps) + 1
	return nil
}

// goOn is space: it runs on from the step selected. If anything differs there
// the text is kept as a branch; if not, the same text would come again.
func (v *timeline) goOn(m *Model) {
	l := m.lane()
	list, i := v.selected(m)
	s, at := v.steps(m)
	switch {
	case l.running():
		l.eng.Post(engine.Advance{N: 0})
	case list[i].index >= 0:
		name := m.limbName(l, list, i)
		m.jumpTo(l, list[i].index)
		m.say("on branch " + name + "; space runs it on, u returns to the text it left")
	case v.try && l.look.under != nil:
		m.branchHere(l, l.look.under)
		m.advanceLane(l, -1)
		v.try, v.born, v.at = false, l.born, newest
	case at < len(s) && differsFrom(s[at-1:], l.settings):
		snap := l.snapshot(fmt.Sprintf("branch at token %d", at), -1)
		snap.branch = l.branchOff(at - 1)
		l.remember(snap)
		m.advanceLane(l, -1)
		v.born, v.at = l.born, newest
		m.say(fmt.Sprintf("branched at token %d under %s; u returns to the text it left", at, viz.Printable(l.shownLabel(), m.pal.ASCII)))
	case at < len(s):
		l.lookAt(0)
		m.advanceLane(l, -1)
		m.say("same settings, same luck: the same text would come again. It goes on at its end; 1-5 or -/+ try others here.")
	default:
		l.lookAt(0)
		m.runOrPause()
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
	l := m.lane()
	list, i := v.selected(m)
	if list[i].index < 0 {
		i = list[i].parent
		for k := 0; i < 0 && k < len(list); k++ {
			if list[k].index >= 0 {
				i = k
			}
		}
	}
	switch {
	case i < 0:
		m.say("C: there is one text; a branch is needed to compare it with")
		return nil
	case len(m.lanes) == maxLanes:
		m.say(fmt.Sprintf("C: %d lanes are the most; x in compare takes one out", maxLanes))
		return nil
	}
	name := m.limbName(l, list, i)
	l.lookAt(0)
	m.pauseHere(l)
	_, cmd := m.addLane(l, list[i].steps, 0, list[i].settings)
	m.cmp.one = false
	m.conduct()
	m.show(opened{"compare", newCompareView()})
	m.say(fmt.Sprintf("lane %d holds %s; [ ] go to where they part", len(m.lanes), name))
	return cmd
}

// takeOut takes the branch selected out of the list, or drops the what-if.
func (v *timeline) takeOut(m *Model) {
	l := m.lane()
	list, i := v.selected(m)
	switch {
	case v.try && l.look.under != nil:
		l.lookAt(0)
		v.try = false
		m.say("the what-if is dropped")
	case list[i].index < 0:
		m.say("x: this is the text the lane holds; go to another one first")
	default:
		m.takeOutBranch(l, list[i], m.limbName(l, list, i))
		v.born = l.born
	}
}
