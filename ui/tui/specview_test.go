package tui

import (
	"strings"
	"testing"

	"logitscope/engine"
	"logitscope/engine/speculative"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// A draft judged as a whole has no chance of each token: nothing on the screen
// speaks of one.
func TestBlockAcceptanceShowsNoTheory(t *testing.T) {
	b := specAt(t, 3, 120, 40)
	b.has("(theory ")
	b.has("did in")
	b.has("◇ expected")
	b.keys("o")
	b.wait(func(v engine.View) bool {
		return v.Draft != nil && v.Draft.Algorithm == speculative.Block && v.Draft.Last() != nil && v.Draft.Last().Algorithm == speculative.Block
	})
	b.keys("left", "left")
	screen := b.frame()
	b.keys("i")
	screen += b.frame()
	for _, s := range []string{"theory", "did in", "◇", "min(p, q)", "Any token drawn here"} {
		if strings.Contains(screen, s) {
			t.Errorf("under block acceptance the screen speaks of %q:\n%s", s, screen)
		}
	}
	b.has("the draft up to it stands with")
	b.has("1 round of 3 with this draft and rule")
}

// After another draft the account is of that draft alone.
func TestAccountOfAnotherDraft(t *testing.T) {
	b := specAt(t, 4, 120, 40)
	b.has("draft token")
	b.keys("x")
	b.wait(func(v engine.View) bool {
		return v.Draft != nil && v.Draft.Draft == ngramDraft && v.Draft.Last() != nil && v.Draft.Last().Drafter == ngramDraft
	})
	if d := b.m.Lane().View.Draft; d.Counted != 1 {
		t.Errorf("%d rounds counted", d.Counted)
	}
	b.has("1 round of 4 with this draft and rule")
}

// The histogram gives way from below, with a line that counts what it leaves
// out, and keeps seven lines for the round's last draw.
func TestHistogramLeavesRowsOut(t *testing.T) {
	d := &speculative.View{Alpha: 0.5, Accepts: make([]int, 17), Expected: make([]float64, 17)}
	for _, tt := range []struct{ room, want int }{{40, 19}, {26, 19}, {25, 18}, {12, 5}, {11, 0}, {3, 0}} {
		if got := histogramLines(d, tt.room); got != tt.want {
			t.Errorf("of %d lines the histogram takes %d, want %d", tt.room, got, tt.want)
		}
	}
	d.Accepts[1], d.Accepts[3], d.Accepts[16], d.Expected[3], d.Expected[16] = 5, 2, 1, 0.5, 1
	v := &specView{lane: &run.Lane{View: engine.View{Draft: d}}}
	c := viz.NewCanvas(80, 5, false)
	v.drawHistogram(c)
	lines := strings.Split(c.Text(), "\n")
	// A title, the rows 0, 1 and 2, and 3 rounds with 1.5 expected in the rest.
	if !strings.Contains(lines[3], " 2 ") || !strings.Contains(lines[4], "⋮ 3 to 16: 3 rounds, 1.5 expected") {
		t.Errorf("the histogram is\n%s", c.Text())
	}
}
