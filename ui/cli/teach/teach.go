// Package teach answers: which lessons are there, and are they right? Lesson opens
// one; Lessons lists, shows, checks and begins them, and tells the progress.
package teach

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"logitscope/ui/cli/console"
	"logitscope/ui/lessons"
)

// Lessons returns the command lessons.
func Lessons(sys console.System) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lessons",
		Short: "list, show, check and write lessons",
		Long: `Lessons are Markdown files: text, a state to begin from, and goals that must hold
on the screen. The built-in ones come first, then the files in the folder lessons of the
configuration folder; see docs/lessons.md.`,
		Args: console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newList(sys), newShow(sys), newCheck(sys), newNew(sys), newProgress(sys))
	return cmd
}

// library opens the lessons at hand, and says what is wrong with own files.
func library(sys console.System) (lessons.Library, error) {
	lib, err := lessons.Open(lessons.Dir(console.ConfigDir(sys)))
	if err != nil {
		return lib, err
	}
	for _, f := range lib.Faults {
		console.Complain(sys.Err, console.Wrong("%s:%d: %s", filepath.Join(lessons.Dir(console.ConfigDir(sys)), f.Lesson), f.Line, f.Why))
	}
	return lib, nil
}
