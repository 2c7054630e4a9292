package verdicts

import (
	"fmt"
	"strings"
	"time"

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
		r.drawEmpty(c)
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

func (r *Room) drawEmpty(c *viz.Canvas) {
	c = viz.Box(c, viz.Frame{Title: "bench", Right: "K · esc", Focused: true})
	lines := []string{"no prompts yet: enter opens a file (--prompts), e takes the lab's prompt", "",
		"Files: JSON lines, CSV or TSV with a header, texts between lines of ---.", "expect holds the checks that a text must pass: contains: Paris"}
	if r.opening {
		lines = []string{"reading the prompts …"}
	}
	if r.field != nil {
		words := "prompts: "
		if r.writes {
			words = "report, .html, .md, .csv or .jsonl: "
		}
		r.field.Draw(c, c.Put(1, 1, words, muted), 1)
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
