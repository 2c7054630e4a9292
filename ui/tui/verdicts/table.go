package verdicts

import (
	"fmt"
	"strings"

	"logitscope/engine/bench"
	"logitscope/engine/stats"
	"logitscope/viz"
)

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
