package tui

import (
	"encoding/json"
	"os"
	"path/filepath"

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
	file, list := filepath.Join(m.opt.ConfigDir, "history.json"), m.history
	return func() tea.Msg {
		// A history that cannot be saved is no reason to stop; the next start
		// begins without it.
		_ = saveHistory(file, list)
		return nil
	}
}

// loadHistory reads the prompts of earlier runs; a file that is not there or
// broken gives none.
func loadHistory(name string) []string {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	var list []string
	if json.Unmarshal(b, &list) != nil {
		return nil
	}
	return list
}

// saveHistory writes the prompts to a new file and renames it over the old.
func saveHistory(name string, list []string) error {
	b, err := json.Marshal(list)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".history-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err := f.Write(b); err != nil {
		f.Close()
		return err
	}
	if err := f.Sync(); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
