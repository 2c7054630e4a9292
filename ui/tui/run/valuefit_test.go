package run

import (
	"testing"

	"logitscope/sampling/param"
	"logitscope/viz"
)

// A number that has no room keeps its size: digits are given up, never cut.
func TestValueFit(t *testing.T) {
	for _, tt := range []struct {
		key  string
		v    any
		w    int
		want string
	}{
		{"temperature", 0.7, 6, "0.70"}, {"temperature", 0.00001, 6, "1e-5"}, {"temperature", 0.00001, 7, "0.00001"},
		{"temperature", 1.0, 6, "1.00"}, {"min_p", 0.0, 6, "off"}, {"min_p", 0.000123456, 7, "1.23e-4"},
		{"top_k", int64(2147483647), 6, "2.15e9"}, {"top_k", int64(2147483647), 10, "2147483647"}, {"top_k", int64(2147483647), 3, "2e9"},
		{"stop", []string{"one", "two"}, 6, `"one"…`},
	} {
		p, _ := param.Lookup(tt.key)
		if got := ValueFit(p, tt.v, tt.w, false); got != tt.want {
			t.Errorf("%s %v in %d cells: %q, want %q", tt.key, tt.v, tt.w, got, tt.want)
		}
	}
}

// What the colours of the text stand for fits the help line of 80 columns.
func TestMarkLegendsFit(t *testing.T) {
	for i, legend := range markLegend {
		if w := viz.Width(MarkNames[i] + legend); w > 78 {
			t.Errorf("%d cells: %s%s", w, MarkNames[i], legend)
		}
	}
}
