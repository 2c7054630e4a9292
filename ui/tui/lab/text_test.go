package lab

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// One line of text never holds the caret alone: what was written stays in view.
func TestCaretIsNotAlone(t *testing.T) {
	lb := storyLab(t)
	l := lb.lanes.Lane()
	v := l.View
	v.Steps, v.Written = v.Steps[:6], []byte(" edge of the sea.\n") // a line has ended
	l.View = v
	for _, h := range []int{1, 2} {
		g, lines, top := lb.textLines(l, 76, h)
		var shown []string
		for _, ln := range lines[top:] {
			text := ""
			for _, gl := range g[ln[0]:ln[1]] {
				text += gl.Text
			}
			shown = append(shown, text)
		}
		want := []string{"Once upon a time there was a little fox who lived in the╎ edge of the sea.↵", "▌"}
		if h == 1 {
			want = []string{want[0] + "▌"}
		}
		if !slices.Equal(shown, want) {
			t.Errorf("%d lines: %q, want %q", h, shown, want)
		}
	}
}

// A time that was not measured is not shown as one.
func TestNoTimeOfNothing(t *testing.T) {
	for n := range 30 {
		for _, what := range []string{"step", "token"} {
			for _, took := range []time.Duration{0, time.Nanosecond, time.Millisecond, time.Hour} {
				s := tookWords(n, what, took)
				if strings.Contains(s, "in 0") != (took == time.Nanosecond && n > 0) || strings.HasPrefix(s, "0") || took == 0 && strings.Contains(s, " in ") {
					t.Errorf("%d %ss in %v: %q", n, what, took, s)
				}
			}
		}
	}
}
