package bench

import (
	"hash/fnv"
	"slices"

	"logitscope/engine/bench/prompts"
	"logitscope/engine/stats"
)

// A Part is a part of the prompts, with what was measured of it.
type Part struct {
	Name    string // all, seen, held out, or a tag
	Prompts int
	Configs []ConfigSummary
}

// A ConfigSummary is what was measured of the texts of one config.
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
	Held    *Part  // the prompts held out; nil if none are
	Seen    *Part  // those that are not; nil if none are held out
	Tags    []Part // the prompts of each tag, in the order of the set, the first [MaxTags]
	PassAt  []int  // k of pass@k, as asked for
	AtK     [][]stats.Estimate
	Pareto  []int   // configs that no other beats in pass, or bits, and in variety
	Missing int     // texts that there are not
	Same    [][]int // groups of configs that wrote the same texts throughout
	Cells   []Cell  // what each prompt came to, config by config
	IDs     []string
}

// MaxTags is how many tags are measured apart.
const MaxTags = 50

// A group is a part of the prompts that is being gathered.
type group struct {
	name   string
	in     map[int]bool // nil for all prompts
	counts []ConfigSummary
}

func (p *Plan) newGroup(name string, all bool) *group {
	g := &group{name: name, counts: make([]ConfigSummary, len(p.Configs))}
	if !all {
		g.in = map[int]bool{}
	}
	for c := range g.counts {
		g.counts[c].Reasons = map[string]int{}
	}
	return g
}

func (g *group) has(i int) bool { return g.in == nil || g.in[i] }

// add counts texts of a config.
func (s *ConfigSummary) add(texts []*Text) {
	for _, t := range texts {
		s.Texts++
		s.Reasons[t.Reason]++
		s.Tokens += int64(len(t.Tokens))
		s.Prompted += int64(t.Prompted)
		if t.Unjudged != "" {
			s.Unjudged++
		}
	}
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
	groups := p.newGrouping(opt.Holdout)
	digests := make([]uint64, n)
	atK := make([][][]float64, len(opt.PassAt))
	for i := range atK {
		atK[i] = make([][]float64, n)
	}
	alone := make([]*cell, n)
	err := r.Each(func(i int, q *prompts.Prompt, c int, all []*Text) error {
		texts := slices.DeleteFunc(slices.Clone(all), func(t *Text) bool { return t == nil })
		if c == 0 {
			groups.enter(i, q)
			s.IDs = append(s.IDs, q.ID)
		}
		s.Missing -= len(texts)
		for _, g := range groups.list {
			if g.has(i) {
				g.counts[c].add(texts)
			}
		}
		count := cellOf(texts)
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
	var parts []Part
	for _, g := range groups.list {
		parts = append(parts, p.part(g, tallies, alone))
	}
	s.All, s.Tags = parts[0], parts[groups.untagged:]
	if opt.Holdout > 0 {
		s.Seen, s.Held = &parts[1], &parts[2]
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

// cellOf counts texts.
func cellOf(texts []*Text) Cell {
	out := Cell{Texts: int32(len(texts))}
	for _, t := range texts {
		if t.Judged {
			out.Judged++
		}
		if t.Pass() {
			out.Passed++
		}
	}
	return out
}

// A grouping is the parts that a set is measured in: all prompts, those seen and
// held out where some are, and those of each tag.
type grouping struct {
	plan     *Plan
	holdout  float64
	list     []*group
	untagged int // the first of list that are not tags
	tags     map[string]*group
}

func (p *Plan) newGrouping(holdout float64) *grouping {
	g := &grouping{plan: p, holdout: holdout, list: []*group{p.newGroup("all", true)}, tags: map[string]*group{}}
	if holdout > 0 {
		g.list = append(g.list, p.newGroup("seen", false), p.newGroup("held out", false))
	}
	g.untagged = len(g.list)
	return g
}

// enter puts prompt i into its groups. Tags beyond [MaxTags] have none.
func (g *grouping) enter(i int, q *prompts.Prompt) {
	if g.holdout > 0 {
		which := 1
		if heldOut(q.ID, g.holdout) {
			which = 2
		}
		g.list[which].in[i] = true
	}
	for _, tag := range q.Tags {
		if g.tags[tag] == nil && len(g.tags) < MaxTags {
			g.tags[tag] = g.plan.newGroup(tag, false)
			g.list = append(g.list, g.tags[tag])
		}
		if of := g.tags[tag]; of != nil {
			of.in[i] = true
		}
	}
}

// part measures the prompts of a group.
func (p *Plan) part(g *group, tallies [][]tally, alone []*cell) Part {
	out := Part{Name: g.name}
	var parts [][]tally
	for c := range tallies {
		var some []tally
		for i, t := range tallies[c] {
			if g.has(i) {
				some = append(some, t)
			}
		}
		parts = append(parts, some)
		out.Prompts = len(some)
	}
	for c := range parts {
		s := g.counts[c]
		s.Values = make([]stats.Estimate, len(metrics))
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

// heldOut reports whether a prompt belongs to the part that is held out, a
// share of all prompts; it follows from the id alone.
func heldOut(id string, share float64) bool {
	if share <= 0 {
		return false
	}
	h := fnv.New64a()
	h.Write([]byte(id))
	return float64(mix(h.Sum64())>>11)/(1<<53) < share
}
