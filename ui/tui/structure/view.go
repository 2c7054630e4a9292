package structure

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/sampling"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// View shows what a constraint does at the step on the screen:
// which tokens it refuses and where they die, what it costs, where the text
// stands in it, and how far it is from its end.
type View struct {
	lanes *run.Lanes
	texts *Texts
	list  kit.List // of patterns, while there is no constraint

	kept string // the constraint taken off with x, to be put back
}

// New opens the view on the lane that keys act on.
func New(host kit.Host, lanes *run.Lanes, texts *Texts) (kit.View, tea.Cmd) {
	v := &View{lanes: lanes, texts: texts}
	return v, v.weigh(host, false)
}

// Follow takes what templates cost, and looks at them again under other
// settings; see [kit.Follower].
func (v *View) Follow(host kit.Host, msg tea.Msg) tea.Cmd {
	if _, ok := msg.(run.ViewMsg); ok {
		return v.weigh(host, false)
	}
	return v.texts.bites.take(msg)
}

// Leave stops what is being written; see [kit.Leaver].
func (v *View) Leave(kit.Host) { v.texts.bites.leave() }

// known is what the constraint of l knew at the step on the screen, also where
// its mask is off as a what-if; nil if it knew nothing.
func known(l *run.Lane) *engine.ConstraintStep {
	for _, s := range []*engine.Step{l.Step(), l.Before()} {
		if s != nil && s.Constraint != nil && !s.Constraint.Broken {
			return s.Constraint
		}
	}
	return nil
}

// off reports whether x took the mask off the step on the screen.
func (v *View) off(host kit.Host) bool {
	return v.kept != "" && host.Lane().ShownConfig().Text("constraint") == ""
}

// text is the constraint as it is stored, also while its mask is off; empty
// for none.
func (v *View) text(host kit.Host) string {
	if v.off(host) {
		return v.kept
	}
	return host.Lane().ShownConfig().Text("constraint")
}

// Hints are what the footer offers; see [kit.View].
func (v *View) Hints(host kit.Host) []kit.ID { return nil }

// Footer words the hints; see [kit.Footed].
func (v *View) Footer(host kit.Host) []kit.Hint {
	if !v.active(host) {
		return []kit.Hint{{ID: kit.ActDown, Keys: "↑↓", Word: "choose"}, {ID: kit.ActOpen, Word: "write it"}, {ID: kit.ActNumber, Word: "what each costs"}, {ID: kit.ActClose, Word: "lab"}, {ID: kit.ActHelp}}
	}
	mask, order := "mask off", "draw, then check"
	if v.off(host) {
		mask = "mask on"
	}
	if set := host.Lane().ShownSettings(); set != nil && set.Pipeline.ChecksAfterDraw() {
		order = "mask first"
	}
	hints := []kit.Hint{{ID: kit.ActRight, Keys: "←→", Word: "token"}, {ID: kit.ActOpen, Word: "edit, templates"}}
	if host.Lane().View.Phase != engine.Done { // then it stands in front
		hints = append(hints, kit.Hint{ID: kit.ActAgain, Word: "again with it"})
	}
	return append(hints, kit.Hint{ID: kit.ActTake, Word: mask}, kit.Hint{ID: kit.ActOrder, Word: order}, kit.Hint{ID: kit.ActCompare, Word: "free beside it"}, kit.Hint{ID: kit.ActRun},
		kit.Hint{ID: kit.ActOff, Word: "take it away"}, kit.Hint{ID: kit.ActForce}, kit.Hint{ID: kit.ActClose, Word: "lab"}, kit.Hint{ID: kit.ActHelp})
}

// Help is the help line while nothing was said; see [kit.Helper].
func (v *View) Help(host kit.Host) (string, viz.Ink) {
	l := host.Lane()
	switch s := l.Step(); {
	case !v.active(host):
		return "A constraint refuses the tokens after which the text could no longer fit.", viz.Ink{}
	case v.off(host):
		return "The mask is off: the model says what it likes. x puts it back.", viz.Ink{Role: viz.Warning}
	case s != nil && s.Constraint != nil && s.Constraint.Broken:
		return "A token was forced that the constraint does not allow: it applies no more. b goes back before it.", viz.Ink{Role: viz.Warning}
	case s != nil && s.Constraint != nil && s.Constraint.Closing:
		return "The token budget is near: only what lets the text close in time may come.", viz.Ink{Role: viz.Warning}
	}
	switch k, set := known(l), l.ShownSettings(); {
	case set == nil || k == nil || !set.Pipeline.ChecksAfterDraw():
		return "⊘ had mass, but may not be written here; i says why. What is left is scaled to one.", viz.Ink{}
	case k.Redrawn:
		return "The first draw fell on a ⊘: it was made again under the mask.", viz.Ink{}
	}
	return "The draw was made without the mask and is allowed; a ⊘ would be drawn again.", viz.Ink{}
}

// active reports whether there is a constraint to show.
func (v *View) active(host kit.Host) bool {
	return v.text(host) != ""
}

// Act takes the actions it names; see [kit.View].
func (v *View) Act(host kit.Host, a *kit.Action) (tea.Cmd, bool) {
	if !v.active(host) {
		return v.pick(host, a)
	}
	switch a.ID {
	case kit.ActRight:
		v.lanes.Next(1)
	case kit.ActLeft:
		v.lanes.Back(1)
	case kit.ActUp, kit.ActDown, kit.ActFirst, kit.ActLast:
		d, _ := a.Rows(1000)
		v.row(host, d)
	case kit.ActRight10:
		v.lanes.Next(10)
	case kit.ActLeft10:
		v.lanes.Back(10)
	case kit.ActOpen:
		return host.Open(kit.ViewSource), true
	case kit.ActTake:
		v.maskOff(host)
	case kit.ActOrder:
		v.drawOrder(host)
	case kit.ActOff:
		v.takeAway(host)
	case kit.ActInspect:
		host.Say(v.story(host))
	case kit.ActCompare:
		return v.without(host), true
	case kit.ActCopy:
		return v.copy(host), true
	default:
		return nil, false
	}
	return nil, true
}

// Lends are what runs, undoes and looks at tokens, as in the lab; without a
// constraint no row is shown to be chosen.
func (v *View) Lends(h kit.Host) []kit.ID {
	list := []kit.ID{kit.ActRun, kit.ActNext, kit.ActBack, kit.ActAgain, kit.ActReseed, kit.ActUndo, kit.ActRedo, kit.ActFlip,
		kit.ActFind, kit.ActDraw, kit.ActMarks, kit.ActPrevMark, kit.ActNextMark}
	if v.active(h) {
		list = append(list, kit.ActForce, kit.ActPin)
	}
	return list
}

// NotHere says what to do for what acts on the lab alone.
func (v *View) NotHere(h kit.Host) string {
	if !v.active(h) {
		return "no constraint yet; ↑↓ choose a template, enter writes it"
	}
	return "no knobs here; enter edits the constraint, esc goes back to the lab"
}

// copy copies the constraint as it was written, to be pasted where it came
// from; one without a text of its own as it is stored.
func (v *View) copy(host kit.Host) tea.Cmd {
	stored := v.text(host)
	s, _ := v.texts.of(stored)
	text := s.text
	if text == "" {
		text = stored
	}
	return host.Copy("the constraint", text, "logitscope-"+s.kindOf().File)
}

// pick takes actions while there is no constraint yet.
func (v *View) pick(host kit.Host, a *kit.Action) (tea.Cmd, bool) {
	if at := v.list.At; v.list.Act(a, len(patterns), len(patterns)) {
		if v.list.At == at {
			host.Say("no more templates that way")
		}
		return nil, true
	}
	switch a.ID {
	case kit.ActOpen:
		return host.Open(kit.ViewSource), true // which starts from the template chosen
	case kit.ActNumber:
		return v.weigh(host, true), true
	case kit.ActCompare, kit.ActCopy:
		host.Say(a.First() + ": " + v.NotHere(host))
		return nil, true
	}
	return nil, false
}

// row moves the cursor over the rows.
func (v *View) row(host kit.Host, d int) {
	l := host.Lane()
	s := l.Step()
	if s == nil || s.Trace == nil {
		host.Say("no rows yet: " + host.WhyNot(l))
		return
	}
	rows := maskRows(l, s, v.layout(host).tokens)
	i := slices.IndexFunc(rows, func(r *sampling.Row) bool { return r.ID == l.Row })
	to := min(max(i+d, 0), max(len(rows)-1, 0))
	if to == i {
		host.Say("no more rows that way; / finds any token")
	}
	if len(rows) > 0 {
		l.Row = rows[to].ID
	}
}

// maskOff lets the model say what it likes from this step on, or not.
func (v *View) maskOff(host kit.Host) {
	l := host.Lane()
	base := l.ShownConfig()
	if !v.off(host) {
		text := base.Text("constraint")
		if host.Apply(base.Without("constraint"), l.Preset, "", "mask off") {
			v.kept = text
			host.Say("the mask is off: bars are what the model would say; x puts it back")
		}
		return
	}
	cfg, err := base.With("constraint", v.kept, sampling.FromYou)
	if err != nil || !host.Apply(cfg, l.Preset, "", "mask on") {
		return
	}
	v.kept = ""
	host.Say("the mask is on again")
	if at := l.Step(); at != nil && at.Index > 1 && l.Committed(at.Index-1).Constraint == nil {
		host.Say("the mask is on, from its start: the text written without it does not count")
	}
}

// takeAway removes the constraint for good.
func (v *View) takeAway(host kit.Host) {
	l := host.Lane()
	if v.off(host) || host.Apply(l.ShownConfig().Without("constraint"), l.Preset, "", "constraint taken away") {
		v.kept = ""
		host.Say("the constraint is gone; u brings it back")
	}
}

// drawOrders are the two places of the mask, as draw_order names them.
var drawOrders = map[bool]struct{ value, says string }{
	false: {"mask_first", "refused tokens go first; the rest sums to one"},
	true:  {"draw_then_check", "draw unmasked; a refused token is drawn again"},
}

// drawOrder moves the mask from before the draw to after it, or back.
func (v *View) drawOrder(host kit.Host) {
	l := host.Lane()
	if v.off(host) || l.ShownSettings() == nil {
		host.Say("o: there is no mask to move; x puts it back")
		return
	}
	to := drawOrders[!l.ShownSettings().Pipeline.ChecksAfterDraw()]
	if host.Set("draw_order", to.value) {
		host.Say("draw_order " + to.value + ": " + to.says)
	}
}

// without opens a second lane that writes from the same prompt without the
// constraint, as far as the first.
func (v *View) without(host kit.Host) tea.Cmd {
	l := host.Lane()
	if len(v.lanes.All) > 1 {
		return host.Open(kit.ViewCompare)
	}
	set, err := l.Compile(l.Config.Without("constraint"), l.Preset)
	if err != nil {
		host.Complain(err.Error())
		return nil
	}
	l.Eng.Post(engine.Advance{N: 0})
	l.LookAt(0)
	to, cmd := v.lanes.AddEmpty(l, set)
	v.lanes.Conduct()
	open := host.Open(kit.ViewCompare)
	v.lanes.Copy(l, to, []*engine.Step{}, len(l.View.Steps)) // last: opening compare pauses every lane
	host.Say("lane 2: the same prompt without the constraint, as far; n steps both")
	return tea.Batch(cmd, open)
}

// Mouse selects the row or the template under it.
func (v *View) Mouse(host kit.Host, _, y int, e tea.MouseMsg) (tea.Cmd, bool) {
	if e.Button != tea.MouseButtonLeft || e.Action != tea.MouseActionPress {
		return nil, false
	}
	if !v.active(host) {
		top, n := patternsShown(v.list.At, host.Screen().Body().H-2*edge)
		if i := y - edge - patternsTop; i >= 0 && i < n {
			again := v.list.At == top+i
			if v.list.At = top + i; again {
				return v.Act(host, &kit.Action{ID: kit.ActOpen})
			}
		}
		return nil, true
	}
	l := host.Lane()
	if s := l.Step(); s != nil && s.Trace != nil {
		lay := v.layout(host)
		rows := maskRows(l, s, lay.tokens)
		if i := y - lay.rows.Y - tableHead; i >= 0 && i < len(rows) {
			l.Row = rows[i].ID
		}
	}
	return nil, true
}
