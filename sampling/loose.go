package sampling

import "slices"

// Sorting a whole vocabulary as the C++ library does costs most of a step,
// and its only trace is the order of equal logits. So a row may be loose:
// sorted, with equal logits by position, and put into the library's order
// only where that decides something: at a cut, at a draw, or when a later
// stage looks at the order.
//
// r.loose then holds what was sorted, before the cut, with positions: whole
// buckets from the best down, all of the row if looseAll. The entries of the
// row are its first ones, in its order.

// settle gives the equal logits around entry i the library's order.
func (r *row) settle(i int) {
	s := r.loose
	if s == nil || !(i > 0 && s[i-1].x == s[i].x || i+1 < len(s) && s[i+1].x == s[i].x) {
		return
	}
	b := arrayBucket(s[i].x)
	from, _ := slices.BinarySearchFunc(s, b, func(it item, b int) int { return b - arrayBucket(it.x) })
	to, _ := slices.BinarySearchFunc(s, b-1, func(it item, b int) int { return b - arrayBucket(it.x) })
	bucket := s[from:to]
	slices.SortFunc(bucket, func(a, b item) int { return int(a.i - b.i) })
	if to == len(s) && r.looseAll {
		cxxPartialSort(bucket, len(bucket))
	} else {
		cxxSort(bucket)
	}
	for k := from; k < min(to, r.n); k++ {
		r.ix[k] = s[k].i
	}
	r.atOK = false
}

// settleAll gives the whole row the library's order.
func (r *row) settleAll() {
	if r.loose == nil {
		return
	}
	for i := 0; i < r.n; i++ {
		b := arrayBucket(r.loose[i].x)
		for j := i; j < r.n && arrayBucket(r.loose[j].x) == b; j++ {
			if j > i && r.loose[j].x == r.loose[j-1].x {
				r.settle(j)
				break
			}
		}
		for i+1 < r.n && arrayBucket(r.loose[i+1].x) == b {
			i++
		}
	}
	r.loose = nil
}
