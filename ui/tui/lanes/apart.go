package lanes

import (
	"fmt"
	"strings"

	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// drawApart draws how far the laws are apart on the same text: two lanes line
// by line, token by token, and more as tables.
func (v *View) drawApart(c *viz.Canvas, host kit.Host) {
	if len(v.lanes.All) > 2 {
		v.drawUnder(c.Sub(viz.Rect{X: 0, Y: 0, W: c.W / 2, H: c.H}))
		v.drawDistances(c.Sub(viz.Rect{X: c.W / 2, Y: 0, W: c.W - c.W/2, H: c.H}), host)
		return
	}
	in := viz.Box(c, viz.Frame{Title: "distance on the same text · TV by token, 0 to 1"})
	in = in.Sub(viz.Rect{X: 1, Y: 0, W: in.W - 2, H: in.H})
	v.drawTexts(in, max(in.W/2, 16))
	muted := viz.Ink{Role: viz.Muted}
	lines := []string{v.mixWords(), v.paceWords()}
	for y := 2; y < in.H && len(lines) > 0; y, lines = y+1, lines[1:] {
		in.Put(0, y, viz.CutTitle(lines[0], in.W), muted)
	}
}

// textHead is how wide the name of a text is before its line.
const textHead = 10

// chartWidth is how many tokens a line of w cells has a column for, beside
// words of so many.
func chartWidth(w, words int) int { return max(w-textHead-2-words, 0) }

// drawTexts draws a line for each of two lanes' texts: its distances token by
// token, and what they come to in words cells.
func (v *View) drawTexts(c *viz.Canvas, words int) {
	for i, l := range v.lanes.All {
		o := v.lanes.All[1-i]
		x := c.Put(0, i, fmt.Sprintf("on %d's text ", i+1), viz.Ink{Role: laneRoles[i]})
		if why := v.unread(l, o); why != "" {
			c.Put(x, i, viz.CutTitle(why, c.W-x), viz.Ink{Role: viz.Muted})
			continue
		}
		values, _ := v.series(l, o, min(chartWidth(c.W, words), 60))
		n := viz.Spark(c.Sub(viz.Rect{X: x, Y: i, W: len(values), H: 1}), values, 1, viz.Ink{Role: viz.Draw})
		s := v.under(l, o)
		c.Put(x+n+2, i, distanceWords(&s, c.W-x-n-2), viz.Ink{})
	}
}

// unread says why a lane's text is not read under another's law at all.
func (v *View) unread(text, law *run.Lane) string {
	switch {
	case text.View.Beam != nil || law.View.Beam != nil:
		return "beam search has no distribution to draw from"
	case v.pairOf(text, law).alien:
		return "other vocabulary: the laws cannot be compared"
	case len(text.View.Steps) == 0:
		return "nothing written yet"
	}
	return ""
}

// mixWords say that every number here is of one text.
func (v *View) mixWords() string {
	a, b := v.lanes.All[0], v.lanes.All[1]
	p := v.pairOf(a, b)
	switch {
	case p.alien:
		return ""
	case a.Model != b.Model:
		return "Each model reads both texts itself once the lanes stand still: one context, two models under their settings."
	case p.parts:
		return fmt.Sprintf("Each text is read under both settings: one context, two laws. After token %s the texts differ, so no line mixes them.", viz.Count(p.at[0]+1))
	}
	return "Each text is read under both settings: one context, two laws."
}

// paceWords say how fast the lanes are, and whether they wait for each other.
func (v *View) paceWords() string {
	var parts []string
	for i, l := range v.lanes.All {
		if l.View.Rate > 0 {
			parts = append(parts, fmt.Sprintf("lane %d: %s tok/s", i+1, viz.Rate(l.View.Rate)))
		}
	}
	how := "each lane waits for the slower (w: run free)"
	if v.lanes.Side.Free {
		how = "each lane runs free (w: wait for each other)"
	}
	return strings.Join(append(parts, how), " · ")
}

// A cell is what a table of lanes says of one lane's text under one lane's law.
type cell func(text, law int) string

// drawTable draws a table with a row for every text and a column for every law.
func (v *View) drawTable(c *viz.Canvas, corner, over string, of cell) {
	muted := viz.Ink{Role: viz.Muted}
	c.Put(1, 0, corner, muted)
	const names = 8
	w := max((c.W-names-2)/len(v.lanes.All), 1)
	for j := range v.lanes.All {
		head := fmt.Sprintf("%s %d", over, j+1)
		if viz.Width(head) >= w {
			head = fmt.Sprint(j + 1)
		}
		c.Right(names+w*(j+1), 0, head, muted)
	}
	for i := range v.lanes.All {
		if 1+i >= c.H {
			return
		}
		c.Put(1, 1+i, fmt.Sprintf("text %d", i+1), viz.Ink{Role: laneRoles[i]})
		for j := range v.lanes.All {
			c.Right(names+w*(j+1), 1+i, of(i, j), viz.Ink{})
		}
	}
}

// drawUnder draws the bits a token of each text under each lane.
func (v *View) drawUnder(c *viz.Canvas) {
	in := viz.Box(c, viz.Frame{Title: "each text under each lane · n✗: could not write"})
	v.drawTable(in, "bits of", "under", v.underCell)
}

// underCell is the cross-likelihood of a text under a law.
func (v *View) underCell(text, law int) string {
	s := v.under(v.lanes.All[text], v.lanes.All[law])
	if s.Steps == 0 {
		return "–"
	}
	return run.CrossWords(&s.B)
}

// drawDistances draws the total variation of each text from its own law to
// each lane's.
func (v *View) drawDistances(c *viz.Canvas, host kit.Host) {
	in := viz.Box(c, viz.Frame{Title: "distance on the same text · row: whose text"})
	v.drawTable(in, "TV on", "to law", func(text, law int) string {
		s := v.under(v.lanes.All[text], v.lanes.All[law])
		if text == law || s.Steps == 0 {
			return "–"
		}
		return viz.Three(s.TV())
	})
	if y := len(v.lanes.All) + 1; y < in.H {
		in.Put(1, y, viz.CutTitle(v.luckLine(host, in.W-2), in.W-2), viz.Ink{Role: viz.Muted})
	}
}

// measured reports whether the distance of the steps that a and b show is
// known: they stand after one text.
func (p *pair) measured(a, b *run.Lane) bool {
	if a.ID > b.ID {
		a, b = b, a
	}
	i := run.ShownIndex(a)
	x, y := run.ShownView(a).Step(i), run.ShownView(b).Step(i)
	return p.now.err == nil && i == run.ShownIndex(b) && x != nil && y != nil && p.now.of(x, y) && p.oneText(i)
}

// oneText reports whether the lanes have written the same text before step i,
// from 0.
func (p *pair) oneText(i int) bool { return !p.parts || i <= min(p.at[0], p.at[1]) }

// luckLine lists the draws of the positions up to the one shown, if all lanes
// that draw share them.
func (v *View) luckLine(host kit.Host, w int) string {
	if _, same := v.lanes.SameLuck(); !same {
		return v.lanes.SeedWords() + ": no draw is shared"
	}
	to := run.ShownIndex(host.Lane())
	drawing, racing := 0, 0
	for _, l := range v.lanes.All {
		set := l.ShownSettings()
		if set == nil || !set.Pipeline.Greedy() {
			drawing++
		}
		if set != nil && set.Pipeline.Races() {
			racing++
		}
	}
	head, tail := "u by token ", "  in all lanes"
	switch n := len(v.lanes.All); {
	case drawing == 0:
		return "no lane draws: the best token is taken"
	case racing == drawing:
		return "race: a token has one arrival time at a position, the same in all lanes that draw"
	case racing > 0:
		return "lanes that race and lanes that draw by u do not share their luck"
	case drawing < n:
		tail = fmt.Sprintf("  in the %d lanes that draw", drawing)
	}
	n := max((w-viz.Width(head)-viz.Width(tail))/6, 0)
	var us []string
	for k := max(to+1-n, 0); k <= to; k++ {
		u, known, same := v.drawAt(k)
		switch {
		case !same:
			return "the lanes draw by different generators"
		case known:
			us = append(us, viz.Three(u))
		default:
			us = append(us, "  –  ")
		}
	}
	return head + strings.Join(us, " ") + tail
}

// drawAt is the number that the lanes drew at position k, from 0, whether any
// did, and whether all that did drew the same.
func (v *View) drawAt(k int) (u float64, known, same bool) {
	for _, l := range v.lanes.All {
		st := run.ShownView(l).Step(k)
		if st == nil || st.Trace == nil || st.Trace.Greedy || st.Trace.U == 0 && st.Trace.Hi == st.Trace.Lo {
			continue
		}
		if known && st.Trace.U != u {
			return 0, true, false
		}
		u, known = st.Trace.U, true
	}
	return u, known, true
}
