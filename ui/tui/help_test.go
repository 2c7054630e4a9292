package tui

import (
	"strings"
	"testing"

	"logitscope/ui/tui/kit"
)

// The help names every key of the table, at every width, by scrolling.
func TestHelpListsEveryKey(t *testing.T) {
	for _, w := range []int{60, 80, 120} {
		b := newBench(t, testOptions(t), w, 30)
		b.keys("?")
		seen := b.frame()
		for range 60 {
			b.keys("down")
			seen += b.frame()
		}
		for _, a := range b.m.keys.list {
			if len(a.Keys()) == 0 || strings.HasPrefix(string(a.ID), "preset") {
				continue
			}
			if !strings.Contains(seen, a.First()) {
				t.Errorf("at width %d the help lacks %s (%s)", w, a.First(), a.ID)
			}
		}
	}
}

// In one column the words stand under each other, and a key that is pressed
// over the help is told what it does.
func TestHelpColumn(t *testing.T) {
	b := newBench(t, testOptions(t), 80, 24)
	b.keys("?")
	for _, row := range []string{
		"shift+→ shift+← ten times as far (also pgdown / pgup)",
		"Letters act at once; capitals open a view  ",
		"⊘ refused     ┃",
		"esc close · ↑↓ scroll · : commands",
	} {
		b.has(row)
	}
	b.keys("s")
	b.has("s: again with a new seed. It acts once this help is closed: esc.")
}

// The palette finds every action, and runs what it found.
func TestPaletteFindsEveryAction(t *testing.T) {
	b := newBench(t, testOptions(t), 100, 30)
	names := make(map[string]bool)
	for _, c := range b.m.commands() {
		names[c.name] = true
	}
	for _, a := range b.m.keys.list {
		if a.ID != kit.ActCommands && !strings.HasPrefix(string(a.ID), "preset") && !names[a.Words()] {
			t.Errorf("the palette lacks %s: %s", a.ID, a.Words())
		}
	}
	b.keys(":")
	b.keys("d", "r", "y", "_", "b", "a", "s", "e", "enter")
	b.has("dry_base")
	b.keys("2", "enter")
	if v := b.m.Lane().Config.Float("dry_base"); v != 2 {
		t.Errorf("dry_base %v", v)
	}
}
