// Package wire answers: what is sent to the terminal, and when? Frames come
// from the screen's goroutine; a goroutine of its own sends the cells that
// differ from what the terminal shows. A line that is slow gets fewer frames,
// each of them the newest, and the answer to a key goes out at once.
package wire

import (
	"bytes"
	"io"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"logitscope/viz"
)

// A Terminal is the output of a program whose frames it paints itself. What
// else the program writes, such as modes of the terminal, is passed on. It is
// safe for concurrent use.
type Terminal struct {
	out  io.Writer
	pal  *viz.Palette
	wake chan struct{} // there is something to send
	done chan struct{}

	mu     sync.Mutex
	newest *viz.Canvas // to be shown; nil before the first
	soon   bool        // it answers a key
	closed bool

	sending sync.Mutex  // held while out is written to
	shown   *viz.Canvas // what the terminal shows; nil where that is not known
	own     bool        // the alternate screen is on: the terminal is the program's
}

// New returns a terminal that paints on out with the sequences of pal. Close
// ends it.
func New(out io.Writer, pal *viz.Palette) *Terminal {
	t := &Terminal{out: out, pal: pal, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go t.paint()
	return t
}

// Output is what the program is to write to: a file where out is one, since
// the program asks it for its size.
func (t *Terminal) Output() io.Writer {
	if f, ok := t.out.(term.File); ok {
		return &file{f, t}
	}
	return t
}

// A file is a terminal that is a file.
type file struct {
	term.File
	t *Terminal
}

func (f *file) Write(b []byte) (int, error) { return f.t.Write(b) }

// Sequences after which the terminal is the program's, and is not any more.
var (
	enters = []byte(ansi.SetMode(ansi.ModeAltScreenSaveCursor))
	leaves = []byte(ansi.ResetMode(ansi.ModeAltScreenSaveCursor))
)

// Write passes b on. What the terminal shows afterwards is not known, so the
// newest frame is painted anew.
func (t *Terminal) Write(b []byte) (int, error) {
	t.sending.Lock()
	defer t.sending.Unlock()
	if in, out := bytes.LastIndex(b, enters), bytes.LastIndex(b, leaves); in != out {
		t.own = in > out
	}
	t.shown = nil
	n, err := t.out.Write(b)
	t.call()
	return n, err
}

// Show makes c the frame to be shown; soon sends it before its time, as the
// answer to a key. c must not be changed any more.
func (t *Terminal) Show(c *viz.Canvas, soon bool) {
	t.mu.Lock()
	t.newest, t.soon = c, t.soon || soon
	t.mu.Unlock()
	t.call()
}

func (t *Terminal) call() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// Close sends the newest frame and ends the painting.
func (t *Terminal) Close() {
	t.mu.Lock()
	closed := t.closed
	t.closed = true
	t.mu.Unlock()
	if !closed {
		t.call()
	}
	<-t.done
}

// pause is how long the line is left to other frames after one took d to be
// written, so that what waits in it does not grow: a key's answer would come
// after it.
func pause(d time.Duration) time.Duration { return max(time.Second/60, min(3*d, 2*time.Second)) }

// paint sends frames until the terminal is closed.
func (t *Terminal) paint() {
	defer close(t.done)
	var free time.Time // when the next frame may go
	for range t.wake {
		t.mu.Lock()
		soon, closed := t.soon, t.closed
		t.mu.Unlock()
		if wait := time.Until(free); wait > 0 && !soon && !closed {
			timer := time.NewTimer(wait)
			for waiting := true; waiting; {
				select {
				case <-timer.C:
					waiting = false
				case <-t.wake:
					t.mu.Lock()
					waiting = !t.soon && !t.closed
					t.mu.Unlock()
				}
			}
			timer.Stop()
		}
		took, closed := t.send()
		if closed {
			return
		}
		free = time.Now().Add(pause(took))
	}
}

// send brings the terminal to the newest frame. It returns how long that took,
// and whether the terminal is closed.
func (t *Terminal) send() (time.Duration, bool) {
	t.mu.Lock()
	c, closed := t.newest, t.closed
	t.soon = false
	t.mu.Unlock()
	t.sending.Lock()
	defer t.sending.Unlock()
	if c == nil || !t.own {
		return 0, closed
	}
	s := c.Update(t.shown, t.pal)
	t.shown = c
	if s == "" {
		return 0, closed
	}
	start := time.Now()
	if _, err := io.WriteString(t.out, s); err != nil {
		t.shown = nil
	}
	return time.Since(start), closed
}
