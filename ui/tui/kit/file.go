package kit

import (
	"strings"

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
	switch k.Type {
	case tea.KeyEsc:
		*name = nil
	case tea.KeyEnter:
		door, path := h.Files(), strings.TrimSpace((*name).Text())
		*name = nil
		return func() tea.Msg {
			text, err := door.Text(path)
			return FileMsg{door.Expand(path), text, err}
		}
	default:
		(*name).Key(k)
	}
	return nil
}
