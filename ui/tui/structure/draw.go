package structure

import (
	"encoding/json"
	"fmt"
	"strings"

	"logitscope/engine"
	"logitscope/engine/check"
	"logitscope/sampling/constrain"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// Draw draws the view; see [kit.View].
func (v *View) Draw(c *viz.Canvas, host kit.Host) {
	l := host.Lane()
	if !v.active(host) {
		v.drawPatterns(viz.Box(c, viz.Frame{Title: "structured output", Right: "J · esc", Focused: true}), l)
		return
	}
	s := l.Step()
	if s == nil || s.Trace == nil {
		text := "no step yet: " + host.WhyNot(l)
		if l.View.Err != nil {
			text = "! " + viz.FirstLine(l.View.Err.Error())
		}
		in := viz.Box(c, viz.Frame{Title: v.title(host), Right: "J · esc", Focused: true})
		in.Put(1, 0, viz.CutWords(viz.OneLine(text, in.ASCII), in.W-2), viz.Ink{Role: viz.Muted})
		return
	}
	lay := layoutOf(c.W, c.H)
	chart := viz.Frame{Title: v.title(host), Right: viz.FirstFit(c.W/2, "←→ token · J · esc", "J · esc"), Focused: true}
	if !lay.boxed {
		viz.Box(c, chart)
	} else {
		box := func(r viz.Rect, f viz.Frame) { viz.Box(c.Sub(r.Inset(-1)), f) }
		box(lay.text, viz.Frame{Title: "text · what the schema forced", Right: v.standing(l)})
		box(lay.rows, chart)
		box(lay.words, viz.Frame{Title: "what binds"})
		box(lay.where, viz.Frame{Title: "where the bits went"})
		c.Put(1, lay.below, viz.Printable(v.biteLine(l, c.W-2), c.ASCII), viz.Ink{})
		c.Put(1, lay.below+1, viz.CutSentence("A text keeps its own schema: a new one takes effect with r, also after the end.", c.W-2), viz.Ink{Role: viz.Muted})
	}
	v.drawSpent(c.Sub(lay.text), l)
	(&maskDrawer{c: c.Sub(lay.rows), n: lay.tokens, l: l, s: s, k: known(l), off: v.off(host), col: maskColumnsOf(lay.rows.W)}).draw()
	drawMaskWords(c.Sub(lay.words), l, s, lay.boxed)
	drawWhere(c.Sub(lay.where), l)
}

// standing says whether the text fits, and how long it is.
func (v *View) standing(l *run.Lane) string {
	n := viz.Plural(len(l.View.Steps), "token")
	switch {
	case l.View.Phase == engine.Done && l.View.Reason == engine.Constraint:
		return "valid, " + n
	case l.View.Phase == engine.Done:
		return run.EndWords(l) + ", " + n
	}
	return n
}

// A layout is where the parts stand: a table with a head and a last line for
// the other tokens, the text above and words below it. Each has a box of its
// own where there is room.
type layout struct {
	text, rows, words, where viz.Rect
	tokens                   int // that have a row
	boxed                    bool
	below                    int // first line below the boxes
}

// tableHead is how many lines of the table stand above the tokens, and edge
// how far the inside of the box stands from the view's own edge.
const (
	tableHead = 1
	edge      = 1
)

// What the boxes have inside, and how many lines stand below them.
const (
	boxedText  = 6
	boxedRows  = 8
	boxedWords = 3
	boxedWhere = 6
	boxedFoot  = 2
)

func layoutOf(w, h int) layout {
	if rows := h - boxedText - boxedWords - boxedWhere - boxedFoot - 4*2*edge; w >= 100 && rows >= boxedRows {
		lay := layout{boxed: true, below: h - boxedFoot}
		y := edge
		place := func(h int) viz.Rect {
			r := viz.Rect{X: edge, Y: y, W: w - 2*edge, H: h}
			y += h + 2*edge
			return r
		}
		rows = min(rows, mostRows)
		lay.text, lay.rows, lay.words, lay.where = place(boxedText), place(rows), place(boxedWords), place(boxedWhere)
		lay.below, lay.tokens = y-edge, rows-tableHead-1
		return lay
	}
	w, h = w-2*edge, h-2*edge
	text, foot := textLines(h), footOf(h-textLines(h))
	rows := h - text - foot
	part := func(y, h int) viz.Rect { return viz.Rect{X: edge, Y: edge + y, W: w, H: h} }
	return layout{text: part(0, text), rows: part(text, rows), words: part(text+rows, foot), tokens: max(rows-tableHead-1, 1)}
}

// mostRows is how many lines the table has at most.
const mostRows = 32

// layout is where the parts stand on the screen as it is.
func (v *View) layout(host kit.Host) layout {
	r := host.Screen().Body()
	return layoutOf(r.W, r.H)
}

// patternsTop is the first line of the list of templates.
const patternsTop = 2

// drawPatterns lists the templates to choose from, with what each would cost on
// the prompt.
func (v *View) drawPatterns(c *viz.Canvas, l *run.Lane) {
	muted := viz.Ink{Role: viz.Muted}
	c.Put(1, 0, viz.FirstFit(c.W-2, "No constraint: the model may say anything. It can be held to one of these; some bite, some cost this prompt nothing:",
		"No constraint: the model may say anything. It can be held to:", "No constraint. It can be held to:"), viz.Ink{})
	top, n := patternsShown(v.list.At, c.H)
	if below := len(patterns) - top - n; below > 0 {
		c.Put(1, patternsTop+n, fmt.Sprintf("⋮ %d more below", below), muted)
	} else if top > 0 {
		c.Put(1, patternsTop+n, fmt.Sprintf("⋮ %d more above", top), muted)
	}
	const name, cost = 20, 46
	last := -1
	for i := top; i < top+n; i++ {
		y, p, ink := patternsTop+i-top, patterns[i], viz.Ink{}
		if i == v.list.At {
			c.Put(1, y, "▸", viz.Ink{Role: viz.Focus})
			ink = ink.With(viz.Bold)
		}
		if p.kind != last || c.W <= name+20 { // a kind is named once
			c.Put(3, y, viz.Cut(p.kindOf().Name, name-4), ink)
		}
		last = p.kind
		if c.W <= name+20 {
			c.Put(name, y, viz.Cut(p.name, c.W-name-1), ink)
			continue
		}
		c.Put(name, y, viz.Cut(p.name, cost-name-2), ink)
		long, short := v.biteWords(l, i)
		c.Put(cost, y, viz.Printable(viz.FirstFit(c.W-cost-1, long, short, ""), c.ASCII), muted)
	}
	if c.H > patternsFoot {
		c.Put(1, c.H-2, viz.CutSentence(fmt.Sprintf("Bits: −log2 of the mass that the mask keeps, summed over %d tokens at most. The settings are those in force.", biteTokens), c.W-2), muted)
		c.Put(1, c.H-1, viz.CutSentence("enter writes one, from a template, a paste or a file. E has a prompt that suits JSON.", c.W-2), muted)
	}
}

// patternsFoot is the height above which the list of templates has words below it.
const patternsFoot = 10

// patternsShown returns which templates fit a list of height h that has the
// cursor at at: n from top on.
func patternsShown(at, h int) (top, n int) {
	n = len(patterns)
	if h -= patternsTop; h > patternsFoot-patternsTop {
		h -= 3
	}
	if n > h {
		n = max(h-1, 1) // a line says how many are left out
	}
	return max(at-n+1, 0), n
}

// title says where the text is and what it must fit.
func (v *View) title(host kit.Host) string {
	l := host.Lane()
	out := "structured output"
	if s := l.Step(); s != nil {
		out += fmt.Sprintf(" · token %d", s.Index)
		if before := v.written(l, s); before != "" {
			out += " · after " + viz.CutHead(viz.OneLine(before, host.Screen().ASCII()), max(host.Screen().W/4-4, 8))
		}
	}
	switch set := l.ShownSettings(); {
	case v.off(host):
		out += " · mask off"
	case set != nil && set.Pipeline.ChecksAfterDraw():
		out += " · draw, then check"
	}
	return out + " · " + viz.OneLine(schemaWords(v.text(host)), host.Screen().ASCII())
}

// mostNamed is up to how many properties of a schema its title names.
const mostNamed = 4

// schemaWords names a stored constraint by its kind, a schema by the properties
// in the order that it wants them: "schema age, then name".
func schemaWords(stored string) string {
	c, err := constrain.Parse(stored)
	if err != nil || len(c.Schema) == 0 {
		return run.KindName(stored)
	}
	var schema struct{ Properties json.RawMessage }
	if json.Unmarshal(c.Schema, &schema) != nil {
		return run.KindName(stored)
	}
	fields, err := check.Fields(schema.Properties)
	if err != nil || len(fields) == 0 || len(fields) > mostNamed {
		return run.KindName(stored)
	}
	var names []string
	for _, f := range fields {
		names = append(names, f.Name)
	}
	if c.AnyOrder {
		return "schema " + strings.Join(names, ", ")
	}
	return "schema " + strings.Join(names, ", then ")
}

// written is what the run has written before step s.
func (v *View) written(l *run.Lane, s *engine.Step) string {
	var b strings.Builder
	for _, x := range l.View.Steps[:min(max(s.Index-1, 0), len(l.View.Steps))] {
		b.WriteString(l.Vocab().Piece(x.Token))
	}
	return b.String()
}

// Header says what the text is written under and what the constraint cost; see
// [kit.Headed].
func (v *View) Header(host kit.Host, k kit.Class) (left, right []kit.HeaderPart) {
	l, muted := host.Lane(), viz.Ink{Role: viz.Muted}
	info := l.Model.Info()
	info.Params = 0 // there is no room for it
	left = []kit.HeaderPart{{Text: "logitscope", Rank: 9, Ink: muted}, {Text: viz.Printable(run.FullModelName(info), host.Screen().ASCII()), Rank: 6, Ink: muted},
		{Text: run.PhaseWords(l), Ink: viz.Ink{}.With(viz.Bold)}, {Text: viz.Printable(l.ShownLabel(), host.Screen().ASCII()), Rank: 2, Ink: run.LabelInk(l.ShownLabel())},
		{Text: l.ShownConfig().Order().Name(), Rank: 5}}
	if k <= kit.Class80 {
		left = left[2:]
	}
	if n := len(l.View.Steps); n > 0 {
		total := 0.0
		for i := range l.View.Steps {
			total += spent(l, i+1)
		}
		right = []kit.HeaderPart{{Text: viz.Plural(n, "token") + " · " + bitsWords(total) + " bits spent", Rank: 1}}
	}
	return left, right
}
