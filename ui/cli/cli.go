// Package cli answers: which commands are there? Each is built in a room below, a
// family of commands a room; all begin with console, setup, report and screen. A
// command parses its flags, wires the packages that do the work, and runs them; it
// decides nothing about decoding.
package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"logitscope/ui/cli/answer"
	"logitscope/ui/cli/config"
	"logitscope/ui/cli/console"
	"logitscope/ui/cli/decode"
	"logitscope/ui/cli/measure"
	"logitscope/ui/cli/model"
	"logitscope/ui/cli/setup"
	"logitscope/ui/cli/teach"
	"logitscope/ui/tui"
)

// Main runs the command line and returns the exit code. The licences are files
// that --licenses prints.
func Main(licenses fs.FS) int {
	ctx, stop := tui.Signalled(context.Background())
	defer stop()
	return Run(ctx, console.System{Args: os.Args[1:], In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Licenses: licenses})
}

// Run runs the command line in sys until ctx ends and returns the exit code.
// Errors are one line on sys.Err.
func Run(ctx context.Context, sys console.System) int {
	sys.Input = console.NewInterruptible(ctx, sys.In)
	sys.Out, sys.Err = console.Filtered(sys.Out), console.Filtered(sys.Err)
	for _, w := range []io.Writer{sys.Out, sys.Err} {
		if t, ok := w.(*console.TextWriter); ok {
			defer t.Close()
		}
	}
	out := console.Keep(sys.Out)
	sys.Out, sys.Err = out, console.Keep(sys.Err)
	root := newRoot(sys)
	root.SetArgs(sys.Args)
	root.SetIn(sys.In)
	root.SetOut(sys.Out)
	root.SetErr(sys.Err)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = out.Err()
	}
	var usage *console.UsageError
	var exit *console.ExitError
	switch {
	case err == nil:
		return console.ExitDone
	case errors.As(err, &exit):
		return exit.Code
	case ctx.Err() != nil:
		return console.ExitInterrupted
	case errors.As(err, &usage):
		console.Complain(sys.Err, usage.Err)
		return console.ExitUsage
	}
	console.Complain(sys.Err, err)
	return console.ExitFailed
}

// Root returns the command line, for those who describe it: man pages and
// shells' completions. It is not to be run.
func Root() *cobra.Command { return newRoot(console.System{Getenv: func(string) string { return "" }}) }

func newRoot(sys console.System) *cobra.Command {
	root := decode.Lab(sys)
	root.SilenceUsage, root.SilenceErrors = true, true
	root.Version = console.Version()
	addLicenses(sys, root)
	root.SetVersionTemplate("logitscope {{.Version}}\n")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return console.Wrongly(setup.FlagError(err)) })
	root.SetUsageFunc(setup.Usage)
	root.SetGlobalNormalizationFunc(underscores)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error { return console.CheckNames(cmd.Flags(), args) }
	for _, command := range []func(console.System) *cobra.Command{
		decode.Run,
		decode.Replay,
		decode.Shot,
		measure.Score,
		decode.Compare,
		measure.Sweep,
		measure.Bench,
		measure.Tune,
		measure.Vote,
		answer.Check,
		answer.Stats,
		answer.Trace,
		answer.Constrain,
		config.Config,
		model.Models,
		config.Storage,
		teach.Lesson,
		teach.Lessons,
		teach.Class,
	} {
		root.AddCommand(command(sys))
	}
	return root
}

// underscores lets every flag be written as its parameter's key: --top_p is
// --top-p.
func underscores(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	return pflag.NormalizedName(strings.ReplaceAll(name, "_", "-"))
}
