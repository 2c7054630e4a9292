package lab

import (
	"math"

	"logitscope/engine"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// bitsByStep returns the raw entropy of every step, the proposal last.
func bitsByStep(v engine.View) []float64 {
	out := make([]float64, 0, len(v.Steps)+1)
	for _, s := range v.Steps {
		out = append(out, float64(s.Summary.RawBits))
	}
	if v.Next != nil {
		out = append(out, float64(v.Next.Summary.RawBits))
	}
	return out
}

// entropyWindow returns the steps that fit w cells, and the cell of the step
// on the screen among them.
func entropyWindow(l *run.Lane, w int) (values []float64, at, first int) {
	all := bitsByStep(l.View)
	now := len(all) - 1
	if l.Look.At > 0 {
		now = l.Look.At - 1
	}
	first = max(len(all)-w, 0)
	if now < first {
		first = max(now-w/2, 0)
	}
	values = all[first:min(first+w, len(all))]
	return values, now - first, first
}

func (lb *View) drawEntropy(c *viz.Canvas, l *run.Lane) {
	s := l.Step()
	if s == nil {
		return
	}
	values, at, _ := entropyWindow(l, c.W-2)
	viz.Spark(c.Sub(viz.Rect{X: 1, Y: 0, W: c.W - 2, H: 1}), values, run.MaxOf(bitsByStep(l.View)), viz.Ink{Role: viz.Kept})
	label := "↑ now"
	if l.Look.At > 0 {
		label = "↑ step " + viz.Count(l.Look.At)
	}
	c.Put(min(max(1+at, 1), max(c.W-1-viz.Width(label), 1)), 1, label, viz.Ink{Role: viz.Draw})
	sum := s.Summary
	steps := l.View.Steps
	if l.View.Next != nil {
		steps = append(steps[:len(steps):len(steps)], l.View.Next)
	}
	t := totals(steps)
	now := "now "
	if l.Look.At > 0 {
		now = ""
	}
	many := viz.About(float64(sum.RawBits))
	if s.Trace != nil {
		many = run.Among(s.Trace)
	}
	verb := "chosen"
	if s == l.View.Next {
		verb = "proposed"
	}
	lines := []string{
		now + viz.Two(float64(sum.RawBits)) + " bits: among " + many,
		"mean " + viz.Two(t.meanBits) + " · perplexity " + viz.Perplexity(t.perplexity),
		verb + ": rank " + viz.Count(int(sum.Rank)) + ", " + viz.Percent(math.Exp(float64(sum.RawLogprob))) + " raw, " +
			viz.Percent(math.Exp(float64(sum.Logprob))) + " final",
		"surprisal " + viz.Two(-float64(sum.RawLogprob)/math.Ln2) + " bits",
	}
	for i, line := range lines {
		c.Put(1, 2+i, viz.CutTitle(line, c.W-2), viz.Ink{})
	}
}

// entropyTitle is the sparkline in the pipeline's title, where there is no
// pane for it.
func (lb *View) drawEntropyTitle(c *viz.Canvas, l *run.Lane, right int) {
	s := l.Step()
	if s == nil {
		return
	}
	w := 16
	values, _, _ := entropyWindow(l, w)
	end := " " + viz.Two(float64(s.Summary.RawBits)) + " bits "
	x := c.Right(right, 0, end, viz.Ink{})
	x -= len(values)
	viz.Spark(c.Sub(viz.Rect{X: x, Y: 0, W: len(values), H: 1}), values, run.MaxOf(bitsByStep(l.View)), viz.Ink{Role: viz.Kept})
	c.Right(x, 0, " entropy ", viz.Ink{Role: viz.Muted})
}
