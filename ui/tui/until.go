package tui

import (
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/engine/goal"
	"logitscope/ui/tui/course"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// untilWord begins a command of the palette that runs until something holds.
const untilWord = "until"

// untilHint is the command as the palette lists it before an expression is
// typed.
const untilHint = untilWord + " …: run until it holds, as in until raw_bits > 4"

// A heldMsg says that a lane stopped where what was typed holds.
type heldMsg struct {
	lane  int
	expr  *goal.Expr
	watch *goal.Watch
	view  engine.View // at the token where it held
}

// untilTyped returns the expression after the word until, and whether the
// word was typed.
func untilTyped(text string) (expr string, ok bool) {
	word, rest, found := strings.Cut(strings.TrimLeft(text, " "), " ")
	return strings.TrimSpace(rest), found && word == untilWord
}

// runUntil runs the lanes that keys act on until an expression holds.
func (m *Model) runUntil(text string) tea.Cmd {
	e, err := course.Condition(text)
	if err != nil {
		m.Complain(untilWord + " " + err.Error())
		return nil
	}
	var cmds []tea.Cmd
	for _, l := range m.Scope() {
		cmd, err := m.laneUntil(l, e)
		if err != nil {
			m.Complain(untilWord + " " + err.Error())
			return tea.Batch(cmds...)
		}
		cmds = append(cmds, cmd)
	}
	return tea.Batch(cmds...)
}

// laneUntil makes one lane run, and waits for it in the background.
func (m *Model) laneUntil(l *run.Lane, e *goal.Expr) (tea.Cmd, error) {
	words, err := course.TokensOf(e, l.Model)
	switch {
	case err != nil:
		return nil, err
	case l.Observing():
		m.Say(untilWord + ": the server chooses the tokens and cannot be stopped")
		return nil, nil
	case l.View.Phase != engine.Paused && l.View.Phase != engine.Running && l.View.Phase != engine.Prefill:
		m.Say(untilWord + ": " + m.WhyNot(l))
		return nil, nil
	}
	if l.Look.At > 0 {
		l.LookAt(0)
	}
	w := goal.NewWatch(e, goal.Lane{Model: l.Model, Compile: l.Comp.Settings, Words: words}, goal.State{Base: l.Config, Preset: l.Named(l.Config, l.Preset).Preset})
	held := make(chan engine.View, 1)
	l.Eng.Post(engine.Until{Holds: w.Holds, Done: held})
	m.AdvanceLane(l, -1)
	m.Say("runs until " + viz.Printable(e.String(), m.pal.ASCII) + " · space pauses")
	ctx, id := m.Ctx, l.ID
	return func() tea.Msg {
		select {
		case v, ok := <-held:
			if !ok {
				return nil // the text ended, or another one began
			}
			return heldMsg{id, e, w, v}
		case <-ctx.Done():
			return nil
		}
	}, nil
}

// onHeld marks the token where an expression held and says what became true.
func (m *Model) onHeld(msg heldMsg) tea.Cmd {
	l := m.ByID(msg.lane)
	if l == nil {
		return nil
	}
	step := len(msg.view.Steps) + 1
	if b := msg.view.Beam; b != nil {
		step = len(b.Steps)
	} else {
		m.SetCue(l, step, untilWord+" "+msg.expr.String())
	}
	var list []string
	for _, leaf := range msg.watch.Became() {
		list = append(list, course.Became(leaf, m.pal.ASCII))
	}
	m.Say("paused at step " + strconv.Itoa(step) + ": " + viz.Printable(strings.Join(list, "; "), m.pal.ASCII))
	return nil
}
