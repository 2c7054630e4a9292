package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"logitscope/engine"
	"logitscope/engine/record"
	"logitscope/models"
	"logitscope/models/chat"
	"logitscope/sampling"
)

// batch is how many tokens a headless run asks its lane for at a time: enough
// to keep it busy, few enough that no step is old before it is written.
const batch = 256

func newRun(sys System) *cobra.Command {
	var format string
	var top int
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
		Args: noArgs,
	}
	s := addShared(sys, cmd)
	rec := addRecord(cmd)
	cmd.Flags().StringVar(&format, "format", "text", "text or jsonl")
	cmd.Flags().IntVar(&top, "top", 10, "tokens shown at each step with jsonl")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if format != "text" && format != "jsonl" {
			return wrong("--format %s: text or jsonl", format)
		}
		if err := checkTop(top); err != nil {
			return err
		}
		if err := rec.check(); err != nil {
			return err
		}
		defer rec.close()
		out := bufio.NewWriter(sys.Out)
		err := headless(cmd.Context(), s, rec.logits(1), func(j *job) (sink, error) {
			var k sink = &textSink{w: out, job: j, tty: isTerminal(sys.Out)}
			if format == "jsonl" {
				k = newJSONSink(out, j, record.Options{Top: top, Rates: true})
			}
			return rec.beside(k, j, nil)
		})
		return flushed(out, rec.closed(err))
	}
	return cmd
}

// checkTop checks --top.
func checkTop(top int) error {
	if top < 0 || top > sampling.MaxRows {
		return wrong("--top %d: 0 to %d", top, sampling.MaxRows)
	}
	return nil
}

// flushed writes what out still holds and returns err, or what went wrong
// with that: a disk may be full.
func flushed(out *bufio.Writer, err error) error {
	if ferr := out.Flush(); err == nil {
		return ferr
	}
	return err
}

// noArgs refuses arguments that are no flags.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		if s := switchOf(cmd, args[0]); s != "" {
			return wrong("--%s %s: it is a switch; --%s=%s", s, args[0], s, args[0])
		}
		if cmd.HasSubCommands() {
			var names []string
			for _, c := range cmd.Commands() {
				if c.IsAvailableCommand() {
					names = append(names, c.Name())
				}
			}
			return wrong("%s: no such command; %s", args[0], strings.Join(names, ", "))
		}
		return wrong("%s: unexpected argument; flags only, see %s --help", args[0], cmd.CommandPath())
	}
	return nil
}

// switchOf is the switch that an argument was meant for as its value, as in
// "--do-sample true"; empty if it cannot be one. Of several it is the first.
func switchOf(cmd *cobra.Command, arg string) (name string) {
	if _, err := strconv.ParseBool(arg); err != nil {
		return ""
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if name == "" && f.NoOptDefVal == "true" && f.Value.String() == "true" {
			name = f.Name
		}
	})
	return name
}

// A job is one lane's worth of decoding: what the flags asked for, made ready.
type job struct {
	model    models.Model
	draft    engine.Draft
	compiler *engine.Compiler
	settings *engine.Settings
	text     string
	prompt   []int32
	talk     *chat.Conversation // that the prompt renders; nil for a plain text
	ends     chat.Ends          // of the model's turn in it
	turns    []models.Message   // for a server that wraps them itself
	config   sampling.Config    // of settings, without what ends the turn

	// tell says what a reader of the text should know, once it has ended; it
	// may be nil.
	tell func(engine.View)
}

// A sink takes the views of a headless run as they come.
type sink interface {
	begin() error
	view(v engine.View) error // may see a step several times, and always all before it
	end(v engine.View) error
}

// headless decodes what the flags describe into the sink.
func headless(ctx context.Context, s *shared, logits int64, newSink func(*job) (sink, error)) error {
	j, err := s.prepare(ctx)
	if err != nil {
		return err
	}
	defer j.release(ctx)
	if len(j.prompt) == 0 && (j.text == "" || !j.model.Info().Caps.ObserveOnly) {
		return wrong("run needs a prompt: --prompt, --prompt-file or --prompt-tokens")
	}
	s.tellNotes()
	j.tell = func(v engine.View) { tellExactness(s.sys, v) }
	out, err := newSink(j)
	if err != nil {
		return err
	}
	return j.decode(ctx, out, engine.Options{Draft: j.draft, LogitsBudget: logits})
}

// decode runs one lane to its end.
func (j *job) decode(ctx context.Context, out sink, opt engine.Options) error {
	lane := engine.NewLane(0, j.model, opt)
	lane.Post(engine.Start{Text: j.text, Prompt: j.prompt, Settings: j.settings, Turns: j.turns})
	lane.Post(engine.Advance{N: batch})
	wait, stop := background(ctx, lane.Run)
	defer stop()
	if err := out.begin(); err != nil {
		return err
	}
	var last engine.View
	for {
		select {
		case v, ok := <-lane.Views():
			if !ok {
				return wait()
			}
			last = v
			if err := out.view(v); err != nil {
				return err
			}
			switch v.Phase {
			case engine.Done, engine.Failed:
				return finish(out, v, j.tell)
			case engine.Paused:
				lane.Post(engine.Advance{N: batch})
			}
		case <-ctx.Done():
			if err := finish(out, last, j.tell); err != nil {
				return err
			}
			return &exitError{exitInterrupted}
		}
	}
}

// background runs f until stop, whatever becomes of ctx: the end of a run is
// still to be written then. After stop nothing uses the models any more, so
// that they may be closed, unless ctx has ended: a mask that takes long to find
// keeps nobody waiting. wait waits for f and returns its error.
func background(ctx context.Context, f func(context.Context) error) (wait func() error, stop func()) {
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	var err error
	go func() {
		defer close(done)
		err = f(inner)
	}()
	wait = func() error { <-done; return err }
	return wait, func() {
		cancel()
		select {
		case <-done:
		case <-ctx.Done():
		}
	}
}

// finish writes the end of a run and turns a failure into the exit code.
func finish(out sink, v engine.View, tell func(engine.View)) error {
	if err := out.end(v); err != nil {
		return err
	}
	if tell != nil {
		tell(v)
	}
	if v.Phase == engine.Failed {
		return v.Err
	}
	return unfinished(v)
}

// cutShort says why a text can have ended before its constraint was met.
var cutShort = map[engine.Reason]string{
	engine.Length:      "max_new_tokens was too small",
	engine.ContextFull: "the context was too small",
	engine.Repetition:  "it repeated itself",
}

// unfinished is an error for a text that ended before its constraint was met:
// a beginning can look like the whole, as 12 does of 1234.
func unfinished(v engine.View) error {
	why, ok := cutShort[v.Reason]
	if v.Phase != engine.Done || !ok {
		return nil
	}
	if n, unmet := v.Unmet(); unmet {
		return fmt.Errorf("the text does not meet its constraint: %s (bytes missing: %d)", why, n)
	}
	return nil
}

// writeLine writes v as one line of JSON.
func writeLine(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// A jsonSink writes the lines of a run.
type jsonSink struct {
	*record.Writer
	job *job
}

func newJSONSink(w io.Writer, j *job, opt record.Options) *jsonSink {
	if j.talk != nil {
		opt.Messages = func(string) []chat.Message { return j.talk.Messages }
	}
	return &jsonSink{record.NewWriter(w, j.model, opt), j}
}

func (k *jsonSink) begin() error             { return k.Begin(k.job.text, k.job.prompt, k.job.settings) }
func (k *jsonSink) view(v engine.View) error { return k.View(v) }
func (k *jsonSink) end(v engine.View) error  { return k.End(v) }

// sinks are several sinks as one.
type sinks []sink

func (all sinks) begin() error { return all.each(sink.begin) }
func (all sinks) view(v engine.View) error {
	return all.each(func(s sink) error { return s.view(v) })
}
func (all sinks) end(v engine.View) error {
	return all.each(func(s sink) error { return s.end(v) })
}

func (all sinks) each(f func(sink) error) error {
	for _, s := range all {
		if err := f(s); err != nil {
			return err
		}
	}
	return nil
}

// A textSink writes the text as it grows.
type textSink struct {
	w       *bufio.Writer
	job     *job
	tty     bool // control bytes are made visible: a model's text is not trusted
	written int
}

func (k *textSink) begin() error { return nil }

// view writes what is new. The text of a search is written at its end: until
// then another one may take the lead.
func (k *textSink) view(v engine.View) error {
	if v.Beam != nil {
		return nil
	}
	return k.grow(v.Text(), v.Unsure())
}

func (k *textSink) end(v engine.View) error {
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
		piece = visible(piece)
	}
	if _, err := k.w.WriteString(piece); err != nil {
		return err
	}
	return k.w.Flush()
}
