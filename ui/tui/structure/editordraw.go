package structure

import (
	"fmt"

	"logitscope/sampling/constrain"
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// Draw draws the view; see [kit.View].
func (e *Editor) Draw(c *viz.Canvas, host kit.Host) {
	muted := viz.Ink{Role: viz.Muted}
	x := 1
	for i, k := range constrain.Kinds() {
		name, ink := k.Name, muted
		if i == e.kind {
			name, ink = "["+name+"]", viz.Ink{Attr: viz.Bold}
		}
		if x+viz.Width(name) > c.W-1 && i > e.kind {
			break
		}
		x = c.Put(x, 0, name, ink) + 2
	}
	outcome := e.outcome(c.W-2, max((c.H-3)/2, min(c.H-5, 4), 1), c.ASCII)
	body := c.Sub(viz.Rect{X: 0, Y: 1, W: c.W, H: max(c.H-3-max(len(outcome), 2), 1)})
	if e.source().kindOf().Form == constrain.NoText {
		body.Put(4, 0, "any JSON value; nothing to write", muted)
	} else {
		mark := -1
		if e.known && e.bad != nil {
			mark = e.bad.at
		}
		e.area.Draw(body, 4, mark)
	}
	if e.file != nil {
		e.file.Draw(c, c.Put(1, c.H-3, "file to read: ", viz.Ink{Role: viz.Focus}), c.H-3)
		c.Put(1, c.H-2, "enter reads it · esc leaves it", muted)
		return
	}
	for i, line := range outcome {
		c.Put(1, c.H-2-len(outcome)+i, line, e.outcomeInk())
	}
	e.drawKeys(c.Sub(viz.Rect{X: 1, Y: c.H - 2, W: c.W - 2, H: 2}))
}

// drawKeys draws two lines of what the keys do here.
func (e *Editor) drawKeys(c *viz.Canvas) {
	muted := viz.Ink{Role: viz.Muted}
	keys := "ctrl+d writes under it, from the prompt again · esc leave · tab next template, kind · ctrl+o from a file"
	c.Put(0, 0, viz.CutTitle(keys, c.W), muted)
	last := "ctrl+l empties · ctrl+z undoes · a paste is one change"
	k := constrain.Kinds()[e.kind]
	switch o, ok := switchOf(k); {
	case ok && o.On(e.options):
		last = "ctrl+t ● " + o.About + " · " + last
	case ok:
		last = "ctrl+t ○ " + o.About + " · " + last
	case k.Form == constrain.List:
		last = "one a line · " + last
	}
	if e.said != "" {
		last = e.said
	}
	c.Put(0, 1, viz.CutTitle(viz.Printable(last, c.ASCII), c.W), muted)
}

// outcomeInk is the ink of what is said of the source.
func (e *Editor) outcomeInk() viz.Ink {
	switch {
	case !e.known:
		return viz.Ink{Role: viz.Muted}
	case e.bad != nil:
		return viz.Ink{Role: viz.Warning}
	}
	return viz.Ink{Role: viz.Boosted}
}

// outcome says whether the source can be used, in at most h lines of w cells:
// what is wrong with it, else its notes from the one in front on.
func (e *Editor) outcome(w, h int, ascii bool) []string {
	switch {
	case !e.known:
		return []string{"compiling …"}
	case e.bad != nil:
		return fewLines(viz.WrapWords(viz.OneLine("! "+e.bad.what, ascii), w), w, h)
	}
	var out []string
	for i, n := range e.notes[e.note:] {
		lines := viz.WrapWords(viz.OneLine(n.what, ascii), w)
		left := len(e.notes) - e.note - i
		if need := len(out) + len(lines); i > 0 && (need > h || need == h && left > 1) {
			more := fmt.Sprintf("⋮ %s · ctrl+g shows them", viz.Plural(left, "more note"))
			return append(fewLines(out, w, h-1), viz.CutWords(more, w))
		}
		out = append(out, lines...)
	}
	return fewLines(out, w, h)
}

// fewLines returns lines, or as many as fit h with a mark that there are more.
func fewLines(lines []string, w, h int) []string {
	if h = max(h, 1); len(lines) > h {
		lines = lines[:h]
		lines[h-1] = viz.CutWords(lines[h-1]+" …", w)
	}
	return lines
}
