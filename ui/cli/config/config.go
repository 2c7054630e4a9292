// Package config answers: which settings are kept, and how do other engines say
// them? Config shows, exports, imports and stores them; Storage lists what the
// program keeps on disk.
package config

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"logitscope/engine"
	"logitscope/presets"
	"logitscope/sampling"
	"logitscope/sampling/param"
	"logitscope/ui/cli/console"
	"logitscope/ui/cli/setup"
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
