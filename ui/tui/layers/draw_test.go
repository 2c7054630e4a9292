package layers

import (
	"slices"
	"testing"
)

// Of more layers than there are lines, every second or third is shown, the last
// always, and the chosen one in the place of the nearest.
func TestSome(t *testing.T) {
	for _, c := range []struct {
		n, k, chosen int
		want         []int
	}{
		{5, 5, 3, []int{5, 4, 3, 2, 1}},
		{30, 6, 27, []int{30, 27, 20, 15, 10, 5}},
		{30, 6, 30, []int{30, 25, 20, 15, 10, 5}},
		{30, 6, 1, []int{30, 25, 20, 15, 10, 1}},
		{30, 6, 29, []int{30, 29, 20, 15, 10, 5}},
		{12, 5, 6, []int{12, 9, 6, 3}},
		{12, 1, 6, []int{12}},
	} {
		if got := some(c.n, c.k, c.chosen); !slices.Equal(got, c.want) {
			t.Errorf("%d of %d with %d: %v, want %v", c.k, c.n, c.chosen, got, c.want)
		}
	}
}
