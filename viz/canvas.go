package viz

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// A Rect is a rectangle of cells: left, top, width, height.
type Rect struct{ X, Y, W, H int }

// Contains reports whether the cell at x, y lies in r.
func (r Rect) Contains(x, y int) bool {
	return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H
}

// Inset returns r without a border of n cells.
func (r Rect) Inset(n int) Rect {
	return Rect{r.X + n, r.Y + n, max(r.W-2*n, 0), max(r.H-2*n, 0)}
}

// Empty reports whether r has no cells.
func (r Rect) Empty() bool { return r.W <= 0 || r.H <= 0 }

type cell struct {
	text string // one grapheme cluster; empty for the other cells of a wide one
	ink  Ink
}

// A Canvas is a grid of cells. Everything drawn is clipped to it, so it is
// always exactly W×H; what is not a printable cluster is drawn as an escape, so
// no control byte can leave it. A canvas made by [Canvas.Sub] shares its
// cells. It is not safe for concurrent use.
type Canvas struct {
	W, H   int
	ASCII  bool // labels and charts use ASCII glyphs
	cells  []cell
	x0, y0 int // origin within cells
	stride int
}

// NewCanvas returns a blank canvas. Negative sizes count as 0.
func NewCanvas(w, h int, ascii bool) *Canvas {
	w, h = max(w, 0), max(h, 0)
	c := &Canvas{W: w, H: h, ASCII: ascii, cells: make([]cell, w*h), stride: w}
	c.Clear()
	return c
}

// Clear blanks the canvas.
func (c *Canvas) Clear() {
	for y := range c.H {
		for x := range c.W {
			*c.at(x, y) = cell{text: " "}
		}
	}
}

// Sub returns the part of c inside r, clipped to c.
func (c *Canvas) Sub(r Rect) *Canvas {
	x0, y0 := max(r.X, 0), max(r.Y, 0)
	x1, y1 := min(r.X+r.W, c.W), min(r.Y+r.H, c.H)
	return &Canvas{
		W: max(x1-x0, 0), H: max(y1-y0, 0), ASCII: c.ASCII,
		cells: c.cells, x0: c.x0 + x0, y0: c.y0 + y0, stride: c.stride,
	}
}

func (c *Canvas) at(x, y int) *cell { return &c.cells[(c.y0+y)*c.stride+c.x0+x] }

// Put writes s from x, y rightwards and returns the column after it. What
// lies outside the canvas is left out; part of a wide cluster becomes spaces.
func (c *Canvas) Put(x, y int, s string, ink Ink) int {
	for len(s) > 0 {
		var g string
		var w int
		g, w, s = next(s)
		if w == 0 { // unsafe: draw its escape instead
			x = c.Put(x, y, escape(g, c.ASCII), ink)
			continue
		}
		c.set(x, y, g, w, ink)
		x += w
	}
	return x
}

// Right writes s so that it ends just before column x and returns the column
// it starts at.
func (c *Canvas) Right(x, y int, s string, ink Ink) int {
	from := x - Width(s)
	c.Put(from, y, s, ink)
	return from
}

// Fit writes s into exactly w cells, cut with … or padded.
func (c *Canvas) Fit(x, y, w int, s string, ink Ink) {
	c.Put(x, y, Fit(s, w), ink)
}

func (c *Canvas) set(x, y int, g string, w int, ink Ink) {
	if y < 0 || y >= c.H || x+w <= 0 || x >= c.W {
		return
	}
	if x < 0 { // its left part lies outside: the rest is spaces
		for i := range min(x+w, c.W) {
			c.cut(i, y)
			*c.at(i, y) = cell{" ", ink}
		}
		return
	}
	for i := range min(w, c.W-x) {
		c.cut(x+i, y)
		*c.at(x+i, y) = cell{"", ink}
	}
	if x+w <= c.W {
		c.at(x, y).text = g
		return
	}
	for ; x < c.W; x++ {
		c.at(x, y).text = " "
	}
}

// cut blanks the other cells of a wide cluster that is about to lose one.
func (c *Canvas) cut(x, y int) {
	col := c.x0 + x
	row := c.cells[(c.y0+y)*c.stride : (c.y0+y+1)*c.stride]
	from, to := col, col+1
	for from > 0 && row[from].text == "" {
		from--
	}
	for to < len(row) && row[to].text == "" {
		to++
	}
	for i := from; i < to && to-from > 1; i++ {
		row[i].text = " "
	}
}

// Fill repeats a one-cell glyph over r.
func (c *Canvas) Fill(r Rect, glyph string, ink Ink) {
	for y := r.Y; y < r.Y+r.H; y++ {
		for x := r.X; x < r.X+r.W; x++ {
			c.set(x, y, glyph, 1, ink)
		}
	}
}

// Copy copies the cells of src that are not blank over c, from the top left.
func (c *Canvas) Copy(src *Canvas) {
	for y := range min(c.H, src.H) {
		for x := range src.W {
			if cl := src.at(x, y); cl.text != " " && cl.text != "" {
				c.set(x, y, cl.text, src.cellsOf(x, y), cl.ink)
			}
		}
	}
}

// Mark adds attributes to the cells of r.
func (c *Canvas) Mark(r Rect, a Attr) {
	for y := max(r.Y, 0); y < min(r.Y+r.H, c.H); y++ {
		for x := max(r.X, 0); x < min(r.X+r.W, c.W); x++ {
			c.at(x, y).ink.Attr |= a
		}
	}
}

// Text returns the canvas without colours, one line a row. What is counted as
// fewer cells than it has here is followed by blanks.
func (c *Canvas) Text() string {
	var b strings.Builder
	for y := range c.H {
		if y > 0 {
			b.WriteByte('\n')
		}
		for x := range c.W {
			text := c.glyph(c.at(x, y).text)
			b.WriteString(text)
			if w := c.cellsOf(x, y); w > 1 && text != "" {
				b.WriteString(strings.Repeat(" ", w-min(ansi.StringWidth(text), w)))
			}
		}
	}
	return b.String()
}

// cellsOf is how many cells the cluster that begins at x, y has.
func (c *Canvas) cellsOf(x, y int) int {
	w := 1
	for x+w < c.W && c.at(x+w, y).text == "" {
		w++
	}
	return w
}

// Render returns the canvas with p's sequences: H lines of W cells, joined by
// newlines. Each line ends with the terminal's own colours. Where terminals
// differ about the cells of a cluster, the cursor is put where it belongs, so
// a line must begin in the terminal's first column.
func (c *Canvas) Render(p *Palette) string {
	n := newPen(p)
	n.Grow(c.W * c.H * 2)
	for y := range c.H {
		if y > 0 {
			n.WriteByte('\n')
		}
		before := " "
		for x := range c.W {
			if text := c.at(x, y).text; text != "" {
				n.put(c, x, y, before)
				before = text
			}
		}
		n.plain()
	}
	return n.String()
}

// write writes the cluster that begins at x, y, which before stands in front
// of. One that terminals give fewer cells than it has here is written over
// blanks, and the cursor is moved past it; the cells come to the same for
// whoever counts what is written.
func (c *Canvas) write(b *strings.Builder, x, y int, before string, colours bool) {
	text := c.shown(c.at(x, y), colours)
	if plain(text) && plain(before) {
		b.WriteString(text)
		return
	}
	w := c.cellsOf(x, y)
	least := min(ansi.StringWidth(text), w)
	if joins(before, text) {
		b.WriteString(ansi.CursorHorizontalAbsolute(x + 1))
	}
	if least == w {
		b.WriteString(text)
		return
	}
	b.WriteString(ansi.EraseCharacter(w))
	b.WriteString(strings.Repeat(" ", w-least))
	b.WriteString(ansi.CursorHorizontalAbsolute(x + 1))
	b.WriteString(text)
	b.WriteString(ansi.CursorHorizontalAbsolute(x + w + 1))
}

// plain reports whether s is a character that joins no other.
func plain(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return n == len(s) && (r < 0x300 || own(r))
}

// shown returns what stands in a cell where colours are shown or not.
func (c *Canvas) shown(cl *cell, colours bool) string {
	if colours && !c.ASCII && cl.text != "" && cl.text == solidFills[cl.ink.Role] {
		return "█"
	}
	return c.glyph(cl.text)
}

// glyph returns what stands in a cell: its ASCII twin where asked for.
func (c *Canvas) glyph(s string) string {
	if !c.ASCII || len(s) < 2 {
		return s
	}
	r, n := utf8.DecodeRuneInString(s)
	if n == len(s) {
		if a, ok := asciiTwin[r]; ok {
			return a
		}
	}
	return s
}
