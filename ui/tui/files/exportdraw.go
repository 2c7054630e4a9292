package files

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"logitscope/engine"
	"logitscope/engine/record"
	"logitscope/presets/exchange"
	"logitscope/ui/handout"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// Draw draws the view; see [kit.View].
func (v *Export) Draw(c *viz.Canvas, host kit.Host) {
	body := c.Sub(viz.Rect{X: 0, Y: 0, W: c.W, H: c.H - lastLine})
	if v.pick != nil {
		v.pick.draw(c)
		return
	}
	switch v.page {
	case presetPage:
		v.drawPresets(body, host)
	case runPage:
		v.drawRun(body, host)
	default:
		v.drawExport(body)
	}
	v.drawLast(c)
}

// The page is a box, whose last line is left to the keys. A page of lines has
// two lines of head and leaves four columns; presets have four lines around
// them.
const lastLine = 1

func lineWidth(w int) int  { return w - 4 }
func presetRows(h int) int { return max(h-4, 1) }

// lineRows is how many of n lines a page of h rows shows: one row less where
// the last says how many more there are.
func lineRows(h, n int) int {
	if n > h-2 {
		return max(h-3, 1)
	}
	return h - 2
}

// body is the size of a page inside the box on the screen as it is.
func (v *Export) body(host kit.Host) (w, h int) {
	r := host.Screen().Box(v.Size(host)).Inset(1)
	return r.W, r.H - lastLine
}

// last is the line that the last screenful of an export begins with.
func (v *Export) last(host kit.Host) int {
	w, h := v.body(host)
	n := len(v.lines(lineWidth(w), host.Screen().ASCII()))
	return max(n-lineRows(h, n), 0)
}

// drawLast draws the name being typed, or the keys of the page.
func (v *Export) drawLast(c *viz.Canvas) {
	y := c.H - 1
	if v.field != nil {
		what := "file: "
		if v.page == presetPage {
			what = "name: "
		}
		v.field.Draw(c, c.Put(1, y, what, viz.Ink{Role: viz.Focus}), y)
		return
	}
	muted := viz.Ink{Role: viz.Muted}
	switch v.page {
	case presetPage:
		c.Put(1, y, viz.CutTitle("enter saves or renames · x deletes · u undoes · 6-9 take them · esc close", c.W-2), muted)
	case runPage:
		c.Put(1, y, viz.CutTitle("enter writes a file · esc close · headless: run --format jsonl", c.W-2), muted)
	default:
		right := "headless: config export --to " + exchange.Targets()[v.target].Name
		left := "y copy (OSC 52) · enter write a file · esc close"
		c.Put(1, y, viz.CutTitle(left, c.W-2), muted)
		if viz.Width(left)+viz.Width(right)+6 < c.W {
			c.Right(c.W-2, y, right, muted)
		}
	}
}

// drawExport draws the targets, the text, what does not translate and the
// check.
func (v *Export) drawExport(c *viz.Canvas) {
	muted := viz.Ink{Role: viz.Muted}
	targets := exchange.Targets()
	x := c.Put(1, 0, "to  ← ", muted)
	x = c.Put(x, 0, "["+targets[v.target].Name+"]", viz.Ink{Attr: viz.Bold})
	c.Put(x, 0, fmt.Sprintf(" →  %d of %d · / lists them", v.target+1, len(targets)), muted)
	if next := targets[v.target].About; c.W >= 90 {
		c.Right(c.W-1, 0, next, muted)
	}
	lines := v.lines(lineWidth(c.W), c.ASCII)
	h := lineRows(c.H, len(lines))
	for y := 0; y < h && v.top+y < len(lines); y++ {
		ln := lines[v.top+y]
		c.Put(1+ln.indent, 2+y, ln.text, ln.ink)
	}
	if more := len(lines) - v.top - h; more > 0 {
		c.Right(c.W-1, c.H-1, fmt.Sprintf("%d more ↓", more), muted)
	}
}

// A pageLine is one line of a page that scrolls.
type pageLine struct {
	indent int
	text   string
	ink    viz.Ink
}

// lines are the lines of the export in w cells.
func (v *Export) lines(w int, ascii bool) []pageLine {
	switch {
	case v.err != nil:
		return []pageLine{{0, "! " + viz.CutWords(viz.OneLine(viz.FirstLine(v.err.Error()), ascii), w-2), viz.Ink{Role: viz.Warning}}}
	case !v.ready:
		return []pageLine{{0, "exporting …", viz.Ink{Role: viz.Muted}}}
	}
	var out []pageLine
	add := func(indent int, s string, ink viz.Ink) {
		for _, part := range viz.WrapWords(s, w-indent) {
			out = append(out, pageLine{indent, part, ink})
		}
	}
	for _, line := range strings.Split(strings.TrimRight(v.out.Text, "\n"), "\n") {
		add(2, viz.OneLine(line, ascii), viz.Ink{})
	}
	out = append(out, pageLine{})
	bold := viz.Ink{Attr: viz.Bold}
	if len(v.out.Lost) == 0 {
		add(0, "everything translates", bold)
	} else {
		add(0, exchange.LostTitle(len(v.out.Lost)), bold)
	}
	keyW := 0
	for _, l := range v.out.Lost {
		keyW = min(max(keyW, len(l.Key)), 22)
	}
	for _, l := range v.out.Lost {
		ink := viz.Ink{Role: viz.Warning}
		if !l.Lossy() {
			ink = viz.Ink{}
		}
		for i, part := range viz.WrapWords(viz.OneLine(l.Text, ascii), w-keyW-4) {
			key := ""
			if i == 0 {
				key = l.Key
			}
			out = append(out, pageLine{2, viz.Fit(key, keyW) + "  " + part, ink})
		}
	}
	out = append(out, pageLine{})
	for i, s := range v.checkWords() {
		ink := viz.Ink{}
		if i == 0 {
			ink = bold
		}
		add(min(i, 1)*2, s, ink)
	}
	return out
}

// checkWords say what the target would have done on this run.
func (v *Export) checkWords() []string {
	head := fmt.Sprintf("check: the last %d steps of this run under %s", checkSteps, v.out.Target.Rules())
	if v.bad != nil {
		return []string{head, "cannot be checked: " + viz.FirstLine(v.bad.Error())}
	}
	k := v.check
	if k.Steps == 0 {
		return []string{head, "no step to check yet: run a while, then look again"}
	}
	steps := viz.Plural(k.Steps, "step") + " compared"
	if k.Steps < checkSteps {
		steps += " (the run is shorter than " + strconv.Itoa(checkSteps) + ")"
	}
	largest := ""
	if k.LargestAt > 0 {
		largest = fmt.Sprintf(" · largest %s at step %d", viz.Three(k.LargestTV), k.LargestAt)
	}
	same := fmt.Sprintf("drawn token the same in %d of %d (same luck)", k.Same, k.Steps)
	if k.FirstDiff > 0 {
		same += fmt.Sprintf("; first another at step %d", k.FirstDiff)
	}
	kl := "KL " + viz.Divergence(k.KLab(), k.ImpossibleAB, k.Steps) + ", back " + viz.Divergence(k.KLba(), k.ImpossibleBA, k.Steps)
	return []string{head, steps, "mean total variation " + viz.Three(k.TV()) + largest, kl, same}
}

// drawPresets lists the user's presets.
func (v *Export) drawPresets(c *viz.Canvas, host kit.Host) {
	muted := viz.Ink{Role: viz.Muted}
	l := host.Lane()
	if v.presets.Dir() == "" {
		c.Put(1, 0, "There is no config folder to keep presets in.", viz.Ink{Role: viz.Warning})
		return
	}
	own := v.presets.own()
	row := func(y, i int, name, about string) {
		ink := viz.Ink{}
		if i == v.list.At {
			c.Put(1, y, "▸", viz.Ink{Role: viz.Focus})
			ink = ink.With(viz.Bold)
		}
		c.Fit(3, y, 22, name, ink)
		c.Put(26, y, viz.CutTitle(about, c.W-27), muted)
	}
	h := presetRows(c.H)
	for y := 0; y < h && v.list.Top+y <= len(own); y++ {
		i := v.list.Top + y
		if i == 0 {
			row(y, 0, "save as …", viz.OneLine(wholeConfig(l.Config), c.ASCII))
			continue
		}
		p := v.lanes.Book.List()[own[i-1]]
		row(y, i, viz.Printable(p.Name, c.ASCII), viz.OneLine(wholeConfig(p.Config), c.ASCII))
	}
	if len(own) == 0 {
		c.Put(3, 2, "none of your own yet", muted)
	}
	c.Put(1, c.H-2, viz.CutWords("kept in "+viz.Printable(v.presets.Dir(), c.ASCII)+", one file each", c.W-2), muted)
}

// drawRun says what is written of the run.
func (v *Export) drawRun(c *viz.Canvas, host kit.Host) {
	l := host.Lane()
	muted := viz.Ink{Role: viz.Muted}
	n := len(l.View.Steps)
	what := viz.Plural(n, "step")
	if l.View.Beam != nil {
		what = viz.Plural(len(l.View.Beam.Steps), "step") + " of the beam search"
	}
	c.Put(1, 0, viz.CutWords("this run, "+what+"; the end of the file's name says how", c.W-2), viz.Ink{})
	for i, s := range []string{
		".jsonl   the run for logitscope replay: settings, steps, rows, branches",
		".html    one page that works without a network, with sliders",
		".svg     this screen as a picture",
	} {
		c.Put(3, 2+i, viz.CutWords(s, c.W-5), muted)
	}
	c.Put(1, 6, viz.CutWords("step by step while it runs: --record FILE", c.W-2), muted)
}

// runFile returns what a file with that extension is to hold of the run, and
// what to call it.
func runFile(host kit.Host, ext string) (data []byte, what string, err error) {
	if ext == ".svg" && host.Screen().Under != nil {
		return []byte(host.Screen().Under().SVG("logitscope")), "this screen", nil
	}
	data, err = RunLines(host.Lane())
	if err != nil || ext != ".html" {
		return data, "the run", err
	}
	rec, err := record.Read(bytes.NewReader(data))
	if err != nil {
		return nil, "", err
	}
	var page bytes.Buffer
	err = handout.HTML(&page, rec.Takes[0], handout.Page{})
	return page.Bytes(), "the run as a page", err
}

// RunLines writes the run of a lane as --record does, the texts that were left
// for another one first, as branches.
func RunLines(l *run.Lane) ([]byte, error) {
	v := l.View
	if v.Settings == nil || v.Prompt == nil {
		return nil, fmt.Errorf("no run yet: a prompt is needed first")
	}
	var texts []engine.View
	if v.Beam == nil && v.Contrastive == nil {
		for _, b := range l.Limbs() {
			if b.Index >= 0 {
				left := v
				left.Steps, left.Next = b.Steps, nil
				texts = append(texts, left)
			}
		}
	}
	texts = append(texts, v)
	first := v.Settings
	if len(texts[0].Steps) > 0 {
		first = texts[0].Steps[0].Settings.Base()
	}
	var b bytes.Buffer
	w := record.NewWriter(&b, l.Model, record.Options{Top: 10, Rows: record.RowsBest, Sealed: true})
	err := w.Begin(v.PromptText, v.Prompt, first)
	for _, x := range texts {
		if err == nil {
			err = w.View(x)
		}
	}
	if err == nil {
		err = w.Marks(l.Cues)
	}
	if err == nil {
		err = w.End(v)
	}
	return b.Bytes(), err
}
