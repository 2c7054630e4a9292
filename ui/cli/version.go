package cli

import (
	"io/fs"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// Set by the linker in a release.
var builtVersion, builtCommit, builtDate string

// version is the version, commit and date of the program: of a release as it
// was built, else what Go's tools know of the checkout it was built from.
func version() string {
	v, commit, date := builtVersion, builtCommit, builtDate
	info, ok := debug.ReadBuildInfo()
	if v == "" && ok {
		v = info.Main.Version
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				commit = s.Value[:min(len(s.Value), 12)]
			case "vcs.time":
				if t, err := time.Parse(time.RFC3339, s.Value); err == nil {
					date = t.Format(time.DateOnly)
				}
			case "vcs.modified":
				if s.Value == "true" {
					commit += "+changes"
				}
			}
		}
	}
	if v == "" {
		v = "(devel)"
	}
	return strings.Join(strings.Fields(v+" "+commit+" "+date), " ")
}

// addLicenses adds --licenses to the root command.
func addLicenses(sys System, root *cobra.Command) {
	print := root.Flags().Bool("licenses", false, "print the licences of what is inside the program, and exit")
	run := root.RunE
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if !*print || sys.Licenses == nil {
			return run(cmd, args)
		}
		return fs.WalkDir(sys.Licenses, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := fs.ReadFile(sys.Licenses, name)
			if err == nil {
				_, err = sys.Out.Write(append(data, '\n'))
			}
			return err
		})
	}
}
