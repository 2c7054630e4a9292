package tui

import (
	"strings"
	"testing"

	"logitscope/engine"
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// The help of some pane or view names every key of the table, at every width.
func TestHelpListsEveryKey(t *testing.T) {
	t.Parallel()
	for _, w := range []int{60, 80, 120} {
		b := newBench(t, testOptions(t), w, 30)
		b.start("Once upon a time")
		seen := ""
		look := func() {
			b.keys("?")
			seen += b.frame()
			for range 30 {
				b.keys("down")
				seen += b.frame()
			}
			b.keys("esc")
		}
		for range paneRows {
			look()
			b.keys("tab")
		}
		b.keys("n")
		b.wait(func(v engine.View) bool { return len(v.Steps) == 1 })
		for _, view := range [][]string{{"T"}, {"K"}, {"C", "C"}} {
			b.keys(view...)
			look()
			b.keys("esc")
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

// In the lab the help needs no scrolling, whatever pane is focused, and says
// the same below the palette that / and : open over it.
func TestHelpOfTheLabIsWhole(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {100, 30}, {120, 40}, {200, 60}} {
		b := newBench(t, testOptions(t), size[0], size[1])
		b.start("Once upon a time")
		for range paneRows {
			b.keys("?")
			b.lacks("lines more")
			if lines := strings.Split(strings.TrimRight(b.frame(), "\n"), "\n"); strings.Contains(lines[len(lines)-1], "scroll") {
				t.Errorf("%v: the footer offers to scroll: %s", size, lines[len(lines)-1])
			}
			title := strings.SplitN(b.frame(), "help · lab, ", 2)
			if len(title) < 2 {
				t.Fatalf("%v: no help:\n%s", size, b.frame())
			}
			b.keys("/")
			b.has("type a word")
			b.has("help · lab, " + b.m.lab.PaneName())
			b.keys("esc", "esc", "tab")
		}
	}
}

// At 80 by 24 nothing in the help is cut, in whatever pane or view, and the
// keys of the pane come first, in at most fifteen rows.
func TestHelpIsNotCut(t *testing.T) {
	t.Parallel()
	b := newBench(t, testOptions(t), 80, 24)
	b.start("Once upon a time")
	check := func(what string) {
		t.Helper()
		h := &helpView{}
		_, own, _ := h.here(b.m)
		if len(own) == 0 || len(own) > 15 {
			t.Errorf("%s: %d rows", what, len(own))
		}
		for _, line := range h.lines(b.m, 76) {
			for _, c := range line {
				at := max(viz.Width(c.keys)+1, keysWide+1)
				if c.title {
					at = 1
				} else if c.w == viz.Width(c.keys)+1+viz.Width(c.words) {
					continue // stands for itself
				}
				if at+viz.Width(c.words) > c.w {
					t.Errorf("%s: %q %q needs %d cells of %d", what, c.keys, c.words, at+viz.Width(c.words), c.w)
				}
			}
		}
	}
	for range paneRows {
		check(b.m.lab.PaneName())
		b.keys("tab")
	}
	for _, key := range []string{"C", "T", "F", "K", "P", "B", "S", "J"} {
		b.keys(key)
		check(key)
		b.keys("esc", "esc")
	}
}

// A key that is pressed over the help is told what it does.
func TestHelpSaysWhatAKeyDoes(t *testing.T) {
	t.Parallel()
	b := newBench(t, testOptions(t), 80, 24)
	b.keys("?")
	b.has("→ n      write it, propose the next")
	b.has("esc close · / finds a key · : finds any action by a word")
	b.keys("s")
	b.has("s: again with a new seed. It acts once this help is closed: esc.")
}

// The palette finds every action, and runs what it found.
func TestPaletteFindsEveryAction(t *testing.T) {
	t.Parallel()
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

// Every view is reached by a key of its own or by enter, or another key, in the
// place that is named here.
func TestEveryViewHasAKey(t *testing.T) {
	t.Parallel()
	elsewhere := map[kit.ViewID]string{
		kit.ViewValue: "enter on a knob", kit.ViewStages: "enter on a stage", kit.ViewPenalties: "enter on a stage of penalties",
		kit.ViewSince: "enter in the text", kit.ViewSource: "enter in J", kit.ViewProof: "d in S",
		kit.ViewLabs: "a class alone has it", kit.ViewJoin: "a class alone has it",
	}
	b := newBench(t, testOptions(t), 120, 40)
	for id := range views {
		a := b.m.keys.byID[kit.ID(id)]
		if (a == nil || a.First() == "") && elsewhere[id] == "" {
			t.Errorf("no key leads to %s", id)
		}
	}
}
