package presets

import (
	"slices"
	"testing"

	"logitscope/sampling"
)

func TestDiff(t *testing.T) {
	a := sampling.Config{}.MustWith("top_k", 40, sampling.FromFile)
	b := sampling.Config{}.MustWith("top_k", 0, sampling.FromFile).MustWith("temperature", 0.5, sampling.FromFile)
	got := Diff(a, b, "A", "B")
	want := []string{"temperature 1.00 → 0.50: A's is a default", "top_k 40 → off"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
