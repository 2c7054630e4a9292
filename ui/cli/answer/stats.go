package answer

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"logitscope/engine/stats/request"
	"logitscope/ui/cli/console"
)

// Stats returns the command stats.
func Stats(sys console.System) *cobra.Command {
	return &cobra.Command{
		Use:   "stats < cases.jsonl",
		Short: "intervals, tests and measures of texts, one JSON case a line",
		Long: `Stats reads one {"id","kind","input"} a line and writes {"id","result"}, in order:
the numbers that the bench prints, for given counts and values. It needs no
model. Intervals are at 95 %. A bad line gives {"id","error"} and the run goes on;
the exit code is then 1. The kinds are ` + strings.Join(request.Kinds(), ", ") + `.`,
		Example: `  echo '{"id":1,"kind":"wilson","input":{"k":27,"n":30}}' | logitscope stats`,
		Args:    console.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return console.AnswerLines(sys, func(id json.RawMessage, line []byte) (any, error) {
				var q struct {
					Kind  string          `json:"kind"`
					Input json.RawMessage `json:"input"`
				}
				if err := json.Unmarshal(line, &q); err != nil {
					return nil, errors.New("must be a JSON object with kind and input")
				}
				r, err := request.Compute(q.Kind, q.Input)
				return struct {
					ID     json.RawMessage `json:"id"`
					Result json.RawMessage `json:"result"`
				}{id, r}, err
			})
		},
	}
}
