package model

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"logitscope/models/hub"
	"logitscope/ui/cli/console"
	"logitscope/viz"
)

func newModelsPull(sys console.System) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "pull hf:OWNER/REPO/FILE.gguf",
		Short: "download a model file from a hub",
		Long: `Pull downloads a file, goes on where an earlier try stopped, checks its SHA-256
where the hub states one, and prints the path of the finished file. HF_TOKEN and
HF_ENDPOINT are honoured.`,
		Example: "  logitscope models pull hf:owner/repo/model-q8_0.gguf",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return console.Wrong("models pull: want one file: hf:OWNER/REPO/FILE.gguf")
			}
			ref, err := hub.ParseRef(args[0])
			if err != nil {
				return console.Wrongly(err)
			}
			if dir == "" {
				dir = console.ModelDir(sys)
			}
			bar := &progress{w: console.Unfiltered(sys.Err), name: viz.Printable(ref.File, false), tty: console.IsTerminal(sys.Err)}
			path, err := hub.Pull(cmd.Context(), ref, hub.Options{
				Endpoint: sys.Getenv("HF_ENDPOINT"), Token: sys.Getenv("HF_TOKEN"), Dir: dir, Progress: bar.show,
			})
			bar.End()
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(sys.Out, path)
			return err
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "folder to keep the file in; the default is the platform's cache")
	return cmd
}

// A progress draws a line on a terminal, or nothing elsewhere.
type progress struct {
	w     io.Writer
	name  string
	tty   bool
	began time.Time
	from  int64
	last  time.Time
	drawn bool
}

func (p *progress) show(done, total int64) {
	now := time.Now()
	if p.began.IsZero() {
		p.began, p.from = now, done
	}
	if !p.tty || now.Sub(p.last) < 100*time.Millisecond {
		return
	}
	p.last, p.drawn = now, true
	rate := float64(done-p.from) / max(now.Sub(p.began).Seconds(), 0.001)
	share, left := "", ""
	if total > 0 {
		share = fmt.Sprintf(" of %s, %d%%", viz.Bytes(total), 100*done/total)
		if rate > 0 {
			left = ", " + time.Duration(float64(total-done)/rate*float64(time.Second)).Round(time.Second).String() + " left"
		}
	}
	fmt.Fprintf(p.w, "\r\x1b[K%s  %s%s, %s/s%s", p.name, viz.Bytes(done), share, viz.Bytes(int64(rate)), left)
}

func (p *progress) End() {
	if p.drawn {
		fmt.Fprintln(p.w)
	}
}
