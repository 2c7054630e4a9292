package bench

import (
	"math"
	"regexp"
	"slices"

	"logitscope/engine/check"
	"logitscope/engine/loops"
	"logitscope/engine/stats"
)

// A Metric is something measured of the texts that a config wrote.
type Metric struct {
	Key      string
	Label    string // as the head of a column
	Help     string // one line
	Decimals int    // how many are worth showing
	Percent  bool   // a share, shown in hundredths
	Ratio    bool   // lies between 0 and 1, as shares do
	Better   int    // 1 if more is better, -1 if less is, 0 if neither
	Timed    bool   // differs from run to run
	Judged   bool   // of texts that checks judged

	Quantity stats.Quantity // how a difference is said

	share    func(t *Text) (holds, ok bool)     // of texts
	mean     func(t *Text) (float64, bool)      // of numbers of texts
	cell     func(c *cell) (float64, bool)      // of the texts of one prompt
	together func([][]int32, int) stats.Measure // of the tokens of the texts of one prompt, and the vocabulary
	skewed   bool                               // has a long tail: the interval is BCa
	after    func(float64) float64              // applied to the mean and the interval; nil for none
	needs    func(seeds int, c *Config) bool    // nil for always
}

// A cell is the texts of one prompt under one config.
type cell struct {
	texts  []*Text
	answer *regexp.Regexp // what of a text is its answer; nil for all of it
}

// several reports whether majorities and best texts can be formed.
func several(seeds int, _ *Config) bool { return seeds > 1 }

var metrics = []Metric{
	{Key: "pass", Label: "pass", Help: "share of texts that pass all checks", Percent: true, Ratio: true, Decimals: 1, Better: 1, Judged: true,
		Quantity: stats.Quantity{More: "passes more often", Less: "passes less often", Unit: "points", Scale: 100, Decimals: 1},
		share:    func(t *Text) (bool, bool) { return t.Pass(), t.Judged }},
	{Key: "majority", Label: "majority", Help: "share of prompts whose most frequent answer passes", Percent: true, Ratio: true, Decimals: 1, Better: 1, Judged: true,
		Quantity: stats.Quantity{More: "passes more often by majority", Less: "passes less often by majority", Unit: "points", Scale: 100, Decimals: 1},
		cell:     majority, needs: several},
	{Key: "best_of", Label: "best of n", Help: "share of prompts whose text of the highest mean log-probability passes", Percent: true, Ratio: true, Decimals: 1, Better: 1, Judged: true,
		Quantity: stats.Quantity{More: "passes more often by its best text", Less: "passes less often by its best text", Unit: "points", Scale: 100, Decimals: 1},
		cell:     bestOf, needs: several},
	{Key: "tokens", Label: "tokens", Help: "tokens written, the one that ended the text included", Decimals: 1,
		Quantity: stats.Quantity{More: "writes more", Less: "writes less", Unit: "tokens", Scale: 1, Decimals: 1},
		mean:     func(t *Text) (float64, bool) { return float64(len(t.Tokens)), true }},
	{Key: "perplexity", Label: "perplexity", Help: "2 to the mean surprise of a token under the raw model, in bits", Decimals: 2,
		mean: (*Text).Bits, after: math.Exp2},
	{Key: "bits", Label: "bits/token", Help: "mean surprise of a token under the raw model", Decimals: 2,
		Quantity: stats.Quantity{More: "is more surprising", Less: "is less surprising", Unit: "bits a token", Scale: 1, Decimals: 2},
		mean:     (*Text).Bits},
	{Key: "entropy", Label: "entropy", Help: "mean entropy of the raw distributions, in bits", Decimals: 2,
		Quantity: stats.Quantity{More: "goes where the model is less sure", Less: "goes where the model is surer", Unit: "bits", Scale: 1, Decimals: 2},
		mean:     func(t *Text) (float64, bool) { return t.Entropy, t.Entropy > 0 }},
	{Key: "distinct_1", Label: "distinct-1", Help: "different tokens per token of a text (Li et al. 2016)", Decimals: 3, Ratio: true, mean: distinct(1)},
	{Key: "distinct_2", Label: "distinct-2", Help: "different pairs of tokens per pair of a text", Decimals: 3, Ratio: true, Better: 1,
		Quantity: stats.Quantity{More: "varies more within a text", Less: "varies less within a text", Scale: 1, Decimals: 3},
		mean:     distinct(2)},
	{Key: "distinct_3", Label: "distinct-3", Help: "different triples of tokens per triple of a text", Decimals: 3, Ratio: true, mean: distinct(3)},
	{Key: "pooled_1", Label: "pooled-1", Help: "different tokens per token of all texts of a prompt", Decimals: 3, Ratio: true, together: pooled(1)},
	{Key: "pooled_2", Label: "pooled-2", Help: "different pairs per pair of all texts of a prompt", Decimals: 3, Ratio: true, Better: 1,
		Quantity: stats.Quantity{More: "varies more between texts", Less: "varies less between texts", Scale: 1, Decimals: 3},
		together: pooled(2)},
	{Key: "pooled_3", Label: "pooled-3", Help: "different triples per triple of all texts of a prompt", Decimals: 3, Ratio: true, together: pooled(3)},
	{Key: "ead", Label: "EAD", Help: "expectation-adjusted distinct-1, which does not fall with length (Liu et al. 2022)", Decimals: 3, together: stats.EAD},
	{Key: "self_bleu", Label: "self-BLEU", Help: "how alike the texts are: BLEU-4 of each against the others (Zhu et al. 2018)", Decimals: 3, Ratio: true,
		together: func(t [][]int32, _ int) stats.Measure { return stats.SelfBLEU(t) }},
	{Key: "repeated_4grams", Label: "repeated 4-grams", Help: "share of runs of four tokens that occurred before in the text", Decimals: 3, Ratio: true, Better: -1,
		Quantity: stats.Quantity{More: "repeats itself more", Less: "repeats itself less", Unit: "points", Scale: 100, Decimals: 1},
		mean: func(t *Text) (float64, bool) {
			d, n := stats.Distinct(t.Tokens, 4)
			return 1 - d, n > 0
		}},
	{Key: "loop", Label: "loops", Help: "share of texts that end in a loop", Percent: true, Ratio: true, Decimals: 1, Better: -1,
		Quantity: stats.Quantity{More: "loops more often", Less: "loops less often", Unit: "points", Scale: 100, Decimals: 1},
		share: func(t *Text) (bool, bool) {
			_, looped := loops.Find(t.output())
			return looped, true
		}},
	{Key: "eos", Label: "ended", Help: "share of texts that the end token ended", Percent: true, Ratio: true, Decimals: 1,
		Quantity: stats.Quantity{More: "comes to an end more often", Less: "comes to an end less often", Unit: "points", Scale: 100, Decimals: 1},
		share:    func(t *Text) (bool, bool) { return t.Reason == "eos", true }},
	{Key: "constraint_failures", Label: "unfit", Help: "share of texts that are not what the constraint asks for", Decimals: 3, Ratio: true, Better: -1,
		Quantity: stats.Quantity{More: "misses the constraint more often", Less: "misses the constraint less often", Unit: "points", Scale: 100, Decimals: 1},
		share:    func(t *Text) (bool, bool) { return t.Unfit, true },
		needs:    func(_ int, c *Config) bool { return c.Config.Text("constraint") != "" }},
	{Key: "first_ms", Label: "first ms", Help: "milliseconds to the first token, the prompt included", Decimals: 0, Better: -1, Timed: true, skewed: true,
		Quantity: stats.Quantity{More: "starts later", Less: "starts earlier", Unit: "ms", Scale: 1},
		mean:     func(t *Text) (float64, bool) { return t.FirstMS, t.FirstMS > 0 }},
	{Key: "tokens_per_s", Label: "tokens/s", Help: "tokens a second after the first", Decimals: 1, Better: 1, Timed: true, skewed: true,
		Quantity: stats.Quantity{More: "is faster", Less: "is slower", Unit: "tokens a second", Scale: 1, Decimals: 1},
		mean:     func(t *Text) (float64, bool) { return t.Rate, t.Rate > 0 }},
}

// An IntervalKind names how an interval is made.
type IntervalKind string

// The intervals over the texts of one prompt.
const (
	ByWilson  IntervalKind = "by Wilson"
	ByT       IntervalKind = "by t"
	ByTOnBits IntervalKind = "by t on bits"
	Resampled IntervalKind = "resampled"
	ByBCa     IntervalKind = "by BCa"
)

// Interval returns how the interval of the metric over the texts of one prompt
// is made.
func (m *Metric) Interval() IntervalKind {
	switch {
	case m.share != nil:
		return ByWilson
	case m.together != nil:
		return Resampled
	case m.skewed:
		return ByBCa
	case m.after != nil:
		return ByTOnBits
	}
	return ByT
}

// Range returns the least and the most that the metric can be of any texts,
// which an interval by t does not know.
func (m *Metric) Range() (least, most float64) {
	most = math.Inf(1)
	if m.Ratio {
		most = 1
	}
	if m.after != nil {
		least = m.after(least)
	}
	return least, most
}

// Metrics returns what is measured, in the order of tables.
func Metrics() []Metric { return slices.Clone(metrics) }

// GridMetrics returns what is measured of a grid: without checks and times.
func GridMetrics() []Metric { return slices.Clone(gridMetrics) }

var gridMetrics = slices.DeleteFunc(slices.Clone(metrics), func(m Metric) bool { return m.Judged || m.Timed })

// MetricNamed returns the place of a metric in [Metrics], -1 if there is none.
func MetricNamed(key string) int {
	for i := range metrics {
		if metrics[i].Key == key {
			return i
		}
	}
	return -1
}

func distinct(n int) func(*Text) (float64, bool) {
	return func(t *Text) (float64, bool) {
		d, count := stats.Distinct(t.Tokens, n)
		return d, count > 0
	}
}

func pooled(n int) func([][]int32, int) stats.Measure {
	return func(t [][]int32, _ int) stats.Measure { return stats.Pooled(t, n) }
}

// judged returns the texts that were judged.
func judged(texts []*Text) []*Text {
	var out []*Text
	for _, t := range texts {
		if t.Judged {
			out = append(out, t)
		}
	}
	return out
}

// majority returns whether the most frequent answer passes: 1 or 0. A text
// without an answer has no vote; without any the prompt fails.
func majority(c *cell) (float64, bool) {
	texts := judged(c.texts)
	var answers []string
	var from []*Text
	rule := check.Answer{Rule: check.ByWhole}
	if c.answer != nil {
		rule = check.Answer{Rule: check.ByMatch, Extract: c.answer}
	}
	for _, t := range texts {
		if answer, ok := rule.Of(t.Text); ok {
			answers, from = append(answers, answer), append(from, t)
		}
	}
	answer, votes := stats.Majority(answers)
	if votes == 0 {
		return 0, len(texts) > 0
	}
	return truth(from[slices.Index(answers, answer)].Pass()), true
}

// bestOf returns whether the text of the highest mean log-probability passes.
func bestOf(c *cell) (float64, bool) {
	texts := judged(c.texts)
	scores := make([]float64, len(texts))
	for i, t := range texts {
		bits, ok := t.Bits()
		if scores[i] = -bits; !ok {
			scores[i] = math.NaN()
		}
	}
	best := stats.BestOf(scores)
	if best < 0 {
		return 0, false
	}
	return truth(texts[best].Pass()), true
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
