package config

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"logitscope/ui/cli/console"
	"logitscope/ui/store"
	"logitscope/viz"
)

// Storage returns the command storage.
func Storage(sys console.System) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "storage",
		Short: "list or delete what the program keeps on disk",
		Long: `Storage lists what the program keeps on disk: where, how much, and how old. It
has a folder for settings, one for what can be made or fetched again, and one for
its keys; LOGITSCOPE_CONFIG_DIR, LOGITSCOPE_CACHE_DIR and LOGITSCOPE_STATE_DIR name
others. Recordings, reports and exports are where you wrote them and are not listed.`,
		Example: `  logitscope storage
  logitscope storage delete history sweeps`,
		Args: console.NoArgs,
		RunE: func(*cobra.Command, []string) error { return listStorage(sys) },
	}
	cmd.AddCommand(newStorageDelete(sys))
	return cmd
}

func kinds(sys console.System) []store.Kind {
	return store.Kinds(console.ConfigDir(sys), console.CacheDir(sys), console.StateDir(sys))
}

func listStorage(sys console.System) error {
	w := tabwriter.NewWriter(sys.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "name\twhat\tfiles\tsize\toldest\tnewest\twhere")
	for _, k := range kinds(sys) {
		u, err := k.Usage()
		if err != nil {
			return err
		}
		if len(k.Paths) == 0 {
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\t%s\n", k.Name, k.About, u.Files, viz.Bytes(u.Bytes), day(u.Oldest), day(u.Newest), console.Visible(k.Paths[0]))
	}
	return w.Flush()
}

// day is when a file was written, "–" for never.
func day(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return t.Format(time.DateOnly)
}

func newStorageDelete(sys console.System) *cobra.Command {
	return &cobra.Command{
		Use:   "delete NAME …",
		Short: "delete some of what is kept, or all of it",
		Example: `  logitscope storage delete history
  logitscope storage delete all`,
		RunE: func(_ *cobra.Command, args []string) error {
			all := kinds(sys)
			names := []string{"all"}
			for _, k := range all {
				names = append(names, k.Name)
			}
			if len(args) == 0 {
				return console.Wrong("storage delete: name what to delete: %s", strings.Join(names, ", "))
			}
			for _, a := range args {
				if !slices.Contains(names, a) {
					return console.Wrong("storage delete %s: must be one of %s", viz.Cut(a, 40), strings.Join(names, ", "))
				}
			}
			for _, k := range all {
				if !slices.Contains(args, k.Name) && !slices.Contains(args, "all") {
					continue
				}
				u, err := k.Usage()
				if err == nil {
					err = k.Delete()
				}
				if err != nil {
					return fmt.Errorf("storage delete %s: %w", k.Name, err)
				}
				if u.Files > 0 {
					fmt.Fprintf(sys.Err, "deleted %s: %s, %s\n", k.Name, viz.Plural(u.Files, "file"), viz.Bytes(u.Bytes))
				}
			}
			return nil
		},
	}
}
