package viz

import (
	"math"

	"github.com/NimbleMarkets/ntcharts/canvas"
	"github.com/NimbleMarkets/ntcharts/sparkline"
)

// Spark draws values as columns of one to eight eighths in c's first row, so
// that the least of them still shows, with max as the tallest. Only the last
// W values fit. It returns how many columns it drew.
func Spark(c *Canvas, values []float64, max float64, ink Ink) int {
	if c.W < 1 || c.H < 1 || len(values) == 0 {
		return 0
	}
	values = values[len(values)-min(len(values), c.W):]
	m := sparkline.New(len(values), 1, sparkline.WithNoAutoMaxValue(), sparkline.WithMaxValue(1))
	for _, v := range values {
		m.Push(float64(1+sparkLevel(v, max)) / 8)
	}
	m.DrawColumnsOnly()
	for x := range values {
		if r := m.Canvas.Cell(canvas.Point{X: x}).Rune; r != 0 {
			c.set(x, 0, string(r), 1, ink)
		}
	}
	return len(values)
}

// sparkLevel returns the height of v, 0 to 7.
func sparkLevel(v, max float64) int {
	if !(max > 0) || !(v > 0) || math.IsInf(max, 0) {
		return 0
	}
	return int(math.Round(min(v/max, 1) * 7))
}
