package measure

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"logitscope/engine/bench"
	"logitscope/engine/bench/prompts"
	"logitscope/engine/stats"
	"logitscope/sampling"
	"logitscope/ui/cli/console"
	"logitscope/ui/cli/report"
	"logitscope/ui/cli/setup"
	"logitscope/viz"
)

// tuneFlags are the flags of tune beside those of bench.
type tuneFlags struct {
	benchFlags
	over               []string
	maximise, minimise string
	subject            []string
	tried              int
}

// Tune returns the command tune.
func Tune(sys console.System) *cobra.Command {
	var f tuneFlags
	cmd := &cobra.Command{
		Use:   "tune --prompts FILE --over KEY=FROM:TO …",
		Short: "search for the settings that do best on your prompts",
		Long: `Tune searches by successive halving: it starts from settings spread evenly over
the ranges, adds prompts round by round, and drops settings only when their
paired interval says that they do worse than the best. It ends with the best
settings, those not distinguishable from them, what each parameter does, the
simplest settings that are as good, the result on prompts held out, and how to
export the choice to a deployment. The same --seed gives the same search.`,
		Example: `  logitscope tune --prompts set.csv --over temperature=0.1:1.3 --over top_p=0.7:1 --maximise pass
  logitscope tune --prompts set.csv --preset chat --over repetition_penalty=1:1.3 --subject 'loop<=0.01' --budget tokens=200000`,
		Args: console.NoArgs,
	}
	s := bencher{setup.AddDecoding(sys, cmd)}
	s.OwnConfigs, s.Patience = true, benchPatience
	flags := cmd.Flags()
	f.addPrompts(flags, s)
	f.addRunning(flags)
	flags.StringArrayVar(&f.configs, "config", nil, "a preset's name or a file with settings to start from")
	console.Reads(flags, "a preset or a file", "config")
	flags.StringArrayVar(&f.over, "over", nil, "a range: KEY=FROM:TO or KEY=VALUE,VALUE,…; may be repeated")
	flags.StringVar(&f.maximise, "maximise", "", "metric to make large; pass unless --minimise names one")
	flags.StringVar(&f.minimise, "minimise", "", "metric to make small")
	flags.StringArrayVar(&f.subject, "subject", nil, "a bound on a metric, as 'loop<=0.01'; may be repeated")
	flags.IntVar(&f.tried, "tried", 0, "settings at the start; 0 is 8 for each range, 16 at least")
	flags.IntVar(&f.seeds, "seeds", 2, "texts for each prompt and config")
	flags.Float64Var(&f.holdout, "holdout", 0.3, "share of the prompts that the choice does not see")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return s.tune(cmd.Context(), &f) }
	return cmd
}

// tune runs the search and prints what it found.
func (s bencher) tune(ctx context.Context, f *tuneFlags) error {
	if len(f.configs) > 1 {
		return console.Wrong("--config: given %d times; tune starts from one", len(f.configs))
	}
	set, _, err := s.promptSet(&f.benchFlags)
	if err != nil {
		return err
	}
	opt, _, _, err := f.options(s)
	if err != nil {
		return err
	}
	search, err := f.search()
	if err != nil {
		return err
	}
	err = set.Each(func(_ int, p prompts.Prompt) error {
		if search.Prompts = append(search.Prompts, p); len(search.Prompts) > maxTuned {
			return console.Wrong("--prompts %s: more than %d prompts; a search takes a part of them", f.prompts, maxTuned)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if n := search.Seen(); n < bench.LeastPrompts {
		return console.Wrong("--holdout %g: leaves %d of %s to choose by; must be %d or more", f.holdout, n, viz.Plural(len(search.Prompts), "prompt"), bench.LeastPrompts)
	}
	p, all, err := s.benchPlan(ctx, &f.benchFlags)
	defer func() {
		if ctx.Err() == nil {
			all.close()
		}
	}()
	if err != nil {
		return err
	}
	search.Backend, search.Base, search.Checks, search.Seeds = p.Configs[0].Backend, p.Configs[0].Config, p.Checks, p.Seeds
	search.Chat, search.Seed = s.Talk.Chat, search.Base.Uint("seed")
	s.TellNotes()
	bar := newProgressBar(s.Sys)
	opt.Progress = bar.show
	found, err := bench.Tune(ctx, search, opt)
	bar.End()
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return bar.interrupted(opt.Dir)
	}
	if errors.Is(err, bench.ErrBudget) {
		return fmt.Errorf("--budget %s: %w", f.budget, err)
	}
	if err != nil {
		return f.runError(opt.Dir, err)
	}
	out := bufio.NewWriter(s.Sys.Out)
	return console.Flushed(out, writeTuned(out, search, found))
}

// maxTuned is the most prompts a search holds.
const maxTuned = 10_000

// search reads the flags that say what is searched for.
func (f *tuneFlags) search() (*bench.Search, error) {
	out := &bench.Search{Configs: f.tried, Holdout: f.holdout, Less: f.minimise != ""}
	if len(f.over) == 0 {
		return nil, console.Wrong("tune needs a range or more: --over temperature=0.1:1.3")
	}
	for _, spec := range f.over {
		r, err := bench.ParseRange(spec)
		if err != nil {
			return nil, console.Wrong("--over %v", err)
		}
		for _, old := range out.Over {
			if old.Key == r.Key {
				return nil, console.Wrong("--over %s: given twice", r.Key)
			}
		}
		out.Over = append(out.Over, r)
	}
	if f.tried < 0 || f.tried > bench.MaxCells {
		return nil, console.Wrong("--tried %d: 0 to %d", f.tried, bench.MaxCells)
	}
	key, flag := f.maximise, "--maximise"
	switch {
	case f.maximise != "" && f.minimise != "":
		return nil, console.Wrong("--maximise and --minimise: one of them")
	case f.minimise != "":
		key, flag = f.minimise, "--minimise"
	case key == "":
		key = "pass"
	}
	if out.Metric = bench.MetricNamed(key); out.Metric < 0 || bench.Metrics()[out.Metric].Quantity.More == "" {
		var keys []string
		for _, m := range bench.Metrics() {
			if m.Quantity.More != "" {
				keys = append(keys, m.Key)
			}
		}
		return nil, console.Wrong("%s %s: must be one of %s", flag, key, strings.Join(keys, ", "))
	}
	for _, text := range f.subject {
		b, err := bench.ParseBound(text)
		if err != nil {
			return nil, console.Wrong("--subject %v", err)
		}
		out.Subject = append(out.Subject, b)
	}
	return out, nil
}

// writeTuned prints what a search found.
func writeTuned(out io.Writer, search *bench.Search, found *bench.Tuned) error {
	m := bench.Metrics()[search.Metric]
	value := func(e stats.Estimate) string { return report.FormatCounted(e, &m, e.N) }
	var rounds []string
	for _, n := range found.Rounds {
		rounds = append(rounds, fmt.Sprint(n))
	}
	fmt.Fprintf(out, "%s, rounds of %s prompts, %s\n\n", viz.Plural(len(found.Trials)-1, "config"), strings.Join(rounds, ", "), viz.Plural(found.Texts, "text"))
	if found.Stopped {
		fmt.Fprintf(out, "stopped by --budget; what follows is of the rounds that were finished\n\n")
	}
	best := found.Trials[found.Best]
	fmt.Fprintf(out, "best: %s: %s %s over %d prompts\n", console.Visible(best.Name), m.Label, value(best.Value), best.Value.N)
	if !best.Bounds {
		fmt.Fprintf(out, "no settings keep the bounds: %s\n", strings.Join(boundWords(search.Subject), ", "))
	}
	if n := len(found.Equal) - 1; n > 0 {
		fmt.Fprintf(out, "not distinguishable from it, %d of them, the simplest first:\n", n)
		shown := 0
		for _, i := range found.Equal {
			if x := found.Trials[i]; i != found.Best && shown < 8 {
				fmt.Fprintf(out, "  %s: %s\n", console.Visible(x.Name), value(x.Value))
				shown++
			}
		}
		if n > 8 {
			fmt.Fprintf(out, "  and %d more\n", n-8)
		}
	}
	for i := range found.Influence {
		fmt.Fprintln(out, influenceWords(&found.Influence[i], m.Quantity))
	}
	if n := len(found.Influence); n > 0 {
		fmt.Fprintf(out, "%d moves of one parameter against the best: p is adjusted by Holm\n", 2*n)
	}
	if found.Simplest.Name == "" || found.Gain.Diff.N == 0 {
		return nil
	}
	if !found.Simplest.Bounds {
		fmt.Fprintln(out, "\nchosen: none, since none keeps the bounds")
		return nil
	}
	fmt.Fprintf(out, "\nchosen: %s: %s\n", console.Visible(found.Simplest.Name), value(found.Simplest.Value))
	held := ""
	switch {
	case found.Simplest.Base:
		fmt.Fprintln(out, "nothing that was tried is known to do better than the base")
	default:
		fmt.Fprintln(out, found.Gain.Sentence("against the base, it", m.Quantity))
		if found.Held != nil {
			held = "; " + found.Held.Sentence("it", m.Quantity)
		}
	}
	switch {
	case found.Held != nil:
		fmt.Fprintf(out, "on prompts held out: %s%s\n", value(found.HeldValue), held)
	case search.Holdout > 0 && !found.Stopped:
		fmt.Fprintf(out, "held out: %s, too few to compare on\n", viz.Plural(found.HeldOut, "prompt"))
	}
	pairs, err := settingPairs(found.Simplest.Config)
	if err != nil {
		return err
	}
	fmt.Fprint(out, "\nwrite it out: logitscope config export --to vllm")
	for _, pair := range pairs {
		fmt.Fprintf(out, " --set %s", report.ShellWord(pair))
	}
	_, err = fmt.Fprintln(out)
	return err
}

func boundWords(bounds []bench.Bound) []string {
	var out []string
	for _, b := range bounds {
		sign := ">="
		if b.Most {
			sign = "<="
		}
		out = append(out, fmt.Sprintf("%s%s%g", bench.Metrics()[b.Metric].Key, sign, b.Value))
	}
	return out
}

// influenceWords says what a parameter does to the best settings.
func influenceWords(i *bench.Influence, q stats.Quantity) string {
	if i.Same[0] && i.Same[1] {
		return fmt.Sprintf("%s does nothing here: from %v to %v the texts are the same", i.Key, i.Ends[0], i.Ends[1])
	}
	what := "matters"
	if i.Idle() {
		what = "has no certain effect here"
	}
	return fmt.Sprintf("%s %s: instead of %v, at %v %s, at %v %s", i.Key, what, i.Value, i.Ends[0], i.Moved[0].Between(q), i.Ends[1], i.Moved[1].Between(q))
}

// settingPairs writes settings as --set reads them, key=value: every value as
// JSON, a text as it is.
func settingPairs(cfg sampling.Config) (pairs []string, err error) {
	data, err := json.Marshal(cfg.Without("seed"))
	var values map[string]json.RawMessage
	if err == nil {
		err = json.Unmarshal(data, &values)
	}
	if err != nil {
		return nil, err
	}
	for _, key := range cfg.Without("seed").Keys() {
		text := string(values[key])
		var s string
		if json.Unmarshal(values[key], &s) == nil {
			text = s
		}
		pairs = append(pairs, key+"="+text)
	}
	return pairs, nil
}
