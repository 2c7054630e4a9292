package tui

import (
	"fmt"
	"slices"
	"strings"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/sampling"
	"logitscope/viz"
)

// laneRoles are the colours of the lanes' titles and lines.
var laneRoles = [maxLanes]viz.Role{viz.Lane1, viz.Lane2, viz.Lane3, viz.Lane4}

func (v *compareView) draw(c *viz.Canvas, m *Model) {
	lay := compareLayoutOf(c.W, c.H, len(m.lanes), m.cur, v.alone)
	steps := stepsSideBySide(m.lanes)
	d := laneDrawer{v: v, m: m, lay: lay, steps: steps, scale: sharedScale(m.lanes)}
	if h := v.chartRows(lay); h > 0 {
		d.rows = alignRows(steps, h)
	}
	for col, r := range lay.lanes {
		i := lay.first + col
		d.text(c.Sub(r.text), i)
		d.chart(c.Sub(r.chart), i)
		if !r.draw.Empty() {
			d.drawn(viz.Box(c.Sub(r.draw), viz.Frame{Title: "draw"}), i)
		}
	}
	if !lay.why.Empty() {
		v.drawWhy(viz.Box(c.Sub(lay.why), viz.Frame{Title: v.whyTitle(m)}), m)
	}
	if !lay.apart.Empty() {
		v.drawApart(c.Sub(lay.apart), m)
	}
	if !lay.lines.Empty() {
		v.drawLines(c.Sub(lay.lines), m)
	}
	if v.knobs {
		v.drawKnobs(c, m)
	}
}

// chartRows is how many tokens have a row in each lane's chart; the line of
// the others comes below.
func (v *compareView) chartRows(lay compareLayout) int {
	h := lay.lanes[0].chart.H - 3
	if !lay.boxed {
		h = lay.lanes[0].chart.H - 2
	}
	return h
}

// rowsOf lists the tokens with a row in lane i's chart, from the top.
func (v *compareView) rowsOf(m *Model, i int) []int32 {
	r := m.bodyRect()
	lay := compareLayoutOf(r.W, r.H, len(m.lanes), m.cur, v.alone)
	h := v.chartRows(lay)
	if h < 1 {
		return nil
	}
	var ids []int32
	for _, id := range alignRows(stepsSideBySide(m.lanes), h)[i] {
		if id != models.NoToken {
			ids = append(ids, id)
		}
	}
	return ids
}

// sharedScale is what a full bar stands for in every lane.
func sharedScale(lanes []*lane) float64 {
	s := 0.05
	for _, l := range lanes {
		s = max(s, l.scale)
	}
	return s
}

// drawKnobs opens the list of knobs over the lower half.
func (v *compareView) drawKnobs(c *viz.Canvas, m *Model) {
	w := min(c.W, 62)
	h := min(m.knobRows()+aboveKnobs+belowKnobs+2, c.H)
	box := c.Sub(viz.Rect{X: 0, Y: c.H - h, W: w, H: h})
	box.Clear()
	f := viz.Frame{Title: fmt.Sprintf("knobs of lane %d · change %s", m.cur+1, m.scopeWords()), Focused: true}
	m.drawControls(viz.Box(box, f), m.lane(), listClass(w))
}

// A laneDrawer draws the columns.
type laneDrawer struct {
	v     *compareView
	m     *Model
	lay   compareLayout
	steps []laneStep
	rows  [][]int32
	scale float64
}

// focused reports whether keys act in lane i's column.
func (d *laneDrawer) focused(i int) bool { return i == d.m.cur && !d.v.knobs }

// pane draws the frame of one part of a column and returns its inside.
func (d *laneDrawer) pane(c *viz.Canvas, f viz.Frame) *viz.Canvas {
	if d.lay.boxed {
		return viz.Box(c, f)
	}
	f.Focused = false
	viz.Rule(c, f)
	return c.Sub(viz.Rect{X: 0, Y: 1, W: c.W, H: c.H - 1})
}

func (d *laneDrawer) text(c *viz.Canvas, i int) {
	l := d.m.lanes[i]
	in := d.pane(c, viz.Frame{Title: laneTitle(d.m, i, c.W-6), Focused: d.focused(i), Ink: viz.Ink{Role: laneRoles[i]}})
	if l.view.Phase == engine.Idle {
		in.Put(1, 0, viz.Cut("No prompt yet: e writes one.", in.W-2), viz.Ink{Role: viz.Muted})
		return
	}
	in = in.Sub(viz.Rect{X: 1, Y: 0, W: in.W - 2, H: in.H})
	h := in.H
	if d.lay.lines.H > 0 && h >= 3 { // the numbers have no box of their own
		h--
		in.Put(0, h, viz.CutTitle(numbers(l), in.W), viz.Ink{Role: viz.Muted})
	}
	g, lines, top := d.v.laneText(d.m, i, in.W, h)
	y := 0
	for ; y < h && top+y < len(lines); y++ {
		x := 0
		for _, gl := range g[lines[top+y][0]:lines[top+y][1]] {
			x = in.Put(x, y, gl.text, gl.ink)
		}
	}
	if l.view.Phase == engine.Failed && l.view.Err != nil && y < h {
		for _, s := range fold("! "+viz.Printable(firstLine(l.view.Err.Error()), in.ASCII), in.W, h-y) {
			in.Put(0, y, s, viz.Ink{Role: viz.Warning})
			y++
		}
	}
	if note := d.v.partingNote(d.m, i, in.W); note != "" && y+1 < h {
		in.Put(0, y+1, viz.CutTitle(note, in.W), viz.Ink{Role: viz.Muted})
	}
}

// laneText returns the text of lane i with the place marked where it parts
// from the others, in lines of w cells, and the first of the h lines to show.
func (v *compareView) laneText(m *Model, i, w, h int) (g []glyph, lines [][2]int, top int) {
	l := m.lanes[i]
	if l.view.Beam != nil {
		f := &textFlow{m: m, l: l, window: -1}
		f.prompt()
		f.add(l.view.Text(), viz.Ink{}, 0)
		f.caret()
		g = f.out
	} else {
		g = m.flow(l, max(w*h, 1))
		if at, ok := v.partsAt(m, i); ok {
			g = v.markParting(m, l, g, at+1)
		}
	}
	lines = wrap(g, max(w, 1))
	if n := len(lines); n > 1 && lines[n-1][0] == lines[n-1][1] {
		lines = lines[:n-1]
	}
	top = max(len(lines)-h, 0)
	if l.look > 0 {
		for k, ln := range lines {
			if ln[1] > ln[0] && g[ln[1]-1].step >= l.look {
				top = min(top, max(k-h/2, 0))
				break
			}
		}
	}
	return g, lines, top
}

// partsAt returns the first step, from 0, at which lane i parts from the lane
// it is measured against, or any lane from it.
func (v *compareView) partsAt(m *Model, i int) (at int, ok bool) {
	ref := v.reference(m)
	for k, o := range m.lanes {
		if k == i || i != ref && k != ref {
			continue
		}
		p := v.pairOf(m.lanes[i], o)
		if !p.parts {
			continue
		}
		x := p.at[0]
		if _, turned := keyOf(m.lanes[i], o); turned {
			x = p.at[1]
		}
		if !ok || x < at {
			at, ok = x, true
		}
	}
	return at, ok
}

// markParting puts ⟪ ⟫ around step k of the text; around the proposal if
// that is it.
func (v *compareView) markParting(m *Model, l *lane, g []glyph, k int) []glyph {
	ink := viz.Ink{Role: viz.CutLine, Attr: viz.Bold}
	mark := func(s string) glyph { return glyph{text: s, w: 1, ink: ink} }
	var out []glyph
	open, done := false, false
	for n, x := range g {
		caret := n == len(g)-1 && x.step == 0
		if open && x.step != k {
			out, open = append(out, mark("⟫")), false
		}
		if x.step == k && !open && !done && !(x.gap && n+1 < len(g) && g[n+1].step == k) {
			out, open, done = append(out, mark("⟪")), true, true
		}
		if caret && k == len(l.view.Steps)+1 && l.view.Next != nil && l.look == 0 {
			if strings.HasPrefix(l.vocab().Piece(l.view.Next.Token), " ") {
				out = append(out, glyph{text: " ", w: 1, gap: true})
			}
			out = append(out, mark("⟪"))
			for _, cl := range viz.Clusters(nil, strings.TrimPrefix(l.vocab().Piece(l.view.Next.Token), " "), m.pal.ASCII) {
				out = append(out, glyph{text: cl.Text, w: cl.W, ink: viz.Ink{Role: viz.Chosen}})
			}
			out = append(out, mark("⟫"))
		}
		if open {
			x.ink = x.ink.With(viz.Bold)
		}
		if open && x.end { // the mark stays on its line
			x.end = false
			end := mark("⟫")
			end.end = true
			out, open = append(out, x, end), false
			continue
		}
		out = append(out, x)
	}
	if open {
		out = append(out, mark("⟫"))
	}
	return out
}

// partingNote says where lane i parts, below its text of w cells.
func (v *compareView) partingNote(m *Model, i, w int) string {
	at, ok := v.partsAt(m, i)
	ref := v.reference(m)
	switch {
	case ok && w < 34 && m.lanes[i].view.Beam == nil:
		return fmt.Sprintf("⟪ ⟫ parts at token %s", viz.Count(at+1))
	case len(m.lanes) == 2 && ok && m.lanes[i].view.Beam == nil:
		return fmt.Sprintf("⟪ ⟫ first place where the texts part: token %s", viz.Count(at+1))
	case len(m.lanes) == 2 && !ok:
		return "the texts are the same so far"
	case i == ref && ok:
		return fmt.Sprintf("⟪ ⟫ the lanes part at token %s", viz.Count(at+1))
	case i == ref:
		return ""
	case ok && m.lanes[i].view.Beam == nil:
		return fmt.Sprintf("⟪ ⟫ parts from lane %d at token %s", ref+1, viz.Count(at+1))
	case !ok:
		return fmt.Sprintf("same as lane %d so far", ref+1)
	}
	return ""
}

// shortKeys are the names of knobs in a lane's title.
var shortKeys = map[string]string{
	"temperature": "T", "repetition_penalty": "rep.", "frequency_penalty": "freq.", "presence_penalty": "pres.",
	"num_assistant_tokens": "drafted", "max_new_tokens": "max",
}

// titleKnobs are the knobs as a title lists them: a change of strategy before
// changes of degree.
var titleKnobs = func() []*sampling.Param {
	list := slices.Clone(knobList)
	slices.SortStableFunc(list, func(a, b *sampling.Param) int { return strategyFirst(a) - strategyFirst(b) })
	return list
}()

func strategyFirst(p *sampling.Param) int {
	switch p.Key {
	case "num_beams", "num_assistant_tokens", "penalty_alpha", "constraint", "order", "do_sample":
		return 0
	}
	return 1
}

// laneTitle names lane i and how its settings differ from those of the first.
func laneTitle(m *Model, i, w int) string {
	l, first := m.lanes[i], m.lanes[0]
	name := fmt.Sprintf("lane %d", i+1)
	if w < 40 {
		name = digits(i + 1)
	}
	if w < 60 && len(m.lanes) > 1 && m.w < 80 {
		name = fmt.Sprintf("lane %d of %d", i+1, len(m.lanes))
	}
	name += " · " + viz.Printable(m.presetLabel(l), m.pal.ASCII)
	if l.model != first.model {
		name += " · " + viz.Printable(l.model.Info().Name, m.pal.ASCII)
	}
	if i == 0 {
		return name
	}
	var parts []string
	for _, p := range titleKnobs {
		a, b := first.shownConfig(), l.shownConfig()
		if sameSetting(a, b, p.Key) || p.Key == "max_new_tokens" {
			continue
		}
		key := p.Key
		if s, ok := shortKeys[key]; ok && w < 120 && (key != "temperature" || w < 70) {
			key = s
		}
		to := p.Format(b.Value(p.Key))
		if w >= 70 {
			to = p.Format(a.Value(p.Key)) + "→" + to
		}
		parts = append(parts, key+" "+viz.Printable(viz.Cut(to, 24), m.pal.ASCII))
	}
	if len(parts) == 0 {
		return name + " · same settings"
	}
	for n := len(parts); n > 0; n-- { // a title is cut at whole settings
		s := name + ": " + strings.Join(parts[:n], " ")
		if n < len(parts) {
			s += " …"
		}
		if viz.Width(s) <= w {
			return s
		}
	}
	return name
}

// numbers are survivors, entropy and speed of the step a lane shows.
func numbers(l *lane) string {
	var parts []string
	if s := l.step(); s != nil && s.Trace != nil {
		parts = append(parts, "kept "+viz.Count(s.Trace.Survived), viz.Two(float64(s.Trace.RawBits))+" bits")
	}
	if l.view.Rate > 0 {
		parts = append(parts, viz.Rate(l.view.Rate)+" tok/s")
	}
	return strings.Join(append(parts, plural(len(l.view.Steps), "token")), " · ")
}

// drawn says what lane i drew, and how far it is from the lane it is measured
// against.
func (d *laneDrawer) drawn(c *viz.Canvas, i int) {
	l, s := d.m.lanes[i], d.steps[i].s
	if s == nil {
		c.Put(1, 0, viz.CutTitle(strategyWords(l), c.W-2), viz.Ink{Role: viz.Muted})
		return
	}
	t := s.Trace
	name := l.piece(s.Token, c.ASCII)
	round := s.Round != nil
	first := fmt.Sprintf("u %s → %s %s", viz.Three(t.U), name, viz.Interval(t.Lo, t.Hi))
	if viz.Width(first) > c.W-2 {
		first = fmt.Sprintf("u %s → %s", viz.Three(t.U), name)
	}
	switch {
	case s.Forced:
		first = name + " was forced"
	case round:
		first = "judged in a round → " + name
	case t.Greedy:
		first = "greedy → " + name
	}
	shares := viz.Percent(float64(t.RawProb)) + " raw, " + viz.Percent(float64(t.Prob)) + " final"
	if c.W < 46 {
		shares = viz.Percent(float64(t.RawProb)) + " → " + viz.Percent(float64(t.Prob))
	}
	lines := []string{first, fmt.Sprintf("raw rank %s · %s", viz.Count(int(s.Summary.Rank)), shares)}
	speed := plural(len(l.view.Steps), "token")
	if l.view.Rate > 0 {
		speed = "decode " + viz.Rate(l.view.Rate) + " tok/s · " + speed
	}
	lines = append(lines, speed)
	if ref := d.v.reference(d.m); ref != i {
		lines = append(lines, d.v.apartWords(d.m, ref, i))
	} else {
		lines = append(lines, "TV is measured from here")
	}
	if v := l.view.Draft; v != nil && round {
		lines[1] = fmt.Sprintf("%s of %s drafted tokens stood", viz.Count(v.Accepted), viz.Count(v.Judged))
	}
	for y, s := range lines {
		c.Put(1, y, viz.CutTitle(s, c.W-2), viz.Ink{})
	}
}

// apartWords is the distance of lane i to lane ref in a few words.
func (v *compareView) apartWords(m *Model, ref, i int) string {
	p := v.pairOf(m.lanes[ref], m.lanes[i])
	to := fmt.Sprintf(" to lane %d: ", ref+1)
	switch {
	case p.alien:
		return "TV" + to + "– (other vocabulary)"
	case !p.measured(m.lanes[ref], m.lanes[i]):
		return "TV" + to + viz.Removed
	}
	return "TV" + to + viz.Three(p.now.d.TV) + " · JS " + viz.Three(p.now.d.JS) + " bits"
}

// strategyWords says what a lane does that draws no token.
func strategyWords(l *lane) string {
	switch v := l.view; {
	case v.Beam != nil && v.Beam.Last() == nil:
		return "beam search · no step yet"
	case v.Beam != nil:
		return fmt.Sprintf("beam search · %d running · %d finished", len(v.Beam.Running()), len(v.Beam.Finished()))
	case v.Contrastive != nil:
		return "contrastive search: the best of its candidates, no draw"
	case v.Phase == engine.Prefill:
		return "reading the prompt"
	case l.look > 0:
		return fmt.Sprintf("recomputing step %d …", l.look)
	case v.Phase == engine.Failed && v.Err != nil:
		return "! " + viz.Printable(firstLine(v.Err.Error()), true)
	}
	return "no step yet"
}

func (d *laneDrawer) chart(c *viz.Canvas, i int) {
	l, s := d.m.lanes[i], d.steps[i].s
	f := viz.Frame{Title: "no step yet", Focused: d.focused(i)}
	if s == nil {
		if l.view.Beam != nil || l.view.Contrastive != nil || l.look > 0 {
			f.Title = strategyWords(l)
		}
		d.beams(d.pane(c, f), l)
		return
	}
	t := s.Trace
	f.Title = fmt.Sprintf("token %s · kept %s · %s bits", viz.Count(s.Index), viz.Count(t.Survived), viz.Two(float64(t.RawBits)))
	if c.W >= 60 {
		f.Title += " → " + viz.Two(float64(t.Bits))
		if !t.Greedy && s.Round == nil && !s.Forced && !s.Observed {
			f.Title += " · u " + viz.Three(t.U)
		}
	}
	f.Right = "full bar " + scaleWords(d.scale)
	if c.W < 60 {
		f.Right = "full " + scaleWords(d.scale)
	}
	if c.W < 44 {
		f.Title = "token " + viz.Count(s.Index) + " · kept " + viz.Count(t.Survived)
	}
	switch p := l.view.Phase; {
	case l.look > 0:
	case p == engine.Done:
		f.Title = "ended: " + endWords(l) + " · " + f.Title
	case p == engine.Failed:
		f.Title = "! failed · " + f.Title
	}
	in := d.pane(c, f)
	if l.view.Phase == engine.Prefill {
		in.Put(1, 0, viz.Cut("reading the prompt …", in.W-1), viz.Ink{Role: viz.Muted})
		return
	}
	d.bars(in, i)
}

// A laneColumns is where the parts of a row stand.
type laneColumns struct{ rank, mark, label, labelW, final, bar int }

func laneColumnsOf(w int) laneColumns {
	switch {
	case w < 36:
		return laneColumns{rank: 0, mark: 1, label: 3, labelW: 7, final: 16, bar: 17}
	case w < 46:
		return laneColumns{rank: 4, mark: 5, label: 7, labelW: 10, final: 23, bar: 24}
	}
	return laneColumns{rank: 4, mark: 5, label: 7, labelW: 12, final: 25, bar: 26}
}

func (d *laneDrawer) bars(c *viz.Canvas, i int) {
	if d.rows == nil {
		return
	}
	l, t := d.m.lanes[i], d.steps[i].t
	col := laneColumnsOf(c.W)
	bars := make([]viz.Bar, 0, len(d.rows[i])+1)
	raw, final, left := 1.0, 1.0, t.Vocab-t.NoPiece
	for y, id := range d.rows[i] {
		r := t.Row(id)
		if r == nil {
			bars = append(bars, viz.Bar{Blank: true})
			continue
		}
		raw, final, left = raw-float64(r.RawProb), final-float64(r.Prob), left-1
		bars = append(bars, d.row(c, y, l, d.steps[i], r, col))
	}
	y := len(d.rows[i])
	if final < 1e-6 {
		final = 0
	}
	ink := viz.Ink{Role: viz.Muted}
	share := viz.Percent(final)
	if final == 0 {
		c.Put(col.mark, y, "✗", viz.Ink{Role: viz.Lost})
		share = viz.Removed
	}
	name := viz.Count(left) + " others"
	switch {
	case t.Rest > 0 && left == 0:
		name = unnamedLabel(t, col.labelW-1)
	case t.Rest > 0: // what a server did not name is among them
		name = viz.Count(left) + " + unnamed"
	}
	if viz.Width(name) >= col.labelW {
		name = "others"
	}
	c.Fit(col.label, y, col.labelW-1, name, ink)
	c.Right(col.final, y, share, ink)
	bars = append(bars, viz.Bar{Raw: max(raw, 0), Final: max(final, 0)})
	viz.Bars(c.Sub(viz.Rect{X: col.bar, Y: 0, W: c.W - col.bar - 1, H: len(bars)}), bars, d.scale)
}

// row draws one token's line but for its bar, which it returns.
func (d *laneDrawer) row(c *viz.Canvas, y int, l *lane, s laneStep, r *sampling.Row, col laneColumns) viz.Bar {
	chosen := r.ID == s.s.Token
	removed := r.Cut != sampling.NoStage
	ink := viz.Ink{}
	switch {
	case chosen:
		ink.Role = viz.Chosen
	case removed:
		ink.Role = viz.Lost
	case r.Pinned:
		ink.Role = viz.Pinned
	}
	if col.rank > 0 {
		c.Right(col.rank, y, digits(int(r.Rank)), viz.Ink{Role: viz.Muted})
	}
	mark := laneMark(s, r)
	if r.Pinned && mark == " " {
		c.Put(col.mark, y, "★", viz.Ink{Role: viz.Pinned})
	} else {
		c.Put(col.mark, y, mark, ink)
	}
	if r.ID == l.row && !chosen && l == d.m.lane() {
		c.Put(col.mark-1, y, "▸", viz.Ink{Role: viz.Focus})
	}
	c.Fit(col.label, y, col.labelW-1, l.piece(r.ID, c.ASCII), ink)
	final := viz.Percent(float64(r.Prob))
	if removed {
		final = viz.Removed
	}
	c.Right(col.final, y, final, ink)
	return viz.Bar{Raw: float64(r.RawProb), Final: float64(r.Prob), Refused: refused(s.t, r)}
}

// laneMark says what became of a token in one lane.
func laneMark(s laneStep, r *sampling.Row) string {
	switch {
	case r.ID == s.s.Token && s.s.Forced:
		return "◆"
	case r.ID == s.s.Token:
		return "●"
	case refused(s.t, r):
		return "⊘"
	case r.Cut != sampling.NoStage:
		return "✗"
	}
	return " "
}

// beams lists the texts of a beam search, best first.
func (d *laneDrawer) beams(c *viz.Canvas, l *lane) {
	if l.view.Beam == nil {
		c.Put(1, 0, viz.Cut(strategyWords(l), c.W-1), viz.Ink{Role: viz.Muted})
		return
	}
	muted := viz.Ink{Role: viz.Muted}
	for y, h := range l.view.Beam.Result() {
		ink := viz.Ink{}
		if y == 0 {
			ink.Role = viz.Chosen
			c.Put(5, y, "●", ink)
		}
		c.Right(4, y, digits(y+1), muted)
		x := c.Put(7, y, viz.Two(h.Score)+"  ", muted)
		text := engine.TextOf(l.vocab(), l.view.Settings, h.Tokens())
		c.Put(x, y, lastCells(flat(string(text), c.ASCII), c.W-x-1), ink)
	}
	y := len(l.view.Beam.Result()) + 1
	for i, n := range l.view.Beam.Running() {
		text := engine.TextOf(l.vocab(), l.view.Settings, n.Tokens())
		x := c.Put(7, y+i, "runs  ", muted)
		c.Put(x, y+i, lastCells(flat(string(text), c.ASCII), c.W-x-1), muted)
	}
}

// flat returns text with its line ends as glyphs.
func flat(text string, ascii bool) string {
	return viz.Printable(strings.ReplaceAll(strings.TrimLeft(text, " "), "\n", "↵"), ascii)
}

// lastCells returns the end of s in at most w cells.
func lastCells(s string, w int) string {
	if viz.Width(s) <= w {
		return s
	}
	r := []rune(s)
	for len(r) > 0 && viz.Width(string(r))+1 > w {
		r = r[1:]
	}
	return "…" + string(r)
}
