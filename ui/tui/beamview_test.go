package tui

import (
	"regexp"
	"strings"
	"testing"

	"logitscope/engine"
	"logitscope/sampling"
	"logitscope/ui/tui/run"
)

// A preset taken after the end of a search leaves it a search without chance,
// and at rest, though the preset draws by chance and allows a longer text.
func TestPresetAfterASearch(t *testing.T) {
	t.Parallel()
	opt := testOptions(t)
	opt.Config = opt.Config.MustWith("max_new_tokens", 5, sampling.FromFlag)
	b := newBench(t, opt, 120, 40)
	b.start(storyPrompt)
	b.m.Pace = len(run.Paces) - 1
	b.keys("B")
	b.beams(1)
	b.keys("space")
	b.wait(func(v engine.View) bool { return v.Phase == engine.Done })
	b.keys("3")
	b.tuned()
	b.wait(func(v engine.View) bool { return v.Phase == engine.Paused })
	l := b.m.Lane()
	if n := len(l.View.Beam.Steps); n != 5 || l.View.Beam.Settings.Sample {
		t.Errorf("%d steps, by chance: %v", n, l.View.Beam.Settings.Sample)
	}
	b.has("beam search · step 5 ·")
}

// A tree that is scrolled shows no part of a number: of a token that is partly
// out of view only its line is left, and of a note its rank.
func TestScrolledTree(t *testing.T) {
	t.Parallel()
	part := regexp.MustCompile(`┃ … (\.?[0-9]|−)|[0-9] = (g|gr|gre|gree|greed)?┃`)
	for _, w := range []int{80, 87, 94, 101, 120} {
		for steps := 4; steps <= 8; steps += 2 {
			b := beamAt(t, steps, w, 24)
			for _, key := range []string{"end", "left"} {
				b.keys(key)
				for _, line := range strings.Split(b.frame(), "\n") {
					if part.MatchString(line) {
						t.Errorf("%d cells, step %d, %s: %s", w, steps, key, line)
					}
				}
			}
		}
	}
}

// A wide screen shows the texts whole where a narrow one shows their ends: as
// candidates, as results and greedily.
func TestWideBeams(t *testing.T) {
	t.Parallel()
	opt := testOptions(t)
	opt.Config = opt.Config.MustWith("max_new_tokens", 10, sampling.FromFlag)
	b := newBench(t, opt, 200, 60)
	b.m.Pace = len(run.Paces) - 1
	b.start(storyPrompt)
	b.keys("B")
	b.beams(1)
	b.keys("space")
	b.wait(func(v engine.View) bool { return v.Phase == engine.Done })
	l := b.m.Lane()
	text := func(ids []int32) string {
		var out strings.Builder
		for _, id := range ids {
			out.WriteString(l.Vocab().Piece(id))
		}
		return strings.ReplaceAll(strings.TrimLeft(out.String(), " "), "\n", "↵")
	}
	best := text(l.View.Beam.Result()[0].Node.Tokens())
	if len(best) <= 30 {
		t.Fatalf("%q is too short to tell", best)
	}
	b.has("result · 1: ")
	_, line, _ := strings.Cut(b.frame(), "result · 1: ")
	if line, _, _ = strings.Cut(line, "\n"); !strings.Contains(line, best) {
		t.Errorf("%q is not in %s", best, line)
	}
}
