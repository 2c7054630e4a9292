package reading

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"logitscope/engine/score"
	"logitscope/models"
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// window returns the first token of the timeline, from 0, and how many it has.
func (v *View) window(r *reading, w int) (from, n int) {
	n = max(min((w-12)/cellsOfToken, len(r.tokens)), 1)
	return min(max(v.at-1-n/2, 0), len(r.tokens)-n), n
}

// A timelineRow is a line of the timeline: a name, empty for that of the
// settings, and what it says of a token in two cells or three.
type timelineRow struct {
	name string
	role viz.Role // of what is not nothing
	of   func(r *reading, t *score.Token, voc models.Vocab, bits float64, ascii bool) string
}

// nothing is what a row says of a token that it says nothing of.
const nothing = "·"

var (
	tokenRow = timelineRow{name: "token", of: func(_ *reading, t *score.Token, voc models.Vocab, _ float64, ascii bool) string {
		return initial(voc.Piece(t.ID), ascii)
	}}
	surprisalRow = timelineRow{name: "surprisal", of: func(r *reading, t *score.Token, _ models.Vocab, _ float64, _ bool) string {
		return strings.Repeat(level(surprisal(t), r.most), 2)
	}}
	entropyRow = timelineRow{name: "entropy", of: func(_ *reading, t *score.Token, _ models.Vocab, bits float64, _ bool) string {
		return strings.Repeat(level(float64(t.Of.RawBits), bits), 2)
	}}
	rankRow  = timelineRow{name: "rank", of: func(_ *reading, t *score.Token, _ models.Vocab, _ float64, _ bool) string { return rankWord(t) }}
	greenRow = timelineRow{name: "green", role: viz.Draw, of: func(r *reading, t *score.Token, _ models.Vocab, _ float64, ascii bool) string {
		if r.green(t) {
			return viz.Printable(greenMark, ascii)
		}
		return nothing
	}}
	fateRow = timelineRow{role: viz.Lost, of: func(_ *reading, t *score.Token, _ models.Vocab, _ float64, _ bool) string { return fate(t) }}
)

// greenMark marks a token that a watermark's list has.
const greenMark = "▒▒"

// timeline returns the rows of a timeline of h lines. Under a watermark the
// green tokens stand where the entropy does.
func (r *reading) timeline(h int) []timelineRow {
	rows, few := []timelineRow{tokenRow, surprisalRow, entropyRow, rankRow, fateRow}, []timelineRow{tokenRow, surprisalRow, rankRow, fateRow}
	if r.mark != nil {
		rows, few = []timelineRow{tokenRow, surprisalRow, greenRow, rankRow, fateRow}, []timelineRow{tokenRow, surprisalRow, greenRow, fateRow}
	}
	if h >= len(rows) {
		return rows
	}
	return few[:min(h, len(few))]
}

// drawLine draws the timeline.
func (v *View) drawLine(c *viz.Canvas, r *reading, host kit.Host) {
	from, n := v.window(r, c.W-2)
	in := viz.Box(c, viz.Frame{Title: "timeline", Right: fmt.Sprintf("%d–%d of %s · max %s bits", from+1, from+n, viz.Count(len(r.tokens)), tenth(r.most))})
	muted := viz.Ink{Role: viz.Muted}
	lines := r.timeline(in.H)
	label := viz.CutTitle(viz.Printable(host.Lane().ShownLabel(), c.ASCII), 9)
	bits := 0.0
	for i := range r.tokens[from : from+n] {
		bits = max(bits, float64(r.tokens[from+i].Of.RawBits))
	}
	for i := range n {
		t := &r.tokens[from+i]
		x := 11 + i*cellsOfToken
		ink := viz.Ink{}
		if from+i+1 == v.at {
			ink = ink.With(viz.Reverse)
		}
		for y, line := range lines {
			s := line.of(r, t, r.vocab(), bits, c.ASCII)
			k := ink
			if s != nothing {
				k.Role = line.role
			}
			in.Put(x, y, viz.Cut(s, cellsOfToken), k)
		}
	}
	for y, line := range lines {
		name := line.name
		if name == "" {
			name = label
		}
		in.Put(1, y, name, muted)
	}
	if in.H > 5 {
		in.Put(1, 5, viz.CutTitle(v.tokenWords(r, host), in.W-2), viz.Ink{Role: viz.Draw})
	}
}

// initial is the first character of a token that can be seen.
func initial(piece string, ascii bool) string {
	x, n := utf8.DecodeRuneInString(strings.TrimLeft(piece, " "))
	switch {
	case n == 0 || x == utf8.RuneError:
		return "·"
	case x == '\n':
		return viz.Printable("↵", ascii)
	}
	return viz.Printable(string(x), ascii)
}
