package draft

import (
	"strings"
	"testing"
	"time"

	"logitscope/engine"
	"logitscope/engine/speculative"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

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
	v := &View{lane: &run.Lane{View: engine.View{Draft: d}}}
	c := viz.NewCanvas(80, 5, false)
	v.drawHistogram(c)
	lines := strings.Split(c.Text(), "\n")
	// A title, the rows 0, 1 and 2, and 3 rounds with 1.5 expected in the rest.
	if !strings.Contains(lines[3], " 2 ") || !strings.Contains(lines[4], "⋮ 3 to 16: 3 rounds, 1.5 expected") {
		t.Errorf("the histogram is\n%s", c.Text())
	}
}

// Whether drafting pays is said after ten rounds, whatever the first ones
// measured.
func TestDraftingIsJudgedLate(t *testing.T) {
	tried := 0
	for n := range 25 {
		for _, speedup := range []float64{0, 0.2, 0.99, 1, 3} {
			for _, even := range []float64{-2, 0, 0.1} {
				for _, step := range []time.Duration{0, time.Millisecond} {
					tried++
					d := &speculative.View{Counted: n, Speedup: speedup, BreakEven: even, DraftStep: step, PlainTime: time.Millisecond, PassTime: 2 * time.Millisecond}
					said := strings.Contains(speedWords(d), "not pay") || strings.Contains(strings.Join(costWords(d), "\n"), "cannot pay")
					for _, s := range costWords(d) {
						if s == costWords(d)[len(costWords(d))-1] && viz.Width(s) > 76 {
							t.Errorf("no form of %q fits 76 cells", s)
						}
					}
					want := n >= 10 && speedup > 0 && (speedup < 1 || even <= 0)
					if said != want {
						t.Errorf("%d rounds, %.2f×, break-even %.1f: %q, %q", n, speedup, even, speedWords(d), costWords(d))
					}
				}
			}
		}
	}
	t.Logf("%d cases", tried)
}

// The gauge's mark stands on the bar exactly if the token was accepted.
func TestGaugeNeverLies(t *testing.T) {
	for _, w := range []int{4, 9, 16, 31} {
		for i := 0; i <= 200; i++ {
			for _, u := range []float64{0, 0.001, 0.25, 0.5, 0.749, 0.999} {
				chance := float64(i) / 200
				c := viz.NewCanvas(w, 1, false)
				gauge(c, chance, u)
				line := []rune(c.Text())
				at := strings.IndexRune(string(line), '▼')
				on := true // all cells before the mark are bar, or none after it is
				for _, r := range line[len([]rune(string(line)[:at]))+1:] {
					if r == '█' {
						on = true
						break
					}
					on = false
				}
				before := strings.Contains(string(line)[:at], "─")
				if u < chance && before || u >= chance && (on && len([]rune(string(line)[:at])) < w-1) {
					t.Fatalf("w %d, chance %v, u %v: %s", w, chance, u, string(line))
				}
			}
		}
	}
}

// Several drafts side by side are told by what a round runs, in whole words.
func TestRoundsOfSeveralDrafts(t *testing.T) {
	for passes, want := range map[int]string{4: "6 tokens drafted, 5.5 run in 1 pass", 8: "run in 2 passes", 6: "run in 1.5 passes"} {
		d := &speculative.View{Rounds: []*speculative.Round{{Branches: [][]int32{{1}}}}, Counted: 4, Tried: 24, Fed: 22, Passes: passes}
		v := &View{lane: &run.Lane{View: engine.View{Draft: d}}}
		c := viz.NewCanvas(160, 1, false)
		if v.drawAccount(c); !strings.Contains(c.Text(), want) {
			t.Errorf("%d passes in 4 rounds:\n%s\nwant %q", passes, c.Text(), want)
		}
	}
}
