package tui

import (
	"strings"
	"testing"

	"logitscope/ui/tui/kit"
)

// Lanes over seeds: lanes with one law never part, the table has every lane,
// and - and + ask for fewer and more seeds.
func TestLanesOverSeeds(t *testing.T) {
	t.Parallel()
	b := newLanes(t, 120, 40, "chat max_new_tokens=12", "chat max_new_tokens=12", "creative max_new_tokens=12")
	b.keys("X")
	for _, want := range []string{"lanes over 10 seeds", "means with 95% intervals", "lane 2 parts from lane 1 in 0 of 10", "lane 3 parts from lane 1 in 9 of 10", "bits a token 0.00 [0.00, 0.00], seed by seed"} {
		b.has(want)
	}
	b.keys("+")
	b.has("lanes over 20 seeds")
	b.has(" of 20, ")
	b.keys("-", "-")
	b.has("10 to 1,000 seeds")
	b.keys("esc")
	if len(b.m.overlays) != 0 || b.m.screen.id != kit.ViewCompare {
		t.Errorf("esc leaves %d overlays over %s", len(b.m.overlays), b.m.screen.id)
	}
	alone := newLanes(t, 80, 24, "chat")
	if alone.keys("X"); !strings.Contains(alone.frame(), "one lane has nothing to part from") {
		t.Errorf("one lane:\n%s", alone.frame())
	}
}
