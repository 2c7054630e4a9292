package tui

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"logitscope/engine"
	"logitscope/sampling"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

var apartOf = regexp.MustCompile(`on (\d)'s text \S+ +TV ([0-9.]+) · KL ([0-9.]+) b, back ([0-9.]+) b · same best 8 of 8`)

// The same law with other luck is the same law: however far the texts have
// come apart, on either text the lanes are 0 apart.
func TestOneLawHasNoDistance(t *testing.T) {
	t.Parallel()
	tried, parted := 0, 0
	for _, preset := range []string{"chat", "creative", "neutral", "factual"} {
		for _, set := range some([]string{"seed=1", "seed=2", "seed=3", "seed=4", "seed=5", "luck=race"}, 2) {
			tried++
			b := partedOf(t, 120, 40, preset, preset+" "+set)
			b.pump(func() bool { return len(apartOf.FindAllString(b.frame(), -1)) == 2 })
			for _, m := range apartOf.FindAllStringSubmatch(b.frame(), -1) {
				if m[2] != "0.000" || m[3] != "0.000" || m[4] != "0.000" {
					t.Errorf("%s, %s: %q", preset, set, m[0])
				}
			}
			if _, parts := run.Part(b.m.All[0], b.m.All[1], false); parts {
				parted++
			}
		}
	}
	t.Logf("%d cases, %d parted", tried, parted)
	if parted < tried/3 {
		t.Errorf("only %d texts part", parted)
	}
}

var luckOf = regexp.MustCompile(`u by token ([0-9.– ]+?)  in`)

// The row of draws lists the numbers that were drawn up to the position shown,
// whichever lane has the focus, and no number where none was drawn.
func TestLuckLine(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, presets := range [][]string{{"chat", "greedy", "creative"}, {"greedy", "chat", "neutral", "greedy"}, {"chat", "creative", "neutral"}, {"greedy", "greedy", "greedy"}} {
		b := partedOf(t, 160, 45, presets...)
		for range presets {
			for _, back := range []int{0, 1, 5} {
				tried++
				for range back {
					b.keys("left")
				}
				b.pump(func() bool { return true })
				checkLuck(t, b, presets)
				for range back {
					b.keys("right")
				}
				b.pump(func() bool { return true })
			}
			b.keys("tab")
		}
	}
	t.Logf("%d cases", tried)
}

func checkLuck(t *testing.T, b *bench, presets []string) {
	t.Helper()
	drawn := func(st *engine.Step) bool { return st != nil && st.Trace != nil && !st.Trace.Greedy }
	m := luckOf.FindStringSubmatch(b.frame())
	if m == nil {
		if !strings.Contains(b.frame(), "no lane draws") || strings.Contains(strings.Join(presets, " "), "c") {
			t.Errorf("%q: no draws are listed:\n%s", presets, b.frame())
		}
		return
	}
	list := strings.Fields(m[1])
	last := run.ShownIndex(b.m.Lane())
	for i, s := range list {
		k := last - len(list) + 1 + i
		want := "–"
		for _, l := range b.m.All {
			if st := l.View.Step(k); drawn(st) {
				want = viz.Three(st.Trace.U)
			}
		}
		if s != want {
			t.Errorf("%q, lane %d, position %d: %s, want %s", presets, b.m.Cur+1, k+1, s, want)
		}
	}
	if lanes := strings.Count(strings.Join(presets, " "), "greedy"); lanes > 0 && !strings.Contains(b.frame(), "the "+strconv.Itoa(len(presets)-lanes)+" lanes that draw") {
		t.Errorf("%q: who draws is not said", presets)
	}
}

// The titles of four lanes tell them apart at every width, whichever setting
// differs, alone or beside one that two lanes share.
func TestTitlesTellLanesApart(t *testing.T) {
	t.Parallel()
	tried := 0
	sizes := [][2]int{{120, 40}, {140, 40}, {200, 60}}
	if testing.Short() {
		sizes = sizes[:1]
	}
	for _, size := range sizes {
		for _, shared := range []bool{false, true} {
			for i, p := range run.Knobs {
				if testing.Short() && (i%2 == 0) != shared {
					continue // each knob alone or beside another
				}
				if !run.HasSlider(p) || p.Key == "max_new_tokens" || shared && p.Key == "min_p" {
					continue
				}
				b := newLanes(t, size[0], size[1], "chat", "chat", "chat", "chat")
				values := make(map[string]bool)
				for i, l := range b.m.All {
					v := p.Nudge(p.Off, 3*i)
					if p.Off == nil {
						v = p.Nudge(l.Config.Value(p.Key), 3*i)
					}
					cfg, err := l.Config.With(p.Key, v, sampling.FromYou)
					if err == nil && shared && i > 0 {
						cfg, err = cfg.With("min_p", 0.05, sampling.FromYou)
					}
					if err != nil {
						break
					}
					if set, err := l.Compile(cfg, l.Preset); err == nil {
						l.Config, l.Settings = cfg, set
						values[run.ValueWords(p, cfg.Value(p.Key))] = true
					}
				}
				if len(values) < 4 {
					continue
				}
				tried++
				b.m.dirty = true
				seen := make(map[string]bool)
				for _, title := range regexp.MustCompile(`[╭┏][─━] (?:lane )?\d(.*?)[─━╮┓]`).FindAllStringSubmatch(strings.SplitN(b.frame(), "\n", 3)[1], -1) {
					seen[strings.TrimSpace(title[1])] = true
				}
				if len(seen) != 4 {
					t.Errorf("%v, %s, beside min_p %v: %d different titles: %s", size, p.Key, shared, len(seen), strings.SplitN(b.frame(), "\n", 3)[1])
				}
			}
		}
	}
	t.Logf("%d cases", tried)
}

// A title says what shapes the lane's draw: not that it draws, nor how a lane
// that takes the best would.
func TestTitlesSayWhatActs(t *testing.T) {
	b := newLanes(t, 160, 45, "chat", "creative", "neutral", "greedy")
	for _, want := range []string{"─ 1 · T .70 k 50 p .90 rep 1.05 ─", "─ 2 · T .90 k 50 p .95 rep 1.15 ─", "─ 3 · all off ─", " 4 · do_sample false "} {
		if title := strings.SplitN(b.frame(), "\n", 3)[1]; !strings.Contains(strings.ReplaceAll(title, "━", "─"), want) {
			t.Errorf("no %q in %s", want, title)
		}
	}
	two := newLanes(t, 160, 45, "neutral", "greedy")
	two.has(" 1 · do_sample true top_k off · neutral")
	two.has(" 2 · do_sample false")
}
