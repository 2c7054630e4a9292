// Package cli is the command line: each command parses its flags, wires the
// packages that do the work, and runs them. It decides nothing about decoding.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spf13/pflag"
	"logitscope/ui/tui"

	"logitscope/viz"
)

// Exit codes.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// A System is what the program needs of the world around it.
type System struct {
	Args   []string // without the program's name
	In     io.Reader
	Out    io.Writer
	Err    io.Writer
	Getenv func(string) string

	Licenses fs.FS // the files that --licenses prints, in their order by name; nil for none

	input io.Reader // In, for all but the screen: reading it ends with the context
}

// Main runs the command line and returns the exit code. The licences are files
// that --licenses prints.
func Main(licenses fs.FS) int {
	ctx, stop := tui.Signalled(context.Background())
	defer stop()
	return Run(ctx, System{Args: os.Args[1:], In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Licenses: licenses})
}

// Run runs the command line in sys until ctx ends and returns the exit code.
// Errors are one line on sys.Err.
func Run(ctx context.Context, sys System) int {
	sys.input = newInterruptible(ctx, sys.In)
	sys.Out, sys.Err = filtered(sys.Out), filtered(sys.Err)
	for _, w := range []io.Writer{sys.Out, sys.Err} {
		if t, ok := w.(*textWriter); ok {
			defer t.close()
		}
	}
	root := newRoot(sys)
	root.SetArgs(sys.Args)
	root.SetIn(sys.In)
	root.SetOut(sys.Out)
	root.SetErr(sys.Err)
	err := root.ExecuteContext(ctx)
	var usage *usageError
	var exit *exitError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &exit):
		return exit.code
	case ctx.Err() != nil:
		return exitInterrupted
	case errors.As(err, &usage):
		complain(sys.Err, usage.err)
		return exitUsage
	}
	complain(sys.Err, err)
	return exitFailed
}

// complain writes err; what several checks found at once stays one line each.
// What a file or a flag brought along reaches the terminal as visible escapes.
func complain(w io.Writer, err error) {
	for line := range strings.SplitSeq(strings.TrimSpace(err.Error()), "\n") {
		fmt.Fprintln(w, "logitscope: "+viz.Printable(bounded(line), false))
	}
}

// longestLine bounds a line of an error: what a file or a flag brought along
// may be of any length, and what is wrong with it stands around it.
const longestLine = 1000

// bounded takes the middle out of a line that is too long.
func bounded(line string) string {
	r := []rune(line)
	if len(r) <= longestLine {
		return line
	}
	const side = longestLine/2 - 20
	return fmt.Sprintf("%s … %d characters … %s", string(r[:side]), len(r)-2*side, string(r[len(r)-side:]))
}

// A usageError is a wrong use of the command line.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func wrong(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// wrongly marks err, if there is one, as a wrong use.
func wrongly(err error) error {
	if err == nil {
		return nil
	}
	return &usageError{err}
}

// An exitError ends the program with a code of its own; what there was to say
// has been said.
type exitError struct{ code int }

func (e *exitError) Error() string { return fmt.Sprintf("exit %d", e.code) }

// Root returns the command line, for those who describe it: man pages and
// shells' completions. It is not to be run.
func Root() *cobra.Command { return newRoot(System{Getenv: func(string) string { return "" }}) }

func newRoot(sys System) *cobra.Command {
	root := newLab(sys)
	root.SilenceUsage, root.SilenceErrors = true, true
	root.Version = version()
	addLicenses(sys, root)
	root.SetVersionTemplate("logitscope {{.Version}}\n")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return wrongly(flagError(err)) })
	root.SetGlobalNormalizationFunc(underscores)
	root.CompletionOptions.HiddenDefaultCmd = true
	for _, command := range []func(System) *cobra.Command{
		newRun,
		newReplay,
		newShot,
		newScore,
		newCompare,
		newSweep,
		newBench,
		newTune,
		newVote,
		newCheck,
		newStats,
		newTrace,
		newConstrain,
		newConfig,
		newModels,
		newStorage,
	} {
		root.AddCommand(command(sys))
	}
	return root
}

// flagTypes are the types of flags that are not parameters, in words.
var flagTypes = map[string]string{"int": "want a whole number", "bool": "want true or false"}

// flagError says why the value of a flag cannot be read, in the words of all
// other errors; a parameter's flag names the parameter's allowed values.
func flagError(err error) error {
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		return err
	}
	f := bad.GetFlag()
	why := flagTypes[f.Value.Type()]
	if p, ok := f.Value.(*paramFlag); ok {
		why = withoutKey(p.param.Key, bad.Unwrap())
	}
	if why == "" {
		return err
	}
	return fmt.Errorf("--%s %s: %s", f.Name, bad.GetValue(), why)
}
