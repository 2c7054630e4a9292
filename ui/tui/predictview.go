package tui

import tea "github.com/charmbracelet/bubbletea"

type game struct{}

func openPredict(m *Model) (view, tea.Cmd) { m.say("P: not yet"); return nil, nil }
