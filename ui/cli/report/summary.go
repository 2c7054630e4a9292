package report

import (
	"bufio"
	"fmt"
	"math"
	"strconv"
	"strings"

	"logitscope/engine/bench"
	"logitscope/engine/stats"
	"logitscope/ui/cli/console"
	"logitscope/viz"
)

// WriteBenchTable prints the configs, one a line, and what may be said of them.
func WriteBenchTable(out *bufio.Writer, p *bench.Plan, s *bench.Summary, opt bench.WriteOptions, width int) {
	for i, part := range s.Parts() {
		if i > 0 {
			fmt.Fprintln(out)
		}
		if s.Held != nil {
			fmt.Fprintf(out, "%s: %s\n", part.Name, viz.Plural(part.Prompts, "prompt"))
		}
		WriteBlocks(out, []Column{configColumn(p)}, benchColumns(p, s, part, opt), width)
		writeVerdicts(out, p, part, opt)
	}
	if tags := tagColumns(p, s); len(tags) > 0 {
		fmt.Fprintf(out, "\n%s:\n", tagHead(s))
		WriteBlocks(out, []Column{configColumn(p)}, tags, width)
	}
	fmt.Fprintf(out, "\n%s\n", benchFooter(p, s))
}

func configColumn(p *bench.Plan) Column {
	c := Column{Head: "config", Left: true}
	for _, x := range p.Configs {
		c.Cells = append(c.Cells, console.Visible(x.Name))
	}
	return c
}

// benchColumns returns what was measured. What no config has is left out.
func benchColumns(p *bench.Plan, s *bench.Summary, part *bench.Part, opt bench.WriteOptions) []Column {
	var out []Column
	usual := usualN(p, part)
	for k, m := range bench.Metrics() {
		c, known := Column{Head: m.Label}, false
		for i := range part.Configs {
			e := part.Configs[i].Values[k]
			known = known || e.N > 0
			c.Cells = append(c.Cells, FormatCounted(e, &m, usual))
		}
		if known && (opt.Times || !m.Timed) {
			out = append(out, c)
		}
	}
	if part != &s.All {
		return out
	}
	for x, k := range s.PassAt {
		c := Column{Head: fmt.Sprintf("pass@%d", k)}
		for i := range part.Configs {
			c.Cells = append(c.Cells, FormatCounted(s.AtK[x][i], &bench.Metric{Decimals: 1, Percent: true, Ratio: true}, usual))
		}
		out = append(out, c)
	}
	if opt.Price != nil {
		c := Column{Head: "cost"}
		for i := range part.Configs {
			c.Cells = append(c.Cells, strconv.FormatFloat(opt.Price.Of(&part.Configs[i]), 'f', 4, 64))
		}
		out = append(out, c)
	}
	ends := Column{Head: "ended by", Left: true}
	for i := range part.Configs {
		ends.Cells = append(ends.Cells, FormatReasons(part.Configs[i].Reasons))
	}
	return append(out, ends)
}

// tagHead is the head of the table of tags.
func tagHead(s *bench.Summary) string {
	head := "by tag, " + bench.Metrics()[mainMetric(&s.All)].Label
	if len(s.Tags) == bench.MaxTags {
		head += fmt.Sprintf(" (the first %d tags)", bench.MaxTags)
	}
	return head
}

// tagColumns returns the main metric of the prompts of each tag.
func tagColumns(p *bench.Plan, s *bench.Summary) []Column {
	if p.Count == 1 {
		return nil
	}
	var out []Column
	k := mainMetric(&s.All)
	m := bench.Metrics()[k]
	for _, part := range s.Tags {
		c := Column{Head: console.Visible(part.Name)}
		for i := range part.Configs {
			c.Cells = append(c.Cells, FormatCounted(part.Configs[i].Values[k], &m, usualN(p, &s.All)))
		}
		out = append(out, c)
	}
	return out
}

// mainMetric is what the verdicts are about: passing, or where nothing was
// judged how surprising the texts are.
func mainMetric(part *bench.Part) int {
	k := bench.MetricNamed("pass")
	for i := range part.Configs {
		if part.Configs[i].Values[k].N > 0 {
			return k
		}
	}
	return bench.MetricNamed("bits")
}

// writeVerdicts says how configs differ from the first: in the main metric
// whatever came out, in others where they do.
func writeVerdicts(out *bufio.Writer, p *bench.Plan, part *bench.Part, opt bench.WriteOptions) {
	if len(part.Configs) < 2 {
		return
	}
	fmt.Fprintf(out, "\nagainst %s:\n", console.Visible(p.Configs[0].Name))
	first := mainMetric(part)
	for c := 1; c < len(part.Configs); c++ {
		name := console.Visible(p.Configs[c].Name)
		fmt.Fprintln(out, part.Configs[c].Verdicts[first].Sentence(name, bench.Metrics()[first].Quantity))
		for k, m := range bench.Metrics() {
			v := part.Configs[c].Verdicts[k]
			if k != first && m.Quantity.More != "" && v.Found() && (opt.Times || !m.Timed) {
				fmt.Fprintln(out, "  "+v.Sentence(name, m.Quantity))
			}
		}
	}
}

// sizeWords say how large a bench is: "9 prompts × 4 configs × 10 seeds".
func sizeWords(p *bench.Plan) string {
	return viz.Plural(p.Count, "prompt") + " × " + viz.Plural(len(p.Configs), "config") + " × " + viz.Plural(len(p.Seeds), "seed")
}

// benchFooter says what the numbers are of.
func benchFooter(p *bench.Plan, s *bench.Summary) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s; intervals are at 95 %%, over n %d unless another is given", sizeWords(p), usualN(p, &s.All))
	if p.Count == 1 {
		b.WriteString("\none prompt: says nothing about others; n is its texts")
		if len(p.Seeds) < stats.FewTexts {
			fmt.Fprintf(&b, "\nunder %d texts: resampled intervals are too narrow more often than 5 times of 100", stats.FewTexts)
		}
	}
	if len(p.Configs) > 2 {
		fmt.Fprintf(&b, "\n%d configs against one: p is adjusted by Holm", len(p.Configs)-1)
	}
	for _, group := range s.Same {
		var names []string
		for _, c := range group {
			names = append(names, console.Visible(p.Configs[c].Name))
		}
		fmt.Fprintf(&b, "\nthe same texts throughout: %s", strings.Join(names, "; "))
	}
	if len(s.Pareto) > 1 && len(s.Pareto) < len(p.Configs) {
		var names []string
		for _, c := range s.Pareto {
			names = append(names, console.Visible(p.Configs[c].Name))
		}
		quality := bench.Metrics()[mainMetric(&s.All)].Label
		fmt.Fprintf(&b, "\nPareto set of %s and variety between texts: %s", quality, strings.Join(names, "; "))
	}
	return b.String()
}

// FormatCounted writes an estimate with its interval, "81.1% [52.0 100.0]", and
// n where it is not the usual one.
func FormatCounted(e stats.Estimate, m *bench.Metric, usual int) string {
	if e.N == 0 {
		return "–"
	}
	scale, unit := 1.0, ""
	if m.Percent {
		scale, unit = 100, "%"
	}
	least, most := m.Range() // t leaves it
	number := func(x float64) string {
		x = math.Min(most, math.Max(least, x))
		return fmt.Sprintf("%.*f", m.Decimals, x*scale)
	}
	text := number(e.Value) + unit
	if e.Bounded() {
		text += " [" + number(e.Low) + " " + number(e.High) + "]"
	}
	if e.N != usual {
		text += fmt.Sprintf(" n %d", e.N)
	}
	return text
}

// usualN is what most estimates are over: prompts, or the texts of the only
// one.
func usualN(p *bench.Plan, part *bench.Part) int {
	if p.Count == 1 {
		return len(p.Seeds)
	}
	return part.Prompts
}
