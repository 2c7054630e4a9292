package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"logitscope/engine/sweep"
)

// outputWidth returns the width of the terminal w writes to, 0 if it is none.
func outputWidth(w io.Writer) int {
	if f, ok := unfiltered(w).(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return width
		}
	}
	return 0
}

// A sweepBar shows how far a sweep is: a bar that is drawn over on a
// terminal, and elsewhere a line now and then.
type sweepBar struct {
	w     io.Writer
	tty   bool
	now   func() time.Time
	began time.Time
	drawn time.Time
	last  sweep.Progress
}

const (
	barEvery  = 100 * time.Millisecond
	lineEvery = 30 * time.Second
	barCells  = 24
)

func newSweepBar(sys System) *sweepBar {
	now := time.Now()
	return &sweepBar{w: unfiltered(sys.Err), tty: isTerminal(sys.Err), now: time.Now, began: now, drawn: now}
}

// show takes the newest state. It is called from one goroutine at a time.
func (b *sweepBar) show(p sweep.Progress) {
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
func (b *sweepBar) text(now time.Time) string {
	p := b.last
	line := fmt.Sprintf("%d of %d cells", p.CellsDone, p.Cells)
	if p.Reused > 0 {
		line += fmt.Sprintf(", %d from disk", p.Reused)
	}
	if p.TextsDone > 0 && p.TextsDone < p.Texts {
		left := now.Sub(b.began) * time.Duration(p.Texts-p.TextsDone) / time.Duration(p.TextsDone)
		line += ", " + left.Round(time.Second).String() + " left"
	}
	if !b.tty {
		return line
	}
	full := 0
	if p.Texts > 0 {
		full = barCells * p.TextsDone / p.Texts
	}
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", barCells-full) + "] " + line
}

// end clears the bar.
func (b *sweepBar) end() {
	if b.tty && b.drawn != b.began {
		fmt.Fprint(b.w, "\r\x1b[K")
	}
}
