package measure

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"

	"github.com/spf13/cobra"

	"logitscope/engine/bench"
	"logitscope/engine/stats"
	"logitscope/sampling"
	"logitscope/ui/cli/console"
	"logitscope/ui/cli/report"
	"logitscope/ui/cli/screen"
	"logitscope/ui/cli/setup"
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
	lab     *screen.Lab
	prompts string
}

// Sweep returns the command sweep.
func Sweep(sys console.System) *cobra.Command {
	var f sweepFlags
	cmd := &cobra.Command{
		Use:   "sweep --grid KEY=VALUES …",
		Short: "decode one prompt at every point of a grid of settings, and measure the texts",
		Long: `Sweep decodes a prompt under every combination of the values of --grid, with
several seeds each, and prints a table of what was written: tokens, perplexity
under the raw model, distinct-1 to 3, self-BLEU between the seeds, repeated
4-grams, loops, why texts ended, and the share that does not fit the constraint,
each with its 95 % interval. Axes without effect are named.
Finished cells stay on disk: the same command resumes where it was stopped,
and prints the same bytes.`,
		Example: `  logitscope sweep --prompt "Once upon a time" --grid temperature=0.1:1.5:0.2 --grid top_p=0.8,0.9,1 --seeds 8
  logitscope sweep --prompt-file p.txt --preset chat --grid repetition_penalty=1:1.3:0.1 --format csv
  logitscope sweep --prompt "A:" --json --grid order=transformers,llama.cpp --grid top_k=10,50 --format jsonl`,
		Args: console.NoArgs,
	}
	s := bencher{setup.Add(sys, cmd)}
	f.lab = screen.Add(s.Flags, cmd)
	flags := cmd.Flags()
	flags.StringArrayVar(&f.grid, "grid", nil, "an axis: KEY=FROM:TO:STEP or KEY=VALUE,VALUE,…; may be repeated")
	flags.StringVar(&f.prompts, "prompts", "", "set of prompts in the place of one: every point is a config of a bench")
	console.Reads(flags, "a file", "prompts")
	flags.IntVar(&f.seeds, "seeds", 8, "texts for each cell: the seed and those that follow it")
	flags.StringVar(&f.dir, "dir", "", "folder that keeps finished cells; the default is in the platform's cache")
	flags.BoolVar(&f.fresh, "fresh", false, "decode all cells again, also those that are on disk")
	flags.StringVar(&f.format, "format", "table", "table, csv, jsonl, or lab for a heat map whose cells open as lanes")
	flags.IntVar(&f.workers, "workers", 0, workersHelp)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return s.sweep(cmd.Context(), f) }
	return cmd
}

// sweep runs the grid and prints the report.
func (s bencher) sweep(ctx context.Context, f sweepFlags) error {
	if f.format != "lab" {
		if err := f.lab.NotShown("only --format lab opens the screen"); err != nil {
			return err
		}
	}
	if f.prompts != "" {
		return s.sweepSet(ctx, f)
	}
	if f.format == "lab" {
		if err := f.lab.Terminal(); err != nil {
			return err
		}
	}
	r, err := s.sweepReport(ctx, f)
	if err != nil {
		return err
	}
	if f.format == "lab" {
		f.lab.Report = r
		return f.lab.Show(ctx, nil)
	}
	out := bufio.NewWriter(s.Sys.Out)
	switch f.format {
	case "csv":
		err = r.WriteCSV(out)
	case "jsonl":
		err = r.WriteJSONL(out)
	default:
		err = writeSweepTable(out, r, console.OutputWidth(s.Sys.Out))
	}
	if err = console.Flushed(out, err); err != nil {
		return err
	}
	for _, a := range r.Axes {
		if a.Inert != "" && f.format != "table" {
			fmt.Fprintf(s.Sys.Err, "logitscope: %s: %s\n", a.Key, a.Inert)
		}
	}
	return sweepFailures(r)
}

// sweepSet runs the grid over a set of prompts.
func (s bencher) sweepSet(ctx context.Context, f sweepFlags) error {
	switch _, given, err := s.Text(); {
	case err != nil:
		return err
	case given || s.PromptTokens != "":
		return console.Wrong("--prompt and --prompts: one of them")
	case s.Talk.Asked() != "" && s.Talk.Asked() != "--chat":
		return console.Wrong("%s and --prompts: one of them; a set has its own conversations", s.Talk.Asked())
	case f.format == "lab":
		return console.Wrong("--format lab: shows one prompt; with --prompts table, csv or jsonl")
	case len(f.grid) == 0:
		return console.Wrong("sweep needs an axis or more: --grid temperature=0.1:1.5:0.2")
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
		return nil, console.Wrong("--format %s: table, csv, jsonl or lab", f.format)
	}
	if f.seeds < 1 || f.seeds > maxSeeds {
		return nil, console.Wrong("--seeds %d: 1 to %d", f.seeds, maxSeeds)
	}
	if f.workers < 0 {
		return nil, console.Wrong("--workers %d: 1 or more, or 0 for one for each core", f.workers)
	}
	var axes []bench.Axis
	for _, spec := range f.grid {
		a, err := bench.ParseAxis(spec)
		if err != nil {
			return nil, console.Wrong("--grid %v", err)
		}
		axes = append(axes, a)
	}
	if len(axes) == 0 {
		return nil, console.Wrong("sweep needs an axis or more: --grid temperature=0.1:1.5:0.2")
	}
	j, err := s.Prepare(ctx)
	if err != nil {
		return nil, err
	}
	defer j.Release(ctx)
	if len(j.Prompt) == 0 {
		return nil, console.Wrong("sweep needs a prompt: --prompt, --prompt-file or --prompt-tokens")
	}
	own := s.ModelOf(setup.LaneSpec{})
	all := backends{own: {Name: s.Model, Model: j.Model, Compiler: j.Compiler, Draft: j.Draft}}
	defer func() {
		delete(all, own) // the job's own
		if ctx.Err() == nil {
			all.close()
		}
	}()
	plan := &bench.SweepPlan{
		Backend: all[own], Text: j.Text, Prompt: j.Prompt, Base: j.Settings.Config(), Axes: axes,
		Settle: func(model, preset string) (*bench.Backend, sampling.Config, error) {
			return s.settle(ctx, all, setup.LaneSpec{Label: s.Label()}, model, preset)
		},
	}
	if err := varied(plan.Base, axes); err != nil {
		return nil, err
	}
	if plan.Seeds, err = seedsFrom(plan.Base, f.seeds); err != nil {
		return nil, err
	}
	if err := plan.Check(); err != nil {
		return nil, gridError(err)
	}
	if f.dir == "" {
		f.dir = filepath.Join(console.CacheDir(s.Sys), "sweeps")
	}
	if f.format != "lab" {
		s.TellNotes()
	}
	bar := newProgressBar(s.Sys)
	r, err := bench.Sweep(ctx, plan, bench.Options{Dir: f.dir, Fresh: f.fresh, Workers: f.workers, Progress: bar.show})
	bar.End()
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil, bar.interrupted(f.dir)
	}
	return r, (&benchFlags{}).runError(f.dir, err)
}

// seedsFrom returns n seeds, from the one of cfg on.
func seedsFrom(cfg sampling.Config, n int) ([]uint64, error) {
	first := cfg.Uint("seed")
	if first > math.MaxUint64-uint64(n-1) {
		return nil, console.Wrong("--seed %d: with --seeds %d it is at most %d", first, n, uint64(math.MaxUint64)-uint64(n-1))
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
	report.WriteBlocks(out, axes, columns, width)
	fmt.Fprintf(out, "\n%s of %s (seeds %d to %d); intervals are at 95 %%, over n %d unless another is given\n",
		viz.Plural(len(r.Cells), "cell"), viz.Plural(len(r.Seeds), "text"), r.Seeds[0], r.Seeds[len(r.Seeds)-1], len(r.Seeds))
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

// sweepColumns returns the columns of the axes and those of what was
// measured. What no cell has is left out.
func sweepColumns(r *bench.Grid) (axes, measured []report.Column) {
	for k := range r.Axes {
		c := report.Column{Head: r.Axes[k].Key}
		for i := range r.Cells {
			c.Cells = append(c.Cells, r.Axes[k].Label(r.Cells[i].At[k]))
		}
		axes = append(axes, c)
	}
	for k, m := range bench.GridMetrics() {
		c, any := report.Column{Head: m.Label}, false
		for i := range r.Cells {
			e := r.Cells[i].Values[k]
			any = any || e.N > 0
			c.Cells = append(c.Cells, report.FormatCounted(e, &m, len(r.Seeds)))
		}
		if any {
			measured = append(measured, c)
		}
	}
	ends := report.Column{Head: "ended by", Left: true}
	for i := range r.Cells {
		ends.Cells = append(ends.Cells, report.FormatReasons(r.Cells[i].Reasons()))
	}
	return axes, append(measured, ends)
}
