package tui

import (
	"strconv"

	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// View returns the frame: exactly the window's size, drawn once per change.
func (m *Model) View() string {
	if m.dirty {
		*m.cache = m.draw().Render(m.pal)
		m.dirty = false
	}
	return *m.cache
}

// draw draws the whole screen.
func (m *Model) draw() *viz.Canvas {
	c := m.drawUnder()
	if m.w > 0 && m.h > 0 && kit.ClassOf(m.w, m.h) != kit.TooSmall {
		for _, o := range m.overlays {
			m.drawOverlay(c, o.View.(kit.Overlay))
		}
	}
	return c
}

// drawUnder draws the screen without its overlays.
func (m *Model) drawUnder() *viz.Canvas {
	c := viz.NewCanvas(m.w, m.h, m.pal.ASCII)
	if m.w == 0 || m.h == 0 {
		return c
	}
	if kit.ClassOf(m.w, m.h) == kit.TooSmall {
		m.drawTooSmall(c)
		return c
	}
	if m.screen.id == kit.ViewLab { // it lays out the whole window
		m.screen.Draw(c, m)
		m.drawBar(c)
		a := m.lab.Around()
		if !a.Header.Empty() {
			m.drawHeader(c.Sub(a.Header), a.Class)
		}
		if !a.Help.Empty() {
			m.drawHelpLine(c.Sub(a.Help), a.HelpClass)
		}
		m.drawFooter(c.Sub(a.Footer), a.Class)
		m.tutor.Draw(c, m)
	} else {
		m.drawChrome(c)
		m.screen.Draw(c.Sub(m.Screen().Body()), m)
		m.tutor.Draw(c, m)
	}
	return c
}

// drawChrome draws header, help line and footer around such a view.
func (m *Model) drawChrome(c *viz.Canvas) {
	k := kit.ClassOf(m.w, m.h)
	if h, ok := m.screen.View.(kit.Headed); ok {
		left, right := h.Header(m, k)
		drawHeaderParts(c.Sub(viz.Rect{X: 0, Y: 0, W: m.w, H: 1}), left, right, "  ")
	} else {
		m.drawHeader(c.Sub(viz.Rect{X: 0, Y: 0, W: m.w, H: 1}), k)
	}
	m.drawHelpLine(c.Sub(viz.Rect{X: 0, Y: m.h - 2, W: m.w, H: 1}), k)
	m.drawFooter(c.Sub(viz.Rect{X: 0, Y: m.h - 1, W: m.w, H: 1}), k)
}

// drawOverlay draws o in a box in the middle, above help line and footer.
func (m *Model) drawOverlay(c *viz.Canvas, o kit.Overlay) {
	r := m.Screen().Box(o.Size(m))
	box := c.Sub(r)
	box.Clear()
	f := o.Frame(m)
	f.Focused = true
	o.Draw(viz.Box(box, f), m)
}

// box is where an overlay that wants w by h cells stands.
func (m *Model) box(w, h int) viz.Rect {
	low := 2 // help line and footer stay
	if m.h < 18 {
		low = 1
	}
	w, h = min(w, m.w), min(h, m.h-low)
	return m.overBorders(viz.Rect{X: (m.w - w) / 2, Y: (m.h - low - h) / 2, W: w, H: h})
}

// Screen is how the screen looks now.
func (m *Model) Screen() kit.Screen {
	s := kit.NewScreen(m.w, m.h, m.pal, m.box)
	s.Under = m.drawUnder
	if m.screen.id != kit.ViewLab && !m.tutor.Alone {
		s.Above = m.lessonAbove()
	}
	return s
}

// overBorders returns r with a line more where its lower border would stand
// right above that of a box below it: it lies over that border then.
func (m *Model) overBorders(r viz.Rect) viz.Rect {
	for _, box := range m.boxes() {
		if r.Y+r.H == box.Y+box.H-1 {
			r.H++
		}
	}
	return r
}

// boxes are the boxes that overlays lie over.
func (m *Model) boxes() []viz.Rect {
	if m.screen.id != kit.ViewLab {
		return []viz.Rect{m.Screen().Body()}
	}
	return m.lab.Boxes()
}

func (m *Model) drawTooSmall(c *viz.Canvas) {
	lines := []string{strconv.Itoa(m.w) + "×" + strconv.Itoa(m.h) + " is too small.", "Make it 40×12 or more."}
	if m.h >= 6 {
		verb := "run"
		if m.Lane().Running() {
			verb = "pause"
		}
		lines = append(lines, "", "space "+verb+" · q quit")
	}
	y := max((m.h-len(lines))/2, 0)
	for i, s := range lines {
		c.Put(min(1, max(m.w-1, 0)), y+i, s, viz.Ink{})
	}
}
