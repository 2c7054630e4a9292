package remote

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"logitscope/models"
)

func TestGrid(t *testing.T) {
	inf := math.Inf(-1)
	for _, c := range []struct {
		name   string
		size   int
		raw    bool
		ids    []int32
		values []float64
		wrong  string
		rest   float32
		whole  bool
	}{
		{"part", 4, false, []int32{2, 0}, []float64{math.Log(0.5), math.Log(0.25)}, "", 0.25, false},
		{"whole", 2, false, []int32{1, 0}, []float64{math.Log(0.75), math.Log(0.25)}, "", 0, true},
		{"probability zero", 3, false, []int32{1, 0, 2}, []float64{math.Log(0.75), math.Log(0.25), -3.4028235e38}, "", 0, true},
		{"minus infinity", 3, false, []int32{1, 0, 2}, []float64{math.Log(0.75), math.Log(0.25), inf}, "", 0, true},
		{"logits", 2, true, []int32{1, 0}, []float64{12, -3}, "", 0, true},
		{"a part of logits", 3, true, []int32{1, 0}, []float64{12, -3}, "logits of a part of its vocabulary only, which leaves the rest unknown", 0, false},
		{"nothing", 2, false, nil, nil, "a step without probabilities", 0, false},
		{"too many", 1, false, []int32{0, 1}, []float64{-1, -1}, "more probabilities than tokens in its vocabulary", 0, false},
		{"twice", 3, false, []int32{1, 1}, []float64{-1, -1}, "the same token twice in one step", 0, false},
		{"negative", 3, false, []int32{-1}, []float64{-1}, "a token id outside its vocabulary", 0, false},
		{"too large", 3, false, []int32{3}, []float64{-1}, "a token id outside its vocabulary", 0, false},
		{"NaN", 3, false, []int32{1}, []float64{math.NaN()}, "NaN in place of a probability", 0, false},
		{"above 1", 3, false, []int32{1}, []float64{0.5}, "a probability above 1", 0, false},
		{"infinite logit", 2, true, []int32{1, 0}, []float64{math.Inf(1), 0}, "a probability above 1", 0, false},
		{"sum", 3, false, []int32{1, 0}, []float64{-0.1, -0.1}, "probabilities that add up to more than 1", 0, false},
	} {
		var r Row
		r.Reset()
		for i, id := range c.ids {
			r.Add(id, c.values[i])
		}
		g := grid{size: c.size, raw: c.raw}
		for range 2 { // the marks of one row must not reach the next
			if wrong := g.finish(&r); wrong != c.wrong {
				t.Errorf("%s: %q, want %q", c.name, wrong, c.wrong)
			}
		}
		if c.wrong == "" && (math.Abs(float64(r.Rest-c.rest)) > 1e-6 || r.whole != c.whole) {
			t.Errorf("%s: rest %v, whole %v", c.name, r.Rest, r.whole)
		}
	}
}

// TestOrder makes rows whose logits differ by less than their
// log-probabilities can show, as a server ranks and rounds them. The ranking
// by value, equal values by ascending id, must be the server's.
func TestOrder(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	repaired := 0
	for range 200 {
		n := 50
		logits := make([]float32, n)
		for i := range logits {
			// Neighbours near zero, where float32 is finer than near their logarithm.
			logits[i] = float32(rnd.IntN(40)) * 1e-8
		}
		lse := logSum(logits)
		ids := make([]int32, n)
		for i := range ids {
			ids[i] = int32(i)
		}
		byLogit := func(v []float32) func(a, b int32) int {
			return func(a, b int32) int {
				switch {
				case v[a] > v[b]:
					return -1
				case v[a] < v[b]:
					return 1
				}
				return int(a - b)
			}
		}
		slices.SortFunc(ids, byLogit(logits))
		var r Row
		r.Reset()
		for _, id := range ids {
			r.Add(id, float64(logits[id])-lse)
		}
		rounded := slices.Clone(r.Values)
		g := grid{size: n}
		if wrong := g.finish(&r); wrong != "" {
			t.Fatal(wrong)
		}
		again := slices.Clone(ids)
		slices.SortFunc(again, byLogit(r.dense))
		if !slices.Equal(again, ids) {
			t.Fatalf("ranked %v\nwant   %v", again, ids)
		}
		for i := range rounded {
			if d := math.Abs(float64(rounded[i] - r.Values[i])); d > 2e-5 {
				t.Fatalf("value %d moved by %g", i, d)
			}
		}
		if !slices.Equal(rounded, r.Values) {
			repaired++
		}
	}
	if repaired < 150 {
		t.Errorf("%d rows needed it, want most", repaired)
	}
	// Values that are far out of order are the server's business.
	var r Row
	r.Reset()
	for i, v := range []float64{-5, -0.5, -3} {
		r.Add(int32(2-i), v)
	}
	g := grid{size: 9}
	if g.finish(&r); !slices.Equal(r.Values, []float32{-5, -0.5, -3}) || r.Chosen != models.NoToken {
		t.Errorf("%v", r.Values)
	}
}

func logSum(row []float32) float64 {
	sum := 0.0
	for _, v := range row {
		sum += math.Exp(float64(v))
	}
	return math.Log(sum)
}
