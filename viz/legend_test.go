package viz

import "testing"

// The glyphs of a legend have the colours that they have in bars.
func TestLegendHasTheColoursOfBars(t *testing.T) {
	c := NewCanvas(20, 1, false)
	if x := c.PutLegend(1, 0, "█ a ▓ b ░ c ╱ d", Ink{Role: Muted}); x != 16 {
		t.Errorf("ends at %d", x)
	}
	for x, want := range map[int]Role{1: Kept, 3: Muted, 5: Boosted, 7: Muted, 9: LostFill, 13: RefusedFill, 15: Muted} {
		if got := c.at(x, 0).ink.Role; got != want {
			t.Errorf("column %d has role %v, want %v", x, got, want)
		}
	}
}
