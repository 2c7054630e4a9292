package console

import (
	"bytes"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// TestTextWriter splits characters between calls at every place.
func TestTextWriter(t *testing.T) {
	const text = "é東🙂\u0085\x1b\tok\n\xff\xe6\x9d"
	const want = "é東🙂\\u0085\\u001b\tok\n\\xff\\xe6\\x9d"
	for i := range len(text) {
		for j := i; j < len(text); j++ {
			var b bytes.Buffer
			w := &TextWriter{w: &b}
			for _, p := range []string{text[:i], text[i:j], text[j:]} {
				if n, err := io.WriteString(w, p); n != len(p) || err != nil {
					t.Fatal(n, err)
				}
			}
			if w.Close(); b.String() != want {
				t.Fatalf("split at %d and %d: %q, want %q", i, j, b.String(), want)
			}
		}
	}
}

// A line that comes while another is being written waits for it.
func TestKeptTakesOneWriteAtATime(t *testing.T) {
	w := &slow{}
	k := Keep(w)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				io.WriteString(k, "a line\n")
			}
		})
	}
	all.Wait()
	if w.overlaps.Load() || w.writes.Load() != 8*50 {
		t.Errorf("%d writes, want %d; overlapping: %v", w.writes.Load(), 8*50, w.overlaps.Load())
	}
}

// slow lets others run in the middle of a write.
type slow struct {
	in       atomic.Int32
	writes   atomic.Int32
	overlaps atomic.Bool
}

func (s *slow) Write(p []byte) (int, error) {
	if s.in.Add(1) > 1 {
		s.overlaps.Store(true)
	}
	runtime.Gosched()
	s.in.Add(-1)
	s.writes.Add(1)
	return len(p), nil
}
