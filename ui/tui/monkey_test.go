package tui

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
)

// Keys, mouse and sizes at random, on a lane that runs: nothing panics, and
// every frame is exact.
func TestMonkey(t *testing.T) {
	seeds, moves := 6, 250
	if testing.Short() {
		seeds, moves = 1, 60
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Chdir(t.TempDir()) // some keys save what is seen
			b := newBench(t, testOptions(t), 120, 40)
			r := rand.New(rand.NewPCG(uint64(seed), 1))
			var did []string
			defer func() {
				if p := recover(); p != nil {
					t.Fatalf("%v after %q\n%s", p, did, run.Stack())
				}
			}()
			b.start(storyPrompt)
			for range moves {
				did = append(did, b.monkey(r))
				if len(did) > 40 {
					did = did[1:]
				}
				b.takeViews()
				exact(t, b.frame(), b.m.w, b.m.h, fmt.Sprintf("after %q", did))
			}
		})
	}
}

// takeViews gives the model whatever views are there.
func (b *bench) takeViews() {
	for _, l := range b.m.All {
		select {
		case v, ok := <-l.Eng.Views():
			if ok {
				b.apply(run.ViewMsg{Lane: l.ID, View: v, OK: true, At: time.Now()})
			}
		default:
		}
	}
}

// monkey does one thing at random and says what.
func (b *bench) monkey(r *rand.Rand) string {
	switch n := r.IntN(20); {
	case n == 0:
		w, h := 30+r.IntN(180), 8+r.IntN(60)
		b.send(tea.WindowSizeMsg{Width: w, Height: h})
		return fmt.Sprintf("size %d×%d", w, h)
	case n < 4:
		e := tea.MouseMsg{
			X: r.IntN(b.m.w), Y: r.IntN(b.m.h), Action: tea.MouseAction(r.IntN(3)),
			Button: []tea.MouseButton{tea.MouseButtonLeft, tea.MouseButtonWheelUp, tea.MouseButtonWheelDown}[r.IntN(3)],
		}
		b.send(e)
		return fmt.Sprintf("mouse %+v", e)
	case n == 4:
		b.keys("esc")
		return "esc"
	}
	var names []string
	for _, a := range b.m.keys.list {
		if a.ID != kit.ActQuit && a.ID != kit.ActInterrupt {
			names = append(names, a.Keys()...)
		}
	}
	key := names[r.IntN(len(names))]
	if key == " " {
		key = "space"
	}
	b.keys(key)
	return key
}
