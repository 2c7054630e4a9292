package viz

import "math"

// A Span is one token's interval of a cumulative distribution.
type Span struct {
	Label  string // printable; empty draws none
	Hi     float64
	Chosen bool
}

// Strip draws a cumulative distribution over [0, 1) as one row of intervals,
// ├──deep──┼─wide─┤, and in the row below, if c has one, ↑ under the draw u.
// Spans ascend by Hi; the last ends at 1. Intervals too narrow for a cell
// merge with their neighbours, but the chosen one always has one, and u is
// drawn within it. A negative u draws no marker.
func Strip(c *Canvas, spans []Span, u float64) {
	if c.W < 3 || c.H < 1 {
		return
	}
	last := c.W - 1
	c.Fill(Rect{0, 0, c.W, 1}, "─", Ink{Role: Muted})
	c.Put(0, 0, "├", Ink{Role: Muted})
	from, mark := 0, -1
	for i, s := range spans {
		to := int(math.Round(min(max(s.Hi, 0), 1) * float64(last)))
		if i == len(spans)-1 {
			to = last
		}
		if s.Chosen {
			// The chosen interval needs a cell of its own, and room after it.
			from = min(from, last-2)
			to = min(max(to, from+2), last)
			mark = min(max(int(u*float64(last)), from+1), to-1)
		}
		if to-from < 2 && i < len(spans)-1 { // no cell between: merge
			continue
		}
		ink := Ink{Role: Kept}
		if s.Chosen {
			ink = Ink{Role: Chosen}
		}
		label := Cut(s.Label, to-from-1)
		c.Put(from+1+(to-from-1-Width(label))/2, 0, label, ink)
		if to < last {
			c.Put(to, 0, "┼", Ink{Role: Muted})
		}
		from = to
	}
	c.Put(last, 0, "┤", Ink{Role: Muted})
	if u < 0 || c.H < 2 {
		return
	}
	if mark < 0 {
		mark = min(int(u*float64(last)), last)
	}
	c.Put(mark, 1, "↑", Ink{Role: Draw})
}
