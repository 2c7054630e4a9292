package lab

import (
	"math"
	"slices"

	"logitscope/sampling"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// A lineKind is what one line of the chart holds.
type lineKind uint8

const (
	tokenLine     lineKind = iota
	cutLine                // stages that cut here, by name
	gapLine                // tokens left out between two lines
	othersLine             // all tokens that have no line
	elsewhereLine          // what a server did not report, of unknown tokens
)

// A chartLine is one line of the chart below its head.
type chartLine struct {
	kind  lineKind
	row   *sampling.Row // tokenLine
	text  string        // cutLine: "top_p 0.90 · top_k 50"
	count int           // gapLine, othersLine: tokens they stand for
	raw   float64       // their probability under the model
	final float64       // and at the end
	cut   bool          // all of them were removed
}

// compactBelow is the number of lines from which on gaps have lines of their
// own.
const compactBelow = 18

// A chartPlan says how the chart of one size is made up.
type chartPlan struct {
	lines int // below the head
	total int // head included, which decides whether gaps show
	cuts  int // most cut lines that are drawn
	run.Keep
}

// chartLines chooses the lines for trace t. Which tokens have a row depends
// on ref, the trace of the step as it first was, so that trying other
// settings moves none; only the token drawn may push one out.
func chartLines(t, ref *sampling.Trace, plan chartPlan) []chartLine {
	if ref == nil {
		ref = t
	}
	for _, p := range plan.relaxed() {
		var best []chartLine
		for n := 0; n <= p.lines; n++ {
			lines := lay(t, run.Choose(t, ref, n, p.Keep), p)
			if len(lines) > p.lines {
				break
			}
			best = lines
		}
		if best != nil {
			return best
		}
	}
	return lay(t, nil, chartPlan{})
}

// relaxed lists what gives way, in this order, where there are too few lines
// even for the rows that must be there: the second cut line, the first, pins
// that are cut, all pins.
func (p chartPlan) relaxed() []chartPlan {
	list := []chartPlan{p}
	for p.cuts > 0 {
		p.cuts = min(p.cuts-1, 1)
		list = append(list, p)
	}
	p.DeadPins = false
	list = append(list, p)
	p.NoPins = true
	return append(list, p)
}

// A cutMark is where one or more stages cut.
type cutMark struct {
	rank int32
	cum  float64
	text string
}

// cutMarks returns the cut lines of t from the top, those at one place
// merged.
func cutMarks(t *sampling.Trace) []cutMark {
	var marks []cutMark
	for _, st := range t.Stages() {
		// A stage that removed tokens anywhere but at the end has no line.
		if st.Removed == 0 || st.LastRank == 0 || int(st.LastRank) >= t.Vocab-t.NoPiece || st.Name == "constraint" {
			continue
		}
		marks = append(marks, cutMark{st.LastRank, float64(st.LastCum), st.Label})
	}
	slices.SortStableFunc(marks, func(a, b cutMark) int { return int(a.rank - b.rank) })
	var out []cutMark
	for _, m := range marks {
		if n := len(out); n > 0 && out[n-1].rank == m.rank {
			out[n-1].text += " · " + m.text
			continue
		}
		out = append(out, m)
	}
	return out
}

// lay puts rows, cut lines, gaps and others into lines.
func lay(t *sampling.Trace, rows []*sampling.Row, plan chartPlan) []chartLine {
	y := layering{compact: plan.total < compactBelow, marks: cutMarks(t), rest: 1}
	y.marks = y.marks[:min(len(y.marks), plan.cuts)]
	if y.compact {
		y.marks = y.marks[:min(len(y.marks), 1)]
	}
	for _, r := range rows {
		y.rest -= float64(r.Prob)
	}
	if y.rest < 1e-6 {
		y.rest = 0
	}
	for _, r := range rows {
		y.row(r)
	}
	tokens := t.Vocab - t.NoPiece
	if y.compact {
		// What is below the last row is all in others, so a line stands there
		// only if something below it was cut.
		y.pass(int32(tokens))
	} else {
		y.pass(math.MaxInt32)
	}
	unknown := float64(t.Rest)
	if n := tokens - y.lined; n > 0 {
		y.out = append(y.out, chartLine{
			kind: othersLine, count: n, raw: math.Max(1-y.linedRaw-unknown, 0), final: y.rest, cut: y.rest == 0,
		})
	}
	if unknown > 0 {
		y.out = append(y.out, chartLine{kind: elsewhereLine, raw: unknown, cut: true})
	}
	return y.out
}

// A layering is a chart while its lines are laid, from the top.
type layering struct {
	compact bool
	marks   []cutMark // cut lines that are still to come
	out     []chartLine

	at       int32   // rank of the last line
	cum      float64 // raw probability down to it
	below    bool    // a cut line was passed
	lined    int     // tokens that have a row or stand in a gap
	linedRaw float64 // and their raw probability
	rest     float64 // final probability of the tokens without a row
}

// row lays one token.
func (y *layering) row(r *sampling.Row) {
	y.pass(r.Rank)
	y.gap(r.Rank-1, float64(r.RawCum)-float64(r.RawProb), false)
	y.out = append(y.out, chartLine{kind: tokenLine, row: r})
	y.at, y.cum = r.Rank, float64(r.RawCum)
	y.lined++
	y.linedRaw += float64(r.RawProb)
}

// pass lays the cut lines above rank limit; those with nothing between them
// become one.
func (y *layering) pass(limit int32) {
	for len(y.marks) > 0 && y.marks[0].rank < limit {
		mk := y.marks[0]
		y.marks = y.marks[1:]
		y.gap(mk.rank, mk.cum, true)
		if n := len(y.out); n > 0 && y.out[n-1].kind == cutLine {
			y.out[n-1].text += " · " + mk.text
		} else {
			y.out = append(y.out, chartLine{kind: cutLine, text: mk.text})
		}
		y.at, y.cum, y.below = max(y.at, mk.rank), math.Max(y.cum, mk.cum), true
	}
}

// gap lays a line for the tokens down to a rank, where such lines show. Above
// the first cut line it does so only for all that is left there, since what
// part of the final probability two gaps hold cannot be known.
func (y *layering) gap(to int32, toCum float64, atCut bool) {
	n := int(to - y.at)
	left := !y.below && atCut && y.lined == int(y.at)
	if y.compact || n <= 0 || !y.below && !left {
		return
	}
	g := chartLine{kind: gapLine, count: n, raw: math.Max(toCum-y.cum, 0), cut: true}
	if left && y.rest > 0 {
		g.final, g.cut, y.rest = y.rest, false, 0
	}
	y.out = append(y.out, g)
	y.lined += n
	y.linedRaw += g.raw
}

// A fate is what a stage did to a token.
type fate uint8

const (
	lowered fate = iota
	raised
	removed
	forbidden // by a constraint
)

// fates say how each is marked and drawn.
var fates = [...]struct {
	mark string
	role viz.Role
}{
	lowered: {"↓", viz.Penalised}, raised: {"↑", viz.Boosted}, removed: {"✗", viz.Lost}, forbidden: {"⊘", viz.Lost},
}

// A reason is what one stage did to a token, and its words.
type reason struct {
	fate  fate
	words string
}

// moves reports whether the token's logit was moved, and it was not taken out.
func (r reason) moves() bool { return r.fate == lowered || r.fate == raised }

func (r reason) mark() string   { return fates[r.fate].mark }
func (r reason) String() string { return r.mark() + " " + r.words }

// reasons are what the stages did to a token, in their order.
func reasons(t *sampling.Trace, r *sampling.Row) []reason {
	var out []reason
	for i, st := range t.Stages() {
		words := run.ShortLabel(st)
		switch {
		case r.Lowered&(1<<i) != 0:
			out = append(out, reason{lowered, words})
		case r.Raised&(1<<i) != 0:
			out = append(out, reason{raised, words})
		}
		switch {
		case int(r.Cut) != i:
		case run.Refused(t, r):
			out = append(out, reason{forbidden, words})
		default:
			out = append(out, reason{removed, words})
		}
	}
	return out
}

// chartPlanFor returns the plan of a chart with h lines, head included.
func chartPlanFor(l *run.Lane, k kit.Class, h int) chartPlan {
	p := chartPlan{lines: h - 1, total: h, cuts: 28, Keep: run.Keep{DeadPins: true, Cursor: l.Row}}
	if k == kit.Class40 {
		p.lines, p.cuts, p.DeadPins = h, 0, false
	}
	return p
}

// ChartIDs lists the tokens that have a row in the lab's chart, from the top.
func (lb *View) ChartIDs() []int32 {
	t, ref := run.Traces(lb.lanes.Lane())
	if t == nil {
		return nil
	}
	plan := chartPlanFor(lb.lanes.Lane(), kit.ClassOf(lb.w, lb.h), lb.chartHeight())
	if lb.Zoom && lb.Focus == PaneChart {
		plan, _, _ = thickPlan(lb.lanes.Lane(), lb.h-projectorRest)
	}
	var ids []int32
	for _, ln := range chartLines(t, ref, plan) {
		if ln.kind == tokenLine {
			ids = append(ids, ln.row.ID)
		}
	}
	return ids
}

// chartHeight returns the lines inside the lab's chart, head included.
func (lb *View) chartHeight() int {
	lay := lb.layout()
	h := lay.chart.H - 2
	switch {
	case lb.Zoom && lb.Focus == PaneChart:
		h = lb.h - 5
	case lay.class == kit.Class60 || lay.class == kit.Class40:
		h = lay.chart.H - 1
	}
	return max(h-chartTop(lb.lanes.Lane(), h), 1)
}
