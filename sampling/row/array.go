package row

import (
	"sort"

	"logitscope/sampling/simd"
)

// llama.cpp works on an array of candidates whose order matters: it decides
// which of equal logits are kept, in which order float32 sums run, and what
// the final draw walks past. These operations keep that order exactly.

// arraySort sorts the m best entries to the front and drops the others.
func (r *Row) arraySort(m int) {
	m = min(m, r.N)
	var items []Item
	if m <= 128 {
		items = r.arrayBest(m)
	} else {
		items = r.arrayBuckets(m)
	}
	r.permute(items)
	r.Sorted = true
}

// arrayBest returns the m best entries as a partial sort of the array leaves
// them. While the row is dense it skips the blocks that cannot reach the
// heap.
func (r *Row) arrayBest(m int) []Item {
	heap := grow(&r.sortBuf, m)
	for i := range heap {
		heap[i] = Item{r.X[i], int32(i)}
	}
	cxxMakeHeap(heap)
	for i := m; i < r.N; i++ {
		if r.dense && i%simd.Block == 0 {
			for b := i / simd.Block; b < len(r.bm) && !(r.bm[b] > heap[0].x); b++ {
				i += simd.Block
			}
			if i >= r.N {
				break
			}
		}
		if v := r.X[i]; v > heap[0].x {
			cxxAdjustHeap(heap, 0, Item{v, int32(i)})
		}
	}
	cxxSortHeap(heap)
	return heap
}

// The buckets that the array is sorted by: 128 from -10 to 10.
const (
	arrayBucketCount = 128
	arrayBucketScale = float32(arrayBucketCount) / 20
	arrayBucketShift = float32(arrayBucketCount) / 2
	arrayBucketLimit = 11 // a logit beyond the first and the last
)

func arrayBucket(x float32) int {
	f := float32(arrayBucketScale*x) + arrayBucketShift
	switch {
	case f >= arrayBucketCount-1:
		return arrayBucketCount - 1
	case f > 0:
		return int(f)
	}
	return 0
}

// arrayBucketFloor returns the least logit of bucket b.
func arrayBucketFloor(b int) float32 {
	if b == 0 {
		return negInf
	}
	least := orderKey(-arrayBucketLimit)
	n := orderKey(arrayBucketLimit) - least
	return keyLogit(least + uint32(sort.Search(int(n), func(k int) bool {
		return arrayBucket(keyLogit(least+uint32(k))) >= b
	})))
}

// arrayBuckets returns the m best entries in the order in which the array's
// sort by buckets leaves them: each bucket sorted on its own, the last one as
// far as needed.
func (r *Row) arrayBuckets(m int) []Item {
	last := arrayBucket(r.kth(m))
	var histo, at [arrayBucketCount]int32
	items := r.bucketItems(last, m, &histo)
	pos := int32(0)
	for b := arrayBucketCount - 1; b >= last; b-- {
		at[b] = pos
		pos += histo[b]
	}
	sorted := grow(&r.itemTmp, len(items))
	for _, it := range items {
		b := arrayBucket(it.x)
		sorted[at[b]] = it
		at[b]++
	}
	done := 0
	for b := arrayBucketCount - 1; b > last; b-- {
		cxxSort(sorted[done : done+int(histo[b])])
		done += int(histo[b])
	}
	cxxPartialSort(sorted[done:], m-done)
	return sorted[:m]
}

// bucketItems returns the entries of the buckets from last up, in array
// order, and counts them by bucket. Of those at -inf it leaves out the ones
// that come when there are m already: a partial sort passes over them.
func (r *Row) bucketItems(last, m int, histo *[arrayBucketCount]int32) []Item {
	items := grow(&r.sortBuf, 0)
	least := arrayBucketFloor(last)
	for b, hi := range r.blocks() {
		if hi < least || hi == negInf && int(histo[0]) >= m {
			continue
		}
		lo := b * simd.Block
		for i, v := range r.X[lo:min(r.N, lo+simd.Block)] {
			if !(v >= least) || v == negInf && int(histo[0]) >= m {
				continue
			}
			items = append(items, Item{v, int32(lo + i)})
			histo[arrayBucket(v)]++
		}
	}
	r.sortBuf = items
	return items
}

// ArraySoftmax sorts the entries if asked, and returns the float32 sum of
// their exponentials in array order. An entry's probability is its
// exponential divided by it.
func (r *Row) ArraySoftmax(sort bool) float32 {
	if sort && !r.Sorted {
		r.arraySort(r.N)
	}
	r.Exps()
	return simd.SumFloat32(r.E[:r.N])
}

// ArrayProbs returns the probabilities of the entries as float32.
func (r *Row) ArrayProbs(sum float32) []float32 {
	p := grow(&r.negBuf, r.N)
	for i, e := range r.E[:r.N] {
		p[i] = e / sum
	}
	return p
}
