package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"logitscope/engine/stats/request"
)

func newStats(sys System) *cobra.Command {
	return &cobra.Command{
		Use:   "stats < cases.jsonl",
		Short: "intervals, tests and measures of texts, one JSON case a line",
		Long: `Stats reads one {"id","kind","input"} a line and writes {"id","result"}, in order:
the numbers that the bench prints, for given counts and values. It needs no
model. Intervals are at 95 %. A bad line gives {"id","error"} and the run goes on;
the exit code is then 1. The kinds are ` + strings.Join(request.Kinds(), ", ") + `.`,
		Example: `  echo '{"id":1,"kind":"wilson","input":{"k":27,"n":30}}' | logitscope stats`,
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			return answerLines(sys, func(id json.RawMessage, line []byte) (any, error) {
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

// answerLines writes what answer gives for each line, or {"id","error"} where
// it fails: then it ends with exit code 1. The id is that of the line, null
// where it has none.
func answerLines(sys System, answer func(id json.RawMessage, line []byte) (any, error)) error {
	out := bufio.NewWriter(sys.Out)
	bad := false
	err := eachLine(sys.input, out, func(_ int, line []byte, err error) error {
		var q struct {
			ID json.RawMessage `json:"id"`
		}
		if json.Unmarshal(line, &q) != nil || q.ID == nil {
			q.ID = json.RawMessage("null")
		}
		q.ID = bytes.ToValidUTF8(q.ID, []byte("\ufffd"))
		var v any
		if err == nil {
			v, err = answer(q.ID, line)
		}
		if err != nil {
			bad = true
			v = struct {
				ID    json.RawMessage `json:"id"`
				Error string          `json:"error"`
			}{q.ID, err.Error()}
		}
		return writeLine(out, v)
	})
	if err == nil && bad {
		return &exitError{exitFailed}
	}
	return err
}
