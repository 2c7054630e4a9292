package viz

import "math"

// An Arrival is a token and the time at which it comes in.
type Arrival struct {
	Label  string // printable
	Time   float64
	Chosen bool // it is the one drawn
}

// shownArrivals is how many arrivals a line of times shows at most.
const shownArrivals = 9

// Race draws arrivals, the first one first, as one row of times from 0 on,
// ├───┼fox───┼dog──→, and in the row below, if c has one, ↑ under the first.
// Those that come in too soon after another for a cell of their own are left
// out, the first one never.
func Race(c *Canvas, list []Arrival) {
	if c.W < 4 || c.H < 1 {
		return
	}
	last := c.W - 1
	c.Fill(Rect{0, 0, c.W, 1}, "─", Ink{Role: Muted})
	c.Put(0, 0, "├", Ink{Role: Muted})
	c.Put(last, 0, "→", Ink{Role: Muted})
	for len(list) > 0 && math.IsInf(list[len(list)-1].Time, 1) {
		list = list[:len(list)-1]
	}
	if len(list) == 0 {
		return
	}
	list = list[:min(len(list), shownArrivals)]
	end := 1.25 * list[len(list)-1].Time
	at := func(a Arrival) int { return 1 + min(int(a.Time/end*float64(last-1)), last-2) }
	for i := 0; i < len(list); {
		next := i + 1
		for next < len(list) && at(list[next]) < at(list[i])+2 {
			next++
		}
		x, to := at(list[i]), last
		if next < len(list) {
			to = at(list[next])
		}
		ink := Ink{Role: Kept}
		if list[i].Chosen {
			ink = Ink{Role: Chosen}
		}
		c.Put(x, 0, "┼", Ink{Role: Muted})
		c.Put(x+1, 0, Cut(list[i].Label, to-x-1), ink)
		i = next
	}
	if c.H > 1 {
		c.Put(at(list[0]), 1, "↑", Ink{Role: Draw})
	}
}
