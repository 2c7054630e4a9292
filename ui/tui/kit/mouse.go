package kit

import (
	tea "github.com/charmbracelet/bubbletea"
)

// Wheel returns -1, 1 or 0 for the turn of the wheel in e.
func Wheel(e tea.MouseMsg) int {
	switch e.Button {
	case tea.MouseButtonWheelUp:
		return -1
	case tea.MouseButtonWheelDown:
		return 1
	}
	return 0
}
