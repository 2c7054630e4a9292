package tui

import (
	"fmt"
	"slices"
	"strings"

	"logitscope/engine"
	"logitscope/sampling"
	"logitscope/sampling/constrain"
	"logitscope/viz"
)

func (v *constraintView) draw(c *viz.Canvas, m *Model) {
	l := m.lane()
	inner := viz.Box(c, viz.Frame{Title: v.title(m), Right: "J · esc", Focused: true})
	if !v.active(m) {
		v.drawKinds(inner)
		return
	}
	s := l.step()
	if s == nil || s.Trace == nil {
		text := "no step yet: " + m.whyNot(l)
		if l.view.Err != nil {
			text = "! " + firstLine(l.view.Err.Error())
		}
		inner.Put(1, 0, cutWords(cleanText(text, inner.ASCII), inner.W-2), viz.Ink{Role: viz.Muted})
		return
	}
	foot := footOf(inner.H)
	v.drawRows(inner.Sub(viz.Rect{X: 0, Y: 0, W: inner.W, H: inner.H - foot}), m, s)
	v.drawWords(inner.Sub(viz.Rect{X: 0, Y: inner.H - foot, W: inner.W, H: foot}), m, s)
}

// drawKinds lists the notations to choose from.
func (v *constraintView) drawKinds(c *viz.Canvas) {
	muted := viz.Ink{Role: viz.Muted}
	c.Put(1, 0, cutWords("No constraint: the model may say anything. It can be held to:", c.W-2), viz.Ink{})
	about := []string{"JSON that is valid under a schema", "any JSON value", "text that a regular expression matches", "what a grammar in llama.cpp's notation derives",
		"a SELECT statement over your tables", "one of a few answers"}
	foot := 0
	if c.H > 10 {
		foot = 2
	}
	n := len(sourceKinds)
	if h := c.H - 2 - foot; n > h {
		n = max(h-1, 1) // a line says how many are left out
	}
	top := max(v.list.at-n+1, 0)
	if below := len(sourceKinds) - top - n; below > 0 {
		c.Put(1, 2+n, fmt.Sprintf("⋮ %d more below", below), muted)
	} else if top > 0 {
		c.Put(1, 2+n, fmt.Sprintf("⋮ %d more above", top), muted)
	}
	for i := top; i < top+n; i++ {
		ink := viz.Ink{}
		y := 2 + i - top
		if i == v.list.at {
			c.Put(1, y, "▸", viz.Ink{Role: viz.Focus})
			ink = ink.With(viz.Bold)
		}
		c.Put(3, y, sourceKinds[i].name, ink)
		if c.W > 60 {
			c.Put(26, y, about[i], muted)
		}
	}
	if foot > 0 {
		c.Put(1, c.H-1, cutSentence("enter writes one, from a template, a paste or a file. E has a prompt that suits JSON.", c.W-2), muted)
	}
}

// title says where the text is and what it must fit.
func (v *constraintView) title(m *Model) string {
	l := m.lane()
	out := "structured output"
	if !v.active(m) {
		return out
	}
	text := l.shownConfig().Text("constraint")
	if text == "" {
		text = v.off
	}
	if s := l.step(); s != nil {
		out += fmt.Sprintf(" · step %d · %s▌", s.Index, headCut(cleanText(v.written(l, s), m.pal.ASCII), max(m.w/4, 8)))
	}
	if v.off != "" {
		out += " · mask off"
	}
	return out + " · " + sourceKinds[sourceOf(text).kind].name
}

// written is what the run has written before step s.
func (v *constraintView) written(l *lane, s *engine.Step) string {
	var b strings.Builder
	for _, x := range l.view.Steps[:min(max(s.Index-1, 0), len(l.view.Steps))] {
		b.WriteString(l.vocab().Piece(x.Token))
	}
	return b.String()
}

// maskColumns are where the columns of the rows stand; 0 leaves one out.
type maskColumns struct{ label, labelW, raw, allowed, bar, barW, why int }

func maskColumnsOf(w int) maskColumns {
	switch {
	case w >= 100:
		why := w - 42
		return maskColumns{11, 11, 29, 38, 40, why - 42, why}
	case w >= 74:
		why := w - 22
		return maskColumns{11, 11, 29, 38, 40, why - 42, why}
	case w >= 52:
		why := w - 19
		return maskColumns{8, 9, 24, 32, 0, 0, why}
	}
	return maskColumns{8, 9, 0, 24, 0, 0, 26}
}

// refusal reports whether the constraint refuses a row's token, also while
// the mask is off.
func (v *constraintView) refusal(s *engine.Step, r *sampling.Row) (at int, b byte, yes bool) {
	if v.last == nil || v.at != s.Index {
		return 0, 0, refused(s.Trace, r)
	}
	i, b := v.last.Constraint.Dies(v.last.State, r.ID)
	if i >= 0 {
		return i, b, true
	}
	return -1, 0, refused(s.Trace, r) // the budget took it away
}

// drawRows draws the tokens in raw rank, refused ones hatched in place.
func (v *constraintView) drawRows(c *viz.Canvas, m *Model, s *engine.Step) {
	if c.H < 2 {
		return
	}
	l, t := m.lane(), s.Trace
	col := maskColumnsOf(c.W)
	scale := l.scale
	if !(scale > 0) {
		scale = fitScale(t)
	}
	v.drawRowsHead(c, col, scale)
	stage := slices.IndexFunc(t.Stages(), func(x sampling.StageTrace) bool { return x.Name == "constraint" })
	rows := v.rows(s, c.H-2)
	n := len(rows)
	shownRaw, shownAllowed, allowed := 0.0, 0.0, 0
	bars := make([]viz.Bar, 0, n+1)
	for i := range n {
		r := rows[i]
		p := float64(r.Prob)
		if stage >= 0 {
			p = float64(r.Probs[stage])
		}
		at, b, no := v.refusal(s, r)
		shownRaw += float64(r.RawProb)
		if no && v.off == "" {
			p = 0
		} else {
			shownAllowed += p
		}
		if !no {
			allowed++
		}
		v.drawRow(c, m, 1+i, col, s, r, p, at, b, no)
		bars = append(bars, viz.Bar{Raw: float64(r.RawProb), Final: p, Refused: no})
	}
	v.drawOthers(c, 1+n, col, s, n, allowed, 1-shownRaw, 1-shownAllowed)
	bars = append(bars, viz.Bar{Raw: max(1-shownRaw, 0), Final: max(1-shownAllowed, 0)})
	if col.barW > 2 {
		viz.Bars(c.Sub(viz.Rect{X: col.bar, Y: 1, W: col.barW, H: len(bars)}), bars, scale)
	}
}

func (v *constraintView) drawRowsHead(c *viz.Canvas, col maskColumns, scale float64) {
	muted := viz.Ink{Role: viz.Muted}
	c.Right(6, 0, "#", muted)
	c.Put(col.label, 0, "token", muted)
	if col.raw > 0 {
		c.Right(col.raw, 0, "raw", muted)
	}
	name := "allowed"
	if v.off != "" {
		name = "final"
	}
	c.Right(col.allowed, 0, name, muted)
	if col.bar > 0 {
		c.Put(col.bar, 0, "full bar "+scaleWords(scale), muted)
	}
	c.Put(col.why, 0, "why not", muted)
}

func (v *constraintView) drawRow(c *viz.Canvas, m *Model, y int, col maskColumns, s *engine.Step, r *sampling.Row, p float64, at int, b byte, no bool) {
	l := m.lane()
	ink := viz.Ink{}
	c.Right(6, y, digits(int(r.Rank)), viz.Ink{Role: viz.Muted})
	mark := col.label - 2
	chosen := r.ID == s.Token
	switch {
	case chosen && s.Forced:
		c.Put(mark, y, "◆", viz.Ink{Role: viz.Chosen})
		ink.Role = viz.Chosen
	case chosen:
		c.Put(mark, y, "●", viz.Ink{Role: viz.Chosen})
		ink.Role = viz.Chosen
	case no:
		c.Put(mark, y, "⊘", viz.Ink{Role: viz.Warning})
		ink.Role = viz.Lost
	}
	if r.ID == l.row {
		c.Put(0, y, "▸", viz.Ink{Role: viz.Focus})
	}
	c.Fit(col.label, y, col.labelW, l.piece(r.ID, c.ASCII), ink)
	if col.raw > 0 {
		c.Right(col.raw, y, viz.Percent(float64(r.RawProb)), viz.Ink{Role: viz.Muted})
	}
	value := viz.Percent(p)
	if p == 0 && (no || r.Cut != sampling.NoStage) {
		value = viz.Removed
	}
	c.Right(col.allowed, y, value, ink)
	why := ""
	switch {
	case no && at < 0:
		why = "would overrun the token budget"
	case no && l.vocab().Piece(r.ID) == "" || no && slices.Contains(l.vocab().EOG(), r.ID):
		why = "the text may not end yet"
	case no:
		why = diesWords(at, b)
	case r.Cut != sampling.NoStage:
		why = "✗ " + s.Trace.Stages()[r.Cut].Name
	}
	c.Put(col.why, y, viz.Fit(why, max(c.W-col.why-1, 0)), viz.Ink{Role: viz.Muted})
}

func (v *constraintView) drawOthers(c *viz.Canvas, y int, col maskColumns, s *engine.Step, n, allowed int, raw, final float64) {
	muted := viz.Ink{Role: viz.Muted}
	others := s.Trace.Vocab - s.Trace.NoPiece - n
	name := viz.Count(others) + " others"
	if viz.Width(name) > col.labelW+1 {
		name = "+" + viz.Count(others)
	}
	c.Put(col.label-1, y, name, muted)
	if col.raw > 0 {
		c.Right(col.raw, y, viz.Percent(max(raw, 0)), muted)
	}
	if final < 1e-6 {
		final = 0
	}
	c.Right(col.allowed, y, viz.Percent(max(final, 0)), muted)
	if v.last != nil && v.at == s.Index {
		more := max(v.last.Allowed-allowed, 0)
		text := fmt.Sprintf("%s allowed, %s refused", viz.Count(more), viz.Count(others-more))
		if viz.Width(text) > c.W-col.why-1 {
			text = viz.Count(more) + " allowed"
		}
		c.Put(col.why, y, viz.Fit(text, max(c.W-col.why-1, 0)), muted)
	}
}

// drawWords says in lines what the rows do not.
func (v *constraintView) drawWords(c *viz.Canvas, m *Model, s *engine.Step) {
	k := v.last
	if k == nil || v.at != s.Index {
		if s.Constraint != nil && s.Constraint.Broken {
			c.Put(1, 0, cutWords("broken: a forced token does not fit; the constraint applies no more", c.W-2), viz.Ink{Role: viz.Warning})
		}
		return
	}
	lines := []string{v.maskWords(k), v.placeWords(k), v.budgetWords(m, s, k), v.costWords(m, s, k, c.W-2)}
	if c.H < 4 {
		lines = []string{v.maskWords(k), v.placeWords(k)}
	}
	y := 0
	if c.H >= 6 {
		y = 1
	}
	for i, text := range lines {
		c.Put(1, y+i, viz.CutTitle(cleanText(text, c.ASCII), c.W-2), viz.Ink{})
	}
	if c.H >= 6 {
		v.drawBits(c.Sub(viz.Rect{X: 1, Y: 5, W: c.W - 2, H: 1}), m)
	}
}

// maskWords is what the mask did at this step.
func (v *constraintView) maskWords(k *engine.ConstraintStep) string {
	end := "end not allowed"
	if k.EOS {
		end = "end allowed"
	}
	out := fmt.Sprintf("allowed %s of %s · %s · mass kept %s, %s bits · %s, %s", viz.Count(k.Allowed), viz.Count(k.Constraint.Vocab().Size()), end,
		viz.Percent(float64(k.Mass)), viz.Two(float64(k.Bits)), k.Layer, viz.Duration(k.Took))
	if k.Redrawn {
		out += " · the first draw was refused, drawn again"
	}
	if k.Closing {
		out += " · closing"
	}
	return out
}

// placeWords is where the text stands in the constraint.
func (v *constraintView) placeWords(k *engine.ConstraintStep) string {
	out := "inside: the start"
	if len(k.Stack) > 0 {
		out = "inside: " + strings.Join(k.Stack, " ▸ ")
	}
	if k.Forced != "" {
		return out + " · forced: " + k.Forced
	}
	return out + " · next bytes: " + v.expected()
}

// expected names the bytes that may come next.
func (v *constraintView) expected() string {
	x := v.last.Constraint.Explain(v.last.State)
	return constrain.DescribeBytes(x.Expected, x.Complete)
}

// budgetWords holds the way to the end against the tokens left.
func (v *constraintView) budgetWords(m *Model, s *engine.Step, k *engine.ConstraintStep) string {
	l := m.lane()
	left := l.config.Int("max_new_tokens") - s.Index + 1
	if n := l.model.Info().ContextLen; n > 0 {
		left = min(left, n+1-len(l.prompt)-s.Index+1)
	}
	if k.EOS && k.Distance == 0 {
		return fmt.Sprintf("complete: it may end here; %s left", plural(max(left, 0), "token"))
	}
	return fmt.Sprintf("to complete: at least %s; %s left", plural(k.Distance, "byte"), plural(max(left, 0), "token"))
}

// costWords is what the constraint cost so far, and where most of it, in w
// cells if that can be.
func (v *constraintView) costWords(m *Model, s *engine.Step, k *engine.ConstraintStep, w int) string {
	l := m.lane()
	out := fmt.Sprintf("bits spent so far %s", viz.Two(float64(k.TotalBits)))
	var worst *engine.Step
	for _, x := range append(l.view.Steps[:min(max(s.Index-1, 0), len(l.view.Steps)):min(max(s.Index-1, 0), len(l.view.Steps))], s) {
		if x.Constraint != nil && (worst == nil || x.Constraint.Bits > worst.Constraint.Bits) {
			worst = x
		}
	}
	if worst == nil || worst.Constraint.Bits < 1 {
		return out + ": the model wanted to write this anyway"
	}
	most, token := viz.Two(float64(worst.Constraint.Bits)), l.piece(worst.Token, m.pal.ASCII)
	long, brief := fmt.Sprintf("%s: %s of them on %s at step %d", out, most, token, worst.Index), fmt.Sprintf("%s: %s on %s", out, most, token)
	if t := worst.Trace; t != nil && len(t.Rows()) > 0 && t.Rows()[0].ID != worst.Token {
		r := t.Rows()[0]
		liked := fmt.Sprintf("%s (%s)", l.piece(r.ID, m.pal.ASCII), viz.Percent(float64(r.RawProb)))
		long, brief = long+", where the model wanted "+liked, brief+", not "+liked
	}
	if viz.Width(long) <= w {
		return long
	}
	return brief
}

// drawBits draws the bits of every step as columns.
func (v *constraintView) drawBits(c *viz.Canvas, m *Model) {
	l := m.lane()
	var bits []float64
	most := 0.0
	for _, x := range l.view.Steps {
		b := 0.0
		if x.Constraint != nil {
			b = float64(x.Constraint.Bits)
		}
		bits = append(bits, b)
		most = max(most, b)
	}
	if len(bits) == 0 || c.W < 30 {
		return
	}
	x := c.Put(0, 0, fmt.Sprintf("bits a step, max %s ", viz.Two(most)), viz.Ink{Role: viz.Muted})
	viz.Spark(c.Sub(viz.Rect{X: x, Y: 0, W: c.W - x, H: 1}), bits, most, viz.Ink{Role: viz.CutLine})
}
