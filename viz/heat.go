package viz

import "math"

// heatShades are the glyphs of a heat map from nothing to everything.
var heatShades = [...]string{" ", "░", "▒", "▓", "█"}

// heatLevel returns which of the five shades stands for v, 0 to 1. Anything
// above 0.5 % of the range shows.
func heatLevel(v float64) int {
	if math.IsNaN(v) || v < 0.005 {
		return 0
	}
	return 1 + int(min(v, 0.99)*4)
}

// Heat draws at(col, row), 0 to 1, as shades, each col cells wide and one row
// high, as many as fit c. It returns the number of columns drawn.
func Heat(c *Canvas, cols, rows, cell int, at func(col, row int) float64, ink Ink) int {
	cols, rows = min(cols, c.W/max(cell, 1)), min(rows, c.H)
	if cols < 1 || rows < 1 || cell < 1 {
		return 0
	}
	for x := range cols {
		for y := range rows {
			c.Fill(Rect{X: x * cell, Y: y, W: cell, H: 1}, heatShades[heatLevel(at(x, y))], ink)
		}
	}
	return cols
}
