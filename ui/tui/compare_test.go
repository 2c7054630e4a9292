package tui

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"logitscope/engine"
	"logitscope/sampling"
)

// pump takes views of all lanes until ok, as the program does.
func (b *bench) pump(ok func() bool) {
	b.t.Helper()
	for end := time.Now().Add(20 * time.Second); ; {
		idle := true
		for _, l := range append(slices.Clone(b.m.lanes), b.m.parked...) {
			select {
			case v, open := <-l.eng.Views():
				if !open {
					continue
				}
				steady(&v)
				b.apply(viewMsg{l.id, v, true, time.Now()})
				idle = false
			default:
			}
		}
		if idle && ok() {
			return
		}
		if time.Now().After(end) {
			b.t.Fatalf("still waiting\n%s", b.frame())
		}
		if idle {
			time.Sleep(time.Millisecond)
		}
	}
}

// together waits until every lane has n tokens and the next proposed.
func (b *bench) together(n int) {
	b.t.Helper()
	b.pump(func() bool {
		for _, l := range b.m.lanes {
			if v := l.view; len(v.Steps) != n || v.Next == nil || v.Phase != engine.Paused {
				return false
			}
		}
		return true
	})
}

// newLanes opens compare with a lane for each preset, all on the story.
func newLanes(t testing.TB, w, h int, names ...string) *bench {
	t.Helper()
	opt := testOptions(t)
	for _, name := range names {
		name, set, _ := strings.Cut(name, " ")
		for _, p := range opt.Presets {
			if p.Name != name {
				continue
			}
			cfg := p.Config.MustWith("seed", 42, sampling.FromFlag)
			for _, s := range strings.Fields(set) {
				key, value, _ := strings.Cut(s, "=")
				param, _ := sampling.Lookup(key)
				x, err := param.Parse(value)
				if err != nil {
					t.Fatal(err)
				}
				cfg = cfg.MustWith(key, x, sampling.FromFlag)
			}
			opt.Lanes = append(opt.Lanes, Lane{Model: opt.Model, Config: cfg, Label: name})
		}
	}
	b := newBench(t, opt, w, h)
	b.m.conduct()
	b.m.pace = len(paces) - 1
	for _, l := range b.m.lanes {
		ids, err := engine.Prompt(context.Background(), l.model, storyPrompt)
		if err != nil {
			t.Fatal(err)
		}
		b.send(promptMsg{l.id, storyPrompt, ids, nil})
	}
	b.pump(func() bool {
		for _, l := range b.m.lanes {
			if l.view.Phase != engine.Paused || l.view.Next == nil && l.view.Beam == nil {
				return false
			}
		}
		return true
	})
	return b
}

func alone(t testing.TB, name string, n int) string {
	b := newLanes(t, 120, 40, name)
	b.m.lane().eng.Post(engine.Advance{N: n})
	b.together(n)
	return b.text()
}

// Four lanes at once write what each writes alone.
func TestLanesWriteWhatTheyWriteAlone(t *testing.T) {
	names := []string{"factual", "chat", "creative", "neutral"}
	b := newLanes(t, 200, 60, names...)
	for i := range 24 {
		b.keys("right")
		b.together(i + 1)
	}
	for i, name := range names {
		if got, want := b.m.lanes[i].view.Text(), alone(t, name, 24); got != want {
			t.Errorf("%s beside others: %q\nalone: %q", name, got, want)
		}
	}
	b.keys("w", "space")
	b.pump(func() bool { return allEnded(b.m.lanes) || len(b.m.lanes[0].view.Steps) > 40 })
	b.keys("space")
	b.pump(func() bool { return !b.m.lanesRun() })
	for i, name := range names {
		v := b.m.lanes[i].view
		if n := len(v.Steps); v.Phase == engine.Paused {
			if want := alone(t, name, n); v.Text() != want {
				t.Errorf("%s, free: %q\nalone: %q", name, v.Text(), want)
			}
		}
	}
}
