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
	var differences, sharesA, sharesB []float64
	var pairs stats.Pairs
	single := metrics[k].isShare()
	for i := range a {
		if a[i].n[k] == 0 || b[i].n[k] == 0 || math.IsInf(a[i].value[k], 0) || math.IsInf(b[i].value[k], 0) {
			continue
		}
		differences = append(differences, b[i].value[k]-a[i].value[k])
		sharesA, sharesB = append(sharesA, a[i].value[k]), append(sharesB, b[i].value[k])
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
	switch {
	case single && len(differences) > 1:
		return stats.ContrastShares(pairs)
	case metrics[k].isShare():
		return stats.ContrastRates(sharesA, sharesB)
	}
	return stats.ContrastMeans(differences)
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
