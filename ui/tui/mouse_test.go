package tui

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/lab"
	"logitscope/ui/tui/prompt"
	"logitscope/viz"
)

func (b *bench) mouse(x, y int, button tea.MouseButton, action tea.MouseAction) {
	b.send(tea.MouseMsg{X: x, Y: y, Button: button, Action: action})
}

func (b *bench) click(x, y int) {
	b.mouse(x, y, tea.MouseButtonLeft, tea.MouseActionPress)
	b.mouse(x, y, tea.MouseButtonLeft, tea.MouseActionRelease)
}

// find returns where s stands on the screen.
func (b *bench) find(s string) (x, y int) {
	b.t.Helper()
	for y, line := range strings.Split(b.frame(), "\n") {
		if i := strings.Index(line, s); i >= 0 {
			return viz.Width(line[:i]), y
		}
	}
	b.t.Fatalf("the screen lacks %q:\n%s", s, b.frame())
	return 0, 0
}

func TestMouseInEveryClass(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{160, 45}, {120, 40}, {100, 30}, {80, 24}, {60, 20}, {40, 12}} {
		b := storyAt16(t, size[0], size[1])
		l := b.m.Lane()
		// A row is selected by a click on its label.
		x, y := b.find("␣deep")
		b.click(x+1, y)
		if got := l.Piece(l.Row, false); got != "␣deep" {
			t.Errorf("%v: a click on tall selected %s", size, got)
		}
		// The selected knob's slider follows the mouse.
		x, y = b.find("─●─")
		was := l.Config.Float("temperature")
		b.mouse(x+2, y, tea.MouseButtonLeft, tea.MouseActionPress)
		b.mouse(x+3, y, tea.MouseButtonLeft, tea.MouseActionMotion)
		b.mouse(x+3, y, tea.MouseButtonLeft, tea.MouseActionRelease)
		if now := l.Config.Float("temperature"); now <= was {
			t.Errorf("%v: dragging right took temperature from %v to %v", size, was, now)
		}
		if n := len(l.Undo); n != 1 {
			t.Errorf("%v: a drag left %d changes to undo", size, n)
		}
		b.mouse(x+1, y, tea.MouseButtonLeft, tea.MouseActionMotion) // nothing is held any more
		if now := l.Config.Float("temperature"); now <= was {
			t.Errorf("%v: the slider moved without a button", size)
		}
		// A click on the text looks back at that token.
		x, y = b.find("wolf")
		b.click(x+1, y)
		if l.Look.At != 12 {
			t.Errorf("%v: a click on wolf looks at step %d", size, l.Look.At)
		}
		b.keys("esc")
		b.keys("tab") // the chart's footer
		// A hint of the footer acts as its key.
		if size[0] >= 100 {
			x, y = b.find("z zoom")
			b.click(x, y)
			if !b.m.lab.Zoom {
				t.Errorf("%v: a click on z zoom does not", size)
			}
			continue
		}
		x, y = b.find("? help")
		b.click(x, y)
		if b.m.topID() != kit.ViewHelp {
			t.Errorf("%v: a click on ? help opened %q", size, b.m.topID())
		}
	}
}

func TestMouseInTheControls(t *testing.T) {
	t.Parallel()
	b := storyAt16(t, 120, 40)
	l := b.m.Lane()
	x, y := b.find("top_p   ")
	b.click(x, y)
	if b.m.Selected().Key != "top_p" || b.m.lab.Focus != lab.PaneControls {
		t.Errorf("selected %s", b.m.Selected().Key)
	}
	b.mouse(x+22, y, tea.MouseButtonWheelDown, tea.MouseActionPress)
	if v := l.Config.Float("top_p"); v != .89 {
		t.Errorf("the wheel took top_p to %v", v)
	}
	x, y = b.find("5 gree")
	b.click(x, y)
	if l.Preset != 4 {
		t.Errorf("a click took preset %d", l.Preset)
	}
	x, y = b.find("━ controls")
	b.click(x+1, y)
	if !b.m.lab.Zoom {
		t.Error("a click on the focused title does not zoom")
	}
}

func TestMouseOutsideClosesAnOverlay(t *testing.T) {
	t.Parallel()
	b := storyAt16(t, 120, 40)
	b.keys("E")
	x, y := b.find("def add")
	b.click(x, y)
	if e := b.m.top().(*prompt.ExampleList); e.List.At != 7 {
		t.Errorf("a click selected example %d", e.List.At)
	}
	b.click(0, 0)
	if len(b.m.overlays) != 0 {
		t.Error("a click outside left the overlay open")
	}
	b.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("[<32;39;7M")})
	if b.m.Notice.Text != "" {
		t.Errorf("a split mouse report was taken for keys: %q", b.m.Notice.Text)
	}
}

func TestMouseOnTheSparkline(t *testing.T) {
	t.Parallel()
	b := storyAt16(t, 120, 40)
	x, y := b.find("↑ now")
	b.click(x-4, y-1)
	if got := b.m.Lane().Look.At; got != 12 {
		t.Errorf("looks at step %d, want 12", got)
	}
}
