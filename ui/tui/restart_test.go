package tui

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"logitscope/engine"
	"logitscope/sampling"
	"logitscope/sampling/constrain"
	"logitscope/ui/tui/run"
	"logitscope/ui/tui/structure"
)

// settingsToTry are other values of every parameter that can be set alone.
func settingsToTry(cfg sampling.Config) map[string]any {
	out := make(map[string]any)
	for _, p := range run.Knobs {
		for _, text := range []string{"3", "0.4", "0.02", "true", "false", "topk", "exact", "draw_then_check", "llama.cpp", "x, yz", " old=2", `{"type": "json"}`, "0"} {
			v, err := p.Parse(text)
			if err != nil || p.Key == "constraint" && text[0] != '{' {
				continue
			}
			other, err := cfg.With(p.Key, v, sampling.FromYou)
			if err == nil && !run.SameSetting(cfg, other, p.Key) && !strings.HasPrefix(p.Key, "num_assistant") && p.Key != "schedule" {
				out[p.Key] = v
				break
			}
		}
	}
	return out
}

// After every way to start again, from every state in which a setting can be
// changed, what was asked for is in force.
func TestAskedIsInForceAfterEveryRestart(t *testing.T) {
	t.Parallel()
	states := map[string][]string{"at the end": nil, "looking back": {"left", "left"}, "back at the end": {"left", "esc"}}
	roads := map[string][]string{"r": {"r"}, "s": {"s"}, "e": {"e", "ctrl+d"}}
	beside := map[string][]string{"r in compare": {"r"}, "s in compare": {"s"}, "e in compare": {"e", "ctrl+d"}}
	opt := testOptions(t)
	opt.Config = opt.Config.MustWith("max_new_tokens", int64(3), sampling.FromFlag)
	cases, tried := 0, 0
	try := func(key string, v any, state, road string, keys []string, lanes int) {
		if cases++; testing.Short() && cases%7 != 0 {
			return // some of every row and column: there are twelve for a key
		}
		tried++
		b := newBench(t, opt, 120, 40)
		b.m.Pace = len(run.Paces) - 1
		b.start("Once upon a time")
		if lanes > 1 {
			b.keys("C")
		}
		b.m.Advance(-1)
		b.pump(func() bool {
			return !slices.ContainsFunc(b.m.All, func(l *run.Lane) bool { return l.View.Phase != engine.Done })
		})
		b.keys(states[state]...)
		b.m.Each(func() { b.m.Set(key, v) })
		for _, l := range b.m.All {
			if got := l.ShownConfig(); !run.SameSetting(got, got.MustWith(key, v, sampling.FromYou), key) {
				t.Errorf("%s %v, %s: it is not shown", key, v, state)
			}
		}
		b.keys(keys...)
		b.pump(func() bool {
			return !slices.ContainsFunc(b.m.All, func(l *run.Lane) bool {
				return l.View.Settings != l.Settings || l.View.Phase == engine.Done || l.View.Phase == engine.Prefill
			})
		})
		for i, l := range b.m.All {
			if key == "seed" && keys[0] == "s" {
				continue
			}
			asked := l.Config.MustWith(key, v, sampling.FromYou)
			if !run.SameSetting(l.View.Settings.Config(), asked, key) || !run.SameSetting(l.ShownConfig(), asked, key) {
				t.Errorf("lane %d, %s %v set %s, then %s: %v in force, %v shown", i+1, key, v, state, road, l.View.Settings.Config().Value(key), l.ShownConfig().Value(key))
			}
		}
	}
	settings := settingsToTry(opt.Config)
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		for _, state := range slices.Sorted(maps.Keys(states)) {
			for _, road := range slices.Sorted(maps.Keys(roads)) {
				try(key, settings[key], state, road, roads[road], 1)
			}
		}
		for _, road := range slices.Sorted(maps.Keys(beside)) {
			try(key, settings[key], "at the end", road, beside[road], 2)
		}
	}
	t.Logf("%d cases", tried)
	if cases < 300 {
		t.Errorf("only %d cases", cases)
	}
}

// A constraint written after a text has ended holds the next one.
func TestConstraintAfterTheEnd(t *testing.T) {
	t.Parallel()
	opt := testOptions(t)
	opt.Config = opt.Config.MustWith("max_new_tokens", int64(40), sampling.FromFlag)
	for kind := range constrain.Kinds() {
		b := newBench(t, opt, 120, 40)
		b.m.Pace = len(run.Paces) - 1
		b.start("Once upon a time")
		b.m.Advance(-1)
		b.wait(func(v engine.View) bool { return v.Phase == engine.Done })
		b.keys("J")
		for range kind {
			b.keys("down")
		}
		b.keys("enter")
		b.pump(func() bool { e, ok := b.m.top().(*structure.Editor); return !ok || e.Known() })
		if _, ok := b.m.top().(*structure.Editor); ok {
			b.keys("ctrl+d")
		}
		b.wait(func(v engine.View) bool {
			return v.Settings == b.m.Lane().Settings && v.Phase == engine.Paused && len(v.Steps) == 0
		})
		if got := b.m.Lane().View.Settings.Config().Text("constraint"); got == "" {
			t.Errorf("kind %d: nothing is in force, and the screen says %q", kind, b.m.Notice.Text)
		}
	}
}
