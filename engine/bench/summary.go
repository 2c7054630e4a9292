package bench

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"logitscope/engine/bench/prompts"
	"logitscope/engine/stats"
)

// resampleSeed is that of all intervals by resampling.
const resampleSeed = 0x5eed

// A tally is what one config's texts of one prompt came to, metric by metric.
type tally struct {
	value []float64 // mean of the texts, or of them together; NaN for none
	n     []int32   // texts it was taken from
	holds []int32   // of shares: how many hold
}

// measure returns the tally of the texts of one prompt. texts has no nil.
func measure(seeds int, c *Config, in *cell) tally {
	texts := in.texts
	t := tally{make([]float64, len(metrics)), make([]int32, len(metrics)), make([]int32, len(metrics))}
	tokens := make([][]int32, len(texts))
	for i, x := range texts {
		tokens[i] = x.Tokens
	}
	for k := range metrics {
		m := &metrics[k]
		t.value[k] = math.NaN()
		if len(texts) == 0 || m.needs != nil && !m.needs(seeds, c) {
			continue
		}
		if m.together != nil {
			if v := m.together(tokens, c.Backend.Model.Info().VocabSize)(nil); !math.IsNaN(v) {
				t.value[k], t.n[k] = v, int32(len(texts))
			}
			continue
		}
		if m.cell != nil {
			if v, ok := m.cell(in); ok {
				t.value[k], t.n[k], t.holds[k] = v, 1, int32(v)
			}
			continue
		}
		sum := 0.0
		for _, x := range texts {
			v, ok := m.number(x)
			if !ok {
				continue
			}
			t.n[k]++
			sum += v
			if m.share != nil && v == 1 {
				t.holds[k]++
			}
		}
		if t.n[k] > 0 {
			t.value[k] = sum / float64(t.n[k])
		}
	}
	return t
}

// number returns the metric of one text, 0 or 1 for a share.
func (m *Metric) number(t *Text) (float64, bool) {
	if m.share != nil {
		holds, ok := m.share(t)
		return truth(holds), ok
	}
	return m.mean(t)
}

// isShare reports whether what is measured of a prompt is a share of its texts,
// or holds of it or not.
func (m *Metric) isShare() bool { return m.share != nil || m.cell != nil }

// estimate returns what a config's tallies say of metric k. alone has the texts
// of the only prompt where there is one.
func estimate(seeds, k int, c *Config, tallies []tally, alone *cell) stats.Estimate {
	m := &metrics[k]
	if alone != nil {
		return ofTexts(seeds, m, c, alone)
	}
	var values []float64
	single, holds, texts := true, 0, 0
	for _, t := range tallies {
		if t.n[k] == 0 {
			continue
		}
		values = append(values, t.value[k])
		single = single && t.n[k] == 1
		holds, texts = holds+int(t.holds[k]), texts+int(t.n[k])
	}
	switch {
	case m.isShare() && single && texts > 0:
		return stats.Wilson(holds, texts)
	case m.isShare():
		return stats.OverPrompts(values)
	case m.skewed:
		return m.finish(bca(values))
	}
	return m.finish(stats.Mean(values))
}

// CellEstimate returns the estimate of a metric over texts of one prompt under
// config c; there is none for what resamples texts, which takes a while.
func (p *Plan) CellEstimate(c int, key string, texts []*Text) stats.Estimate {
	k := MetricNamed(key)
	if k < 0 || metrics[k].together != nil || len(texts) == 0 {
		return stats.None
	}
	return ofTexts(len(p.Seeds), &metrics[k], &p.Configs[c], &cell{texts: texts})
}

// ofTexts returns the estimate over the texts of one prompt.
func ofTexts(seeds int, m *Metric, c *Config, in *cell) stats.Estimate {
	texts := in.texts
	if m.needs != nil && !m.needs(seeds, c) {
		return stats.None
	}
	if m.cell != nil {
		v, ok := m.cell(in)
		if !ok {
			return stats.None
		}
		return stats.Estimate{Value: v, Low: math.NaN(), High: math.NaN(), N: 1}
	}
	if m.together != nil {
		tokens := make([][]int32, len(texts))
		for i, x := range texts {
			tokens[i] = x.Tokens
		}
		e := stats.ResampleTexts(len(texts), resampleSeed, m.together(tokens, c.Backend.Model.Info().VocabSize))
		if !e.Known() {
			return stats.None
		}
		return e
	}
	var values []float64
	holds := 0
	for _, x := range texts {
		if v, ok := m.number(x); ok {
			values = append(values, v)
			holds += int(v)
		}
	}
	switch {
	case m.share != nil:
		return stats.Wilson(holds, len(values))
	case m.skewed:
		return m.finish(bca(values))
	}
	return m.finish(stats.Mean(values))
}

func bca(values []float64) stats.Estimate {
	return stats.Bootstrap(len(values), resampleSeed, func(pick []int) float64 {
		sum := 0.0
		if pick == nil {
			for _, v := range values {
				sum += v
			}
			return sum / float64(len(values))
		}
		for _, i := range pick {
			sum += values[i]
		}
		return sum / float64(len(pick))
	})
}

func (m *Metric) finish(e stats.Estimate) stats.Estimate {
	if m.after != nil && e.N > 0 {
		return e.Map(m.after)
	}
	return e
}

// contrast compares config b with config a on the prompts that both have.
func contrast(k int, a, b []tally) stats.Contrast {
	var differences []float64
	var pairs stats.Pairs
	single := metrics[k].isShare()
	for i := range a {
		if a[i].n[k] == 0 || b[i].n[k] == 0 || math.IsInf(a[i].value[k], 0) || math.IsInf(b[i].value[k], 0) {
			continue
		}
		differences = append(differences, b[i].value[k]-a[i].value[k])
		single = single && a[i].n[k] == 1 && b[i].n[k] == 1
		switch passA, passB := a[i].holds[k] > 0, b[i].holds[k] > 0; {
		case passA && passB:
			pairs.Both++
		case passA:
			pairs.OnlyA++
		case passB:
			pairs.OnlyB++
		default:
			pairs.Neither++
		}
	}
	if single && len(differences) > 1 {
		return stats.ContrastShares(pairs)
	}
	return stats.ContrastMeans(differences)
}

// A Part is a part of the prompts, with what was measured of it.
type Part struct {
	Name    string // all, seen or held out
	Prompts int
	Configs []ConfigSummary
}

// A ConfigSummary is what was measured of the texts of one config. A part of
// the prompts has values and verdicts only.
type ConfigSummary struct {
	Texts    int
	Unjudged int              // texts that a check could not judge
	Reasons  map[string]int   // why texts ended
	Tokens   int64            // written
	Prompted int64            // of the prompts, once for each text
	Values   []stats.Estimate // in the order of [Metrics]
	Verdicts []stats.Verdict  // against the first config, in the order of [Metrics]; nil for the first
}

// A Summary is what a plan's texts come to.
type Summary struct {
	All     Part
	Held    *Part // the prompts held out; nil if none are
	Seen    *Part // those that are not; nil if none are held out
	PassAt  []int // k of pass@k, as asked for
	AtK     [][]stats.Estimate
	Pareto  []int   // configs that no other beats in pass, or bits, and in variety
	Missing int     // texts that there are not
	Same    [][]int // groups of configs that wrote the same texts throughout
	Cells   []Cell  // what each prompt came to, config by config
	IDs     []string
}

// A Cell is how the texts of one prompt under one config were judged.
type Cell struct{ Passed, Judged, Texts int32 }

// A Summary's choices.
type SummaryOptions struct {
	Holdout float64 // share of prompts that are held out; 0 for none
	PassAt  []int   // k for which pass@k is estimated
}

// Texts are the texts of a plan, such as [Results].
type Texts interface {
	// Each calls f with the texts of every prompt and config in order, one for
	// each seed, nil where it is missing, until f returns an error.
	Each(f func(i int, p *prompts.Prompt, config int, texts []*Text) error) error
}

// Summarise reads the texts of p in order and measures them. visit, if not nil,
// is called with every prompt, config and its texts, those that are missing
// left out, in the same order.
func Summarise(p *Plan, r Texts, opt SummaryOptions, visit func(i int, p *prompts.Prompt, config int, texts []*Text) error) (*Summary, error) {
	n := len(p.Configs)
	s := &Summary{PassAt: opt.PassAt, Missing: p.Texts()}
	tallies := make([][]tally, n)
	counts := make([]ConfigSummary, n)
	digests := make([]uint64, n)
	atK := make([][][]float64, len(opt.PassAt))
	for i := range atK {
		atK[i] = make([][]float64, n)
	}
	alone := make([]*cell, n)
	var held []bool
	for c := range counts {
		counts[c].Reasons = map[string]int{}
	}
	err := r.Each(func(i int, q *prompts.Prompt, c int, all []*Text) error {
		texts := slices.DeleteFunc(slices.Clone(all), func(t *Text) bool { return t == nil })
		if c == 0 {
			held = append(held, HeldOut(q.ID, opt.Holdout))
			s.IDs = append(s.IDs, q.ID)
		}
		s.Missing -= len(texts)
		count := Cell{Texts: int32(len(texts))}
		for _, t := range texts {
			counts[c].Texts++
			counts[c].Reasons[t.Reason]++
			counts[c].Tokens += int64(len(t.Tokens))
			counts[c].Prompted += int64(t.Prompted)
			if t.Unjudged != "" {
				counts[c].Unjudged++
			}
			if t.Judged {
				count.Judged++
			}
			if t.Pass() {
				count.Passed++
			}
		}
		digests[c] = digest(digests[c], texts)
		s.Cells = append(s.Cells, count)
		in := &cell{texts, p.answer(q)}
		tallies[c] = append(tallies[c], measure(len(p.Seeds), &p.Configs[c], in))
		for x, k := range opt.PassAt {
			if int(count.Judged) >= k {
				atK[x][c] = append(atK[x][c], stats.PassAtK(int(count.Judged), int(count.Passed), k))
			}
		}
		if p.Count == 1 {
			alone[c] = in
		}
		if visit != nil {
			return visit(i, q, c, texts)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.All = p.part("all", tallies, alone, func(int) bool { return true })
	for c := range counts {
		counts[c].Values, counts[c].Verdicts = s.All.Configs[c].Values, s.All.Configs[c].Verdicts
	}
	s.All.Configs = counts
	if opt.Holdout > 0 {
		seen := p.part("seen", tallies, alone, func(i int) bool { return !held[i] })
		out := p.part("held out", tallies, alone, func(i int) bool { return held[i] })
		s.Seen, s.Held = &seen, &out
	}
	for x := range opt.PassAt {
		s.AtK = append(s.AtK, make([]stats.Estimate, n))
		for c := range n {
			s.AtK[x][c] = stats.OverPrompts(atK[x][c])
		}
	}
	s.Same = same(digests)
	s.Pareto = s.All.pareto()
	return s, nil
}

// tallyUp returns what each config's texts of each prompt came to, and a digest
// of all of them.
func tallyUp(p *Plan, r Texts) (tallies [][]tally, digests []uint64, err error) {
	tallies, digests = make([][]tally, len(p.Configs)), make([]uint64, len(p.Configs))
	err = r.Each(func(_ int, q *prompts.Prompt, c int, all []*Text) error {
		texts := slices.DeleteFunc(slices.Clone(all), func(t *Text) bool { return t == nil })
		tallies[c] = append(tallies[c], measure(len(p.Seeds), &p.Configs[c], &cell{texts, p.answer(q)}))
		digests[c] = digest(digests[c], texts)
		return nil
	})
	return tallies, digests, err
}

// digest adds texts to a hash of those before them.
func digest(before uint64, texts []*Text) uint64 {
	h := fnv.New64a()
	for _, t := range texts {
		fmt.Fprint(h, t.Reason, t.Tokens)
	}
	return before*1099511628211 + h.Sum64()
}

// part measures the prompts that are in it.
func (p *Plan) part(name string, tallies [][]tally, alone []*cell, in func(i int) bool) Part {
	out := Part{Name: name}
	var parts [][]tally
	for c := range tallies {
		var some []tally
		for i, t := range tallies[c] {
			if in(i) {
				some = append(some, t)
			}
		}
		parts = append(parts, some)
		out.Prompts = len(some)
	}
	for c := range parts {
		s := ConfigSummary{Values: make([]stats.Estimate, len(metrics))}
		var only *cell
		if out.Prompts == 1 {
			only = alone[c]
		}
		for k := range metrics {
			s.Values[k] = estimate(len(p.Seeds), k, &p.Configs[c], parts[c], only)
		}
		out.Configs = append(out.Configs, s)
	}
	verdicts := make([][]stats.Verdict, len(metrics))
	for k := range metrics {
		var contrasts []stats.Contrast
		for c := 1; c < len(parts); c++ {
			contrasts = append(contrasts, contrast(k, parts[0], parts[c]))
		}
		verdicts[k] = stats.Judge(contrasts)
	}
	for c := 1; c < len(parts); c++ {
		for k := range metrics {
			out.Configs[c].Verdicts = append(out.Configs[c].Verdicts, verdicts[k][c-1])
		}
	}
	return out
}

// pareto returns the configs that none beats in quality without losing in
// variety; nil if one is best in both.
func (p *Part) pareto() []int {
	quality, sign := MetricNamed("pass"), 1.0
	if !slices.ContainsFunc(p.Configs, func(c ConfigSummary) bool { return c.Values[quality].Known() }) {
		quality, sign = MetricNamed("bits"), -1
	}
	variety := MetricNamed("pooled_2")
	var out []int
	for i, a := range p.Configs {
		beaten := slices.ContainsFunc(p.Configs, func(b ConfigSummary) bool {
			q, v := sign*(b.Values[quality].Value-a.Values[quality].Value), b.Values[variety].Value-a.Values[variety].Value
			return q >= 0 && v >= 0 && q+v > 0
		})
		if !beaten {
			out = append(out, i)
		}
	}
	return out
}

// same returns the groups of equal digests.
func same(digests []uint64) [][]int {
	var out [][]int
	seen := map[uint64]bool{}
	for i, d := range digests {
		if seen[d] {
			continue
		}
		seen[d] = true
		group := []int{i}
		for k := i + 1; k < len(digests); k++ {
			if digests[k] == d {
				group = append(group, k)
			}
		}
		if len(group) > 1 {
			out = append(out, group)
		}
	}
	return out
}

// HeldOut reports whether a prompt belongs to the part that is held out, a
// share of all prompts; it follows from the id alone.
func HeldOut(id string, share float64) bool {
	if share <= 0 {
		return false
	}
	h := fnv.New64a()
	h.Write([]byte(id))
	return float64(mix(h.Sum64())>>11)/(1<<53) < share
}
