package tui

import (
	"strings"
	"testing"

	"logitscope/engine"
	"logitscope/engine/speculative"
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
	b.keys("x", "x")
	b.wait(func(v engine.View) bool {
		return v.Draft != nil && v.Draft.Draft == "ngram" && v.Draft.Last() != nil && v.Draft.Last().Drafter == "ngram"
	})
	if d := b.m.Lane().View.Draft; d.Counted != 1 {
		t.Errorf("%d rounds counted", d.Counted)
	}
	b.has("1 round of 4 with this draft and rule")
}
