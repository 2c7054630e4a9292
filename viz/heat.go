package viz

import (
	"math"

	"github.com/NimbleMarkets/ntcharts/canvas"
	"github.com/NimbleMarkets/ntcharts/heatmap"
	"github.com/NimbleMarkets/ntcharts/linechart"
	"github.com/charmbracelet/lipgloss"
)

// heatShades are the glyphs of a heat map from nothing to everything.
var heatShades = [...]string{" ", "░", "▒", "▓", "█"}

// HeatLevel returns which of the five shades stands for v, 0 to 1. Anything
// above 0.5 % of the range shows.
func HeatLevel(v float64) int {
	if math.IsNaN(v) || v < 0.005 {
		return 0
	}
	return min(1+int(v*4), 4)
}

// Heat draws at(col, row), 0 to 1, as shades, each col cells wide and one row
// high, as many as fit c. It returns the number of columns drawn.
func Heat(c *Canvas, cols, rows, cell int, at func(col, row int) float64, ink Ink) int {
	cols, rows = min(cols, c.W/max(cell, 1)), min(rows, c.H)
	if cols < 1 || rows < 1 || cell < 1 {
		return 0
	}
	scale := make([]lipgloss.Color, len(heatShades))
	level := make(map[lipgloss.Color]int, len(heatShades))
	for i := range scale {
		scale[i] = lipgloss.Color(string(rune('0' + i)))
		level[scale[i]] = i
	}
	// One canvas cell a value: no axes, and ranges that map indices to cells.
	m := heatmap.New(cols, rows, heatmap.WithColorScale(scale), heatmap.WithValueRange(0, float64(len(heatShades))),
		heatmap.WithStyle(linechart.New(cols, rows, 0, float64(cols), 0, float64(rows), linechart.WithXYSteps(0, 0))))
	for x := range cols {
		for y := range rows {
			m.Push(heatmap.NewHeatPointInt(x, rows-1-y, float64(HeatLevel(at(x, y)))+0.5))
		}
	}
	m.Draw()
	for x := range cols {
		for y := range rows {
			bg, _ := m.Canvas.Cell(canvas.Point{X: x, Y: y}).Style.GetBackground().(lipgloss.Color)
			for i := range cell {
				c.set(x*cell+i, y, heatShades[level[bg]], 1, ink)
			}
		}
	}
	return cols
}
