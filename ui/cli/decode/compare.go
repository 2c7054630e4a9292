package decode

import (
	"bufio"
	"context"
	"slices"

	"github.com/spf13/cobra"

	"logitscope/ui/cli/console"
	"logitscope/ui/cli/screen"
	"logitscope/ui/cli/setup"
)

// Compare returns the command compare.
func Compare(sys console.System) *cobra.Command {
	var specs []string
	var format string
	var top, seeds int
	cmd := &cobra.Command{
		Use:   "compare --lane SPEC --lane SPEC …",
		Short: "2 to 4 lanes side by side, with the same luck",
		Long: `Compare decodes one prompt in 2 to 4 lanes that share the seed, and so the draw
at every position: what differs comes from the settings. A SPEC is a preset's
name followed by key=value pairs; model=NAME gives the lane a model of its own,
arith=llama.cpp the arithmetic of llama.cpp (kv-type= and flash-attn= too).
With --format jsonl there is no screen: each lane's records carry a lane field
and a summary closes the output, with each text read under every lane's law. The
same lanes and seed give the same bytes. --luck race makes lanes part about as
rarely as their laws allow; --seeds N says over N seeds where the lanes part, how
often, and what they write, with intervals.`,
		Example: `  logitscope compare --lane chat --lane creative --prompt "Once upon a time"
  logitscope compare --lane chat --lane chat,temperature=1.2,order=llama.cpp --format jsonl --prompt "Once"
  logitscope compare --lane chat --lane chat,arith=llama.cpp --prompt "Once upon a time"`,
		Args: console.NoArgs,
	}
	l := screen.Add(setup.Add(sys, cmd), cmd)
	l.Rec = setup.AddRecord(cmd)
	cmd.Flags().StringArrayVar(&specs, "lane", nil, "a lane: PRESET[,key=value…]; 2 to 4 times")
	cmd.Flags().StringVar(&format, "format", "screen", "screen or jsonl; with --seeds table or jsonl")
	cmd.Flags().IntVar(&seeds, "seeds", 1, "how many seeds to compare the lanes over, from the lanes' own on")
	cmd.Flags().IntVar(&top, "top", 10, "tokens shown at each step with jsonl")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		allowed := []string{"screen", "jsonl"}
		if seeds > 1 {
			allowed = []string{"table", "jsonl"}
			if !cmd.Flags().Changed("format") {
				format = allowed[0]
			}
		}
		if !slices.Contains(allowed, format) {
			return console.Wrong("--format %s: must be %s or %s", format, allowed[0], allowed[1])
		}
		if seeds > 1 || format != "jsonl" {
			if err := console.Unused(cmd.Flags(), "only --format jsonl of one seed shows it", "top"); err != nil {
				return err
			}
		}
		if seeds > 1 {
			if err := console.Unused(cmd.Flags(), "--seeds records nothing", "record", "rows"); err != nil {
				return err
			}
		}
		if format != "screen" {
			if err := l.NotShown("there is no screen"); err != nil {
				return err
			}
		}
		if seeds < 1 || seeds > maxSeeds {
			return console.Wrong("--seeds %d: must be 1 to %d", seeds, maxSeeds)
		}
		if err := setup.CheckTop(top); err != nil {
			return err
		}
		if len(specs) < 2 || len(specs) > setup.MaxLanes {
			return console.Wrong("--lane: want 2 to %d lanes, given %d", setup.MaxLanes, len(specs))
		}
		lanes := make([]setup.LaneSpec, len(specs))
		for i, spec := range specs {
			var err error
			if lanes[i], err = l.Lane("--lane", spec); err != nil {
				return err
			}
		}
		if err := l.Rec.Check(); err != nil {
			return err
		}
		if seeds > 1 {
			return overSeeds(cmd.Context(), l.Flags, lanes, seeds, format)
		}
		if format == "screen" {
			return l.Show(cmd.Context(), lanes)
		}
		defer l.Rec.Close()
		return compareLanes(cmd.Context(), l.Flags, lanes, top, l.Rec)
	}
	return cmd
}

// compareLanes runs the lanes without a screen.
func compareLanes(ctx context.Context, s *setup.Flags, specs []setup.LaneSpec, top int, rec *setup.Recording) error {
	jobs, err := s.PrepareLanes(ctx, specs)
	if err != nil {
		return err
	}
	defer setup.ReleaseAll(ctx, jobs)
	if len(jobs[0].Prompt) == 0 {
		return console.Wrong("compare --format jsonl needs a prompt: --prompt, --prompt-file or --prompt-tokens")
	}
	s.TellNotes()
	out := bufio.NewWriter(s.Sys.Out)
	c, err := newComparison(jobs, out, top, rec)
	if err == nil {
		err = c.run(ctx)
	}
	return console.Flushed(out, rec.Closed(err))
}
