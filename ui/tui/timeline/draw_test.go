package timeline

import (
	"testing"

	"logitscope/viz"
)

// The name of every row ends before the map, in a window of any width.
func TestNamesAreWhole(t *testing.T) {
	for _, w := range []int{40, 60, 75, 80, 120} {
		lay := layoutOf(w-2, 30)
		for tr, name := range trackNames {
			if short, ok := narrowNames[track(tr)]; ok && lay.narrow {
				name = short
			}
			if 1+viz.Width(name) >= lay.x {
				t.Errorf("%d wide: %q runs into the map at column %d", w, name, lay.x)
			}
		}
	}
}
