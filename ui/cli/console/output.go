package console

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// IsTerminal reports whether w writes to a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := Unfiltered(w).(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Filtered returns a writer for the text of commands. On a terminal, bytes
// that steer it become visible escapes, wherever they come from: a model, a
// preset, a server. Elsewhere w takes everything as it is.
func Filtered(w io.Writer) io.Writer {
	if IsTerminal(w) {
		return &TextWriter{w: w}
	}
	return w
}

// Unfiltered returns the writer behind w, for those that draw.
func Unfiltered(w io.Writer) io.Writer {
	for {
		switch t := w.(type) {
		case *TextWriter:
			w = t.w
		case *Kept:
			w = t.w
		default:
			return w
		}
	}
}

// Kept is a writer that takes one write at a time, since notices come from
// goroutines of their own, and keeps its first error: of a table or a help text
// that nobody asks line by line whether it was written.
type Kept struct {
	w   io.Writer
	mu  sync.Mutex
	err error
}

// Keep returns a writer to w for any goroutine, which keeps its first error.
func Keep(w io.Writer) *Kept { return &Kept{w: w} }

// Write writes p.
func (k *Kept) Write(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	n, err := k.w.Write(p)
	if k.err == nil {
		k.err = err
	}
	return n, err
}

// Err is the first error of a Write, nil for none.
func (k *Kept) Err() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.err
}

// A TextWriter writes text to a terminal. Control characters other than line
// feed and tab, and those that turn the direction of writing, become \u and
// four digits, which in JSON means the same character; bytes that are no
// UTF-8 become \x and two.
type TextWriter struct {
	w    io.Writer
	tail []byte // the beginning of a character that the last write ended in
	buf  []byte
}

// Write writes p. A character may be spread over several calls.
func (t *TextWriter) Write(p []byte) (int, error) {
	in := p
	if len(t.tail) > 0 {
		in = append(t.tail, p...)
		t.tail = nil
	}
	t.buf = t.buf[:0]
	for len(in) > 0 {
		r, n := utf8.DecodeRune(in)
		switch {
		case r == utf8.RuneError && n == 1 && !utf8.FullRune(in):
			t.tail = append([]byte(nil), in...)
			n = len(in)
		case r == utf8.RuneError && n == 1:
			t.buf = fmt.Appendf(t.buf, `\x%02x`, in[0])
		case steers(r):
			t.buf = fmt.Appendf(t.buf, `\u%04x`, r)
		default:
			t.buf = append(t.buf, in[:n]...)
		}
		in = in[n:]
	}
	if _, err := t.w.Write(t.buf); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close writes what is left of a character that never ended.
func (t *TextWriter) Close() {
	for _, b := range t.tail {
		fmt.Fprintf(t.w, `\x%02x`, b)
	}
	t.tail = nil
}

// steers reports whether a terminal may do something else with r than show it.
func steers(r rune) bool {
	return r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}

// Visible replaces control bytes other than line ends and tabs by pictures,
// for a terminal.
func Visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < 0x20:
			return 0x2400 + r
		case r == 0x7f:
			return 0x2421
		case r >= 0x80 && r < 0xa0, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return 0xfffd
		}
		return r
	}, s)
}

// OutputWidth returns the width of the terminal w writes to, 0 if it is none.
func OutputWidth(w io.Writer) int {
	if f, ok := Unfiltered(w).(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return width
		}
	}
	return 0
}

// Flushed writes what out still holds and returns err, or what went wrong
// with that: a disk may be full.
func Flushed(out *bufio.Writer, err error) error {
	if ferr := out.Flush(); err == nil {
		return ferr
	}
	return err
}

// WriteLine writes v as one line of JSON.
func WriteLine(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
