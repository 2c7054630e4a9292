package viz

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// A pen writes clusters, and changes the terminal's colours between them where
// they differ.
type pen struct {
	strings.Builder
	p    *Palette
	now  string // the sequence in force; empty for the terminal's own colours
	bare bool   // a blank looks the same under it
}

func newPen(p *Palette) *pen { return &pen{p: p, bare: true} }

// put writes the cluster of c that begins at x, y, which before stands in
// front of.
func (n *pen) put(c *Canvas, x, y int, before string) {
	cl := c.at(x, y)
	shows := cl.shows()
	if !shows && n.bare {
		n.WriteByte(' ')
		return
	}
	ink := cl.ink
	if !shows {
		ink = Ink{}
	}
	if want := n.p.sgr[ink.Role][ink.Attr]; want != n.now {
		if n.now != "" {
			n.WriteString("\x1b[0m")
		}
		n.WriteString(want)
		n.now, n.bare = want, ink.Attr&(Reverse|Underline) == 0
	}
	c.write(&n.Builder, x, y, before, n.p.Depth <= Colors256)
}

// plain puts the terminal's own colours in force.
func (n *pen) plain() {
	if n.now != "" {
		n.WriteString("\x1b[0m")
	}
	n.now, n.bare = "", true
}

// shows reports whether more than the terminal's background is seen there.
func (c *cell) shows() bool { return c.text != " " || c.ink.Attr&(Reverse|Underline) != 0 }

// looks reports whether two cells look the same.
func (c *cell) looks(o *cell) bool {
	return c.text == o.text && (c.ink == o.ink || !c.shows() && !o.shows())
}

// Update returns what makes a terminal that shows old show c: the clusters
// that differ, each run of them after a move of the cursor. Where old is nil
// or has another size, the screen is cleared first. It is empty where both
// look the same, and ends with the terminal's own colours.
func (c *Canvas) Update(old *Canvas, p *Palette) string {
	n := newPen(p)
	if old == nil || old.W != c.W || old.H != c.H || old.ASCII != c.ASCII {
		n.Grow(c.W * c.H * 2)
		n.WriteString(ansi.EraseEntireScreen)
		old = NewCanvas(c.W, c.H, c.ASCII)
	}
	for y := range c.H {
		c.updateRow(n, old, y)
	}
	n.plain()
	return n.String()
}

// Where runs of changed cells lie at most near cells apart, what is between
// them is written again rather than jumped over: that takes fewer bytes. Of
// blanks at the end of a row, at least many changed ones are erased at once.
const (
	near = 4
	many = 6
)

// updateRow brings row y from old to c.
func (c *Canvas) updateRow(n *pen, old *Canvas, y int) {
	end, erased := c.W, 0
	for end > 0 && !c.at(end-1, y).shows() {
		if end--; old.at(end, y).shows() {
			erased++
		}
	}
	if erased < many {
		end = c.W
	}
	at, before := -1, " " // where the cursor stands, and after what
	write := func(x int) {
		n.put(c, x, y, before)
		at, before = x+c.cellsOf(x, y), c.at(x, y).text
	}
	for x := 0; x < end; x += c.cellsOf(x, y) {
		if !c.differs(old, x, y) {
			continue
		}
		if at < 0 || x-at > near {
			n.WriteString(ansi.CursorPosition(x+1, y+1))
			at, before = x, " "
		}
		for at < x {
			write(at)
		}
		write(x)
	}
	if end < c.W {
		if at != end {
			n.WriteString(ansi.CursorPosition(end+1, y+1))
		}
		n.plain()
		n.WriteString(ansi.EraseLineRight)
	}
}

// differs reports whether the cluster that begins at x, y looks otherwise in
// old.
func (c *Canvas) differs(old *Canvas, x, y int) bool {
	for k := x; k < x+c.cellsOf(x, y); k++ {
		if !c.at(k, y).looks(old.at(k, y)) {
			return true
		}
	}
	return false
}
