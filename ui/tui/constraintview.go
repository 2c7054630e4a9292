package tui

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/sampling"
	"logitscope/sampling/constrain"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// constraintView shows what a constraint does at the step on the screen:
// which tokens it refuses and where they die, what it costs, where the text
// stands in it, and how far it is from its end.
type constraintView struct {
	list kit.List // of the kinds, while there is no constraint

	kept string // the constraint taken off with x, to be put back
}

func newConstraint(*Model) (kit.View, tea.Cmd) { return &constraintView{}, nil }

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
func (v *constraintView) off(m *Model) bool {
	return v.kept != "" && m.Lane().ShownConfig().Text("constraint") == ""
}

// text is the constraint as it is stored, also while its mask is off; empty
// for none.
func (v *constraintView) text(m *Model) string {
	if v.off(m) {
		return v.kept
	}
	return m.Lane().ShownConfig().Text("constraint")
}

// constrain puts a constraint in force and starts again from the prompt.
func (m *Model) constrain(stored string) tea.Cmd {
	l := m.Lane()
	l.LookAt(0)
	cfg, err := l.Config.With("constraint", stored, sampling.FromYou)
	if err != nil {
		m.Complain(viz.FirstLine(err.Error()))
		return nil
	}
	what := "constraint " + run.KindName(stored)
	if !m.Apply(cfg, l.Preset, "", what) {
		return nil
	}
	if m.topID() != kit.ViewConstraint {
		m.Open(kit.ViewConstraint)
	}
	if v, ok := m.screen.View.(*constraintView); ok {
		v.kept = ""
	}
	if l.Prompt == nil {
		m.Say("in force; no prompt yet: e writes one, E has examples")
		return nil
	}
	m.Start(l)
	m.Say("in force, again from the prompt. n steps, space runs. C holds it against the text without it.")
	return nil
}

func (v *constraintView) Hints(kit.Host) []kit.ID { return nil }

func (v *constraintView) Footer(host kit.Host) []kit.Hint {
	m := host.(*Model)
	if !v.active(m) {
		return []kit.Hint{{ID: kit.ActDown, Keys: "↑↓", Word: "choose"}, {ID: kit.ActOpen, Word: "write it"}, {ID: kit.ActClose, Word: "lab"}, {ID: kit.ActHelp}}
	}
	mask, order := "mask off", "draw, then check"
	if v.off(m) {
		mask = "mask on"
	}
	if set := m.Lane().ShownSettings(); set != nil && set.Pipeline.ChecksAfterDraw() {
		order = "mask first"
	}
	return []kit.Hint{{ID: kit.ActNext}, {ID: kit.ActTake, Word: mask}, {ID: kit.ActOrder, Word: order}, {ID: kit.ActOpen, Word: "edit"}, {ID: kit.ActCompare, Word: "without it"},
		{ID: kit.ActBack}, {ID: kit.ActRun}, {ID: kit.ActOff, Word: "take it away"}, {ID: kit.ActForce}, {ID: kit.ActClose, Word: "lab"}, {ID: kit.ActHelp}}
}

func (v *constraintView) Help(host kit.Host) (string, viz.Ink) {
	m := host.(*Model)
	l := m.Lane()
	switch s := l.Step(); {
	case !v.active(m):
		return "A constraint refuses the tokens after which the text could no longer fit.", viz.Ink{}
	case v.off(m):
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
func (v *constraintView) active(m *Model) bool {
	return v.text(m) != ""
}

func (v *constraintView) Act(host kit.Host, a *kit.Action) (tea.Cmd, bool) {
	m := host.(*Model)
	if !v.active(m) {
		return v.pick(m, a)
	}
	switch a.ID {
	case kit.ActRight:
		m.Next(1)
	case kit.ActLeft:
		m.Back(1)
	case kit.ActUp, kit.ActDown:
		v.row(m, map[kit.ID]int{kit.ActUp: -1, kit.ActDown: 1}[a.ID])
	case kit.ActFirst, kit.ActLast:
		v.row(m, map[kit.ID]int{kit.ActFirst: -1000, kit.ActLast: 1000}[a.ID])
	case kit.ActRight10:
		m.Next(10)
	case kit.ActLeft10:
		m.Back(10)
	case kit.ActOpen:
		return m.Open(kit.ViewSource), true
	case kit.ActTake:
		v.maskOff(m)
	case kit.ActOrder:
		v.drawOrder(m)
	case kit.ActOff:
		v.takeAway(m)
	case kit.ActInspect:
		m.Say(v.story(m))
	case kit.ActCompare:
		return v.without(m), true
	case kit.ActCopy:
		return v.copy(m), true
	default:
		return nil, false
	}
	return nil, true
}

// Lends are what runs, undoes and looks at tokens, as in the lab; without a
// constraint no row is shown to be chosen.
func (v *constraintView) Lends(h kit.Host) []kit.ID {
	list := []kit.ID{kit.ActRun, kit.ActNext, kit.ActBack, kit.ActAgain, kit.ActReseed, kit.ActUndo, kit.ActRedo, kit.ActFlip,
		kit.ActFind, kit.ActDraw, kit.ActMarks, kit.ActPrevMark, kit.ActNextMark}
	if v.active(h.(*Model)) {
		list = append(list, kit.ActForce, kit.ActPin)
	}
	return list
}

// NotHere says what to do for what acts on the lab alone.
func (v *constraintView) NotHere(h kit.Host) string {
	if !v.active(h.(*Model)) {
		return "no constraint yet; ↑↓ choose a kind, enter writes it"
	}
	return "no knobs here; enter edits the constraint, esc goes back to the lab"
}

// copy copies the constraint as it was written, to be pasted where it came
// from; one without a text of its own as it is stored.
func (v *constraintView) copy(m *Model) tea.Cmd {
	stored := v.text(m)
	s, _ := m.sources.of(stored)
	text := s.text
	if text == "" {
		text = stored
	}
	return m.Copy("the constraint", text, "logitscope-"+s.kindOf().File)
}

// pick takes actions while there is no constraint yet.
func (v *constraintView) pick(m *Model, a *kit.Action) (tea.Cmd, bool) {
	if at := v.list.At; v.list.Act(a, len(constrain.Kinds()), len(constrain.Kinds())) {
		if v.list.At == at {
			m.Say("no more kinds that way")
		}
		return nil, true
	}
	switch a.ID {
	case kit.ActOpen:
		return m.editSource(v.list.At), true
	case kit.ActCompare, kit.ActCopy:
		m.Say(a.First() + ": " + v.NotHere(m))
		return nil, true
	}
	return nil, false
}

// row moves the cursor over the rows.
func (v *constraintView) row(m *Model, d int) {
	l := m.Lane()
	s := l.Step()
	if s == nil || s.Trace == nil {
		m.Say("no rows yet: " + m.WhyNot(l))
		return
	}
	rows := maskRows(l, s, v.rowsShown(m))
	i := slices.IndexFunc(rows, func(r *sampling.Row) bool { return r.ID == l.Row })
	to := min(max(i+d, 0), max(len(rows)-1, 0))
	if to == i {
		m.Say("no more rows that way; / finds any token")
	}
	if len(rows) > 0 {
		l.Row = rows[to].ID
	}
}

// rowsShown is how many tokens have a row.
func (v *constraintView) rowsShown(m *Model) int {
	return max(m.Screen().Body().H-2-2-footOf(m.Screen().Body().H-2), 1)
}

// maskOff lets the model say what it likes from this step on, or not.
func (v *constraintView) maskOff(m *Model) {
	l := m.Lane()
	base := l.ShownConfig()
	if !v.off(m) {
		text := base.Text("constraint")
		if m.Apply(base.Without("constraint"), l.Preset, "", "mask off") {
			v.kept = text
			m.Say("the mask is off: bars are what the model would say; x puts it back")
		}
		return
	}
	cfg, err := base.With("constraint", v.kept, sampling.FromYou)
	if err != nil || !m.Apply(cfg, l.Preset, "", "mask on") {
		return
	}
	v.kept = ""
	m.Say("the mask is on again")
	if at := l.Step(); at != nil && at.Index > 1 && l.Committed(at.Index-1).Constraint == nil {
		m.Say("the mask is on, from its start: the text written without it does not count")
	}
}

// takeAway removes the constraint for good.
func (v *constraintView) takeAway(m *Model) {
	l := m.Lane()
	if v.off(m) || m.Apply(l.ShownConfig().Without("constraint"), l.Preset, "", "constraint taken away") {
		v.kept = ""
		m.Say("the constraint is gone; u brings it back")
	}
}

// drawOrders are the two places of the mask, as draw_order names them.
var drawOrders = map[bool]struct{ value, says string }{
	false: {"mask_first", "refused tokens go first; the rest sums to one"},
	true:  {"draw_then_check", "draw unmasked; a refused token is drawn again"},
}

// drawOrder moves the mask from before the draw to after it, or back.
func (v *constraintView) drawOrder(m *Model) {
	l := m.Lane()
	if v.off(m) || l.ShownSettings() == nil {
		m.Say("o: there is no mask to move; x puts it back")
		return
	}
	to := drawOrders[!l.ShownSettings().Pipeline.ChecksAfterDraw()]
	if m.Set("draw_order", to.value) {
		m.Say("draw_order " + to.value + ": " + to.says)
	}
}

// without opens a second lane that writes from the same prompt without the
// constraint, as far as the first.
func (v *constraintView) without(m *Model) tea.Cmd {
	l := m.Lane()
	if len(m.All) > 1 {
		return m.Open(kit.ViewCompare)
	}
	set, err := l.Compile(l.Config.Without("constraint"), l.Preset)
	if err != nil {
		m.Complain(err.Error())
		return nil
	}
	l.Eng.Post(engine.Advance{N: 0})
	l.LookAt(0)
	_, cmd := m.Add(l, []*engine.Step{}, len(l.View.Steps), set)
	m.Conduct()
	open := m.Open(kit.ViewCompare)
	m.Say("lane 2: the same prompt without the constraint, as far; n steps both")
	return tea.Batch(cmd, open)
}

// mouse selects the row or the kind under it.
func (v *constraintView) Mouse(host kit.Host, _, y int, e tea.MouseMsg) (tea.Cmd, bool) {
	m := host.(*Model)
	if e.Button != tea.MouseButtonLeft || e.Action != tea.MouseActionPress {
		return nil, false
	}
	if !v.active(m) {
		top, n := v.kindsShown(m.Screen().Body().H - 2)
		if i := y - 3; i >= 0 && i < n { // box, sentence, blank
			again := v.list.At == top+i
			if v.list.At = top + i; again {
				return m.act(kit.ActOpen), true
			}
		}
		return nil, true
	}
	l := m.Lane()
	if s := l.Step(); s != nil && s.Trace != nil {
		rows := maskRows(l, s, v.rowsShown(m))
		if i := y - 2; i >= 0 && i < len(rows) { // box, head
			l.Row = rows[i].ID
		}
	}
	return nil, true
}
