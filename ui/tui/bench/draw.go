package bench

import (
	"fmt"
	"strings"
	"time"

	"logitscope/engine/bench"
	"logitscope/engine/stats"
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

var (
	muted = viz.Ink{Role: viz.Muted}
	bold  = viz.Ink{}.With(viz.Bold)
)

// Header says what is benched and how far it is.
func (r *Room) Header(h kit.Host, k kit.Class) (left, right []kit.HeaderPart) {
	phase := "■ done"
	switch {
	case r.run != nil:
		phase = "► running"
	case r.sum == nil:
		phase = "‖ ready"
	}
	words := fmt.Sprintf("%s × %s × %s", viz.Plural(len(r.prompts)-len(r.out), "prompt"), viz.Plural(len(r.configs), "config"), viz.Plural(r.seeds, "seed"))
	left = []kit.HeaderPart{{Text: "logitscope", Rank: 9, Ink: muted}, {Text: viz.Printable(h.Lane().Model.Info().Name, h.Screen().ASCII()), Rank: 6, Ink: muted},
		{Text: phase, Ink: bold}, {Text: "bench"}, {Text: words, Rank: 1}}
	if len(r.configs) > 1 {
		left = append(left, kit.HeaderPart{Text: viz.Printable(r.configs[0].label, h.Screen().ASCII()) + " is the base", Rank: 7, Ink: muted})
	}
	switch {
	case r.run != nil:
		right = append(right, kit.HeaderPart{Text: fmt.Sprintf("%s of %s texts", viz.Count(r.now.Done), viz.Count(r.now.Texts))})
	case r.now.Done > 0:
		right = append(right, kit.HeaderPart{Text: viz.Plural(r.now.Done, "text")})
	}
	if k <= kit.Class80 {
		left = left[2:]
	}
	return left, right
}

// Draw draws the view; see [kit.View].
func (r *Room) Draw(c *viz.Canvas, h kit.Host) {
	if r.field != nil || r.prompts == nil {
		r.drawEmpty(c, h)
		return
	}
	boxed := h.Screen().Class() >= kit.Class100
	verdict := r.verdict()
	if h.Screen().Class() < kit.Class60 {
		r.drawSmall(c, verdict)
		return
	}
	most := c.H / 4
	if !boxed {
		verdict, most = []string{r.short(verdict)}, 2
	}
	var lines []string // the verdict as it fits
	for _, s := range verdict {
		lines = append(lines, viz.WrapWords(s, c.W-4)...)
	}
	if len(lines) > most {
		lines = append(lines[:max(most-1, 0)], viz.CutEnd(lines[max(most-1, 0)]+" …", c.W-4, c.ASCII))
	}
	rows := len(r.rows())
	table := min(rows, maxRows, max(c.H-len(lines)-len(r.configs)-6, 3)) + 5
	if boxed {
		table++ // a rule above the sums
	}
	low := c.H - table - len(lines)
	if boxed {
		low -= 2
	}
	r.drawTable(boxed, viz.Box(c.Sub(viz.Rect{X: 0, Y: 0, W: c.W, H: table}), viz.Frame{Title: r.title(), Right: viz.FirstFit(c.W/2, "v "+r.nextNumber()+" · K · esc", "K · esc"), Focused: true}))
	y := table
	if boxed && r.run != nil && low > 9 {
		r.drawProgress(viz.Box(c.Sub(viz.Rect{X: 0, Y: y, W: c.W, H: 5}), viz.Frame{Title: "progress"}))
		y, low = y+5, low-5
	}
	if boxed {
		box := viz.Box(c.Sub(viz.Rect{X: 0, Y: y, W: c.W, H: len(lines) + 2}), viz.Frame{Title: "verdict"})
		drawLines(box, 1, lines, viz.Ink{})
		y += len(lines) + 2
	} else {
		drawLines(c.Sub(viz.Rect{X: 0, Y: y, W: c.W, H: len(lines)}), 1, lines, viz.Ink{})
		y += len(lines)
	}
	if low > 2 {
		r.drawTexts(c.Sub(viz.Rect{X: 0, Y: y, W: c.W, H: min(low, r.textLines(low-2)+2)}), boxed)
	}
}

// drawProgress says how far the run is, and what stopping it would leave.
func (r *Room) drawProgress(c *viz.Canvas) {
	written, all := r.now.Done+r.now.Failed, max(r.now.Texts, 1)
	count := fmt.Sprintf("%s of %s, %d%%", viz.Count(written), viz.Count(all), 100*written/all)
	c.Fit(1, 0, c.W-2, "texts   "+bar(float64(written)/float64(all), max(c.W-12-viz.Width(count), 8), c.ASCII)+"  "+count, viz.Ink{})
	words := viz.Count(int(r.now.Tokens)) + " tokens so far"
	if seconds := r.took.Seconds(); seconds > 0 && r.now.Tokens > 0 {
		words += " · " + viz.Rate(float64(r.now.Tokens)/seconds) + " a second"
		if decoded := written - r.now.Reused; decoded > 0 {
			words += " · about " + viz.Duration(time.Duration(seconds/float64(decoded)*float64(all-written)*float64(time.Second))) + " left"
		}
	}
	if r.now.Reused > 0 {
		words += " · " + viz.Count(r.now.Reused) + " from disk"
	}
	c.Fit(1, 1, c.W-2, "tokens  "+words+" · stopped and started again, it goes on here", viz.Ink{})
	c.Fit(1, 2, c.W-2, "order   seed by seed through all cells, so that every cell has as many texts; none is favoured by stopping early", muted)
}

// perConfig is how many texts of each config fit into h lines.
func (r *Room) perConfig(h int) int { return max(1, min(3, h/max(len(r.configs), 1))) }

// textLines is how many of h lines the texts of the selected prompt need.
func (r *Room) textLines(h int) (n int) {
	for i := range r.configs {
		if r.plan == nil || r.at >= len(r.shown) {
			return 1
		}
		n += max(1, min(r.perConfig(h), len(r.groups(place{r.shown[r.at], i}))))
	}
	return n
}

// Help says what the selected prompt's texts are checked for.
func (r *Room) Help(h kit.Host) (string, viz.Ink) {
	rows := r.rows()
	if len(rows) == 0 {
		return "", muted
	}
	p := rows[min(r.at, len(rows)-1)]
	if len(p.Expect) == 0 {
		return "no check: texts of this prompt are neither right nor wrong", muted
	}
	var all []string
	for _, c := range p.Expect {
		all = append(all, c.String())
	}
	return viz.Line("check: "+strings.Join(all, "; "), h.Screen().W-2, h.Screen().ASCII()), muted
}

func drawLines(c *viz.Canvas, x int, lines []string, ink viz.Ink) {
	for y, s := range lines {
		if y < c.H {
			c.Fit(x, y, c.W-x, s, ink)
		}
	}
}

func (r *Room) drawEmpty(c *viz.Canvas, h kit.Host) {
	c = viz.Box(c, viz.Frame{Title: "bench", Right: "K · esc", Focused: true})
	lines := []string{"no prompts yet: enter opens a file (--prompts), e takes the lab's prompt", "",
		"A file is JSON lines, CSV or TSV with a header, or texts parted by lines ---.", "expect holds the checks that a text must pass: contains: Paris"}
	if r.opening {
		lines = []string{"reading the prompts …"}
	}
	if r.field != nil {
		c.Put(1, 1, "prompts: ", muted)
		r.field.Draw(c, 10, 1)
		return
	}
	for y, s := range lines {
		if y+1 < c.H {
			c.Fit(1, y+1, c.W-2, s, muted)
		}
	}
}

// drawSmall shows what a small window has room for: sums and verdict.
func (r *Room) drawSmall(c *viz.Canvas, verdict []string) {
	y := 0
	for i := range r.configs {
		if y < c.H {
			c.Fit(0, y, c.W, letter(i)+" "+viz.Printable(r.configs[i].label, c.ASCII)+"  "+r.sumWords(i), viz.Ink{})
			y++
		}
	}
	for _, s := range verdict {
		for _, line := range viz.WrapWords(s, c.W) {
			if y < c.H {
				c.Fit(0, y, c.W, line, muted)
				y++
			}
		}
	}
}

func (r *Room) title() string {
	n := numbers[r.metric]
	switch {
	case n.key == "pass" && r.run != nil:
		return "bench · passed so far, 95% by Wilson"
	case n.key == "pass" && r.sum != nil:
		return fmt.Sprintf("bench · passed of %s, 95%% by Wilson · hardest prompt first", viz.Plural(r.seeds, "seed"))
	case n.key == "pass":
		return "bench · passed of " + viz.Plural(r.seeds, "seed")
	}
	return "bench · " + n.words
}

func (r *Room) nextNumber() string { return numbers[(r.metric+1)%len(numbers)].words }

// A layout says where the columns of the table stand.
type layout struct {
	name, wide, bar  int
	intervals        bool
	first, last      int // configs that are shown
	firstRow, inside int // prompts that are shown
}

func (r *Room) layout(w, h int) layout {
	l := layout{name: 14}
	if w >= 100 {
		l.name = 16
	}
	fit := max(1, min(len(r.configs), (w-l.name)/15))
	l.wide = min(26, (w-l.name)/fit)
	for fit > 1 && l.wide < 25 && fit > 4 {
		fit--
		l.wide = (w - l.name) / fit
	}
	l.bar, l.intervals = 8, l.wide >= 24
	if l.intervals {
		l.bar = 10
	}
	l.first = max(0, min(r.col-fit+1, len(r.configs)-fit))
	l.last = l.first + fit
	n := len(r.rows())
	l.inside = max(0, min(n, h))
	l.firstRow = max(0, min(r.at-l.inside/2, n-l.inside))
	return l
}

// maxRows is how many prompts are shown at once; more scroll.
const maxRows = 20

func (r *Room) drawTable(ruled bool, c *viz.Canvas) {
	below := 2
	if ruled {
		below = 3
	}
	l := r.layout(c.W, c.H-1-below)
	for i := l.first; i < l.last; i++ {
		ink := bold
		if i == r.col {
			ink = viz.Ink{Role: viz.Focus}.With(viz.Bold)
		}
		c.Fit(2+l.name+(i-l.first)*l.wide-2, 0, l.wide-1, letter(i)+" "+viz.Printable(r.configs[i].label, c.ASCII), ink)
	}
	rows := r.rows()
	for y := range l.inside {
		row := l.firstRow + y
		p := rows[row]
		ink := viz.Ink{}
		if r.out[p.ID] {
			ink = viz.Ink{Role: viz.Inert}
		}
		if row == r.at {
			c.Put(1, 1+y, "▸", viz.Ink{Role: viz.Focus})
			ink = ink.With(viz.Bold)
		}
		c.Fit(3, 1+y, l.name-4, viz.Line(p.ID, l.name-4, c.ASCII), ink)
		for i := l.first; i < l.last; i++ {
			x := l.name + (i-l.first)*l.wide
			switch {
			case r.out[p.ID]:
				c.Fit(x, 1+y, l.wide-1, "out", viz.Ink{Role: viz.Inert})
			case r.plan != nil && row < len(r.shown):
				c.Fit(x, 1+y, l.wide-1, r.cellWords(place{r.shown[row], i}, l, c.ASCII), viz.Ink{})
			default:
				c.Fit(x, 1+y, l.wide-1, strings.Repeat("·", l.bar), muted)
			}
		}
	}
	y := 1 + l.inside
	if below == 3 {
		c.Fit(3, y, c.W-6, strings.Repeat("─", max(c.W-6, 0)), muted)
		y++
	}
	c.Fit(3, y, l.name-4, "all "+viz.Count(len(r.prompts)-len(r.out)), bold)
	for i := l.first; i < l.last; i++ {
		c.Fit(l.name+(i-l.first)*l.wide, y, l.wide-1, r.sumCell(i, l, c.ASCII), bold)
	}
	if len(r.configs) > 1 {
		c.Fit(3, y+1, l.name-4, "against A", muted)
		for i := l.first; i < l.last; i++ {
			c.Fit(l.name+(i-l.first)*l.wide, y+1, l.wide-1, r.against(i, l), viz.Ink{})
		}
	}
}

// cellWords is what a cell shows of the number chosen.
func (r *Room) cellWords(at place, l layout, ascii bool) string {
	texts, judged, passed := r.counted(at)
	n := numbers[r.metric]
	if texts == 0 {
		return strings.Repeat("·", l.bar)
	}
	if n.key != "pass" && n.key != "majority" {
		e, m := r.cellValue(at, n.key), bench.Metrics()[bench.MetricNamed(n.key)]
		if !e.Known() {
			return "–"
		}
		return value(e, &m, l.intervals)
	}
	if judged == 0 {
		if r.unjudged(at) {
			return "?"
		}
		return fmt.Sprintf("%s %s", strings.Repeat("·", l.bar), viz.Plural(texts, "text"))
	}
	if n.key == "majority" {
		g := r.groups(at)
		voted := g[0]
		for _, x := range g {
			if x.times > voted.times {
				voted = x
			}
		}
		mark := "✗"
		if voted.passes {
			mark = "✓"
		}
		return viz.Line(fmt.Sprintf("%s %d/%d %s", mark, voted.times, texts, strings.TrimSpace(voted.text)), l.wide-1, ascii)
	}
	e := stats.Wilson(passed, judged)
	words := fmt.Sprintf("%s %-5s", bar(e.Value, l.bar, ascii), fmt.Sprintf("%d/%d", passed, judged))
	if l.intervals {
		words += fmt.Sprintf(" %.0f–%.0f", 100*e.Low, 100*e.High)
	}
	return strings.TrimRight(words, " ")
}

func (r *Room) unjudged(at place) bool {
	for _, t := range r.texts[at] {
		if t != nil && t.Unjudged != "" {
			return true
		}
	}
	return false
}

// cellValue is the mean of a metric over the texts of a cell.
func (r *Room) cellValue(at place, key string) stats.Estimate {
	var texts []*bench.Text
	for _, t := range r.texts[at] {
		if t != nil && t.Error == "" {
			texts = append(texts, t)
		}
	}
	return r.plan.CellEstimate(at.config, key, texts)
}

func value(e stats.Estimate, m *bench.Metric, interval bool) string {
	scale, unit := 1.0, ""
	if m.Percent {
		scale, unit = 100, "%"
	}
	words := fmt.Sprintf("%.*f%s", m.Decimals, e.Value*scale, unit)
	if interval && e.Bounded() {
		low, high := e.Low, e.High
		if m.Ratio {
			low, high = max(0, low), min(1, high)
		}
		words += fmt.Sprintf("  %.*f–%.*f", m.Decimals, low*scale, m.Decimals, high*scale)
	}
	return words
}

// sumCell is what all prompts together come to under a config.
func (r *Room) sumCell(i int, l layout, ascii bool) string {
	n := numbers[r.metric]
	if n.key != "pass" {
		return r.sumWords(i)
	}
	share, so := 0.0, ""
	if r.sum != nil {
		e := r.sum.All.Configs[i].Values[bench.MetricNamed("pass")]
		if e.N == 0 {
			return "–"
		}
		share = e.Value
		if l.intervals && e.Bounded() {
			so = fmt.Sprintf(" %.0f–%.0f", 100*max(0, e.Low), 100*min(1, e.High))
		}
	} else {
		prompts := 0
		for p := range r.shown {
			if _, judged, passed := r.counted(place{p, i}); judged > 0 {
				share += float64(passed) / float64(judged)
				prompts++
			}
		}
		if prompts == 0 {
			return "–"
		}
		share /= float64(prompts)
		if l.intervals {
			so = " so far"
		}
	}
	return fmt.Sprintf("%s %.1f%%%s", bar(share, l.bar, ascii), 100*share, so)
}

func (r *Room) sumWords(i int) string {
	m := bench.Metrics()[bench.MetricNamed(numbers[r.metric].key)]
	if r.sum == nil {
		return "–"
	}
	e := r.sum.All.Configs[i].Values[bench.MetricNamed(m.Key)]
	if e.N == 0 {
		return "–"
	}
	return value(e, &m, true)
}

// against is the difference of a config from the first.
func (r *Room) against(i int, l layout) string {
	switch {
	case i == 0:
		return "base"
	case r.sum == nil || r.sum.All.Prompts < 2:
		return ""
	}
	k := bench.MetricNamed(numbers[r.metric].key)
	m := bench.Metrics()[k]
	d := r.sum.All.Configs[i].Verdicts[k].Diff
	if d.N == 0 {
		return ""
	}
	q := m.Quantity
	if q.Scale == 0 {
		return ""
	}
	if !l.intervals || !d.Bounded() {
		return q.Signed(d.Value)
	}
	return fmt.Sprintf("%s (%s to %s)", q.Signed(d.Value), q.Number(d.Low), q.Number(d.High))
}

// drawTexts shows the texts of the selected prompt, under each config.
func (r *Room) drawTexts(c *viz.Canvas, boxed bool) {
	rows := r.rows()
	if len(rows) == 0 {
		return
	}
	p := rows[min(r.at, len(rows)-1)]
	title := p.ID
	if len(p.Expect) > 0 {
		title += " · " + p.Expect[0].String()
	}
	if boxed {
		c = viz.Box(c, viz.Frame{Title: viz.Line(p.ID+" · "+p.Text, c.W-6, c.ASCII)})
	} else {
		c.Fit(1, 0, c.W-1, viz.Line(title, c.W-1, c.ASCII), bold)
		c = c.Sub(viz.Rect{X: 0, Y: 1, W: c.W, H: c.H - 1})
	}
	if r.plan == nil || r.at >= len(r.shown) {
		c.Fit(1, 0, c.W-2, "no texts yet", muted)
		return
	}
	each := r.perConfig(c.H)
	if !boxed {
		each = 1
	}
	y := 0
	for i := range r.configs {
		groups := r.groups(place{r.shown[r.at], i})
		name := letter(i) + " " + viz.Printable(r.configs[i].label, c.ASCII)
		if len(groups) == 0 && y < c.H {
			c.Fit(1, y, 20, name, viz.Ink{})
			y++
		}
		for k, g := range groups[:min(each, len(groups))] {
			if y >= c.H {
				break
			}
			if k == 0 {
				c.Fit(1, y, 20, name, viz.Ink{})
			}
			mark := " "
			switch {
			case g.judged && g.passes:
				mark = "✓"
			case g.judged:
				mark = "✗"
			}
			c.Put(22, y, mark, viz.Ink{})
			words := fmt.Sprintf("%d × %s", g.times, strings.TrimLeft(g.text, " "))
			more := len(groups) - each
			tail := ""
			if k == each-1 && more > 0 {
				tail = fmt.Sprintf("   and %d more", more)
			}
			room := c.W - 26 - viz.Width(tail)
			c.Fit(25, y, c.W-26, viz.Line(words, room, c.ASCII)+tail, viz.Ink{})
			y++
		}
	}
}
