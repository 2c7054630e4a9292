package viz

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/vt"
)

// screenOf is what a terminal shows, cell by cell, with the look of each.
func screenOf(e *vt.Emulator, w, h int) string {
	var b strings.Builder
	for y := range h {
		for x := range w {
			c := e.CellAt(x, y)
			if c == nil || c.Width == 0 {
				continue
			}
			style := c.Style
			if strings.TrimSpace(c.Content) == "" {
				style.Fg = nil // of a blank nothing is seen of it
				style.Attrs = 0
			}
			fmt.Fprintf(&b, "%d,%d %q %+v\n", x, y, strings.TrimSpace(c.Content), style)
		}
	}
	return b.String()
}

// A terminal that is brought up to date shows what one shows that is drawn
// anew, whatever stood there before, and is sent no more.
func TestUpdate(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	pal := NewPalette(true, TrueColor, false)
	texts := []string{"a", "one two", "漢字", "é", "████▓▓░", "   ", " x ", "👩‍🚀", "⌛", "plain words, many of them", "🇫🇷", "ع"}
	const w, h = 24, 5
	draw := func(c *Canvas) *Canvas {
		out := NewCanvas(w, h, false)
		if c != nil {
			out.Copy(c)
		}
		for range r.IntN(8) {
			out.Put(r.IntN(w), r.IntN(h), texts[r.IntN(len(texts))], Ink{Role: Role(r.IntN(int(nRoles))), Attr: Attr(r.IntN(int(nAttrs)))})
		}
		if r.IntN(3) == 0 {
			out.Fill(Rect{X: r.IntN(w), Y: r.IntN(h), W: r.IntN(w), H: 1 + r.IntN(2)}, " ", Ink{})
		}
		return out
	}
	em := vt.NewEmulator(w, h)
	defer em.Close()
	var old *Canvas
	less, all := 0, 0
	for range 400 {
		c := draw(old)
		sent := c.Update(old, pal)
		if strings.Contains(sent, "\n") {
			t.Fatalf("a line end in %q", sent)
		}
		em.WriteString(sent)
		fresh := vt.NewEmulator(w, h)
		whole := c.Update(nil, pal)
		fresh.WriteString(whole)
		if got, want := screenOf(em, w, h), screenOf(fresh, w, h); got != want {
			t.Fatalf("after %q\ngot  %s\nwant %s\nof\n%s", sent, got, want, c.Text())
		}
		fresh.Close()
		if again := c.Update(c, pal); again != "" {
			t.Fatalf("%q for no change", again)
		}
		less, all = less+len(sent), all+len(whole)
		old = c
	}
	if less*2 > all {
		t.Errorf("%d bytes sent, %d if all is drawn anew", less, all)
	}
}

// A changed number costs a move and the digits, not a line.
func TestUpdateIsShort(t *testing.T) {
	pal := NewPalette(true, TrueColor, false)
	a, b := NewCanvas(120, 3, false), NewCanvas(120, 3, false)
	for _, c := range []*Canvas{a, b} {
		c.Put(0, 0, strings.Repeat("x", 120), Ink{})
	}
	b.Put(40, 0, "7", Ink{})
	if got := b.Update(a, pal); got != "\x1b[1;41H7" {
		t.Errorf("%q", got)
	}
	if got := NewCanvas(120, 3, false).Update(b, pal); got != "\x1b[H\x1b[K" {
		t.Errorf("%q", got)
	}
}

// Part of a wide cluster at either edge becomes spaces.
func TestPutAtTheEdges(t *testing.T) {
	c := NewCanvas(4, 1, false)
	c.Put(0, 0, "abcd", Ink{})
	c.Put(-1, 0, "漢", Ink{})
	c.Put(3, 0, "字", Ink{})
	if got := c.Text(); got != " bc " {
		t.Errorf("%q", got)
	}
	c.Put(-2, 0, "漢", Ink{})
	if got := c.Text(); got != " bc " {
		t.Errorf("%q after a cluster that lies outside", got)
	}
}
