package viz

import "math"

// Slider draws a track over c's first row with its knob at frac, 0 to 1; off
// draws it hollow.
func Slider(c *Canvas, frac float64, off bool, ink Ink) {
	if c.W < 1 || c.H < 1 {
		return
	}
	c.Fill(Rect{0, 0, c.W, 1}, "─", Ink{Role: Muted})
	knob := "●"
	if off {
		knob, ink = "○", Ink{Role: Inert}
	}
	c.Put(sliderCell(frac, c.W), 0, knob, ink)
}

// sliderCell returns the cell of a track of w cells that stands for frac, and
// SliderFrac the fraction that a cell stands for.
func sliderCell(frac float64, w int) int {
	if math.IsNaN(frac) {
		frac = 0
	}
	return int(math.Round(min(max(frac, 0), 1) * float64(w-1)))
}

// SliderFrac returns the fraction that cell x of a track of w cells stands
// for.
func SliderFrac(x, w int) float64 {
	if w < 2 {
		return 0
	}
	return min(max(float64(x)/float64(w-1), 0), 1)
}
