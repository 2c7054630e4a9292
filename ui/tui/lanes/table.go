package lanes

import (
	"fmt"
	"strconv"

	"logitscope/engine"
	"logitscope/engine/compare"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// A laneSum is what one lane's text came to so far.
type laneSum struct {
	last *engine.Step // it was summed up to; nil for none
	n    int
	compare.Stats
	bits float64 // surprisal a token under the model itself
	kept float64 // survivors a token
}

// count sums up the texts that have grown since.
func (v *View) count() {
	for _, l := range v.lanes.All {
		steps := l.View.Steps
		last := lastStep(l.View)
		if s, ok := v.sums[l.ID]; ok && s.last == last && s.n == len(steps) {
			continue
		}
		s := laneSum{last: last, n: len(steps), Stats: compare.Measure(steps)}
		s.bits = -s.MeanLogprob / ln2
		for _, st := range steps {
			s.kept += float64(st.Summary.Survived) / float64(len(steps))
		}
		v.sums[l.ID] = s
	}
}

const ln2 = 0.6931471805599453

// A tableColumn is a column of the table of lanes.
type tableColumn struct {
	head, short string // short where there is little room
	w, narrow   int    // with the blank before it, at full width and below 100 columns
	of          func(v *View, l *run.Lane, s laneSum) string
}

// unwritten is what a column says of a lane that has written nothing, or searches.
const unwritten = "–"

// tableColumnList are the columns of the table, those that stay longest in front.
var tableColumnList = []tableColumn{
	{"tokens", "tok", 8, 5, func(_ *View, l *run.Lane, s laneSum) string { return viz.Count(s.n) }},
	{"end", "end", 8, 8, func(_ *View, l *run.Lane, _ laneSum) string { return shortEnd(l) }},
	{"bits", "bits", 7, 6, func(_ *View, _ *run.Lane, s laneSum) string { return two(s.bits, s.n) }},
	{"entropy", "entr.", 9, 7, func(_ *View, _ *run.Lane, s laneSum) string { return two(s.MeanEntropy, s.n) }},
	{"dist-2", "dist-2", 8, 8, func(_ *View, _ *run.Lane, s laneSum) string { return two(s.Distinct2, s.n-1) }},
	{"4-grams", "4-gr.", 9, 7, func(_ *View, _ *run.Lane, s laneSum) string {
		if s.n < 4 {
			return unwritten
		}
		return viz.WholePercent(s.Repeated4)
	}},
	{"loop", "loop", 7, 8, func(_ *View, l *run.Lane, _ laneSum) string {
		if p := l.Loop; p != nil {
			return fmt.Sprintf("%d × %d", p.Period, p.Copies)
		}
		return unwritten
	}},
	{"kept", "kept", 7, 7, func(_ *View, _ *run.Lane, s laneSum) string {
		switch {
		case s.n == 0:
			return unwritten
		case s.kept >= 999.5:
			return viz.Count(int(s.kept + .5))
		}
		return strconv.FormatFloat(s.kept, 'f', 1, 64)
	}},
}

// two is x with two decimals, where at least one thing was counted.
func two(x float64, of int) string {
	if of < 1 {
		return unwritten
	}
	return viz.Two(x)
}

// shortEnd says in a word how a text ended, or that it goes on.
func shortEnd(l *run.Lane) string {
	switch l.View.Phase {
	case engine.Failed:
		return "failed"
	case engine.Done:
	default:
		return "…"
	}
	return shortReasons[l.View.Reason]
}

var shortReasons = map[engine.Reason]string{
	engine.EOS: "eos", engine.Length: "length", engine.ContextFull: "context", engine.Stop: "stop", engine.Repetition: "loop", engine.Constraint: "form",
}

// tableColumns are the columns that w cells hold beside names of at least so
// many cells; of two lanes each text under the other's law too.
func (v *View) tableColumns(w, least int) (cols []tableColumn, name int) {
	cols = tableColumnList
	if len(v.lanes.All) == 2 {
		under := func(k int) tableColumn {
			return tableColumn{fmt.Sprintf("under %d", k+1), fmt.Sprintf("under %d", k+1), 10, 9, func(v *View, l *run.Lane, _ laneSum) string {
				if v.unread(l, v.lanes.All[k]) != "" {
					return unwritten
				}
				s := v.under(l, v.lanes.All[k])
				if s.Steps == 0 {
					return unwritten
				}
				return run.CrossWords(&s.B)
			}}
		}
		if w >= 98 {
			cols = append(cols[:len(cols):len(cols)], under(0), under(1))
		} else {
			cols = append(cols[:len(cols):len(cols)], tableColumn{"under other", "under other", 13, 13, func(v *View, l *run.Lane, s laneSum) string {
				k := 0
				if v.lanes.All[0] == l {
					k = 1
				}
				return under(k).of(v, l, s)
			}})
		}
	}
	if w < 98 {
		narrow := make([]tableColumn, len(cols))
		for i, c := range cols {
			c.w, c.head = c.narrow, c.short
			narrow[i] = c
		}
		cols = narrow[1:] // the least telling one goes
	}
	width := func(list []tableColumn) (n int) {
		for _, c := range list {
			n += c.w
		}
		return n
	}
	for len(cols) > 2 && width(cols)+least > w {
		cols = cols[:len(cols)-1]
	}
	return cols, w - width(cols)
}

// drawLanes draws the table of lanes, from the first token on.
func (v *View) drawLanes(c *viz.Canvas, host kit.Host, lay compareLayout) {
	in, y, words := c, 1+len(v.lanes.All), v.voted()
	if lay.boxed {
		f := viz.Frame{Title: "lanes so far"}
		if words != "" && y >= c.H-2 { // there is no line for it below the lanes
			f.Title = viz.Printable(words, c.ASCII)
		}
		if !lay.all {
			f.Title += " · v: " + partNames[(v.part+1)%nParts] + ", " + partNames[(v.part+2)%nParts]
		}
		in = viz.Box(c, f)
	}
	muted := viz.Ink{Role: viz.Muted}
	least := 11
	if in.W >= 100 {
		least = 30
	}
	cols, name := v.tableColumns(in.W-2, least)
	in.Put(1, 0, "lane", muted)
	x := 1 + name
	for _, col := range cols {
		x += col.w
		in.Right(x, 0, col.head, muted)
	}
	for i, l := range v.lanes.All {
		in.Put(1, 1+i, v.laneName(host, i, name-1), viz.Ink{Role: laneRoles[i]})
		x := 1 + name
		for _, col := range cols {
			x += col.w
			in.Right(x, 1+i, col.of(v, l, v.sums[l.ID]), viz.Ink{})
		}
	}
	switch {
	case v.field != nil:
		line := in.Sub(viz.Rect{Y: min(y, in.H-1), W: in.W, H: 1})
		line.Clear()
		v.field.Draw(line, line.Put(1, 0, viz.FirstFit(in.W/2, "an answer is what this finds: ", "finds: "), viz.Ink{Role: viz.Focus}), 0)
	case words != "":
		in.Put(1, y, viz.CutTitle(viz.Printable(words, c.ASCII), in.W-2), viz.Ink{Role: viz.Chosen})
	default:
		in.Put(1, y, viz.FirstFit(in.W-2,
			"bits: surprisal a token under the model itself · 4-grams: four tokens in a row that stood before · +n✗: tokens it could not write",
			"bits: surprisal a token under the model · +n✗: tokens it could not write",
			"bits a token under the model itself"), muted)
	}
}
