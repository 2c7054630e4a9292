package tutor

import (
	"math/rand/v2"
	"strings"
	"testing"

	"logitscope/engine/lesson"
	"logitscope/viz"
)

// Whatever a text holds, no row is wider than the sheet, no word is lost, and
// nothing of it reaches the terminal as it is.
func TestWrap(t *testing.T) {
	words := []string{"a", "probability", "␣Paris", "of", "…", "\x1b[31m", "\u202e", "日本語の", "e\u0301", strings.Repeat("long", 30), "x\ny", ""}
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		s := &sheet{w: 12 + r.IntN(100), ascii: r.IntN(4) == 0}
		var b lesson.Block
		want := ""
		for range r.IntN(25) {
			text := words[r.IntN(len(words))] + strings.Repeat(" ", r.IntN(3))
			b.Spans = append(b.Spans, lesson.Span{Text: text, Emph: r.IntN(5) == 0, Code: r.IntN(5) == 0})
			want += text
		}
		b.Kind = lesson.BlockKind(r.IntN(3))
		s.prose(lesson.Prose{b}, viz.Ink{})
		got := ""
		for _, row := range s.rows {
			line := ""
			for _, x := range row.spans {
				line += x.text
			}
			if w := viz.Width(line); w > s.w {
				t.Fatalf("a row of %d cells on a sheet of %d: %q", w, s.w, line)
			}
			if strings.ContainsAny(line, "\x1b\u202e\n") {
				t.Fatalf("a row holds a control: %q", line)
			}
			got += line
		}
		plain := func(s string) string {
			return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '·' }), "")
		}
		if want := plain(viz.Printable(strings.ReplaceAll(want, "\n", "↵ "), s.ascii)); plain(got) != want {
			t.Fatalf("set %q, want %q", plain(got), want)
		}
	}
}

// A heading in a line begins with a small letter, unless it is a name in
// capitals.
func TestInside(t *testing.T) {
	for title, want := range map[string]string{"A small bar": "a small bar", "KV cache": "KV cache", "Über": "über", "": "", "1 of 2": "1 of 2"} {
		if got := inside(title); got != want {
			t.Errorf("inside(%q) = %q, want %q", title, got, want)
		}
	}
}
