package tui

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/prompt"
)

// Keys that a slow line delivers in one piece act one after the other, and a
// paste outside a text field acts as no key.
func TestKeysInOnePiece(t *testing.T) {
	t.Parallel()
	one := ready(t, 1)
	one.keys("+", "+", "+")
	b := ready(t, 1)
	b.send(typed("+++"))
	want := one.m.Lane().Config.Float("temperature")
	if got := b.m.Lane().Config.Float("temperature"); got != want || got < 0.75 {
		t.Errorf("temperature %v after +++, %v after + + +", got, want)
	}
	b.send(typed("eHi"))
	e, ok := b.m.top().(*prompt.Editor)
	if !ok {
		t.Fatal("the editor is not open")
	}
	if !strings.HasSuffix(e.Text(), "Hi") {
		t.Errorf("typed into %q", e.Text())
	}
	b.keys("esc")
	b.send(tea.KeyMsg{Type: tea.KeyRunes, Paste: true, Runes: []rune("q+3")})
	b.has("what is pasted goes into a text")
	if got := b.m.Lane().Config.Float("temperature"); len(b.m.overlays) > 0 || got != want {
		t.Errorf("a paste acted: temperature %v", got)
	}
}

// However quickly steps are asked for, each one is made, and none waits for
// the pace of a run.
func TestEveryStepCounts(t *testing.T) {
	t.Parallel()
	b := ready(t, 0)
	b.keys(",", ",", ",", ",") // one token in two seconds
	b.send(typed("nnnnnnn"))
	b.keys("right", "shift+right")
	b.steps(18)
}

// A knob that is back where it was leaves no what-if behind.
func TestWhatIfEndsWhereItBegan(t *testing.T) {
	t.Parallel()
	b := ready(t, 3)
	retraced := func() {
		b.wait(func(v engine.View) bool { return v.Next != nil && v.Next.Settings == b.m.Lane().Settings })
	}
	b.keys("+")
	retraced()
	b.has("what-if")
	for _, back := range []string{"u", "-"} {
		if back == "-" {
			b.keys("+")
			retraced()
			b.has("what-if")
		}
		b.keys(back)
		retraced()
		if strings.Contains(b.frame(), "what-if") {
			t.Errorf("after %s still a what-if:\n%s", back, b.frame())
		}
	}
}

// A key that a box takes and nothing on the screen answers is answered by the
// help line, whatever the box and the key.
func TestBoxesAnswerEveryKey(t *testing.T) {
	t.Parallel()
	b := newBench(t, testOptions(t), 120, 40)
	b.start(storyPrompt)
	b.keys("E", "A")
	b.has("A: does nothing here; esc closes this first")
	b.keys("up")
	b.has("↑: nothing more that way")
	b.keys("down")
	b.lacks("nothing")
	b.keys("esc")
	for _, open := range []string{"E", "V", "d", "O", "L"} {
		for _, key := range []string{"A", "z", "up", "left", "pgup", "tab", "]", "f"} {
			b.keys(open)
			b.m.Notice.Text = ""
			before, top := b.frame(), b.m.topID()
			if b.keys(key); b.frame() == before && b.m.topID() == top {
				t.Errorf("%s, then %s: no answer", open, key)
			}
			for b.m.topID() != kit.ViewLab {
				b.keys("esc")
			}
		}
	}
}
