package cache

import (
	"fmt"
	"strconv"
	"time"

	"logitscope/engine/cost"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// roomy reports whether a body of w by h cells holds every part at once.
func roomy(w, h int) bool { return w >= 112 && h >= 35 }

// Heights of the boxes where all parts stand at once, borders included.
const (
	tablesH = 14
	growthH = 9
	askH    = 4
)

// Draw draws the view; see [kit.View].
func (v *View) Draw(c *viz.Canvas, host kit.Host) {
	rect := func(y, h int) *viz.Canvas { return c.Sub(viz.Rect{X: 0, Y: y, W: c.W, H: h}) }
	if roomy(c.W, c.H) {
		if v.part == growth {
			v.drawGrowth(viz.Box(rect(0, c.H-askH), viz.Frame{Title: "how it grows", Right: "F · esc", Focused: true}), host)
			v.drawAsk(viz.Box(rect(c.H-askH, askH), askFrame))
			return
		}
		cells := min(c.H-tablesH-growthH-askH, v.rows(host, c.W-2, 12)+4)
		v.drawCells(rect(0, cells), host)
		half := c.W / 2
		y := cells
		m := v.measured(host)
		v.drawPhases(viz.Box(c.Sub(viz.Rect{X: 0, Y: y, W: half, H: tablesH}), viz.Frame{Title: "prompt against text · measured here"}), &m)
		v.drawModels(viz.Box(c.Sub(viz.Rect{X: half, Y: y, W: c.W - half, H: tablesH}), viz.Frame{Title: "the same for other models · arithmetic"}))
		y += tablesH
		v.drawGrowth(viz.Box(rect(y, growthH), viz.Frame{Title: "how it grows"}), host)
		v.drawAsk(viz.Box(rect(y+growthH, askH), askFrame))
		return
	}
	if c.H < 12 || c.W < 60 { // cells, and two lines
		v.drawCells(rect(0, max(c.H-2, 3)), host)
		m := v.measured(host)
		c.Put(1, c.H-2, viz.CutTitle(v.keptWords(host), c.W-2), viz.Ink{})
		c.Put(1, c.H-1, viz.CutTitle(m.brief(), c.W-2), viz.Ink{})
		return
	}
	cells := min(max(c.H-11, 4), v.rows(host, c.W-2, 8)+2)
	v.drawCells(rect(0, cells), host)
	below := rect(cells, c.H-cells)
	switch v.part {
	case arithmetic:
		v.drawModels(below.Sub(viz.Rect{X: 0, Y: 0, W: c.W, H: below.H - 2}))
		v.drawAsk(below.Sub(viz.Rect{X: 0, Y: below.H - 2, W: c.W, H: 2}))
	case growth:
		v.drawGrowth(below, host)
	default:
		v.drawBrief(below, host)
	}
}

var askFrame = viz.Frame{Title: "ask it · ↑↓ choose, -/+ change, enter types"}

// fill is how far the cache is filled.
type fill struct {
	context, prompt, now, written int // tokens: read of the prompt, of this pass, of the text
}

func (v *View) fill(host kit.Host) fill {
	view := host.Lane().View
	f := fill{context: view.KV.Context}
	if f.context == 0 {
		f.context = host.Lane().Model.Info().ContextLen
	}
	if v.reading() {
		f.prompt, f.now = v.reader.done, v.reader.next
		if f.now == 0 { // between two passes: the one that comes
			f.now = min(v.passTokens(), len(v.reader.ids)-v.reader.done)
		}
		return f
	}
	used := view.KV.Used
	if used == 0 {
		used = view.Prefill.Done
	}
	f.prompt = min(used, len(view.Prompt))
	f.written = max(used-len(view.Prompt), 0)
	return f
}

// grid is how the cells of a cache stand: per cells a row, tokens tokens a cell.
func grid(context, w, most int) (per, tokens, rows int) {
	per = max((w-14)/8*8, 8)
	tokens = 1
	for (context+per*tokens-1)/(per*tokens) > most {
		tokens *= 2
	}
	return per, tokens, max((context+per*tokens-1)/(per*tokens), 1)
}

// rows is how many rows of cells are needed, at most most.
func (v *View) rows(host kit.Host, w, most int) int {
	_, _, rows := grid(v.fill(host).context, w, most)
	return rows
}

// drawCells draws the cache cell by cell.
func (v *View) drawCells(c *viz.Canvas, host kit.Host) {
	f := v.fill(host)
	_, tokens, _ := grid(f.context, c.W-2, max(c.H-2, 1))
	one := "one cell a token"
	if tokens > 1 {
		one = "1 cell = " + viz.Count(tokens) + " tokens"
	}
	title := "cache · " + one
	if v.reading() {
		title += " · █ read · ▒ this pass · · free"
	} else {
		title += fmt.Sprintf(" · █ prompt, read %s at once · ▓ written one by one · · free", viz.Count(v.passTokens()))
	}
	title = viz.FirstFit(c.W-14, title, "cache · "+one, "cache")
	in := viz.Box(c, viz.Frame{Title: title, Right: viz.FirstFit(max(c.W-6-viz.Width(title), 0), "F · esc", "F"), Focused: true})
	per, tokens, rows := grid(f.context, c.W-2, max(in.H, 1))
	for y := range min(rows, in.H) {
		in.Right(5, y, strconv.Itoa(y*per*tokens+1), viz.Ink{Role: viz.Muted})
		for x := range per {
			at := (y*per + x) * tokens // the first token of the cell
			if at >= f.context {
				break
			}
			glyph, ink := "·", viz.Ink{Role: viz.Muted}
			switch {
			case at < f.prompt:
				glyph, ink = "█", viz.Ink{Role: viz.Kept}
			case at < f.prompt+f.now:
				glyph, ink = "▒", viz.Ink{Role: viz.Draw}
			case at < f.prompt+f.written:
				glyph, ink = "▓", viz.Ink{Role: viz.Boosted}
			}
			in.Put(6+x, y, glyph, ink)
		}
	}
	if rows < in.H {
		in.Put(6, rows, viz.CutTitle(v.keptWords(host), in.W-7), viz.Ink{})
	}
}

// keptWords say how full the cache is.
func (v *View) keptWords(host kit.Host) string {
	f := v.fill(host)
	used := f.prompt + f.written
	s := fmt.Sprintf("%s of %s cells", viz.Count(used), viz.Count(f.context))
	if used == 0 && len(host.Lane().View.Prompt) == 0 {
		return s + " · no prompt yet"
	}
	if shape, ok := shapeOf(host.Lane().Model); ok {
		s += fmt.Sprintf(" · %s bytes a token · %s of %s", viz.Count(int(shape.TokenBytes())), viz.Bytes(int64(shape.CacheBytes(used))), viz.Bytes(int64(shape.CacheBytes(f.context))))
	}
	return s
}

// drawPhases draws the table of what was measured.
func (v *View) drawPhases(c *viz.Canvas, m *measures) {
	muted := viz.Ink{Role: viz.Muted}
	c.Right(c.W-18, 0, "prompt (prefill)", muted)
	c.Right(c.W-1, 0, "text (decode)", muted)
	y := 1
	for _, f := range m.figures() {
		c.Put(1, y, f.name, viz.Ink{})
		c.Right(c.W-18, y, orUnknown(f.prompt), viz.Ink{})
		c.Right(c.W-1, y, orUnknown(f.text), viz.Ink{})
		y++
	}
	for _, s := range m.verdict() {
		if y < c.H {
			c.Put(1, y, viz.CutTitle(s, c.W-2), muted)
			y++
		}
	}
}

func orUnknown(s string) string {
	if s == "" {
		return unknown
	}
	return s
}

// drawAsk draws the sliders, or where there is no room the selected one.
func (v *View) drawAsk(c *viz.Canvas) {
	if v.field != nil {
		x := c.Put(1, 0, v.asks[v.at].name+" ", viz.Ink{Role: viz.Focus})
		v.field.Draw(c, x, 0)
		c.Put(1, 1, viz.CutTitle(v.asks[v.at].help, c.W-2), viz.Ink{Role: viz.Muted})
		return
	}
	if c.W < 100 {
		q := &v.asks[v.at]
		x := c.Put(1, 0, "▸ "+q.name+" ", viz.Ink{Role: viz.Focus})
		viz.Slider(c.Sub(viz.Rect{X: x, Y: 0, W: 14, H: 1}), q.frac(), false, viz.Ink{Role: viz.Focus})
		x = c.Put(x+15, 0, q.words(), viz.Ink{}.With(viz.Bold))
		c.Put(x+3, 0, viz.CutTitle("↑↓ choose · -/+ change", c.W-x-4), viz.Ink{Role: viz.Muted})
		c.Put(1, 1, viz.CutTitle(q.help, c.W-2), viz.Ink{Role: viz.Muted})
		return
	}
	col := c.W / 3
	for i := range v.asks {
		q := &v.asks[i]
		x, y, ink := 1+i%3*col, i/3, viz.Ink{}
		if i == v.at {
			c.Put(x, y, "▸", viz.Ink{Role: viz.Focus})
			ink = viz.Ink{Role: viz.Focus}
		}
		c.Put(x+2, y, q.name, ink)
		from := x + 16 + i%3*3
		viz.Slider(c.Sub(viz.Rect{X: from, Y: y, W: max(x+col-12-from, 4), H: 1}), q.frac(), false, ink)
		c.Right(x+col-2, y, q.words(), ink)
	}
}

// briefly are names of figures for narrow windows.
var briefly = map[string]string{"tokens a pass": "a pass", "time a token": "a token", "weights read a token": "weights", "KV read a token": "KV read", "operations a byte": "ops/byte"}

// drawBrief draws both phases beside one other model, for windows of 80
// columns.
func (v *View) drawBrief(c *viz.Canvas, host kit.Host) {
	m := v.measured(host)
	muted := viz.Ink{Role: viz.Muted}
	what := v.keptWords(host)
	if cells := v.rows(host, c.W-2, 8); cells < 8 { // the cells say it
		what = ""
	}
	if r := v.reader; v.reading() {
		what = fmt.Sprintf("pass %s of %s: %s at once. No token is drawn yet.", viz.Count(r.passes+1), viz.Count(r.passes+max((len(r.ids)-r.done+m.pass-1)/max(v.passTokens(), 1), 1)), viz.Plural(max(r.next, 1), "token"))
	}
	c.Put(1, 0, viz.CutTitle(what, c.W-2), viz.Ink{})
	big, machine := v.asked(cost.Known()[0]), v.machine()
	step := big.Pass(v.tokens()-1, 1, v.texts())
	seconds, _ := machine.Time(step)
	other := map[string]string{"tokens a pass": viz.Count(v.texts()), "time a token": viz.Duration(time.Duration(seconds * 1e9 / float64(v.texts()))),
		"weights read a token": viz.Bytes(int64(step.Weights / float64(v.texts()))), "KV read a token": viz.Bytes(int64(step.KV / float64(v.texts()))), "operations a byte": short(step.Intensity())}
	right := []int{c.W - 36, c.W - 18, c.W - 1}
	for i, head := range []string{"prompt", "text", big.Name + ", " + viz.Count(v.tokens())} {
		c.Right(right[i], 1, head, muted)
	}
	y := 2
	for _, f := range m.figures() {
		o, ok := other[f.name]
		if !ok || y >= c.H-2 {
			continue
		}
		c.Put(1, y, viz.CutTitle(viz.FirstFit(right[0]-9, f.name, briefly[f.name], f.name), right[0]-9), viz.Ink{})
		for i, s := range []string{f.prompt, f.text, o} {
			c.Right(right[i], y, orUnknown(s), viz.Ink{})
		}
		y++
	}
	if s, ok := shapeOf(host.Lane().Model); ok && y < c.H {
		c.Put(1, c.H-2, formula(s, c.W-2), viz.Ink{})
	}
	pace := "pace " + v.pace()
	if m.perRead > 0 {
		pace += fmt.Sprintf(" · without the pauses %s for %s", viz.Duration(m.perRead*time.Duration(m.prompt)), viz.Plural(m.prompt, "token"))
	}
	c.Put(1, c.H-1, viz.CutTitle(pace, c.W-2), muted)
}

// Header has the parts of the header; see [kit.Headed].
func (v *View) Header(host kit.Host, k kit.Class) (left, right []kit.HeaderPart) {
	l := host.Lane()
	phase := run.PhaseWords(l)
	if r := v.reader; v.reading() {
		phase = "» reading the prompt  " + viz.Count(r.done) + " of " + viz.Count(len(r.ids))
		if r.paused {
			phase = "‖ reading stopped  " + viz.Count(r.done) + " of " + viz.Count(len(r.ids))
		}
	}
	muted := viz.Ink{Role: viz.Muted}
	left = []kit.HeaderPart{{Text: "logitscope", Rank: 9, Ink: muted}, {Text: viz.Printable(l.Model.Info().Name, false), Rank: 6, Ink: muted}, {Text: phase, Ink: viz.Ink{}.With(viz.Bold)},
		{Text: viz.Printable(l.ShownLabel(), false), Rank: 4, Ink: viz.Ink{}}, {Text: fmt.Sprintf("seed %d", l.ShownConfig().Uint("seed")), Rank: 5, Ink: viz.Ink{}}}
	if k <= kit.Class80 {
		left = left[2:]
	}
	f := v.fill(host)
	m := v.measured(host)
	if m.textTime > 0 {
		right = append(right, kit.HeaderPart{Text: viz.Rate(float64(time.Second)/float64(m.textTime)) + " tok/s", Rank: 3, Ink: viz.Ink{}})
	}
	return left, append(right, kit.HeaderPart{Text: fmt.Sprintf("kv %s/%s", viz.Count(f.prompt+f.written), viz.Count(f.context)), Rank: 2, Ink: muted})
}
