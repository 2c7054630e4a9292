package beam

import (
	"math"
	"testing"

	"logitscope/engine/rows"
)

// Draws without replacement take every pick once, and none without
// probability.
func TestDraw(t *testing.T) {
	all := []rows.Pick{{Order: 0, Sum: -1}, {Order: 1, Sum: math.Inf(-1)}, {Order: 2, Sum: -50}, {Order: 3, Sum: -2}}
	seen := map[int]int{}
	for seed := range uint64(200) {
		out := draw(all, 4, seed, 9)
		if len(out) != 3 {
			t.Fatalf("%d drawn, want the 3 that are possible", len(out))
		}
		seen[out[0].Order]++
		for i, a := range out {
			for _, b := range out[:i] {
				if a.Order == b.Order {
					t.Fatalf("%v drawn twice", a)
				}
			}
		}
	}
	if seen[1] > 0 || seen[0] < 110 || seen[3] < 30 {
		t.Errorf("first drawn %v, want about 146 times 0 and 54 times 3", seen)
	}
}
