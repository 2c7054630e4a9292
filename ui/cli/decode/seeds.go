package decode

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"logitscope/engine/bench"
	"logitscope/engine/bench/prompts"
	"logitscope/engine/compare"
	"logitscope/engine/stats"
	"logitscope/ui/cli/console"
	"logitscope/ui/cli/report"
	"logitscope/ui/cli/setup"
	"logitscope/viz"
)

// maxSeeds is the most seeds that lanes are compared over.
const maxSeeds = 10_000

// overSeeds decodes the lanes under n seeds each, from the seed of the first.
func overSeeds(ctx context.Context, s *setup.Flags, specs []setup.LaneSpec, n int, format string) error {
	for i, l := range specs {
		if _, ok := l.Set.Lookup("seed"); ok {
			return console.Wrong("--lane %d: seed= does not go with --seeds, which are the same in all lanes; --seed says where they begin", i+1)
		}
	}
	jobs, err := s.PrepareLanes(ctx, specs)
	if err != nil {
		return err
	}
	defer setup.ReleaseAll(ctx, jobs)
	first := jobs[0]
	if len(first.Prompt) == 0 {
		return console.Wrong("compare --seeds needs a prompt: --prompt, --prompt-file or --prompt-tokens")
	}
	var lanes []bench.Config
	backends := map[any]*bench.Backend{}
	for i, j := range jobs {
		if !slices.Equal(j.Prompt, first.Prompt) {
			return console.Wrong("--lane %d: its model reads the prompt as other tokens than that of lane 1, and seeds want one prompt", i+1)
		}
		b := backends[j.Model]
		if b == nil {
			b = &bench.Backend{Name: j.Model.Info().Name, Model: j.Model, Compiler: j.Compiler, Draft: j.Draft}
			backends[j.Model] = b
		}
		lanes = append(lanes, bench.Config{Name: fmt.Sprintf("lane %d", i+1), Backend: b, Config: j.Settings.Config()})
	}
	s.TellNotes()
	seeds := make([]uint64, n)
	for i := range seeds {
		seeds[i] = first.Settings.Config().Uint("seed") + uint64(i)
	}
	x, err := bench.Lanes(ctx, lanes, prompts.OfTokens(first.Text, first.Prompt), seeds, bench.Options{})
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return err
	}
	labels := make([]string, len(jobs))
	for i, j := range jobs {
		labels[i] = j.Settings.Label
	}
	out := bufio.NewWriter(s.Sys.Out)
	if format == "jsonl" {
		return console.Flushed(out, seedLines(out, &x, labels, seeds))
	}
	return console.Flushed(out, seedTable(out, &x, labels, console.OutputWidth(s.Sys.Out)))
}

// A seedLane is the record of a lane over seeds; estimates have their 95 %
// interval and how many texts they are from.
type seedLane struct {
	Type      string         `json:"type"` // "lane"
	Lane      int            `json:"lane"`
	Label     string         `json:"label"`
	Tokens    stats.Estimate `json:"tokens"`
	Bits      stats.Estimate `json:"bits_per_token"`
	Entropy   stats.Estimate `json:"mean_entropy_bits"`
	Distinct2 stats.Estimate `json:"distinct_2"`
	Repeated4 stats.Estimate `json:"repeated_4gram_share"`
	Loops     stats.Estimate `json:"loops"` // share of texts that end in one
	Reasons   map[string]int `json:"reasons"`
}

// A seedParting is the record of where a lane parts from the first.
type seedParting struct {
	Type   string         `json:"type"` // "parting"
	Lane   int            `json:"lane"`
	Parted stats.Estimate `json:"parted"`           // share of seeds
	Rate   stats.Estimate `json:"partings_a_token"` // of the tokens that were written alike, and the one that was not
	Median *int           `json:"median_step"`      // null where half of the texts or more agree
	Seeds  []uint64       `json:"seeds"`
	Steps  []*int         `json:"steps"`                     // by seed; null where the texts agree
	Tokens stats.Estimate `json:"tokens_difference"`         // paired by seed, this lane's less the first's
	Bits   stats.Estimate `json:"bits_per_token_difference"` // as tokens_difference
}

func seedLines(out io.Writer, x *compare.Seeds, labels []string, seeds []uint64) error {
	for i, l := range x.Lanes {
		if err := console.WriteLine(out, seedLane{"lane", i + 1, labels[i], l.Tokens, l.Bits, l.Entropy, l.Distinct2, l.Repeated4, l.Loops, l.Reasons}); err != nil {
			return err
		}
	}
	step := func(k int) *int {
		if k == 0 {
			return nil
		}
		return &k
	}
	for _, p := range x.Parts {
		r := seedParting{Type: "parting", Lane: p.Lane + 1, Parted: p.Parted, Rate: p.Rate, Median: step(p.Median), Seeds: seeds, Tokens: p.Tokens, Bits: p.Bits}
		for _, k := range p.Steps {
			r.Steps = append(r.Steps, step(k))
		}
		if err := console.WriteLine(out, r); err != nil {
			return err
		}
	}
	return nil
}

// seedTable writes the table of lanes, then where each parts from the first.
func seedTable(out *bufio.Writer, x *compare.Seeds, labels []string, width int) error {
	fmt.Fprintf(out, "%s each · means with their 95%% intervals\n", viz.Plural(x.N, "seed"))
	lanes := report.Column{Head: "lane", Left: true}
	for i := range x.Lanes {
		lanes.Cells = append(lanes.Cells, fmt.Sprintf("%d %s", i+1, console.Visible(labels[i])))
	}
	column := func(head string, of func(i int) string) report.Column {
		c := report.Column{Head: head}
		for i := range x.Lanes {
			c.Cells = append(c.Cells, of(i))
		}
		return c
	}
	two := func(e stats.Estimate) string { return viz.Estimate(e.Value, e.Low, e.High, viz.Two) }
	share := func(e stats.Estimate) string { return viz.Estimate(e.Value, e.Low, e.High, viz.Percent) }
	report.WriteBlocks(out, []report.Column{lanes}, []report.Column{
		column("tokens", func(i int) string { return two(x.Lanes[i].Tokens) }),
		column("bits a token", func(i int) string { return two(x.Lanes[i].Bits) }),
		column("entropy", func(i int) string { return two(x.Lanes[i].Entropy) }),
		column("distinct-2", func(i int) string { return two(x.Lanes[i].Distinct2) }),
		column("repeated 4-grams", func(i int) string { return share(x.Lanes[i].Repeated4) }),
		column("loops", func(i int) string { return share(x.Lanes[i].Loops) }),
		column("ended", func(i int) string { return report.FormatReasons(x.Lanes[i].Reasons) }),
	}, width)
	for _, p := range x.Parts {
		parted := 0
		for _, k := range p.Steps {
			if k > 0 {
				parted++
			}
		}
		fmt.Fprintf(out, "\nlane %d parts from lane 1 in %d of %d, %s", p.Lane+1, parted, x.N, share(p.Parted))
		if p.Median > 0 {
			fmt.Fprintf(out, " · half by token %d", p.Median)
		}
		fmt.Fprintf(out, "\n  at each token with a chance of %s\n", share(p.Rate))
		if parted > 0 {
			fmt.Fprintf(out, "  %s\n", partingWords(p.Steps))
		}
		if _, err := fmt.Fprintf(out, "  against lane 1, seed by seed: tokens %s · bits a token %s\n", two(p.Tokens), two(p.Bits)); err != nil {
			return err
		}
	}
	return nil
}

// partingWords say at which tokens texts part, in ranges that double.
func partingWords(steps []int) string {
	var parts []string
	for from, to := 1, 1; ; from, to = to+1, 2*to+1 {
		n, later := 0, false
		for _, k := range steps {
			if k >= from && k <= to {
				n++
			}
			later = later || k > to
		}
		at := fmt.Sprintf("token %d", from)
		if to > from {
			at = fmt.Sprintf("%d-%d", from, to)
		}
		parts = append(parts, fmt.Sprintf("%s: %d", at, n))
		if !later {
			return strings.Join(parts, " · ")
		}
	}
}
