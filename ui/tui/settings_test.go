package tui

import (
	"slices"
	"strings"
	"testing"

	"logitscope/models"
	"logitscope/sampling"
	"logitscope/ui/tui/lab"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// A token is typed as the chart shows it: ␣old is the token with the space.
func TestTypedTokenOfTheChart(t *testing.T) {
	t.Parallel()
	b := newBench(t, testOptions(t), 100, 30)
	b.start(storyPrompt)
	b.m.SelectKnob("logit_bias")
	b.m.lab.Focus = lab.PaneControls
	b.keys("enter")
	b.has("␣ or a blank is a space")
	b.send(typed("␣old=-100"))
	b.keys("enter")
	b.tuned()
	old := b.m.Lane().Vocab().Encode(" old", models.EncodeOptions{})
	i := slices.IndexFunc(b.m.Lane().Step().Trace.Rows(), func(r sampling.Row) bool { return r.ID == old[0] })
	if len(old) != 1 || i < 0 || b.m.Lane().Step().Trace.Rows()[i].Prob > 1e-6 {
		t.Errorf("␣old (%v) is not banned", old)
	}
}

// The narrowest window shows what is asked and what is in force.
func TestEffectiveValuesNarrow(t *testing.T) {
	t.Parallel()
	b := newBench(t, testOptions(t), 40, 12)
	b.start(storyPrompt)
	b.keys("V")
	b.has("  asked in force")
	b.has("▸ temperature          0.70     0.70 ")
}

// A list of changes that does not fit says how many it leaves out.
func TestSomeOf(t *testing.T) {
	t.Parallel()
	parts := []string{"one 1→2", "two 2→3", "three 3→4"}
	for _, tt := range []struct {
		w    int
		want string
	}{
		{35, "p: one 1→2 · two 2→3 · three 3→4"}, // 32 cells
		{32, "p: one 1→2 · two 2→3 · three 3→4"},
		{31, "p: one 1→2 · and 2 more"}, // with two it is 33
		{22, "p: 3 changes"},
	} {
		if got := viz.SomeOf("p: ", parts, tt.w); got != tt.want {
			t.Errorf("in %d cells %q, want %q", tt.w, got, tt.want)
		}
	}
	b := newBench(t, testOptions(t), 60, 20)
	b.start(storyPrompt)
	b.keys("3")
	b.has("creative: temperature 0.70→0.90 · ")
	b.has(" more")
}

// A value that is turned back to what a step was made under shows the step as
// it was: going on from there branches off nothing.
func TestWhatIfTurnedBack(t *testing.T) {
	t.Parallel()
	b := newBench(t, testOptions(t), 100, 30)
	b.start(storyPrompt)
	for i := 1; i <= 2; i++ {
		b.keys("n")
		b.steps(i)
	}
	b.keys("b", "b", "+")
	b.has("what-if at step 1 of 2")
	b.keys("-")
	b.has("step 1 of 2")
	if strings.Contains(b.frame(), "what-if") {
		t.Errorf("still a what-if:\n%s", b.frame())
	}
	b.keys("n")
	if l := b.m.Lane(); l.Look.At != 2 || len(l.Branches) > 0 {
		t.Errorf("at step %d with %d branches, want 2 and none", l.Look.At, len(l.Branches))
	}
}

// Undo and redo name the values that they go between, however many quick
// changes were joined, and on how many lanes.
func TestUndoNamesWhatItChanges(t *testing.T) {
	t.Parallel()
	presses := [][]string{{"+"}, {"-"}, {"+", "+", "+", "+", "+"}, {"-", "-", "-"}, {"+", "+", "-"}, {"+", "-", "-", "+", "+"}, {"+", "-"}}
	tried := 0
	for _, lanes := range []int{1, 2} {
		b := storyAt16(t, 120, 40)
		if lanes == 2 {
			b.keys("C")
		}
		for _, p := range run.Knobs {
			if !run.HasSlider(p) {
				continue
			}
			for _, keys := range presses {
				b.m.SelectKnob(p.Key)
				l := b.m.Lane()
				before, depth := l.Config, len(l.Undo)
				l.Undo = append(l.Undo, l.Snapshot("another change", -1)) // nothing to join
				b.keys(keys...)
				after := l.Config
				if run.SameSetting(before, after, p.Key) {
					continue
				}
				tried++
				want := p.Key + " " + run.ValueWords(p, before.Value(p.Key)) + " → " + run.ValueWords(p, after.Value(p.Key))
				if n := len(l.Undo) - depth; n != 2 {
					t.Fatalf("%d lanes, %s: %v are %d changes to undo", lanes, p.Key, keys, n-1)
				}
				b.keys("u")
				if got := b.m.Notice.Text; !strings.HasSuffix(got, "undone: "+want) || !run.SameSetting(l.Config, before, p.Key) {
					t.Fatalf("%d lanes, %s: after %v and u it says %q, want %q", lanes, p.Key, keys, got, want)
				}
				b.keys("U")
				if got := b.m.Notice.Text; !strings.HasSuffix(got, "again: "+want) || !run.SameSetting(l.Config, after, p.Key) {
					t.Fatalf("%d lanes, %s: after U it says %q, want %q", lanes, p.Key, got, want)
				}
				b.keys("u")
				l.Undo = l.Undo[:depth]
			}
		}
	}
	t.Logf("%d cases", tried)
	if tried < 100 {
		t.Errorf("only %d cases", tried)
	}
}

// A change after undo or redo is one of its own, however quickly it follows.
func TestUndoEndsAJoinedChange(t *testing.T) {
	t.Parallel()
	for _, back := range []string{"u", "U"} {
		b := ready(t, 1)
		b.m.SelectKnob("temperature")
		l := b.m.Lane()
		first := l.Config.Float("temperature")
		b.keys("+", "u")
		want := first
		if back == "U" {
			b.keys("U")
			want = l.Config.Float("temperature")
		}
		b.keys("+", "u")
		if got := l.Config.Float("temperature"); got != want {
			t.Errorf("after %s a change and u: temperature %v, want %v", back, got, want)
		}
	}
	b := ready(t, 1)
	b.m.SelectKnob("temperature")
	b.keys("+")
	want := b.m.Lane().Config.Float("temperature")
	b.keys("p", "u", "+", "u") // the pin is taken back; what follows does not join the change before it
	if got := b.m.Lane().Config.Float("temperature"); got != want {
		t.Errorf("a change after undo joined the one before: temperature %v, want %v", got, want)
	}
}

// V marks what is in force where it is not what was asked for, and only there.
func TestValuesMarkWhatWasNotTaken(t *testing.T) {
	t.Parallel()
	opt := testOptions(t)
	opt.Config = opt.Config.MustWith("order", "vllm", sampling.FromFlag).MustWith("temperature", 0.005, sampling.FromFlag).MustWith("top_p", 0.5, sampling.FromFlag)
	b := newBench(t, opt, 120, 40)
	b.start("Once upon a time")
	b.keys("V")
	b.m.pal = viz.NewPalette(true, viz.TrueColor, false)
	mark := viz.NewCanvas(1, 1, false)
	mark.Put(0, 0, "x", viz.Ink{Role: viz.Warning})
	sgr, _, _ := strings.Cut(mark.Render(b.m.pal), "x")
	text, coloured := strings.Split(b.m.draw().Text(), "\n"), strings.Split(b.m.draw().Render(b.m.pal), "\n")
	seen := 0
	for i, line := range text {
		f := strings.Fields(strings.Trim(line, "│┃ ▸"))
		for k, key := range f {
			want, ok := map[string]bool{"temperature": true, "top_p": false}[key]
			if !ok || k+2 >= len(f) || f[k+1] != "0.005" && f[k+1] != "0.50" {
				continue
			}
			seen++
			if strings.Contains(coloured[i], sgr) != want {
				t.Errorf("%s: marked %v, want %v: %s", key, !want, want, line)
			}
		}
	}
	if seen != 2 {
		t.Errorf("%d of 2 rows are shown:\n%s", seen, strings.Join(text, "\n"))
	}
}
