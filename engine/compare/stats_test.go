package compare

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"logitscope/engine"
	"logitscope/engine/loops"
)

// slowRepeat tries every pair of places.
func slowRepeat(ids []int32) int {
	best := 0
	for i := range ids {
		for j := range i {
			n := 0
			for i+n < len(ids) && ids[i+n] == ids[j+n] {
				n++
			}
			best = max(best, n)
		}
	}
	return best
}

func TestLongestRepeat(t *testing.T) {
	for _, tt := range []struct {
		ids  []int32
		want int
	}{
		{nil, 0}, {[]int32{1}, 0}, {[]int32{1, 1}, 1}, {[]int32{1, 1, 1}, 2},
		{[]int32{1, 2, 3, 1, 2, 4}, 2}, {[]int32{1, 2, 3, 4}, 0},
	} {
		if got := longestRepeat(tt.ids); got != tt.want {
			t.Errorf("LongestRepeat(%v) = %d, want %d", tt.ids, got, tt.want)
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		ids := make([]int32, r.IntN(40))
		for i := range ids {
			ids[i] = r.Int32N(3)
		}
		if got, want := longestRepeat(ids), slowRepeat(ids); got != want {
			t.Fatalf("LongestRepeat(%v) = %d, want %d", ids, got, want)
		}
	}
}

func TestMeasure(t *testing.T) {
	var steps []*engine.Step
	for _, lp := range []float32{-1, -2, -3} {
		steps = append(steps, &engine.Step{Token: 5, Summary: engine.Summary{RawLogprob: lp, RawBits: 2}})
	}
	s := Measure(steps)
	if s.Tokens != 3 || s.MeanLogprob != -2 || s.MeanEntropy != 2 || math.Abs(s.Perplexity-math.E*math.E) > 1e-9 || s.LongestRepeat != 2 {
		t.Errorf("%+v", s)
	}
	if s.Loop != nil {
		t.Errorf("three tokens are a loop: %+v", s.Loop)
	}
	for range 20 {
		steps = append(steps, steps[0])
	}
	if l := Measure(steps).Loop; l == nil || *l != (loops.Loop{First: 1, Period: 1, Copies: 23}) {
		t.Errorf("one token 23 times: %+v", l)
	}
	if slices.Contains([]float64{Measure(nil).Perplexity, Measure(nil).MeanLogprob}, math.NaN()) {
		t.Error("no steps give NaN")
	}
}
