package teach

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"logitscope/engine/lesson"
	"logitscope/ui/cli/console"
	"logitscope/ui/lessons"
)

// one is the arguments of a command that takes one lesson.
func one(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return console.Wrong("%s: want one lesson, given %d; see %s --help", cmd.Name(), len(args), cmd.CommandPath())
	}
	return nil
}

// find returns the lesson that an argument names: an id, or a file.
func find(sys console.System, name string) (*lesson.Lesson, error) {
	lib, err := library(sys)
	if err != nil {
		return nil, err
	}
	l, err := lib.Named(name)
	return l, console.Wrongly(err)
}

// checkTask reports a task that a lesson does not have.
func checkTask(l *lesson.Lesson, n int) error {
	if n < 0 || n > len(l.Tasks) {
		return console.Wrong("--task %d: %s has tasks 1 to %d", n, l.ID, len(l.Tasks))
	}
	return nil
}

func newShow(sys console.System) *cobra.Command {
	var show lessons.Show
	cmd := &cobra.Command{
		Use:   "show ID|FILE",
		Short: "a lesson as text, for a printer or a screen reader",
		Long: `Show writes a lesson as text. Its numbers are computed: the lesson is played in the
lab, without a terminal, as its solutions say.`,
		Example: `  logitscope lessons show temperature --answers
  logitscope lessons show temperature --task 2`,
		Args: one,
	}
	cmd.Flags().IntVar(&show.Task, "task", 0, "this task alone, from 1")
	cmd.Flags().BoolVar(&show.Answers, "answers", false, "with right answers, what is to be seen, and solutions")
	cmd.Flags().BoolVar(&show.Notes, "notes", false, "with the notes for the teacher")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		l, err := find(sys, args[0])
		if err != nil {
			return err
		}
		if err := checkTask(l, show.Task); err != nil {
			return err
		}
		checker, done, err := openChecker(cmd.Context(), "")
		if err != nil {
			return err
		}
		defer done()
		sheet, err := checker.Sheet(cmd.Context(), l)
		if err != nil {
			return err
		}
		w := lessons.Writer{Out: sys.Out, Width: console.OutputWidth(sys.Out)}
		w.Sheet(sheet, show)
		return nil
	}
	return cmd
}

func newNew(sys console.System) *cobra.Command {
	var from, lang string
	cmd := &cobra.Command{
		Use:   "new ID",
		Short: "a lesson to begin with, on standard output",
		Long: `New writes a small lesson that explains itself and is right, to change into your own.
With --from and --lang it writes a lesson to translate instead: setups, goals and
solutions stay, and lessons check proves that only words were changed.`,
		Example: `  logitscope lessons new my-lesson > my-lesson.md
  logitscope lessons new --from temperature --lang de > temperature.md`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case from != "" && len(args) > 0:
				return console.Wrong("%s: a translation keeps the id of --from", args[0])
			case from == "":
				return one(cmd, args)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "a lesson to translate; with --lang")
	cmd.Flags().StringVar(&lang, "lang", "", "the language to translate it to: de, pt-BR")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		text, err := begun(sys, args, from, lang)
		if err != nil {
			return console.Wrongly(err)
		}
		_, err = fmt.Fprint(sys.Out, text)
		return err
	}
	return cmd
}

// begun is the text of a new lesson.
func begun(sys console.System, args []string, from, lang string) (string, error) {
	switch {
	case from == "" && lang != "":
		return "", errors.New("--lang: it needs --from, the lesson to translate")
	case from != "" && lang == "":
		return "", errors.New("--from: it needs --lang, the language to translate to")
	case from == "":
		return lesson.Template(args[0])
	}
	l, err := find(sys, from)
	if err != nil {
		return "", err
	}
	text, err := l.Translation(lang)
	if err != nil {
		return "", fmt.Errorf("--lang %w", err)
	}
	return text, nil
}
