package tui

import (
	tea "github.com/charmbracelet/bubbletea"
)

// remember puts a prompt at the end of the history and saves it.
func (m *Model) remember(text string) tea.Cmd {
	if n := len(m.history); n > 0 && m.history[n-1] == text {
		return nil
	}
	m.history = append(m.history[:len(m.history):len(m.history)], text)
	if len(m.history) > maxHistory {
		m.history = m.history[len(m.history)-maxHistory:]
	}
	if m.opt.ConfigDir == "" {
		return nil
	}
	past := m.past
	return func() tea.Msg {
		// A history that cannot be saved is no reason to stop; the next start
		// begins without it.
		_ = past.Add(text)
		return nil
	}
}
