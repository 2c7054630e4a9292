// Package model answers: what is in a model, and how does it read a text? Models
// lists, describes, downloads, tokenizes, renders conversations, prints logits.
package model

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"logitscope/models"
	"logitscope/models/open"
	"logitscope/ui/cli/console"
	"logitscope/ui/cli/setup"
	"logitscope/viz"
)

// Models returns the command models.
func Models(sys console.System) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "models",
		Short: "list, describe, download and query models",
		Args:  console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return console.Wrong("models needs a command: list, info, logits, tokenize, render, pull")
		},
	}
	cmd.AddCommand(newModelsList(sys), newModelsInfo(sys), newModelsLogits(sys), newModelsTokenize(sys), newModelsRender(sys), newModelsPull(sys))
	return cmd
}

func newModelsList(sys console.System) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "models that can be opened without a download",
		Example: "  logitscope models list",
		Args:    console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w := tabwriter.NewWriter(sys.Out, 0, 0, 2, ' ', 0)
			for _, name := range []string{"fable", "fable-draft"} {
				m, err := open.Model(cmd.Context(), name, open.Options{})
				if err != nil {
					return err
				}
				info := m.Info()
				fmt.Fprintf(w, "%s\t%s\t%s\t%s parameters\t%s\n", name, info.Arch, info.Quant, viz.Params(info.Params), info.Note)
				m.Close()
			}
			pulled, _ := filepath.Glob(filepath.Join(console.ModelDir(sys), "*", "*", "*.gguf"))
			for _, path := range pulled {
				fmt.Fprintf(w, "%s\tfile\n", path)
			}
			fmt.Fprintf(w, "\nAlso: %s\n", open.Usage())
			return w.Flush()
		},
	}
}

// oneModel is the argument check of commands about one model.
func oneModel(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return console.Wrong("models %s: want one model: %s", cmd.Name(), open.Usage())
	}
	return nil
}

// modelFlags are the flags of commands that open a model.
type modelFlags struct {
	sys   console.System
	local setup.Local
}

func (f *modelFlags) add(cmd *cobra.Command) {
	f.local.Add(cmd.Flags())
}

func (f *modelFlags) options() (open.Options, error) {
	s := setup.Flags{Sys: f.sys, Local: f.local}
	return s.Options()
}

func (f *modelFlags) open(ctx context.Context, name string) (models.Model, error) {
	opt, err := f.options()
	if err != nil {
		return nil, err
	}
	m, err := open.Model(ctx, name, opt)
	if err != nil {
		return nil, console.Wrongly(err)
	}
	if err := f.local.Check(m); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

func newModelsInfo(sys console.System) *cobra.Command {
	var asJSON bool
	f := modelFlags{sys: sys}
	cmd := &cobra.Command{
		Use:     "info MODEL",
		Short:   "what a model is: sizes, types, tokenizer, template, memory",
		Example: "  logitscope models info fable\n  logitscope models info model.gguf --context 8192 --json\n  logitscope models info llama-server:http://127.0.0.1:8080",
		Args:    oneModel,
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := f.open(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer m.Close()
			list := models.Describe(m)
			if asJSON {
				return console.WriteLine(sys.Out, factsJSON(m, list))
			}
			w := tabwriter.NewWriter(sys.Out, 0, 0, 2, ' ', 0)
			for _, x := range list {
				fmt.Fprintf(w, "%s\t%s\n", viz.Printable(x.Name, false), viz.Printable(x.Value, false))
			}
			return w.Flush()
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}

func newModelsLogits(sys console.System) *cobra.Command {
	var tokens, text string
	var all bool
	f := modelFlags{sys: sys}
	cmd := &cobra.Command{
		Use:   "logits MODEL",
		Short: "the logits that follow given tokens, as JSON",
		Example: `  logitscope models logits fable --tokens 0,100,200
  logitscope models logits model.gguf --prompt "The capital of France is" --all`,
		Args: oneModel,
		RunE: func(cmd *cobra.Command, args []string) error {
			given := cmd.Flags().Changed("prompt")
			if (tokens != "") == given {
				return console.Wrong("models logits needs one of --tokens and --prompt")
			}
			m, err := f.open(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer m.Close()
			var ids []int32
			if given {
				ids, err = models.Encode(cmd.Context(), m.Vocab(), text, models.EncodeOptions{AddSpecial: true, ParseSpecial: true})
			} else {
				ids, err = setup.TokenIDs("--tokens", tokens, m.Info().VocabSize)
			}
			if err != nil {
				return err
			}
			if len(ids) == 0 {
				return console.Wrong("--prompt: no tokens; want one or more")
			}
			return printLogits(cmd.Context(), sys.Out, m, ids, all)
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&tokens, "tokens", "", "token ids, such as 1,2,3")
	cmd.Flags().StringVar(&text, "prompt", "", "text to split into tokens instead")
	cmd.Flags().BoolVar(&all, "all", false, "a list for every position, not the last alone")
	return cmd
}

// maxWant is how many positions' logits are asked for at once.
const maxWant = 32

func printLogits(ctx context.Context, out io.Writer, m models.Model, ids []int32, all bool) error {
	sess, err := m.NewSession()
	if err != nil {
		return err
	}
	defer sess.Close()
	w := bufio.NewWriter(out)
	head, _ := json.Marshal(ids)
	fmt.Fprintf(w, `{"tokens":%s,`, head)
	if a := m.Info().Arithmetic; a.Foreign() {
		says, _ := json.Marshal(a)
		fmt.Fprintf(w, `"arith":%s,`, says)
	}
	w.WriteString(`"logits":`)
	if all {
		w.WriteByte('[')
	}
	for from := 0; from < len(ids); {
		n := len(ids) - from
		if all {
			n = min(n, maxWant)
		}
		want := 1
		if all {
			want = n
		}
		rows, err := sess.Forward(ctx, ids[from:from+n], want)
		if err != nil {
			return err
		}
		for i, r := range rows {
			if from+i > 0 && all {
				w.WriteByte(',')
			}
			if err := writeRow(w, r); err != nil {
				return err
			}
		}
		from += n
	}
	if all {
		w.WriteByte(']')
	}
	w.WriteString("}\n")
	return w.Flush()
}

// writeRow writes a row of logits as a JSON array, null where JSON has no
// number; a row that names only some tokens is an object of id and logit.
func writeRow(w *bufio.Writer, r models.Logits) error {
	open, shut := "[", "]"
	if r.IDs != nil {
		open, shut = "{", "}"
	}
	w.WriteString(open)
	var buf []byte
	for i, v := range r.Values {
		if i > 0 {
			w.WriteByte(',')
		}
		if r.IDs != nil {
			fmt.Fprintf(w, `"%d":`, r.IDs[i])
		}
		buf = appendNumber(buf[:0], v)
		w.Write(buf)
	}
	_, err := w.WriteString(shut)
	return err
}

func newModelsTokenize(sys console.System) *cobra.Command {
	var special, add bool
	f := modelFlags{sys: sys}
	cmd := &cobra.Command{
		Use:   "tokenize MODEL < strings.jsonl",
		Short: "split texts into tokens, one JSON string a line",
		Long: `Tokenize reads one JSON string a line and writes {"tokens":[…]} for each, or
{"error":…} for a line that is not one: the exit code is then 1. A GGUF file that
holds a vocabulary and no weights is enough.`,
		Example: `  echo '"Hello world"' | logitscope models tokenize fable
  echo '"<|endoftext|>Hello"' | logitscope models tokenize model.gguf --special`,
		Args: oneModel,
		RunE: func(cmd *cobra.Command, args []string) error {
			opt, err := f.options()
			if err != nil {
				return err
			}
			v, holder, err := open.Vocab(cmd.Context(), args[0], opt)
			if err != nil {
				return console.Wrongly(err)
			}
			defer holder.Close()
			return tokenize(cmd.Context(), sys, v, models.EncodeOptions{ParseSpecial: special, AddSpecial: add})
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&special, "special", false, "read the names of control tokens as those tokens")
	cmd.Flags().BoolVar(&add, "add-special", false, "add what the model expects around a text, such as a BOS token")
	return cmd
}

// tokenize answers one JSON string a line.
func tokenize(ctx context.Context, sys console.System, v models.Vocab, opt models.EncodeOptions) error {
	out := bufio.NewWriter(sys.Out)
	bad := false
	err := console.EachLine(sys.Input, out, func(n int, line []byte, err error) error {
		var text string
		if err == nil && (json.Unmarshal(line, &text) != nil || string(line) == "null") {
			err = errors.New("must be a JSON string")
		}
		ids := []int32{}
		if err == nil {
			var split []int32
			split, err = models.Encode(ctx, v, text, opt)
			ids = append(ids, split...)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			bad = true
			return console.WriteLine(out, struct {
				Error string `json:"error"`
			}{fmt.Sprintf("line %d: %v", n, err)})
		}
		return console.WriteLine(out, struct {
			Tokens []int32 `json:"tokens"`
		}{ids})
	})
	if err == nil && bad {
		err = &console.ExitError{Code: console.ExitFailed}
	}
	return err
}
