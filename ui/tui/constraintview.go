package tui

import (
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/sampling"
	"logitscope/viz"
)

// constraintView shows what a constraint does at the step on the screen:
// which tokens it refuses and where they die, what it costs, where the text
// stands in it, and how far it is from its end.
type constraintView struct {
	list list // of the kinds, while there is no constraint

	off  string                 // the constraint taken off with x, to be put back
	last *engine.ConstraintStep // what it knew at step at
	at   int
}

func newConstraint(m *Model) (view, tea.Cmd) {
	v := &constraintView{}
	v.keep(m)
	return v, nil
}

// keep remembers what the constraint knew at the step on the screen, so that
// it can be shown with the mask off as well.
func (v *constraintView) keep(m *Model) {
	if s := m.lane().step(); s != nil && s.Constraint != nil && !s.Constraint.Broken {
		v.last, v.at = s.Constraint, s.Index
	}
}

func (v *constraintView) follow(m *Model, msg tea.Msg) tea.Cmd {
	if _, ok := msg.(viewMsg); ok {
		v.keep(m)
	}
	return nil
}

// constrain puts a constraint in force and starts again from the prompt.
func (m *Model) constrain(stored string) tea.Cmd {
	l := m.lane()
	l.lookAt(0)
	cfg, err := l.config.With("constraint", stored, sampling.FromYou)
	if err != nil {
		m.complain(firstLine(err.Error()))
		return nil
	}
	what := "constraint " + sourceKinds[sourceOf(stored).kind].name
	if !m.apply(cfg, l.preset, "", what) {
		return nil
	}
	if m.topID() != "constraint" {
		m.open("constraint")
	}
	if v, ok := m.screen.view.(*constraintView); ok {
		v.off, v.last = "", nil
	}
	if l.prompt == nil {
		m.say("in force; no prompt yet: e writes one, E has examples")
		return nil
	}
	m.start(l)
	m.say("in force, again from the prompt. n steps, space runs. C holds it against the text without it.")
	return nil
}

func (v *constraintView) hints(*Model) []string { return nil }

func (v *constraintView) footer(m *Model) []hint {
	if !v.active(m) {
		return []hint{{id: "down", keys: "↑↓", word: "choose"}, {id: "open", word: "write it"}, {id: "close", word: "lab"}, {id: "help"}}
	}
	return []hint{{id: "next"}, {id: "back"}, {id: "run"}, {id: "take", word: "mask off/on"}, {id: "order", word: "draw, then check"},
		{id: "open", word: "edit it"}, {id: "compare", word: "without it"}, {id: "off", word: "take it away"}, {id: "force"}, {id: "close", word: "lab"}, {id: "help"}}
}

func (v *constraintView) help(m *Model) (string, viz.Ink) {
	l := m.lane()
	switch s := l.step(); {
	case !v.active(m):
		return "A constraint refuses the tokens after which the text could no longer fit.", viz.Ink{}
	case v.off != "":
		return "The mask is off: the model says what it likes. x puts it back.", viz.Ink{Role: viz.Warning}
	case s != nil && s.Constraint != nil && s.Constraint.Broken:
		return "A token was forced that the constraint does not allow: it applies no more. b goes back before it.", viz.Ink{Role: viz.Warning}
	case s != nil && s.Constraint != nil && s.Constraint.Closing:
		return "The token budget is near: what would overrun it was taken away, so that the text closes in time.", viz.Ink{Role: viz.Warning}
	}
	return "⊘ had mass, but may not be written here; i says why. What is left is scaled to one.", viz.Ink{}
}

// active reports whether there is a constraint to show.
func (v *constraintView) active(m *Model) bool {
	return v.off != "" || m.lane().shownConfig().Text("constraint") != ""
}

func (v *constraintView) act(m *Model, a *action) (tea.Cmd, bool) {
	if !v.active(m) {
		return v.pick(m, a)
	}
	switch a.id {
	case "right":
		m.next(1)
	case "left":
		m.back(1)
	case "up", "down":
		v.row(m, map[string]int{"up": -1, "down": 1}[a.id])
	case "first", "last":
		v.row(m, map[string]int{"first": -1000, "last": 1000}[a.id])
	case "right10":
		m.next(10)
	case "left10":
		m.back(10)
	case "open":
		return m.open("source"), true
	case "take":
		v.maskOff(m)
	case "order":
		v.drawOrder(m)
	case "off":
		v.takeAway(m)
	case "inspect":
		m.say(v.story(m))
	case "compare":
		return v.without(m), true
	case "copy":
		text := m.lane().config.Text("constraint")
		if text == "" {
			text = v.off
		}
		return m.copyText("the constraint", text, "logitscope-constraint.json"), true
	case "lower", "raise", "reset", "pane", "paneback", "zoom", "earlier", "later":
		m.say(a.first() + ": no knobs here; enter edits the constraint, esc goes back to the lab")
	default:
		return nil, false
	}
	v.keep(m)
	return nil, true
}

// pick takes actions while there is no constraint yet.
func (v *constraintView) pick(m *Model, a *action) (tea.Cmd, bool) {
	if at := v.list.at; v.list.act(a, len(sourceKinds), len(sourceKinds)) {
		if v.list.at == at {
			m.say("no more kinds that way")
		}
		return nil, true
	}
	switch a.id {
	case "open":
		return m.editSource(v.list.at), true
	case "right", "left", "take", "order", "off", "inspect", "compare", "lower", "raise", "reset", "pane", "paneback", "zoom", "earlier", "later", "force", "pin", "copy":
		m.say(a.first() + ": no constraint yet; ↑↓ choose a kind, enter writes it")
		return nil, true
	}
	return nil, false
}

// row moves the cursor over the rows.
func (v *constraintView) row(m *Model, d int) {
	l := m.lane()
	s := l.step()
	if s == nil || s.Trace == nil {
		m.say("no rows yet: " + m.whyNot(l))
		return
	}
	rows := v.rows(s, v.rowsShown(m))
	i := slices.IndexFunc(rows, func(r *sampling.Row) bool { return r.ID == l.row })
	to := min(max(i+d, 0), max(len(rows)-1, 0))
	if to == i {
		m.say("no more rows that way; / finds any token")
	}
	if len(rows) > 0 {
		l.row = rows[to].ID
	}
}

// rows returns the n tokens that have a row: the token drawn, those that may
// come and are likeliest, a third of them, and the best by raw probability; in
// raw order.
func (v *constraintView) rows(s *engine.Step, n int) []*sampling.Row {
	all := s.Trace.Rows()
	want := make(map[int32]bool)
	want[s.Token] = true
	for _, r := range all { // in raw order, which is that of the mask's as well
		if _, _, no := v.refusal(s, &r); !no && len(want) <= n/3 {
			want[r.ID] = true
		}
	}
	for _, r := range all {
		if len(want) < n {
			want[r.ID] = true
		}
	}
	var out []*sampling.Row
	for i := range all {
		if want[all[i].ID] && len(out) < n {
			out = append(out, &all[i])
		}
	}
	return out
}

// rowsShown is how many tokens have a row.
func (v *constraintView) rowsShown(m *Model) int {
	return max(m.bodyRect().H-2-2-footOf(m.bodyRect().H-2), 1)
}

// footOf is how many lines below the rows are for words, of h.
func footOf(h int) int {
	switch {
	case h >= 16:
		return 6
	case h >= 12:
		return 4
	}
	return 2
}

// maskOff lets the model say what it likes from this step on, or not.
func (v *constraintView) maskOff(m *Model) {
	l := m.lane()
	base := l.shownConfig()
	if v.off != "" {
		cfg, err := base.With("constraint", v.off, sampling.FromYou)
		if err == nil && m.apply(cfg, l.preset, "", "mask on") {
			v.off = ""
			m.say("the mask is on again")
		}
		return
	}
	text := base.Text("constraint")
	if m.apply(base.Without("constraint"), l.preset, "", "mask off") {
		v.off = text
		m.say("the mask is off: bars are what the model would say; x puts it back")
	}
}

// takeAway removes the constraint for good.
func (v *constraintView) takeAway(m *Model) {
	l := m.lane()
	if v.off != "" {
		v.off, v.last = "", nil
		m.say("the constraint is gone; u brings it back")
		return
	}
	if m.apply(l.shownConfig().Without("constraint"), l.preset, "", "constraint taken away") {
		v.last = nil
		m.say("the constraint is gone; u brings it back")
	}
}

// drawOrder changes when the mask comes: before the draw, or after it.
func (v *constraintView) drawOrder(m *Model) {
	l := m.lane()
	p, _ := sampling.Lookup("draw_order")
	cfg := l.shownConfig()
	to := p.Choices[(slices.Index(p.Choices, cfg.Text("draw_order"))+1)%len(p.Choices)]
	if !m.set("draw_order", to) {
		return
	}
	m.say("draw_order " + to + ": " + map[string]string{
		"engine":          "as order " + cfg.Order().Name() + " has it",
		"mask_first":      "refused tokens go first, what is left sums to one",
		"draw_then_check": "draw; if it is refused, draw again under the mask",
	}[to])
}

// without opens a second lane that writes from the same prompt without the
// constraint.
func (v *constraintView) without(m *Model) tea.Cmd {
	l := m.lane()
	if len(m.lanes) > 1 {
		return m.open("compare")
	}
	set, err := l.compile(m.opt.Presets, l.config.Without("constraint"), l.preset)
	if err != nil {
		m.complain(err.Error())
		return nil
	}
	l.eng.Post(engine.Advance{N: 0})
	l.lookAt(0)
	_, cmd := m.addLane(l, []*engine.Step{}, set)
	m.conduct()
	open := m.open("compare")
	m.say("lane 2 is the same prompt without the constraint; n steps both, space runs")
	return tea.Batch(cmd, open)
}

// story tells why the row's token may or may not come.
func (v *constraintView) story(m *Model) string {
	l := m.lane()
	if l.row == models.NoToken || v.last == nil {
		return "i: no row is selected"
	}
	name := l.piece(l.row, m.pal.ASCII)
	i, b := v.last.Constraint.Dies(v.last.State, l.row)
	if i < 0 {
		return name + " may come here"
	}
	return fmt.Sprintf("%s %s: expected there: %s", name, diesWords(i, b), v.expected())
}

// diesWords says at which byte a token dies.
func diesWords(i int, b byte) string {
	s := fmt.Sprintf("dies at byte %d, %02X", i+1, b)
	if b > ' ' && b < 0x7f {
		s += " " + string(rune(b))
	}
	return s
}
