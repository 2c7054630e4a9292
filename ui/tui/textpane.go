package tui

import (
	"fmt"

	"logitscope/engine"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// marks is what the colours of the text stand for.
type marks uint8

const (
	byPreset marks = iota
	byProbability
	bySurprisal
	byRank
	byWindow
	nMarks
)

var markNames = [nMarks]string{"preset", "probability", "surprisal", "rank", "penalty window"}

// nextMarks changes what the colours of the text stand for.
func (m *Model) nextMarks() {
	m.marks = (m.marks + 1) % nMarks
	legend := markLegend[m.marks]
	if m.marks == byWindow && penaltyWindow(m.Lane()) < 0 {
		legend = ": no penalty is on here, so none looks at any token"
	}
	m.Say("text coloured by " + markNames[m.marks] + legend)
}

var markLegend = [nMarks]string{
	": a mark stands where another one took over",
	": plain from 50%, italic from 10%, underlined from 1%, bold below",
	": plain below 1 bit, italic below 3.3, underlined below 6.6, bold above",
	": plain is rank 1, italic to 5, underlined to 50, bold beyond",
	": ⟦ ⟧ around the tokens the penalties look at",
}

// wrap breaks glyphs into lines of at most w cells, at spaces where it can.
// Lines are ranges of glyphs.
func wrap(g []glyph, w int) [][2]int {
	var lines [][2]int
	start, x, gap := 0, 0, -1
	for i := 0; i < len(g); i++ {
		if x+g[i].w > w && i > start {
			switch {
			case g[i].gap:
				lines = append(lines, [2]int{start, i})
				start, x, gap = i+1, 0, -1
				continue
			case gap > start:
				lines = append(lines, [2]int{start, gap})
				start, i, x, gap = gap+1, gap, 0, -1
				continue
			default:
				lines = append(lines, [2]int{start, i})
				start, x, gap = i, 0, -1
			}
		}
		if g[i].gap {
			gap = i
		}
		x += g[i].w
		if g[i].end {
			lines = append(lines, [2]int{start, i + 1})
			start, x, gap = i+1, 0, -1
		}
	}
	return append(lines, [2]int{start, len(g)})
}

// textLines returns the text of l in lines of w cells, and the first of the h
// lines to show: the last ones, or those around the step looked back at. Where
// one line is shown, a caret on a line of its own stands behind the one before.
func (m *Model) textLines(l *run.Lane, w, h int) (g []glyph, lines [][2]int, top int) {
	g = m.flow(l, max(w*(h+1), 1))
	lines = wrap(g, max(w, 1))
	if n := len(lines); n > 1 && lines[n-1][0] == lines[n-1][1] {
		lines = lines[:n-1]
	}
	if n := len(lines); n > 1 && h == 1 && l.Look.At == 0 && lines[n-1][1]-lines[n-1][0] == 1 {
		lines[n-2][1] = lines[n-1][1]
		lines = lines[:n-1]
	}
	top = max(len(lines)-h, 0)
	if l.Look.At > 0 {
		for i, ln := range lines {
			if ln[1] > ln[0] && g[ln[1]-1].step >= l.Look.At {
				top = min(top, max(i-h/2, 0))
				break
			}
		}
	}
	return g, lines, top
}

// drawText draws the text into c.
func (m *Model) drawText(c *viz.Canvas, l *run.Lane) {
	if l.View.Phase == engine.Idle {
		m.drawWelcome(c)
		return
	}
	in := c.Sub(viz.Rect{X: 1, Y: 0, W: c.W - 2, H: c.H})
	g, lines, top := m.textLines(l, in.W, in.H)
	for y := 0; y < in.H && top+y < len(lines); y++ {
		x := 0
		for _, gl := range g[lines[top+y][0]:lines[top+y][1]] {
			x = in.Put(x, y, gl.text, gl.ink)
		}
	}
}

// stepAt returns the step whose text stands at x, y of the text pane's
// inside, 0 if none does.
func (m *Model) stepAt(l *run.Lane, c viz.Rect, x, y int) int {
	g, lines, top := m.textLines(l, c.W-2, c.H)
	if top+y >= len(lines) || y < 0 {
		return 0
	}
	at := 1
	for _, gl := range g[lines[top+y][0]:lines[top+y][1]] {
		if x < at+gl.w {
			return gl.step
		}
		at += gl.w
	}
	return 0
}

// drawWelcome says what to do while there is no prompt.
func (m *Model) drawWelcome(c *viz.Canvas) {
	c.Put(1, 0, "No prompt yet. e writes one, E has examples with known shapes.", viz.Ink{})
	if m.Lane().View.Err != nil {
		c.Put(1, 1, viz.Printable(viz.FirstLine(m.Lane().View.Err.Error()), c.ASCII), viz.Ink{Role: viz.Warning})
	}
}

// textFrame returns the titles of the text pane.
func (m *Model) textFrame(l *run.Lane) viz.Frame {
	f := viz.Frame{Title: "text · coloured by " + markNames[m.marks], Focused: m.focus == paneText}
	n := len(l.View.Steps)
	if steps, ok := l.Searched(); ok {
		n = steps
	}
	if k := kit.ClassOf(m.w, m.h); k >= kit.Class120 && l.Settings != nil && l.View.Phase >= engine.Running {
		f.Right = fmt.Sprintf("%s of %s tokens", viz.Count(n), viz.Count(l.Settings.Limit()))
	}
	return f
}
