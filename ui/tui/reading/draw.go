package reading

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"logitscope/engine/score"
	"logitscope/models"
	"logitscope/sampling"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// levels are the heights of a strip, from nothing to all.
var levels = [...]string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}

// level returns the glyph for x of at most most.
func level(x, most float64) string {
	if !(most > 0) || !(x > 0) {
		return levels[0]
	}
	return levels[min(int(x/most*float64(len(levels))), len(levels)-1)]
}

// A layout is where the parts of the view stand in w×h cells.
type layout struct{ text, line, chart, sums viz.Rect }

func layoutOf(w, h int) layout {
	text, line := 7, 8
	if h < 30 {
		text, line = 6, 6
	}
	if h < 17 {
		text, line = max(h-3, 3), 0
	}
	var l layout
	l.text = viz.Rect{W: w, H: text}
	l.line = viz.Rect{Y: text, W: w, H: line}
	below := h - text - line
	l.chart = viz.Rect{Y: text + line, W: w, H: below}
	if w >= 100 {
		l.chart.W = w - 46
		l.sums = viz.Rect{X: l.chart.W, Y: text + line, W: 46, H: min(below, 16)}
	}
	return l
}

// Draw draws the view; see [kit.View].
func (v *View) Draw(c *viz.Canvas, host kit.Host) {
	if v.typed {
		v.drawField(c)
		return
	}
	r := v.shown()
	if r == nil {
		words := "reading …"
		switch {
		case v.reading.Ready && v.reading.Err != nil:
			words = "! " + viz.Printable(viz.FirstLine(v.reading.Err.Error()), c.ASCII)
		case v.reading.Ready:
			words = "the text has no tokens; R pastes another"
		}
		c.Put(1, 0, viz.CutTitle(words, c.W-2), viz.Ink{})
		return
	}
	lay := layoutOf(c.W, c.H)
	v.drawText(c.Sub(lay.text), r, host)
	if lay.line.H > 0 {
		v.drawLine(c.Sub(lay.line), r, host)
	}
	if lay.chart.H >= 4 {
		v.drawChart(c.Sub(lay.chart), r, host)
	}
	if !lay.sums.Empty() && lay.sums.H > 3 {
		v.drawSums(c.Sub(lay.sums), r, host)
	}
}

var pasteForms = []string{
	"Paste a text: it is read under the model and the settings in force, token by token.",
	"Paste a text: it is read token by token, under the settings in force.",
	"Paste a text to read, token by token.",
	"Paste a text to read.",
}

// drawField draws the field to paste a text into.
func (v *View) drawField(c *viz.Canvas) {
	in := viz.Box(c, viz.Frame{Title: "a text to read", Right: v.area.Count(), Focused: true})
	if v.area.Text() == "" {
		in.Put(4, 0, viz.FirstFit(in.W-6, pasteForms...), viz.Ink{Role: viz.Muted})
	}
	v.area.Draw(in.Sub(viz.Rect{X: 0, Y: 1, W: in.W, H: max(in.H-2, 1)}), 4, -1)
	if v.file != nil {
		v.file.Draw(in, in.Put(1, in.H-1, "file to read: ", viz.Ink{Role: viz.Focus}), in.H-1)
	}
}

// around is how many tokens around the one shown are laid out as text: the
// pane shows far fewer.
const around = 1500

// part returns the tokens to lay out, from and to excluded, from 0. It moves in
// steps, so that lines do not shift with every token.
func (v *View) part(r *reading) (from, to int) {
	from = max((v.at-1)/around*around-around/2, 0)
	return from, min(from+2*around, len(r.tokens))
}

// flow returns the glyphs of the tokens, each with its token as step, from 1.
func flow(r *reading, from, to int, voc models.Vocab, ascii bool) (out []run.Glyph) {
	for k := from; k < to; k++ {
		piece := voc.Piece(r.tokens[k].ID)
		if !utf8.ValidString(piece) || piece == "" {
			s := viz.Label(piece, ascii)
			out = append(out, run.Glyph{Text: s, W: viz.Width(s), Step: k + 1})
			continue
		}
		for _, x := range piece {
			g := run.Glyph{Text: viz.Printable(string(x), ascii), Step: k + 1}
			switch x {
			case '\n':
				g.Text, g.End = viz.Printable("↵", ascii), true
			case ' ':
				g.Gap = true
			}
			g.W = viz.Width(g.Text)
			out = append(out, g)
		}
	}
	return out
}

// drawText draws the text, the strip of the measure under its words, and ✗ at
// the end of a token that the settings could not have written.
func (v *View) drawText(c *viz.Canvas, r *reading, host kit.Host) {
	label := viz.Printable(host.Lane().ShownLabel(), c.ASCII)
	in := viz.Box(c, viz.Frame{
		Title: fmt.Sprintf("text · coloured by %s · ✗ %s could not have written it here", measures[v.measure].name, label), Right: viz.Plural(len(r.tokens), "token"),
	})
	from, to := v.part(r)
	g := flow(r, from, to, r.vocab(), c.ASCII)
	w := max(in.W-2, 1)
	lines := run.Wrap(g, w)
	rows := max(in.H/2, 1)
	top := 0
	for k, ln := range lines {
		if ln[1] > ln[0] && g[ln[1]-1].Step >= v.at {
			top = max(min(k-rows/2, len(lines)-rows), 0)
			break
		}
	}
	of := measures[v.measure].of
	most := v.largest(r)
	for y := 0; y < rows && top+y < len(lines); y++ {
		x := 1
		line := g[lines[top+y][0]:lines[top+y][1]]
		for i, gl := range line {
			t := &r.tokens[gl.Step-1]
			ink := inkOf(t)
			if gl.Step == v.at {
				ink = ink.With(viz.Reverse)
			}
			end := in.Put(x, 2*y, gl.Text, ink)
			last := i == len(line)-1 || line[i+1].Step != gl.Step
			if 2*y+1 < in.H && (!gl.Gap || last && gl.Step != 0 && !t.Of.Kept) {
				strip := strings.Repeat(level(of(t), most), max(end-x, 0))
				in.Put(x, 2*y+1, strip, ink)
				if last && t.Scored && !t.Of.Kept {
					in.Put(end-1, 2*y+1, "✗", viz.Ink{Role: viz.Lost})
				}
			}
			x = end
		}
	}
}

// largest is the most that the measure of a token of the text is.
func (v *View) largest(r *reading) float64 {
	if v.measure == 0 {
		return r.most
	}
	most := 0.0
	for i := range r.tokens {
		most = max(most, measures[v.measure].of(&r.tokens[i]))
	}
	return most
}

// inkOf colours a token by how likely it was, as the lab does.
func inkOf(t *score.Token) viz.Ink {
	if !t.Scored {
		return viz.Ink{Role: viz.Muted}
	}
	return run.SurpriseInk(float64(t.Of.RawLogprob))
}

// cellsOfToken is how wide a column of the timeline is.
const cellsOfToken = 3

func rankWord(t *score.Token) string {
	switch {
	case !t.Scored || t.Of.Rank == 0:
		return "–"
	case t.Of.Rank == 1:
		return "·"
	case t.Of.Rank > 99:
		return "99+"
	}
	return strconv.Itoa(int(t.Of.Rank))
}

func fate(t *score.Token) string {
	if t.Scored && !t.Of.Kept {
		return "✗"
	}
	return nothing
}

// tokenWords say what the token shown was: "token 9 ␣mill: 11.52 bits, rank 149,
// 0.034% raw; cut by top_k".
func (v *View) tokenWords(r *reading, host kit.Host) string {
	t := &r.tokens[v.at-1]
	s := fmt.Sprintf("▲ token %s %s: ", viz.Count(v.at), run.Label(r.vocab(), t.ID, host.Screen().ASCII()))
	switch {
	case !t.Scored && v.of != nil:
		return s + "the file has no value for it"
	case !t.Scored:
		return s + "nothing stands before it"
	}
	rank := "not known"
	if t.Of.Rank > 0 {
		rank = viz.Count(int(t.Of.Rank))
	}
	s += fmt.Sprintf("%s bits, rank %s, %s raw", viz.Two(surprisal(t)), rank, viz.Percent(math.Exp(float64(t.Of.RawLogprob))))
	if !t.Of.Kept {
		return s + "; cut by " + t.Of.CutBy
	}
	s += "; " + viz.Percent(math.Exp(float64(t.Of.Logprob))) + " under the settings"
	if v.of != nil {
		s += ", of those named"
	}
	return s
}

// drawChart draws the row before the token shown; the token has a line of its
// own, wherever it ranks.
func (v *View) drawChart(c *viz.Canvas, r *reading, host kit.Host) {
	t := v.trace()
	f := viz.Frame{Title: fmt.Sprintf("token %s of the text", viz.Count(v.at)), Focused: true}
	if t != nil {
		f.Title += " · among " + run.Among(t)
	}
	own := &r.tokens[v.at-1]
	room := c.H - 2
	if t != nil && t.Rest > 0 { // what is not named has a line of its own
		room--
	}
	head := 0
	if room >= 6 {
		head = 1
	}
	list := v.rows(t, own.ID, room-head)
	scale := 0.05
	for _, x := range list {
		scale = max(scale, float64(max(x.RawProb, x.Prob)))
	}
	if t != nil {
		scale = max(scale, float64(t.Rest))
	}
	f.Right = "full bar " + viz.WholePercent(scale)
	in := viz.Box(c, f)
	if t == nil {
		in.Put(1, 0, viz.CutTitle(v.tokenWords(r, host), in.W-2), viz.Ink{Role: viz.Muted})
		return
	}
	muted := viz.Ink{Role: viz.Muted}
	if head > 0 {
		in.Right(rankColumn, 0, "#", muted)
		in.Put(nameColumn, 0, "token", muted)
		in.Right(rawColumn, 0, "raw", muted)
		in.Right(finalColumn, 0, "final", muted)
		if t.Rest > 0 {
			in.Put(barColumn, 0, viz.CutTitle("of those named", in.W-barColumn-1), muted)
		}
	}
	in = in.Sub(viz.Rect{Y: head, W: in.W, H: in.H - head})
	bars := make([]viz.Bar, 0, len(list)+1)
	for y, x := range list {
		v.drawRow(in, r, x, own, y)
		bars = append(bars, viz.Bar{Raw: float64(x.RawProb), Final: float64(x.Prob)})
	}
	if t.Rest > 0 {
		y := len(list)
		in.Put(nameColumn, y, "not named", muted)
		in.Right(rawColumn, y, viz.Percent(float64(t.Rest)), muted)
		in.Right(finalColumn, y, viz.Removed, muted)
		bars = append(bars, viz.Bar{Raw: float64(t.Rest)})
	}
	viz.Bars(in.Sub(viz.Rect{X: barColumn, Y: 0, W: max(in.W-barColumn-1, 1), H: len(bars)}), bars, scale)
}

// Edges of the columns of the chart's rows.
const (
	rankColumn, markColumn, nameColumn, rawColumn, finalColumn, barColumn = 5, 6, 8, 31, 40, 42
)

// drawRow draws a row of the chart without its bar; own is the token of the
// text.
func (v *View) drawRow(in *viz.Canvas, r *reading, x *sampling.Row, own *score.Token, y int) {
	t, muted := v.trace(), viz.Ink{Role: viz.Muted}
	ink := viz.Ink{}
	glyph := " "
	switch {
	case x.ID == own.ID:
		ink.Role, glyph = viz.Chosen, "◆"
	case x.Cut != sampling.NoStage:
		ink.Role, glyph = viz.Lost, "✗"
	}
	place := viz.Count(int(x.Rank))
	if x.ID == own.ID && own.Of.Rank == 0 {
		place = viz.Removed
	}
	in.Right(rankColumn, y, place, muted)
	in.Put(markColumn, y, glyph, ink)
	if v.row < len(t.Rows()) && t.Rows()[v.row].ID == x.ID {
		in.Put(markColumn+1, y, "▸", viz.Ink{Role: viz.Focus})
	}
	in.Fit(nameColumn, y, rawColumn-nameColumn-8, run.Label(r.vocab(), x.ID, in.ASCII), ink)
	in.Right(rawColumn, y, viz.Percent(float64(x.RawProb)), ink)
	share := viz.Removed
	if x.Cut == sampling.NoStage {
		share = viz.Percent(float64(x.Prob))
	}
	in.Right(finalColumn, y, share, ink)
}

// rows are the n best of the row by raw probability; the text's own token and
// the row chosen always have a place.
func (v *View) rows(t *sampling.Trace, own int32, n int) (out []*sampling.Row) {
	if t == nil {
		return nil
	}
	var kept []int
	for i := range t.Rows() {
		if x := &t.Rows()[i]; x.ID == own || i == v.row {
			kept = append(kept, i)
		}
	}
	room := n - len(kept)
	for i := range t.Rows() {
		x := &t.Rows()[i]
		always := x.ID == own || i == v.row
		if !always {
			if room <= 0 {
				continue
			}
			room--
		}
		if len(out) < n {
			out = append(out, x)
		}
	}
	return out
}
