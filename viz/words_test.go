package viz

import (
	"testing"
)

func TestCutWords(t *testing.T) {
	for _, tt := range []struct {
		s    string
		w    int
		want string
	}{
		{"one two three", 13, "one two three"},
		{"one two three", 12, "one two…"},
		{"one two three", 9, "one two…"},
		{"one two three", 8, "one two…"},
		{"one two three", 7, "one tw…"}, // a break after the first word would leave half
		{"abcdefgh", 5, "abcd…"},
		{"日本 語日本", 8, "日本…"},
	} {
		if got := CutWords(tt.s, tt.w); got != tt.want {
			t.Errorf("%q in %d: %q, want %q", tt.s, tt.w, got, tt.want)
		}
	}
}

func TestFirstFit(t *testing.T) {
	for w, want := range map[int]string{9: "long form", 8: "brief", 5: "brief", 4: "bri…"} {
		if got := FirstFit(w, "long form", "brief"); got != want {
			t.Errorf("%d cells: %q, want %q", w, got, want)
		}
	}
	if got := FirstFit(3); got != "" {
		t.Errorf("no form: %q", got)
	}
}
