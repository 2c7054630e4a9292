package screen

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// A model that opens at once leaves no trace; a slow one is named, made
// printable, and its line is wiped.
func TestOpening(t *testing.T) {
	var b strings.Builder
	want := errors.New("broken")
	if err := opening(&b, "quick", time.Hour, func() error { return want }); err != want || b.String() != "" {
		t.Errorf("quick: %v, wrote %q", err, b.String())
	}
	said := make(chan struct{})
	w := writerFunc(func(p []byte) (int, error) {
		b.Write(p)
		if strings.HasPrefix(string(p), "opening") {
			close(said)
		}
		return len(p), nil
	})
	err := opening(w, "a\x1b]0;x\a.gguf", time.Nanosecond, func() error { <-said; return nil })
	if got := b.String(); err != nil || got != "opening a␛]0;x␇.gguf … (ctrl+c leaves)\r\x1b[2K" {
		t.Errorf("slow: %v, wrote %q", err, got)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
