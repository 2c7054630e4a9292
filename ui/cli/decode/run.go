package decode

import (
	"bufio"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"logitscope/engine"
	"logitscope/engine/record"
	"logitscope/ui/cli/console"
	"logitscope/ui/cli/setup"
)

// Run returns the command run.
func Run(sys console.System) *cobra.Command {
	var format string
	var top int
	var until string
	cmd := &cobra.Command{
		Use:   "run",
		Short: "decode without a screen: text, or one JSON object a line",
		Long: `Run decodes a prompt and writes the text, or, with --format jsonl, one JSON
object a line: the run, every step with its stages and best tokens, the end.
Without --preset the settings are the engine's own defaults (see --order).`,
		Example: `  logitscope run --prompt "Once upon a time" --preset chat --seed 7
  logitscope run --prompt "The capital of France is" --temperature 0 --format jsonl
  logitscope run --prompt "List three animals:" --json --max-new-tokens 60
  logitscope run --prompt "Once upon a time" --record run.jsonl --rows full
  logitscope run --model table:toy.json --prompt-tokens 1,8 --num-beams 4 --format jsonl`,
		Args: console.NoArgs,
	}
	s := setup.Add(sys, cmd)
	rec := setup.AddRecord(cmd)
	cmd.Flags().StringVar(&format, "format", "text", "text or jsonl")
	cmd.Flags().IntVar(&top, "top", 10, "tokens shown at each step with jsonl")
	cmd.Flags().StringVar(&until, "until", "", "stop at the first step where this holds, as 'raw_bits > 4'; docs/lessons.md has the terms")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if format != "text" && format != "jsonl" {
			return console.Wrong("--format %s: text or jsonl", format)
		}
		if err := setup.CheckTop(top); err != nil {
			return err
		}
		if format != "jsonl" {
			if err := console.Unused(cmd.Flags(), "only --format jsonl shows it", "top"); err != nil {
				return err
			}
		}
		if err := rec.Check(); err != nil {
			return err
		}
		var stop *setup.Until
		if cmd.Flags().Changed("until") {
			var err error
			if stop, err = setup.ParseUntil(until); err != nil {
				return err
			}
		}
		defer rec.Close()
		out := bufio.NewWriter(sys.Out)
		err := headless(cmd.Context(), s, engine.Options{LogitsBudget: rec.Logits(1), Rows: max(top, rec.Rows())}, stop, func(j *setup.Job) (setup.Sink, error) {
			var k setup.Sink = &textSink{w: out, job: j, tty: console.IsTerminal(sys.Out)}
			if format == "jsonl" {
				k = setup.NewJSONSink(out, j, record.Options{Top: top, Rates: true})
			}
			return rec.Beside(k, j, nil)
		})
		err = console.Flushed(out, rec.Closed(err))
		if words := stop.Words(); words != "" {
			console.Complain(sys.Err, errors.New(words))
		}
		return err
	}
	return cmd
}

// headless decodes what the flags describe into the sink; opt lacks the draft.
func headless(ctx context.Context, s *setup.Flags, opt engine.Options, until *setup.Until, newSink func(*setup.Job) (setup.Sink, error)) error {
	j, err := s.Prepare(ctx)
	if err != nil {
		return err
	}
	defer j.Release(ctx)
	if len(j.Prompt) == 0 && (j.Text == "" || !j.Model.Info().Caps.ObserveOnly) {
		return console.Wrong("run needs a prompt: --prompt, --prompt-file or --prompt-tokens")
	}
	if err := until.Bind(j); err != nil {
		return err
	}
	j.Until = until
	s.TellNotes()
	j.Tell = func(v engine.View) { tellExactness(s.Sys, v) }
	out, err := newSink(j)
	if err != nil {
		return err
	}
	opt.Draft = j.Draft
	return j.Decode(ctx, out, opt)
}

// A textSink writes the text as it grows.
type textSink struct {
	w       *bufio.Writer
	job     *setup.Job
	tty     bool // control bytes are made visible: a model's text is not trusted
	written int
}

func (k *textSink) Begin() error { return nil }

// View writes what is new. The text of a search is written at its end: until
// then another one may take the lead.
func (k *textSink) View(v engine.View) error {
	if v.Beam != nil {
		return nil
	}
	return k.grow(v.Text(), v.Unsure())
}

func (k *textSink) End(v engine.View) error {
	if err := k.grow(v.Text()+v.Held(), 0); err != nil {
		return err
	}
	if v.Phase == engine.Failed && k.written == 0 {
		return nil
	}
	_, err := fmt.Fprintln(k.w)
	return err
}

// grow writes what is new in text, all but the last held bytes.
func (k *textSink) grow(text string, held int) error {
	if len(text)-held <= k.written {
		return nil
	}
	piece := text[k.written : len(text)-held]
	k.written += len(piece)
	if k.tty {
		piece = console.Visible(piece)
	}
	if _, err := k.w.WriteString(piece); err != nil {
		return err
	}
	return k.w.Flush()
}
