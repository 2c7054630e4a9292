package cli

import (
	"fmt"
	"io"
	"os"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// isTerminal reports whether w writes to a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := unfiltered(w).(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// filtered returns a writer for the text of commands. On a terminal, bytes
// that steer it become visible escapes, wherever they come from: a model, a
// preset, a server. Elsewhere w takes everything as it is.
func filtered(w io.Writer) io.Writer {
	if isTerminal(w) {
		return &textWriter{w: w}
	}
	return w
}

// unfiltered returns the writer behind w, for those that draw.
func unfiltered(w io.Writer) io.Writer {
	if t, ok := w.(*textWriter); ok {
		return t.w
	}
	return w
}

// A textWriter writes text to a terminal. Control characters other than line
// feed and tab, and those that turn the direction of writing, become \u and
// four digits, which in JSON means the same character; bytes that are no
// UTF-8 become \x and two.
type textWriter struct {
	w    io.Writer
	mu   sync.Mutex // notices come from goroutines of their own
	tail []byte     // the beginning of a character that the last write ended in
	buf  []byte
}

// Write writes p. A character may be spread over several calls.
func (t *textWriter) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
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

// close writes what is left of a character that never ended.
func (t *textWriter) close() {
	for _, b := range t.tail {
		fmt.Fprintf(t.w, `\x%02x`, b)
	}
	t.tail = nil
}

// steers reports whether a terminal may do something else with r than show it.
func steers(r rune) bool {
	return r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}
