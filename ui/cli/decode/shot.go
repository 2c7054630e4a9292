package decode

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"logitscope/ui/cli/console"
	"logitscope/ui/cli/screen"
	"logitscope/ui/cli/setup"
	"logitscope/ui/tui"
)

// Shot returns the command shot.
func Shot(sys console.System) *cobra.Command {
	var keys, size string
	cmd := &cobra.Command{
		Use:   "shot",
		Short: "the lab's screen after some keys, as SVG on standard output",
		Long: `Shot opens the lab without a terminal, presses the keys one after the other,
waiting each time until everything is done, and writes the screen as SVG. The
same keys give the same bytes. Keys are separated by blanks and have the names
that a keys file has: n, space, enter, ctrl+d, shift+tab.`,
		Example: `  logitscope shot --keys "n n n tab" --size 120x40 > lab.svg`,
		Args:    console.NoArgs,
	}
	l := screen.Add(setup.Add(sys, cmd), cmd)
	cmd.Flags().StringVar(&keys, "keys", "", "keys to press, separated by blanks")
	cmd.Flags().StringVar(&size, "size", "120x40", "the screen in cells: WxH")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		w, h, err := screen.SizeOf(size)
		if err != nil {
			return err
		}
		return shot(cmd.Context(), l, w, h, strings.Fields(keys))
	}
	return cmd
}

// shot writes the screen after keys.
func shot(ctx context.Context, l *screen.Lab, w, h int, keys []string) error {
	l.AsLab()
	j, err := l.Prepare(ctx)
	if err != nil {
		return err
	}
	defer j.Release(ctx)
	o, err := tui.NewOffscreen(ctx, l.Screen(ctx, []*setup.Job{j}, false), w, h)
	if err != nil {
		return err
	}
	defer o.Close()
	if err := o.Press(keys...); err != nil {
		return console.Wrong("--keys %w", err)
	}
	_, err = io.WriteString(l.Sys.Out, o.Frame().SVG("logitscope"))
	return err
}
