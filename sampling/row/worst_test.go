package row

import (
	"logitscope/sampling/luck"
	"slices"
	"testing"

	"logitscope/sampling/simd"
)

// TestWorstUntouched compares with a look at every entry.
func TestWorstUntouched(t *testing.T) {
	for trial := range 400 {
		pick := func(i int, n uint32) int { return int(luck.Coin(uint64(trial), i, n) * float64(n)) }
		n := 1 + pick(0, 60)
		if trial%20 == 2 {
			n += simd.Block
		}
		r := Row{N: n, X: make([]float32, n), Raw: make([]float32, n), dense: true}
		for i := range n {
			r.X[i] = float32(pick(i, 3)) // small numbers, so that many are equal
			r.Raw[i] = float32(pick(i, 7))
			if pick(i, 5) == 0 {
				r.X[i] = negInf
			}
			if pick(i, 9) < trial%9 {
				r.Touches = append(r.Touches, Touch{Pos: int32(i)})
			}
		}
		switch trial % 3 {
		case 0:
			slices.SortFunc(r.X, func(a, b float32) int { return int(4 * (max(b, -1) - max(a, -1))) })
			r.Sorted = true
			fallthrough
		case 1: // a list that happens to hold every position
			r.dense, r.ix = false, make([]int32, n)
			for i := range r.ix {
				r.ix[i] = int32(i)
			}
		default:
			r.bm = make([]float32, simd.Blocks(n))
			simd.MaxBlocks(r.bm, r.X)
		}
		want := -1
		for i := range n {
			if r.X[i] == negInf || r.wasTouched(int32(i)) {
				continue
			}
			if want < 0 || r.X[i] < r.X[want] || r.X[i] == r.X[want] && r.Raw[i] < r.Raw[want] {
				want = i
			}
		}
		if got := r.WorstUntouched(); got != want {
			t.Fatalf("trial %d: entry %d, want %d of %v", trial, got, want, r.X)
		}
	}
}
