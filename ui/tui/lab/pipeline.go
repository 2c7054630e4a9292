package lab

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/sampling"
	"logitscope/sampling/dist"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

const stageGap = " ▸ "

// Spans are the intervals of the cumulative strip: the shown survivors, best
// first, as the draw goes through them.
func Spans(t *sampling.Trace, voc models.Vocab, ascii bool) []viz.Span {
	var rows []*sampling.Row
	for i := range t.Rows() {
		if r := &t.Rows()[i]; r.Prob > 0 {
			rows = append(rows, r)
		}
	}
	slices.SortStableFunc(rows, func(a, b *sampling.Row) int { return -cmp.Compare(a.Prob, b.Prob) })
	var out []viz.Span
	cum := 0.0
	for _, r := range rows {
		lo := cum
		cum += float64(r.Prob)
		s := viz.Span{Label: run.StripLabel(voc, r.ID, ascii), Hi: min(cum, 1), Chosen: r.ID == t.Token}
		if s.Chosen && t.Hi > t.Lo && !t.Greedy { // a forced token has no interval of the draw
			if t.Lo > lo+1e-6 { // tokens without a row come before it
				out = append(out, viz.Span{Hi: t.Lo})
			}
			s.Hi, cum = t.Hi, t.Hi
		}
		out = append(out, s)
	}
	if len(out) == 0 || out[len(out)-1].Hi < 1-1e-4 {
		out = append(out, viz.Span{Hi: 1})
	}
	return out
}

// DrawStrip draws the survivors as the draw goes through them, and where it
// fell.
func (lb *View) DrawStrip(c *viz.Canvas, l *run.Lane, t *sampling.Trace) {
	if s := l.Step(); t.Race.Ran && s != nil {
		viz.Race(c, arrivals(t, s, l.Vocab(), c.ASCII))
		return
	}
	u := t.U
	if t.Greedy || undrawn(t) {
		u = -1
	}
	viz.Strip(c, Spans(t, l.Vocab(), c.ASCII), u)
}

// arrivals are the shown survivors as they come in.
func arrivals(t *sampling.Trace, s *engine.Step, voc models.Vocab, ascii bool) []viz.Arrival {
	var d dist.Dist
	for i := range t.Rows() {
		if r := &t.Rows()[i]; r.Prob > 0 {
			d.IDs, d.Probs = append(d.IDs, r.ID), append(d.Probs, float64(r.Prob))
		}
	}
	var out []viz.Arrival
	for i, at := range s.Settings.Pipeline.ArrivalTimes(&d, s.Pos, t.Constraint.Redrawn) {
		out = append(out, viz.Arrival{Label: run.StripLabel(voc, d.IDs[i], ascii), Time: at, Chosen: d.IDs[i] == t.Token})
	}
	slices.SortStableFunc(out, func(a, b viz.Arrival) int { return cmp.Compare(a.Time, b.Time) })
	return out
}

// DrawWords says where the draw fell.
func (lb *View) DrawWords(l *run.Lane, s *engine.Step, verb string) string {
	t := s.Trace
	name := l.Piece(t.Token, lb.pal.ASCII)
	switch {
	case s.Observed:
		return "the server chose " + name + "; nothing is drawn here"
	case s.Forced && t.Greedy:
		return "forced " + l.Piece(s.Token, lb.pal.ASCII) + "; greedy would have taken " + l.Piece(s.Drawn, lb.pal.ASCII)
	case s.Forced && s.Settings.Pipeline.Races():
		return "forced " + l.Piece(s.Token, lb.pal.ASCII) + "; the race would have taken " + l.Piece(s.Drawn, lb.pal.ASCII)
	case s.Forced:
		return "forced " + l.Piece(s.Token, lb.pal.ASCII) + "; the draw u " + viz.Three(t.U) + " would have taken " + l.Piece(s.Drawn, lb.pal.ASCII)
	case t.Greedy:
		list := drawnStages(t)
		return "no draw: " + name + " is the best of " + viz.Count(list[len(list)-1].Kept)
	}
	if t.Race.Ran {
		words := name + " comes in first, at " + viz.ArrivalTime(t.Race.Time)
		if t.Race.Next >= 0 {
			words += "; " + l.Piece(t.Race.Next, lb.pal.ASCII) + " is next, at " + viz.ArrivalTime(t.Race.NextTime)
		}
		return words
	}
	return "draw u " + viz.Three(t.U) + verb + name + " " + viz.Interval(t.Lo, t.Hi)
}

// drawPipeline draws the stages and the draw.
func (lb *View) drawPipeline(c *viz.Canvas, l *run.Lane, k kit.Class) {
	s := l.Step()
	if s == nil || s.Trace == nil {
		return
	}
	y := 0
	if k == kit.Class160 || lb.Zoom {
		y = lb.drawStages(c, s)
	} else {
		lb.drawOneLiner(c, 1, 0, c.W-2, s.Trace)
		y = 1
		if c.H > 6 {
			y = 2
		}
	}
	lb.DrawStrip(c.Sub(viz.Rect{X: 1, Y: y, W: c.W - 2, H: 2}), l, s.Trace)
	words := lb.DrawWords(l, s, " falls in ")
	if b := l.Before(); b != nil && b.Trace != nil && b.Trace.Token != s.Trace.Token {
		words += "   was " + l.Piece(b.Trace.Token, lb.pal.ASCII)
	}
	c.Put(1, y+2, words, viz.Ink{Role: viz.Draw})
}

// drawStages draws the table of stages and returns the line below it.
func (lb *View) drawStages(c *viz.Canvas, s *engine.Step) int {
	muted := viz.Ink{Role: viz.Muted}
	c.Put(1, 0, "stage", muted)
	for _, h := range kit.StageColumns {
		c.Right(h.Right, 0, h.Head, muted)
	}
	c.Put(51, 0, "what it did", muted)
	stages := s.Trace.Stages()
	room := max(c.H-5, 1)
	from := max(min(lb.sel.Stage-room/2, len(stages)-room), 0)
	y := 1
	for i := from; i < len(stages) && i < from+room; i++ {
		lb.drawStage(c, y, stages[i], i)
		c.Put(51, y, viz.CutTitle(whatItDid(lb, s, i), c.W-52), viz.Ink{})
		y++
	}
	return y
}

func (lb *View) drawStage(c *viz.Canvas, y int, st sampling.StageTrace, i int) {
	ink := viz.Ink{}
	if lb.has(PanePipeline) && i == lb.sel.Stage {
		c.Put(1, y, "▸", viz.Ink{Role: viz.Focus})
		ink.Role = viz.Focus
	}
	name := st.Label
	if i == 0 {
		name = "logits"
	}
	c.Fit(3, y, 18, name, ink)
	for _, h := range kit.StageColumns {
		c.Right(h.Right, y, h.Text(st), ink)
	}
}

// whatItDid says in words what stage i did to the row.
func whatItDid(lb *View, s *engine.Step, i int) string {
	t := s.Trace
	st := t.Stages()[i]
	l := lb.lanes.Lane()
	switch {
	case i == 0:
		if t.NoPiece > 0 {
			return fmt.Sprintf("the model's own numbers, %s ids without a piece", viz.Count(t.NoPiece))
		}
		return "the model's own numbers"
	case st.Removed > 0:
		first := firstCut(t, i)
		if first == nil || st.LastRank > 40 {
			return "cut the " + viz.Count(st.Removed) + " least likely"
		}
		more := ""
		if cutBefore(t, i) {
			more = " more"
		}
		return fmt.Sprintf("cut %s%s, from %s on", viz.Count(st.Removed), more, run.StripLabel(l.Vocab(), first.ID, lb.pal.ASCII))
	case st.Touched > 0:
		return touchedWords(lb, t, i)
	case i > 0 && !isCut(st.Name):
		before := t.Stages()[i-1].Bits
		switch {
		case st.Bits < before-1e-6:
			return "sharper: the best gain, the rest lose"
		case st.Bits > before+1e-6:
			return "flatter: the best lose, the rest gain"
		}
	case isCut(st.Name):
		return "cut nothing here"
	}
	return "changed nothing here"
}

// firstCut returns the best shown token that stage i removed.
func firstCut(t *sampling.Trace, i int) *sampling.Row {
	for k := range t.Rows() {
		if r := &t.Rows()[k]; int(r.Cut) == i {
			return r
		}
	}
	return nil
}

func cutBefore(t *sampling.Trace, i int) bool {
	for _, st := range t.Stages()[:i] {
		if st.Removed > 0 {
			return true
		}
	}
	return false
}

// ways says in which directions stage i moved likely tokens.
func ways(t *sampling.Trace, i int) (up, down bool) {
	for k := range t.Rows() {
		r := &t.Rows()[k]
		up, down = up || r.Raised&(1<<i) != 0, down || r.Lowered&(1<<i) != 0
	}
	return up, down
}

// moveArrow points where stage i moved tokens; down, as penalties do, where it
// moved none of the likely ones.
func moveArrow(t *sampling.Trace, i int) string {
	switch up, down := ways(t, i); {
	case up && down:
		return "↕"
	case up:
		return "↑"
	}
	return "↓"
}

// touchedWords names the likeliest tokens whose logit stage i moved.
func touchedWords(lb *View, t *sampling.Trace, i int) string {
	var names []string
	verb := "lowered"
	switch up, down := ways(t, i); {
	case up && down:
		verb = "moved"
	case up:
		verb = "raised"
	}
	st := t.Stages()[i]
	for k := range t.Rows() {
		r := &t.Rows()[k]
		if (r.Raised|r.Lowered)&(1<<i) == 0 {
			continue
		}
		if len(names) < 3 {
			names = append(names, run.StripLabel(lb.lanes.Lane().Vocab(), r.ID, lb.pal.ASCII))
		}
	}
	s := viz.Plural(st.Touched, "token") + " " + verb
	if len(names) == 0 {
		return s + ", none of them likely"
	}
	s += ": " + strings.Join(names, ", ")
	if st.Touched > len(names) {
		s += " …"
	}
	return s
}
