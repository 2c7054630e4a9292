package ollama

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"logitscope/models"
	"logitscope/models/remote"
)

// TestMatcher splits text with a vocabulary whose tokenizer is not known.
func TestMatcher(t *testing.T) {
	var m matcher
	v := remote.NewVocab(&remote.Client{}, 6, m.split)
	fillPieces(v, []any{"</s>", "\u2581a", "a", "ab", "<0x62>", "x"}, map[string]any{
		"tokenizer.ggml.model":        "llama",
		"tokenizer.ggml.token_type":   []any{3.0, 1.0, 1.0, 1.0, 6.0, 5.0},
		"tokenizer.ggml.eos_token_id": 0.0,
	})
	if got := fmt.Sprintf("%q %v %v", v.Pieces, v.Attrs, v.Ends); got != `["</s>" " a" "a" "ab" "b" "x"] [1 0 0 0 3 4] [0]` {
		t.Fatal(got)
	}
	m.learn(v)
	for _, c := range []struct {
		text    string
		special bool
		want    []int32
	}{
		{"aba ab", false, []int32{3, 2, 1, 4}},
		{"a</s>b", true, []int32{2, 0, 4}},
		{"a</s>b", false, []int32{2, 4}}, // no piece has the rest
		{"", true, nil},
	} {
		got, _ := m.split(context.Background(), c.text, models.EncodeOptions{ParseSpecial: c.special})
		if !slices.Equal(got, c.want) {
			t.Errorf("split(%q, %v) = %v, want %v", c.text, c.special, got, c.want)
		}
	}
}
