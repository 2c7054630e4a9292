package tui

import tea "github.com/charmbracelet/bubbletea"

func newCompareView() view { return &labView{} }

func openCompare(m *Model) (view, tea.Cmd) { m.say("C: not yet"); return nil, nil }
