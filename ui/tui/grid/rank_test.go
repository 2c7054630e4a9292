package grid

import "testing"

// Shades are by rank, a fifth of the cells each; one outlier changes no other
// cell, and cells alike have one shade.
func TestShadesByRank(t *testing.T) {
	list := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 1e9}
	for i, want := range []string{" ", " ", "░", "░", "▒", "▒", "▓", "▓", "█", "█"} {
		if got := shadeOf(list, list[i]); got != want {
			t.Errorf("rank %d: %q, want %q", i+1, got, want)
		}
	}
	alike := []float64{1, 1, 1, 1, 2}
	for _, f := range alike[:4] {
		if shadeOf(alike, f) != " " {
			t.Errorf("cells alike differ")
		}
	}
	if shadeOf(alike, 2) != "█" {
		t.Errorf("the highest of five is %q", shadeOf(alike, 2))
	}
}
