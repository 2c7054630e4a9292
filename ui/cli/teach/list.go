package teach

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"logitscope/engine/lesson"
	"logitscope/ui/cli/console"
	"logitscope/ui/lessons"
	"logitscope/ui/store"
)

// A listed is a line of lessons list.
type listed struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	Section string `json:"section"`
	Minutes int    `json:"minutes"`
	Tasks   int    `json:"tasks"`
	Done    int    `json:"done"`
	Changed bool   `json:"changed"` // since it was read last
	File    string `json:"file"`    // of an own lesson
}

func newList(sys console.System) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "the lessons, and how far each is done",
		Example: `  logitscope lessons list --format jsonl`,
		Args:    console.NoArgs,
	}
	cmd.Flags().StringVar(&format, "format", "text", "text, or jsonl: one JSON object a lesson")
	cmd.RunE = func(*cobra.Command, []string) error {
		if format != "text" && format != "jsonl" {
			return console.Wrong("--format %s: text or jsonl", format)
		}
		lib, err := library(sys)
		if err != nil {
			return err
		}
		done, err := lessons.Progress(console.ConfigDir(sys)).Load()
		if err != nil {
			console.Complain(sys.Err, err)
		}
		return list(sys, lib, done, format == "jsonl")
	}
	return cmd
}

func list(sys console.System, lib lessons.Library, done map[string]store.LessonProgress, jsonl bool) error {
	w := tabwriter.NewWriter(sys.Out, 0, 0, 2, ' ', 0)
	if !jsonl {
		fmt.Fprintln(w, "id\ttitle\tsection\tminutes\ttasks\tdone")
	}
	tasks, all := 0, 0
	for _, l := range lib.List {
		p, read := done[l.ID]
		x := listed{l.ID, l.Title, l.Section, l.Minutes, len(l.Tasks), min(p.Count(), len(l.Tasks)), read && p.SHA != l.Sum, lib.Own[l]}
		all, tasks = all+x.Tasks, tasks+x.Done
		if jsonl {
			if err := console.WriteLine(sys.Out, x); err != nil {
				return err
			}
			continue
		}
		changed := ""
		if x.Changed {
			changed = " (changed since)"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%d%s\n", x.ID, console.Visible(x.Title), console.Visible(x.Section), x.Minutes, x.Tasks, x.Done, changed)
	}
	if jsonl {
		return nil
	}
	fmt.Fprintf(w, "%d lessons, %d tasks of %d done\n", len(lib.List), tasks, all)
	for _, n := range lib.Notes {
		fmt.Fprintln(w, console.Visible(n))
	}
	return w.Flush()
}

// A kept is a line of lessons progress.
type kept struct {
	Lesson string `json:"lesson"`
	Task   int    `json:"task"`
	store.TaskProgress
}

func newProgress(sys console.System) *cobra.Command {
	var format, reset string
	cmd := &cobra.Command{
		Use:   "progress",
		Short: "how far every task is done, for a table or a record",
		Long: `Progress writes a line for every task that was begun: when it was done, how often
it was tried, how many hints were shown, what was predicted and what was right. It
is kept on this machine alone, without a name.`,
		Example: `  logitscope lessons progress --format csv > progress.csv
  logitscope lessons progress --reset temperature`,
		Args: console.NoArgs,
	}
	cmd.Flags().StringVar(&format, "format", "csv", "csv, or jsonl: one JSON object a task")
	cmd.Flags().StringVar(&reset, "reset", "", "forget what was done of this lesson; all forgets everything")
	cmd.RunE = func(*cobra.Command, []string) error {
		if format != "csv" && format != "jsonl" {
			return console.Wrong("--format %s: csv or jsonl", format)
		}
		p := lessons.Progress(console.ConfigDir(sys))
		if reset != "" {
			return forget(sys, p, reset)
		}
		lib, err := library(sys)
		if err != nil {
			return err
		}
		done, err := p.Load()
		if err != nil {
			return err
		}
		return progress(sys, lib.List, done, format == "jsonl")
	}
	return cmd
}

// forget resets a lesson, which may be one that is no longer there.
func forget(sys console.System, p store.Progress, id string) error {
	done, err := p.Load()
	if err != nil {
		return err
	}
	if id == "all" {
		return p.Reset("")
	}
	if _, ok := done[id]; !ok {
		lib, err := library(sys)
		if err != nil {
			return err
		}
		if _, err := lib.Find(id); err != nil {
			return console.Wrong("--reset %w", err)
		}
	}
	return p.Reset(id)
}

func progress(sys console.System, all []*lesson.Lesson, done map[string]store.LessonProgress, jsonl bool) error {
	w := csv.NewWriter(sys.Out)
	if !jsonl {
		w.Write([]string{"lesson", "task", "done", "skipped", "tries", "hints", "predicted", "answer", "right"})
	}
	for _, l := range all {
		for i, t := range done[l.ID].Tasks {
			if jsonl {
				if err := console.WriteLine(sys.Out, kept{l.ID, i + 1, t}); err != nil {
					return err
				}
				continue
			}
			at, right := "", ""
			if t.Done != nil {
				at = t.Done.Format(time.RFC3339)
			}
			if t.Right != nil {
				right = strconv.FormatBool(*t.Right)
			}
			w.Write([]string{
				l.ID, strconv.Itoa(i + 1), at, strconv.FormatBool(t.Skipped), strconv.Itoa(t.Tries), strconv.Itoa(t.Hints),
				number(t.Predicted), number(t.Answer), right,
			})
		}
	}
	w.Flush()
	return w.Error()
}

func number(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}
