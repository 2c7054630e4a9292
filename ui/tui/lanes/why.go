package lanes

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"logitscope/engine"
	"logitscope/engine/compare"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// pairShown returns the pair whose parting is explained: the lanes it is
// between, and what is known about it.
func (v *View) pairShown() (i, k int, p *pair) {
	i, k = v.reference(), -1
	for j := range v.lanes.All {
		if j == i {
			continue
		}
		if q := v.pairOf(v.lanes.All[i], v.lanes.All[j]); k < 0 || q.parts && (!p.parts || q.at[0] < p.at[0]) {
			k, p = j, q
		}
	}
	if _, turned := keyOf(v.lanes.All[i], v.lanes.All[k]); turned {
		i, k = k, i
	}
	return i, k, p
}

func (v *View) whyTitle() string {
	i, k, p := v.pairShown()
	if !p.parts {
		return "same text so far"
	}
	title := "why they part here"
	if at := run.ShownIndex(v.lanes.All[i]); at != p.at[0] {
		title = fmt.Sprintf("why they part at token %s", viz.Count(p.at[0]+1))
	}
	if len(v.lanes.All) > 2 {
		title += fmt.Sprintf(" · lanes %d and %d", i+1, k+1)
	}
	return title
}

// drawWhy explains the parting in whole sentences.
func (v *View) drawWhy(c *viz.Canvas, host kit.Host) {
	y := 0
	for _, s := range v.whySentences(host) {
		if s == "" || y >= c.H-1 {
			continue
		}
		for _, line := range viz.Fold(s, c.W-2, c.H-1-y) {
			c.Put(1, y, viz.CutTitle(line, c.W-2), viz.Ink{})
			y++
		}
	}
	c.Put(1, c.H-1, viz.CutTitle(v.whatNext(), c.W-2), viz.Ink{Role: viz.Muted})
}

// whatNext says which keys go on from a parting.
func (v *View) whatNext() string {
	if _, _, p := v.pairShown(); !p.parts {
		return "tab chooses a lane · t makes keys act on it alone · 1-5 presets, -/+ the selected knob · space runs all"
	}
	others := "lanes"
	if len(v.lanes.All) == 2 {
		others = "lane"
	}
	return fmt.Sprintf("f forces lane %d's token in the other %s · ← one token back · [ ] go to the parting · enter opens this step in the lab", v.lanes.Cur+1, others)
}

// whySentences explain the parting: the draw and both intervals, one change
// at a time, and the distance of the steps shown.
func (v *View) whySentences(host kit.Host) []string {
	i, k, p := v.pairShown()
	a, b := v.lanes.All[i], v.lanes.All[k]
	now := v.nowWords(p, a, b)
	switch {
	case !p.parts:
		x, y := len(a.View.Steps), len(b.View.Steps)
		n := min(x, y)
		switch {
		case n == 0 && x+y > 0:
			return []string{fmt.Sprintf("Lane %d has %s, lane %d has %s: nothing stands side by side yet.", i+1, viz.Plural(x, "token"), k+1, viz.Plural(y, "token"))}
		case n == 0:
			return []string{fmt.Sprintf("Nothing is written yet; at the first token lanes %d and %d choose the same.", i+1, k+1), now}
		}
		return []string{fmt.Sprintf("Lanes %d and %d wrote the same %s: both chose the same at every place.", i+1, k+1, viz.Plural(n, "token")), now}
	case p.alien:
		return []string{"The lanes run models with different vocabularies: the texts are compared letter by letter, the distributions cannot be."}
	case a.View.Beam != nil || b.View.Beam != nil:
		return []string{"Beam search draws no token: it keeps the texts whose scores are highest, so there is no draw to explain the parting."}
	case drafted(p.steps[0]) || drafted(p.steps[1]):
		return []string{"Drafted tokens are judged in rounds: the law of every token stays the same, but the luck is spent on judging, so the texts part.", now}
	case p.err != nil:
		return []string{viz.Printable(viz.FirstLine(p.err.Error()), host.Screen().ASCII()), now}
	case p.why == nil:
		return []string{"The logits of that step are no longer kept; enter opens it in the lab, which computes them again.", now}
	}
	x, y := p.steps[0], p.steps[1]
	w := p.why
	name := func(id int32) string { return a.Piece(id, host.Screen().ASCII()) }
	return []string{
		drawWords(w, x, y, i, k, name, a.Model != b.Model),
		aloneWords(w, name, a.Model != b.Model),
		now,
	}
}

func drafted(s *engine.Step) bool { return s != nil && s.Round != nil }

// drawWords says where the draw fell in each lane.
func drawWords(w *compare.Parting, x, y *engine.Step, i, k int, name func(int32) string, models bool) string {
	var parts []string
	for _, s := range []struct {
		lane  int
		step  *engine.Step
		side  compare.Side
		other int32
	}{{i + 1, x, w.A, w.B.Token}, {k + 1, y, w.B, w.A.Token}} {
		if s.step.Forced {
			parts = append(parts, fmt.Sprintf("Lane %d: %s was forced.", s.lane, name(s.side.Token)))
		}
	}
	u, v := x.Trace.U, y.Trace.U
	switch {
	case len(parts) > 0:
	case x.Trace.Greedy || y.Trace.Greedy:
	case w.Race && run.SameSetting(x.Settings.Config(), y.Settings.Config(), "seed"):
		parts = append(parts, "Both race by the same arrival times.")
	case w.Race:
		parts = append(parts, "Both race, by the times of different seeds.")
	case x.Trace.Race.Ran != y.Trace.Race.Ran:
		parts = append(parts, "One draws by u, the other by a race.")
	case u == v:
		parts = append(parts, fmt.Sprintf("Both drew u %s.", viz.Three(u)))
	default:
		parts = append(parts, fmt.Sprintf("Lane %d drew u %s, lane %d u %s: %s.", i+1, viz.Three(u), k+1, viz.Three(v), luckWords(x, y, i, k)))
	}
	if models {
		parts = append(parts, "Their models differ.")
	}
	parts = append(parts, fellWords(i+1, x, w.A, w.B.Token, name), fellWords(k+1, y, w.B, w.A.Token, name))
	return strings.Join(parts, " ")
}

// luckWords says why two lanes drew different numbers at the same token.
func luckWords(x, y *engine.Step, i, k int) string {
	again := func(s *engine.Step) bool { return s.Constraint != nil && s.Constraint.Redrawn }
	a, b := x.Settings.Config(), y.Settings.Config()
	switch {
	case !run.SameSetting(a, b, "seed"):
		return "their seeds differ"
	case again(x) != again(y) && again(x):
		return fmt.Sprintf("the constraint refused lane %d's first draw", i+1)
	case again(x) != again(y):
		return fmt.Sprintf("the constraint refused lane %d's first draw", k+1)
	case a.Order().Engine() != b.Order().Engine():
		return "their engines draw each in its own way"
	}
	return "one has drawn more often before"
}

// fellWords says why one lane took its token and not the other lane's.
func fellWords(lane int, s *engine.Step, side compare.Side, other int32, name func(int32) string) string {
	t := s.Trace
	mine, theirs := name(side.Token), name(other)
	switch {
	case s.Forced:
		return ""
	case t.Greedy:
		return fmt.Sprintf("Lane %d takes the best without a draw: %s, %s raw.", lane, mine, viz.Percent(float64(t.RawProb)))
	case t.Race.Ran && side.OtherHi == 0:
		return fmt.Sprintf("Lane %d: %s is cut; %s comes in first, at %s.", lane, theirs, mine, viz.ArrivalTime(side.Time))
	case t.Race.Ran:
		return fmt.Sprintf("Lane %d: %s comes in at %s, before %s at %s.", lane, mine, viz.ArrivalTime(side.Time), theirs, viz.ArrivalTime(side.OtherTime))
	case side.OtherHi == 0 && side.Cut != "":
		return fmt.Sprintf("Lane %d: %s removed %s; u falls in %s %s.", lane, side.Cut, theirs, mine, viz.Interval(side.Lo, side.Hi))
	case side.OtherHi == 0:
		return fmt.Sprintf("Lane %d: %s did not survive; u falls in %s %s.", lane, theirs, mine, viz.Interval(side.Lo, side.Hi))
	case side.OtherHi <= t.U:
		return fmt.Sprintf("Lane %d: %s ends earlier, at %s; u falls in %s %s.", lane, theirs, viz.Three(side.OtherHi), mine, viz.Interval(side.Lo, side.Hi))
	}
	return fmt.Sprintf("Lane %d: %s covers %s, so u is inside; %s comes after it.", lane, mine, viz.Interval(side.Lo, side.Hi), theirs)
}

// whereDrawn says where a token was drawn: in its interval, or when it came in.
func whereDrawn(s *engine.Step, side compare.Side) string {
	if s.Trace.Race.Ran {
		return "in at " + viz.ArrivalTime(side.Time)
	}
	return viz.Interval(side.Lo, side.Hi)
}

// aloneWords says what each setting that differs would do by itself.
func aloneWords(w *compare.Parting, name func(int32) string, otherModel bool) string {
	if len(w.Alone) == 0 && otherModel {
		return "" // the models differ, which has been said
	}
	if len(w.Alone) == 0 {
		return "Their settings are the same: what was forced or drawn differs."
	}
	var parts, idle []string
	for _, c := range w.Alone {
		still := "draws " + name(c.Token)
		if c.Token == w.A.Token {
			still = "still " + name(c.Token)
		}
		switch key := cmp.Or(penaltyNames[c.Key], c.Key); {
		case c.Token == w.A.Token && (w.Race && math.Abs(c.Time/w.A.Time-1) < 5e-7 || !w.Race && math.Abs(c.Hi-w.A.Hi) < 5e-7):
			if run.IsTuning(c.Key) {
				idle = append(idle, key)
			}
		case c.Hi == 0:
			parts = append(parts, fmt.Sprintf("%s alone removes %s (%s)", key, name(w.A.Token), still))
		case w.Race:
			parts = append(parts, fmt.Sprintf("%s alone: %s at %s (%s)", key, name(w.A.Token), viz.ArrivalTime(c.Time), still))
		case c.Token != w.A.Token && c.Hi > w.U:
			parts = append(parts, fmt.Sprintf("%s alone puts %s beyond u (%s)", key, name(w.A.Token), still))
		default:
			parts = append(parts, fmt.Sprintf("%s alone ends %s at %s (%s)", key, name(w.A.Token), viz.Three(c.Hi), still))
		}
	}
	if len(idle) > 0 {
		parts = append(parts, strings.Join(idle, ", ")+" alone changes nothing here")
	}
	return "One change at a time: " + strings.Join(parts, " · ") + "."
}

// penaltyNames are the penalties by their short names.
var penaltyNames = map[string]string{"repetition_penalty": "repetition", "frequency_penalty": "frequency", "presence_penalty": "presence"}

// nowWords are the numbers of the steps shown.
func (v *View) nowWords(p *pair, a, b *run.Lane) string {
	at, other := run.ShownIndex(a)+1, run.ShownIndex(b)+1
	switch {
	case p.measured(a, b):
	case p.parts && at == other && !p.oneText(at-1):
		return fmt.Sprintf("At token %s the texts before are not the same: laws are compared on one text alone, below.", viz.Count(at))
	case at != other:
		return fmt.Sprintf("The steps shown cannot be measured against each other: one lane stands at token %s, the other at token %s.", viz.Count(at), viz.Count(other))
	default:
		return "The steps shown cannot be measured against each other: the logits of one are not at hand."
	}
	d := p.now.d
	return fmt.Sprintf("At token %s: total variation %s · Jensen-Shannon %s bits · survivors shared %s of %s", viz.Count(at),
		viz.Three(d.TV), viz.Three(d.JS), viz.Count(d.Shared), viz.Count(d.Either))
}

// drawLines says it all in as many lines as there are.
func (v *View) drawLines(c *viz.Canvas) {
	i, k, p := v.pairShown()
	a, b := v.lanes.All[i], v.lanes.All[k]
	first := "same text so far"
	if p.parts {
		first = fmt.Sprintf("parts at token %d", p.at[0]+1)
		if w := p.why; w != nil && !drafted(p.steps[0]) && !drafted(p.steps[1]) && !p.steps[0].Trace.Greedy && !p.steps[1].Trace.Greedy {
			at := fmt.Sprintf("token %d", p.at[0]+1)
			if run.ShownIndex(a) == p.at[0] {
				at = "here"
			}
			x, y := w.A, a.Piece(w.A.Token, c.ASCII)
			first = fmt.Sprintf("parts %s: u %s · %d: %s %s · %d: ", at, viz.Three(w.U), i+1, y, viz.Interval(x.Lo, x.Hi), k+1)
			raced := p.steps[0].Trace.Race.Ran || p.steps[1].Trace.Race.Ran
			if raced {
				first = fmt.Sprintf("parts %s · %d: %s %s · %d: ", at, i+1, y, whereDrawn(p.steps[0], x), k+1)
			}
			switch {
			case raced:
				first += b.Piece(w.B.Token, c.ASCII) + " " + whereDrawn(p.steps[1], w.B)
			case w.B.OtherHi == 0:
				first += y + " is cut"
			case w.B.OtherHi <= w.U:
				first += y + " ends at " + viz.Three(w.B.OtherHi)
			default:
				first += b.Piece(w.B.Token, c.ASCII) + " " + viz.Interval(w.B.Lo, w.B.Hi)
			}
		}
	}
	in := c.Sub(viz.Rect{X: 1, Y: 0, W: c.W - 2, H: c.H})
	in.Put(0, 0, viz.CutTitle(first, in.W), viz.Ink{})
	if len(v.lanes.All) == 2 && c.H > 1 {
		v.drawTexts(in.Sub(viz.Rect{X: 0, Y: 1, W: in.W, H: c.H - 1}), in.W/2)
		return
	}
	s := v.under(a, b)
	second := fmt.Sprintf("lanes %d, %d · on %d's text: ", i+1, k+1, i+1)
	if why := v.unread(a, b); why != "" {
		second += why
	} else {
		second += distanceWords(&s, in.W-viz.Width(second))
	}
	in.Put(0, 1, viz.CutTitle(second, in.W), viz.Ink{})
}
