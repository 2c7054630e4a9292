package tui

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"logitscope/engine/beam"
	"logitscope/viz"
)

func (v *beamView) draw(c *viz.Canvas, m *Model) {
	if v.lane.view.Contrastive != nil {
		v.drawContrastive(c, m)
		return
	}
	inner := viz.Box(c, viz.Frame{Title: v.title(), Right: "B · esc", Focused: true})
	if v.seen == nil || v.seen.Last() == nil {
		v.drawEmpty(inner, m)
		return
	}
	h := inner.H
	foot := v.footLines(h)
	win := v.window(inner.W - 2)
	treeH := min(win.lines(), v.treeRoom(m))
	if v.alone {
		v.drawTree(inner.Sub(viz.Rect{X: 1, Y: 0, W: inner.W - 2, H: h - 2}), win)
		v.knobs.draw(inner, h-1, m, v.pane == beamKnobPane)
		return
	}
	v.drawTree(inner.Sub(viz.Rect{X: 1, Y: 0, W: inner.W - 2, H: treeH}), win)
	y := treeH
	if h-foot-y > v.candidateLines()+2 {
		y++
	}
	table := min(h-foot-y, v.candidateLines()+1)
	v.drawCandidates(inner.Sub(viz.Rect{X: 0, Y: y, W: inner.W, H: table}), m)
	if y += table + 1; h-foot-1-y >= 3 {
		v.drawStanding(inner.Sub(viz.Rect{X: 0, Y: y, W: inner.W, H: h - foot - 1 - y}))
	}
	v.drawFoot(inner.Sub(viz.Rect{X: 0, Y: h - foot, W: inner.W, H: foot}), m)
}

func (v *beamView) drawEmpty(c *viz.Canvas, m *Model) {
	switch l := v.lane; {
	case l.view.Err != nil:
		c.Put(1, 0, "! "+viz.CutTitle(cleanText(firstLine(l.view.Err.Error()), c.ASCII), c.W-4), viz.Ink{Role: viz.Warning})
	case l.config.Int("num_beams") < 2:
		c.Put(1, 0, "num_beams is 1: no search. + raises it.", viz.Ink{Role: viz.Muted})
	default:
		c.Put(1, 0, "The tree begins at the prompt: n takes the first step, space runs.", viz.Ink{Role: viz.Muted})
	}
	v.knobs.draw(c, c.H-1, m, v.pane == beamKnobPane)
}

// title names the search: its kind, the step, the beams and the rule.
func (v *beamView) title() string {
	name := "beam search"
	if v.seen == nil {
		return name
	}
	s := &v.seen.Settings
	if s.Sample {
		name = "beam sampling"
	}
	if n := len(v.seen.Steps); n > 0 {
		at := v.step().Index + 1
		if at == n {
			name += fmt.Sprintf(" · step %d", n)
		} else {
			name += fmt.Sprintf(" · step %d of %d", at, n)
		}
	}
	if v.seen.Done() {
		name += " · done"
	}
	name += fmt.Sprintf(" · num_beams %d", s.Beams)
	if s.Groups > 1 {
		name += fmt.Sprintf(" in %d groups", s.Groups)
	}
	return name + " · rule: " + map[beam.Rule]string{beam.Vectorised: "transformers", beam.Legacy: "transformers until 4.49", beam.VLLM: "vLLM"}[s.Rule]
}

// A treeWindow is the part of the tree that is in view.
type treeWindow struct {
	rows   []int // those with something right of dx
	dx     int   // columns scrolled out on the left
	line   int   // index in rows of the one to see
	cursor int   // node under the cursor, -1 for none
	more   string
}

// window scrolls the tree to the cursor, to the winner once there is one, or
// to the newest tokens, in w cells.
func (v *beamView) window(w int) treeWindow {
	t := v.tree
	win := treeWindow{cursor: t.find(v.node)}
	whole := 0 // cells of the widest row, its note included
	for _, r := range t.rows {
		if n := len(r); n > 0 {
			whole = max(whole, t.end(r[n-1])+2+viz.Width(v.note(r[n-1])))
		}
	}
	right, row := whole, 0
	see := win.cursor
	if path := t.winner(); see < 0 && v.seen.Done() && len(path) > 0 {
		see = path[len(path)-1] // the text that won, wherever it ended
	}
	if see >= 0 {
		row = t.row[see]
		right = min(t.end(see)+max(w/3, 24), whole)
	}
	win.dx = max(right-w, 0)
	var left int
	win.rows, left = t.visible(win.dx)
	win.line = max(slices.Index(win.rows, row), 0)
	var more []string
	if left > 0 {
		more = append(more, plural(left, "dead end")+" further left")
	}
	if t.left > 0 && !v.all {
		more = append(more, plural(t.left, "dead end")+" left out, x shows them")
	}
	win.more = strings.Join(more, " · ")
	return win
}

// lines is how many lines the window would fill.
func (win *treeWindow) lines() int {
	if win.more != "" {
		return len(win.rows) + 1
	}
	return len(win.rows)
}

// drawTree draws what is in view of the tree.
func (v *beamView) drawTree(c *viz.Canvas, win treeWindow) {
	top := min(max(win.line-c.H/2, 0), max(len(win.rows)-c.H, 0))
	v.tree.draw(c, win.rows[top:], win.dx, win.cursor, v.note)
	if win.more != "" && len(win.rows)-top < c.H {
		c.Right(c.W, c.H-1, viz.CutTitle(win.more, c.W), viz.Ink{Role: viz.Muted})
	}
}

// note says what became of the text that ends at node i.
func (v *beamView) note(i int) string {
	n := &v.tree.Nodes[i]
	var s string
	switch {
	case n.Running > 0:
		s = digits(n.Running)
	case n.Kept:
		s = "■ " + viz.Three(v.scoreOf(n.Node))
	case n.Finished:
		s = "■ beaten"
	case n.Depth == len(v.seen.Steps)-1:
		s = fmt.Sprintf("✗ no child in the best %d", v.seen.Settings.Beams)
	default:
		s = "✗"
	}
	if n.Greedy {
		s += " = greedy"
	}
	if n.Winning {
		s += " ● leads"
	}
	return s
}

// scoreOf is the normalised score of a finished text.
func (v *beamView) scoreOf(n *beam.Node) float64 {
	for _, h := range v.seen.Finished() {
		if h.Node == n {
			return h.Score
		}
	}
	return math.NaN()
}

// beamColumns are where the columns of the candidates stand; 0 leaves one
// out.
type beamColumns struct{ text, textW, token, parent, logprob, sum, score, bar int }

func beamColumnsOf(w int) beamColumns {
	switch {
	case w >= 100:
		t := min(w-88, 56)
		return beamColumns{8, t, 9 + t, 27 + t, 37 + t, 45 + t, 54 + t, 57 + t}
	case w >= 74:
		t := w - 50
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
func (v *beamView) drawCandidates(c *viz.Canvas, m *Model) {
	s := v.step()
	if s == nil || c.H < 2 {
		return
	}
	col := beamColumnsOf(c.W)
	scale := v.sumScale(s)
	v.drawCandidateHead(c, col, scale)
	lines := v.candidateTable(s)
	h := c.H - 1
	top := 0
	if at := v.lineOf(lines); len(lines) > h {
		if h >= 4 {
			top = min(max(at-h+1, 0), len(lines)-h)
		}
		if v.pane == beamTablePane {
			top = min(max(v.list.at-h/2, 0), len(lines)-h)
		}
	}
	for y := 0; y < h && top+y < len(lines); y++ {
		ln := lines[top+y]
		if ln.c == nil {
			c.Put(3, 1+y, "┄┄┄┄┄┄ "+ln.text+" "+strings.Repeat("┄", max(c.W-viz.Width(ln.text)-14, 0)), viz.Ink{Role: viz.CutLine})
			continue
		}
		v.drawCandidate(c, 1+y, col, ln, scale, m)
	}
}

func (v *beamView) drawCandidateHead(c *viz.Canvas, col beamColumns, scale float64) {
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
		c.Put(col.bar, 0, "sum, full bar "+viz.Two(-scale), muted)
	}
}

// A candidateLine is a candidate or, without one, a line between them.
type candidateLine struct {
	c     *beam.Candidate
	rank  int // from 1
	index int // among all candidates of the step
	text  string
}

func (v *beamView) candidateTable(s *beam.Step) []candidateLine {
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
func (v *beamView) lineOf(lines []candidateLine) int {
	for i, ln := range lines {
		if ln.c == nil {
			return min(i+1, len(lines)-1)
		}
	}
	return 0
}

// sumScale is the sum that a full bar stands for.
func (v *beamView) sumScale(s *beam.Step) float64 {
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

func (v *beamView) drawCandidate(c *viz.Canvas, y int, col beamColumns, ln candidateLine, scale float64, m *Model) {
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
	if v.pane == beamTablePane && ln.index == v.list.at {
		c.Put(1, y, "▸", viz.Ink{Role: viz.Focus})
		ink = ink.With(viz.Bold)
	}
	c.Right(4, y, digits(ln.rank), viz.Ink{Role: viz.Muted})
	c.Put(6, y, mark, ink)
	text := cleanText(strings.TrimLeft(v.text(n), " "), c.ASCII)
	switch ln.c.Fate {
	case beam.DroppedEnd:
		text += " ✗ end"
	case beam.Kept, beam.Beaten:
		text += " ■"
	}
	c.Put(col.text, y, headCut(text, col.textW), ink)
	if col.token > 0 {
		c.Fit(col.token, y, col.parent-col.token-7, v.lane.piece(n.Token, c.ASCII), ink)
		c.Right(col.parent, y, digits(ln.c.Parent+1), ink)
		c.Right(col.logprob, y, viz.Logprob(n.Logprob), ink)
	}
	if col.sum > 0 {
		c.Right(col.sum, y, viz.Two(n.Sum), ink)
	}
	c.Right(col.score, y, viz.Three(ln.c.Score), ink)
	if w := c.W - col.bar - 3; col.bar > 0 && w > 2 {
		bar := viz.Bar{Final: -n.Sum, Single: true}
		if ln.c.Fate == beam.Cut || ln.c.Fate == beam.DroppedEnd {
			bar = viz.Bar{Raw: -n.Sum}
		}
		viz.Bars(c.Sub(viz.Rect{X: col.bar, Y: y, W: w, H: 1}), []viz.Bar{bar}, scale)
	}
}

// headCut fits s into w cells by cutting its beginning.
func headCut(s string, w int) string {
	if viz.Width(s) <= w {
		return s
	}
	r := []rune(s)
	for len(r) > 0 && viz.Width(string(r)) > w-1 {
		r = r[1:]
	}
	return "…" + string(r)
}

// drawStanding lists the texts in the running by the score each would have if
// it ended now, and where it stood before the settings changed.
func (v *beamView) drawStanding(c *viz.Canvas) {
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
	for i, h := range standing(v.seen) {
		y := 2 + i
		if y >= c.H {
			break
		}
		ink := viz.Ink{}
		if i == 0 {
			ink = viz.Ink{Role: viz.Chosen}
		}
		c.Right(4, y, digits(i+1), ink)
		c.Right(12, y, viz.Three(h.Score), ink)
		c.Right(20, y, viz.Two(h.Node.Sum), ink)
		c.Right(28, y, digits(h.Length), ink)
		if h.Finished {
			c.Put(31, y, "■", ink)
		}
		was := v.was(h, i+1)
		room := c.W - 34 - viz.Width(was)
		x := c.Put(33, y, headCut(cleanText(strings.TrimLeft(v.text(h.Node), " "), c.ASCII), room), ink)
		c.Put(x, y, was, viz.Ink{Role: viz.Draw})
	}
}

// drawFoot says what is finished, what could still win, what greedy decoding
// would write, and shows the settings.
func (v *beamView) drawFoot(c *viz.Canvas, m *Model) {
	muted := viz.Ink{Role: viz.Muted}
	y := c.H - 1
	v.knobs.draw(c, y, m, v.pane == beamKnobPane)
	put := func(y int, s string, ink viz.Ink) {
		if y >= 0 {
			c.Put(1, y, viz.CutTitle(s, c.W-2), ink)
		}
	}
	switch {
	case c.H >= 5:
		put(0, v.finishedWords(c.ASCII), viz.Ink{})
		put(1, v.boundWords(), viz.Ink{})
		put(2, v.placesWords(c.ASCII), muted)
		put(3, v.greedyWords(c.ASCII), viz.Ink{Role: viz.Greedy})
	case c.H >= 3:
		put(0, v.finishedWords(c.ASCII), viz.Ink{})
		put(1, v.boundWords(), viz.Ink{})
	default:
		put(0, v.finishedWords(c.ASCII), viz.Ink{})
	}
}

// finishedWords lists the finished texts, best first, with their scores.
func (v *beamView) finishedWords(ascii bool) string {
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
	for i, h := range list {
		text := cleanText(strings.TrimLeft(v.text(h.Node), " "), ascii)
		end := " ■"
		if !h.Finished {
			end = ""
		}
		out += fmt.Sprintf(" · %d: %s %s%s%s", i+1, viz.Three(h.Score), headCut(text, 30), end, v.was(h, i+1))
	}
	return out
}

// was says where a text stood before the last change of settings.
func (v *beamView) was(h beam.Hypothesis, now int) string {
	if old, ok := v.before[fmt.Sprint(h.Tokens())]; ok && old != now {
		return fmt.Sprintf(" (was %d)", old)
	}
	return ""
}

// boundWords compares the worst finished text with what a beam could reach.
func (v *beamView) boundWords() string {
	s := &v.seen.Settings
	formula := fmt.Sprintf("score = sum / length^%s", viz.Two(s.LengthPenalty))
	if s.LengthPenalty == 0 {
		formula = "score = sum (length_penalty 0)"
	}
	if v.seen.Done() {
		return formula + " · " + v.seen.Reason.Explain(s)
	}
	g := &v.seen.Last().Groups[0]
	early := map[beam.Early]string{
		beam.EarlyTrue:  "early_stopping true: ends as soon as as many texts are finished as there are beams",
		beam.EarlyFalse: "early_stopping false: on while a beam could still win",
		beam.EarlyNever: "early_stopping never: on while a beam could win at any length",
	}[s.Early]
	if !g.Full {
		return formula + " · " + early
	}
	word := "on"
	if g.Bound <= g.Worst {
		word = "over"
	}
	return fmt.Sprintf("a running beam could still reach %s, the worst kept has %s: %s · %s", viz.Three(g.Bound), viz.Three(g.Worst), word, formula)
}

// placesWords says which texts changed places when the settings changed.
func (v *beamView) placesWords(ascii bool) string {
	if v.before == nil {
		return "change length_penalty and see which text leads then"
	}
	out := ""
	for i, h := range standing(v.seen) {
		if w := v.was(h, i+1); w != "" && len(out) < 200 {
			out += fmt.Sprintf(" · %d %s%s", i+1, headCut(cleanText(strings.TrimLeft(v.text(h.Node), " "), ascii), 24), w)
		}
	}
	if out == "" {
		return "after the change: every text keeps its place"
	}
	return "after the change" + out
}

// greedyWords is the text greedy decoding writes, for contrast.
func (v *beamView) greedyWords(ascii bool) string {
	n := v.seen.Last().Greedy
	if n == nil {
		return ""
	}
	text := headCut(cleanText(strings.TrimLeft(v.text(n), " "), ascii), 60)
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

// drawContrastive draws the candidates of a contrastive search's newest step.
func (v *beamView) drawContrastive(c *viz.Canvas, m *Model) {
	cv := v.lane.view.Contrastive
	title := fmt.Sprintf("contrastive search · step %d · penalty_alpha %.2f · top_k %d", len(cv.Steps), cv.Alpha, cv.TopK)
	inner := viz.Box(c, viz.Frame{Title: title, Right: "B · esc", Focused: true})
	muted := viz.Ink{Role: viz.Muted}
	if len(cv.Steps) == 0 {
		inner.Put(1, 0, "n takes the first step, space runs.", muted)
		return
	}
	s := cv.Steps[len(cv.Steps)-1]
	wide := inner.W >= 70
	inner.Put(5, 0, "token", muted)
	inner.Right(26, 0, "p", muted)
	inner.Right(35, 0, "likeness", muted)
	if wide {
		inner.Put(38, 0, "to", muted)
		inner.Right(62, 0, "score", muted)
	}
	h := inner.H - 2
	for i := 0; i < min(len(s.Candidates), h-1); i++ {
		x := s.Candidates[i]
		y := 1 + i
		ink := viz.Ink{}
		if i == s.Chosen {
			ink = viz.Ink{Role: viz.Chosen}
			inner.Put(3, y, "●", ink)
		}
		inner.Fit(5, y, 14, v.lane.piece(x.Token, inner.ASCII), ink)
		inner.Right(26, y, viz.Percent(x.Prob), ink)
		inner.Right(35, y, viz.Three(x.Cos), ink)
		if wide {
			inner.Fit(38, y, 14, v.tokenAt(x.At, inner.ASCII), muted)
			inner.Right(62, y, viz.Three(x.Score), ink)
			if w := inner.W - 66; w > 4 && x.Score > 0 {
				viz.Bars(inner.Sub(viz.Rect{X: 64, Y: y, W: w, H: 1}), []viz.Bar{{Final: x.Score, Single: true}}, 1)
			}
		}
	}
	inner.Put(1, inner.H-1, viz.CutTitle("score = (1 − alpha) p − alpha · likeness, the largest cosine to a hidden state before · best score wins", inner.W-2), muted)
}

// tokenAt is the token at a place of prompt and text.
func (v *beamView) tokenAt(pos int, ascii bool) string {
	cv := v.lane.view.Contrastive
	switch {
	case pos < len(cv.Prompt):
		return v.lane.piece(cv.Prompt[pos], ascii)
	case pos-len(cv.Prompt) < len(cv.Steps):
		return v.lane.piece(cv.Steps[pos-len(cv.Prompt)].Token(), ascii)
	}
	return ""
}
