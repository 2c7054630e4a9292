package teach

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"logitscope/engine/lesson"
	"logitscope/ui/cli/console"
	"logitscope/ui/lessons"
)

func newCheck(sys console.System) *cobra.Command {
	c := &checking{sys: sys, code: console.ExitDone, ids: map[string]bool{}}
	cmd := &cobra.Command{
		Use:   "check [FILE …]",
		Short: "prove that every goal is open at first and met by the solution",
		Long: `Check reads lessons and plays them in the lab, without a terminal: after the setup
of a task its goal must not hold, after its solution it must. It writes one line a
task, also for those that are right. Without a file it checks the built-in lessons.

Exit code 0: all hold. 1: a task fails: a token that is not one, a goal that holds
already, a solution that is missing or does not get there. 2: a file cannot be read.`,
		Example: `  logitscope lessons check my-lesson.md`,
		RunE:    func(cmd *cobra.Command, args []string) error { return c.run(cmd.Context(), args) },
	}
	cmd.Flags().StringVar(&c.format, "format", "text", "text, or jsonl: one JSON object a task")
	cmd.Flags().StringVar(&c.model, "model", "", "check on this model in place of the lessons' own")
	return cmd
}

// A checking is one call of lessons check.
type checking struct {
	sys           console.System
	format, model string

	code int
	ids  map[string]bool // of the files so far
}

func (c *checking) run(ctx context.Context, files []string) error {
	if c.format != "text" && c.format != "jsonl" {
		return console.Wrong("--format %s: text or jsonl", c.format)
	}
	list, err := c.read(files)
	if err != nil {
		return err
	}
	if len(list) > 0 {
		checker, done, err := openChecker(ctx, c.model)
		if err != nil {
			return err
		}
		defer done()
		for _, l := range list {
			verdicts, err := checker.Check(ctx, l)
			for _, v := range verdicts {
				if !v.OK {
					c.code = max(c.code, console.ExitFailed)
				}
				if err := c.write(v); err != nil {
					return err
				}
			}
			if err != nil {
				return err
			}
		}
	}
	if c.code != console.ExitDone {
		return &console.ExitError{Code: c.code}
	}
	return nil
}

// read returns the lessons to check, and writes what is wrong with those that
// cannot be read.
func (c *checking) read(files []string) ([]*lesson.Lesson, error) {
	if len(files) == 0 {
		list, faults := lesson.Builtin(lessons.Names())
		return list, c.faults(faults)
	}
	var list []*lesson.Lesson
	for _, name := range files {
		l, faults, err := c.open(name)
		if err != nil {
			faults = []lesson.Fault{{Lesson: filepath.Base(name), Line: 1, Why: err.Error()}}
		}
		if l == nil && len(faults) > 0 {
			c.ids[faults[0].Lesson] = true // the id as far as it was read
		}
		if l != nil && c.ids[l.ID] {
			faults = []lesson.Fault{{Lesson: l.ID, Line: l.IDLine, Why: fmt.Sprintf("id: %s: another file has it", l.ID)}}
		}
		if err := c.faults(faults); err != nil {
			return nil, err
		}
		if len(faults) == 0 {
			c.ids[l.ID] = true
			list = append(list, l)
		}
	}
	return list, nil
}

func (c *checking) open(name string) (*lesson.Lesson, []lesson.Fault, error) {
	if name == "-" {
		return lessons.Read(c.sys.Input, "standard input")
	}
	l, faults, err := lessons.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.New("no such file")
	}
	return l, faults, err
}

// faults writes what keeps a file from being read.
func (c *checking) faults(list []lesson.Fault) error {
	for _, f := range list {
		c.code = console.ExitUsage
		if err := c.write(lessons.Verdict{Lesson: f.Lesson, Task: f.Task, Why: f.Why, Line: f.Line}); err != nil {
			return err
		}
	}
	return nil
}

func (c *checking) write(v lessons.Verdict) error {
	if c.format == "jsonl" {
		return console.WriteLine(c.sys.Out, v)
	}
	var err error
	switch {
	case v.OK:
		_, err = fmt.Fprintf(c.sys.Out, "%s task %d: right\n", v.Lesson, v.Task)
	case v.Task == 0:
		_, err = fmt.Fprintf(c.sys.Out, "%s line %d: %s\n", v.Lesson, v.Line, v.Why)
	default:
		_, err = fmt.Fprintf(c.sys.Out, "%s task %d, line %d: %s\n", v.Lesson, v.Task, v.Line, v.Why)
	}
	return err
}

// openChecker is [lessons.OpenChecker] for the flag --model.
func openChecker(ctx context.Context, model string) (*lessons.Checker, func(), error) {
	c, done, err := lessons.OpenChecker(ctx, model)
	if err != nil && model != "" {
		err = console.Wrong("--model %w", err)
	}
	return c, done, err
}
