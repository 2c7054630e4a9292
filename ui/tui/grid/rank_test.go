package grid

import (
	"testing"

	"logitscope/engine/bench"
	"logitscope/engine/stats"
)

// Shades are by rank, a fifth of the cells each; one outlier changes no other
// cell, and cells alike have one shade.
func TestShadesByRank(t *testing.T) {
	list := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 1e9}
	for i, want := range []string{" ", " ", "░", "░", "▒", "▒", "▓", "▓", "█", "█"} {
		if got := shadeOf(list, list[i]); got != want {
			t.Errorf("rank %d: %q, want %q", i+1, got, want)
		}
	}
	alike := []float64{1, 1, 1, 1, 2}
	for _, f := range alike[:4] {
		if shadeOf(alike, f) != " " {
			t.Errorf("cells alike differ")
		}
	}
	if shadeOf(alike, 2) != "█" {
		t.Errorf("the highest of five is %q", shadeOf(alike, 2))
	}
}

// While a sweep runs its points come onto the map one by one, and what there is
// of them stays when it is stopped; a sweep without a text gives the map before
// it back.
func TestTheMapFills(t *testing.T) {
	grid := func() *bench.Grid {
		return &bench.Grid{Axes: []bench.Axis{{Key: "temperature", Values: []any{0.5, 1.0}}}, Seeds: []uint64{1, 2}, Cells: []bench.Point{{At: []int{0}}, {At: []int{1}}}}
	}
	before := grid()
	v := &View{kept: &Kept{}, before: Kept{Map: before}, busy: &sweeping{stop: func() {}, news: make(chan struct{}, 1), fresh: map[int]bench.Point{}}}
	v.show(Kept{Map: grid()})
	point := bench.Point{At: []int{1}, Runs: []bench.Text{{Seed: 1}}}
	for range bench.GridMetrics() {
		point.Values = append(point.Values, stats.Estimate{Value: 3, Low: 2, High: 4, N: 1})
	}
	v.busy.fresh[1] = point
	if cmd := v.Follow(nil, sweptMsg{v.busy, false}); cmd == nil {
		t.Error("nothing waits for the next text")
	}
	if v.value(1, 0) != 3 || v.unfinished(v.cellAt(1, 0)) != "·" || v.cellAt(0, 0).Done() || len(v.busy.fresh) != 0 {
		t.Errorf("the map has %+v", v.r.Cells)
	}
	now := v.r
	v.Leave(nil)
	if v.busy != nil || v.r != now || v.kept.Map != now {
		t.Error("what was computed is gone with the sweep")
	}
	v.before, v.busy = Kept{Map: now}, &sweeping{stop: func() {}, fresh: map[int]bench.Point{}}
	v.show(Kept{Map: grid()})
	v.Leave(nil)
	if v.r != now {
		t.Error("a sweep without a text took the map away")
	}
}

// No interval on the map goes where the metric cannot.
func TestBoundsStayInRange(t *testing.T) {
	wide := stats.Estimate{Value: 0.5, Low: -3, High: 40, N: 4}
	for key, want := range map[string][2]float64{"distinct_2": {0, 1}, "perplexity": {1, 40}, "bits": {0, 40}, "tokens": {0, 40}} {
		m := bench.Metrics()[bench.MetricNamed(key)]
		if low, high := bounds(&m, wide); low != want[0] || high != want[1] {
			t.Errorf("%s: %v to %v, want %v", key, low, high, want)
		}
	}
}
