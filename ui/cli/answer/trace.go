package answer

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"logitscope/sampling"
	"logitscope/sampling/cases"
	"logitscope/ui/cli/console"
)

// Trace returns the command trace.
func Trace(sys console.System) *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "trace < cases.jsonl",
		Short: "apply settings to given logits, one JSON case a line",
		Long: `Trace reads one case a line (logits, prompt_tokens, generated_tokens, engine,
settings) and writes one result a line, in order: the stages with what each
kept, the survivors and their probabilities. It needs no model. A line with
"kind":"greenlist" or "detect" asks about a watermark. A bad line gives
{"id","error"} and the run goes on; the exit code is then 1.`,
		Example: `  logitscope trace < cases.jsonl > results.jsonl
  logitscope trace --engine vllm < cases.jsonl`,
		Args: console.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			names := engineNames()
			if name != "" && !slices.Contains(names, name) {
				return console.Wrong("--engine %s: %s", name, strings.Join(names, ", "))
			}
			bad, err := cases.Run(sys.Input, sys.Out, cases.Options{Engine: name})
			if err != nil {
				return err
			}
			if bad > 0 {
				return &console.ExitError{Code: console.ExitFailed}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&name, "engine", "", "put every case through this engine: "+strings.Join(engineNames(), ", "))
	return cmd
}

// engineNames lists the engines whose rules there are.
func engineNames() []string {
	var names []string
	for _, o := range sampling.Orders() {
		names = append(names, o.Name())
	}
	return names
}
