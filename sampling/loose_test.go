package sampling

import (
	"slices"
	"testing"
)

// TestLooseAgainstTheWholeSort puts rows full of equal logits into order both
// ways: a listed row is sorted at once, a dense one only where it is asked.
func TestLooseAgainstTheWholeSort(t *testing.T) {
	for _, n := range []int{1500, 5000, 9001} {
		for _, quant := range []float32{2, 8, 64, 1000} {
			x := make([]float32, n)
			for i := range x {
				u := float32(Coin(9, i, uint32(quant))*12 - 6)
				x[i] = float32(int(u*quant)) / quant
			}
			for _, p := range []float32{0.3, 0.9, 0.99, 0.9999} {
				var whole, loose row
				for _, r := range []*row{&whole, &loose} {
					if err := r.begin(Input{Logits: x}, nil, false); err != nil {
						t.Fatal(err)
					}
				}
				whole.list()
				topPArray{p: p}.apply(&whole)
				topPArray{p: p}.apply(&loose)
				if whole.n != loose.n || !slices.Equal(whole.x, loose.x) {
					t.Fatalf("%d tokens in steps of 1/%v, top_p %v: %d left, want %d", n, quant, p, loose.n, whole.n)
				}
				for _, i := range []int{0, loose.n / 3, loose.n / 2, loose.n - 1} {
					if loose.settle(i); loose.ix[i] != whole.ix[i] {
						t.Errorf("%d tokens in steps of 1/%v, top_p %v: entry %d is %d, want %d", n, quant, p, i, loose.ix[i], whole.ix[i])
					}
				}
				if loose.settleAll(); !slices.Equal(loose.ix, whole.ix) {
					t.Errorf("%d tokens in steps of 1/%v, top_p %v: another order", n, quant, p)
				}
			}
		}
	}
}
