package kit

import (
	tea "github.com/charmbracelet/bubbletea"
)

// A FileMsg brings a file that was asked for.
type FileMsg struct {
	Name, Text string
	Err        error
}

// FileKey is a key for a file's name that is being typed. enter reads the
// file; it and esc close the field.
func FileKey(h Host, name **Field, k tea.KeyMsg) tea.Cmd {
	cmd, _ := AskKey(name, k, func(path string) (tea.Cmd, bool) {
		door := h.Files()
		return func() tea.Msg {
			text, err := door.Text(path)
			return FileMsg{door.Expand(path), text, err}
		}, false
	})
	return cmd
}
