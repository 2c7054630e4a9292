package console

import (
	"bytes"
	"io"
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
