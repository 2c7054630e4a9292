package handout

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// A Cast writes an asciicast, version 2: what a terminal of a fixed size got,
// and when. It is safe for concurrent use.
type Cast struct {
	mu   sync.Mutex
	w    io.Writer
	rows []string // as last written by Frame
	held []byte   // the beginning of a character, from Output
	err  error
}

// NewCast writes the head of a cast.
func NewCast(w io.Writer, title string, wide, high int) *Cast {
	c := &Cast{w: w}
	c.line(map[string]any{"version": 2, "width": wide, "height": high, "title": title, "env": map[string]string{"TERM": "xterm-256color"}})
	return c
}

func (c *Cast) line(v any) {
	if c.err != nil {
		return
	}
	b, err := json.Marshal(v)
	if err == nil {
		_, err = c.w.Write(append(b, '\n'))
	}
	c.err = err
}

func (c *Cast) event(at time.Duration, kind, data string) {
	c.line([3]any{json.Number(fmt.Sprintf("%.3f", at.Seconds())), kind, data})
}

// Frame shows a screen: rows of text with the sequences that colour them. Only
// rows that changed are written.
func (c *Cast) Frame(at time.Duration, screen string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	rows := strings.Split(screen, "\n")
	var b strings.Builder
	if c.rows == nil {
		b.WriteString("\x1b[?25l\x1b[2J")
	}
	for y, row := range rows {
		if y >= len(c.rows) || c.rows[y] != row {
			fmt.Fprintf(&b, "\x1b[%d;1H%s\x1b[0m", y+1, row)
		}
	}
	c.rows = rows
	if b.Len() > 0 {
		c.event(at, "o", b.String())
	}
}

// Output is what was written to the terminal. A character that is cut in two
// is written with the output after it.
func (c *Cast) Output(at time.Duration, data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = append(c.held, data...)
	n := len(c.held)
	for k := 1; k <= min(n, utf8.UTFMax-1); k++ {
		if utf8.RuneStart(c.held[n-k]) {
			if !utf8.FullRune(c.held[n-k:]) {
				n -= k
			}
			break
		}
	}
	if n > 0 {
		c.event(at, "o", string(c.held[:n]))
		c.held = append(c.held[:0], c.held[n:]...)
	}
}

// Marker names a moment.
func (c *Cast) Marker(at time.Duration, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.event(at, "m", text)
}

// Resize says that the terminal has another size.
func (c *Cast) Resize(at time.Duration, wide, high int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.event(at, "r", fmt.Sprintf("%dx%d", wide, high))
}

// Err returns what went wrong with writing.
func (c *Cast) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}
