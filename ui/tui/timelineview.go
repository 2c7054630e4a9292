package tui

import tea "github.com/charmbracelet/bubbletea"

func openTimeline(m *Model) (view, tea.Cmd) { m.say("T: not yet"); return nil, nil }
