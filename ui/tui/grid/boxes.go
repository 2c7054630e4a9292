package grid

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"logitscope/engine/bench"
	"logitscope/engine/stats"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// setupLines is what the setup takes below the map, summary what it takes in
// short.
const (
	setupLines = nRows + 1
	summary    = 3
)

// Draw draws the view; see [kit.View].
func (v *View) Draw(c *viz.Canvas, host kit.Host) {
	if v.r == nil {
		v.drawEmpty(c, host)
		return
	}
	metric := bench.GridMetrics()[v.metric]
	if c.W < wideFrom || c.H < 30 {
		v.drawSmall(c, host, metric)
		return
	}
	foot := summary
	if v.rows {
		foot = setupLines
	}
	reading := v.reading(c.W - 4)
	read := min(len(reading), 4) + 2
	const cell = 12
	most := c.H - foot - read - cell
	high := min(most, v.mapLines()+2)
	in := viz.Box(c.Sub(viz.Rect{W: c.W, H: high}), viz.Frame{Title: v.title(metric, c.W), Right: "v next measure · H · esc", Focused: !v.rows})
	v.drawMap(in.Sub(viz.Rect{X: 1, W: in.W - 2, H: in.H}), metric)
	half := c.W / 2
	left := viz.Box(c.Sub(viz.Rect{Y: high, W: half, H: cell}), viz.Frame{Title: "the cell"})
	drawLines(left, v.cellLines())
	right := viz.Box(c.Sub(viz.Rect{X: half, Y: high, W: c.W - half, H: cell}), viz.Frame{Title: v.textsTitle()})
	drawLines(right, v.textLines(right.W-2, right.H, right.ASCII))
	drawLines(viz.Box(c.Sub(viz.Rect{Y: high + cell, W: c.W, H: read}), viz.Frame{Title: "reading it"}), reading)
	below := c.Sub(viz.Rect{Y: high + cell + read, W: c.W, H: c.H - high - cell - read})
	if v.rows {
		v.drawSetup(below.Sub(viz.Rect{Y: 1, W: c.W, H: nRows}), host, true)
	} else {
		v.drawSummary(below.Sub(viz.Rect{Y: 1, W: c.W, H: 2}), host)
	}
}

// drawEmpty draws the setup of a sweep while there is no map.
func (v *View) drawEmpty(c *viz.Canvas, host kit.Host) {
	in := viz.Box(c, viz.Frame{Title: "sweep · one prompt under a grid of settings", Right: "H · esc", Focused: true})
	v.drawSetup(in, host, true)
	for y, s := range viz.WrapWords("The selected knob, its value and three on each side, and the one changed before it; enter on a row types any list. Every cell is decoded with each seed; "+
		"the map shades cells by their rank, with the number and its 95% interval. enter opens a cell's texts as lanes, f takes it into the lab.", in.W-2) {
		in.Put(1, nRows+1+y, s, viz.Ink{Role: viz.Muted})
	}
}

// drawSmall draws all in one box, for a small window.
func (v *View) drawSmall(c *viz.Canvas, host kit.Host, metric bench.Metric) {
	in := viz.Box(c, viz.Frame{Title: v.title(metric, c.W), Right: "v next measure · H · esc", Focused: true})
	if in.W < 20 || in.H < 6 {
		return
	}
	if v.rows { // over the texts
		v.drawSetup(in.Sub(viz.Rect{Y: in.H - nRows, W: in.W, H: nRows}), host, true)
		in = in.Sub(viz.Rect{W: in.W, H: max(in.H-setupLines, 1)})
	}
	below := min(8, max(in.H/3, 3))
	v.drawMap(in.Sub(viz.Rect{X: 1, W: in.W - 2, H: in.H - below}), metric)
	v.drawCell(in.Sub(viz.Rect{X: 1, Y: in.H - below, W: in.W - 2, H: below}))
}

// title says what the map shows, and how far a sweep under way is, in w cells.
func (v *View) title(metric bench.Metric, w int) string {
	name := "sweep · " + metric.Label
	if v.busy != nil {
		now := v.busy.progress()
		name = fmt.Sprintf("sweep · running, %s of %s texts · %s", viz.Count(now.Done), viz.Count(now.Texts), metric.Label)
	}
	return viz.FirstFit(w-36, name+" of the texts, 95% "+string(metric.Interval()), name)
}

// Help says what the measure on the map is; see [kit.Helper].
func (v *View) Help(kit.Host) (string, viz.Ink) {
	if v.r == nil || v.rows {
		return "Every cell is decoded with each seed; one prompt says nothing of others.", viz.Ink{}
	}
	m := bench.GridMetrics()[v.metric]
	return m.Label + ": " + m.Help, viz.Ink{}
}

// A line of a box.
type line struct {
	text string
	ink  viz.Ink
}

func drawLines(c *viz.Canvas, lines []line) {
	for y, l := range lines[:min(len(lines), c.H)] {
		c.Fit(1, y, max(c.W-2, 0), l.text, l.ink)
	}
}

// percent reports whether a metric is said in hundredths.
func percent(m *bench.Metric) bool { return m.Percent || m.Quantity.Scale == 100 }

// written is f as a metric is said.
func written(m *bench.Metric, f float64) string {
	if percent(m) && !math.IsInf(f, 0) {
		return fmt.Sprintf("%.1f%%", 100*f)
	}
	return fmt.Sprintf("%.*f", m.Decimals, f)
}

// said writes an estimate with its interval: "4.78 (4.09 to 5.60)".
func said(m *bench.Metric, e stats.Estimate) string {
	if !e.Bounded() {
		return written(m, e.Value)
	}
	low, high := bounds(m, e)
	return fmt.Sprintf("%s (%s to %s)", written(m, e.Value), written(m, low), written(m, high))
}

// bounds are the ends of an interval, cut where the metric ends: no share lies
// outside 0 and 1 and no perplexity below 1, though the interval of a mean may.
func bounds(m *bench.Metric, e stats.Estimate) (low, high float64) {
	least, most := m.Range()
	return max(e.Low, least), min(e.High, most)
}

// told are the metrics that the box of a cell has beside the one on the map.
var told = []string{"perplexity", "distinct_2", "repeated_4grams", "self_bleu", "tokens"}

// cellLines say what was measured at the selected cell.
func (v *View) cellLines() []line {
	cell, muted := v.r.At(v.at...), viz.Ink{Role: viz.Muted}
	lines := []line{{v.place(), viz.Ink{}.With(viz.Bold)}, {}}
	if !cell.Done() {
		return append(lines, line{"no text yet", muted})
	}
	list := bench.GridMetrics()
	shown := slices.Clone(told)
	if on := list[v.metric].Key; !slices.Contains(shown, on) {
		shown = slices.Insert(shown, 0, on)
	}
	for _, key := range shown {
		k := slices.IndexFunc(list, func(m bench.Metric) bool { return m.Key == key })
		m, e, ink := &list[k], cell.Values[k], viz.Ink{}
		words := "not yet"
		switch {
		case e.Known() && m.Key == "tokens" && e.Low == e.High:
			words = written(m, e.Value)
		case e.Known():
			words = said(m, e)
		case v.r.Whole(cell):
			words = "–"
		}
		if m.Interval() == bench.Resampled && e.Bounded() {
			words += ", resampled"
		}
		if m.Key == "tokens" {
			words += ends(cell)
		}
		if k == v.metric {
			ink = ink.With(viz.Bold)
		}
		lines = append(lines, line{fmt.Sprintf("%-18s%s", m.Label, words), ink})
	}
	words := viz.Plural(len(cell.Runs), "text") + " of one prompt: nothing is said about others."
	if !v.r.Whole(cell) {
		words = fmt.Sprintf("%s of %s so far.", viz.Count(len(cell.Runs)), viz.Plural(len(v.r.Seeds), "text"))
	}
	return append(lines, line{}, line{"n " + words, muted})
}

// ends says how the texts of a cell ended.
func ends(cell *bench.Point) string {
	reasons := cell.Reasons()
	var parts []string
	for _, r := range slices.Sorted(maps.Keys(reasons)) {
		parts = append(parts, fmt.Sprintf("%d by %s", reasons[r], r))
	}
	if len(parts) == 1 {
		_, how, _ := strings.Cut(parts[0], " ")
		return ", all ended " + how
	}
	return ", ended " + strings.Join(parts, ", ")
}

func (v *View) textsTitle() string {
	n := len(v.r.At(v.at...).Runs)
	return []string{"its texts", "its text", "two of its texts", "three of its texts"}[min(n, 3)] + " · enter: as lanes"
}

// textLines are the first texts of the selected cell, an equal share of h lines
// for each.
func (v *View) textLines(w, h int, ascii bool) []line {
	var lines []line
	runs := v.r.At(v.at...).Runs
	for _, t := range runs[:min(len(runs), mostLanes)] {
		words := fmt.Sprintf("seed %d: %s", t.Seed, viz.Printable(strings.ReplaceAll(t.Text, "\n", "↵"), ascii))
		if t.Error != "" {
			words = fmt.Sprintf("seed %d: ! %s", t.Seed, viz.Printable(viz.FirstLine(t.Error), ascii))
		}
		for _, s := range viz.WrapWords(words, w)[:min(max(h/mostLanes, 1), len(viz.WrapWords(words, w)))] {
			lines = append(lines, line{s, viz.Ink{}})
		}
	}
	return lines
}

// mostRepeated is the share of repeated 4-grams above which a cell is not
// proposed: the surest text of all is a loop.
const mostRepeated = 0.05

// reading says in words what the map shows, and what it does not.
func (v *View) reading(w int) []line {
	var lines []line
	if words := v.fewest(); words != "" {
		lines = append(lines, line{viz.CutWords(words, w), viz.Ink{}})
	}
	for _, s := range viz.WrapWords(v.overlaps(), w) {
		lines = append(lines, line{s, viz.Ink{}})
	}
	for i := range v.r.Axes {
		if a := &v.r.Axes[i]; a.Inert != "" {
			lines = append(lines, line{"○ " + a.Key + " does nothing here: " + a.Inert, viz.Ink{Role: viz.Inert}})
		}
	}
	return lines
}

// fewest names the cell with the lowest perplexity among those that hardly
// repeat themselves; empty if there is none.
func (v *View) fewest() string {
	best := -1
	for i := range v.r.Cells {
		c := &v.r.Cells[i]
		p, rep := c.Value("perplexity"), c.Value("repeated_4grams")
		if !v.r.Whole(c) || math.IsNaN(p.Value) || !(rep.Value < mostRepeated) {
			continue
		}
		if best < 0 || p.Value < v.r.Cells[best].Value("perplexity").Value {
			best = i
		}
	}
	if best < 0 {
		return ""
	}
	var parts []string
	for k := range v.r.Axes {
		parts = append(parts, shortKey(v.r.Axes[k].Key)+" "+v.r.Axes[k].Label(v.r.Cells[best].At[k]))
	}
	c := &v.r.Cells[best]
	p := c.Value("perplexity")
	return fmt.Sprintf("fewest surprises with under %.0f%% repeated 4-grams: %s: perplexity %.2f (%.2f to %.2f), repeated %.1f%%",
		100*mostRepeated, strings.Join(parts, ", "), p.Value, p.Low, p.High, 100*c.Value("repeated_4grams").Value)
}

// overlaps says where the intervals of the values that stand one below the other
// overlap: there the axis that runs down makes no difference that these texts
// show.
func (v *View) overlaps() string {
	const end = "Cells that overlap are not ranked."
	right, down := &v.r.Axes[v.across], v.down()
	if down < 0 {
		n, all := 0, 0
		here := v.r.At(v.at...)
		for i := range v.r.Cells {
			if c := &v.r.Cells[i]; c != here && v.bounded(c) && v.bounded(here) {
				all++
				if a, b := c.Values[v.metric], here.Values[v.metric]; a.Low <= b.High && b.Low <= a.High {
					n++
				}
			}
		}
		if all == 0 {
			return end
		}
		return fmt.Sprintf("The interval at %s overlaps %d of the %d others. %s", right.Label(v.at[v.across]), n, all, end)
	}
	var alike, apart []string
	for x := range right.Values {
		low, high, n := math.Inf(1), math.Inf(-1), 0
		for y := range v.r.Axes[down].Values {
			if c := v.cellAt(x, y); v.bounded(c) {
				e := c.Values[v.metric]
				low, high, n = min(low, e.High), max(high, e.Low), n+1
			}
		}
		switch {
		case n < 2:
		case high <= low:
			alike = append(alike, right.Label(x))
		default:
			apart = append(apart, right.Label(x))
		}
	}
	key, name := v.r.Axes[down].Key, shortKey(right.Key)
	switch {
	case len(alike)+len(apart) == 0:
		return end
	case len(apart) == 0:
		return key + " matters little here: the intervals overlap at every " + name + ". " + end
	case len(alike) == 0:
		return key + " matters at every " + name + ": intervals lie apart. " + end
	}
	return fmt.Sprintf("%s matters little at %s %s, where the intervals overlap, more at %s. %s", key, name, strings.Join(alike, " "), strings.Join(apart, " "), end)
}

// bounded reports whether the metric on the map has an interval at a cell.
func (v *View) bounded(c *bench.Point) bool {
	return v.metric < len(c.Values) && c.Values[v.metric].Bounded()
}

// shortKey is a setting's name in a head: T for temperature.
func shortKey(key string) string {
	if s, ok := run.ShortKeys[key]; ok {
		return s
	}
	return key
}

// drawCell draws what was measured at the selected cell, and its first texts,
// where there is no room for boxes.
func (v *View) drawCell(c *viz.Canvas) {
	cell, muted := v.r.At(v.at...), viz.Ink{Role: viz.Muted}
	lines := []line{{v.place(), viz.Ink{}.With(viz.Bold)}}
	if !cell.Done() {
		lines = append(lines, line{"no text yet", muted})
	} else {
		var parts []string // the metric on the map in front
		for i, m := range bench.GridMetrics() {
			switch e := cell.Values[i]; {
			case !e.Known():
			case i == v.metric:
				parts = slices.Insert(parts, 0, m.Label+" "+said(&m, e))
			default:
				parts = append(parts, m.Label+" "+said(&m, e))
			}
		}
		lines = append(lines, line{viz.CutTitle(strings.Join(parts, " · "), c.W), viz.Ink{}})
		lines = append(lines, v.reading(c.W)...)
		for _, t := range cell.Runs {
			lines = append(lines, line{fmt.Sprintf("seed %d, %s: %s", t.Seed, t.Reason, viz.Printable(strings.ReplaceAll(t.Text, "\n", "↵"), c.ASCII)), muted})
		}
	}
	for y, l := range lines[:min(len(lines), c.H)] {
		c.Fit(0, y, c.W, l.text, l.ink)
	}
}

// Header says what is swept; see [kit.Headed].
func (v *View) Header(host kit.Host, k kit.Class) (left, right []kit.HeaderPart) {
	muted, bold := viz.Ink{Role: viz.Muted}, viz.Ink{}.With(viz.Bold)
	info := host.Lane().Model.Info()
	info.Params = 0 // there is no room for it
	left = []kit.HeaderPart{{Text: "logitscope", Rank: 9, Ink: muted}, {Text: viz.Printable(run.FullModelName(info), host.Screen().ASCII()), Rank: 6, Ink: muted}}
	if v.r == nil {
		return append(left, kit.HeaderPart{Text: "sweep", Ink: bold}), nil
	}
	state := "■ done"
	switch {
	case v.busy != nil:
		state = "► running"
	case slices.ContainsFunc(v.r.Cells, func(c bench.Point) bool { return !v.r.Whole(&c) }):
		state = "‖ stopped"
	}
	var keys []string
	for i := range v.r.Axes {
		keys = append(keys, v.r.Axes[i].Key)
	}
	n, tokens := 0, 0
	for i := range v.r.Cells {
		for _, t := range v.r.Cells[i].Runs {
			n, tokens = n+1, tokens+len(t.Tokens)
		}
	}
	left = append(left, kit.HeaderPart{Text: state, Ink: bold}, kit.HeaderPart{Text: "sweep", Rank: 3}, kit.HeaderPart{Text: strings.Join(keys, " × "), Rank: 2}, kit.HeaderPart{Text: viz.Plural(len(v.r.Seeds), "seed") + " each", Rank: 5})
	if k <= kit.Class80 {
		left = left[2:]
	}
	return left, []kit.HeaderPart{{Text: viz.Plural(n, "text"), Rank: 1}, {Text: viz.Plural(tokens, "token"), Rank: 4}}
}
