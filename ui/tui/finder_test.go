package tui

import (
	"strings"
	"testing"
)

// Every token found shows its rank and its shares, whether or not the chart
// has a row for it.
func TestFinderShowsWhereTokensStand(t *testing.T) {
	t.Parallel()
	for _, w := range []int{80, 40} {
		b := newBench(t, testOptions(t), w, 24)
		b.start(storyPrompt)
		b.keys("/")
		b.send(typed("o"))
		for _, line := range strings.Split(b.frame(), "\n") {
			if strings.Contains(line, "p pins it") {
				t.Errorf("a row hides its numbers: %q", line)
			}
		}
		b.has("found · enter pins it")
	}
}
