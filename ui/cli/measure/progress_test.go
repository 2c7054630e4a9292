package measure

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"logitscope/engine/bench"
)

func TestSweepBar(t *testing.T) {
	var b bytes.Buffer
	start := time.Unix(1000, 0)
	now := start
	bar := &progressBar{w: &b, tty: true, now: func() time.Time { return now }, began: start, drawn: start}
	now = start.Add(10 * time.Second)
	bar.show(bench.Progress{Texts: 28, Done: 10, Reused: 3, Tokens: 200})
	if got := b.String(); got != "\r\x1b[K[########................] 10 of 28 texts, 3 from disk, 20 tokens/s, 26s left" {
		t.Errorf("%q", got)
	}
	b.Reset()
	bar = &progressBar{w: &b, now: func() time.Time { return now }, began: start, drawn: start}
	for range 100 {
		now = now.Add(time.Second)
		bar.show(bench.Progress{Texts: 28, Done: 7})
	}
	bar.End()
	if n := strings.Count(b.String(), "\n"); n < 2 || n > 4 || strings.Contains(b.String(), "\x1b") {
		t.Errorf("no terminal: %d lines in 110 seconds: %q", n, b.String())
	}
}
