package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"logitscope/ui/tui"
)

func newShot(sys System) *cobra.Command {
	var keys, size string
	cmd := &cobra.Command{
		Use:   "shot",
		Short: "the lab's screen after some keys, as SVG on standard output",
		Long: `Shot opens the lab without a terminal, presses the keys one after the other,
waiting each time until everything is done, and writes the screen as SVG. The
same keys give the same bytes. Keys are separated by blanks and have the names
that a keys file has: n, space, enter, ctrl+d, shift+tab.`,
		Example: `  logitscope shot --keys "n n n tab" --size 120x40 > lab.svg`,
		Args:    noArgs,
	}
	l := addScreen(addShared(sys, cmd), cmd)
	cmd.Flags().StringVar(&keys, "keys", "", "keys to press, separated by blanks")
	cmd.Flags().StringVar(&size, "size", "120x40", "the screen in cells: WxH")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		w, h, err := sizeOf(size)
		if err != nil {
			return err
		}
		return shot(cmd.Context(), l, w, h, strings.Fields(keys))
	}
	return cmd
}

// sizeOf reads WxH.
func sizeOf(s string) (w, h int, err error) {
	_, err = fmt.Sscanf(s, "%dx%d", &w, &h)
	if err != nil || s != fmt.Sprintf("%dx%d", w, h) || w < 40 || h < 12 || w > 400 || h > 200 {
		return 0, 0, wrong("--size %s: want WxH in cells, 40x12 to 400x200", s)
	}
	return w, h, nil
}

// shot writes the screen after keys.
func shot(ctx context.Context, l *lab, w, h int, keys []string) error {
	l.asLab()
	j, err := l.prepare(ctx)
	if err != nil {
		return err
	}
	defer j.release(ctx)
	o, err := tui.NewOffscreen(ctx, l.screen(ctx, []*job{j}, false), w, h)
	if err != nil {
		return err
	}
	defer o.Close()
	if err := o.Press(keys...); err != nil {
		return wrong("--keys %w", err)
	}
	_, err = io.WriteString(l.sys.Out, o.Frame().SVG("logitscope"))
	return err
}
