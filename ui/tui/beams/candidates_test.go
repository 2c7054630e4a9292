package beams

import "testing"

// The wider the screen, the more of a hypothesis is shown, and bars stay.
func TestHypothesesGrowWithTheScreen(t *testing.T) {
	for w, want := range map[int]int{38: 20, 78: 28, 118: 30, 144: 56, 198: 92} {
		if got := beamColumnsOf(w, false); got.textW != want {
			t.Errorf("%d cells: a hypothesis has %d, want %d", w, got.textW, want)
		}
	}
	for w := 100; w < 400; w++ {
		a, b := beamColumnsOf(w, false), beamColumnsOf(w+1, false)
		if b.textW < a.textW || w+1-b.bar < w-a.bar {
			t.Errorf("from %d cells to %d: text %d to %d, bar %d to %d", w, w+1, a.textW, b.textW, w-a.bar, w+1-b.bar)
		}
	}
}
