package cli

import (
	"github.com/spf13/cobra"

	"logitscope/sampling/vectors"
)

func newTrace(sys System) *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "trace < cases.jsonl",
		Short: "apply settings to given logits, one JSON case a line",
		Long: `Trace reads one case a line (logits, prompt_tokens, generated_tokens, engine,
settings) and writes one result a line, in order: the stages with what each
kept, the survivors and their probabilities. It needs no model. A bad line gives
{"id","error"} and the run goes on; the exit code is then 1.`,
		Example: `  logitscope trace < cases.jsonl > results.jsonl
  logitscope trace --engine vllm < cases.jsonl`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			bad, err := vectors.Run(sys.input, sys.Out, vectors.Options{Engine: name})
			if err != nil {
				return err
			}
			if bad > 0 {
				return &exitError{exitFailed}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&name, "engine", "", "put every case through this engine: transformers, llama.cpp, vllm, ollama, ollama-go")
	return cmd
}
