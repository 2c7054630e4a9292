package draft

import (
	"fmt"
	"strconv"

	"logitscope/engine/speculative"
	"logitscope/viz"
)

// theory reports whether drafted tokens are judged one by one, so that each
// has a chance of its own to stand: a draft judged as a whole has none.
func theory(d *speculative.View) bool { return d.Algorithm != speculative.Block && !sideBySide(d) }

// histogramLines is how many lines the histogram takes of room: a blank one,
// its title and at least three rows, or none.
func histogramLines(d *speculative.View, room int) int {
	n := min(len(d.Accepts)+2, room-7) // seven are for the round's last draw
	if n < min(len(d.Accepts)+2, 5) {
		return 0
	}
	return n
}

// drawHistogram draws how often how many drafted tokens stood, and how often
// they would if each stood with the same chance. Rows that do not fit are one.
func (v *View) drawHistogram(c *viz.Canvas) {
	d := v.lane.View.Draft
	muted := viz.Ink{Role: viz.Muted}
	head := "accepted in a round  █ rounds"
	if theory(d) {
		head += fmt.Sprintf("  ◇ expected if each token stood with %s", viz.Percent(d.Alpha))
	}
	c.Put(2, 0, viz.CutTitle(head, c.W-4), muted)
	rows := len(d.Accepts)
	if rows > c.H-1 {
		rows = c.H - 2
		n, want := 0, 0.0
		for i := rows; i < len(d.Accepts); i++ {
			n, want = n+d.Accepts[i], want+d.Expected[i]
		}
		s := fmt.Sprintf("⋮ %d to %d: %s", rows, len(d.Accepts)-1, viz.Plural(n, "round"))
		if theory(d) {
			s += fmt.Sprintf(", %.1f expected", want)
		}
		c.Put(3, c.H-1, viz.CutTitle(s, c.W-5), muted)
	}
	most := 1.0
	for i := range rows {
		most = max(most, float64(d.Accepts[i]))
		if theory(d) {
			most = max(most, d.Expected[i])
		}
	}
	for i := range rows {
		v.drawAccepts(c, 1+i, i, most)
	}
}

// drawAccepts draws the row of the rounds in which i tokens stood.
func (v *View) drawAccepts(c *viz.Canvas, y, i int, most float64) {
	d := v.lane.View.Draft
	c.Right(4, y, strconv.Itoa(i), viz.Ink{})
	c.Right(11, y, viz.Count(d.Accepts[i]), viz.Ink{})
	if theory(d) {
		c.Right(19, y, fmt.Sprintf("%.1f", d.Expected[i]), viz.Ink{Role: viz.Muted})
	}
	w := c.W - 24
	if w < 8 {
		return
	}
	viz.Bars(c.Sub(viz.Rect{X: 21, Y: y, W: w, H: 1}), []viz.Bar{{Final: float64(d.Accepts[i]) / most, Single: true}}, 1)
	if theory(d) {
		c.Put(21+min(int(d.Expected[i]/most*float64(w)), w-1), y, "◇", viz.Ink{Role: viz.Draw})
	}
}

// drawAccount draws the running account: acceptance, tokens a pass, times and
// the speed-up really measured, with what a draft may cost.
func (v *View) drawAccount(c *viz.Canvas) {
	d := v.lane.View.Draft
	n := d.Counted
	per := "0"
	if n > 0 {
		per = fmt.Sprintf("%.2f of %.3g", float64(d.Accepted)/float64(n), float64(d.Drafted)/float64(n))
	}
	put := func(y int, forms ...string) {
		if y < c.H {
			c.Put(2, y, viz.FirstFit(c.W-4, forms...), viz.Ink{})
		}
	}
	head := viz.Plural(n, "round")
	if n < len(d.Rounds) {
		head = fmt.Sprintf("%s of %d with this draft and rule", head, len(d.Rounds))
	}
	head += fmt.Sprintf(": %s accepted · %.2f tokens a pass", per, d.PerPass)
	if sideBySide(d) && n > 0 {
		passes, word := float64(d.Passes)/float64(n), "passes"
		if d.Passes == n {
			word = "pass"
		}
		head += fmt.Sprintf(" · %.3g tokens drafted, %.3g run in %.3g %s", float64(d.Tried)/float64(n), float64(d.Fed)/float64(n), passes, word)
	}
	if theory(d) {
		head += fmt.Sprintf(" (theory %.2f) · stands with %s, did in %s", d.Formula, viz.Percent(d.Alpha), viz.Percent(d.Rate))
	}
	put(0, head)
	if c.H > 1 {
		put(1, speedWords(d))
	}
	if c.H > 2 {
		put(2, costWords(d)...)
	}
}

// judgedRounds is how many rounds there must be before the account says that
// drafting does not pay: the first ones say little, and the caches are cold.
const judgedRounds = 10

func speedWords(d *speculative.View) string {
	if d.Speedup == 0 {
		return "speed-up: not measured yet"
	}
	s := fmt.Sprintf("measured %.2f× plain decoding · pass %s, ", d.Speedup, viz.Duration(d.PassTime))
	if d.DraftStep > 0 {
		s += fmt.Sprintf("draft token %s, ", viz.Duration(d.DraftStep))
	}
	s += "plain step " + viz.Duration(d.PlainTime)
	if d.Speedup < 1 && d.Counted >= judgedRounds {
		s += " · it does not pay here"
	}
	return s
}

// costWords say what a round costs, in forms, the longest first.
func costWords(d *speculative.View) []string {
	check := fmt.Sprintf("checking costs %.2f plain steps and yields %.2f tokens", d.Verify, d.PerPass)
	switch {
	case d.Speedup == 0:
		return nil
	case d.BreakEven <= 0 && d.Counted < judgedRounds:
		return []string{check + fmt.Sprintf("; whether it pays shows after %d rounds", judgedRounds), check}
	case d.BreakEven <= 0:
		return []string{"it cannot pay here: " + check, fmt.Sprintf("it cannot pay here: %.2f plain steps for %.2f tokens", d.Verify, d.PerPass)}
	}
	if d.DraftStep == 0 {
		return []string{
			fmt.Sprintf("a draft token is looked up: it costs no pass of a model; below %.2f plain steps it pays", d.BreakEven),
			fmt.Sprintf("a draft token is looked up; below %.2f plain steps it pays", d.BreakEven),
		}
	}
	return []string{fmt.Sprintf("a draft token costs %.2f of a plain step; below %.2f it pays", d.Cost, d.BreakEven)}
}
