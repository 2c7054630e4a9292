package lanes

import (
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/engine/check"
	"logitscope/sampling"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// View shows the lanes side by side: text and distribution of each,
// where and why the texts part, and how far apart the lanes are.
type View struct {
	lanes *run.Lanes
	knobs Knobs

	part  part // what a small window shows below the texts
	alone bool // the current lane has the whole width
	open  bool // the list of knobs is open and has the keys
	pairs map[pairKey]*pair
	reads map[int]*readings // by the id of the lane whose text it is

	across map[[2]int]*across // by the ids of the lanes whose text and whose law it is
	sums   map[int]laneSum    // of the texts, by the id of the lane
	busy   bool               // a round of measuring is on its way

	answer check.Answer // what of a text is the lane's vote
	field  *kit.Field   // an expression being typed, nil for none
}

// Knobs are the controls, which compare shows over the lanes.
type Knobs interface {
	// ControlsHeight is how many lines the box of controls takes.
	ControlsHeight() int

	// DrawControlBox draws the controls of l into c, the inside of a box.
	DrawControlBox(c *viz.Canvas, l *run.Lane)

	// MoveKnob selects another knob.
	MoveKnob(d int)

	// InspectKnob says in the help line what the selected knob does.
	InspectKnob()
}

// New returns compare on the lanes there are.
func New(lanes *run.Lanes, knobs Knobs) *View {
	v := &View{lanes: lanes, knobs: knobs, pairs: make(map[pairKey]*pair), reads: make(map[int]*readings), across: make(map[[2]int]*across), sums: make(map[int]laneSum)}
	v.count()
	return v
}

// Open shows the lanes side by side. A lane alone gets a copy of
// itself beside it.
func Open(host kit.Host, lanes *run.Lanes, knobs Knobs) (kit.View, tea.Cmd) {
	v := New(lanes, knobs)
	if len(lanes.All) > 1 {
		for _, l := range lanes.All { // one may run by itself
			l.Eng.Post(engine.Advance{N: 0})
		}
		return v, v.measure()
	}
	l := host.Lane()
	l.Eng.Post(engine.Advance{N: 0})
	l.LookAt(0)
	name, cmd := v.add(l)
	lanes.Side.One = false
	lanes.Conduct()
	lanes.Cur = 0 // esc goes back to the run as it was
	words := "lane 2 goes on under " + name + "; t lets keys act on one lane. C adds one more"
	if l.View.Phase == engine.Done {
		words = "lane 2 has this text under " + name + "; r writes both again"
	}
	host.Say(words)
	v.count()
	return v, cmd
}

// add puts a lane beside the others that goes on from l under the preset next
// to that of l which no lane has yet, and names it; without one it is a copy.
func (v *View) add(l *run.Lane) (name string, cmd tea.Cmd) {
	list := v.lanes.Book.List()
	for d := 1; d <= len(list); d++ {
		k := (l.Preset + d) % len(list)
		if slices.ContainsFunc(v.lanes.All, func(o *run.Lane) bool { return o.Preset == k }) {
			continue
		}
		cfg, err := run.WithPreset(l.Config, list[k]).With("max_new_tokens", l.Config.Value("max_new_tokens"), sampling.FromYou) // as long, to be compared
		if err != nil {
			continue
		}
		set, err := l.Compile(cfg, k)
		if err != nil {
			continue
		}
		o, cmd := v.lanes.Add(l, nil, set)
		o.Preset = k
		return viz.Printable(list[k].Name, false), cmd
	}
	_, cmd = v.lanes.Add(l, nil, nil)
	return "the same settings", cmd
}

// Follow keeps distances up to date.
func (v *View) Follow(host kit.Host, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case measureMsg:
		v.take(msg)
	case readMsg:
		v.takeReadings(msg)
	case acrossMsg:
		v.busy = false
		v.across[[2]int{msg.key.text, msg.key.law}] = &msg.across
	case run.ViewMsg:
		v.count()
	default:
		return nil
	}
	return v.measure()
}

// perLane are the actions that change one lane's settings or marks: they act
// on each lane of the scope.
var perLane = map[kit.ID]bool{
	kit.ActLower: true, kit.ActRaise: true, kit.ActOff: true, kit.ActReset: true, kit.ActUndo: true, kit.ActRedo: true, kit.ActOrder: true,
	kit.ActEarlier: true, kit.ActLater: true, kit.ActPin: true,
	kit.ActPreset1: true, kit.ActPreset2: true, kit.ActPreset3: true, kit.ActPreset4: true, kit.ActPreset5: true,
	kit.ActPreset6: true, kit.ActPreset7: true, kit.ActPreset8: true, kit.ActPreset9: true,
}

// Act takes the actions it names; see [kit.View].
func (v *View) Act(host kit.Host, a *kit.Action) (tea.Cmd, bool) {
	if do, ok := compareActions[a.ID]; ok {
		cmd := do(v, host)
		return tea.Batch(cmd, v.measure()), true
	}
	if v.open && a.ID == kit.ActInspect {
		v.knobs.InspectKnob()
		return v.measure(), true
	}
	if !perLane[a.ID] {
		return nil, false
	}
	if a.ID == kit.ActUndo && v.lanes.PutBackFirst() {
		return v.measure(), true
	}
	v.lanes.Side.Dropped = false
	var cmds []tea.Cmd
	p, was := v.lanes.Selected(), ""
	was = run.ValueWords(p, host.Lane().ShownConfig().Value(p.Key))
	v.lanes.Each(func() { cmds = append(cmds, host.Do(a.ID)) })
	if now := run.ValueWords(p, host.Lane().ShownConfig().Value(p.Key)); turnsKnob[a.ID] && now != was && !v.lanes.Warn {
		host.Say(v.changeWords(p.Key+" "+was+" → "+now, len(v.lanes.Scope())))
	} else if n := len(v.lanes.Scope()); n > 1 && v.lanes.Notice.Text != "" && !v.lanes.Warn {
		v.lanes.Notice.Text = fmt.Sprintf("all %d lanes: %s", n, v.lanes.Notice.Text)
	}
	return tea.Batch(append(cmds, v.measure())...), true
}

// turnsKnob are the actions that change the selected knob.
var turnsKnob = map[kit.ID]bool{kit.ActLower: true, kit.ActRaise: true, kit.ActOff: true, kit.ActReset: true}

// changeWords say what a key has changed, where, and how to change it elsewhere.
func (v *View) changeWords(change string, scope int) string {
	if scope > 1 {
		return fmt.Sprintf("%s: %s; t would change lane %d alone", v.lanes.ScopeWords(), change, v.lanes.Cur+1)
	}
	return fmt.Sprintf("lane %d: %s; t would change all", v.lanes.Cur+1, change)
}

// Lends are what looks at the current lane as the lab does.
func (v *View) Lends(kit.Host) []kit.ID {
	return []kit.ID{kit.ActInspect, kit.ActFind, kit.ActDraw, kit.ActMarks, kit.ActFlip}
}

// compareActions are the actions that mean something of their own here.
var compareActions = compareActionsTable()

func compareActionsTable() map[kit.ID]func(*View, kit.Host) tea.Cmd {
	do := func(f func(*View, kit.Host)) func(*View, kit.Host) tea.Cmd {
		return func(v *View, host kit.Host) tea.Cmd { f(v, host); return nil }
	}
	step := func(n int) func(*View, kit.Host) tea.Cmd {
		return do(func(v *View, host kit.Host) {
			if v.open {
				p := v.lanes.Selected()
				was := run.ValueWords(p, host.Lane().ShownConfig().Value(p.Key))
				v.lanes.Each(func() { v.lanes.Nudge(n) })
				if now := run.ValueWords(p, host.Lane().ShownConfig().Value(p.Key)); now != was {
					host.Say(v.changeWords(p.Key+" "+was+" → "+now, len(v.lanes.Scope())))
				}
				return
			}
			v.lanes.StepAll(n)
		})
	}
	return map[kit.ID]func(*View, kit.Host) tea.Cmd{
		kit.ActRun:  do(func(v *View, host kit.Host) { v.lanes.RunAll() }),
		kit.ActNext: do(func(v *View, host kit.Host) { v.lanes.StepAll(1) }), kit.ActBack: do(func(v *View, host kit.Host) { v.lanes.StepAll(-1) }),
		kit.ActRight: step(1), kit.ActLeft: step(-1), kit.ActRight10: step(10), kit.ActLeft10: step(-10),
		kit.ActFirst:    do(func(v *View, host kit.Host) { v.toEnd(host, -1) }),
		kit.ActLast:     do(func(v *View, host kit.Host) { v.toEnd(host, 1) }),
		kit.ActDown:     do(func(v *View, host kit.Host) { v.move(host, 1) }),
		kit.ActUp:       do(func(v *View, host kit.Host) { v.move(host, -1) }),
		kit.ActPane:     do(func(v *View, host kit.Host) { v.turn(host, 1) }),
		kit.ActPaneBack: do(func(v *View, host kit.Host) { v.turn(host, -1) }),
		kit.ActAll:      do((*View).oneOrAll),
		kit.ActSync:     do((*View).waitOrFree),
		kit.ActZoom:     do(func(v *View, host kit.Host) { v.alone = !v.alone }),
		kit.ActNumber:   do((*View).nextPart),
		kit.ActAnswer:   do((*View).nextAnswer),
		kit.ActForce:    do(func(v *View, host kit.Host) { v.lanes.ForceElsewhere() }),
		kit.ActPrevMark: do(func(v *View, host kit.Host) { v.toMark(host, -1) }),
		kit.ActNextMark: do(func(v *View, host kit.Host) { v.toMark(host, 1) }),
		kit.ActTake:     do((*View).takeLane),
		kit.ActCompare:  (*View).another,
		kit.ActOpen:     (*View).enter,
		kit.ActClose:    (*View).esc,
		kit.ActAgain:    do(func(v *View, host kit.Host) { v.lanes.RestartAll(false) }),
		kit.ActReseed:   do(func(v *View, host kit.Host) { v.lanes.RestartAll(true) }),
	}
}

// turn moves the keys to the next lane, after the last one to the knobs.
func (v *View) turn(host kit.Host, d int) {
	n := len(v.lanes.All) + 1
	at := v.lanes.Cur
	if v.open {
		at = len(v.lanes.All)
	}
	at = (at + d + n) % n
	if v.open = at == len(v.lanes.All); v.open {
		host.Say(fmt.Sprintf("knobs of lane %d: ↑ ↓ choose · ← → change %s · enter types a value · tab goes on", v.lanes.Cur+1, v.lanes.ScopeWords()))
		return
	}
	v.lanes.Cur = at
}

// nextPart shows another part below the texts.
func (v *View) nextPart(host kit.Host) {
	r := host.Screen().Body()
	if compareLayoutOf(r.W, r.H, len(v.lanes.All), v.lanes.Cur, v.alone, v.part).all {
		host.Say("v: table, token, distance and why are all here; a smaller window turns them")
		return
	}
	v.part = (v.part + 1) % nParts
}

func (v *View) oneOrAll(host kit.Host) {
	v.lanes.Side.One = !v.lanes.Side.One
	host.Say("keys act on " + v.lanes.ScopeWords())
}

func (v *View) waitOrFree(host kit.Host) {
	v.lanes.Side.Free = !v.lanes.Side.Free
	v.lanes.Side.Group.SetInStep(!v.lanes.Side.Free)
	if v.lanes.Side.Free {
		host.Say("each lane runs at its own speed")
		return
	}
	host.Say("each lane waits for the slowest")
}

// move chooses a row of the chart, or a knob.
func (v *View) move(host kit.Host, d int) {
	if v.open {
		v.knobs.MoveKnob(d)
		return
	}
	l := host.Lane()
	ids := v.rowsOf(host, v.lanes.Cur)
	if len(ids) == 0 {
		host.Say("no rows yet: " + host.WhyNot(l))
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
	host.Say("no more rows that way")
}

func (v *View) toEnd(host kit.Host, d int) {
	if v.open {
		v.knobs.MoveKnob(d * len(run.Knobs))
		return
	}
	if d > 0 && !run.AnyLooks(v.lanes.Scope()) {
		host.Say("end: these are the newest tokens; → writes the next")
		return
	}
	if d > 0 {
		v.lanes.LookAll(run.Newest)
		return
	}
	v.lanes.LookAll(1)
}

// toMark goes to where the texts part, or away from it.
func (v *View) toMark(host kit.Host, d int) {
	at := run.ShownIndex(host.Lane()) + 1
	best := 0
	for i, l := range v.lanes.All {
		if i == v.lanes.Cur {
			continue
		}
		p := v.pairOf(host.Lane(), l)
		if !p.parts {
			continue
		}
		_, turned := keyOf(host.Lane(), l)
		k := p.at[0] + 1
		if turned {
			k = p.at[1] + 1
		}
		if d > 0 && k > at && (best == 0 || k < best) || d < 0 && k < at && k > best {
			best = k
		}
	}
	if best == 0 {
		host.Say("[ ]: the texts part nowhere further on")
		return
	}
	v.lanes.LookAll(best)
}

// takeLane takes the current lane out.
func (v *View) takeLane(host kit.Host) {
	if len(v.lanes.All) == 2 {
		host.Say("x: two lanes are the least; esc goes to the lab with this one")
		return
	}
	n := v.lanes.Cur + 1
	v.lanes.Drop(v.lanes.Cur)
	v.lanes.Side.Dropped = true
	host.Say(fmt.Sprintf("lane %d is out; u puts it back", n))
}

// another puts a copy of the current lane beside the others.
func (v *View) another(host kit.Host) tea.Cmd {
	if len(v.lanes.All) == run.MaxLanes {
		host.Say(fmt.Sprintf("C: %d lanes are the most; x takes one out, esc goes to the lab", run.MaxLanes))
		return nil
	}
	name, cmd := v.add(host.Lane())
	v.lanes.Conduct()
	v.lanes.Cur = len(v.lanes.All) - 1
	host.Say(fmt.Sprintf("lane %d goes on under %s; t makes keys act on one lane", v.lanes.Cur+1, name))
	v.count()
	return cmd
}

// enter opens the step shown in the lab, or types a knob's value.
func (v *View) enter(host kit.Host) tea.Cmd {
	if v.open {
		return host.Open(kit.ViewValue)
	}
	v.lanes.AdvanceAll(0)
	host.Close()
	host.Say(fmt.Sprintf("lane %d in the lab; C goes back to the lanes", v.lanes.Cur+1))
	return nil
}

func (v *View) esc(host kit.Host) tea.Cmd {
	switch {
	case v.open:
		v.open = false
	case v.alone:
		v.alone = false
	case run.AnyLooks(v.lanes.Scope()):
		v.lanes.LookAll(run.Newest)
	default:
		return v.enter(host)
	}
	return nil
}
