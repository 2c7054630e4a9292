package tui

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/ui/tui/kit"
)

// From every state that keys, mouse and sizes at random lead to, a few times
// esc reaches the lab and the newest step.
func TestEscReachesTheLab(t *testing.T) {
	t.Chdir(t.TempDir()) // some keys save what is seen
	seeds, moves := 12, 160
	if testing.Short() {
		seeds, moves = 3, 100
	}
	tried := 0
	for seed := range seeds {
		b := newBench(t, testOptions(t), 120, 40)
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		b.start(storyPrompt)
		var did []string
		for i := range moves {
			did = append(did, b.monkey(r))
			b.takeViews()
			if i%20 != 19 {
				continue
			}
			tried++
			n := 0
			for ; n < 12 && !(b.m.screen.id == kit.ViewLab && len(b.m.overlays) == 0 && !b.m.lab.Zoom && b.m.Lane().Look.At == 0); n++ {
				b.keys("esc")
				b.takeViews()
			}
			if n == 12 {
				t.Errorf("seed %d, after %q: esc leaves %s, %d overlays, zoom %v, step %d", seed, did, b.m.screen.id, len(b.m.overlays), b.m.lab.Zoom, b.m.Lane().Look.At)
				break
			}
			did = nil
		}
	}
	t.Logf("%d states", tried)
}

// A lane that is looked back at alone does not keep compare open.
func TestEscLeavesCompare(t *testing.T) {
	t.Parallel()
	for _, keys := range [][]string{{"right", "right", "right", "left", "t", "tab"}, {"right", "left", "tab", "t"}, {"left", "t"}} {
		b := newLanes(t, 120, 40, "chat", "creative")
		for i := range 3 {
			b.keys("right")
			b.together(i + 1)
		}
		b.keys(keys...)
		for range 4 {
			b.keys("esc")
		}
		if b.m.screen.id != kit.ViewLab {
			t.Errorf("after %q esc does not leave compare", keys)
		}
	}
}

// esc on an overlay closes it, whatever it lies over, and what is below goes
// on as it was.
func TestEscTouchesNothingBelow(t *testing.T) {
	t.Parallel()
	screens := []string{"", "C", "T", "P", "S", "B", "J"}
	tried := 0
	for i, id := range slices.Sorted(maps.Keys(views)) {
		for k, screen := range screens {
			if testing.Short() && (i+k)%4 != 0 {
				continue // a quarter of them, of every row and column some
			}
			opt := testOptions(t)
			b := newBench(t, opt, 120, 40)
			b.start(storyPrompt)
			b.keys("n")
			b.steps(1)
			if screen != "" {
				b.keys(screen)
				b.pump(func() bool { return true })
			}
			under, zoom := b.m.screen, b.m.lab.Zoom
			b.m.SetPace(-2)
			b.m.Advance(-1)
			b.run(b.m.Open(id))
			if len(b.m.overlays) == 0 || b.m.screen != under {
				continue // not an overlay, or not to be opened here
			}
			tried++
			l := b.m.Lane()
			config, look, one := l.Config, l.Look, b.m.Side.One
			b.send(tea.KeyMsg{Type: tea.KeyEsc})
			n := len(l.View.Steps)
			if len(b.m.overlays) != 0 || b.m.screen != under || b.m.lab.Zoom != zoom || !l.Config.Equal(config) || l.Look != look || b.m.Side.One != one {
				t.Errorf("%s over %q: esc changed what is below", id, screen)
			}
			if l.View.Phase == engine.Running && screen != "P" {
				b.pump(func() bool { return l.View.Phase != engine.Running || len(l.View.Steps) > n })
				if l.View.Phase == engine.Paused {
					t.Errorf("%s over %q: esc paused the run below", id, screen)
				}
			}
		}
	}
	t.Logf("%d cases", tried)
}
