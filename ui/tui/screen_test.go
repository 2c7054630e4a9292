package tui

import (
	"fmt"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/sampling"
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// An overlay never puts its border right beside that of the box below it.
func TestOverlaysLieOverBorders(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 22}, {80, 24}, {90, 27}, {100, 30}, {120, 40}, {160, 45}, {200, 60}} {
		b := newBench(t, testOptions(t), size[0], size[1])
		b.start(storyPrompt)
		for _, key := range []string{"e", "E", "V", "W", "?", ":", "/"} {
			b.keys(key)
			o, ok := b.m.top().(kit.Overlay)
			if !ok {
				t.Fatalf("%s opens no overlay", key)
			}
			r := b.m.Screen().Box(o.Size(b.m))
			for _, box := range b.m.boxes() {
				if r.Y+r.H == box.Y+box.H-1 {
					t.Errorf("%v: %s lies at %v over %v", size, key, r, box)
				}
			}
			if window := (viz.Rect{W: size[0], H: size[1] - 2}); r.Y < 0 || r.Y+r.H > window.H {
				t.Errorf("%v: %s reaches %v, out of %v", size, key, r, window)
			}
			b.keys("esc")
		}
	}
}

// Where no pane says what the selected knob does, the help line says that a
// value just changed does nothing.
func TestUselessWhatIfSaysSo(t *testing.T) {
	t.Parallel()
	b := newBench(t, testOptions(t), 80, 24)
	b.start(storyPrompt)
	b.m.SelectKnob("mirostat_tau")
	b.keys("+")
	b.tuned()
	b.m.Notice.Text = ""
	b.has("○ no effect: transformers has no mirostat_tau · u undoes")
	b.keys("u")
	b.m.SelectKnob("temperature")
	b.keys("+")
	b.tuned()
	b.m.Notice.Text = ""
	b.has("What-if: nothing is written yet.")
	// A value that does nothing now, where the one before did: of three tokens
	// that top_p leaves, top_k 2 left two.
	opt := testOptions(t)
	opt.Config = opt.Config.MustWith("top_k", 2, sampling.FromFlag)
	b = newBench(t, opt, 80, 24)
	b.start(storyPrompt)
	b.m.SelectKnob("top_k")
	b.m.Set("top_k", int64(50))
	b.tuned()
	b.m.Notice.Text, b.m.fresh = "", false
	b.has("What-if: nothing is written yet. TV to before")
}

// Borders name what they are around in whole words, at every size: no title of
// a view is cut in the middle, in none of the ways the layers are shown.
func TestTitlesAreWhole(t *testing.T) {
	t.Parallel()
	b := newBench(t, testOptions(t), 120, 40)
	b.start(storyPrompt)
	look := func(what string) {
		t.Helper()
		for _, size := range [][2]int{{40, 12}, {60, 20}, {80, 24}, {100, 30}, {120, 40}} {
			b.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			for _, line := range strings.Split(b.frame(), "\n") {
				if strings.ContainsAny(line, "┏╭") && strings.Contains(line, "… ") {
					t.Errorf("%v: %s is called %s", size, what, line)
				}
			}
		}
	}
	for _, key := range []string{"A", "B", "C", "F", "I", "J", "K", "L", "M", "O", "P", "R", "S", "T", "V", "W", "d", "e", "i"} {
		b.keys(key)
		look(key)
		for k := range map[string]int{"A": 4, "W": 2}[key] {
			b.keys(map[string]string{"A": "v", "W": "tab"}[key])
			look(fmt.Sprint(key, " another way ", k+1))
		}
		for range 4 {
			b.keys("esc")
		}
	}
}

// The names that a model can be typed by are whole, at every size.
func TestModelNamesAreWhole(t *testing.T) {
	t.Parallel()
	b := newBench(t, testOptions(t), 120, 40)
	b.start(storyPrompt)
	b.keys("M")
	for _, w := range []int{40, 60, 80, 120, 200} {
		b.send(tea.WindowSizeMsg{Width: w, Height: 24})
		_, line, _ := strings.Cut(b.frame(), "another: FILE.gguf · ")
		line, _, _ = strings.Cut(line, "┃")
		if strings.Contains(line, "…") || w < 120 && !strings.Contains(line, "and ") {
			t.Errorf("%d cells: %q", w, line)
		}
	}
}
