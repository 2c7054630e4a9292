// Package decode answers: how is a prompt decoded? In the lab (Lab), without a
// screen (Run), in several lanes (Compare), from a recording (Replay), or as a
// picture (Shot).
package decode

import (
	"github.com/spf13/cobra"

	"logitscope/ui/cli/console"
	"logitscope/ui/cli/screen"
	"logitscope/ui/cli/setup"
)

// Lab returns the command line itself: without a command it opens the lab.
func Lab(sys console.System) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "logitscope",
		Short: "a laboratory for decoding: watch and steer how a language model picks its words",
		Long: `Logitscope decodes with a language model and shows, at every step, the whole
road from logits to token: which tokens survive each stage, what the penalties
moved, where the random draw fell. Without a command it opens the lab.`,
		Example: `  logitscope
  logitscope --model model.gguf --prompt "The capital of France is"
  logitscope run --prompt "Once upon a time" --preset creative`,
		Args: console.NoArgs,
	}
	l := screen.Add(setup.Add(sys, cmd), cmd)
	l.Rec = setup.AddRecord(cmd)
	cmd.Flags().StringVar(&l.Prompts, "prompts", "", "set of prompts for the bench, K: .jsonl, .csv, .tsv or .txt")
	console.Reads(cmd.Flags(), "a file", "prompts")
	cmd.Flags().StringVar(&l.Cast, "cast", "", "also write what the screen shows to this file, as an asciicast")
	console.Writes(cmd.Flags(), "cast")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := l.Rec.Check(); err != nil {
			return err
		}
		return l.Show(cmd.Context(), nil)
	}
	return cmd
}
