package beams

import (
	"fmt"
	"strconv"
	"strings"

	"logitscope/engine/beam"
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// drawStanding lists the texts in the running by the score each would have if
// it ended now, and where it stood before the settings changed.
func (v *View) drawStanding(c *viz.Canvas) {
	head := "if the search ended now"
	if v.seen.Done() {
		head = "how the texts rank"
	}
	muted := viz.Ink{Role: viz.Muted}
	c.Put(3, 0, head, muted)
	c.Right(12, 1, "score", muted)
	c.Right(20, 1, "sum", muted)
	c.Right(28, 1, "tokens", muted)
	c.Put(33, 1, "text", muted)
	list := standing(v.seen)
	keys := keysOf(list)
	for i, h := range list {
		y := 2 + i
		if y >= c.H {
			break
		}
		ink := viz.Ink{}
		if i == 0 {
			ink = viz.Ink{Role: viz.Chosen}
		}
		c.Right(4, y, strconv.Itoa(i+1), ink)
		c.Right(12, y, viz.Three(h.Score), ink)
		c.Right(20, y, viz.Two(h.Node.Sum), ink)
		c.Right(28, y, strconv.Itoa(h.Length), ink)
		if h.Finished {
			c.Put(31, y, "■", ink)
		}
		was := v.was(keys[i], i+1)
		room := c.W - 34 - viz.Width(was)
		x := c.Put(33, y, viz.CutHead(viz.OneLine(strings.TrimLeft(v.text(h.Node), " "), c.ASCII), room), ink)
		c.Put(x, y, was, viz.Ink{Role: viz.Draw})
	}
}

// drawFoot says what is finished, what could still win, what greedy decoding
// would write, and shows the settings.
func (v *View) drawFoot(c *viz.Canvas, host kit.Host) {
	muted := viz.Ink{Role: viz.Muted}
	y := c.H - 1
	v.knobs.Draw(c, y, host, v.pane == beamKnobPane)
	put := func(y int, s string, ink viz.Ink) {
		if y >= 0 {
			c.Put(1, y, viz.CutTitle(s, c.W-2), ink)
		}
	}
	if n := c.H - 5; n > 0 {
		v.drawLead(c.Sub(viz.Rect{X: 1, Y: 0, W: c.W - 2, H: n}))
		c = c.Sub(viz.Rect{X: 0, Y: n, W: c.W, H: 5})
	}
	switch {
	case c.H >= 5:
		put(0, v.finishedWords(c.W-2, c.ASCII), viz.Ink{})
		put(1, v.boundWords(), viz.Ink{})
		put(2, v.placesWords(c.W-2, c.ASCII), muted)
		put(3, v.greedyWords(c.W-2, c.ASCII), viz.Ink{Role: viz.Greedy})
	case c.H >= 3:
		put(0, v.finishedWords(c.W-2, c.ASCII), viz.Ink{})
		put(1, v.boundWords(), viz.Ink{})
	default:
		put(0, v.finishedWords(c.W-2, c.ASCII), viz.Ink{})
	}
}

// drawLead draws the whole text that leads, or its end where it is longer than c.
func (v *View) drawLead(c *viz.Canvas) {
	list := standing(v.seen)
	if len(list) == 0 {
		return
	}
	word := "leads: "
	if v.seen.Done() {
		word = "wins: "
	}
	text := viz.OneLine(strings.TrimLeft(v.text(list[0].Node), " "), c.ASCII)
	for y, line := range viz.Fold(word+viz.CutHead(text, c.W*c.H-viz.Width(word)-2*c.H), c.W, c.H) {
		c.Put(0, y, line, viz.Ink{Role: viz.Chosen})
	}
}

// finishedWords lists the finished texts in w cells, best first, with their
// scores.
func (v *View) finishedWords(w int, ascii bool) string {
	s := &v.seen.Settings
	list := v.seen.Finished()
	if v.seen.Done() {
		list = v.seen.Result()
	}
	if len(list) == 0 {
		return "finished: none yet · an end token below the line would be dropped (✗ end)"
	}
	out := fmt.Sprintf("finished: %d of %d", len(list), s.Beams)
	if v.seen.Done() {
		out = "result"
	}
	each := max((w-viz.Width(out))/len(list)-16, 30) // beside number, score and mark
	for i, h := range list {
		text := viz.OneLine(strings.TrimLeft(v.text(h.Node), " "), ascii)
		end := " ■"
		if !h.Finished {
			end = ""
		}
		out += fmt.Sprintf(" · %d: %s %s%s", i+1, viz.Three(h.Score), viz.CutHead(text, each), end)
	}
	return out
}

// was says where the text of a key stood before the last change of settings.
func (v *View) was(key string, now int) string {
	if old, ok := v.before[key]; ok && old != now {
		return fmt.Sprintf(" (was %d)", old)
	}
	return ""
}

// boundWords compares the worst finished text with what a beam could reach.
func (v *View) boundWords() string {
	s := &v.seen.Settings
	formula := fmt.Sprintf("score = sum / length^%s", viz.Two(s.LengthPenalty))
	if s.LengthPenalty == 0 {
		formula = "score = sum (length_penalty 0)"
	}
	if v.seen.Done() {
		return formula + " · " + v.seen.Reason.Explain(s)
	}
	g := &v.seen.Last().Groups[0]
	if !g.Full {
		return formula + " · " + earlyWords[s.Early]
	}
	word := "on"
	if g.Bound <= g.Worst {
		word = "over"
	}
	return fmt.Sprintf("a running beam could still reach %s, the worst kept has %s: %s · %s", viz.Three(g.Bound), viz.Three(g.Worst), word, formula)
}

var earlyWords = map[beam.Early]string{
	beam.EarlyTrue:  "early_stopping true: ends as soon as as many texts are finished as there are beams",
	beam.EarlyFalse: "early_stopping false: on while a beam could still win",
	beam.EarlyNever: "early_stopping never: on while a beam could win at any length",
}

// placesWords says in w cells which texts changed places when the settings
// changed.
func (v *View) placesWords(w int, ascii bool) string {
	if v.before == nil {
		return "change length_penalty and see which text leads then"
	}
	out := ""
	list := standing(v.seen)
	for i, key := range keysOf(list) {
		h := list[i]
		if was := v.was(key, i+1); was != "" && viz.Width(out) < w {
			out += fmt.Sprintf(" · %d %s%s", i+1, viz.CutHead(viz.OneLine(strings.TrimLeft(v.text(h.Node), " "), ascii), max(w/4, 24)), was)
		}
	}
	if out == "" {
		return "after the change: every text keeps its place"
	}
	return "after the change" + out
}

// greedyWords is the text greedy decoding writes, for contrast, in w cells.
func (v *View) greedyWords(w int, ascii bool) string {
	n := v.seen.Last().Greedy
	if n == nil {
		return ""
	}
	text := viz.CutHead(viz.OneLine(strings.TrimLeft(v.text(n), " "), ascii), max(w-60, 60))
	out := fmt.Sprintf("greedy alone: %s · sum %s", text, viz.Two(n.Sum))
	if r := v.seen.Result(); len(r) > 0 {
		switch best := r[0].Node; {
		case best.Depth == n.Depth && best.Sum > n.Sum+1e-9:
			out += fmt.Sprintf(" · the search found %s more", viz.Two(best.Sum-n.Sum))
		case best.Depth == n.Depth && best.Sum >= n.Sum-1e-9:
			out += " · the same as the leading text"
		}
	}
	return out
}
