package row

import (
	"slices"
	"testing"
)

// TestMinPKeepsTheBest: beams have so many candidates left at least, and of
// equal ones no more than that.
func TestMinPKeepsTheBest(t *testing.T) {
	x := []float32{1, 5, 1, 1, 0, 1}
	for keep, want := range map[int][]int32{1: {1}, 2: {0, 1}, 4: {0, 1, 2, 3}, 6: {0, 1, 2, 3, 4, 5}, 9: {0, 1, 2, 3, 4, 5}} {
		var r Row
		r.Begin(nil, x, 0, nil, false)
		MinPShare{P: 0.5, Keep: keep}.Apply(&r)
		if r.List(); !slices.Equal(r.ix, want) {
			t.Errorf("keep %d: %v, want %v", keep, r.ix, want)
		}
	}
	var r Row
	r.Begin(nil, x, 0, nil, false)
	MinPShare{P: 0.01, Keep: 2}.Apply(&r)
	if r.List(); !slices.Equal(r.ix, []int32{0, 1, 2, 3, 5}) {
		t.Errorf("more than the share asks: %v", r.ix)
	}
}
