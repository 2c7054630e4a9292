package tui

import (
	"strings"
	"testing"
	"time"

	"logitscope/engine/speculative"
)

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
					said := strings.Contains(speedWords(d), "not pay") || strings.Contains(costWords(d), "cannot pay")
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
