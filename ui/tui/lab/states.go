package lab

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"logitscope/engine"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// drawInstead draws what stands in the chart's place while there is no
// distribution to show. It reports whether there was need to.
func (lb *View) drawInstead(c *viz.Canvas, l *run.Lane) bool {
	if l.Look.At > 0 {
		if l.View.Looking > 0 || l.Step() == nil || l.Step().Trace == nil {
			c.Put(1, 1, fmt.Sprintf("recomputing step %s …", viz.Count(l.Look.At)), viz.Ink{})
			return true
		}
		return false
	}
	switch l.View.Phase {
	case engine.Prefill:
		drawPrefill(c, l.View.Prefill)
	case engine.Failed:
		drawFailed(c, l)
	case engine.Done:
		if n, ok := l.Searched(); ok {
			drawSearch(c, l, n)
			return true
		}
		lb.drawDone(c, l)
		return chartTop(l, c.H) == 0 // else the last step follows below
	case engine.Idle:
		c.Put(1, 1, "The next token's distribution appears here.", viz.Ink{Role: viz.Muted})
	default:
		n, ok := l.Searched()
		if ok {
			drawSearch(c, l, n)
		}
		return ok
	}
	return true
}

// drawSearch says what a lane does that draws no token, after n steps.
func drawSearch(c *viz.Canvas, l *run.Lane, n int) {
	lines := []string{run.StrategyWords(l), tookWords(n, "step", l.View.Decode.Took)}
	if l.View.Phase == engine.Done {
		lines[1] += " · ended by " + run.EndWords(l)
	}
	lines = append(lines, "The text above is the one that leads.", "B shows the search: what it compared and what it kept.")
	for i, s := range lines {
		c.Put(1, 1+i, viz.CutTitle(s, c.W-2), viz.Ink{})
	}
}

// tookWords says how many of what there are, and how long they took where
// that was measured.
func tookWords(n int, what string, took time.Duration) string {
	switch {
	case n == 0:
		return "no " + what + " yet"
	case took <= 0:
		return viz.Plural(n, what)
	}
	return viz.Plural(n, what) + " in " + viz.Duration(took)
}

// drawPrefill shows how far the prompt has been read.
func drawPrefill(c *viz.Canvas, t engine.Timing) {
	in := c.Sub(viz.Rect{X: 1, Y: min(1, max(c.H-3, 0)), W: c.W - 2, H: 3})
	in.Put(0, 0, fmt.Sprintf("reading the prompt  %s of %s tokens", viz.Count(t.Done), viz.Count(t.Total)), viz.Ink{})
	part := 0.0
	if t.Total > 0 {
		part = float64(t.Done) / float64(t.Total)
	}
	viz.Bars(in.Sub(viz.Rect{X: 0, Y: 1, W: in.W - 5, H: 1}), []viz.Bar{{Final: part, Single: true}}, 1)
	in.Right(in.W, 1, fmt.Sprintf("%d%%", int(part*100)), viz.Ink{})
	s := viz.Duration(t.Took) + " so far"
	if t.Done > 0 && t.Took > 0 {
		rate := float64(t.Done) / t.Took.Seconds()
		s += ", " + viz.Rate(rate) + " tok/s; about " +
			viz.Duration(time.Duration(float64(t.Total-t.Done)/rate*float64(time.Second)).Round(time.Millisecond)) + " left"
	}
	in.Put(0, 2, viz.CutSentence(s+". No token is drawn yet.", in.W), viz.Ink{Role: viz.Muted})
}

// drawFailed says what went wrong and what is still there.
func drawFailed(c *viz.Canvas, l *run.Lane) {
	why := "unknown"
	if l.View.Err != nil {
		why = l.View.Err.Error()
	}
	var lines []string // besides the error
	switch n := len(l.View.Steps); {
	case n == 1:
		lines = append(lines, "Nothing was drawn; the text above is kept. Step 1 can still be seen.")
	case n > 1:
		lines = append(lines, fmt.Sprintf("Nothing was drawn; the text above is kept. Steps 1 to %d can still be seen.", n))
	default:
		lines = append(lines, "Nothing was drawn. e edits the prompt, r tries again.")
	}
	switch {
	case l.CanRetry():
		lines = append(lines, "space tries again, at the same token.")
	case l.Observing() && len(l.View.Steps) > 0:
		lines = append(lines, "The server cannot go on from here; r asks it for another text.")
	}
	if _, file := l.Model.(interface{ Path() string }); file {
		lines = append(lines, "Often a damaged file: logitscope models info FILE checks the tensors.")
	}
	var help []string
	for _, s := range lines {
		help = append(help, viz.WrapWords(s, c.W-2)...)
	}
	y := 0
	for _, s := range errorLines(why, c.W-2, max(c.H-len(help), 1), c.ASCII) {
		c.Put(1, y, s, viz.Ink{Role: viz.Warning})
		y++
	}
	for _, s := range help {
		c.Put(1, y, s, viz.Ink{})
		y++
	}
}

// errorLines is an error in at most h lines of w cells; where it has more to
// say, the last ends in an ellipsis.
func errorLines(why string, w, h int, ascii bool) []string {
	var out []string
	for line := range strings.SplitSeq("! "+strings.TrimSpace(why), "\n") {
		out = append(out, viz.WrapWords(viz.Printable(strings.TrimSpace(line), ascii), w)...)
	}
	if len(out) > h {
		out = out[:h]
		out[h-1] = viz.CutWords(out[h-1]+" …", w)
	}
	return out
}

// doneLines is what the summary of a run takes of the chart, a blank line
// included.
const doneLines = 4

// chartTop returns how many lines of a chart of h lines are taken by a summary.
func chartTop(l *run.Lane, h int) int {
	if l.View.Phase == engine.Done && l.Look.At == 0 && h >= doneLines+6 {
		return doneLines
	}
	return 0
}

// drawDone sums up a text that has ended.
func (lb *View) drawDone(c *viz.Canvas, l *run.Lane) {
	t := totals(l.View.Steps)
	lines := []string{tookWords(t.n, "token", l.View.Decode.Took)}
	if t.n > 0 {
		lines[0] += fmt.Sprintf(" · mean entropy %s bits · perplexity %s", viz.Two(t.meanBits), viz.Perplexity(t.perplexity))
	}
	_, back := lb.StepKeys()
	end, short := "ended by "+run.EndWords(l), ""
	if n := len(l.View.Steps); n > 0 {
		s := l.View.Steps[n-1]
		switch l.View.Reason {
		case engine.EOS:
			short = fmt.Sprintf("end token %s, %s raw at step %s", l.Piece(s.Token, c.ASCII),
				viz.Percent(math.Exp(float64(s.Summary.RawLogprob))), viz.Count(s.Index))
			end = "ended by the model's " + short
		case engine.Length:
			end = fmt.Sprintf("ended by max_new_tokens, %s", viz.Count(l.Settings.Limit()))
		case engine.ContextFull:
			end = fmt.Sprintf("ended by the context: it holds %s tokens", viz.Count(l.View.KV.Context))
		case engine.Stop:
			end = fmt.Sprintf("ended by a stop string at step %s", viz.Count(s.Index))
			if stop := stopOf(l); stop != "" {
				end = fmt.Sprintf("ended by the stop string %s at step %s", viz.Label(stop, c.ASCII), viz.Count(s.Index))
			}
		}
	}
	lines = append(lines, viz.FirstFit(c.W-2, end, cmp.Or(short, end)), back+" look back and branch · s new seed · r again, same seed · E examples")
	for i, s := range lines {
		ink := viz.Ink{}
		if i == 2 {
			ink.Role = viz.Muted
		}
		c.Put(1, i, viz.CutTitle(s, c.W-2), ink)
	}
}

// stopOf is the stop string that ended l's text.
func stopOf(l *run.Lane) string {
	list, _ := l.Settings.Config().Value("stop").([]string)
	for _, s := range list {
		if at := l.View.StopAt; at >= 0 && bytes.HasPrefix(l.View.Written[at:], []byte(s)) {
			return s
		}
	}
	return ""
}

// A summary of a run.
type runTotals struct {
	n          int
	meanBits   float64 // of the raw distributions
	perplexity float64 // of the text under the raw model
}

func totals(steps []*engine.Step) runTotals {
	t := runTotals{n: len(steps), perplexity: 1}
	if t.n == 0 {
		return t
	}
	sum := 0.0
	for _, s := range steps {
		t.meanBits += float64(s.Summary.RawBits)
		sum -= float64(s.Summary.RawLogprob)
	}
	t.meanBits /= float64(t.n)
	t.perplexity = math.Exp(sum / float64(t.n))
	return t
}
