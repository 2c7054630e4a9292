package lab

import (
	"cmp"
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
	keptLine               // survivors without a line
	gapLine                // tokens cut, left out between two lines
	othersLine             // all other tokens that have no line
	elsewhereLine          // what a server did not report, of unknown tokens
)

// A chartLine is one line of the chart below its head.
type chartLine struct {
	kind  lineKind
	row   *sampling.Row // tokenLine
	marks []cutMark     // cutLine
	count int           // keptLine, gapLine, othersLine: tokens they stand for
	raw   float64       // their probability under the model
	final float64       // and at the end
	cut   bool          // all of them were removed
}

// compactBelow is the number of lines from which on gaps among the tokens that
// were cut have lines of their own.
const compactBelow = 18

// A chartPlan says how the chart of one size is made up.
type chartPlan struct {
	lines int // below the head
	total int // head included, which decides whether gaps show
	cuts  int // most cut lines that are drawn

	thick, thickKept, thickCut int // lines that a survivor, the line of other survivors and a token that was cut take; 0 is 1

	run.Keep
}

// height is how many lines of the screen ln takes.
func (p chartPlan) height(ln chartLine) int {
	switch {
	case ln.kind == cutLine:
		return 1
	case ln.cut, ln.row != nil && ln.row.Cut != sampling.NoStage:
		return max(p.thickCut, 1)
	case ln.row != nil:
		return max(p.thick, 1)
	}
	return max(p.thickKept, 1)
}

// spare is how many lines a large chart keeps free, so that no row goes when
// other settings leave survivors without one.
func (p chartPlan) spare(lines []chartLine) int {
	if p.total < compactBelow || slices.ContainsFunc(lines, func(ln chartLine) bool { return ln.kind == keptLine }) {
		return 0
	}
	return 1
}

func (p chartPlan) heightOf(lines []chartLine) int {
	h := 0
	for _, ln := range lines {
		h += p.height(ln)
	}
	return h
}

// chartLines chooses the lines for trace t. Which tokens have a row depends
// on ref, the trace of the step as it first was, so that trying other
// settings moves none; only the token drawn may push one out.
func chartLines(t, ref *sampling.Trace, plan chartPlan) []chartLine {
	if ref == nil {
		ref = t
	}
	order := rowOrder(ref)
	var fallback []chartLine
	for _, p := range plan.relaxed() {
		best, rows := []chartLine(nil), 0
		for n := 0; n <= min(p.lines, len(order)); n++ {
			lines := lay(t, rowsOf(t, ref, order[:n], p.Keep), p)
			if h := p.heightOf(lines) + p.spare(lines); h <= p.lines {
				best, rows = lines, n
			} else if h > p.lines+max(p.thickKept, 1) { // the next row may take the place of a line for one
				break
			}
		}
		if rows >= min(cutFirst, len(order)) && best != nil {
			return best
		}
		if fallback == nil {
			fallback = best
		}
	}
	if fallback == nil {
		return lay(t, nil, chartPlan{})
	}
	return fallback
}

// cutFirst is how many of the tokens that were cut have a row before any
// survivor but the token drawn has one.
const cutFirst = 2

// rowOrder lists the tokens of a trace in the order in which they get rows: the
// two best of those below the cut line, what is above it, then the rest of
// what was cut. Above it every third is the best by final probability, which
// settings may have moved far from its raw rank.
func rowOrder(ref *sampling.Trace) []int32 {
	line := int32(0) // everything below it was cut
	if marks := cutMarks(ref); len(marks) > 0 {
		line = marks[0].rank
	}
	var list, cut, final []*sampling.Row
	for i := range ref.Rows() {
		r := &ref.Rows()[i]
		switch {
		case r.Cut == sampling.NoStage:
			final = append(final, r)
			list = append(list, r)
		case r.Rank <= line && !run.Refused(ref, r):
			list = append(list, r)
		default:
			cut = append(cut, r)
		}
	}
	slices.SortStableFunc(final, func(a, b *sampling.Row) int { return -cmp.Compare(a.Prob, b.Prob) })
	order, seen := make([]int32, 0, len(ref.Rows())), make(map[int32]bool)
	add := func(list []*sampling.Row) []*sampling.Row {
		for len(list) > 0 {
			id := list[0].ID
			list = list[1:]
			if !seen[id] {
				seen[id] = true
				order = append(order, id)
				break
			}
		}
		return list
	}
	for i := 0; len(list) > 0 || len(cut) > 0; i++ {
		switch {
		case len(cut) > 0 && (i < cutFirst || len(list) == 0):
			cut = add(cut)
		case i%3 == 1 && len(final) > 0:
			final = add(final)
		default:
			list = add(list)
		}
	}
	return order
}

// rowsOf returns the rows of t that are shown, in raw order: those of the
// tokens listed, the token drawn and the pins.
func rowsOf(t, ref *sampling.Trace, ids []int32, keep run.Keep) []*sampling.Row {
	want := make(map[int32]bool, len(ids)+4)
	for _, id := range ids {
		want[id] = true
	}
	var out []*sampling.Row
	for i := range t.Rows() {
		r := &t.Rows()[i]
		switch {
		case want[r.ID], r.ID == t.Token, len(ids) > 0 && (r.ID == ref.Token || r.ID == keep.Cursor):
		case r.Pinned && !keep.NoPins && (keep.DeadPins || r.Cut == sampling.NoStage):
		default:
			continue
		}
		out = append(out, r)
	}
	return out
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

// A cutMark is where a stage cut.
type cutMark struct {
	rank   int32
	cum    float64
	label  string // the stage with its value
	before int    // tokens before it
	left   int    // and after it
}

// words are the stage and what it left.
func (m cutMark) words() string { return m.label + " → " + viz.Count(m.left) + " left" }

// cutMarks returns the places where t was cut, from the top.
func cutMarks(t *sampling.Trace) []cutMark {
	var marks []cutMark
	for i, st := range t.Stages() {
		// A stage that removed tokens anywhere but at the end has no line.
		if st.Removed == 0 || st.LastRank == 0 || int(st.LastRank) >= t.Vocab-t.NoPiece || st.Name == "constraint" {
			continue
		}
		before := t.Vocab
		if i > 0 {
			before = t.Stages()[i-1].Kept
		}
		label := st.Label
		if f := forcing(t, i); f != nil && st.Kept == 1 {
			label = f.Label
		}
		marks = append(marks, cutMark{st.LastRank, float64(st.LastCum), label, before, st.Kept})
	}
	slices.SortStableFunc(marks, func(a, b cutMark) int { return int(a.rank - b.rank) })
	return marks
}

// forcing returns the stage before stage i of t that gave one token all of the
// probability, so that whatever cuts after it has no choice; nil if none did.
func forcing(t *sampling.Trace, i int) *sampling.StageTrace {
	bits := t.RawBits
	for k := range t.Stages()[:i] {
		st := &t.Stages()[k]
		if st.Touched > 0 && st.Removed == 0 && st.Bits == 0 && bits > 0 {
			return st
		}
		bits = st.Bits
	}
	return nil
}

// lay puts rows, cut lines and what stands for the rest into lines.
func lay(t *sampling.Trace, rows []*sampling.Row, plan chartPlan) []chartLine {
	y := newLayering(t, rows, plan)
	for _, r := range rows {
		y.row(r)
	}
	if y.compact {
		// What is below the last row is all in others, so a line stands there
		// only if something below it was cut.
		y.pass(int32(y.tokens))
	} else {
		y.pass(math.MaxInt32)
	}
	if t.Survived < y.tokens {
		y.keep() // where nothing has a cut line
	}
	if n := y.tokens - y.lined; n > 0 {
		y.out = append(y.out, chartLine{
			kind: othersLine, count: n, raw: math.Max(1-y.linedRaw-float64(t.Rest), 0), cut: y.kept.count <= 0,
		})
		if last := &y.out[len(y.out)-1]; !last.cut {
			last.final = y.kept.final
		}
	}
	if rest := float64(t.Rest); rest > 0 {
		y.out = append(y.out, chartLine{kind: elsewhereLine, raw: rest, cut: true})
	}
	return y.out
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
	p := chartPlan{lines: h - 1 - spokenLines(l.Step(), h), total: h, cuts: 28, Keep: run.Keep{DeadPins: true, Cursor: l.Row}}
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
	lines := []chartLine(nil)
	if lb.projects() {
		lines, _ = lb.projectorRows(lb.lanes.Lane())
	} else {
		lines = chartLines(t, ref, chartPlanFor(lb.lanes.Lane(), kit.ClassOf(lb.w, lb.h), lb.chartHeight()))
	}
	var ids []int32
	for _, ln := range lines {
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
