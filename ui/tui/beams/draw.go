package beams

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"logitscope/engine/beam"
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// Draw draws the view; see [kit.View].
func (v *View) Draw(c *viz.Canvas, host kit.Host) {
	if v.lane.View.Contrastive != nil {
		v.drawContrastive(c, host)
		return
	}
	inner := viz.Box(c, viz.Frame{Title: v.title(), Right: "B · esc", Focused: true})
	if v.seen == nil || v.seen.Last() == nil {
		v.drawEmpty(inner, host)
		return
	}
	h := inner.H
	foot := v.footLines(h)
	win := v.window(inner.W - 2)
	treeH := min(win.lines(), v.treeRoom(host))
	if v.alone {
		v.drawTree(inner.Sub(viz.Rect{X: 1, Y: 0, W: inner.W - 2, H: h - 2}), win)
		v.knobs.Draw(inner, h-1, host, v.pane == beamKnobPane)
		return
	}
	v.drawTree(inner.Sub(viz.Rect{X: 1, Y: 0, W: inner.W - 2, H: treeH}), win)
	y := treeH
	if h-foot-y > v.candidateLines()+2 {
		y++
	}
	table := min(h-foot-y, v.candidateLines()+1)
	v.drawCandidates(inner.Sub(viz.Rect{X: 0, Y: y, W: inner.W, H: table}))
	if y += table + 1; h-foot-1-y >= 3 {
		v.drawStanding(inner.Sub(viz.Rect{X: 0, Y: y, W: inner.W, H: h - foot - 1 - y}))
	}
	v.drawFoot(inner.Sub(viz.Rect{X: 0, Y: h - foot, W: inner.W, H: foot}), host)
}

func (v *View) drawEmpty(c *viz.Canvas, host kit.Host) {
	switch l := v.lane; {
	case l.View.Err != nil:
		c.Put(1, 0, "! "+viz.CutTitle(viz.OneLine(viz.FirstLine(l.View.Err.Error()), c.ASCII), c.W-4), viz.Ink{Role: viz.Warning})
	case l.Config.Int("num_beams") < 2:
		c.Put(1, 0, "num_beams is 1: no search. + raises it.", viz.Ink{Role: viz.Muted})
	default:
		c.Put(1, 0, "The tree begins at the prompt: n takes the first step, space runs.", viz.Ink{Role: viz.Muted})
	}
	v.knobs.Draw(c, c.H-1, host, v.pane == beamKnobPane)
}

// title names the search: its kind, the step, the beams and the rule.
func (v *View) title() string {
	name := "beam search"
	if v.seen == nil {
		return name
	}
	s := &v.seen.Settings
	if s.Sample {
		name = "beam sampling"
	}
	if n := len(v.seen.Steps); n > 0 {
		at := v.step().Index + 1
		if at == n {
			name += fmt.Sprintf(" · step %d", n)
		} else {
			name += fmt.Sprintf(" · step %d of %d", at, n)
		}
	}
	if v.seen.Done() {
		name += " · done"
	}
	name += fmt.Sprintf(" · num_beams %d", s.Beams)
	if s.Groups > 1 {
		name += fmt.Sprintf(" in %d groups", s.Groups)
	}
	return name + " · rule: " + ruleNames[s.Rule]
}

var ruleNames = map[beam.Rule]string{beam.Vectorised: "transformers", beam.Legacy: "transformers until 4.49", beam.VLLM: "vLLM"}

// A treeWindow is the part of the tree that is in view.
type treeWindow struct {
	rows   []int // those with something right of dx
	dx     int   // columns scrolled out on the left
	line   int   // index in rows of the one to see
	cursor int   // node under the cursor, -1 for none
	more   string
}

// window scrolls the tree to the cursor, to the winner once there is one, or
// to the newest tokens, in w cells.
func (v *View) window(w int) treeWindow {
	t := v.tree
	win := treeWindow{cursor: t.find(v.node)}
	whole := 0 // cells of the widest row, its note included
	for _, r := range t.rows {
		if n := len(r); n > 0 {
			whole = max(whole, t.end(r[n-1])+2+viz.Width(v.note(r[n-1])))
		}
	}
	right, row := whole, 0
	see := win.cursor
	if path := t.winner(); see < 0 && v.seen.Done() && len(path) > 0 {
		see = path[len(path)-1] // the text that won, wherever it ended
	}
	if see >= 0 {
		row = t.row[see]
		right = min(t.end(see)+max(w/3, 24), whole)
	}
	win.dx = max(right-w, 0)
	var left int
	win.rows, left = t.visible(win.dx)
	win.line = max(slices.Index(win.rows, row), 0)
	var more []string
	if left > 0 {
		more = append(more, viz.Plural(left, "dead end")+" further left")
	}
	if t.left > 0 && !v.all {
		more = append(more, viz.Plural(t.left, "dead end")+" left out, x shows them")
	}
	win.more = strings.Join(more, " · ")
	return win
}

// lines is how many lines the window would fill.
func (win *treeWindow) lines() int {
	if win.more != "" {
		return len(win.rows) + 1
	}
	return len(win.rows)
}

// drawTree draws what is in view of the tree.
func (v *View) drawTree(c *viz.Canvas, win treeWindow) {
	top := min(max(win.line-c.H/2, 0), max(len(win.rows)-c.H, 0))
	v.tree.draw(c, win.rows[top:], win.dx, win.cursor, v.note)
	if win.more != "" && len(win.rows)-top < c.H {
		c.Right(c.W, c.H-1, viz.CutTitle(win.more, c.W), viz.Ink{Role: viz.Muted})
	}
}

// note says what became of the text that ends at node i.
func (v *View) note(i int) string {
	n := &v.tree.Nodes[i]
	var s string
	switch {
	case n.Running > 0:
		s = strconv.Itoa(n.Running)
	case n.Kept:
		s = "■ " + viz.Three(v.scoreOf(n.Node))
	case n.Finished:
		s = "■ beaten"
	case n.Depth == len(v.seen.Steps)-1:
		s = fmt.Sprintf("✗ no child in the best %d", v.seen.Settings.Beams)
	default:
		s = "✗"
	}
	if n.Greedy {
		s += " = greedy"
	}
	if n.Winning {
		s += " ● leads"
	}
	return s
}

// scoreOf is the normalised score of a finished text.
func (v *View) scoreOf(n *beam.Node) float64 {
	for _, h := range v.seen.Finished() {
		if h.Node == n {
			return h.Score
		}
	}
	return math.NaN()
}
