package row

import "sort"

// Sorting a whole vocabulary as the C++ library does costs most of a step,
// and its only trace is the order of equal logits. So a row may be loose:
// sorted, with equal logits by position, and put into the library's order
// only where that decides something: at a cut, at a draw, or when a later
// stage looks at the order.
//
// r.loose then holds what was sorted, before the cut, with positions: whole
// buckets from the best down, all of the row if looseAll. The entries of the
// row are its first ones, in its order.

// Settle gives the equal logits around entry i the library's order.
func (r *Row) Settle(i int) {
	s := r.loose
	if s == nil {
		return
	}
	lo, hi := i, i+1
	for lo > 0 && s[lo-1].x == s[i].x {
		lo--
	}
	for hi < len(s) && s[hi].x == s[i].x {
		hi++
	}
	if hi-lo > 1 {
		from, to := r.looseBucket(i)
		r.settleBucket(from, to, lo, hi)
	}
}

// looseBucket returns the bounds of the bucket of entry i in r.loose.
func (r *Row) looseBucket(i int) (from, to int) {
	s := r.loose
	b := arrayBucket(s[i].x)
	from = sort.Search(i, func(k int) bool { return arrayBucket(s[k].x) <= b })
	to = i + sort.Search(len(s)-i, func(k int) bool { return arrayBucket(s[i+k].x) < b })
	return from, to
}

// settleBucket gives entries lo to hi-1, all of one logit or the whole bucket,
// the order in which the library sorts the bucket of entries from to to-1.
func (r *Row) settleBucket(from, to, lo, hi int) {
	s := r.loose
	bucket := grow(&r.looseTmp, to-from)
	copy(bucket, s[from:to])
	r.sortByPosition(bucket)
	if to == len(s) && r.looseAll {
		cxxPartialSort(bucket, len(bucket))
	} else {
		cxxSortAround(bucket, lo-from, hi-from)
	}
	copy(s[lo:hi], bucket[lo-from:])
	for k := lo; k < min(hi, r.N); k++ {
		r.ix[k] = s[k].I
	}
	r.atOK = false
}

// SettleAll gives the whole row the library's order.
func (r *Row) SettleAll() {
	s := r.loose
	if s == nil {
		return
	}
	for i := 0; i < r.N; {
		from, to := r.looseBucket(i)
		for k := from + 1; k < to; k++ {
			if s[k].x == s[k-1].x {
				r.settleBucket(from, to, from, to)
				break
			}
		}
		i = to
	}
	r.loose = nil
}

// Unsort says that the entries are in no order that anyone relies on, as
// llama.cpp takes them to be after its penalties, changed or not. The next sort
// begins from the order that they have now.
func (r *Row) Unsort() {
	r.SettleAll()
	r.Sorted = false
}
