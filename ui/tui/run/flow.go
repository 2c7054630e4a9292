package run

import (
	"strconv"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/sampling"
	"logitscope/viz"
)

// Marks is what the colours of the text stand for.
type Marks uint8

// What the colours of the text can stand for.
const (
	ByPreset Marks = iota
	ByProbability
	BySurprisal
	ByRank
	ByWindow
	nMarks
)

// A Style is how texts are shown.
type Style struct {
	Marks  Marks // what the colours stand for
	Folded bool  // what a conversation shows beside its words is folded
}

// MarkNames name them.
var MarkNames = [nMarks]string{"preset", "probability", "surprisal", "rank", "penalty window"}

// NextMarks changes what the colours of the text stand for.
func (ls *Lanes) NextMarks() {
	ls.Marks = (ls.Marks + 1) % nMarks
	legend := markLegend[ls.Marks]
	if ls.Marks == ByWindow && penaltyWindow(ls.Lane()) < 0 {
		legend = ": no penalty is on here, so none looks at any token"
	}
	ls.Say(MarkNames[ls.Marks] + legend)
}

// markLegend says what their inks mean.
var markLegend = [nMarks]string{
	": a mark stands where another one took over",
	": plain from 50%, italic from 10%, underlined from 1%, bold below",
	": plain to 1 bit, italic to 3.3, underlined to 6.6, bold beyond",
	": plain is rank 1, italic to 5, underlined to 50, bold beyond",
	": ⟦ ⟧ around the tokens the penalties look at",
}

// A Glyph is one cluster of the text pane.
type Glyph struct {
	Text string
	W    int // cells
	Ink  viz.Ink
	Step int  // index of the step it belongs to, 0 for the prompt and marks
	End  bool // a line ends after it
	Gap  bool // a place where the line may be broken; left out at a line's start
}

// A textFlow gathers what the text pane shows.
type textFlow struct {
	lanes  *Lanes
	l      *Lane
	out    []Glyph
	window int // first token the penalties look at, -1 for none
	from   int // first step that is gathered, from 0
	to     int // and the one after the last
	run    stepRun

	thinkFrom, thinkTo int // steps of hidden reasoning, from 0
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
	for _, c := range viz.Clusters(nil, string(r.text), f.lanes.ascii) {
		for k < len(r.ends)-1 && at >= r.ends[k] {
			k++
		}
		f.cluster(c, r.text[at], f.ink(r.steps[k]), r.steps[k].Index)
		at += c.Bytes
	}
}

// Flow returns the text of the lane as glyphs: all of it, or of a long text
// as much as may be seen in a pane of that many cells.
func (ls *Lanes) Flow(l *Lane, cells int) []Glyph {
	f := &textFlow{lanes: ls, l: l, window: -1, to: len(l.View.Steps)}
	f.thinkFrom, f.thinkTo = l.Thinking()
	if ls.Marks == ByWindow {
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
	switch {
	case f.window >= 0:
		f.promptWindow(ink)
	case f.l.Talk != nil:
		f.talk()
	default:
		f.add(v.PromptText, ink)
	}
	if len(v.Prompt) > 0 && (len(v.Steps) > 0 || v.Phase >= engine.Prefill) {
		f.mark("╎", viz.Ink{Role: viz.Muted})
	}
}

// talk adds the prompt of a conversation: its words plain, the template's text
// dim, or folded to who speaks.
func (f *textFlow) talk() {
	muted := viz.Ink{Role: viz.Muted}
	for i, p := range f.l.parts() {
		switch {
		case p.words && f.lanes.Folded:
			if i > 1 {
				f.add("\n", muted)
			}
			f.mark("⟨"+p.role+"⟩ ", muted)
			f.add(p.text, viz.Ink{})
		case p.words:
			f.add(p.text, viz.Ink{})
		case !f.lanes.Folded:
			f.add(p.text, muted)
		}
	}
	if f.lanes.Folded {
		f.add("\n", muted)
	}
}

// penaltyWindow returns the place of the first token that the penalties of the
// shown step look at, -1 if they look at none.
func penaltyWindow(l *Lane) int {
	s, set := l.Step(), l.ShownSettings()
	in, err := l.Input()
	if s == nil || s.Trace == nil || set == nil || err != nil {
		return -1
	}
	for _, st := range s.Trace.Stages() {
		if !IsPenalty(st.Name) {
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
			f.add(text, ink)
			f.mark("⟦", viz.Ink{Role: viz.Penalised})
			text = ""
		}
		if v.Attr(id) != models.Control && v.Attr(id) != models.Unused {
			text += v.Piece(id)
		}
	}
	f.add(text, ink)
}

// steps adds the tokens written. What the view holds back or a stop string
// cut is left out at the end.
func (f *textFlow) steps() {
	v := f.l.View
	if _, ok := f.l.Searched(); ok {
		f.add(v.Text(), viz.Ink{})
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
	thinkFrom, thinkTo := f.thinkFrom, f.thinkTo
	label := ""
	if f.from > 0 {
		label = v.Steps[f.from-1].Settings.Label
	}
	loop := f.l.Loop
	for i, s := range v.Steps[f.from:f.to] {
		if at := f.from + i + 1; loop != nil && f.window < 0 {
			if at == loop.First+loop.Period {
				f.mark("⟧", viz.Ink{Role: viz.Warning})
			}
			if at == loop.First {
				f.mark("⟦", viz.Ink{Role: viz.Warning})
			}
		}
		if f.window == len(v.Prompt)+f.from+i {
			f.mark("⟦", viz.Ink{Role: viz.Penalised})
		}
		if name := s.Settings.Label; name != label {
			if label != "" && f.lanes.Marks == ByPreset {
				f.mark(presetTag(f.lanes.Book.List(), name), LabelInk(name).With(viz.Bold))
			}
			label = name
		}
		if s.Forced {
			f.mark("◆", viz.Ink{Role: viz.Chosen})
		}
		if f.l.Cue(s.Index) != "" {
			f.mark("▲", viz.Ink{Role: viz.Focus})
		}
		p := f.piece(s)
		if at := f.from + i; f.lanes.Folded && at >= thinkFrom && at < thinkTo {
			if at == max(thinkFrom, f.from) {
				f.mark("⟨think "+viz.Plural(thinkTo-thinkFrom, "token")+"⟩ ", viz.Ink{Role: viz.Muted})
			}
			left -= len(p)
			continue
		}
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
	switch f.lanes.Marks {
	case ByPreset:
		ink = LabelInk(s.Settings.Label)
	case ByProbability, BySurprisal:
		ink = SurpriseInk(float64(s.Summary.RawLogprob))
	case ByRank:
		ink = grade(s.Summary.Rank > 1, s.Summary.Rank > 5, s.Summary.Rank > 50)
	}
	if s.Index > len(f.l.View.Steps)-f.l.View.Unsaid() { // a banned phrase may take it back
		ink = viz.Ink{Role: viz.Muted, Attr: ink.Attr | viz.Italic}
	}
	if at := s.Index - 1; at >= f.thinkFrom && at < f.thinkTo {
		ink = viz.Ink{Role: viz.CutLine, Attr: ink.Attr | viz.Italic}
	}
	if f.l.Look.At == s.Index {
		ink = ink.With(viz.Reverse)
	}
	return ink
}

// SurpriseInk is how a token is drawn that had this natural logarithm of its
// probability under the model: plain from a half on, marked below a tenth and
// below a hundredth.
func SurpriseInk(lp float64) viz.Ink { return grade(lp < -.6931, lp < -2.3026, lp < -4.6052) }

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
			s := viz.Label(held, f.lanes.ascii)
			f.mark(s[:len(s)-len("›")]+" …›", viz.Ink{Role: viz.Muted})
		}
		caret := "▌"
		if f.lanes.ascii {
			caret = "_"
		}
		f.mark(caret, viz.Ink{Role: viz.Focus})
	}
}

// mark adds glyphs of the program's own.
func (f *textFlow) mark(s string, ink viz.Ink) {
	f.flush()
	for _, c := range viz.Clusters(nil, s, f.lanes.ascii) {
		f.out = append(f.out, Glyph{Text: c.Text, W: c.W, Ink: ink})
	}
}

// add adds text of no step, cluster by cluster.
func (f *textFlow) add(s string, ink viz.Ink) {
	i := 0
	for _, c := range viz.Clusters(nil, s, f.lanes.ascii) {
		f.cluster(c, s[i], ink, 0)
		i += c.Bytes
	}
}

// cluster adds one cluster, which begins with the byte first.
func (f *textFlow) cluster(c viz.Cluster, first byte, ink viz.Ink, step int) {
	g := Glyph{Text: c.Text, W: c.W, Ink: ink, Step: step}
	switch first {
	case '\n':
		g.End, g.Ink.Role = true, viz.Muted
	case ' ':
		g.Gap = true
	}
	f.out = append(f.out, g)
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

// Wrap breaks glyphs into lines of at most w cells, at spaces where it can.
// Lines are ranges of glyphs.
func Wrap(g []Glyph, w int) [][2]int {
	var lines [][2]int
	start, x, gap := 0, 0, -1
	for i := 0; i < len(g); i++ {
		if x+g[i].W > w && i > start {
			switch {
			case g[i].Gap:
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
		if g[i].Gap {
			gap = i
		}
		x += g[i].W
		if g[i].End {
			lines = append(lines, [2]int{start, i + 1})
			start, x, gap = i+1, 0, -1
		}
	}
	return append(lines, [2]int{start, len(g)})
}
