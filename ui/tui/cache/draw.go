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

// grid is how the cells of a cache stand: so many a row, so many tokens a cell.
func grid(context, w, most int) (per, tokens, rows int) {
	per = max((w-14)/8*8, 8)
	tokens = 1
	for (context+per*tokens-1)/(per*tokens) > most {
		tokens *= 2
	}
	return per, tokens, max((context+per*tokens-1)/(per*tokens), 1)
}

// rows is how many rows of cells are wanted, at most so many.
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

// measures are what the two phases took here.
type measures struct {
	shape    cost.Shape
	known    bool // the shape
	here     bool // passes can be timed
	model    string
	pass     int // tokens of a pass over the prompt
	prompt   int // tokens read, in passes
	passes   int
	perRead  time.Duration // a token of the prompt; 0 if not known
	text     int           // tokens written
	used     int           // positions of the next one
	textTime time.Duration // a token of the text; 0 if not known
}

// measured sums up what was measured: of the last reading in the view, else of
// the lane's own.
func (v *View) measured(host kit.Host) measures {
	l := host.Lane()
	m := measures{here: here(l), model: l.Model.Info().Name, pass: v.passTokens(), used: len(l.View.Prompt) + len(l.View.Steps)}
	m.shape, m.known = shapeOf(l.Model)
	if r := v.reader; r != nil && r.done > 0 {
		m.prompt, m.passes = r.done, r.passes
		m.pass = (r.done + r.passes - 1) / r.passes
		m.perRead = r.took / time.Duration(r.done)
	} else if p := l.View.Prefill; p.Done > 0 && m.here {
		m.prompt, m.passes = p.Done, (p.Done+m.pass-1)/m.pass
		m.perRead = p.Took / time.Duration(p.Done)
	}
	m.pass = min(m.pass, m.prompt)
	if d := l.View.Decode; d.Done > 0 && m.here {
		m.text, m.textTime = d.Done, d.Took/time.Duration(d.Done)
	} else {
		m.text = len(l.View.Steps)
	}
	return m
}

// work is the mean work of a token of the prompt and of the next one of the
// text.
func (m *measures) work() (prompt, text cost.Work) {
	if m.prompt > 0 {
		prompt = m.shape.Passes(m.prompt, m.pass)
		n := float64(m.prompt)
		prompt.Weights, prompt.KV, prompt.Ops = prompt.Weights/n, prompt.KV/n, prompt.Ops/n
	}
	return prompt, m.shape.Pass(max(m.used-1, 0), 1, 1)
}

const unknown = "–"

// A figure is a row of the table of the two phases.
type figure struct{ name, prompt, text string }

// figures are the rows of the table.
func (m *measures) figures() []figure {
	prompt, text := m.work()
	perSecond := func(d time.Duration) string {
		if d <= 0 {
			return ""
		}
		return viz.Rate(float64(time.Second) / float64(d))
	}
	span := func(d time.Duration) string {
		if d <= 0 {
			return ""
		}
		return viz.Duration(d)
	}
	out := []figure{
		{"tokens a pass", some(m.pass), "1"},
		{"passes", some(m.passes), some(m.text)},
		{"time a token", span(m.perRead), span(m.textTime)},
		{"tokens a second", perSecond(m.perRead), perSecond(m.textTime)},
	}
	if m.known {
		bytes := func(w cost.Work, x float64, of bool) string {
			if !of {
				return ""
			}
			return viz.Bytes(int64(x))
		}
		read := m.prompt > 0
		out = append(out,
			figure{"weights read a token", bytes(prompt, prompt.Weights, read), bytes(text, text.Weights, true)},
			figure{"KV read a token", bytes(prompt, prompt.KV, read), bytes(text, text.KV, m.used > 0)},
			figure{"operations a byte", intensity(prompt), intensity(text)},
			figure{"read a second", reached(prompt.Bytes(), m.perRead, "B"), reached(text.Bytes(), m.textTime, "B")},
			figure{"operations a second", reached(prompt.Ops, m.perRead, ""), reached(text.Ops, m.textTime, "")})
	}
	return out
}

// some is a number of tokens or passes, empty for none.
func some(n int) string {
	if n == 0 {
		return ""
	}
	return viz.Count(n)
}

func intensity(w cost.Work) string {
	if w.Bytes() == 0 {
		return ""
	}
	return short(w.Intensity())
}

// short writes a number above zero in two or three digits.
func short(x float64) string {
	switch {
	case x >= 100:
		return viz.Count(int(x + .5))
	case x >= 9.95:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case x >= 1.995:
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return strconv.FormatFloat(x, 'f', 2, 64)
}

// reached is how much a second was done of x a token.
func reached(x float64, a time.Duration, unit string) string {
	if a <= 0 || x == 0 {
		return ""
	}
	per := x / a.Seconds() / 1e9
	return short(per) + " G" + unit
}

// verdict says which limit binds here, as far as what was measured tells.
func (m *measures) verdict() []string {
	if !m.here {
		return []string{"this server does not say what a pass takes"}
	}
	if !m.known {
		return []string{"this model does not say what it is built of"}
	}
	if weights := m.shape.Weights * m.shape.WeightBytes; weights < 32<<20 {
		return []string{fmt.Sprintf("Its %s fit in the caches of most processors: no", viz.Bytes(int64(weights))), "limit binds here. The right side shows where one does."}
	}
	if m.perRead == 0 || m.textTime == 0 {
		return []string{"read a prompt and write some tokens to see what binds"}
	}
	prompt, text := m.work()
	promptOps, textOps := prompt.Ops/m.perRead.Seconds(), text.Ops/m.textTime.Seconds()
	if promptOps > 1.5*textOps {
		return []string{"The text waits for bytes: the prompt's passes do", short(promptOps/textOps) + " times the operations in the same time."}
	}
	return []string{"Operations bind both: a pass of many tokens computes", "no faster than one of a single token."}
}

// brief is the shortest account of both phases.
func (m *measures) brief() string {
	s := "a token of the prompt " + unknown
	if m.perRead > 0 {
		s = "a token of the prompt " + viz.Duration(m.perRead)
	}
	if m.textTime > 0 {
		s += ", of the text " + viz.Duration(m.textTime)
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

// A row of the table of other models.
type sum struct {
	name string
	of   func(s cost.Shape) string
}

// sums are the rows of the arithmetic.
func (v *View) sums() []sum {
	n, texts, machine := v.tokens(), v.texts(), v.machine()
	prompt := func(s cost.Shape) cost.Work { return s.Pass(0, n, texts) }
	step := func(s cost.Shape) cost.Work { return s.Pass(n-1, 1, texts) }
	span := func(w cost.Work) string {
		seconds, _ := machine.Time(w)
		return viz.Duration(time.Duration(seconds * 1e9))
	}
	binds := func(w cost.Work) string {
		if _, l := machine.Time(w); l == cost.ByOperations {
			return "operations"
		}
		return "bytes"
	}
	ofTexts := "KV of one text, " + viz.Count(n)
	if texts > 1 {
		ofTexts = fmt.Sprintf("KV of %s texts, %s", viz.Count(texts), viz.Count(n))
	}
	return []sum{
		{"weights", func(s cost.Shape) string { return viz.Bytes(int64(s.Weights * s.WeightBytes)) }},
		{"KV a token", func(s cost.Shape) string { return viz.Bytes(int64(s.TokenBytes())) }},
		{ofTexts, func(s cost.Shape) string { return viz.Bytes(int64(float64(texts) * s.CacheBytes(n))) }},
		{"prompt read in", func(s cost.Shape) string { return span(prompt(s)) }},
		{"  operations a byte", func(s cost.Shape) string { return short(prompt(s).Intensity()) }},
		{"  limit that binds", func(s cost.Shape) string { return binds(prompt(s)) }},
		{"one token in", func(s cost.Shape) string { return span(step(s)) }},
		{"  operations a byte", func(s cost.Shape) string { return short(step(s).Intensity()) }},
		{"  limit that binds", func(s cost.Shape) string { return binds(step(s)) }},
		{"tokens a second, most", func(s cost.Shape) string {
			seconds, _ := machine.Time(step(s))
			return viz.Rate(float64(texts) / seconds)
		}},
	}
}

// drawModels draws the arithmetic for shapes that people know.
func (v *View) drawModels(c *viz.Canvas) {
	muted := viz.Ink{Role: viz.Muted}
	shapes := cost.Known()
	w := min(max((c.W-25)/len(shapes), 10), 16)
	for i, s := range shapes {
		c.Right(c.W-1-w*(len(shapes)-1-i), 0, s.Name, muted)
	}
	y := 1
	for _, row := range v.sums() {
		if y >= c.H {
			return
		}
		c.Put(1, y, row.name, viz.Ink{})
		for i, s := range shapes {
			c.Right(c.W-1-w*(len(shapes)-1-i), y, row.of(v.asked(s)), viz.Ink{})
		}
		y++
	}
	if y < c.H {
		c.Put(1, y, viz.FirstFit(c.W-2, "max(bytes ÷ bytes a second, operations ÷ operations a second):", "bytes ÷ bytes/s or operations ÷ operations/s, the larger:", "two limits: an upper bound"), muted)
	}
	if y+1 < c.H {
		c.Put(1, y+1, viz.FirstFit(c.W-2, "two limits of the machine, nothing else: an upper bound.", "nothing else: an upper bound."), muted)
	}
}

// formula writes what the cache keeps of a token, with a shape's numbers.
func formula(s cost.Shape, w int) string {
	total := viz.Count(int(s.TokenBytes())) + " bytes"
	l, even := s.Uniform()
	if !even || s.KeySize != s.ValueSize {
		return viz.FirstFit(w, fmt.Sprintf("KV a token = sum over %d layers of KV heads · (%d + %d) numbers · %d bytes = %s", len(s.Layers), s.KeySize, s.ValueSize, s.NumberBytes, total),
			"KV a token, summed over its layers = "+total)
	}
	return viz.FirstFit(w, fmt.Sprintf("KV a token = 2 (K and V) · %d layers · %s · %d numbers · %d bytes = %s", len(s.Layers), viz.Plural(l.KVHeads, "KV head"), s.KeySize, s.NumberBytes, total),
		fmt.Sprintf("KV a token = 2 · %d layers · %s · %d numbers · %d bytes = %s", len(s.Layers), viz.Plural(l.KVHeads, "KV head"), s.KeySize, s.NumberBytes, total),
		fmt.Sprintf("KV a token = 2·%d·%d·%d·%d = %s", len(s.Layers), l.KVHeads, s.KeySize, s.NumberBytes, total))
}

// growing are the lengths whose caches are drawn.
var growing = []int{512, 2048, 8192, 32768, 131072}

// drawGrowth draws how the cache of one text grows with it.
func (v *View) drawGrowth(c *viz.Canvas, host kit.Host) {
	muted := viz.Ink{Role: viz.Muted}
	big := v.asked(cost.Known()[0])
	y := 0
	if s, ok := shapeOf(host.Lane().Model); ok {
		line := formula(s, c.W-2)
		if more := " here; " + viz.Bytes(int64(big.TokenBytes())) + " in the " + big.Name + "."; viz.Width(line)+viz.Width(more) <= c.W-2 {
			line += more
		}
		c.Put(1, y, line, viz.Ink{})
	} else {
		c.Put(1, y, formula(big, c.W-2), viz.Ink{})
	}
	y++
	most := big.CacheBytes(growing[len(growing)-1])
	for _, n := range growing {
		if y >= c.H {
			return
		}
		name := fmt.Sprintf("%s at %7s tokens", big.Name, viz.Count(n))
		size := viz.Bytes(int64(big.CacheBytes(n)))
		c.Put(1, y, name, viz.Ink{})
		c.Right(33, y, size, viz.Ink{})
		viz.Bars(c.Sub(viz.Rect{X: 34, Y: y, W: max(c.W-36, 1), H: 1}), []viz.Bar{{Final: big.CacheBytes(n) / most, Single: true}}, 1)
		y++
	}
	if y < c.H {
		line := "bar: " + viz.Bytes(int64(most)) + "."
		if n := big.Outgrows(); n > 0 {
			line += fmt.Sprintf(" From %s tokens on the cache is larger than the %s weights (%s).", viz.Count(n), big.Name, viz.Bytes(int64(big.Weights*big.WeightBytes)))
		}
		c.Put(1, y, viz.CutSentence(line, c.W-2), muted)
	}
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
