package inspect

import (
	"fmt"
	"math"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine/goal"
	"logitscope/sampling"
	"logitscope/sampling/dist"
	"logitscope/sampling/luck"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// manyDraws is how often d draws.
const manyDraws = 1000

// draws compares many draws from the step's law with what the law expects.
type draws struct {
	job   kit.Job[run.EffectKey, drawn]
	round uint32
}

// drawn is how often each survivor was drawn.
type drawn struct {
	dist   dist.Dist
	counts []int // by index in dist
}

// NewDraws draws many times from the step on the screen, or says why there is
// none.
func NewDraws(host kit.Host) (kit.View, tea.Cmd) {
	l := host.Lane()
	if s := l.Step(); s == nil || s.Trace == nil {
		host.Say("d: " + host.WhyNot(l))
		return nil, nil
	}
	v := &draws{}
	return v, v.compute(host)
}

// compute draws in the background, from streams of their own: the run's draw
// stays as it is.
func (v *draws) compute(host kit.Host) tea.Cmd {
	on, ok := shownStep(host, "", &v.job)
	if !ok {
		return nil
	}
	l, s, set, in := on.lane, on.step, on.settings, on.in
	v.round++
	round, seed, pos := v.round, l.ShownConfig().Uint("seed"), s.Pos
	return v.job.Start(on.key, func() (r drawn, err error) {
		var scratch sampling.Scratch
		if err := set.Pipeline.Distribution(&r.dist, &scratch, in); err != nil {
			return r, err
		}
		r.counts = make([]int, len(r.dist.IDs))
		for i := range uint32(manyDraws) {
			k, _, _ := r.dist.Draw(luck.Coin(seed, pos, round<<12+i+1))
			r.counts[k]++
		}
		return r, nil
	})
}

// Witness tells how many draws were made of one step; see [kit.Witness].
func (v *draws) Witness() goal.Facts {
	if v.job.Ready && v.job.Err == nil {
		return goal.Facts{Drew: manyDraws}
	}
	return goal.Facts{}
}

// Follow takes results and new views; see [kit.Follower].
func (v *draws) Follow(host kit.Host, msg tea.Msg) tea.Cmd {
	return v.job.Follow(host, msg, func() tea.Cmd {
		if s := host.Lane().Step(); s == nil || s == v.job.Key.Step {
			return nil
		}
		return v.compute(host)
	})
}

// Frame titles the box; see [kit.Overlay].
func (v *draws) Frame(host kit.Host) viz.Frame {
	l := host.Lane()
	title := "draw 1,000"
	if s := l.Step(); s != nil && s.Trace != nil {
		title += fmt.Sprintf(" · step %s · the run's own token (%s) is not touched", viz.Count(s.Index), l.Piece(s.Token, host.Screen().ASCII()))
	}
	return viz.Frame{Title: title, Right: "d again · esc"}
}

// Size is how large the box wants to be; see [kit.Overlay].
func (v *draws) Size(host kit.Host) (int, int) {
	return 100, min(max(len(v.job.Result.counts)+6, 15), max(host.Screen().H-4, 10))
}

// Hints are what the footer offers; see [kit.View].
func (v *draws) Hints(kit.Host) []kit.ID { return []kit.ID{kit.ActDraw, kit.ActClose} }

// drawColumns are the columns of the comparison.
const (
	drawFinal, drawExpected, drawCount, drawBar = 18, 28, 37, 39
)

// Draw draws the view; see [kit.View].
func (v *draws) Draw(c *viz.Canvas, host kit.Host) {
	muted := viz.Ink{Role: viz.Muted}
	if v.job.Err != nil {
		c.Put(1, 0, "! "+viz.Printable(viz.FirstLine(v.job.Err.Error()), c.ASCII), viz.Ink{Role: viz.Warning})
		return
	}
	if v.job.Result.counts == nil {
		c.Put(1, 0, "drawing …", muted)
		return
	}
	scale := v.scale()
	c.Put(1, 0, "token", muted)
	c.Right(drawFinal, 0, "final", muted)
	c.Right(drawExpected+2, 0, "expected", muted)
	c.Right(drawCount, 0, "drawn", muted)
	full := "full " + viz.WholePercent(scale)
	c.Put(drawBar, 0, viz.FirstFit(c.W-drawBar-len(full)-3, "█ final   ◇ drawn   ├─┤ expected 95%", "█ final   ◇ drawn   ├─┤ 95%", "█ final   ◇ drawn", ""), muted)
	if drawBar+len(full) < c.W {
		c.Right(c.W-1, 0, full, muted)
	}
	n := min(len(v.job.Result.counts), max(c.H-5, 1))
	barW := max(c.W-drawBar-10, 12)
	bars := make([]viz.Bar, n)
	for i := range n {
		bars[i] = viz.Bar{Final: v.job.Result.dist.Probs[i], Single: true}
	}
	viz.Bars(c.Sub(viz.Rect{X: drawBar, Y: 1, W: barW, H: n}), bars, scale)
	for i := range n {
		v.drawRow(c, host, i, barW, scale)
	}
	rest, drawn := 0.0, 0
	for i := n; i < len(v.job.Result.counts); i++ {
		rest += v.job.Result.dist.Probs[i]
		drawn += v.job.Result.counts[i]
	}
	if s := host.Lane().Step(); s != nil && s.Trace != nil {
		out := s.Trace.Vocab - s.Trace.NoPiece - len(v.job.Result.counts)
		line := fmt.Sprintf("✗ %s cut, drawn 0 times", viz.Count(out))
		if n < len(v.job.Result.counts) {
			line = fmt.Sprintf("%s more survive: %s, drawn %d · ", viz.Count(len(v.job.Result.counts)-n), viz.Percent(rest), drawn) + line
		}
		c.Put(3, 1+n, viz.CutTitle(line, c.W-4), muted)
	}
	c.Put(1, c.H-1, viz.CutSentence(v.verdict(), c.W-2), viz.Ink{})
}

func (v *draws) scale() float64 {
	most := 0.0
	for i := range v.job.Result.counts {
		e := v.job.Result.dist.Probs[i]*manyDraws + spread(v.job.Result.dist.Probs[i])
		most = max(most, e/manyDraws, float64(v.job.Result.counts[i])/manyDraws)
	}
	for _, s := range [...]float64{.05, .10, .20, .25, .50} {
		if most <= s*1.15 {
			return s
		}
	}
	return 1
}

// spread is half the width of the interval that holds 95 of 100 counts.
func spread(p float64) float64 { return 1.96 * math.Sqrt(manyDraws*p*(1-p)) }

func (v *draws) drawRow(c *viz.Canvas, host kit.Host, i, barW int, scale float64) {
	y := 1 + i
	l := host.Lane()
	p, n := v.job.Result.dist.Probs[i], v.job.Result.counts[i]
	ink := viz.Ink{}
	if s := l.Step(); s != nil && s.Trace != nil && s.Trace.Token == v.job.Result.dist.IDs[i] {
		c.Put(1, y, "●", viz.Ink{Role: viz.Chosen})
		ink.Role = viz.Chosen
	}
	c.Fit(3, y, 9, l.Piece(v.job.Result.dist.IDs[i], c.ASCII), ink)
	c.Right(drawFinal, y, viz.Percent(p), ink)
	c.Right(drawExpected+2, y, viz.Count(int(math.Round(p*manyDraws)))+" ± "+strconv.Itoa(int(math.Round(spread(p)))), viz.Ink{Role: viz.Muted})
	c.Right(drawCount, y, viz.Count(n), viz.Ink{Role: viz.Draw})
	at := func(x float64) int {
		return drawBar + min(max(int(x/manyDraws/scale*float64(barW)), 0), barW-1)
	}
	lo, hi := at(p*manyDraws-spread(p)), at(p*manyDraws+spread(p))
	for x := at(p*manyDraws) + 1; x < hi; x++ {
		c.Put(x, y, "─", viz.Ink{Role: viz.Muted})
	}
	c.Put(lo, y, "├", viz.Ink{Role: viz.CutLine})
	c.Put(hi, y, "┤", viz.Ink{Role: viz.CutLine})
	c.Put(at(float64(n)), y, "◇", viz.Ink{Role: viz.Draw})
	if v.outside(i) {
		c.Right(c.W-1, y, "outside", viz.Ink{Role: viz.Warning})
	}
}

func (v *draws) outside(i int) bool {
	p := v.job.Result.dist.Probs[i]
	return math.Abs(float64(v.job.Result.counts[i])-p*manyDraws) > spread(p)+0.5
}

// verdict compares counts and law with Pearson's chi-square test, tokens
// expected fewer than five times taken together.
func (v *draws) verdict() string {
	chi, cells, out := 0.0, 0, 0
	rest, restN := 0.0, 0
	for i, n := range v.job.Result.counts {
		if v.outside(i) {
			out++
		}
		e := v.job.Result.dist.Probs[i] * manyDraws
		if e < 5 {
			rest += e
			restN += n
			continue
		}
		chi += (float64(n) - e) * (float64(n) - e) / e
		cells++
	}
	if rest >= 1 {
		chi += (float64(restN) - rest) * (float64(restN) - rest) / rest
		cells++
	}
	if cells < 2 {
		return "one token holds everything: every draw takes it."
	}
	p := chiSquareTail(chi, cells-1)
	word := "as chance would have it"
	if p < 0.001 {
		word = "hardly chance"
	}
	chance := "p " + viz.Three(p)
	if p < 0.0005 {
		chance = "p below 0.001"
	}
	return fmt.Sprintf("chi-square %.1f on %s: %s, %s. %s of %s lie outside their 95%%.", chi, viz.Plural(cells-1, "degree"), chance, word, viz.Count(out), viz.Count(len(v.job.Result.counts)))
}

// chiSquareTail is the probability that a chi-square variable of k degrees
// exceeds x: the regularised upper incomplete gamma function Q(k/2, x/2), by
// the series below its mean and the continued fraction above (Press et al.
// 2007, section 6.2).
func chiSquareTail(x float64, k int) float64 {
	a, z := float64(k)/2, x/2
	if z <= 0 {
		return 1
	}
	lg, _ := math.Lgamma(a)
	front := math.Exp(-z + a*math.Log(z) - lg)
	if z < a+1 {
		sum, term := 1/a, 1/a
		for n := 1; n < 1000 && term > sum*1e-15; n++ {
			term *= z / (a + float64(n))
			sum += term
		}
		return 1 - front*sum
	}
	const tiny = 1e-300
	b := z + 1 - a
	c, d := 1/tiny, 1/b
	h := d
	for n := 1; n < 1000; n++ {
		an := -float64(n) * (float64(n) - a)
		b += 2
		d = 1 / guard(an*d+b, tiny)
		c = guard(b+an/c, tiny)
		delta := d * c
		h *= delta
		if math.Abs(delta-1) < 1e-15 {
			break
		}
	}
	return front * h
}

func guard(x, tiny float64) float64 {
	if math.Abs(x) < tiny {
		return tiny
	}
	return x
}

// Act takes the actions it names; see [kit.View].
func (v *draws) Act(host kit.Host, a *kit.Action) (tea.Cmd, bool) {
	switch a.ID {
	case kit.ActDraw:
		return v.compute(host), true
	case kit.ActUp, kit.ActDown, kit.ActPane, kit.ActPaneBack, kit.ActZoom:
		return nil, true
	}
	return nil, false
}
