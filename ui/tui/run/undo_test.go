package run

import (
	"testing"
	"testing/synctest"
	"time"

	"logitscope/sampling"
)

// Quick changes of one knob are one undo, changes further apart and those after
// an undo one each, and quick ones that end where they began none.
func TestChangesJoin(t *testing.T) {
	warm := sampling.Config{}.MustWith("temperature", 0.7, sampling.FromYou)
	hot := warm.MustWith("temperature", 0.9, sampling.FromYou)
	for _, tt := range []struct {
		wait   time.Duration
		undone bool
		to     []sampling.Config
		want   int
	}{
		{time.Second / 2, false, []sampling.Config{hot}, 1},
		{time.Second / 2, false, []sampling.Config{hot, warm}, 0},
		{time.Second / 2, false, []sampling.Config{hot, {}}, 1},
		{time.Second/2 + 1, false, []sampling.Config{hot, warm}, 2},
		{0, true, []sampling.Config{hot, warm}, 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := &Lane{Config: warm}
			for _, c := range tt.to {
				l.rememberChange(c, "temperature", "a change")
				l.Config = c
				time.Sleep(tt.wait)
				if tt.undone {
					l.Redo = []Snapshot{{}}
				}
			}
			if len(l.Undo) != tt.want {
				t.Errorf("%d changes, %v apart: %d undos, want %d", len(tt.to), tt.wait, len(l.Undo), tt.want)
			}
		})
	}
}
