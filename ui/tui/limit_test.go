package tui

import (
	"fmt"
	"strings"
	"testing"

	"logitscope/engine"
	"logitscope/sampling"
	"logitscope/ui/tui/run"
)

// The limit that V calls in force is how many tokens are written, also where
// the context ends before max_new_tokens does.
func TestLimitInForce(t *testing.T) {
	t.Parallel()
	for _, words := range []int{1, 40, 300} {
		for _, limit := range []int64{5, 200, 400, 1024, 100_000} {
			if testing.Short() && (words == 40 || limit == 200 || limit == 1024 || limit == 100_000) {
				continue // the ends and one between them
			}
			opt := testOptions(t)
			opt.Config = opt.Config.MustWith("max_new_tokens", limit, sampling.FromFlag).MustWith("min_new_tokens", int64(5000), sampling.FromFlag)
			b := newBench(t, opt, 120, 60)
			b.m.Pace = len(run.Paces) - 1
			b.start(strings.TrimSpace(strings.Repeat("fox ", words)))
			b.keys("V")
			l := b.m.Lane()
			var said int64
			for _, e := range engine.Effective(l.Settings.Pipeline, l.Model.Info(), len(l.View.Prompt)) {
				if e.Key == "max_new_tokens" {
					said = e.InForce.(int64)
				}
			}
			b.keys("end", "up")
			if row := fmt.Sprintf("max_new_tokens %d", said); !strings.Contains(strings.Join(strings.Fields(b.frame()), " "), fmt.Sprintf("%d %d flag", limit, said)) {
				t.Errorf("%d words, limit %d: no row %q:\n%s", words, limit, row, b.frame())
			}
			b.keys("esc")
			b.m.Advance(-1)
			b.wait(func(v engine.View) bool { return v.Phase == engine.Done })
			if n := int64(len(l.View.Steps)); n != said {
				t.Errorf("%d words, limit %d: %d in force, %d written", words, limit, said, n)
			}
		}
	}
}
