package screen

import (
	"fmt"
	"io"
	"time"

	"logitscope/viz"
)

// openingPause is how long a model may take to open before the screen says
// what is being waited for.
const openingPause = 100 * time.Millisecond

// opening runs open, and if that takes longer than pause says so in one line
// on the terminal w, which is empty again when it returns.
func opening(w io.Writer, name string, pause time.Duration, open func() error) error {
	done := make(chan error, 1)
	go func() { done <- open() }()
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case err := <-done:
		return err
	case <-t.C:
	}
	fmt.Fprintf(w, "opening %s … (ctrl+c leaves)", viz.Printable(name, false))
	err := <-done
	fmt.Fprint(w, "\r\x1b[2K")
	return err
}
