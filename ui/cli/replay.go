package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"logitscope/engine/record"
)

// A replay is what the flags of the command ask for.
type replay struct {
	sys    System
	verify bool
}

func newReplay(sys System) *cobra.Command {
	r := replay{sys: sys}
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "a recorded run: played, checked, or written as a page",
		Long: `Replay opens a file that run --record, compare --record, the lab or --format
jsonl wrote. It needs no model: the file answers in its place, as tape:FILE does
wherever a model can be named. With --verify it derives every step again from
its row, and names the first that the file has otherwise. Steps that the file
does not hold enough for are counted.`,
		Example: `  logitscope run --prompt "Once upon a time" --record story.jsonl
  logitscope replay story.jsonl --verify
  logitscope --model tape:story.jsonl`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return wrong("replay: want one FILE, given %d; see %s --help", len(args), cmd.CommandPath())
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&r.verify, "verify", false, "derive every step again and compare")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return r.run(args[0]) }
	return cmd
}

func (r *replay) run(path string) error {
	rec, err := record.Open(path)
	if err != nil {
		return wrong("replay %w", err)
	}
	if r.verify {
		return verify(r.sys.Out, path, rec)
	}
	return wrong("replay %s: say what to do with it: --verify", path)
}

// verify derives every step again and says what came of it.
func verify(w io.Writer, path string, rec *record.Recording) error {
	rep, err := record.Verify(rec)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if rep.First != nil {
		return fmt.Errorf("%s: %w", path, rep.First)
	}
	if rec.Cut {
		fmt.Fprintf(w, "%s: the last line has no end; %s before it are whole\n", path, count(rep.Steps, "step"))
	}
	fmt.Fprintf(w, "%s: %s derived again, all equal\n", path, count(rep.Steps-len(rep.Undecided), "step"))
	why := map[string]int{}
	var order []string
	for _, u := range rep.Undecided {
		if why[u.Why]++; why[u.Why] == 1 {
			order = append(order, u.Why)
		}
	}
	for _, s := range order {
		fmt.Fprintf(w, "%d of %s not decidable: %s\n", why[s], count(rep.Steps, "step"), s)
	}
	return nil
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
