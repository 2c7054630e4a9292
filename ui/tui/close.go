package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/ui/tui/kit"
)

// closeLevel is what esc does.
func (m *Model) closeLevel() tea.Cmd {
	l := m.Lane()
	switch {
	case len(m.overlays) > 0 || m.screen.id != kit.ViewLab:
		m.Close()
	case m.lab.Zoom:
		m.lab.Zoom = false
	case l.Look.At > 0:
		l.LookAt(0)
	case m.tutor.Alone, m.tutor.Drawn():
		return m.closeLesson()
	case l.View.Phase == engine.Prefill:
		l.Eng.Post(engine.Cancel{})
	case l.Running():
		m.Say("esc: space pauses, q quits")
	default:
		m.Say("esc: nothing to close; q quits")
	}
	return nil
}

// quit leaves the program, after asking once if settings would be lost.
func (m *Model) quit() tea.Cmd {
	for _, l := range m.All {
		if name := l.Named(l.Config, l.Preset); name.Changed && !m.asked {
			m.asked = true
			m.Say("q: your settings (" + name.String() + ") are not saved; q again quits")
			return nil
		}
	}
	return tea.Quit
}
