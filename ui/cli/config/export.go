package config

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"logitscope/engine"
	"logitscope/engine/compare"
	"logitscope/models"
	"logitscope/presets/exchange"
	"logitscope/sampling"
	"logitscope/ui/cli/console"
	"logitscope/ui/cli/laws"
	"logitscope/ui/cli/setup"
	"logitscope/viz"
)

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
