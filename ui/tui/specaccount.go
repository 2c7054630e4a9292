package tui

import (
	"fmt"

	"logitscope/engine/speculative"
	"logitscope/viz"
)

// drawHistogram draws how often how many drafted tokens stood, and how often
// they would if each stood with the same chance.
func (v *specView) drawHistogram(c *viz.Canvas) {
	d := v.lane.view.Draft
	muted := viz.Ink{Role: viz.Muted}
	c.Put(2, 0, viz.CutTitle(fmt.Sprintf("accepted in a round  █ rounds  ◇ expected if each token stood with %s", viz.Percent(d.Alpha)), c.W-4), muted)
	most := 1.0
	for i := range d.Accepts {
		most = max(most, float64(d.Accepts[i]), d.Expected[i])
	}
	for i := 0; i < len(d.Accepts) && 1+i < c.H; i++ {
		y := 1 + i
		c.Right(4, y, digits(i), viz.Ink{})
		c.Right(11, y, viz.Count(d.Accepts[i]), viz.Ink{})
		c.Right(19, y, fmt.Sprintf("%.1f", d.Expected[i]), muted)
		w := c.W - 24
		if w < 8 {
			continue
		}
		viz.Bars(c.Sub(viz.Rect{X: 21, Y: y, W: w, H: 1}), []viz.Bar{{Final: float64(d.Accepts[i]) / most, Single: true}}, 1)
		c.Put(21+min(int(d.Expected[i]/most*float64(w)), w-1), y, "◇", viz.Ink{Role: viz.Draw})
	}
}

// drawAccount draws the running account: acceptance, tokens a pass, times and
// the speed-up really measured, with what a draft may cost.
func (v *specView) drawAccount(c *viz.Canvas) {
	d := v.lane.view.Draft
	n := len(d.Rounds)
	per := "0"
	if n > 0 {
		per = fmt.Sprintf("%.2f of %.3g", float64(d.Accepted)/float64(n), float64(d.Drafted)/float64(n))
	}
	put := func(y int, s string) {
		if y < c.H {
			c.Put(2, y, viz.CutTitle(s, c.W-4), viz.Ink{})
		}
	}
	put(0, fmt.Sprintf("%s: %s accepted · %.2f tokens a pass (theory %.2f) · stands with %s, did in %s", plural(n, "round"), per, d.PerPass, d.Formula, viz.Percent(d.Alpha), viz.Percent(d.Rate)))
	if c.H > 1 {
		put(1, speedWords(d))
	}
	if c.H > 2 {
		put(2, costWords(d))
	}
}

func speedWords(d *speculative.View) string {
	if d.Speedup == 0 {
		return "speed-up: not measured yet"
	}
	s := fmt.Sprintf("measured %.2f× plain decoding · pass %s, draft token %s, plain step %s", d.Speedup, viz.Duration(d.PassTime), viz.Duration(d.DraftStep), viz.Duration(d.PlainTime))
	if d.Speedup < 1 {
		s += " · it does not pay here"
	}
	return s
}

func costWords(d *speculative.View) string {
	switch {
	case d.Speedup == 0:
		return ""
	case d.BreakEven <= 0:
		return fmt.Sprintf("it cannot pay here: checking costs %.2f plain steps and yields %.2f tokens", d.Verify, d.PerPass)
	}
	return fmt.Sprintf("a draft token costs %.2f of a plain step; below %.2f it pays", d.Cost, d.BreakEven)
}
