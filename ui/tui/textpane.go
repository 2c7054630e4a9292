package tui

import (
	"fmt"
	"strconv"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/sampling"
	"logitscope/viz"
)

// marks is what the colours of the text stand for.
type marks uint8

const (
	byPreset marks = iota
	byProbability
	bySurprisal
	byRank
	byWindow
	nMarks
)

var markNames = [nMarks]string{"preset", "probability", "surprisal", "rank", "penalty window"}

// nextMarks changes what the colours of the text stand for.
func (m *Model) nextMarks() {
	m.marks = (m.marks + 1) % nMarks
	m.say("text coloured by " + markNames[m.marks] + markLegend[m.marks])
}

var markLegend = [nMarks]string{
	": a mark stands where another one took over",
	": plain from 50%, italic from 10%, underlined from 1%, bold below",
	": plain below 1 bit, italic below 3.3, underlined below 6.6, bold above",
	": plain is rank 1, italic to 5, underlined to 50, bold beyond",
	": ⟦ ⟧ around the tokens the penalties look at",
}

// A glyph is one cluster of the text pane.
type glyph struct {
	text string
	w    int
	ink  viz.Ink
	step int  // index of the step it belongs to, 0 for the prompt and marks
	end  bool // a line ends after it
	gap  bool // a place where the line may be broken; left out at a line's start
}

// A textFlow gathers what the text pane shows.
type textFlow struct {
	m      *Model
	l      *lane
	out    []glyph
	window int // first token the penalties look at, -1 for none
	from   int // first step that is gathered, from 0
	to     int // and the one after the last
}

// flow returns the text of the lane as glyphs: all of it, or of a long text
// as much as may be seen in a pane of so many cells.
func (m *Model) flow(l *lane, cells int) []glyph {
	f := &textFlow{m: m, l: l, window: -1, to: len(l.view.Steps)}
	if m.marks == byWindow {
		f.window = penaltyWindow(l)
	}
	at := f.to
	if l.look > 0 {
		at = l.look
	}
	// Two bytes a cell are enough for any script, and every token has one.
	f.from = at
	for n := 0; f.from > 0 && n < 2*cells; f.from-- {
		n += len(f.piece(l.view.Steps[f.from-1]))
	}
	f.to = min(at+cells, f.to)
	if f.from > 0 {
		f.mark("… ", viz.Ink{Role: viz.Muted})
	} else {
		f.prompt()
	}
	f.steps()
	if f.to == len(l.view.Steps) {
		f.caret()
	}
	return f.out
}

// prompt adds the prompt and the mark of its end.
func (f *textFlow) prompt() {
	v := f.l.view
	ink := viz.Ink{Role: viz.Muted}
	if f.window >= 0 {
		f.promptWindow(ink)
	} else {
		f.add(v.PromptText, ink, 0)
	}
	if len(v.Prompt) > 0 && (len(v.Steps) > 0 || v.Phase >= engine.Prefill) {
		f.mark("╎", viz.Ink{Role: viz.Muted})
	}
}

// penaltyWindow returns the place of the first token that the penalties of the
// shown step look at, -1 if they look at none.
func penaltyWindow(l *lane) int {
	s, set := l.step(), l.shownSettings()
	in, err := l.input()
	if s == nil || s.Trace == nil || set == nil || err != nil {
		return -1
	}
	for _, st := range s.Trace.Stages() {
		if !isPenalty(st.Name) {
			continue
		}
		if _, n, err := set.Pipeline.Touched(st.Name, new(sampling.Scratch), in); err == nil && n > 0 {
			return max(in.Pos()-n, 0)
		}
	}
	return -1
}

// promptWindow adds the prompt token by token, so that the window's border
// can stand between two of them.
func (f *textFlow) promptWindow(ink viz.Ink) {
	v := f.l.vocab()
	for i, id := range f.l.view.Prompt {
		if i == f.window {
			f.mark("⟦", viz.Ink{Role: viz.Penalised})
		}
		if v.Attr(id) != models.Control && v.Attr(id) != models.Unused {
			f.add(v.Piece(id), ink, 0)
		}
	}
}

// steps adds the tokens written. What the view holds back or a stop string
// cut is left out at the end.
func (f *textFlow) steps() {
	v := f.l.view
	hidden := 0
	if f.to == len(v.Steps) {
		hidden = len(v.Written) - len(v.Text())
	}
	left := -hidden
	for _, s := range v.Steps[f.from:f.to] {
		left += len(f.piece(s))
	}
	label := ""
	if f.from > 0 {
		label = v.Steps[f.from-1].Settings.Label
	}
	for i, s := range v.Steps[f.from:f.to] {
		if f.window == len(v.Prompt)+f.from+i {
			f.mark("⟦", viz.Ink{Role: viz.Penalised})
		}
		if name := s.Settings.Label; name != label {
			if label != "" && f.m.marks == byPreset {
				f.mark(presetTag(f.m.opt.Presets, name), labelInk(name).With(viz.Bold))
			}
			label = name
		}
		if s.Forced {
			f.mark("◆", viz.Ink{Role: viz.Chosen})
		}
		p := f.piece(s)
		f.add(p[:min(len(p), max(left, 0))], f.ink(s), s.Index)
		left -= len(p)
	}
	if f.window >= 0 {
		f.mark("⟧", viz.Ink{Role: viz.Penalised})
	}
}

// piece is what a step adds to the text.
func (f *textFlow) piece(s *engine.Step) string {
	voc := f.l.vocab()
	if a := voc.Attr(s.Token); a == models.Control || a == models.Unused {
		return ""
	}
	return voc.Piece(s.Token)
}

// ink returns how the text of one step is drawn.
func (f *textFlow) ink(s *engine.Step) viz.Ink {
	ink := viz.Ink{}
	switch f.m.marks {
	case byPreset:
		ink = labelInk(s.Settings.Label)
	case byProbability, bySurprisal:
		lp := float64(s.Summary.RawLogprob)
		ink = grade(lp < -.6931, lp < -2.3026, lp < -4.6052)
	case byRank:
		ink = grade(s.Summary.Rank > 1, s.Summary.Rank > 5, s.Summary.Rank > 50)
	}
	if f.l.look == s.Index {
		ink = ink.With(viz.Reverse)
	}
	return ink
}

// grade returns an ink for how far from ordinary a token is.
func grade(a, b, c bool) viz.Ink {
	switch {
	case c:
		return viz.Ink{Role: viz.Penalised, Attr: viz.Bold}
	case b:
		return viz.Ink{Role: viz.CutLine, Attr: viz.Underline}
	case a:
		return viz.Ink{Role: viz.Boosted, Attr: viz.Italic}
	}
	return viz.Ink{}
}

// caret adds what stands at the end: bytes held back, and caret or end mark.
func (f *textFlow) caret() {
	v := f.l.view
	switch v.Phase {
	case engine.Done:
		f.mark("■", viz.Ink{Role: viz.Muted})
	case engine.Failed, engine.Idle:
	case engine.Prefill:
	default:
		if held := v.Held(); held != "" {
			s := viz.Label(held, f.m.pal.ASCII)
			f.mark(s[:len(s)-len("›")]+" …›", viz.Ink{Role: viz.Muted})
		}
		caret := "▌"
		if f.m.pal.ASCII {
			caret = "_"
		}
		f.mark(caret, viz.Ink{Role: viz.Focus})
	}
}

// mark adds glyphs of the program's own.
func (f *textFlow) mark(s string, ink viz.Ink) {
	for _, c := range viz.Clusters(nil, s, f.m.pal.ASCII) {
		f.out = append(f.out, glyph{text: c.Text, w: c.W, ink: ink})
	}
}

// add adds text, cluster by cluster.
func (f *textFlow) add(s string, ink viz.Ink, step int) {
	i := 0
	for _, c := range viz.Clusters(nil, s, f.m.pal.ASCII) {
		g := glyph{text: c.Text, w: c.W, ink: ink, step: step}
		switch s[i] {
		case '\n':
			g.end, g.ink.Role = true, viz.Muted
		case ' ':
			g.gap = true
		}
		i += c.Bytes
		f.out = append(f.out, g)
	}
}

// presetTag marks where a preset takes over: "⟨3 creative⟩".
func presetTag(presets []Preset, name string) string {
	for i, p := range presets {
		if p.Name == name && i < 9 {
			return "⟨" + strconv.Itoa(i+1) + " " + name + "⟩"
		}
	}
	return "⟨" + name + "⟩"
}

// wrap breaks glyphs into lines of at most w cells, at spaces where it can.
// Lines are ranges of glyphs.
func wrap(g []glyph, w int) [][2]int {
	var lines [][2]int
	start, x, gap := 0, 0, -1
	for i := 0; i < len(g); i++ {
		if x+g[i].w > w && i > start {
			switch {
			case g[i].gap:
				lines = append(lines, [2]int{start, i})
				start, x, gap = i+1, 0, -1
				continue
			case gap > start:
				lines = append(lines, [2]int{start, gap})
				start, i, x, gap = gap+1, gap, 0, -1
				continue
			default:
				lines = append(lines, [2]int{start, i})
				start, x, gap = i, 0, -1
			}
		}
		if g[i].gap {
			gap = i
		}
		x += g[i].w
		if g[i].end {
			lines = append(lines, [2]int{start, i + 1})
			start, x, gap = i+1, 0, -1
		}
	}
	return append(lines, [2]int{start, len(g)})
}

// textLines returns the text of l in lines of w cells, and the first of the h
// lines to show: the last ones, or those around the step looked back at.
func (m *Model) textLines(l *lane, w, h int) (g []glyph, lines [][2]int, top int) {
	g = m.flow(l, max(w*h, 1))
	lines = wrap(g, max(w, 1))
	if n := len(lines); n > 1 && lines[n-1][0] == lines[n-1][1] {
		lines = lines[:n-1]
	}
	top = max(len(lines)-h, 0)
	if l.look > 0 {
		for i, ln := range lines {
			if ln[1] > ln[0] && g[ln[1]-1].step >= l.look {
				top = min(top, max(i-h/2, 0))
				break
			}
		}
	}
	return g, lines, top
}

// drawText draws the text into c.
func (m *Model) drawText(c *viz.Canvas, l *lane) {
	if l.view.Phase == engine.Idle {
		m.drawWelcome(c)
		return
	}
	in := c.Sub(viz.Rect{X: 1, Y: 0, W: c.W - 2, H: c.H})
	g, lines, top := m.textLines(l, in.W, in.H)
	for y := 0; y < in.H && top+y < len(lines); y++ {
		x := 0
		for _, gl := range g[lines[top+y][0]:lines[top+y][1]] {
			x = in.Put(x, y, gl.text, gl.ink)
		}
	}
}

// stepAt returns the step whose text stands at x, y of the text pane's
// inside, 0 if none does.
func (m *Model) stepAt(l *lane, c viz.Rect, x, y int) int {
	g, lines, top := m.textLines(l, c.W-2, c.H)
	if top+y >= len(lines) || y < 0 {
		return 0
	}
	at := 1
	for _, gl := range g[lines[top+y][0]:lines[top+y][1]] {
		if x < at+gl.w {
			return gl.step
		}
		at += gl.w
	}
	return 0
}

// drawWelcome says what to do while there is no prompt.
func (m *Model) drawWelcome(c *viz.Canvas) {
	c.Put(1, 0, "No prompt yet. e writes one, E has examples with known shapes.", viz.Ink{})
	if m.lane().view.Err != nil {
		c.Put(1, 1, viz.Printable(firstLine(m.lane().view.Err.Error()), c.ASCII), viz.Ink{Role: viz.Warning})
	}
}

// textFrame returns the titles of the text pane.
func (m *Model) textFrame(l *lane) viz.Frame {
	f := viz.Frame{Title: "text · coloured by " + markNames[m.marks], Focused: m.focus == paneText}
	n := len(l.view.Steps)
	if k := classOf(m.w, m.h); k >= class120 && l.settings != nil && l.view.Phase >= engine.Running {
		f.Right = fmt.Sprintf("%s of %s tokens", viz.Count(n), viz.Count(l.settings.Limit()))
	}
	return f
}
