package viz

import "strings"

// A Frame is the border of a pane: its titles, and whether keys act in it.
type Frame struct {
	Title, Right string // cut at their last " · " until they fit, the title's first part last
	Focused      bool   // heavy border and bold title
	Ink          Ink    // of the title; plain if zero
	Alert        string // after the title, in the ink of a warning; the title gives way to it
}

// Box draws f around c and returns the canvas inside it.
func Box(c *Canvas, f Frame) *Canvas {
	if c.W < 2 || c.H < 2 {
		return c.Sub(Rect{})
	}
	g := [...]string{"╭", "╮", "╰", "╯", "─", "│"}
	line := Ink{Role: Muted}
	if f.Focused {
		g = [...]string{"┏", "┓", "┗", "┛", "━", "┃"}
		line = Ink{Role: Focus}
	}
	r, b := c.W-1, c.H-1
	c.Fill(Rect{0, 0, c.W, 1}, g[4], line)
	c.Fill(Rect{0, b, c.W, 1}, g[4], line)
	c.Fill(Rect{0, 0, 1, c.H}, g[5], line)
	c.Fill(Rect{r, 0, 1, c.H}, g[5], line)
	for i, p := range [...][2]int{{0, 0}, {r, 0}, {0, b}, {r, b}} {
		c.Put(p[0], p[1], g[i], line)
	}
	titles(c.Sub(Rect{2, 0, c.W - 4, 1}), f)
	return c.Sub(Rect{1, 1, c.W - 2, c.H - 2})
}

// Rule draws f's titles into one line across c's first row.
func Rule(c *Canvas, f Frame) {
	g, line := "─", Ink{Role: Muted}
	if f.Focused {
		g, line = "━", Ink{Role: Focus}
	}
	c.Fill(Rect{0, 0, c.W, 1}, g, line)
	titles(c.Sub(Rect{1, 0, c.W - 2, 1}), f)
}

func titles(c *Canvas, f Frame) {
	ink := f.Ink
	if f.Focused {
		ink = ink.With(Bold)
	}
	right := f.Right
	if Width(right) > c.W/2 {
		right = CutTitle(right, c.W/2)
	}
	room := c.W - 2
	head, _, _ := strings.Cut(f.Title, " · ")
	for right != "" && Width(head) > room-Width(right)-3 && strings.Contains(right, " · ") { // it gives way
		right = CutTitle(right, Width(right)-1)
	}
	if right != "" {
		room -= Width(right) + 3
	}
	alert := ""
	if f.Alert != "" {
		alert = "· " + f.Alert + " "
	}
	x := 0
	if t := CutTitle(f.Title, room-Width(alert)); t != "" {
		x = c.Put(0, 0, " "+t+" ", ink)
	} else if alert != "" {
		alert = " " + strings.TrimPrefix(alert, "· ")
	}
	if alert != "" && x+Width(alert) <= room+2 {
		c.Put(x, 0, alert, Ink{Role: Warning})
	}
	if right != "" {
		c.Right(c.W, 0, " "+right+" ", Ink{Role: Muted})
	}
}

// CutTitle returns s in at most w cells: whole, else without its last parts,
// which " · " separates, else cut with an ellipsis.
func CutTitle(s string, w int) string {
	for Width(s) > w {
		i := strings.LastIndex(s, " · ")
		if i < 0 {
			if w < 2 {
				return ""
			}
			return strings.TrimRight(Fit(s, w), " ")
		}
		s = s[:i]
	}
	return s
}
