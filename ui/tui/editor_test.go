package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
)

// The editor takes everything as text, pastes whole, and starts on ctrl+d.
func TestEditor(t *testing.T) {
	b := newBench(t, testOptions(t), 100, 30)
	b.keys("e")
	b.send(tea.KeyMsg{Type: tea.KeyRunes, Paste: true, Runes: []rune("Hello q ?\r\nworld\x1b[31m")})
	b.keys("enter", "q", "ctrl+w")
	b.has("3 lines")
	b.has("␛[31m")
	b.keys("backspace")
	b.has("2 lines")
	e := b.m.top().(*editor)
	if got := e.area.Text(); got != "Hello q ?\nworld\x1b[31m" {
		t.Errorf("text %q", got)
	}
	b.keys("ctrl+d")
	b.wait(func(v engine.View) bool { return v.Phase == engine.Paused && v.Next != nil })
	if got := b.m.Lane().View.PromptText; got != "Hello q ?\nworld\x1b[31m" {
		t.Errorf("prompt %q", got)
	}
	b.keys("e", "pgup", "pgup", "pgdown")
	b.keys("esc")
	if len(b.m.history) != 1 {
		t.Errorf("history %q", b.m.history)
	}
}

// A prompt that was written and left is one pgup away.
func TestPromptIsKeptWhenLeft(t *testing.T) {
	b := newBench(t, testOptions(t), 80, 24)
	b.keys("e")
	b.send(typed("Hello there"))
	b.keys("esc")
	b.has("pgup bring back what you wrote")
	b.keys("e", "pgup")
	if got := b.m.top().(*editor).area.Text(); got != "Hello there" {
		t.Errorf("pgup brings %q", got)
	}
	b.keys("esc", "e", "esc")
	if len(b.m.history) != 1 {
		t.Errorf("history %q", b.m.history)
	}
}

func TestPromptFromFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "p.txt")
	if err := os.WriteFile(name, []byte("from a file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, testOptions(t), 100, 30)
	b.keys("e", "ctrl+o")
	b.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)})
	b.keys("enter")
	b.has("from a file")
	b.keys("ctrl+o", "x", "enter")
	b.has("no such file")
}

func TestPromptTooLong(t *testing.T) {
	b := newBench(t, testOptions(t), 120, 40)
	b.keys("e")
	b.send(tea.KeyMsg{Type: tea.KeyRunes, Paste: true, Runes: []rune(strings.Repeat("a big wolf ", 400))})
	b.wait(func(engine.View) bool { e, ok := b.m.top().(*editor); return ok && e.counted == e.area.Text() })
	b.keys("ctrl+d")
	b.has("the context holds 512")
}

// A prompt can be wrapped as the model's chat template has it.
func TestPromptAsChat(t *testing.T) {
	b := newBench(t, testOptions(t), 120, 40)
	b.keys("e")
	b.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("Hello!")})
	b.keys("ctrl+t")
	b.has("wrapped as a chat")
	b.keys("ctrl+d")
	b.wait(func(v engine.View) bool { return v.Phase == engine.Paused && v.Next != nil })
	if got := b.m.Lane().View.PromptText; !strings.Contains(got, "Hello!") || !strings.Contains(got, "Assistant:") {
		t.Errorf("prompt %q", got)
	}
}

// A value typed in is checked against its range.
func TestTypeAValue(t *testing.T) {
	b := ready(t, 1)
	b.keys("tab") // to the controls
	b.keys("enter", "ctrl+u", "9", "9", "9", "enter")
	b.has("out of range")
	b.keys("ctrl+u", "1", ".", "2", "enter")
	if v := b.m.Lane().Config.Float("temperature"); v != 1.2 {
		t.Errorf("temperature %v", v)
	}
}
