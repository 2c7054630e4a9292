package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/ui/tui/prompt"
)

// The editor takes everything as text, pastes whole, and starts on ctrl+d.
func TestEditor(t *testing.T) {
	t.Parallel()
	b := newBench(t, testOptions(t), 100, 30)
	b.keys("e")
	b.send(tea.KeyMsg{Type: tea.KeyRunes, Paste: true, Runes: []rune("Hello q ?\r\nworld\x1b[31m")})
	b.send(tea.KeyMsg{Type: tea.KeyEnter, Alt: true})
	b.keys("q", "ctrl+w")
	b.has("3 lines")
	b.has("␛[31m")
	b.keys("backspace")
	b.has("2 lines")
	e := b.m.top().(*prompt.Editor)
	if got := e.Text(); got != "Hello q ?\nworld\x1b[31m" {
		t.Errorf("text %q", got)
	}
	b.keys("ctrl+d")
	b.wait(func(v engine.View) bool { return v.Phase == engine.Paused && v.Next != nil })
	if got := b.m.Lane().View.PromptText; got != "Hello q ?\nworld\x1b[31m" {
		t.Errorf("prompt %q", got)
	}
	b.keys("e", "pgup", "pgup", "pgdown")
	b.keys("esc")
	if len(b.m.prompts.All()) != 1 {
		t.Errorf("history %q", b.m.prompts.All())
	}
}

// In the prompt enter and ctrl+d start, alt+enter and ctrl+j break the line,
// at every place of every text; what is pasted never starts.
func TestPromptKeys(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, text := range []string{"a", "a b", "two\nlines", "ends \n", "日本", "x\ty"} {
		for at := range len([]rune(text)) + 1 {
			for name, k := range map[string]tea.KeyMsg{
				"enter": {Type: tea.KeyEnter}, "ctrl+d": {Type: tea.KeyCtrlD}, "alt+enter": {Type: tea.KeyEnter, Alt: true}, "ctrl+j": {Type: tea.KeyCtrlJ},
				"paste": {Type: tea.KeyRunes, Paste: true, Runes: []rune("\n")},
			} {
				tried++
				b := newBench(t, testOptions(t), 80, 24)
				b.keys("e")
				b.send(tea.KeyMsg{Type: tea.KeyRunes, Paste: true, Runes: []rune(text)})
				e := b.m.top().(*prompt.Editor)
				head := string([]rune(text)[:at])
				for range len([]rune(text)) - at {
					b.keys("left")
				}
				b.send(k)
				_, open := b.m.top().(*prompt.Editor)
				if starts := name == "enter" || name == "ctrl+d"; starts == open {
					t.Errorf("%q, %s at %d: the editor is open: %v", text, name, at, open)
				} else if !starts && e.Text() != head+"\n"+text[len(head):] {
					t.Errorf("%q, %s at %d: %q", text, name, at, e.Text())
				} else if starts && b.m.Lane().Text != text {
					t.Errorf("%q, %s at %d: starts on %q", text, name, at, b.m.Lane().Text)
				}
			}
		}
	}
	t.Logf("%d cases", tried)
}

// A prompt that was written and left is one pgup away.
func TestPromptIsKeptWhenLeft(t *testing.T) {
	t.Parallel()
	b := newBench(t, testOptions(t), 80, 24)
	b.keys("e")
	b.send(typed("Hello there"))
	b.keys("esc")
	b.has("pgup bring back what you wrote")
	b.keys("e", "pgup")
	if got := b.m.top().(*prompt.Editor).Text(); got != "Hello there" {
		t.Errorf("pgup brings %q", got)
	}
	b.keys("esc", "e", "esc")
	if len(b.m.prompts.All()) != 1 {
		t.Errorf("history %q", b.m.prompts.All())
	}
}

func TestPromptFromFile(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
	b := newBench(t, testOptions(t), 120, 40)
	b.keys("e")
	b.send(tea.KeyMsg{Type: tea.KeyRunes, Paste: true, Runes: []rune(strings.Repeat("a big wolf ", 400))})
	b.wait(func(engine.View) bool { e, ok := b.m.top().(*prompt.Editor); return ok && e.Counted() })
	b.keys("ctrl+d")
	b.has("the context holds 512")
}

// A prompt can be wrapped as the model's chat template has it.
func TestPromptAsChat(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
	b := ready(t, 1)
	b.keys("tab") // to the controls
	b.keys("enter", "ctrl+u", "9", "9", "9", "enter")
	b.has("out of range")
	b.keys("ctrl+u", "1", ".", "2", "enter")
	if v := b.m.Lane().Config.Float("temperature"); v != 1.2 {
		t.Errorf("temperature %v", v)
	}
}

// A prompt that does not fit is refused in a whole sentence, at 80 columns too.
func TestTooLongPromptIsSaidWhole(t *testing.T) {
	b := newBench(t, testOptions(t), 80, 24)
	b.keys("e", "ctrl+l")
	b.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(strings.Repeat("word ", 700)), Paste: true})
	b.keys("enter")
	b.has("! the prompt has ")
	b.has("the context holds 512; cut ")
	b.has("192 or more, or load")
	b.has("┃ another model ")
}
