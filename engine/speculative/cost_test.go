package speculative

import (
	"testing"

	"logitscope/models"
)

// A sized model says how many numbers it has.
type sized struct {
	models.Model
	params int64
}

func (s sized) Info() models.Info { return models.Info{Params: s.params} }

// What a draft costs beforehand: its part of the target's numbers, a tenth if
// one of the two does not say, next to nothing for a lookup.
func TestCostOfADraft(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		draft, target int64
		want          float64
	}{{1e6, 8e6, 0.125}, {8e6, 2e6, 4}, {0, 8e6, 0.1}, {1e6, 0, 0.1}} {
		d := &modelDrafter{model: sized{params: tt.draft}}
		if got := d.cost(sized{params: tt.target}); got != tt.want {
			t.Errorf("%d beside %d: %v, want %v", tt.draft, tt.target, got, tt.want)
		}
	}
	if got := (lookupDrafter{}).cost(sized{params: 1}); got != 0.01 {
		t.Errorf("a lookup costs %v", got)
	}
	// A dear draft is asked for fewer tokens than a cheap one.
	few := schedule{k: 4}.next(Adaptive, 3, 4, false, 1.5)
	many := schedule{k: 4}.next(Adaptive, 3, 4, false, 0.02)
	if few.k >= many.k {
		t.Errorf("%d tokens from a dear draft, %d from a cheap one", few.k, many.k)
	}
}
