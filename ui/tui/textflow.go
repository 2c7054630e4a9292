package tui

import (
	"strconv"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/sampling"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

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
	l      *run.Lane
	out    []glyph
	window int // first token the penalties look at, -1 for none
	from   int // first step that is gathered, from 0
	to     int // and the one after the last
	run    stepRun
}

// A stepRun is text of several steps that no mark interrupts. It is broken
// into clusters as a whole, since a character may span tokens.
type stepRun struct {
	text  []byte
	ends  []int // where each step's part of text ends
	steps []*engine.Step
}

func (r *stepRun) add(piece string, s *engine.Step) {
	if piece == "" {
		return
	}
	r.text = append(r.text, piece...)
	r.ends, r.steps = append(r.ends, len(r.text)), append(r.steps, s)
}

// flush adds the text gathered since the last mark. A character belongs to
// the step that began it.
func (f *textFlow) flush() {
	r := f.run
	f.run = stepRun{text: r.text[:0], ends: r.ends[:0], steps: r.steps[:0]}
	at, k := 0, 0
	for _, c := range viz.Clusters(nil, string(r.text), f.m.pal.ASCII) {
		for k < len(r.ends)-1 && at >= r.ends[k] {
			k++
		}
		f.cluster(c, r.text[at], f.ink(r.steps[k]), r.steps[k].Index)
		at += c.Bytes
	}
}

// flow returns the text of the lane as glyphs: all of it, or of a long text
// as much as may be seen in a pane of so many cells.
func (m *Model) flow(l *run.Lane, cells int) []glyph {
	f := &textFlow{m: m, l: l, window: -1, to: len(l.View.Steps)}
	if m.marks == byWindow {
		f.window = penaltyWindow(l)
	}
	at := f.to
	if l.Look.At > 0 {
		at = l.Look.At
	}
	// Two bytes a cell are enough for any script, and every token has one.
	f.from = at
	for n := 0; f.from > 0 && n < 2*cells; f.from-- {
		n += len(f.piece(l.View.Steps[f.from-1]))
	}
	f.to = min(at+cells, f.to)
	if f.from > 0 {
		f.mark("… ", viz.Ink{Role: viz.Muted})
	} else {
		f.prompt()
	}
	f.steps()
	if f.to == len(l.View.Steps) {
		f.caret()
	}
	return f.out
}

// prompt adds the prompt and the mark of its end.
func (f *textFlow) prompt() {
	v := f.l.View
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
func penaltyWindow(l *run.Lane) int {
	s, set := l.Step(), l.ShownSettings()
	in, err := l.Input()
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

// promptWindow adds the prompt with the window's border between two of its
// tokens.
func (f *textFlow) promptWindow(ink viz.Ink) {
	v := f.l.Vocab()
	text := ""
	for i, id := range f.l.View.Prompt {
		if i == f.window {
			f.add(text, ink, 0)
			f.mark("⟦", viz.Ink{Role: viz.Penalised})
			text = ""
		}
		if v.Attr(id) != models.Control && v.Attr(id) != models.Unused {
			text += v.Piece(id)
		}
	}
	f.add(text, ink, 0)
}

// steps adds the tokens written. What the view holds back or a stop string
// cut is left out at the end.
func (f *textFlow) steps() {
	v := f.l.View
	if _, ok := f.l.Searched(); ok {
		f.add(v.Text(), viz.Ink{}, 0)
		return
	}
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
				f.mark(presetTag(f.m.Book.List(), name), run.LabelInk(name).With(viz.Bold))
			}
			label = name
		}
		if s.Forced {
			f.mark("◆", viz.Ink{Role: viz.Chosen})
		}
		p := f.piece(s)
		f.run.add(p[:min(len(p), max(left, 0))], s)
		left -= len(p)
	}
	f.flush()
	if f.window >= 0 {
		f.mark("⟧", viz.Ink{Role: viz.Penalised})
	}
}

// piece is what a step adds to the text.
func (f *textFlow) piece(s *engine.Step) string {
	voc := f.l.Vocab()
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
		ink = run.LabelInk(s.Settings.Label)
	case byProbability, bySurprisal:
		lp := float64(s.Summary.RawLogprob)
		ink = grade(lp < -.6931, lp < -2.3026, lp < -4.6052)
	case byRank:
		ink = grade(s.Summary.Rank > 1, s.Summary.Rank > 5, s.Summary.Rank > 50)
	}
	if f.l.Look.At == s.Index {
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
	v := f.l.View
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
	f.flush()
	for _, c := range viz.Clusters(nil, s, f.m.pal.ASCII) {
		f.out = append(f.out, glyph{text: c.Text, w: c.W, ink: ink})
	}
}

// add adds text, cluster by cluster.
func (f *textFlow) add(s string, ink viz.Ink, step int) {
	i := 0
	for _, c := range viz.Clusters(nil, s, f.m.pal.ASCII) {
		f.cluster(c, s[i], ink, step)
		i += c.Bytes
	}
}

// cluster adds one cluster, which begins with the byte first.
func (f *textFlow) cluster(c viz.Cluster, first byte, ink viz.Ink, step int) {
	g := glyph{text: c.Text, w: c.W, ink: ink, step: step}
	switch first {
	case '\n':
		g.end, g.ink.Role = true, viz.Muted
	case ' ':
		g.gap = true
	}
	f.out = append(f.out, g)
}

// presetTag marks where a preset takes over: "⟨3 creative⟩".
func presetTag(presets []run.Preset, name string) string {
	for i, p := range presets {
		if p.Name == name && i < 9 {
			return "⟨" + strconv.Itoa(i+1) + " " + name + "⟩"
		}
	}
	return "⟨" + name + "⟩"
}
