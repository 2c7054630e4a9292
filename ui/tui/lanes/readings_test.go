package lanes

import (
	"math"
	"slices"
	"testing"

	"logitscope/engine/compare"
	"logitscope/models"
	"logitscope/ui/tui/run"
)

// readAll does the rounds of reading that the view would do.
func readAll(v *View) {
	for _, l := range v.lanes.All {
		for job := v.readJob(l); job != nil; job = v.readJob(l) {
			v.takeReadings(job().(readMsg))
		}
	}
}

// another is the same weights as another model: it has to read for itself.
type another struct{ models.Model }

// Each text is read under each lane's law, from its own rows, and by a lane with
// another model from that model's: the numbers are the same where the weights
// are.
func TestEachTextUnderEachLaw(t *testing.T) {
	lanes := sideBySide(t, 8, func(*run.Lanes, int) {}, "factual", "chat", "neutral")
	v := New(lanes, nil)
	readAll(v)
	sums := map[[2]int]compare.Readings{}
	for i, l := range lanes.All {
		for j, o := range lanes.All {
			s := v.under(l, o)
			sums[[2]int{i, j}] = s
			if s.Steps != 8 {
				t.Errorf("text %d under law %d: %d steps, want 8", i+1, j+1, s.Steps)
			}
			if i == j && (s.TV() != 0 || s.B.BitsPerToken() != s.A.BitsPerToken()) {
				t.Errorf("text %d under its own law: %+v", i+1, s)
			}
			if i != j && !(s.TV() > 0) {
				t.Errorf("text %d under law %d: distance %v", i+1, j+1, s.TV())
			}
			if values, from := v.series(l, o, 5); len(values) != 5 || from != 3 || slices.ContainsFunc(values, math.IsNaN) {
				t.Errorf("text %d under law %d: series %v from %d", i+1, j+1, values, from)
			}
		}
	}
	// The text of neutral under factual: what it cuts is counted.
	if s := sums[[2]int{2, 0}]; s.ImpossibleAB == 0 || s.B.Kept+s.B.Impossible != 8 {
		t.Errorf("neutral's text under factual: %+v", s)
	}

	a, b := lanes.All[0], lanes.All[1]
	b.Model = another{b.Model}
	for _, pair := range [][2]*run.Lane{{a, b}, {b, a}} {
		job := v.acrossJob(pair[0], pair[1])
		if job == nil {
			t.Fatal("the other model is not asked to read")
		}
		msg := job().(acrossMsg)
		if msg.err != nil {
			t.Fatal(msg.err)
		}
		v.across[[2]int{msg.key.text, msg.key.law}] = &msg.across
		if v.acrossJob(pair[0], pair[1]) != nil {
			t.Error("what is known is read again")
		}
	}
	for _, k := range [][2]int{{0, 1}, {1, 0}} {
		got, want := v.under(lanes.All[k[0]], lanes.All[k[1]]), sums[k]
		if got.Steps != 8 || math.Abs(got.TV()-want.TV()) > 1e-6 || math.Abs(got.B.BitsPerToken()-want.B.BitsPerToken()) > 1e-5 || got.ImpossibleAB != want.ImpossibleAB {
			t.Errorf("text %d under law %d by another model: %+v, want %+v", k[0]+1, k[1]+1, got, want)
		}
	}
}
