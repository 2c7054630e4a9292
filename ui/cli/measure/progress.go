package measure

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"logitscope/engine/bench"
	"logitscope/engine/bench/prompts"
	"logitscope/ui/cli/console"
)

// A progressBar shows how far a run is: a bar that is drawn over on a
// terminal, and elsewhere a line now and then.
type progressBar struct {
	w     io.Writer
	tty   bool
	now   func() time.Time
	began time.Time
	drawn time.Time
	last  bench.Progress
}

const (
	barEvery  = 100 * time.Millisecond
	lineEvery = 30 * time.Second
	barCells  = 24
)

func newProgressBar(sys console.System) *progressBar {
	now := time.Now()
	b := &progressBar{w: sys.Err, tty: console.IsTerminal(sys.Err), now: time.Now, began: now, drawn: now}
	if b.tty {
		b.w = console.Unfiltered(sys.Err)
	}
	return b
}

// show takes the newest state. It is called from one goroutine at a time.
func (b *progressBar) show(p bench.Progress) {
	now := b.now()
	b.last = p
	every := lineEvery
	if b.tty {
		every = barEvery
	}
	if now.Sub(b.drawn) < every {
		return
	}
	b.drawn = now
	if b.tty {
		fmt.Fprintf(b.w, "\r\x1b[K%s", b.text(now))
		return
	}
	fmt.Fprintln(b.w, b.text(now))
}

// text is the line for a moment.
func (b *progressBar) text(now time.Time) string {
	p := b.last
	line := fmt.Sprintf("%d of %d texts", p.Done, p.Texts)
	if p.Reused > 0 {
		line += fmt.Sprintf(", %d from disk", p.Reused)
	}
	if p.Failed > 0 {
		line += fmt.Sprintf(", %d failed", p.Failed)
	}
	took := now.Sub(b.began)
	if seconds := took.Seconds(); seconds > 0 && p.Tokens > 0 {
		line += fmt.Sprintf(", %.0f tokens/s", float64(p.Tokens)/seconds)
	}
	decoded, over := p.Done-p.Reused+p.Failed, p.Texts-p.Done-p.Failed
	if decoded > 0 && over > 0 {
		left := took * time.Duration(over) / time.Duration(decoded)
		line += ", " + left.Round(time.Second).String() + " left"
	}
	if !b.tty {
		return line
	}
	full := 0
	if p.Texts > 0 {
		full = barCells * (p.Done + p.Failed) / p.Texts
	}
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", barCells-full) + "] " + line
}

// interrupted says what is kept.
func (b *progressBar) interrupted(dir string) error {
	if b.last.Texts == 0 {
		fmt.Fprintln(b.w, "logitscope: interrupted before the first text")
		return &console.ExitError{Code: console.ExitInterrupted}
	}
	fmt.Fprintf(b.w, "logitscope: interrupted; %d of %d texts are kept in %s, and the same command goes on there\n", b.last.Done, b.last.Texts, dir)
	return &console.ExitError{Code: console.ExitInterrupted}
}

// runError puts the flag in front of what is wrong with the folder of finished
// texts, or with prompts that the model cannot read.
func (f *benchFlags) runError(dir string, err error) error {
	var file *fs.PathError
	var bad *prompts.BadError
	switch {
	case errors.As(err, &file):
		return fmt.Errorf("--dir %s: %w", dir, file.Err)
	case errors.As(err, &bad) && f.prompts != "":
		return console.Flagged("--prompts "+f.prompts+":", err)
	case errors.As(err, &bad):
		return console.Flagged("--prompt:", err)
	}
	return err
}

// End clears the bar.
func (b *progressBar) End() {
	if b.tty && b.drawn != b.began {
		fmt.Fprint(b.w, "\r\x1b[K")
	}
}
