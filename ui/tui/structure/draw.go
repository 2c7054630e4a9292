package structure

import (
	"fmt"
	"strings"

	"logitscope/engine"
	"logitscope/sampling/constrain"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// Draw draws the view; see [kit.View].
func (v *View) Draw(c *viz.Canvas, host kit.Host) {
	l := host.Lane()
	inner := viz.Box(c, viz.Frame{Title: v.title(host), Right: "J · esc", Focused: true})
	if !v.active(host) {
		v.drawKinds(inner)
		return
	}
	s := l.Step()
	if s == nil || s.Trace == nil {
		text := "no step yet: " + host.WhyNot(l)
		if l.View.Err != nil {
			text = "! " + viz.FirstLine(l.View.Err.Error())
		}
		inner.Put(1, 0, viz.CutWords(viz.OneLine(text, inner.ASCII), inner.W-2), viz.Ink{Role: viz.Muted})
		return
	}
	lay := layoutOf(inner.W, inner.H)
	v.drawSpent(inner.Sub(lay.text), l)
	drawWhere(inner.Sub(lay.where), l)
	(&maskDrawer{c: inner.Sub(lay.rows), n: lay.tokens, l: l, s: s, k: known(l), off: v.off(host), col: maskColumnsOf(inner.W)}).draw()
	drawMaskWords(inner.Sub(lay.words), l, s)
}

// A layout is where the parts stand inside the box: a table with a head and a
// last line for the other tokens, and words below it; or, without a
// constraint, a list of kinds below a sentence and a blank.
type layout struct {
	text, rows, words, where viz.Rect
	tokens                   int // that have a row
	kinds                    int // first line of the list
}

// tableHead is how many lines of the table stand above the tokens, and edge
// how far the inside of the box stands from the view's own edge.
const (
	tableHead = 1
	edge      = 1
)

func layoutOf(w, h int) layout {
	text, where := textLines(h), whereLines(h)
	foot := footOf(h - text)
	if text > 0 && foot == 6 && where == 0 {
		foot = 4 // the bits stand under the text
	}
	rows := h - text - foot - where
	return layout{
		text: viz.Rect{W: w, H: text}, rows: viz.Rect{Y: text, W: w, H: rows}, words: viz.Rect{Y: text + rows, W: w, H: foot},
		where: viz.Rect{Y: text + rows + foot, W: w, H: where}, tokens: max(rows-tableHead-1, 1), kinds: 2,
	}
}

// layout is where the parts stand on the screen as it is.
func (v *View) layout(host kit.Host) layout {
	r := host.Screen().Body()
	return layoutOf(r.W-2*edge, r.H-2*edge)
}

// drawKinds lists the notations to choose from.
func (v *View) drawKinds(c *viz.Canvas) {
	muted := viz.Ink{Role: viz.Muted}
	c.Put(1, 0, viz.CutWords("No constraint: the model may say anything. It can be held to:", c.W-2), viz.Ink{})
	top, n := v.kindsShown(c.H)
	if below := len(constrain.Kinds()) - top - n; below > 0 {
		c.Put(1, 2+n, fmt.Sprintf("⋮ %d more below", below), muted)
	} else if top > 0 {
		c.Put(1, 2+n, fmt.Sprintf("⋮ %d more above", top), muted)
	}
	for i := top; i < top+n; i++ {
		ink := viz.Ink{}
		y := 2 + i - top
		if i == v.list.At {
			c.Put(1, y, "▸", viz.Ink{Role: viz.Focus})
			ink = ink.With(viz.Bold)
		}
		c.Put(3, y, constrain.Kinds()[i].Name, ink)
		if c.W > 60 {
			c.Put(26, y, constrain.Kinds()[i].About, muted)
		}
	}
	if c.H > kindsFoot {
		c.Put(1, c.H-1, viz.CutSentence("enter writes one, from a template, a paste or a file. E has a prompt that suits JSON.", c.W-2), muted)
	}
}

// kindsFoot is the height above which the list of kinds has words below it.
const kindsFoot = 10

// kindsShown returns which kinds fit a list of height h: n from top on.
func (v *View) kindsShown(h int) (top, n int) {
	n = len(constrain.Kinds())
	if h -= 2; h > kindsFoot-2 {
		h -= 2
	}
	if n > h {
		n = max(h-1, 1) // a line says how many are left out
	}
	return max(v.list.At-n+1, 0), n
}

// title says where the text is and what it must fit.
func (v *View) title(host kit.Host) string {
	l := host.Lane()
	out := "structured output"
	if !v.active(host) {
		return out
	}
	if s := l.Step(); s != nil {
		out += fmt.Sprintf(" · step %d · %s▌", s.Index, viz.CutHead(viz.OneLine(v.written(l, s), host.Screen().ASCII()), max(host.Screen().W/4, 8)))
	}
	switch set := l.ShownSettings(); {
	case v.off(host):
		out += " · mask off"
	case set != nil && set.Pipeline.ChecksAfterDraw():
		out += " · draw, then check"
	}
	return out + " · " + run.KindName(v.text(host))
}

// written is what the run has written before step s.
func (v *View) written(l *run.Lane, s *engine.Step) string {
	var b strings.Builder
	for _, x := range l.View.Steps[:min(max(s.Index-1, 0), len(l.View.Steps))] {
		b.WriteString(l.Vocab().Piece(x.Token))
	}
	return b.String()
}
