package run

import (
	"strings"
	"testing"

	"logitscope/viz"
)

func glyphs(s string) []Glyph {
	f := &textFlow{lanes: new(Lanes)}
	f.add(s, viz.Ink{})
	return f.out
}

func lines(s string, w int) []string {
	g := glyphs(s)
	var out []string
	for _, r := range Wrap(g, w) {
		line := ""
		for _, gl := range g[r[0]:r[1]] {
			line += gl.Text
		}
		out = append(out, line)
	}
	return out
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		s    string
		w    int
		want string
	}{
		{"one two three", 7, "one two|three"},
		{"one two three", 8, "one two|three"},
		{"one two three", 5, "one|two|three"},
		{"abcdefgh", 3, "abc|def|gh"},
		{"a abcdefgh", 4, "a|abcd|efgh"},
		{"a\nb\n\nc", 9, "a↵|b↵|↵|c"},
		{"日本語日本", 5, "日本|語日|本"},
		{"a  b", 2, "a |b"},
		{"", 5, ""},
		{"tab\there", 20, "tab⇥here"},
		{"x\x1b[2J", 20, "x␛[2J"},
	} {
		if got := strings.Join(lines(c.s, c.w), "|"); got != c.want {
			t.Errorf("%q in %d: %q, want %q", c.s, c.w, got, c.want)
		}
	}
}

// No line is wider than the pane, and no glyph but a space at a break is
// lost.
func FuzzWrap(f *testing.F) {
	f.Add("one two three\nfour", 7)
	f.Add("日本語 日本語 👨\u200d👩 x", 3)
	f.Add(" \n \n", 1)
	f.Fuzz(func(t *testing.T, s string, w int) {
		w = min(max(w, 1), 80)
		g := glyphs(s)
		shown, at := 0, 0
		for _, r := range Wrap(g, w) {
			if r[0] < at || r[1] < r[0] || r[1] > len(g) {
				t.Fatalf("range %v after %d of %d", r, at, len(g))
			}
			for _, skipped := range g[at:r[0]] {
				if !skipped.Gap {
					t.Fatalf("%q in %d lost %q", s, w, skipped.Text)
				}
			}
			width := 0
			for _, gl := range g[r[0]:r[1]] {
				width += gl.W
				shown++
			}
			if width > w && r[1]-r[0] > 1 {
				t.Fatalf("%q: a line of %d cells in %d", s, width, w)
			}
			at = r[1]
		}
		if at != len(g) {
			t.Fatalf("%q in %d: ends at %d of %d", s, w, at, len(g))
		}
	})
}
