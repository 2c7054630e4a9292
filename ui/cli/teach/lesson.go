package teach

import (
	"context"

	"github.com/spf13/cobra"

	"logitscope/engine/lesson"
	"logitscope/ui/cli/console"
	"logitscope/ui/cli/screen"
	"logitscope/ui/cli/setup"
	"logitscope/ui/lessons"
	"logitscope/ui/store"
)

// Lesson returns the command lesson.
func Lesson(sys console.System) *cobra.Command {
	var plain bool
	var task int
	cmd := &cobra.Command{
		Use:   "lesson [ID|FILE]",
		Short: "the lab with a lesson beside it; without a name, the list",
		Long: `Lesson opens the lab with a lesson beside it: text, a question, goals that are
checked on what the screen shows. Nothing is locked and nothing moves on by itself.
Without a name it shows the list.

With --plain it needs no screen: it asks, shows numbers, and takes answers and
settings line by line, with the same goals and the same marks.`,
		Example: `  logitscope lesson temperature
  logitscope lesson temperature --plain`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return one(cmd, args)
			}
			return nil
		},
	}
	l := screen.Add(setup.Add(sys, cmd), cmd)
	l.Without = "logitscope lesson ID --plain"
	cmd.Flags().BoolVar(&plain, "plain", false, "line by line, without a screen")
	cmd.Flags().IntVar(&task, "task", 0, "begin with this task, from 1; 0 is the first that is open")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			if plain || task != 0 {
				return console.Wrong("lesson: --plain and --task need the name of a lesson; logitscope lessons list has them")
			}
			l.Choose = true
			return l.Show(cmd.Context(), nil)
		}
		of, err := find(sys, args[0])
		if err != nil {
			return err
		}
		if err := checkTask(of, task); err != nil {
			return err
		}
		progress := lessons.Progress(console.ConfigDir(sys))
		if task == 0 {
			done, _ := progress.Load() // the lab says what is wrong with it
			task = firstOpen(of, done[of.ID])
		}
		if plain {
			return readPlain(cmd.Context(), sys, of, task-1, progress)
		}
		l.Lesson, l.Task = of, task-1
		return l.Show(cmd.Context(), nil)
	}
	return cmd
}

// firstOpen returns the first task that is open, from 1; the first one if none
// is.
func firstOpen(l *lesson.Lesson, p store.LessonProgress) int {
	for i := range l.Tasks {
		if i >= len(p.Tasks) || p.Tasks[i].Open() {
			return i + 1
		}
	}
	return 1
}

// readPlain reads a lesson line by line.
func readPlain(ctx context.Context, sys console.System, l *lesson.Lesson, task int, progress store.Progress) error {
	checker, done, err := lessons.OpenChecker(ctx, "")
	if err != nil {
		return err
	}
	defer done()
	keeper := store.NewKeeper(progress)
	w := lessons.Writer{Out: sys.Out, Width: console.OutputWidth(sys.Out)}
	err = checker.Plain(ctx, l, task, sys.Input, &w, keeper.Update)
	if kerr := keeper.Close(); err == nil {
		err = kerr
	}
	return err
}
