package tui

import (
	"slices"
	"strings"
	"testing"

	"logitscope/engine"
	"logitscope/engine/speculative"
	"logitscope/models"
	"logitscope/models/table"
)

// A draft judged as a whole has no chance of each token: nothing on the screen
// speaks of one.
func TestBlockAcceptanceShowsNoTheory(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
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

// A model that does not give its whole distribution judges no drafts: S says
// so and opens nothing.
func TestDraftViewOfAPartialModel(t *testing.T) {
	t.Parallel()
	m, err := table.Open("../../models/table/testdata/garden1.json")
	if err != nil {
		t.Fatal(err)
	}
	opt := testOptions(t)
	opt.Model = withTop{m}
	b := newBench(t, opt, 80, 24)
	b.keys("S")
	b.has("S: speculative decoding needs the target's whole distribution")
	b.lacks("n next round")
}

// withTop is a model that gives its best tokens alone.
type withTop struct{ models.Model }

func (m withTop) Info() models.Info {
	i := m.Model.Info()
	i.Caps.TopN = 20
	return i
}

// The rule in force stands in the titles of a terminal of 80 columns, above all
// a wrong one, and what a proof says of it is whole.
func TestWrongRulesAreNamed(t *testing.T) {
	t.Parallel()
	b := specAt(t, 1, 80, 24)
	wrong := 0
	for range speculative.Algorithms() {
		before := b.m.Lane().View.Draft.Algorithm
		b.keys("o")
		b.wait(func(v engine.View) bool {
			d := v.Draft
			return d != nil && d.Algorithm != before && d.Last() != nil && d.Last().Algorithm == d.Algorithm
		})
		now := b.m.Lane().View.Draft.Algorithm
		i := slices.IndexFunc(speculative.Algorithms(), func(x speculative.Info) bool { return x.Algorithm == now })
		x := speculative.Algorithms()[i]
		if x.Exact {
			continue
		}
		wrong++
		b.has("rule " + string(now) + " (wrong)")
		b.has(x.Help)
		if testing.Short() && wrong%3 != 1 {
			continue // a proof is work
		}
		b.keys("d")
		b.has("prove it · rule " + string(now))
		b.keys("esc")
	}
	if wrong < 5 {
		t.Errorf("o went through %d wrong rules", wrong)
	}
}
