package row

import "math/bits"

// The order in which the C++ library leaves equal elements. llama.cpp walks
// its candidates in that order when it draws, so with equal logits a seeded
// draw depends on the library's own heap and introsort. These follow the
// published algorithms of libstdc++ step by step; all sort by descending x.

// cxxPartialSort puts the m best items first, in order; the rest is left in
// no order. On the way in ascending blocks that cannot reach the heap cost a
// comparison each.
func cxxPartialSort(s []Item, m int) {
	cxxHeapSelect(s, m)
	cxxSortHeap(s[:m])
}

func cxxHeapSelect(s []Item, m int) {
	cxxMakeHeap(s[:m])
	for i := m; i < len(s); i++ {
		if s[i].x > s[0].x {
			v := s[i]
			s[i] = s[0]
			cxxAdjustHeap(s[:m], 0, v)
		}
	}
}

func cxxMakeHeap(s []Item) {
	if len(s) < 2 {
		return
	}
	for parent := (len(s) - 2) / 2; ; parent-- {
		cxxAdjustHeap(s, parent, s[parent])
		if parent == 0 {
			return
		}
	}
}

func cxxSortHeap(s []Item) {
	for n := len(s) - 1; n > 0; n-- {
		v := s[n]
		s[n] = s[0]
		cxxAdjustHeap(s[:n], 0, v)
	}
}

// cxxAdjustHeap sinks the hole to the bottom and lets v rise from there.
func cxxAdjustHeap(s []Item, hole int, v Item) {
	top, child := hole, hole
	for child < (len(s)-1)/2 {
		child = 2 * (child + 1)
		if s[child].x > s[child-1].x {
			child--
		}
		s[hole] = s[child]
		hole = child
	}
	if len(s)&1 == 0 && child == (len(s)-2)/2 {
		child = 2 * (child + 1)
		s[hole] = s[child-1]
		hole = child - 1
	}
	for hole > top {
		parent := (hole - 1) / 2
		if !(s[parent].x > v.x) {
			break
		}
		s[hole] = s[parent]
		hole = parent
	}
	s[hole] = v
}

// cxxSort is the library's introsort.
func cxxSort(s []Item) {
	if len(s) == 0 {
		return
	}
	cxxIntroLoop(s, 2*log2(len(s)))
	if len(s) <= 16 {
		cxxInsertionSort(s)
		return
	}
	cxxInsertionSort(s[:16])
	for i := 16; i < len(s); i++ {
		cxxLinearInsert(s, i)
	}
}

func cxxIntroLoop(s []Item, depth int) {
	for len(s) > 16 {
		if depth == 0 {
			cxxPartialSort(s, len(s))
			return
		}
		depth--
		cut := cxxPartition(s)
		cxxIntroLoop(s[cut:], depth)
		s = s[:cut]
	}
}

// cxxSortAround puts into places lo to hi-1 what cxxSort puts there. The rest
// is left in no order: introsort goes on only where one of the places is, and
// its last insertions never move an item past an equal one, so that 16 places
// on either side, the longest part it leaves unsorted, are all that can
// matter.
func cxxSortAround(s []Item, lo, hi int) {
	if len(s) == 0 || lo >= hi {
		return
	}
	cxxIntroAround(s, 2*log2(len(s)), lo, hi)
	cxxInsertionSort(s[max(lo-16, 0):min(hi+16, len(s))])
}

func cxxIntroAround(s []Item, depth, lo, hi int) {
	for len(s) > 16 {
		if depth == 0 {
			cxxPartialSort(s, len(s))
			return
		}
		depth--
		cut := cxxPartition(s)
		if hi > cut {
			cxxIntroAround(s[cut:], depth, max(lo-cut, 0), hi-cut)
		}
		if lo >= cut {
			return
		}
		s, hi = s[:cut], min(hi, cut)
	}
}

func cxxPartition(s []Item) int {
	a, b, c := 1, len(s)/2, len(s)-1
	m := c
	switch {
	case s[a].x > s[b].x:
		if s[b].x > s[c].x {
			m = b
		} else if !(s[a].x > s[c].x) {
			m = a
		}
	case s[a].x > s[c].x:
		m = a
	case !(s[b].x > s[c].x):
		m = b
	}
	s[0], s[m] = s[m], s[0]
	pivot := s[0].x
	lo, hi := 1, len(s)
	for {
		for s[lo].x > pivot {
			lo++
		}
		hi--
		for pivot > s[hi].x {
			hi--
		}
		if lo >= hi {
			return lo
		}
		s[lo], s[hi] = s[hi], s[lo]
		lo++
	}
}

func cxxInsertionSort(s []Item) {
	for i := 1; i < len(s); i++ {
		if s[i].x > s[0].x {
			v := s[i]
			copy(s[1:i+1], s[:i])
			s[0] = v
		} else {
			cxxLinearInsert(s, i)
		}
	}
}

func cxxLinearInsert(s []Item, i int) {
	v := s[i]
	for ; i > 0 && v.x > s[i-1].x; i-- {
		s[i] = s[i-1]
	}
	s[i] = v
}

func log2(n int) int { return bits.Len(uint(n)) - 1 }
