package row

import (
	"fmt"
	"logitscope/sampling/luck"
	"math"
	"slices"
	"testing"
)

// TestLooseAgainstTheWholeSort puts rows full of equal logits into order both
// ways: a listed row is sorted at once, a dense one only where it is asked.
// Rows may lie beyond the buckets of the sort as a whole.
func TestLooseAgainstTheWholeSort(t *testing.T) {
	for _, n := range []int{1500, 5000, 9001} {
		for _, quant := range []float32{2, 8, 64, 1000} {
			for _, shift := range []float32{0, -40, -10000, 10000} {
				x := make([]float32, n)
				for i := range x {
					u := float32(luck.Coin(9, i, uint32(quant))*12 - 6)
					x[i] = float32(int(u*quant))/quant + shift
				}
				for _, p := range []float32{0, 0.3, 0.9, 0.99, 0.9999, 0.999999} {
					checkLoose(t, fmt.Sprintf("%d tokens around %v in steps of 1/%v, top_p %v", n, shift, quant, p), x, p)
				}
			}
		}
	}
}

func checkLoose(t *testing.T, name string, x []float32, p float32) {
	t.Helper()
	var whole, loose Row
	for _, r := range []*Row{&whole, &loose} {
		if !r.Begin(nil, x, 0, nil, false) {
			t.Fatal("no distribution")
		}
	}
	whole.List()
	TopPArray{P: p}.Apply(&whole)
	TopPArray{P: p}.Apply(&loose)
	if whole.N != loose.N || !slices.Equal(whole.X, loose.X) {
		t.Fatalf("%s: %d left, want %d", name, loose.N, whole.N)
	}
	for _, i := range []int{0, loose.N / 3, loose.N / 2, loose.N - 1} {
		if loose.Settle(i); loose.ix[i] != whole.ix[i] {
			t.Errorf("%s: entry %d is %d, want %d", name, i, loose.ix[i], whole.ix[i])
		}
	}
	if loose.SettleAll(); !slices.Equal(loose.ix, whole.ix) {
		t.Errorf("%s: another order", name)
	}
}

// TestSortAroundAgainstTheWholeSort sorts items with many ties in part and as
// a whole, and rows on which the library's introsort falls back to its heap.
func TestSortAroundAgainstTheWholeSort(t *testing.T) {
	for _, n := range []int{1, 2, 15, 16, 17, 33, 100, 1000, 5000} {
		for _, levels := range []int{1, 2, 3, 17, 400} {
			items := make([]Item, n)
			for i := range items {
				v := int(luck.Coin(3, i, uint32(levels)) * float64(levels))
				if levels == 3 { // organ pipes
					v = min(i, n-i)
				}
				items[i] = Item{float32(v), int32(i)}
			}
			whole := slices.Clone(items)
			cxxSort(whole)
			for lo := 0; lo < n; lo += 1 + n/40 {
				for _, hi := range []int{lo + 1, min(lo+5, n), min(lo+n/3+1, n)} {
					part := slices.Clone(items)
					cxxSortAround(part, lo, hi)
					if !slices.Equal(part[lo:hi], whole[lo:hi]) {
						t.Fatalf("%d items of %d levels, places %d to %d: %v, want %v", n, levels, lo, hi, part[lo:hi], whole[lo:hi])
					}
				}
			}
		}
	}
}

func TestArrayBucketFloor(t *testing.T) {
	for b := 1; b < arrayBucketCount; b++ {
		x := arrayBucketFloor(b)
		if below := math.Nextafter32(x, negInf); arrayBucket(x) != b || arrayBucket(below) != b-1 {
			t.Errorf("bucket %d: %v is in %d, %v in %d", b, x, arrayBucket(x), below, arrayBucket(below))
		}
	}
	for _, x := range []float32{0, 1.5, -1.5, 1e-45, -1e-45, inf32, negInf} {
		if got := keyLogit(orderKey(x)); got != x {
			t.Errorf("the key of %v is that of %v", x, got)
		}
	}
}

func TestSortByPosition(t *testing.T) {
	for _, n := range []int{10, 64, 65, 5000} {
		var r Row
		r.Raw = make([]float32, 40*n)
		items := make([]Item, n)
		for i := range items {
			items[(i*7919)%n] = Item{float32(i % 3), int32(40*i + i%40)}
		}
		if n%7919 == 0 {
			t.Fatal("not a permutation")
		}
		want := slices.Clone(items)
		slices.SortFunc(want, func(a, b Item) int { return int(a.I - b.I) })
		if r.sortByPosition(items); !slices.Equal(items, want) {
			t.Errorf("%d items are not in the order of positions", n)
		}
	}
}
