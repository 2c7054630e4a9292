package structure

import (
	"fmt"
	"strings"
	"time"

	"logitscope/engine"
	"logitscope/sampling/constrain"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// footOf is how many lines below the rows are for words, of h.
func footOf(h int) int {
	switch {
	case h >= 16:
		return 6
	case h >= 12:
		return 4
	}
	return 2
}

// drawMaskWords says in lines what the rows do not.
// In a box of its own it explains, in three lines.
func drawMaskWords(c *viz.Canvas, l *run.Lane, s *engine.Step, boxed bool) {
	k := known(l)
	if k == nil {
		if s.Constraint != nil && s.Constraint.Broken {
			c.Put(1, 0, viz.CutWords("broken: a forced token does not fit; the constraint applies no more", c.W-2), viz.Ink{Role: viz.Warning})
		}
		return
	}
	y := 0
	lines := [][]string{maskForms(k), placeForms(k, c.ASCII), budgetForms(l, s, k), costForms(l, s, k, c.ASCII)}
	switch {
	case boxed:
		lines = bindForms(l, s, k, c.ASCII)
	case c.H >= 6:
		y = 1
		drawBits(c.Sub(viz.Rect{X: 1, Y: 5, W: c.W - 2, H: 1}), l)
	}
	for i, forms := range lines[:min(len(lines), c.H)] {
		for j, text := range forms {
			forms[j] = viz.OneLine(text, c.ASCII)
		}
		c.Put(1, y+i, viz.FirstFit(c.W-2, forms...), viz.Ink{})
	}
}

// slowMask is the time from which on a mask is worth a word.
const slowMask = 5 * time.Millisecond

// maskForms say what the mask did at this step.
func maskForms(k *engine.ConstraintStep) []string {
	end := "end not allowed"
	if k.EOS {
		end = "end allowed"
	}
	allowed, of := viz.Count(k.Allowed), viz.Count(k.Constraint.Vocab().Size())
	mass, bits := viz.Percent(float64(k.Mass)), viz.Two(float64(k.Bits))
	source := k.Layer
	if k.Took >= slowMask {
		source += ", " + viz.Duration(k.Took)
	}
	return []string{
		fmt.Sprintf("allowed %s of %s · %s · mass kept %s, %s bits · %s", allowed, of, end, mass, bits, source),
		fmt.Sprintf("allowed %s · %s · mass %s, %s bits · %s", allowed, end, mass, bits, source),
		fmt.Sprintf("allowed %s · %s · mass %s", allowed, end, mass),
		fmt.Sprintf("allowed %s · %s · %s", allowed, end, mass),
	}
}

// bindForms say what binds: how much the mask takes and what the model wanted,
// where the text stands, and how far it is to its end.
func bindForms(l *run.Lane, s *engine.Step, k *engine.ConstraintStep, ascii bool) [][]string {
	mass := fmt.Sprintf("allowed %s of %s · mass they had %s", viz.Count(k.Allowed), viz.Count(k.Constraint.Vocab().Size()), viz.Percent(float64(k.Mass)))
	spent, wanted := fmt.Sprintf(", so %s bits were spent here", viz.Two(float64(k.Bits))), ""
	if rows := s.Trace.Rows(); len(rows) > 0 {
		best := &rows[0]
		if _, no := refusalOf(k, s.Trace, best); no {
			wanted = fmt.Sprintf(": the model wanted %s, %s", l.Piece(best.ID, ascii), viz.Percent(float64(best.RawProb)))
		} else {
			wanted = ": what the model wants most may come"
		}
	}
	next := "may follow: bytes " + expected(k)
	if k.Forced != "" {
		next = "may follow: " + viz.Label(k.Forced, ascii) + " and nothing else"
		if names := allowedNames(l, s, k, ascii); len(names) > 1 {
			next += "; tokens " + strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1] + " begin it"
		}
	}
	inside := "inside: the start"
	if len(k.Stack) > 0 {
		inside = "inside: " + strings.Join(k.Stack, " ▸ ")
	}
	end := "end not allowed · "
	if k.EOS {
		end = "end allowed · "
	}
	budget := budgetForms(l, s, k)[0]
	if k.Took >= slowMask {
		budget += " · mask took " + viz.Duration(k.Took)
	}
	return [][]string{{mass + spent + wanted, mass + spent, mass}, append([]string{inside + "          " + next}, placeForms(k, ascii)...), {end + budget, end + viz.CutTitle(budget, 60)}}
}

// mostListed is up to how many allowed tokens are named.
const mostListed = 4

// allowedNames are the tokens that may come, likeliest first; nil if they are
// many, or not all have rows.
func allowedNames(l *run.Lane, s *engine.Step, k *engine.ConstraintStep, ascii bool) (names []string) {
	if k.Allowed > mostListed {
		return nil
	}
	for _, r := range s.Trace.Rows() {
		if _, no := refusalOf(k, s.Trace, &r); !no && l.Vocab().Piece(r.ID) != "" {
			names = append(names, l.Piece(r.ID, ascii))
		}
	}
	if len(names) != k.Allowed {
		return nil
	}
	return names
}

// placeForms say where the text stands in the constraint: outer rules give way
// first, then what comes next.
func placeForms(k *engine.ConstraintStep, ascii bool) []string {
	next := " · forced: " + viz.Label(k.Forced, ascii)
	if k.Forced == "" {
		next = " · next bytes: " + expected(k)
	}
	if len(k.Stack) == 0 {
		return []string{"inside: the start" + next, "the start" + next}
	}
	forms := []string{"inside: " + strings.Join(k.Stack, " ▸ ") + next}
	for i := 1; i < len(k.Stack); i++ {
		forms = append(forms, "inside: … ▸ "+strings.Join(k.Stack[i:], " ▸ ")+next)
	}
	last := k.Stack[len(k.Stack)-1]
	return append(forms, last+next, "inside: "+strings.Join(k.Stack, " ▸ "), last)
}

// expected names the bytes that may come next.
func expected(k *engine.ConstraintStep) string {
	x := k.Constraint.Explain(k.State)
	return constrain.DescribeBytes(x.Expected, x.Complete)
}

// budgetForms hold the way to the end against the tokens left.
func budgetForms(l *run.Lane, s *engine.Step, k *engine.ConstraintStep) []string {
	left := l.Config.Int("max_new_tokens") - s.Index + 1
	if n := l.Model.Info().ContextLen; n > 0 {
		left = min(left, n+1-len(l.Prompt)-s.Index+1)
	}
	room := viz.Plural(max(left, 0), "token") + " left"
	switch {
	case k.EOS && k.Distance == 0:
		return []string{"complete: it may end here; " + room}
	case k.Closing:
		return []string{fmt.Sprintf("closing, to complete at least %s more; %s", viz.Plural(k.Distance, "byte"), room)}
	}
	return []string{fmt.Sprintf("to complete at least %s more; %s", viz.Plural(k.Distance, "byte"), room)}
}

// costForms say what the constraint cost so far, and where most of it.
func costForms(l *run.Lane, s *engine.Step, k *engine.ConstraintStep, ascii bool) []string {
	out := "bits spent so far " + viz.Two(float64(k.TotalBits))
	var worst *engine.Step
	n := min(max(s.Index-1, 0), len(l.View.Steps))
	for _, x := range append(l.View.Steps[:n:n], s) {
		if x.Constraint != nil && (worst == nil || x.Constraint.Bits > worst.Constraint.Bits) {
			worst = x
		}
	}
	if worst == nil || worst.Constraint.Bits < 1 {
		return []string{out + ": the model wanted to write this anyway"}
	}
	most, token := viz.Two(float64(worst.Constraint.Bits)), l.Piece(worst.Token, ascii)
	long, brief := fmt.Sprintf("%s: %s of them on %s at step %d", out, most, token, worst.Index), fmt.Sprintf("%s: %s on %s", out, most, token)
	if t := worst.Trace; t != nil && len(t.Rows()) > 0 && t.Rows()[0].ID != worst.Token {
		r := t.Rows()[0]
		liked := fmt.Sprintf("%s (%s)", l.Piece(r.ID, ascii), viz.Percent(float64(r.RawProb)))
		long, brief = long+", where the model wanted "+liked, brief+", not "+liked
	}
	return []string{long, brief, out}
}

// drawBits draws the bits of every step as columns; a full one is a bit at
// least, so that next to nothing looks like it.
func drawBits(c *viz.Canvas, l *run.Lane) {
	steps := l.View.Steps
	if l.View.Next != nil {
		steps = append(steps[:len(steps):len(steps)], l.View.Next)
	}
	bits, most := make([]float64, len(steps)), 0.0
	for i, x := range steps {
		if x.Constraint != nil {
			bits[i] = float64(x.Constraint.Bits)
		}
		most = max(most, bits[i])
	}
	if len(bits) == 0 || c.W < 30 {
		return
	}
	x := c.Put(0, 0, fmt.Sprintf("bits a step, max %s ", viz.Two(most)), viz.Ink{Role: viz.Muted})
	viz.Spark(c.Sub(viz.Rect{X: x, Y: 0, W: c.W - x, H: 1}), bits, max(most, 1), viz.Ink{Role: viz.CutLine})
}
