package beams

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"logitscope/engine/beam"
	"logitscope/viz"
)

// beamColumns are where the columns of the candidates stand; 0 leaves one
// out.
type beamColumns struct{ text, textW, token, parent, logprob, sum, score, bar int }

// beamColumnsOf lays the columns out; far makes room for sums of two digits.
func beamColumnsOf(w int, far bool) beamColumns {
	switch {
	case w >= 100:
		t := w - 88
		if t > 56 { // of what is left text and bar both have more
			t = 56 + (t-56)*2/3
		}
		return beamColumns{8, t, 9 + t, 27 + t, 37 + t, 45 + t, 54 + t, 57 + t}
	case w >= 74:
		t := w - 50
		if far { // a sum of two digits
			t--
		}
		return beamColumns{8, t, 9 + t, 26 + t, 35 + t, 42 + t, w - 1, 0}
	case w >= 56:
		t := w - 28
		return beamColumns{8, t, 0, 0, 0, w - 11, w - 1, 0}
	}
	t := w - 18
	return beamColumns{8, t, 0, 0, 0, 0, w - 1, 0}
}

// drawCandidates draws the candidates of the step shown with the line between
// those that go on and those that do not.
func (v *View) drawCandidates(c *viz.Canvas) {
	s := v.step()
	if s == nil || c.H < 2 {
		return
	}
	scale := v.sumScale(s)
	col := beamColumnsOf(c.W, scale >= 9.995)
	v.drawCandidateHead(c, col, scale)
	lines := v.candidateTable(s)
	shared := v.shared(lines, c.ASCII)
	h := c.H - 1
	top := 0
	if at := v.lineOf(lines); len(lines) > h {
		if h >= 4 {
			top = min(max(at-h+1, 0), len(lines)-h)
		}
		if v.pane == beamTablePane {
			top = min(max(v.list.At-h/2, 0), len(lines)-h)
		}
	}
	for y := 0; y < h && top+y < len(lines); y++ {
		ln := lines[top+y]
		if ln.c == nil {
			c.Put(3, 1+y, "┄┄┄┄┄┄ "+ln.text+" "+strings.Repeat("┄", max(c.W-viz.Width(ln.text)-14, 0)), viz.Ink{Role: viz.CutLine})
			continue
		}
		v.drawCandidate(c, 1+y, col, ln, scale, shared)
	}
}

func (v *View) drawCandidateHead(c *viz.Canvas, col beamColumns, scale float64) {
	muted := viz.Ink{Role: viz.Muted}
	c.Right(4, 0, "#", muted)
	c.Put(col.text, 0, "hypothesis", muted)
	if col.token > 0 {
		c.Put(col.token, 0, "token", muted)
		c.Right(col.parent, 0, "parent", muted)
		c.Right(col.logprob, 0, "logprob", muted)
	}
	if col.sum > 0 {
		c.Right(col.sum, 0, "sum", muted)
	}
	c.Right(col.score, 0, "score", muted)
	if col.bar > 0 {
		c.Put(col.bar, 0, viz.FirstFit(c.W-col.bar-1, "longer is better: full bar 0, none "+viz.Two(-scale), "longer is better, full 0", "longer: better"), muted)
	}
}

// shared is what all candidates begin with, up to the end of a word.
func (v *View) shared(lines []candidateLine, ascii bool) string {
	first, all := true, ""
	for _, ln := range lines {
		if ln.c == nil {
			continue
		}
		text := viz.OneLine(strings.TrimLeft(v.text(ln.c.Node), " "), ascii)
		if first {
			first, all = false, text
			continue
		}
		n := 0
		for n < min(len(all), len(text)) && all[n] == text[n] {
			n++
		}
		all = all[:n]
	}
	return all[:strings.LastIndexByte(all, ' ')+1]
}

// A candidateLine is a candidate or, without one, a line between them.
type candidateLine struct {
	c     *beam.Candidate
	rank  int // from 1
	index int // among all candidates of the step
	text  string
}

func (v *View) candidateTable(s *beam.Step) []candidateLine {
	var out []candidateLine
	index := 0
	for g := range s.Groups {
		gs := &s.Groups[g]
		if gs.Skipped {
			out = append(out, candidateLine{text: fmt.Sprintf("group %d: done before", g+1)})
			continue
		}
		for i := range gs.Candidates {
			if i == gs.Line {
				out = append(out, candidateLine{text: lineWords(s, g)})
			}
			out = append(out, candidateLine{c: &gs.Candidates[i], rank: i + 1, index: index})
			index++
		}
	}
	return out
}

// lineWords says what the line of group g means at a step.
func lineWords(s *beam.Step, g int) string {
	gs := &s.Groups[g]
	head := fmt.Sprintf("num_beams %d: ", s.Settings.Beams)
	if s.Settings.Groups > 1 {
		head = fmt.Sprintf("group %d of %d: ", g+1, s.Settings.Groups)
	}
	for _, c := range gs.Candidates[gs.Line:] {
		if c.Fate == beam.Runs { // in the place of one above that ended
			return head + "an end counts above this line only, the next without one go on"
		}
	}
	return head + fmt.Sprintf("the best %d of %d candidates go on", gs.Line, len(gs.Candidates))
}

// lineOf returns the last line needed to see the first cut.
func (v *View) lineOf(lines []candidateLine) int {
	for i, ln := range lines {
		if ln.c == nil {
			return min(i+1, len(lines)-1)
		}
	}
	return 0
}

// sumScale is the sum for which there is no bar, below that of every candidate.
func (v *View) sumScale(s *beam.Step) float64 {
	most := 0.0
	for _, g := range s.Groups {
		for _, c := range g.Candidates {
			if !math.IsInf(c.Node.Sum, 0) {
				most = max(most, -c.Node.Sum)
			}
		}
	}
	return max(math.Ceil(most*2)/2, 0.5)
}

func (v *View) drawCandidate(c *viz.Canvas, y int, col beamColumns, ln candidateLine, scale float64, shared string) {
	n := ln.c.Node
	ink := viz.Ink{}
	mark := " "
	switch ln.c.Fate {
	case beam.Cut:
		mark, ink = "✗", viz.Ink{Role: viz.Lost}
	case beam.DroppedEnd:
		mark, ink = "✗", viz.Ink{Role: viz.Warning}
	case beam.Kept:
		mark = "■"
	case beam.Beaten:
		mark, ink = "■", viz.Ink{Role: viz.Lost}
	}
	if v.pane == beamTablePane && ln.index == v.list.At {
		c.Put(1, y, "▸", viz.Ink{Role: viz.Focus})
		ink = ink.With(viz.Bold)
	}
	c.Right(4, y, strconv.Itoa(ln.rank), viz.Ink{Role: viz.Muted})
	c.Put(6, y, mark, ink)
	text := viz.OneLine(strings.TrimLeft(v.text(n), " "), c.ASCII)
	if viz.Width(text) > col.textW && len(shared) > 0 && strings.HasPrefix(text, shared) { // where they differ is what counts
		text = "… " + text[len(shared):]
	}
	switch ln.c.Fate {
	case beam.DroppedEnd:
		text += " ✗ end"
	case beam.Kept, beam.Beaten:
		text += " ■"
	}
	c.Put(col.text, y, viz.CutHead(text, col.textW), ink)
	if col.token > 0 {
		c.Fit(col.token, y, col.parent-col.token-7, v.lane.Piece(n.Token, c.ASCII), ink)
		c.Right(col.parent, y, strconv.Itoa(ln.c.Parent+1), ink)
		c.Right(col.logprob, y, viz.Logprob(n.Logprob), ink)
	}
	if col.sum > 0 {
		c.Right(col.sum, y, viz.Two(n.Sum), ink)
	}
	c.Right(col.score, y, viz.Three(ln.c.Score), ink)
	if w := c.W - col.bar - 3; col.bar > 0 && w > 2 {
		better := math.Max(scale+n.Sum, 0) // a sum is below 0; the nearer, the better
		bar := viz.Bar{Final: better, Single: true}
		if ln.c.Fate == beam.Cut || ln.c.Fate == beam.DroppedEnd {
			bar = viz.Bar{Raw: better}
		}
		viz.Bars(c.Sub(viz.Rect{X: col.bar, Y: y, W: w, H: 1}), []viz.Bar{bar}, scale)
	}
}
