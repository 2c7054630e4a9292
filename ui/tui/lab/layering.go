package lab

import (
	"math"

	"logitscope/sampling"
)

// A layering is a chart while its lines are laid, from the top.
type layering struct {
	compact bool
	silent  bool // cut lines have no room: rows alone show where it is
	tokens  int
	marks   []cutMark // cut lines that are still to come
	kept    chartLine // survivors without a row, until their line is laid
	out     []chartLine

	at       int32   // rank down to which everything below a cut line is lined
	cum      float64 // raw probability down to it
	below    bool    // a cut line was passed
	lined    int     // tokens that have a row or stand in a line
	linedRaw float64 // and their raw probability
}

// newLayering begins a chart. Kept and cut tokens are never added up: how many
// survivors have no row is known, and what they have together at the end; what
// they had is known where all survivors are listed, and is else what the rows
// and the tokens listed as cut leave over.
func newLayering(t *sampling.Trace, rows []*sampling.Row, plan chartPlan) *layering {
	y := &layering{compact: plan.total < compactBelow, tokens: t.Vocab - t.NoPiece, marks: cutMarks(t)}
	places := 0
	for i, m := range y.marks {
		if i == 0 || m.rank != y.marks[i-1].rank {
			places++
		}
		if places > max(plan.cuts, 1) || y.compact && places > 1 {
			y.marks = y.marks[:i]
			break
		}
	}
	y.silent = plan.cuts == 0
	y.kept = chartLine{kind: keptLine, count: t.Survived, final: 1}
	shown := make(map[int32]bool, len(rows))
	for _, r := range rows {
		shown[r.ID] = true
		if r.Cut == sampling.NoStage {
			y.kept.count--
			y.kept.final -= float64(r.Prob)
		}
	}
	if y.kept.final < 1e-6 {
		y.kept.final = 0
	}
	listed, left := 0, 1-float64(t.Rest)
	for i := range t.Rows() {
		r := &t.Rows()[i]
		survives := r.Cut == sampling.NoStage
		if survives {
			listed++
		}
		switch {
		case survives && !shown[r.ID]:
			y.kept.raw += float64(r.RawProb)
		case !survives || shown[r.ID]:
			left -= float64(r.RawProb)
		}
	}
	if len(y.marks) > 0 { // all below it is cut
		left -= math.Max(1-float64(t.Rest)-y.marks[0].cum, 0)
		for i := range t.Rows() {
			if r := &t.Rows()[i]; r.Rank > y.marks[0].rank && (r.Cut != sampling.NoStage || shown[r.ID]) {
				left += float64(r.RawProb)
			}
		}
	}
	if listed < t.Survived {
		y.kept.raw = math.Max(left, 0)
	}
	return y
}

// row lays one token.
func (y *layering) row(r *sampling.Row) {
	y.pass(r.Rank)
	y.gap(r.Rank-1, float64(r.RawCum)-float64(r.RawProb))
	y.out = append(y.out, chartLine{kind: tokenLine, row: r})
	y.at, y.cum = r.Rank, float64(r.RawCum)
	y.lined++
	y.linedRaw += float64(r.RawProb)
}

// pass lays the cut lines above rank limit; those at one place share a line.
func (y *layering) pass(limit int32) {
	for len(y.marks) > 0 && y.marks[0].rank < limit {
		mk := y.marks[0]
		y.marks = y.marks[1:]
		if !y.below {
			y.keep()
		} else {
			y.gap(mk.rank, mk.cum)
		}
		switch n := len(y.out); {
		case y.silent:
		case n > 0 && y.out[n-1].kind == cutLine:
			y.out[n-1].marks = append(y.out[n-1].marks, mk)
		default:
			y.out = append(y.out, chartLine{kind: cutLine, marks: []cutMark{mk}})
		}
		y.at, y.cum, y.below = max(y.at, mk.rank), math.Max(y.cum, mk.cum), true
	}
}

// keep lays the line of the survivors without a row.
func (y *layering) keep() {
	if y.kept.count <= 0 {
		return
	}
	y.out = append(y.out, y.kept)
	y.lined += y.kept.count
	y.linedRaw += y.kept.raw
	y.kept = chartLine{}
}

// gap lays a line for the tokens below the first cut line down to a rank, all
// of which were cut, where such lines show.
func (y *layering) gap(to int32, toCum float64) {
	n := int(to - y.at)
	if y.compact || n <= 0 || !y.below {
		return
	}
	g := chartLine{kind: gapLine, count: n, raw: math.Max(toCum-y.cum, 0), cut: true}
	y.out = append(y.out, g)
	y.lined += n
	y.linedRaw += g.raw
}
