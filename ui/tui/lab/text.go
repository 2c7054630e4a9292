package lab

import (
	"fmt"

	"logitscope/engine"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// textLines returns the text of l in lines of w cells, and the first of the h
// lines to show: the last ones, or those around the step looked back at. Where
// one line is shown, a caret on a line of its own stands after the one before.
func (lb *View) textLines(l *run.Lane, w, h int) (g []run.Glyph, lines [][2]int, top int) {
	g = lb.lanes.Flow(l, max(w*(h+1), 1))
	lines = run.Wrap(g, max(w, 1))
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
			if ln[1] > ln[0] && g[ln[1]-1].Step >= l.Look.At {
				top = min(top, max(i-h/2, 0))
				break
			}
		}
	}
	return g, lines, top
}

// DrawText draws the text into c.
func (lb *View) DrawText(c *viz.Canvas, l *run.Lane) {
	if l.View.Phase == engine.Idle {
		lb.drawWelcome(c)
		return
	}
	in := c.Sub(viz.Rect{X: 1, Y: 0, W: c.W - 2, H: c.H})
	g, lines, top := lb.textLines(l, in.W, in.H)
	for y := 0; y < in.H && top+y < len(lines); y++ {
		x := 0
		for _, gl := range g[lines[top+y][0]:lines[top+y][1]] {
			x = in.Put(x, y, gl.Text, gl.Ink)
		}
	}
}

// stepAt returns the step whose text stands at x, y of the text pane's
// inside, 0 if none does.
func (lb *View) stepAt(l *run.Lane, c viz.Rect, x, y int) int {
	g, lines, top := lb.textLines(l, c.W-2, c.H)
	if top+y >= len(lines) || y < 0 {
		return 0
	}
	at := 1
	for _, gl := range g[lines[top+y][0]:lines[top+y][1]] {
		if x < at+gl.W {
			return gl.Step
		}
		at += gl.W
	}
	return 0
}

// drawWelcome says what to do while there is no prompt.
func (lb *View) drawWelcome(c *viz.Canvas) {
	c.Put(1, 0, "No prompt yet. e writes one, E has examples with known shapes.", viz.Ink{})
	if lb.lanes.Lane().View.Err != nil {
		c.Put(1, 1, viz.Printable(viz.FirstLine(lb.lanes.Lane().View.Err.Error()), c.ASCII), viz.Ink{Role: viz.Warning})
	}
}

// loopBadge says that the text ends in a loop, as long as the window lets it;
// empty where it ends in none.
func (lb *View) loopBadge(l *run.Lane) string {
	p := l.Loop
	switch {
	case p == nil:
		return ""
	case lb.w < 60:
		return "!"
	case lb.w < 100:
		return fmt.Sprintf("! repeats: %d × %d", p.Period, p.Copies)
	}
	return fmt.Sprintf("! repeating since token %d: %s, %d times", p.First, viz.Plural(p.Period, "token"), p.Copies)
}

// TextFrame returns the titles of the text pane.
func (lb *View) TextFrame(l *run.Lane) viz.Frame {
	f := viz.Frame{Title: "text · coloured by " + run.MarkNames[lb.lanes.Marks], Focused: lb.has(PaneText)}
	f.Alert = lb.loopBadge(l)
	n := len(l.View.Steps)
	if steps, ok := l.Searched(); ok {
		n = steps
	}
	if k := kit.ClassOf(lb.w, lb.h); k >= kit.Class120 && l.Settings != nil && l.View.Phase >= engine.Running {
		f.Right = fmt.Sprintf("%s of %s tokens", viz.Count(n), viz.Count(l.Limit()))
		if from, to := l.Thinking(); to > from {
			f.Right = fmt.Sprintf("%s reasoning + %s", viz.Count(to-from), viz.Count(n-(to-from))) + f.Right[len(viz.Count(n)):]
		}
	}
	return f
}
