package tui

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
)

// Keys that a slow line delivers in one piece act one after the other, and a
// paste outside a text field acts as no key.
func TestKeysInOnePiece(t *testing.T) {
	one := ready(t, 1)
	one.keys("+", "+", "+")
	b := ready(t, 1)
	b.send(typed("+++"))
	want := one.m.lane().config.Float("temperature")
	if got := b.m.lane().config.Float("temperature"); got != want || got < 0.75 {
		t.Errorf("temperature %v after +++, %v after + + +", got, want)
	}
	b.send(typed("eHi"))
	e, ok := b.m.top().(*editor)
	if !ok {
		t.Fatal("the editor is not open")
	}
	if !strings.HasSuffix(e.area.text(), "Hi") {
		t.Errorf("typed into %q", e.area.text())
	}
	b.keys("esc")
	b.send(tea.KeyMsg{Type: tea.KeyRunes, Paste: true, Runes: []rune("q+3")})
	b.has("what is pasted goes into a text")
	if got := b.m.lane().config.Float("temperature"); len(b.m.overlays) > 0 || got != want {
		t.Errorf("a paste acted: temperature %v", got)
	}
}
