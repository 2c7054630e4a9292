package timeline

import (
	"fmt"
	"math"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// View shows all steps of a text as columns, and the texts that were
// left as branches below.
type View struct {
	lanes *run.Lanes
	doors Doors
	born  int  // the text selected, as branch.born
	at    int  // the step selected, from 1
	try   bool // the what-if is selected instead of a text
	lane  int  // id of the lane that both belong to
}

// newest is a place beyond any step: the newest.
const newest = math.MaxInt32

// Doors lead out of the view.
type Doors struct {
	Back   func() // to where it was opened
	Beside func() // to the lanes side by side
}

// New opens the view on the lane that keys act on, or says why not.
func New(host kit.Host, lanes *run.Lanes, doors Doors) (kit.View, tea.Cmd) {
	l := host.Lane()
	switch {
	case l.View.Beam != nil:
		host.Say("T: beam search keeps several texts at once; B shows how they grow")
		return nil, nil
	case len(l.View.Steps) == 0 && len(l.Branches) == 0:
		host.Say("T: no token is written yet")
		return nil, nil
	}
	v := &View{born: l.Born, at: len(l.View.Steps), lane: l.ID, lanes: lanes, doors: doors}
	if l.Look.At > 0 {
		v.at = l.Look.At
	}
	return v, nil
}

// selected returns the limbs of the lane and which one is selected. What is
// gone gives way to the present text.
func (v *View) selected(host kit.Host) (list []run.Limb, i int) {
	l := host.Lane()
	list = l.Limbs()
	for k, b := range list {
		if b.Index < 0 {
			i = k
		}
	}
	if v.lane != l.ID {
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
func (v *View) steps(host kit.Host) ([]*engine.Step, int) {
	list, i := v.selected(host)
	s := list[i].Steps
	return s, min(max(v.at, 1), len(s))
}

// At is the step selected, from 1.
func (v *View) At(host kit.Host) int {
	_, at := v.steps(host)
	return at
}

// Follow takes results and new views; see [kit.Follower].
func (v *View) Follow(host kit.Host, msg tea.Msg) tea.Cmd {
	if msg, ok := msg.(run.ViewMsg); ok && msg.Lane == host.Lane().ID {
		list, i := v.selected(host)
		v.born, v.lane = list[i].Born, host.Lane().ID
		if host.Lane().Running() && list[i].Index < 0 {
			v.at = len(list[i].Steps)
		}
	}
	return nil
}

// acts are the actions that mean something of their own here.
var acts = actsTable()

func actsTable() map[kit.ID]func(*View, kit.Host) tea.Cmd {
	do := func(f func(*View, kit.Host)) func(*View, kit.Host) tea.Cmd {
		return func(v *View, host kit.Host) tea.Cmd { f(v, host); return nil }
	}
	step := func(n int) func(*View, kit.Host) tea.Cmd {
		return do(func(v *View, host kit.Host) { v.step(host, n) })
	}
	return map[kit.ID]func(*View, kit.Host) tea.Cmd{
		kit.ActRight: step(1), kit.ActLeft: step(-1), kit.ActBack: step(-1), kit.ActRight10: step(10), kit.ActLeft10: step(-10),
		kit.ActFirst:    do(func(v *View, host kit.Host) { v.to(host, 1) }),
		kit.ActLast:     do(func(v *View, host kit.Host) { v.to(host, 1<<30) }),
		kit.ActNext:     (*View).next,
		kit.ActDown:     do(func(v *View, host kit.Host) { v.choose(host, 1) }),
		kit.ActUp:       do(func(v *View, host kit.Host) { v.choose(host, -1) }),
		kit.ActPane:     do(func(v *View, host kit.Host) { v.choose(host, 1) }),
		kit.ActPaneBack: do(func(v *View, host kit.Host) { v.choose(host, -1) }),
		kit.ActPrevMark: do(func(v *View, host kit.Host) { v.toMark(host, -1) }),
		kit.ActNextMark: do(func(v *View, host kit.Host) { v.toMark(host, 1) }),
		kit.ActOpen:     (*View).enter,
		kit.ActClose:    do((*View).esc),
		kit.ActRun:      do((*View).goOn),
		kit.ActCompare:  (*View).compare,
		kit.ActTake:     do((*View).takeOut),
		kit.ActName:     func(v *View, host kit.Host) tea.Cmd { return host.Open(kit.ViewName) },
		kit.ActCue:      func(v *View, host kit.Host) tea.Cmd { return host.Open(kit.ViewCue) },
		kit.ActInspect:  do((*View).inspect),
		kit.ActZoom:     do(func(v *View, host kit.Host) { host.Say("z: the timeline has the whole screen already") }),
		kit.ActForce: do(func(v *View, host kit.Host) {
			host.Say("f: enter opens this step in the lab, where f writes a row's token in a branch")
		}),
	}
}

// tries are the actions that try other settings on the step selected.
var tries = map[kit.ID]bool{
	kit.ActLower: true, kit.ActRaise: true, kit.ActOff: true, kit.ActReset: true, kit.ActOrder: true,
	kit.ActPreset1: true, kit.ActPreset2: true, kit.ActPreset3: true, kit.ActPreset4: true, kit.ActPreset5: true,
	kit.ActPreset6: true, kit.ActPreset7: true, kit.ActPreset8: true, kit.ActPreset9: true,
}

// Act takes the actions it names; see [kit.View].
func (v *View) Act(host kit.Host, a *kit.Action) (tea.Cmd, bool) {
	if do, ok := acts[a.ID]; ok {
		return do(v, host), true
	}
	if !tries[a.ID] {
		return nil, false
	}
	l := host.Lane()
	list, i := v.selected(host)
	if list[i].Index >= 0 {
		host.Say(a.First() + ": this is a branch; enter or space goes to it first")
		return nil, true
	}
	if s, at := v.steps(host); len(s) > 0 && l.Look.At != at {
		v.lanes.PauseHere(l)
		l.LookAt(at)
	}
	cmd := host.Do(a.ID)
	if l.Look.Tried != nil {
		v.try = true
		host.Say(fmt.Sprintf("what-if at step %d: %s. Nothing is written; space takes it", l.Look.At, triedWords(host, l)))
	}
	return cmd, true
}

// Lends are what starts again, undoes and looks at tokens, as in the lab.
func (v *View) Lends(host kit.Host) []kit.ID {
	return []kit.ID{kit.ActAgain, kit.ActReseed, kit.ActUndo, kit.ActRedo, kit.ActFlip, kit.ActPin, kit.ActFind, kit.ActDraw, kit.ActMarks,
		kit.ActEarlier, kit.ActLater, kit.ActAll, kit.ActSync}
}

func (v *View) step(host kit.Host, n int) {
	_, at := v.steps(host)
	v.to(host, at+n)
}

// to selects step k.
func (v *View) to(host kit.Host, k int) {
	s, at := v.steps(host)
	to := min(max(k, 1), len(s))
	if to == at {
		if k > to {
			host.Say("→: this is the newest token; n writes the next, space runs")
		} else if k < to {
			host.Say("←: this is the first token")
		}
	}
	v.at = to
	l := host.Lane()
	if l.Look.At > 0 && l.Look.At != to { // a what-if belongs to its step
		l.LookAt(0)
		v.try = false
	}
}

// choose selects the next text, or the what-if below the last.
func (v *View) choose(host kit.Host, d int) {
	list, i := v.selected(host)
	rows := len(list)
	if host.Lane().Look.Tried != nil {
		rows++
		if v.try {
			i = len(list)
		}
	}
	to := min(max(i+d, 0), rows-1)
	if to == i {
		host.Say("no more branches that way")
		return
	}
	if v.try = to == len(list); v.try {
		to = v.present(list)
		v.at = host.Lane().Look.At
	}
	v.born, v.lane = list[to].Born, host.Lane().ID
	if len(list[to].Steps) > 0 {
		v.at = min(v.at, len(list[to].Steps))
	}
}

func (v *View) present(list []run.Limb) int {
	for i, b := range list {
		if b.Index < 0 {
			return i
		}
	}
	return 0
}

// toMark goes to the next switch of settings, forced token, cue or branching.
func (v *View) toMark(host kit.Host, d int) {
	s, at := v.steps(host)
	list, i := v.selected(host)
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
		if s[k-1].Forced || forks[k] || host.Lane().Cue(k) != "" || k > 1 && s[k-2].Settings.Label != s[k-1].Settings.Label {
			v.to(host, k)
			v.lanes.SayCue(host.Lane(), k)
			return
		}
	}
	host.Say("[ ]: no mark further on: none switched, forced, branched or cued there")
}

// enter opens the step selected in the lab.
func (v *View) enter(host kit.Host) tea.Cmd {
	l := host.Lane()
	list, i := v.selected(host)
	at := v.at
	if list[i].Index >= 0 {
		v.lanes.JumpTo(l, list[i].Index)
		host.Close()
		host.Say("on branch " + v.lanes.LimbName(l, list, i) + "; u returns to the text it left")
		return nil
	}
	v.lanes.PauseHere(l)
	host.Close()
	if l.Look.At != at && at >= 1 && at <= len(l.View.Steps) {
		l.LookAt(at)
	}
	return nil
}

// esc goes back to where the timeline was opened.
func (v *View) esc(host kit.Host) {
	v.doors.Back()
}

// next writes one token of the present text.
func (v *View) next(host kit.Host) tea.Cmd {
	list, i := v.selected(host)
	if list[i].Index >= 0 {
		host.Say("n: this is a branch; enter or space goes to it first")
		return nil
	}
	host.Lane().LookAt(0)
	v.lanes.Next(1)
	v.at = len(list[i].Steps) + 1
	return nil
}

// goOn is space: it runs on from the step selected. If anything differs there
// the text is kept as a branch; if not, the same text would come again.
func (v *View) goOn(host kit.Host) {
	l := host.Lane()
	list, i := v.selected(host)
	s, at := v.steps(host)
	switch {
	case l.Running():
		l.Eng.Post(engine.Advance{N: 0})
	case list[i].Index >= 0:
		name := v.lanes.LimbName(l, list, i)
		v.lanes.JumpTo(l, list[i].Index)
		host.Say("on branch " + name + "; space runs it on, u returns to the text it left")
	case v.try && l.Look.Under != nil:
		v.lanes.BranchHere(l, l.Look.Under)
		v.lanes.AdvanceLane(l, -1)
		v.try, v.born, v.at = false, l.Born, newest
	case at < len(s) && differsFrom(s[at-1:], l.Settings):
		snap := l.Snapshot(fmt.Sprintf("branch at token %d", at), -1)
		snap.Branch = l.BranchOff(at - 1)
		l.Remember(snap)
		v.lanes.AdvanceLane(l, -1)
		v.born, v.at = l.Born, newest
		host.Say(fmt.Sprintf("branched at token %d under %s; u returns to the text it left", at, viz.Printable(l.ShownLabel(), host.Screen().ASCII())))
	case at < len(s):
		l.LookAt(0)
		v.lanes.AdvanceLane(l, -1)
		host.Say("same settings, same luck: the same text would come again. It goes on at its end; 1-5 or -/+ try others here.")
	default:
		l.LookAt(0)
		v.lanes.RunOrPause()
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
func (v *View) compare(host kit.Host) tea.Cmd {
	l := host.Lane()
	list, i := v.selected(host)
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
		host.Say("C: there is one text; a branch is needed to compare it with")
		return nil
	case len(v.lanes.All) == run.MaxLanes:
		host.Say(fmt.Sprintf("C: %d lanes are the most; x in compare takes one out", run.MaxLanes))
		return nil
	}
	name := v.lanes.LimbName(l, list, i)
	l.LookAt(0)
	v.lanes.PauseHere(l)
	_, cmd := v.lanes.Add(l, list[i].Steps, list[i].Settings)
	v.lanes.Side.One = false
	v.lanes.Conduct()
	v.doors.Beside()
	host.Say(fmt.Sprintf("lane %d holds %s; [ ] go to where they part", len(v.lanes.All), name))
	return cmd
}

// takeOut takes the branch selected out of the list, or drops the what-if.
func (v *View) takeOut(host kit.Host) {
	l := host.Lane()
	list, i := v.selected(host)
	switch {
	case v.try && l.Look.Under != nil:
		l.LookAt(0)
		v.try = false
		host.Say("the what-if is dropped")
	case v.lanes.TakeOutCue(l, v.At(host)):
	case list[i].Index < 0:
		host.Say("x: this is the text the lane holds; go to another one first")
	default:
		v.lanes.TakeOutBranch(l, list[i], v.lanes.LimbName(l, list, i))
		v.born = l.Born
	}
}
