package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"logitscope/engine/bench"
	"logitscope/engine/stats"
	"logitscope/sampling"
	"logitscope/viz"
)

// maxSeeds bounds --seeds.
const maxSeeds = 10_000

// sweepFlags are the flags of sweep alone.
type sweepFlags struct {
	grid    []string
	seeds   int
	dir     string
	fresh   bool
	format  string
	workers int
	lab     *lab
	prompts string
}

func newSweep(sys System) *cobra.Command {
	var f sweepFlags
	cmd := &cobra.Command{
		Use:   "sweep --grid KEY=VALUES …",
		Short: "decode one prompt at every point of a grid of settings, and measure the texts",
		Long: `Sweep decodes a prompt under every combination of the values of --grid, with
several seeds each, and prints a table of what was written: tokens, perplexity
under the raw model, distinct-1 to 3, self-BLEU between the seeds, repeated
4-grams, loops, why texts ended, and the share that does not fit the constraint,
each with its 95 % interval. Axes without effect are named.
A finished cell stays on disk: the same command goes on where it was stopped,
and prints the same bytes.`,
		Example: `  logitscope sweep --prompt "Once upon a time" --grid temperature=0.1:1.5:0.2 --grid top_p=0.8,0.9,1 --seeds 8
  logitscope sweep --prompt-file p.txt --preset chat --grid repetition_penalty=1:1.3:0.1 --format csv
  logitscope sweep --prompt "A:" --json --grid order=transformers,llama.cpp --grid top_k=10,50 --format jsonl`,
		Args: noArgs,
	}
	s := bencher{addShared(sys, cmd)}
	f.lab = addScreen(s.shared, cmd)
	flags := cmd.Flags()
	flags.StringArrayVar(&f.grid, "grid", nil, "an axis: KEY=FROM:TO:STEP or KEY=VALUE,VALUE,…; may be repeated")
	flags.StringVar(&f.prompts, "prompts", "", "set of prompts in the place of one: every point is a config of a bench")
	flags.IntVar(&f.seeds, "seeds", 8, "texts for each cell: the seed and those that follow it")
	flags.StringVar(&f.dir, "dir", "", "folder that keeps finished cells; the default is in the platform's cache")
	flags.BoolVar(&f.fresh, "fresh", false, "decode all cells again, also those that are on disk")
	flags.StringVar(&f.format, "format", "table", "table, csv, jsonl, or lab for a heat map whose cells open as lanes")
	flags.IntVar(&f.workers, "workers", 0, "texts decoded at once; 0 is one for each core")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return s.sweep(cmd.Context(), f) }
	return cmd
}

// sweep runs the grid and prints the report.
func (s bencher) sweep(ctx context.Context, f sweepFlags) error {
	if f.prompts != "" {
		return s.sweepSet(ctx, f)
	}
	if f.format == "lab" {
		if err := f.lab.terminal(); err != nil {
			return err
		}
	}
	r, err := s.sweepReport(ctx, f)
	if err != nil {
		return err
	}
	if f.format == "lab" {
		f.lab.report = r
		return f.lab.show(ctx, nil)
	}
	out := bufio.NewWriter(s.sys.Out)
	switch f.format {
	case "csv":
		err = r.WriteCSV(out)
	case "jsonl":
		err = r.WriteJSONL(out)
	default:
		err = writeSweepTable(out, r, outputWidth(s.sys.Out))
	}
	if err = flushed(out, err); err != nil {
		return err
	}
	for _, a := range r.Axes {
		if a.Inert != "" && f.format != "table" {
			fmt.Fprintf(s.sys.Err, "logitscope: %s: %s\n", a.Key, a.Inert)
		}
	}
	return sweepFailures(r)
}

// sweepSet runs the grid over a set of prompts.
func (s bencher) sweepSet(ctx context.Context, f sweepFlags) error {
	switch _, given, err := s.text(); {
	case err != nil:
		return err
	case given || s.promptTokens != "":
		return wrong("--prompt and --prompts: one of them")
	case f.format == "lab":
		return wrong("--format lab: shows one prompt; with --prompts table, csv or jsonl")
	case len(f.grid) == 0:
		return wrong("sweep needs an axis or more: --grid temperature=0.1:1.5:0.2")
	}
	return s.bench(ctx, &benchFlags{prompts: f.prompts, grid: f.grid, seeds: f.seeds, dir: f.dir, fresh: f.fresh, workers: f.workers, format: f.format})
}

// sweepFailures returns an error that names the first text whose decoding
// failed.
func sweepFailures(r *bench.Grid) error {
	failed, first := 0, ""
	for i := range r.Cells {
		for _, t := range r.Cells[i].Runs {
			if t.Error == "" {
				continue
			}
			if failed++; failed == 1 {
				first = fmt.Sprintf("seed %d of cell %d: %s", t.Seed, i+1, t.Error)
			}
		}
	}
	if failed == 0 {
		return nil
	}
	return fmt.Errorf("decoding failed for %d of %d texts; %s", failed, len(r.Cells)*len(r.Seeds), first)
}

// sweepReport checks the flags and runs the sweep they describe.
func (s bencher) sweepReport(ctx context.Context, f sweepFlags) (*bench.Grid, error) {
	if f.format != "table" && f.format != "csv" && f.format != "jsonl" && f.format != "lab" {
		return nil, wrong("--format %s: table, csv, jsonl or lab", f.format)
	}
	if f.seeds < 1 || f.seeds > maxSeeds {
		return nil, wrong("--seeds %d: 1 to %d", f.seeds, maxSeeds)
	}
	if f.workers < 0 {
		return nil, wrong("--workers %d: 1 or more, or 0 for one for each core", f.workers)
	}
	var axes []bench.Axis
	for _, spec := range f.grid {
		a, err := bench.ParseAxis(spec)
		if err != nil {
			return nil, wrong("--grid %v", err)
		}
		axes = append(axes, a)
	}
	if len(axes) == 0 {
		return nil, wrong("sweep needs an axis or more: --grid temperature=0.1:1.5:0.2")
	}
	j, err := s.prepare(ctx)
	if err != nil {
		return nil, err
	}
	defer j.release(ctx)
	if len(j.prompt) == 0 {
		return nil, wrong("sweep needs a prompt: --prompt, --prompt-file or --prompt-tokens")
	}
	all := backends{s.model: {Name: s.model, Model: j.model, Compiler: j.compiler, Draft: j.draft}}
	defer func() {
		delete(all, s.model) // the job's own
		if ctx.Err() == nil {
			all.close()
		}
	}()
	plan := &bench.SweepPlan{
		Backend: all[s.model], Text: j.text, Prompt: j.prompt, Base: j.settings.Config(), Axes: axes,
		Settle: func(model, preset string) (*bench.Backend, sampling.Config, error) {
			return s.settle(ctx, all, laneSpec{label: s.label()}, model, preset)
		},
	}
	if plan.Seeds, err = seedsFrom(plan.Base, f.seeds); err != nil {
		return nil, err
	}
	if err := plan.Check(); err != nil {
		return nil, gridError(err)
	}
	if f.dir == "" {
		f.dir = filepath.Join(cacheDir(s.sys), "sweeps")
	}
	if f.format != "lab" {
		s.tellNotes()
	}
	bar := newProgressBar(s.sys)
	r, err := bench.Sweep(ctx, plan, bench.Options{Dir: f.dir, Fresh: f.fresh, Workers: f.workers, Progress: bar.show})
	bar.end()
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil, bar.interrupted(f.dir)
	}
	return r, dirError(f.dir, err)
}

// seedsFrom returns n seeds, from the one of cfg on.
func seedsFrom(cfg sampling.Config, n int) ([]uint64, error) {
	first := cfg.Uint("seed")
	if first > math.MaxUint64-uint64(n-1) {
		return nil, wrong("--seed %d: with --seeds %d it is at most %d", first, n, uint64(math.MaxUint64)-uint64(n-1))
	}
	seeds := make([]uint64, n)
	for i := range seeds {
		seeds[i] = first + uint64(i)
	}
	return seeds, nil
}

// writeSweepTable prints the cells, one a line, in the order of the grid.
func writeSweepTable(out *bufio.Writer, r *bench.Grid, width int) error {
	axes, columns := sweepColumns(r)
	writeBlocks(out, axes, columns, width)
	fmt.Fprintf(out, "\n%d cells of %d texts (seeds %d to %d); intervals are at 95 %%, over n %d unless another is given\n",
		len(r.Cells), len(r.Seeds), r.Seeds[0], r.Seeds[len(r.Seeds)-1], len(r.Seeds))
	for _, a := range r.Axes {
		if a.Inert != "" {
			fmt.Fprintf(out, "%s: %s\n", a.Key, a.Inert)
		}
	}
	if len(r.Seeds) < stats.FewTexts {
		fmt.Fprintf(out, "one prompt, under %d texts: resampled intervals are too narrow more often than 5 times of 100\n", stats.FewTexts)
	}
	return out.Flush()
}

// writeBlocks prints columns side by side. Where width is not 0 and they are
// wider, they go below each other in blocks, each with the fixed ones.
func writeBlocks(out *bufio.Writer, fixed, columns []column, width int) {
	for first := 0; first < len(columns); {
		last := first
		block := fixed
		for last < len(columns) && (last == first || width == 0 || tableWidth(append(block, columns[last])) <= width) {
			block = append(block[:len(block):len(block)], columns[last])
			last++
		}
		if first > 0 {
			fmt.Fprintln(out)
		}
		writeColumns(out, block)
		first = last
	}
}

// A column is a head and a text for every line.
type column struct {
	head  string
	left  bool // is aligned to the left, and not as numbers are
	cells []string
}

// sweepColumns returns the columns of the axes and those of what was
// measured. What no cell has is left out.
func sweepColumns(r *bench.Grid) (axes, measured []column) {
	for k := range r.Axes {
		c := column{head: r.Axes[k].Key}
		for i := range r.Cells {
			c.cells = append(c.cells, r.Axes[k].Label(r.Cells[i].At[k]))
		}
		axes = append(axes, c)
	}
	for k, m := range bench.GridMetrics() {
		c, any := column{head: m.Label}, false
		for i := range r.Cells {
			e := r.Cells[i].Values[k]
			any = any || e.N > 0
			c.cells = append(c.cells, formatCounted(e, &m, len(r.Seeds)))
		}
		if any {
			measured = append(measured, c)
		}
	}
	ends := column{head: "ended by", left: true}
	for i := range r.Cells {
		ends.cells = append(ends.cells, formatReasons(r.Cells[i].Reasons()))
	}
	return axes, append(measured, ends)
}

// formatReasons writes how many texts ended for each reason: "eos 3, length 1".
func formatReasons(n map[string]int) string {
	var parts []string
	for _, reason := range slices.Sorted(maps.Keys(n)) {
		parts = append(parts, fmt.Sprintf("%s %d", reason, n[reason]))
	}
	return strings.Join(parts, ", ")
}

const columnGap = 2

func (c column) width() int {
	w := viz.Width(c.head)
	for _, s := range c.cells {
		w = max(w, viz.Width(s))
	}
	return w
}

func tableWidth(columns []column) int {
	w := -columnGap
	for _, c := range columns {
		w += c.width() + columnGap
	}
	return w
}

// writeColumns prints columns side by side: numbers to the right.
func writeColumns(out *bufio.Writer, columns []column) {
	line := func(text func(c column) string) {
		var b strings.Builder
		for i, c := range columns {
			if i > 0 {
				b.WriteString(strings.Repeat(" ", columnGap))
			}
			s := text(c)
			pad := strings.Repeat(" ", c.width()-viz.Width(s))
			if c.left {
				b.WriteString(s + pad)
			} else {
				b.WriteString(pad + s)
			}
		}
		fmt.Fprintln(out, strings.TrimRight(b.String(), " "))
	}
	line(func(c column) string { return c.head })
	for i := range columns[0].cells {
		line(func(c column) string { return c.cells[i] })
	}
}
