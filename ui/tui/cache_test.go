package tui

import (
	"fmt"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/ui/tui/run"
)

// once runs the first command that cmd holds and returns its message.
func once(cmd tea.Cmd) tea.Msg {
	msg := cmd()
	if list, ok := msg.(tea.BatchMsg); ok {
		for _, c := range list {
			if c != nil {
				return once(c)
			}
		}
		return nil
	}
	return msg
}

// The prompt is read again in passes of as many tokens as the model takes at
// once, one pass a press, and at the slowest pace token by token.
func TestCacheReadsThePromptPassByPass(t *testing.T) {
	t.Parallel()
	b := newBench(t, testOptions(t), 120, 40)
	size := b.m.Lane().Model.(models.Coster).Costs().PassTokens
	b.start(strings.TrimSpace(strings.Repeat("Once upon a time there was a fox. ", size*5/16)))
	n := len(b.m.Lane().View.Prompt)
	if n <= 2*size || n > 3*size {
		t.Fatalf("the prompt has %d tokens, want three passes", n)
	}
	count := func(glyph string) int { // in the box of cells, below its title
		cells, _, _ := strings.Cut(b.frame(), "prompt against text")
		lines := strings.SplitN(cells, "\n", 3)
		return strings.Count(lines[2], glyph)
	}
	b.keys("F")
	b.has("passes                                3")
	press := func(key string) tea.Msg {
		t.Helper()
		_, cmd := b.m.Update(keyMsg(key))
		return once(cmd)
	}
	pass := press("r") // runs the first pass, which the screen does not know yet
	for read := 0; ; read += size {
		if got, want := count("▒"), min(size, n-read); got != want {
			t.Errorf("%d tokens read: a pass of %d, want %d", read, got, want)
		}
		b.m.Update(pass)
		if read+size >= n {
			break
		}
		if got := count("█"); got != read+size {
			t.Errorf("%d cells are filled after a pass up to %d", got, read+size)
		}
		pass = press("right")
	}
	b.has(fmt.Sprintf("read %d at once", size))
	if got := count("█"); got != n {
		t.Errorf("%d cells are filled, want %d", got, n)
	}
	b.m.Pace = 0
	b.m.Update(press("r"))
	if got := count("█"); got != 1 {
		t.Errorf("the slowest pace reads %d tokens at once", got)
	}
	b.keys("esc")
	if l := b.m.Lane(); l.View.KV.Used != n || len(l.View.Steps) != 0 || l.View.Phase != engine.Paused {
		t.Errorf("the lane holds %d tokens and %d steps after it", l.View.KV.Used, len(l.View.Steps))
	}
	b.m.Pace = len(run.Paces) - 1
}

// A server that does not say what a pass takes has cells and no times.
func TestCacheOfAServer(t *testing.T) {
	t.Parallel()
	b, _ := onServer(t, "vllm:URL", top20(), 120, 40)
	b.start(storyPrompt)
	b.keys("F")
	b.has("this server does not say what a pass takes")
	b.keys("x")
	b.has("x: this server does not say")
	b.keys("r")
	b.has("r: only a model that runs here can be watched while it reads")
}
