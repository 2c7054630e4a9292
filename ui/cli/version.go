package cli

import (
	"io/fs"

	"github.com/spf13/cobra"

	"logitscope/ui/cli/console"
)

// addLicenses adds --licenses to the root command.
func addLicenses(sys console.System, root *cobra.Command) {
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
