// Package measure answers: which settings are better, and by how much? Bench, Tune,
// Sweep and Vote decode many texts; Score reads one that is there.
package measure

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"logitscope/engine/bench"
	"logitscope/engine/bench/prompts"
	"logitscope/ui/cli/console"
	"logitscope/ui/cli/report"
	"logitscope/ui/cli/setup"
	"logitscope/viz"
)

// A bencher is a command that measures, over the flags that all commands that
// decode have.
type bencher struct{ *setup.Flags }

// benchFlags are the flags of bench alone.
type benchFlags struct {
	prompts  string
	texts    []string
	checks   []string
	extract  string
	allowCmd bool
	configs  []string
	lanes    []string
	grid     []string
	seeds    int
	passAt   []int
	holdout  float64
	budget   string
	price    string
	times    bool
	dir      string
	fresh    bool
	workers  int
	format   string
	dryRun   bool
	reports  []string
	noAsked  bool // reports are without the prompts
	baseline string
	against  string
	failIf   []string
	recorded *bench.Recorded // whose configs are repeated; nil for none
}

// benchPatience is how long a busy server is waited for: many requests meet one
// more often than a single run does.
const benchPatience = 10 * time.Minute

// Bench returns the command bench.
func Bench(sys console.System) *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "bench --prompts FILE --config A --config B …",
		Short: "which settings are better on your prompts, by how much, with how much doubt",
		Long: `Bench decodes every prompt of a set under every config, with several seeds each,
judges the texts by checks, and says which configs do better than the first: the
difference with its 95 % interval, and a verdict in a sentence. A config is a
preset or a file (--config), a lane as in compare (--lane), or a point of a grid
(--grid; model, preset, order and constraint=on,off are axes too). A set is JSON
lines, CSV or TSV with a header, or texts between lines of ---; docs/bench.md has
its form. Finished texts stay on disk: the same command resumes where it was
stopped, and prints the same bytes. The checks are:

` + report.CheckTable(),
		Example: `  logitscope bench --prompts set.jsonl --config chat --config creative --seeds 4
  logitscope bench --prompts qa.csv --model vllm:http://gpu:8000 --grid temperature=0.2,0.7 --workers 16 --format jsonl
  logitscope bench --prompt "2+2=" --check 'number: 4' --lane chat --lane chat,temperature=1.3 --seeds 50`,
		Args: console.NoArgs,
	}
	s := bencher{setup.AddDecoding(sys, cmd)}
	s.OwnConfigs, s.Patience = true, benchPatience
	f.add(cmd.Flags(), s)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return s.bench(cmd.Context(), &f) }
	return cmd
}

func (f *benchFlags) add(flags *pflag.FlagSet, s bencher) {
	f.addPrompts(flags, s)
	f.addRunning(flags)
	flags.StringVar(&f.extract, "extract", "", "which part of a text is checked: an expression's first group, or its match")
	flags.StringArrayVar(&f.configs, "config", nil, "a config: a preset's name or a file with settings; the first is the base; may be repeated")
	console.Reads(flags, "a preset or a file", "config")
	flags.StringArrayVar(&f.lanes, "lane", nil, "a config: PRESET[,key=value…]; may be repeated")
	flags.StringArrayVar(&f.grid, "grid", nil, "an axis: KEY=FROM:TO:STEP or KEY=VALUE,VALUE,…; may be repeated")
	flags.IntVar(&f.seeds, "seeds", 1, "texts for each prompt and config: the seed and those that follow it")
	flags.IntSliceVar(&f.passAt, "pass-at", nil, "also estimate pass@k for these k")
	flags.Float64Var(&f.holdout, "holdout", 0, "share of the prompts to report apart, chosen by their ids")
	flags.StringVar(&f.price, "price", "", "cost of a million tokens: in=X,out=Y")
	flags.BoolVar(&f.times, "times", false, "report times too, which differ from run to run")
	flags.StringVar(&f.format, "format", "table", "table, csv or jsonl")
	flags.StringArrayVar(&f.reports, "report", nil, "also write a report: FILE.md, .html, .csv or .jsonl; json is one object on standard output; may be repeated")
	console.Writes(flags, "report")
	flags.BoolVar(&f.noAsked, "without-prompts", false, "leave the prompts out of reports, so that they can be shared")
	flags.StringVar(&f.baseline, "baseline", "", "compare with a bench that --format jsonl or --report FILE.jsonl wrote")
	flags.StringArrayVar(&f.failIf, "fail-if", nil, "with --baseline: exit 3 if the paired interval says so, as 'pass drops' or 'loop rises'; may be repeated")
	flags.StringVar(&f.against, "against", "", "repeat the configs of such a file on another model or server, and say whether the results differ")
	console.Reads(flags, "a file", "baseline", "against")
	flags.BoolVar(&f.dryRun, "dry-run", false, "check all that takes no model and stop; with --format jsonl write the prompts that were read")
}

// addPrompts declares the flags of prompts and their checks.
func (f *benchFlags) addPrompts(flags *pflag.FlagSet, s bencher) {
	flags.StringVar(&f.prompts, "prompts", "", "set of prompts: .jsonl, .csv, .tsv or .txt")
	console.Reads(flags, "a file", "prompts")
	flags.StringArrayVar(&f.texts, "prompt", nil, "a prompt, taken as it is; may be repeated")
	flags.BoolVar(&s.Talk.Chat, "chat", false, "wrap plain prompts as a user's message by the model's chat template")
	flags.StringArrayVar(&f.checks, "check", nil, "a check of every text, as 'contains: Paris' or JSON; may be repeated")
	flags.BoolVar(&f.allowCmd, "allow-cmd", false, "let the check cmd run programs")
}

// addRunning declares the flags that say how texts are decoded and kept.
func (f *benchFlags) addRunning(flags *pflag.FlagSet) {
	flags.StringVar(&f.budget, "budget", "", "stop early: tokens=N, seconds=S, or both")
	flags.StringVar(&f.dir, "dir", "", "folder that keeps finished texts; the default is in the platform's cache")
	flags.BoolVar(&f.fresh, "fresh", false, "decode all texts again, also those that are on disk")
	flags.IntVar(&f.workers, "workers", 0, workersHelp)
}

const workersHelp = "texts decoded at once; 0 is one for each core, or each slot of a llama-server, or 8 for another server"

// bench runs the plan that the flags describe and prints what it came to.
func (s bencher) bench(ctx context.Context, f *benchFlags) error {
	if f.format != "table" && f.format != "jsonl" && f.format != "csv" {
		return console.Wrong("--format %s: table, csv or jsonl", f.format)
	}
	set, n, err := s.promptSet(f)
	if err != nil {
		return err
	}
	opt, sum, write, err := f.options(s)
	if err != nil {
		return err
	}
	past, err := f.past(s)
	if err != nil {
		return err
	}
	if f.dryRun {
		if _, _, _, err := s.sketch(f); err != nil {
			return err
		}
		return s.writeSet(f, set, n)
	}
	p, backends, err := s.benchPlan(ctx, f)
	defer func() {
		if ctx.Err() == nil {
			backends.close()
		}
	}()
	if err != nil {
		return err
	}
	p.Prompts, p.Count, p.Plain, p.Chat = set, n, n == 1, s.Talk.Chat
	for _, c := range sum.PassAt {
		if c > len(p.Seeds) {
			return console.Wrong("--pass-at %d: at most the number of --seeds, %d", c, len(p.Seeds))
		}
	}
	if f.noAsked && len(f.reports) == 0 {
		return console.Wrong("--without-prompts: it leaves prompts out of reports; there is no --report")
	}
	if past.record != nil {
		if err := past.record.Check(p); err != nil {
			return console.Wrong("%s %s: %v", past.flag, past.name, err)
		}
	}
	s.TellNotes()
	if f.against != "" {
		p.Seeds = past.record.Seeds
	}
	return s.runBench(ctx, f, &report.Benched{Sys: s.Sys, Plan: p, Sum: sum, Write: write, NoPrompts: f.noAsked}, opt, past)
}

// A past is a recorded bench to compare with; the zero value is none.
type past struct {
	flag, name string
	record     *bench.Recorded
	conditions []failIf
}

// past reads what --baseline or --against names.
func (f *benchFlags) past(s bencher) (p past, err error) {
	p.flag = "--baseline"
	switch {
	case f.baseline != "" && f.against != "":
		return p, console.Wrong("--baseline and --against: one of them")
	case f.against != "" && (len(f.configs) > 0 || len(f.lanes) > 0 || len(f.grid) > 0):
		return p, console.Wrong("--against %s: its configs are repeated; no --config, --lane or --grid", f.against)
	case f.against != "" && (s.FlagSet.Changed("seeds") || s.FlagSet.Changed("seed")):
		return p, console.Wrong("--against %s: its seeds are repeated; no --seed or --seeds", f.against)
	case len(f.failIf) > 0 && f.baseline == "":
		return p, console.Wrong("--fail-if: needs --baseline")
	case f.against != "":
		p.flag = "--against"
	case f.baseline == "":
		return p, report.CheckReports(f.reports)
	}
	for _, text := range f.failIf {
		c, err := parseFailIf(text)
		if err != nil {
			return p, err
		}
		if bench.Metrics()[c.metric].Timed && !f.times {
			return p, console.Wrong("--fail-if %q: needs --times", text)
		}
		p.conditions = append(p.conditions, c)
	}
	p.name = cmp.Or(f.baseline, f.against)
	if p.record, err = readRecorded(p.flag, p.name); err != nil {
		return p, err
	}
	f.recorded = nil
	if f.against != "" {
		f.recorded = p.record
	}
	return p, report.CheckReports(f.reports)
}

// runBench decodes and reports.
func (s bencher) runBench(ctx context.Context, f *benchFlags, b *report.Benched, opt bench.Options, past past) error {
	bar := newProgressBar(s.Sys)
	opt.Progress = bar.show
	r, err := bench.Run(ctx, b.Plan, opt)
	bar.End()
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return bar.interrupted(opt.Dir)
	}
	if err != nil {
		return f.runError(opt.Dir, err)
	}
	defer r.Close()
	b.Results = r
	if b.Summary, err = bench.Summarise(b.Plan, r, b.Sum, b.Visit()); err != nil {
		return err
	}
	out := bufio.NewWriter(s.Sys.Out)
	switch {
	case slices.Contains(f.reports, "json"): // it has standard output to itself
	case f.format == "jsonl":
		_, err = bench.WriteJSONL(out, b.Plan, r, b.Sum, b.Write)
	case f.format == "csv":
		err = b.Summary.WriteCSV(out, b.Plan, b.Write)
	default:
		report.WriteBenchTable(out, b.Plan, b.Summary, b.Write, console.OutputWidth(s.Sys.Out))
	}
	if err = console.Flushed(out, err); err != nil {
		return err
	}
	if err := b.Reports(f.reports); err != nil {
		return err
	}
	worse := false
	if past.record != nil {
		w := s.Sys.Out
		if f.format != "table" || slices.Contains(f.reports, "json") {
			w = s.Sys.Err
		}
		if worse, err = compareRecorded(w, b, past.record, past.name, past.conditions); err != nil {
			return err
		}
	}
	if err := s.benchShortfall(r, b.Summary); err != nil {
		return err
	}
	if worse {
		return &console.ExitError{Code: exitWorse}
	}
	return nil
}

// benchShortfall says what is missing.
func (s bencher) benchShortfall(r *bench.Results, report *bench.Summary) error {
	for _, x := range r.Failed {
		console.Complain(s.Sys.Err, fmt.Errorf("prompt %s, %s, seed %d: %s", x.Prompt, x.Config, x.Seed, x.Error))
	}
	unjudged := 0
	for _, c := range report.All.Configs {
		unjudged += c.Unjudged
	}
	if unjudged > 0 {
		console.Complain(s.Sys.Err, fmt.Errorf("%d texts could not be judged by their checks; they count as neither passed nor failed", unjudged))
	}
	switch failed := report.Missing; {
	case r.Stopped && failed > 0:
		console.Complain(s.Sys.Err, fmt.Errorf("stopped by --budget: %d of %d texts are missing, and the same command goes on there", failed, r.Plan.Texts()))
	case failed > 0:
		return fmt.Errorf("decoding failed for %d of %d texts", failed, r.Plan.Texts())
	}
	return nil
}

// promptSet opens the prompts and reads them once: all bad lines are one error.
func (s bencher) promptSet(f *benchFlags) (*prompts.Set, int, error) {
	switch {
	case f.prompts != "" && len(f.texts) > 0:
		return nil, 0, console.Wrong("--prompt and --prompts: one of them")
	case f.prompts == "-":
		return nil, 0, console.Wrong("--prompts -: must be a file, since it is read more than once")
	case len(f.texts) > 0:
		set := prompts.Of(f.texts...)
		return set, len(f.texts), nil
	case f.prompts == "":
		return nil, 0, console.Wrong("no prompts: --prompts FILE, or --prompt TEXT")
	}
	set, err := prompts.File(f.prompts, f.allowCmd)
	var n int
	if err == nil {
		n, err = set.Check()
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = console.FileError(f.prompts, path)
		return nil, 0, console.Wrong("--prompts %w", err)
	}
	if err != nil {
		return nil, 0, console.Wrongly(console.Flagged("--prompts "+f.prompts+":", err))
	}
	return set, n, nil
}

// writeSet writes the prompts that were read.
func (s bencher) writeSet(f *benchFlags, set *prompts.Set, n int) error {
	out := bufio.NewWriter(s.Sys.Out)
	var err error
	if f.format == "jsonl" {
		err = set.Each(func(_ int, p prompts.Prompt) error { return console.WriteLine(out, p) })
	} else {
		checked := 0
		err = set.Each(func(_ int, p prompts.Prompt) error {
			if len(p.Expect) > 0 {
				checked++
			}
			return nil
		})
		fmt.Fprintf(out, "%s, %d with checks\n", viz.Plural(n, "prompt"), checked)
	}
	return console.Flushed(out, err)
}

// options reads the flags that say how a bench is run and reported.
func (f *benchFlags) options(s bencher) (opt bench.Options, sum bench.SummaryOptions, write bench.WriteOptions, err error) {
	switch {
	case f.seeds < 1 || f.seeds > maxSeeds:
		err = console.Wrong("--seeds %d: 1 to %d", f.seeds, maxSeeds)
	case f.workers < 0:
		err = console.Wrong("--workers %d: 1 or more, or 0 for one for each core", f.workers)
	case !(f.holdout >= 0 && f.holdout < 1):
		err = console.Wrong("--holdout %g: 0 or more, below 1", f.holdout)
	}
	for _, k := range f.passAt {
		if k < 1 && err == nil {
			err = console.Wrong("--pass-at %d: 1 or more", k)
		}
	}
	if err != nil {
		return opt, sum, write, err
	}
	opt = bench.Options{Dir: cmp.Or(f.dir, filepath.Join(console.CacheDir(s.Sys), "bench")), Fresh: f.fresh, Workers: f.workers}
	if opt.Name = strings.Join(f.texts, "\x00"); f.prompts != "" {
		if opt.Name, err = filepath.Abs(f.prompts); err != nil {
			return opt, sum, write, err
		}
	}
	tokens, seconds := 0.0, 0.0
	if err = pairs("--budget", f.budget, false, map[string]*float64{"tokens": &tokens, "seconds": &seconds}); err != nil {
		return opt, sum, write, err
	}
	opt.Budget = bench.Budget{Tokens: int64(math.Ceil(tokens)), Time: time.Duration(min(seconds, maxSeconds) * float64(time.Second))}
	sum = bench.SummaryOptions{Holdout: f.holdout, PassAt: f.passAt}
	write.Times = f.times
	if f.price != "" {
		write.Price = &bench.Price{}
		err = pairs("--price", f.price, true, map[string]*float64{"in": &write.Price.In, "out": &write.Price.Out})
	}
	return opt, sum, write, err
}

// maxPair is the most a number of a flag's pairs may be, maxSeconds the longest
// time that is told from it.
const (
	maxPair    = 1e15
	maxSeconds = 1e9
)

// pairs reads the key=number pairs of a flag; some allow a zero.
func pairs(flag, text string, zero bool, to map[string]*float64) error {
	if text == "" {
		return nil
	}
	must := "0 or more"
	if !zero {
		must = "above 0"
	}
	for pair := range strings.SplitSeq(text, ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
		x, err := strconv.ParseFloat(value, 64)
		if to[key] == nil || err != nil || !(x >= 0 && x <= maxPair) || x == 0 && !zero {
			names := make([]string, 0, len(to))
			for name := range to {
				names = append(names, name+"=NUMBER")
			}
			slices.Sort(names)
			return console.Wrong("%s %s: must be %s, %s", flag, text, strings.Join(names, " or "), must)
		}
		*to[key] = x
	}
	return nil
}
