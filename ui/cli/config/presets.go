package config

import (
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"logitscope/presets"
	"logitscope/sampling"
	"logitscope/ui/cli/console"
	"logitscope/ui/cli/setup"
	"logitscope/ui/store"
	"logitscope/viz"
)

func newConfigPresets(sys console.System) *cobra.Command {
	list := func(*cobra.Command, []string) error { return listPresets(sys) }
	cmd := &cobra.Command{
		Use:   "presets",
		Short: "list, save, rename and delete presets of your own",
		Long: `Presets lists the presets that --preset takes: the built-in ones, and your own,
which are files in the platform's config folder. What is deleted or written over
is kept until the next of that name: restore brings it back.`,
		Example: `  logitscope config presets
  logitscope config presets save mine --preset chat --temperature 0.6 --about "for support"
  logitscope config presets rename mine support
  logitscope config presets delete support
  logitscope config presets restore support`,
		Args: console.NoArgs,
		RunE: list,
	}
	cmd.AddCommand(
		&cobra.Command{Use: "list", Short: "list the presets, built-in and your own", Args: console.NoArgs, RunE: list, Example: "  logitscope config presets list"},
		newPresetsSave(sys), newPresetsRename(sys), newPresetsDelete(sys), newPresetsRestore(sys),
	)
	return cmd
}

// listPresets prints the presets; a broken file is named on standard error.
func listPresets(sys console.System) error {
	own, problems := setup.OwnPresets(sys)
	w := tabwriter.NewWriter(sys.Out, 0, 0, 2, ' ', 0)
	for i, p := range append(presets.Builtin(), own...) {
		kind := "built-in"
		if i >= len(presets.Names()) {
			kind = "yours"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", viz.Printable(p.Name, false), kind, viz.Printable(p.About, false))
	}
	for _, err := range problems {
		console.Complain(sys.Err, err)
	}
	return w.Flush()
}

func newPresetsSave(sys console.System) *cobra.Command {
	var about string
	var force bool
	cmd := &cobra.Command{
		Use:   "save NAME",
		Short: "save settings as a preset of your own",
		Long: `Save writes the settings of --preset, --config, --set and the flags of parameters
as a preset that --preset NAME takes from then on, and prints the path of its file.`,
		Example: `  logitscope config presets save mine --preset chat --temperature 0.6
  logitscope config import Modelfile | logitscope config presets save support --config -`,
	}
	s := setup.Add(sys, cmd)
	cmd.Flags().StringVar(&about, "about", "", "one line that the list shows")
	cmd.Flags().BoolVar(&force, "force", false, "write over a preset of that name")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return console.Wrong("config presets save: want one name")
		}
		if err := store.CheckName(args[0]); err != nil {
			return console.Wrongly(err)
		}
		err := s.Undecoded("nothing is decoded")
		if err == nil {
			err = console.Unused(s.FlagSet, "a preset is of no model", "model")
		}
		if err != nil {
			return err
		}
		cfg, err := s.Settings(cmd.Context(), sampling.Config{})
		if err != nil {
			return err
		}
		if len(cfg.Keys()) == 0 {
			return console.Wrong("config presets save: nothing is set; --preset, --config, --set key=value and the flags of parameters set something")
		}
		path, err := setup.UserPresets(sys).Save(presets.Preset{Name: args[0], About: about, Config: cfg}, force)
		return presetDone(sys, path, err)
	}
	return cmd
}

// presetDone prints the file of a preset, or says how to write over one.
func presetDone(sys console.System, path string, err error) error {
	if errors.Is(err, store.ErrExists) {
		return console.Wrong("%v; --force writes over it", err)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(sys.Out, path)
	return err
}

func newPresetsRename(sys console.System) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:     "rename NAME NEW",
		Short:   "give a preset of your own another name",
		Example: "  logitscope config presets rename mine support",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return console.Wrong("config presets rename: want the name and the new name")
			}
			if err := store.CheckName(args[1]); err != nil {
				return console.Wrongly(err)
			}
			if err := hasPreset(sys, args[0]); err != nil {
				return err
			}
			path, err := setup.UserPresets(sys).Rename(args[0], args[1], force)
			return presetDone(sys, path, err)
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "write over a preset of the new name")
	return cmd
}

func newPresetsDelete(sys console.System) *cobra.Command {
	return &cobra.Command{
		Use:     "delete NAME",
		Short:   "delete a preset of your own; restore brings it back",
		Example: "  logitscope config presets delete mine",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return console.Wrong("config presets delete: want one name")
			}
			if err := hasPreset(sys, args[0]); err != nil {
				return err
			}
			if err := setup.UserPresets(sys).Delete(args[0]); err != nil {
				return err
			}
			_, err := fmt.Fprintf(sys.Err, "deleted %s; logitscope config presets restore %s brings it back\n", args[0], args[0])
			return err
		},
	}
}

func newPresetsRestore(sys console.System) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:     "restore NAME",
		Short:   "bring back the preset of that name that was deleted or written over last",
		Example: "  logitscope config presets restore mine",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return console.Wrong("config presets restore: want one name")
			}
			path, err := setup.UserPresets(sys).Restore(args[0], force)
			if err != nil && !errors.Is(err, store.ErrExists) {
				return console.Wrongly(err)
			}
			return presetDone(sys, path, err)
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "put it in the place of the preset that has the name now")
	return cmd
}

// hasPreset returns the wrong use it is to name a preset that is not the
// user's.
func hasPreset(sys console.System, name string) error {
	return console.Wrongly(setup.UserPresets(sys).Has(name))
}
