// Package answer answers: what does the program say to each line of a file? Check
// judges texts, Stats computes, Trace takes logits through the stages, Constrain
// follows a grammar; one JSON object in, one out.
package answer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"logitscope/engine/check"
	"logitscope/ui/cli/console"
	"logitscope/ui/cli/report"
)

// Check returns the command check.
func Check(sys console.System) *cobra.Command {
	var allow bool
	cmd := &cobra.Command{
		Use:   "check < cases.jsonl",
		Short: "judge texts by checks, one JSON case a line",
		Long: `Check reads one {"id","text","expect"} a line and writes {"id","pass","failed"}, in
order: expect is a check or a list of checks, as {"contains":"Paris"}. A line may
also have "tokens" (ids, or how many), "reason" (why the text ended) and
"extract", an expression whose first match is judged instead of the text. It
needs no model. A line that cannot be judged gives {"id","error"} and the run goes
on; the exit code is then 1. The checks are:

` + report.CheckTable() + ``,
		Example: `  echo '{"id":1,"text":"It is 42.","expect":{"number":42}}' | logitscope check`,
		Args:    console.NoArgs,
	}
	cmd.Flags().BoolVar(&allow, "allow-cmd", false, "let the check cmd run programs")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		r := &check.Reader{AllowCmd: allow}
		return console.AnswerLines(sys, func(id json.RawMessage, line []byte) (any, error) {
			return checkLine(cmd.Context(), r, id, line)
		})
	}
	return cmd
}

// A failure is a check that did not pass, on a line.
type failure struct {
	Check string `json:"check"`
	Why   string `json:"why"`
}

// checkLine judges one case.
func checkLine(ctx context.Context, r *check.Reader, id json.RawMessage, line []byte) (any, error) {
	fields, err := check.Fields(line)
	if err != nil {
		return nil, err
	}
	s := check.Subject{Count: -1}
	var expect check.List
	text := false
	for _, f := range fields {
		switch f.Name {
		case "id":
		case "text":
			text, err = true, readJSONText(f.Value, &s.Text)
		case "tokens":
			s.Tokens, s.Count, err = readTokens(f.Value)
		case "reason":
			err = readJSONText(f.Value, &s.Reason)
		case "expect":
			expect, err = r.Read(f.Value)
		case "extract":
			s.Extract, err = check.ReadExtract(f.Value)
			if err != nil {
				return nil, err
			}
		default:
			return nil, fmt.Errorf("%s: unknown field; must be id, text, tokens, reason, expect or extract", strconv.Quote(f.Name))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	switch {
	case !text:
		return nil, errors.New("text: missing")
	case expect == nil:
		return nil, errors.New("expect: missing")
	}
	failed, err := expect.Judge(ctx, s)
	if err != nil {
		return nil, err
	}
	out := struct {
		ID     json.RawMessage `json:"id"`
		Pass   bool            `json:"pass"`
		Failed []failure       `json:"failed"`
	}{id, len(failed) == 0, []failure{}}
	for _, f := range failed {
		out.Failed = append(out.Failed, failure{f.Check, report.Why(f)})
	}
	return out, nil
}

func readJSONText(value json.RawMessage, to *string) error {
	if len(value) == 0 || value[0] != '"' || json.Unmarshal(value, to) != nil {
		return errors.New("must be a text")
	}
	return nil
}

// readTokens reads token ids, or how many there are.
func readTokens(value json.RawMessage) (ids []int32, count int, err error) {
	var items []json.RawMessage
	if json.Unmarshal(value, &items) != nil || items == nil {
		if count, err = strconv.Atoi(string(value)); err != nil || count < 0 {
			return nil, -1, errors.New("must be a list of token ids, or how many")
		}
		return nil, count, nil
	}
	ids = make([]int32, len(items))
	for i, item := range items {
		n, err := strconv.ParseInt(string(item), 10, 32)
		if err != nil || n < 0 {
			return nil, -1, fmt.Errorf("%s: must be a list of token ids, or how many", item)
		}
		ids[i] = int32(n)
	}
	return ids, len(ids), nil
}
