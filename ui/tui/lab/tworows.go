package lab

import (
	"fmt"
	"math"

	"logitscope/engine"
	"logitscope/sampling"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// A weighing is a step whose row was weighed against a second one of the same
// tokens: an amateur's, or the model's own after another prompt.
type weighing struct {
	second []float32
	lse    float64 // log of the sum of the exponentials of second
	bits   float64 // entropy of the second row

	guided bool
	form   string  // of contrastive decoding
	force  float64 // beta, or the scale of guidance
	floor  float64 // alpha of contrastive decoding
}

// weighed returns how a step was weighed, nil where it was not.
func weighed(s *engine.Step) *weighing {
	if s == nil || s.Row == nil || s.Trace == nil || s.Whole != nil || len(s.Row.Second) == 0 || s.Row.IDs != nil {
		return nil
	}
	cfg := s.Settings.Config()
	w := &weighing{second: s.Row.Second}
	switch kinds := s.Settings.Pipeline.Seconds(); {
	case len(kinds) == 0:
		return nil
	case kinds[0] == sampling.OfPrompt:
		w.guided, w.force = true, cfg.Float("guidance_scale")
	default:
		w.form, w.force, w.floor = cfg.Text("contrastive_form"), cfg.Float("contrastive_beta"), cfg.Float("contrastive_alpha")
	}
	hi := math.Inf(-1)
	for _, v := range w.second {
		hi = math.Max(hi, float64(v))
	}
	sum, dot := 0.0, 0.0
	for _, v := range w.second {
		if d := float64(v) - hi; !math.IsInf(d, -1) {
			e := math.Exp(d)
			sum += e
			dot += e * d
		}
	}
	w.lse = hi + math.Log(sum)
	w.bits = (math.Log(sum) - dot/sum) / math.Ln2
	return w
}

// prob is what the second row gives a token.
func (w *weighing) prob(id int32) float64 { return math.Exp(float64(w.second[id]) - w.lse) }

// names are the heads of the columns: of the first row, the second, their
// ratio.
func (w *weighing) names() [3]string {
	if w.guided {
		return [3]string{"with", "without", "w ÷ o"}
	}
	return [3]string{"expert", "amateur", "e ÷ a"}
}

// titles say which two rows these are, the longest first.
func (w *weighing) titles(l *run.Lane, draft engine.Draft) []string {
	if w.guided {
		return []string{"guidance: with the prompt, without it", "with and without the prompt"}
	}
	amateur := "a draft model"
	if draft.Model != nil {
		amateur = draft.Model.Info().Name
	}
	name := l.Model.Info().Name
	return []string{"contrastive: expert " + name + ", amateur " + amateur, name + " against " + amateur}
}

// how is the strength of the weighing.
func (w *weighing) how() string {
	switch {
	case w.guided:
		return "scale " + viz.Two(w.force)
	case w.form == "difference":
		return "difference · floor " + viz.Two(w.floor)
	}
	return "strength " + viz.Two(w.force) + " · floor " + viz.Two(w.floor)
}

// law is how the result follows from the two rows, and what that means where
// w cells have room for it.
func (w *weighing) law(cells int) string {
	law, why := "result ∝ expert × (expert ÷ amateur)^"+viz.Two(w.force), ": what the larger model knows better gains, what both find easy loses."
	switch {
	case w.guided:
		law, why = "result ∝ without × (with ÷ without)^"+viz.Two(w.force), ": what the prompt makes likelier gains, what comes anyway loses."
	case w.form == "difference":
		law = "result ∝ expert ÷ amateur, above the floor"
	}
	return viz.FirstFit(cells, law+why, law)
}

// spoken are the lines below the rows: the law, and what it did here.
func (w *weighing) spoken(l *run.Lane, t *sampling.Trace, cells int, ascii bool) []string {
	names := w.names()
	second := fmt.Sprintf("entropy: %s %s bits · %s %s · result %s.", names[0], viz.Two(float64(t.RawBits)), names[1], viz.Two(w.bits), viz.Two(float64(t.Bits)))
	var first, best *sampling.Row
	for i := range t.Rows() {
		r := &t.Rows()[i]
		if first == nil || r.RawProb > first.RawProb {
			first = r
		}
		if best == nil || r.Prob > best.Prob {
			best = r
		}
	}
	if first != nil && best.ID != first.ID {
		second += fmt.Sprintf(" %s passes %s: %s against %s.", l.Piece(best.ID, ascii), l.Piece(first.ID, ascii), w.ratio(best), w.ratio(first))
	}
	return []string{w.law(cells), second}
}

// ratio is how much likelier the first row finds a token than the second.
func (w *weighing) ratio(r *sampling.Row) string {
	p := w.prob(r.ID)
	if x := float64(r.RawProb) / p; p > 0 && x < 1000 {
		return viz.Two(x)
	}
	return "999+"
}

// spokenLines is how many lines [weighing.spoken] takes, with a blank before
// them, in a chart of h lines.
func spokenLines(s *engine.Step, h int) int {
	if h < compactBelow || weighed(s) == nil {
		return 0
	}
	return 3
}

// A twoColumns are the columns that stand between the label and the bar.
type twoColumns struct{ first, second, ratio, result, bar int } // right edges; 0 for none

func twoColumnsOf(k kit.Class, col chartColumns) twoColumns {
	at := col.label + col.labelW + 8
	c := twoColumns{first: at}
	if k > kit.Class60 {
		at += 9
		c.second = at
	}
	if k > kit.Class80 {
		at += 7
		c.ratio = at
	}
	c.result = at + 8
	c.bar = c.result + 2
	return c
}

// drawTwoRows draws a step that weighs two rows: each token's numbers side by
// side, and the result as a bar over the share it had.
func (lb *View) drawTwoRows(c *viz.Canvas, l *run.Lane, k kit.Class, w *weighing) {
	t, ref := run.Traces(l)
	col := columnsOf(k, c.W)
	two := twoColumnsOf(k, col)
	col.raw, col.final, col.reason = two.first, two.result, 0
	muted, y := viz.Ink{Role: viz.Muted}, chartHead(k)
	names := w.names()
	if y > 0 {
		c.Right(col.rank, 0, "#", muted)
		c.Put(col.label, 0, "token", muted)
		for i, at := range []int{two.first, two.second, two.ratio} {
			if at > 0 {
				c.Right(at, 0, names[i], muted)
			}
		}
		c.Right(two.result, 0, "result", muted)
		full := viz.FirstFit(c.W-2-two.bar, "full bar "+viz.WholePercent(l.Scale), viz.WholePercent(l.Scale))
		c.PutLegend(two.bar, 0, viz.FirstFit(c.W-2-viz.Width(full)-1-two.bar, "█ result  ▓ gained over the "+names[0]+"  ░ lost", "█ result  ▓ gained  ░ lost", ""), muted)
		c.Right(c.W-2, 0, full, muted)
	}
	lines := chartLines(t, ref, chartPlanFor(l, k, c.H))
	lines = lines[:min(len(lines), c.H-y)]
	bars := make([]viz.Bar, len(lines))
	d := rowDrawer{l: l, c: c, col: col, t: t, step: l.Step(), class: k}
	left := 1.0 // of the second row, without the tokens that have a line
	for _, ln := range lines {
		if ln.kind == tokenLine {
			left -= w.prob(ln.row.ID)
		}
	}
	for i, ln := range lines {
		d.first = i == 0 || lines[i-1].kind == cutLine
		bars[i] = d.line(y+i, ln)
		ink := muted
		switch {
		case ln.kind == tokenLine:
			p := w.prob(ln.row.ID)
			d.twoNumbers(two, y+i, p, w.ratio(ln.row), ink)
		case oneRest(lines, i) && left > 0:
			d.twoNumbers(two, y+i, left, viz.Two(ln.raw/left), ink)
		}
	}
	lb.bars.Draw(c.Sub(viz.Rect{X: two.bar, Y: y, W: c.W - two.bar - 1, H: len(lines)}), bars, l.Scale)
	for i, ln := range lines {
		if ln.kind == cutLine {
			d.cut(y+i, ln)
		}
	}
	if n := spokenLines(l.Step(), c.H); n > 0 {
		for i, s := range w.spoken(l, t, c.W-2, c.ASCII) {
			c.Put(1, c.H-n+1+i, viz.CutWords(s, c.W-2), viz.Ink{})
		}
	}
}

// twoNumbers writes what the second row gives and the ratio.
func (d *rowDrawer) twoNumbers(two twoColumns, y int, p float64, ratio string, ink viz.Ink) {
	if two.second > 0 {
		d.c.Right(two.second, y, viz.Percent(p), ink)
	}
	if two.ratio > 0 {
		d.c.Right(two.ratio, y, ratio, ink)
	}
}

// oneRest reports whether line i is the only one that stands for several
// tokens, so that what no other line has is its.
func oneRest(lines []chartLine, i int) bool {
	n := 0
	for _, ln := range lines {
		if ln.kind != tokenLine && ln.kind != cutLine {
			n++
		}
	}
	return n == 1 && lines[i].kind != tokenLine && lines[i].kind != cutLine
}
