package model

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"logitscope/models/chat"
	"logitscope/models/chat/jinja/python"
	"logitscope/ui/cli/console"
)

func newModelsRender(sys console.System) *cobra.Command {
	return &cobra.Command{
		Use:   "render < conversations.jsonl",
		Short: "the prompt that a chat template makes of a conversation",
		Long: `Render reads one JSON object a line and writes {"id","text"} or {"id","error"} for
each, in order. An object has

  id                      a text that the answer carries
  template                the path of the template's Jinja source
  messages                a list of objects with a role and a content
  tools                   a list of objects, or null
  kwargs                  more variables of the template, by name
  add_generation_prompt   true begins the model's turn
  continue_final_message  true leaves the last message open
  bos_token, eos_token    texts; null leaves them undefined in the template
  date                    what strftime_now shows, such as 2026-03-07T09:05:04

The exit status is 1 if any answer is an error.`,
		Example: `  echo '{"id":"a","template":"chat.jinja","messages":[{"role":"user","content":"Hi"}],"add_generation_prompt":true}' | logitscope models render`,
		Args:    console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return renderAll(cmd.Context(), sys)
		},
	}
}

// conversationLine is one line that render reads.
type conversationLine struct {
	ID         *string         `json:"id"`
	Template   string          `json:"template"`
	Messages   json.RawMessage `json:"messages"`
	Tools      json.RawMessage `json:"tools"`
	Kwargs     json.RawMessage `json:"kwargs"`
	Generation bool            `json:"add_generation_prompt"`
	Open       bool            `json:"continue_final_message"`
	BOS        *string         `json:"bos_token"`
	EOS        *string         `json:"eos_token"`
	Date       string          `json:"date"`
}

func renderAll(ctx context.Context, sys console.System) error {
	out := bufio.NewWriter(sys.Out)
	failed := false
	err := console.EachLine(sys.Input, out, func(n int, line []byte, err error) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err != nil {
			failed = true
			return console.WriteLine(out, map[string]string{"id": "", "error": fmt.Sprintf("line %d: %v", n, err)})
		}
		var c conversationLine
		if err := json.Unmarshal(line, &c); err != nil || c.ID == nil {
			failed = true
			return console.WriteLine(out, map[string]string{"id": "", "error": fmt.Sprintf("line %d: must be an object with an id, a template and messages", n)})
		}
		text, err := renderLine(ctx, sys, c)
		if err != nil {
			failed = true
			return console.WriteLine(out, map[string]string{"id": *c.ID, "error": err.Error()})
		}
		return console.WriteLine(out, map[string]string{"id": *c.ID, "text": text})
	})
	if err == nil && failed {
		return &console.ExitError{Code: console.ExitFailed}
	}
	return err
}

// renderLine renders one conversation.
func renderLine(ctx context.Context, sys console.System, c conversationLine) (string, error) {
	source, err := console.ReadFile(sys, c.Template)
	if err != nil {
		return "", fmt.Errorf("template: %w", err)
	}
	t, err := chat.Parse(string(source), chat.Tokens{BOS: c.BOS, EOS: c.EOS})
	if err != nil {
		return "", err
	}
	r := chat.Request{Generation: c.Generation, Open: c.Open}
	if c.Date != "" {
		if r.Now, err = time.Parse("2006-01-02T15:04:05", c.Date); err != nil {
			return "", errors.New("date: must be like 2026-03-07T09:05:04")
		}
	}
	list := func(name string, data json.RawMessage) (*python.List, error) {
		if len(data) == 0 || string(data) == "null" {
			return nil, nil
		}
		v, err := python.FromJSON(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		l, ok := v.(*python.List)
		if !ok {
			return nil, fmt.Errorf("%s: must be a list", name)
		}
		return l, nil
	}
	if r.Messages, err = list("messages", c.Messages); err != nil {
		return "", err
	}
	if r.Messages == nil {
		return "", errors.New("messages: must be a list")
	}
	tools, err := list("tools", c.Tools)
	if err != nil {
		return "", err
	}
	if tools != nil {
		r.Tools = append([]python.Value{}, tools.Items...)
	}
	if len(c.Kwargs) > 0 && string(c.Kwargs) != "null" {
		v, err := python.FromJSON(c.Kwargs)
		if err != nil {
			return "", fmt.Errorf("kwargs: %w", err)
		}
		var ok bool
		if r.Vars, ok = v.(*python.Dict); !ok {
			return "", errors.New("kwargs: must be an object")
		}
	}
	return t.RenderRequest(ctx, r)
}
