package chat

import "testing"

func TestReasoning(t *testing.T) {
	for _, c := range []struct {
		prompt, text string
		want         string // the part of text
	}{
		{"Hi", "no reasoning", ""},
		{"Hi", "<think>why</think>because", "<think>why</think>"},
		{"Hi", "\n<think>why", "<think>why"},
		{"Hi<think>\n", "why</think>because", "why</think>"},
		{"Hi<think>\n\n</think>\n\n", "because", ""},
		{"Hi<think>", "", ""},
		{"Hi", "a</think>b", ""},
		{"Hi", "a<think></think>b<think>c", "<think></think>"},
	} {
		from, to := Reasoning([]byte(c.text), Reasons(c.prompt))
		if got := c.text[from:to]; got != c.want {
			t.Errorf("%q, %q: %q, want %q", c.prompt, c.text, got, c.want)
		}
	}
}
