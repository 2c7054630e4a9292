package tui

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"logitscope/ui/tui/lab"
)

// exact fails the test unless the frame is exactly w×h cells.
func exact(t *testing.T, frame string, w, h int, what string) {
	t.Helper()
	lines := strings.Split(frame, "\n")
	if len(lines) != h {
		t.Fatalf("%s at %d×%d: %d lines\n%s", what, w, h, len(lines), frame)
	}
	for i, line := range lines {
		if n := ansi.StringWidth(line); n != w {
			t.Fatalf("%s at %d×%d: line %d is %d cells wide: %q\n%s", what, w, h, i, n, line, frame)
		}
		if strings.ContainsAny(ansi.Strip(line), "\x1b\x07\t\r") {
			t.Fatalf("%s at %d×%d: line %d holds a control byte: %q", what, w, h, i, line)
		}
	}
}

// Every size from nothing to a large window draws exactly.
func TestEverySizeIsExact(t *testing.T) {
	t.Parallel()
	b := storyAt16(t, 80, 24)
	step := 3
	if testing.Short() {
		step = 11
	}
	for w := 0; w <= 200; w += step {
		for h := 1; h <= 60; h += 2 + (w+step)%3 {
			b.send(tea.WindowSizeMsg{Width: w, Height: h})
			if w == 0 {
				continue
			}
			exact(t, b.m.draw().Render(b.m.pal), w, h, "lab")
		}
	}
}

// Every view and every focus draws exactly at sizes of every class.
func TestEveryViewIsExact(t *testing.T) {
	t.Parallel()
	sizes := classSizes()
	for id := range views {
		t.Run(string(id), func(t *testing.T) {
			b := storyAt16(t, 120, 40)
			b.run(b.m.Open(id))
			for _, s := range sizes {
				b.send(tea.WindowSizeMsg{Width: s[0], Height: s[1]})
				exact(t, b.frame(), s[0], s[1], string(id))
			}
		})
	}
	for _, p := range []lab.Pane{lab.PaneText, lab.PaneChart, lab.PaneControls, lab.PanePipeline, lab.PaneEntropy} {
		t.Run("zoom "+lab.PaneNames[p], func(t *testing.T) {
			b := storyAt16(t, 120, 40)
			for _, s := range sizes {
				b.send(tea.WindowSizeMsg{Width: s[0], Height: s[1]})
				b.m.lab.Focus, b.m.lab.Zoom = p, false
				exact(t, b.frame(), s[0], s[1], "focus")
				b.m.lab.Zoom = true
				exact(t, b.frame(), s[0], s[1], "zoom")
			}
		})
	}
}

// Drawing changes nothing: two views give one string, and so does the same
// model drawn anew.
func TestViewChangesNothing(t *testing.T) {
	t.Parallel()
	for id := range views {
		b := storyAt16(t, 120, 40)
		b.run(b.m.Open(id))
		one := b.m.View()
		b.m.dirty = true
		if two := b.m.View(); one != two || one != b.m.View() {
			t.Errorf("%s: the second view differs from the first", id)
		}
	}
}

func TestTooSmallSaysSo(t *testing.T) {
	t.Parallel()
	b := storyAt16(t, 36, 10)
	want := readFrame(t, "small")
	if got := b.frame(); !strings.Contains(got, "36×10 is too small.") || !strings.Contains(got, "Make it 40×12 or more.") {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	b.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	b.has("next token · step 16")
}

// The smallest window has the words that matter whole.
func TestSmallestWindow(t *testing.T) {
	t.Parallel()
	b := newBench(t, testOptions(t), 40, 12)
	b.start(personPrompt)
	b.keys("e")
	b.has("┃ 21 tokens of 512                     ┃")
	b.has("enter start · ctrl+j new line")
	b.keys("esc", "P")
	b.has("alphabetical order")
	b.keys("esc", "d")
	b.has("token       final    expected  drawn ┃")
	b.has("● {\"         100%   1,000 ± 0  1,000 ┃") // top_p leaves one token
	b.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	b.has("◇ drawn   ├─┤ 95%")
}
