package kit

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// maxPromptFile is the largest file read into the prompt.
const maxPromptFile = 4 << 20

// A FileMsg brings a file that was asked for.
type FileMsg struct {
	Name, Text string
	Err        error
}

// FileKey is a key for a file's name that is being typed. enter reads the
// file; it and esc close the field. Where sealed, no file is read.
func FileKey(sealed bool, name **Field, k tea.KeyMsg) tea.Cmd {
	switch k.Type {
	case tea.KeyEsc:
		*name = nil
	case tea.KeyEnter:
		path := ExpandHome(strings.TrimSpace((*name).Text()))
		*name = nil
		return func() tea.Msg {
			if sealed {
				return FileMsg{path, "", run.ErrSealed}
			}
			text, err := readText(path)
			return FileMsg{path, text, err}
		}
	default:
		(*name).Key(k)
	}
	return nil
}

// ExpandHome replaces a leading ~/ by the home folder.
func ExpandHome(name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return name
}

// readText reads a text file of moderate size.
func readText(name string) (string, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return "", fmt.Errorf("%s: no such file", name)
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s: not a file", name)
	case info.Size() > maxPromptFile:
		return "", fmt.Errorf("%s: %s, at most %s are read", name, viz.Bytes(info.Size()), viz.Bytes(maxPromptFile))
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	if !utf8.Valid(b) {
		return "", fmt.Errorf("%s: not UTF-8 text", name)
	}
	return string(b), nil
}
