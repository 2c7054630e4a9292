package viz

import (
	"math"

	"github.com/NimbleMarkets/ntcharts/canvas"
	"github.com/NimbleMarkets/ntcharts/linechart"
)

// A Series is one line of a line chart.
type Series struct {
	Values []float64
	Ink    Ink
}

// Lines draws series as braille lines over c, x by index from 0 to n-1, y from
// 0 to max. Later series lie over earlier ones. Values that are not numbers
// leave a gap.
func Lines(c *Canvas, series []Series, n int, max float64) {
	if c.W < 2 || c.H < 1 || n < 1 || !(max > 0) || math.IsInf(max, 0) {
		return
	}
	span := float64(n - 1)
	if n == 1 {
		span = 1
	}
	for _, s := range series {
		m := linechart.New(c.W, c.H, 0, span, 0, max, linechart.WithXYSteps(0, 0))
		prev, have := canvas.Float64Point{}, false
		for i, v := range s.Values[:min(len(s.Values), n)] {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				have = false
				continue
			}
			p := canvas.Float64Point{X: float64(i), Y: math.Min(math.Max(v, 0), max)}
			if have {
				m.DrawBrailleLine(prev, p)
			} else {
				m.DrawBrailleLine(p, p)
			}
			prev, have = p, true
		}
		copyLine(c, &m, s.Ink)
	}
}

func copyLine(c *Canvas, m *linechart.Model, ink Ink) {
	for y := range c.H {
		for x := range c.W {
			r := m.Canvas.Cell(canvas.Point{X: x, Y: y}).Rune
			if r <= 0x2800 || r > 0x28ff {
				continue
			}
			g := string(r)
			if c.ASCII {
				g = "*"
			}
			c.set(x, y, g, 1, ink)
		}
	}
}
