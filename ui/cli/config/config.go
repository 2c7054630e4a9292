// Package config answers: which settings are kept, and how do other engines say
// them? Config shows, exports, imports and stores them; Storage lists what the
// program keeps on disk.
package config

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"logitscope/engine"
	"logitscope/engine/compare"
	"logitscope/models"
	"logitscope/presets"
	"logitscope/presets/exchange"
	"logitscope/sampling"
	"logitscope/sampling/param"
	"logitscope/ui/cli/console"
	"logitscope/ui/cli/laws"
	"logitscope/ui/cli/setup"
	"logitscope/ui/store"
	"logitscope/viz"
)

// Config returns the command config.
func Config(sys console.System) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "show, export, import and compare settings",
		Long: `Config works on settings without decoding: show prints what is in force and who
set it; export writes them for another engine with a list of what does not
translate; import reads another engine's; diff compares two; presets lists them.`,
		Args: console.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return console.Wrong("config needs a command: show, export, import, diff, presets")
		},
	}
	cmd.AddCommand(newConfigShow(sys), newConfigExport(sys), newConfigImport(sys), newConfigDiff(sys), newConfigPresets(sys))
	return cmd
}

func newConfigShow(sys console.System) *cobra.Command {
	var asJSON, all bool
	cmd := &cobra.Command{
		Use:   "show",
		Short: "every setting: what was asked for, what is in force, and who set it",
		Example: `  logitscope config show --preset chat
  logitscope config show --config tuner.json --order vllm`,
		Args: console.NoArgs,
	}
	s := setup.Add(sys, cmd)
	cmd.Flags().BoolVar(&asJSON, "as-file", false, "the settings that are set, as a file that --config reads")
	cmd.Flags().BoolVar(&all, "all", false, "also the parameters that few need")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := s.Undecoded("nothing is decoded"); err != nil {
			return err
		}
		cfg, model, err := s.ModelConfiguration(cmd.Context())
		if err != nil {
			return err
		}
		if asJSON {
			return presets.Encode(sys.Out, presets.Preset{Name: s.Label(), Config: cfg})
		}
		p, err := sampling.Compile(cfg, nil)
		if err != nil {
			return console.Wrongly(err)
		}
		return showEffective(sys.Out, engine.Effective(p, model, 0), p.Adjusted(), all)
	}
	return cmd
}

// showEffective prints the table of effective values.
func showEffective(out io.Writer, list []sampling.Effective, notes []sampling.Note, all bool) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "parameter\tasked\tin force\tfrom\tnote")
	for _, e := range list {
		param, _ := param.Lookup(e.Key)
		if param.Hidden && !all && !e.AskedSet {
			continue
		}
		asked := "–"
		if e.AskedSet {
			asked = param.Format(e.Asked)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", e.Key, console.Visible(asked), console.Visible(param.Format(e.InForce)), e.OriginText, e.Note)
	}
	for _, n := range notes {
		fmt.Fprintln(w, n.Text)
	}
	return w.Flush()
}

func newConfigExport(sys console.System) *cobra.Command {
	var to, form string
	var strict, check bool
	cmd := &cobra.Command{
		Use:   "export --to FORMAT",
		Short: "settings in another engine's words, and what does not translate",
		Long: `Export writes the settings for another engine on standard output. What does not
translate goes to standard error, each with its consequence. With --check the
prompt is decoded and its last 64 steps are put through the target's own rules.
Formats: ` + strings.Join(exchange.TargetNames(), ", ") + `.`,
		Example: `  logitscope config export --preset chat --to llama.cpp
  logitscope config export --config tuner.json --to vllm-python --strict
  logitscope config export --preset chat --to ollama --check --prompt "Once upon a time"`,
		Args: console.NoArgs,
	}
	s := setup.Add(sys, cmd)
	f := cmd.Flags()
	f.StringVar(&to, "to", "", "target: "+strings.Join(exchange.TargetNames(), ", "))
	f.BoolVar(&strict, "strict", false, "exit 1 if anything is lost")
	f.BoolVar(&check, "check", false, "decode the prompt and compare the last 64 steps")
	addReport(cmd, &form, "one JSON object with content, losses and check")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		target, err := exchange.TargetNamed(to)
		if err != nil {
			return console.Wrong("--to %v", err)
		}
		if err := checkReport(form); err != nil {
			return err
		}
		if !check {
			if err := s.Undecoded("only --check decodes"); err != nil {
				return err
			}
		}
		cfg, _, err := s.ModelConfiguration(cmd.Context())
		if err != nil {
			return err
		}
		if cfg, err = withIDs(cmd.Context(), s, cfg); err != nil {
			return err
		}
		x, err := exchange.Export(cfg, target)
		if err != nil {
			return err
		}
		for _, key := range setup.IdleFlags(cfg) {
			x.Lost = append(x.Lost, exchange.Loss{Key: key, Reason: exchange.Unused, Text: cfg.Order().Name() + ", whose rules these settings are under, has none; --order takes another engine's"})
		}
		var c *compare.Check
		if check {
			if c, err = checkExport(cmd.Context(), s, x.Config); err != nil {
				return err
			}
		}
		if err := printExport(sys, x, c, form != ""); err != nil {
			return err
		}
		for _, l := range x.Lost {
			if strict && l.Lossy() {
				return &console.ExitError{Code: console.ExitFailed}
			}
		}
		return nil
	}
	return cmd
}

// addReport adds --report json to a command.
func addReport(cmd *cobra.Command, form *string, help string) {
	cmd.Flags().StringVar(form, "report", "", help+": json")
}

func checkReport(form string) error {
	if form != "" && form != "json" {
		return console.Wrong("--report %q: must be json", form)
	}
	return nil
}

// A configCheck is the check of an export as its report has it.
type configCheck struct {
	Steps     int     `json:"steps"`
	MeanTV    float64 `json:"mean_tv"`
	LargestTV float64 `json:"largest_tv"`
	LargestAt int     `json:"largest_at"` // step, from 1; 0 if there is none
	laws.Distance
	Same      int `json:"same_token"`
	FirstDiff int `json:"first_difference"` // step, from 1; 0 if there is none
}

func checkOf(c *compare.Check) *configCheck {
	if c == nil {
		return nil
	}
	out := configCheck{Steps: c.Steps, LargestTV: c.LargestTV, LargestAt: c.LargestAt, Distance: laws.Of(&c.Distances), Same: c.Same, FirstDiff: c.FirstDiff}
	if c.Steps > 0 {
		out.MeanTV = c.TV()
	}
	return &out
}

// printExport prints an export.
func printExport(sys console.System, x exchange.Exported, c *compare.Check, asJSON bool) error {
	if asJSON {
		lost := x.Lost
		if lost == nil {
			lost = []exchange.Loss{}
		}
		return console.WriteLine(sys.Out, map[string]any{"to": x.Target.Name, "checked": x.Target.Checked, "content": x.Text, "lost": lost, "check": checkOf(c)})
	}
	if _, err := io.WriteString(sys.Out, x.Text); err != nil {
		return err
	}
	if x.Target.Checked != "" {
		fmt.Fprintf(sys.Err, "written as %s reads it (%s)\n", x.Target.Format.Name, x.Target.Checked)
	}
	if len(x.Lost) > 0 {
		fmt.Fprintln(sys.Err, exchange.LostTitle(len(x.Lost)))
		w := tabwriter.NewWriter(sys.Err, 0, 0, 2, ' ', 0)
		for _, l := range x.Lost {
			fmt.Fprintf(w, "  %s\t%s\n", l.Key, console.Visible(l.Text))
		}
		w.Flush()
	}
	if c == nil {
		return nil
	}
	fmt.Fprintf(sys.Err, "check: the last %d steps under %s\n", c.Steps, x.Target.Rules())
	fmt.Fprintf(sys.Err, "  mean total variation %.3f · largest %.3f at step %d\n", c.TV(), c.LargestTV, c.LargestAt)
	fmt.Fprintf(sys.Err, "  KL %s, back %s · same best token in %d of %d\n", viz.Divergence(c.KLab(), c.ImpossibleAB, c.Steps), viz.Divergence(c.KLba(), c.ImpossibleBA, c.Steps), c.SameTop, c.Steps)
	fmt.Fprintf(sys.Err, "  same token in %d of %d (same luck)", c.Same, c.Steps)
	if c.FirstDiff > 0 {
		fmt.Fprintf(sys.Err, "; first another at step %d", c.FirstDiff)
	}
	fmt.Fprintln(sys.Err)
	return nil
}

// checkSteps is how many steps an export is checked on.
const checkSteps = 64

// checkExport decodes the prompt and puts the last steps through the target's
// configuration.
func checkExport(ctx context.Context, s *setup.Flags, target sampling.Config) (*compare.Check, error) {
	j, err := s.Prepare(ctx)
	if err != nil {
		return nil, err
	}
	defer j.Release(ctx)
	if len(j.Prompt) == 0 {
		return nil, console.Wrong("--check needs a prompt: --prompt, --prompt-file or --prompt-tokens")
	}
	other, err := j.Compiler.Settings(target, "")
	if err != nil {
		return nil, err
	}
	var k keeper
	// Rows are dropped in blocks: room for the steps that are checked and more.
	opt := engine.Options{Draft: j.Draft, LogitsBudget: 4 * checkSteps * 4 * int64(j.Model.Info().VocabSize)}
	if err := j.Decode(ctx, &k, opt); err != nil {
		return nil, err
	}
	c, err := compare.Against(k.last, j.Settings, other, checkSteps)
	return &c, err
}

// withIDs returns cfg with the token ids of texts that have a bias, where a
// model was named: few formats take texts.
func withIDs(ctx context.Context, s *setup.Flags, cfg sampling.Config) (sampling.Config, error) {
	if _, ok := cfg.Lookup("logit_bias"); !ok || !s.FlagSet.Changed("model") {
		return cfg, nil
	}
	m, err := s.Open(ctx, "--model", s.Model)
	if err != nil {
		return cfg, err
	}
	defer m.Close()
	return exchange.WithIDs(cfg, func(text string) []int32 { return m.Vocab().Encode(text, models.EncodeOptions{}) }), nil
}

// A keeper is a sink that keeps the newest view.
type keeper struct{ last engine.View }

func (k *keeper) Begin() error             { return nil }
func (k *keeper) View(v engine.View) error { k.last = v; return nil }
func (k *keeper) End(v engine.View) error  { k.last = v; return nil }

func newConfigImport(sys console.System) *cobra.Command {
	var from, name, form string
	var strict bool
	var call int
	cmd := &cobra.Command{
		Use:   "import [FILE]",
		Short: "settings of another engine, as this program's own",
		Long: `Import reads settings in another engine's words, from a file or standard input,
and writes them as a file that --config reads: Python, JSON, curl and other
command lines, environment, compose, unit, INI and YAML files, Modelfiles. From
a model file (.gguf) it reads the settings that the file recommends. What can be
read is read; what is implied, set aside, not modelled, unread or unknown is
listed on standard error, never dropped in silence.`,
		Example: `  logitscope config import generation_config.json > mine.json
  echo "llama-cli -m x.gguf --temp 0.8 --top-k 40" | logitscope config import
  logitscope config import serve.py --call 2 --strict
  logitscope config import Modelfile --from ollama --name mine`,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return console.Wrong("config import: one file, or standard input")
			}
			file := "-"
			if len(args) == 1 {
				file = args[0]
			}
			if err := checkReport(form); err != nil {
				return err
			}
			if call < 1 {
				return console.Wrong("--call %d: must be 1 or more", call)
			}
			if err := store.CheckName(name); err != nil {
				return console.Wrong("--name %v", err)
			}
			opt := exchange.Options{Call: call}
			if from != "" {
				var err error
				if opt.From, err = exchange.FormatNamed(from); err != nil {
					return console.Wrong("--from %v", err)
				}
			}
			in, err := setup.ImportFile(sys, file, opt)
			if err != nil {
				return console.Wrongly(err)
			}
			if form != "" {
				err = console.WriteLine(sys.Out, in.Report())
			} else {
				tell(sys.Err, in)
				err = presets.Encode(sys.Out, presets.Preset{Name: name, About: "from " + in.Format.Name, Config: in.Config})
			}
			if err != nil || !strict {
				return err
			}
			return in.Strict()
		},
	}
	f := cmd.Flags()
	f.StringVar(&from, "from", "", "format, where it cannot be told: "+strings.Join(exchange.FormatNames(), ", "))
	f.StringVar(&name, "name", "imported", "name of the preset written")
	f.BoolVar(&strict, "strict", false, "exit 1 if anything is unread or unknown")
	f.IntVar(&call, "call", 1, "which of several calls or commands of the file to read")
	addReport(cmd, &form, "one JSON object with all that was read and was not")
	return cmd
}

// tell lists what an import did beyond the settings themselves.
func tell(w io.Writer, in *exchange.Imported) {
	fmt.Fprintf(w, "read as %s\n", in.Format.About)
	implied := make([]string, len(in.Implied))
	for i, key := range in.Implied {
		p, _ := param.Lookup(key)
		implied[i] = key + " " + p.Format(in.Config.Value(key))
	}
	for _, u := range in.Unread {
		fmt.Fprintln(w, console.Visible(u.String()))
	}
	for _, x := range []struct {
		what string
		list []string
	}{
		{"implied, since nothing says otherwise", implied}, {"note", in.Notes}, {"acts on tokens and is not modelled here", setup.Words(in.Acts)},
		{"set aside (chooses no token as it stands)", setup.Words(in.Aside)}, {"unknown", setup.Words(in.Unknown)},
	} {
		if len(x.list) > 0 {
			fmt.Fprintf(w, "%s: %s\n", x.what, console.Visible(strings.Join(x.list, ", ")))
		}
	}
}

func newConfigDiff(sys console.System) *cobra.Command {
	return &cobra.Command{
		Use:   "diff A B",
		Short: "two settings by effective value, in words",
		Long: `Diff compares two files in any of the formats, or presets, by the values in
force, and says what the engine of each makes of the other's.`,
		Example: `  logitscope config diff chat creative
  logitscope config diff generation_config.json Modelfile`,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return console.Wrong("config diff: want two files or presets")
			}
			var cfg [2]sampling.Config
			for i, name := range args {
				var err error
				if cfg[i], err = anyConfig(sys, name); err != nil {
					return console.Wrongly(err)
				}
			}
			for _, line := range presets.Diff(cfg[0], cfg[1], "A", "B") {
				if _, err := fmt.Fprintln(sys.Out, console.Visible(line)); err != nil {
					return err
				}
			}
			for i, name := range []string{"A", "B"} {
				if err := tellOther(sys.Out, name, cfg[i], cfg[1-i].Order()); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// tellOther says what the engine of an order makes of settings that are meant
// for another.
func tellOther(w io.Writer, name string, c sampling.Config, o sampling.Order) error {
	i := slices.IndexFunc(exchange.Targets(), func(t *exchange.Target) bool { return t.Format.Engine == o.Engine() })
	if i < 0 || o.Engine() == c.Order().Engine() {
		return nil
	}
	x, err := exchange.Export(c, exchange.Targets()[i])
	if err != nil {
		return err
	}
	x.Lost = slices.DeleteFunc(x.Lost, func(l exchange.Loss) bool { return !l.Lossy() })
	if len(x.Lost) == 0 {
		_, err := fmt.Fprintf(w, "%s makes the same of %s\n", o.Engine(), name)
		return err
	}
	fmt.Fprintf(w, "what %s makes of %s:\n", o.Engine(), name)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, l := range x.Lost {
		fmt.Fprintf(t, "  %s\t%s\n", l.Key, console.Visible(l.Text))
	}
	return t.Flush()
}

// anyConfig reads a preset or a file.
func anyConfig(sys console.System, name string) (sampling.Config, error) {
	p, err := setup.FindPreset(sys, name)
	if err == nil {
		return p.Config, nil
	}
	if _, err := os.Stat(name); os.IsNotExist(err) && name != "-" {
		return sampling.Config{}, fmt.Errorf("%s: no such file, and no such preset; %s", name, setup.PresetNames(sys))
	}
	in, err := setup.ImportFile(sys, name, exchange.Options{})
	if err != nil {
		return sampling.Config{}, err
	}
	return in.Config, nil
}
