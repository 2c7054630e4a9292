package row

import (
	"slices"
	"testing"
)

func TestCxxSortAgainstASlowTwin(t *testing.T) {
	for n := range 300 {
		items := make([]Item, n)
		for i := range items {
			items[i] = Item{float32((i*7919 + 13*n) % 10007), int32(i)} // all different
		}
		want := slices.Clone(items)
		slices.SortFunc(want, byLogit)
		got := slices.Clone(items)
		cxxSort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("sort of %d differs", n)
		}
		for _, m := range []int{1, 2, n / 2, n} {
			if m < 1 || m > n {
				continue
			}
			got := slices.Clone(items)
			cxxPartialSort(got, m)
			if !slices.Equal(got[:m], want[:m]) {
				t.Fatalf("partial sort %d of %d differs", m, n)
			}
		}
	}
}
